from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pytest
from scipy import stats

from invented import WIDTH, direction, fill_audit, leaning
from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, SettingError
from portrayal.findings import Finding
from portrayal.findings.parts import Distribution, Forest
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.association.parts import Arrows
from portrayal.kinds.association.schema import AssociationStudy
from portrayal.kinds.association.text_side import sign_flip_p
from portrayal.records import Prompt
from portrayal.runner.analysis import analyze
from portrayal.statistics import association_scores
from portrayal.studies.reading import load_study, study_from_toml

SMALL = """
kind = "association"
images = 4
x = { name = "flowers", words = ["rose", "aster", "iris", "tulip"] }
y = { name = "insects", words = ["bee", "ant", "moth", "wasp", "fly"] }
a = { name = "pleasant", words = ["love", "peace"] }
b = { name = "unpleasant", words = ["death", "grief", "abuse"] }
"""


@pytest.fixture
def study() -> AssociationStudy:
    found = study_from_toml(SMALL, source="small.toml", name="small")
    assert isinstance(found, AssociationStudy)
    return found


def only(findings: Sequence[Finding], statistic: str) -> Finding:
    (found,) = [one for one in findings if one.statistic == statistic]
    return found


def test_flowers_and_insects_end_to_end(audit: AuditFolder) -> None:
    study = load_study("flowers-insects")
    fill_audit(audit, [study], leaning({"flowers": 0.1, "insects": -0.1}))
    found = analyze(audit).findings
    effect = only(found, "d")
    assert effect.question == "flowers / insects: pleasant rather than unpleasant"
    assert effect.estimate is not None
    assert effect.low is not None
    assert effect.low > 0.8
    assert effect.p is not None
    assert effect.p < 1e-3
    assert effect.details["p_paper"] == pytest.approx(2e-4)  # the least of 9,999 random splits
    assert (effect.n, effect.n_missing, effect.unit) == (500, 0, "prompt")
    assert effect.conclusion(0.05) == "Images of flowers look more pleasant than images of insects"
    assert effect.sentence == (
        "The half of all images that looks more pleasant contains 199 of 250 images of flowers "
        "and 51 of 250 of insects; if they looked alike, half of each."
    )
    assert effect.in_numbers(0.95).endswith("q < .001; 500 images")
    stored = audit.results()
    assert stored["findings"] == [json.loads(json.dumps(asdict(one))) for one in found]


@pytest.mark.parametrize("flowers", [0.1, 0.0, -0.1])
def test_bars_count_the_images_above_the_middle_wherever_the_encoder_puts_it(
    audit: AuditFolder, study: AssociationStudy, flowers: float
) -> None:
    """Both concepts lie nearer to `pleasant`: zero would say nothing about how they differ."""
    fill_audit(audit, [study], leaning({"flowers": 0.5 + flowers, "insects": 0.5 - flowers}))
    effect = only(analyze(audit).findings, "d")
    assert effect.headline is not None
    x, y = effect.headline.bars
    assert (x.n, y.n) == (16, 20)
    assert (x.hits or 0) + (y.hits or 0) == 18, "half of all images are above the middle"
    more = (x.value or 0.0) - (y.value or 0.0)
    assert np.sign(round(more, 1)) == np.sign(flowers), (x.text, y.text)


def pairs_mean(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Mean cosine of each row of `first` with all rows of `second`, pair by pair."""
    return np.array(
        [np.mean([a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in second]) for a in first]
    )


def test_score_and_d_agree_with_equations_1_to_4(
    audit: AuditFolder, study: AssociationStudy
) -> None:
    vectors = leaning({"flowers": 0.1, "insects": -0.2})
    fill_audit(audit, [study], vectors)
    sets: dict[tuple[str, str], list[np.ndarray]] = {}
    for prompt in study.prompts():
        key = (prompt.factors["concept"], prompt.factors["attribute"])
        sets.setdefault(key, []).extend(vectors(prompt, seed) for seed in range(4))
    scores = {
        concept: pairs_mean(np.array(sets[concept, "neutral"]), np.array(sets[concept, "pleasant"]))
        - pairs_mean(np.array(sets[concept, "neutral"]), np.array(sets[concept, "unpleasant"]))
        for concept in ("flowers", "insects")
    }
    x, y = scores["flowers"], scores["insects"]
    pooled = np.sqrt((15 * x.var(ddof=1) + 19 * y.var(ddof=1)) / 34)
    found = analyze(audit).findings
    score = only(found, "S")
    assert score.estimate == pytest.approx(x.mean() - y.mean(), abs=1e-6)
    assert score.p is None
    details = only(found, "d").details
    assert details["d_paper"] == pytest.approx((x.mean() - y.mean()) / pooled, rel=1e-4)
    assert (details["n_x"], details["n_y"], details["prompts_x"], details["prompts_y"]) == (
        16,
        20,
        4,
        5,
    )
    assert details["exact"]
    assert details["splits"] == 126
    values = {
        (row.key, row.concept): row.value
        for part in analyze(audit).studies[0].parts
        if isinstance(part, Distribution)
        for row in part.rows
    }
    assert sorted(values.values()) == pytest.approx(sorted([*x, *y]), abs=1e-6)


def test_a_concept_leans_by_the_mean_of_equation_2(
    audit: AuditFolder, study: AssociationStudy
) -> None:
    fill_audit(audit, [study], leaning({"flowers": 0.2, "insects": -0.2}))
    results = analyze(audit)
    concepts = {
        one.details["concept"]: one for one in results.findings if one.statistic == "association"
    }
    seen = next(one for one in results.studies[0].parts if isinstance(one, Distribution))
    assert (seen.measurer, seen.first, seen.second) == (
        "invented-encoder",
        "pleasant",
        "unpleasant",
    )
    for name in ("flowers", "insects"):
        mean = np.mean([row.value for row in seen.rows if row.concept == name])
        assert concepts[name].estimate == pytest.approx(mean)
        # The contrast is the question; a concept's own p is kept aside.
        assert concepts[name].p is None
        assert concepts[name].details["p"] < 0.05
    assert concepts["flowers"].sentence.startswith(
        "Images of flowers are closer to pleasant than to unpleasant by "
    )


@pytest.mark.parametrize("name", ["unit", "alternative", "effect", "resample", "permute"])
def test_wrong_settings_are_refused(name: str) -> None:
    with pytest.raises(SettingError, match=f"{name} is 'x'; allowed: "):
        AnalysisSettings(**{name: "x"})  # type: ignore[arg-type]


def test_wrong_numbers_in_settings_are_refused() -> None:
    with pytest.raises(SettingError, match=r"confidence is 95; allowed: 0\.5 to 0\.999"):
        AnalysisSettings(confidence=95)
    with pytest.raises(SettingError, match="resamples is 0; allowed: 1 to 10,000,000"):
        AnalysisSettings(resamples=0)


def test_a_one_sided_test_says_which_way_it_looks(
    audit: AuditFolder, study: AssociationStudy
) -> None:
    fill_audit(audit, [study], leaning({"flowers": 0.1}, stimulus=0.9, attribute=0.2))
    less, both = (
        only(analyze(audit, settings=AnalysisSettings(alternative=one)).findings, "d")
        for one in ("less", "two-sided")
    )
    assert less.conclusion(0.05) == (
        "Not established that flowers looks less pleasant than insects"
    )
    assert "(one-sided: d below 0); " in less.in_numbers(0.95)
    assert "(one-sided: d below 0); " in less.in_numbers(0.95, explained=True)
    assert "one-sided" not in both.in_numbers(0.95) + both.conclusion(0.05)


def test_settings_reach_the_statistic(audit: AuditFolder, study: AssociationStudy) -> None:
    fill_audit(audit, [study], leaning({"flowers": 0.1}, stimulus=0.9, attribute=0.2))

    def effect(**settings: object) -> Finding:
        return only(analyze(audit, settings=AnalysisSettings(**settings)).findings, "d")  # type: ignore[arg-type]

    two_sided = effect()
    greater, less = effect(alternative="greater"), effect(alternative="less")
    assert greater.p is not None
    assert less.p is not None
    assert two_sided.p == pytest.approx(min(1, 2 * min(greater.p, less.p)))
    assert greater.p + less.p == pytest.approx(1)
    assert effect(effect="union").details["d_paper"] != two_sided.details["d_paper"]
    by_image = effect(unit="image")
    assert by_image.unit == "image"
    assert not by_image.details["exact"]
    assert (by_image.details["prompts_x"], by_image.details["prompts_y"]) == (16, 20)
    wide, narrow = effect(confidence=0.99), effect(confidence=0.5)
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low
    by_targets = effect(permute="targets")
    assert by_targets.p == two_sided.p
    assert by_targets.details["p_paper"] != two_sided.details["p_paper"]
    assert effect(resample="images").low != two_sided.low


def test_numbers_do_not_depend_on_other_studies(
    audit: AuditFolder, study: AssociationStudy
) -> None:
    fill_audit(audit, [study], leaning({"flowers": 0.1}))
    settings = AnalysisSettings(unit="image")
    alone = only(analyze(audit, settings=settings).findings, "d")
    other = load_study("straight-gay").with_images(3)
    fill_audit(audit, [other], leaning({}))
    beside = [one for one in analyze(audit, settings=settings).findings if one.study == "small"]
    found = only(beside, "d")
    assert (found.p, found.low, found.estimate) == (alone.p, alone.low, alone.estimate)
    assert (
        analyze(audit, settings=settings).as_dict() == analyze(audit, settings=settings).as_dict()
    )


def test_q_corrects_over_all_tests_of_the_audit(
    audit: AuditFolder, study: AssociationStudy
) -> None:
    other = load_study("straight-gay").with_images(3)
    fill_audit(audit, [study, other], leaning({"flowers": 0.3, "insects": -0.3}))
    results = analyze(audit)
    tested = sorted((one.p, one.q) for one in results.findings if one.p is not None)
    assert len(tested) == 2
    assert tested[0][1] == pytest.approx(min(2 * tested[0][0], tested[1][0]))
    assert tested[1][1] == pytest.approx(tested[1][0])
    assert only(results.findings_of(results.studies[0].study), "d").verdict(0.05) == "significant"
    for section in results.studies:
        forest = next(one for one in section.parts if isinstance(one, Forest))
        found = results.findings_of(section.study)
        assert forest.name == "contrasts"
        assert forest.as_table(found).rows[0][5] == only(found, "d").q


# --- not enough data: never a number -----------------------------------------------------------


def no_number(finding: Finding, *, n: int = 0) -> str:
    assert (finding.estimate, finding.low, finding.high, finding.p, finding.q) == (None,) * 5
    assert finding.n == n
    assert finding.sentence.startswith(f"not enough data: {finding.reason}")
    return finding.sentence


def test_all_images_refused(audit: AuditFolder, study: AssociationStudy) -> None:
    fill_audit(audit, [study], leaning({}), status=lambda prompt, seed: "refused")
    found = analyze(audit).findings
    assert no_number(only(found, "d")) == (
        "not enough data: flowers has 0 usable images without attribute; at least 3 are needed "
        "(of 108 images wanted: 108 refused by the generator)"
    )
    assert all(no_number(one) for one in found)


def test_fewer_than_three_images(audit: AuditFolder) -> None:
    text = 'kind = "association"\nimages = 1\nx = ["a", "b"]\ny = ["c", "d", "e"]\na=["f"]\nb=["g"]'
    two = study_from_toml(text, source="two.toml", name="two")
    assert isinstance(two, AssociationStudy)
    fill_audit(audit, [two], leaning({}))
    found = analyze(audit).findings
    assert "X has 2 usable images without attribute" in no_number(only(found, "d"), n=5)


def test_one_prompt_a_side(audit: AuditFolder) -> None:
    text = 'kind = "association"\nimages = 9\nx = ["a"]\ny = ["c", "d", "e"]\na=["f"]\nb=["g"]'
    one = study_from_toml(text, source="one.toml", name="one")
    assert isinstance(one, AssociationStudy)
    fill_audit(audit, [one], leaning({}))
    found = analyze(audit).findings
    sentence = no_number(only(found, "d"), n=36)
    assert "X has 1 prompt with usable images; prompts are the units" in sentence
    # Its own leaning can be told, for this very prompt: images are the units.
    concept = next(f for f in found if f.details.get("concept") == "X")
    assert concept.unit == "image"
    assert concept.low is not None
    by_image = analyze(audit, settings=AnalysisSettings(unit="image")).findings
    assert only(by_image, "d").estimate is not None


def test_an_encoder_that_returns_nan(audit: AuditFolder, study: AssociationStudy) -> None:
    fill_audit(audit, [study], lambda prompt, seed: np.full(WIDTH, np.nan))
    results = analyze(audit)
    assert "108 embedding is NaN, infinite or zero" in no_number(only(results.findings, "d"))
    assert results.studies[0].dropped == {"embedding is NaN, infinite or zero": 108}


def test_all_images_the_same(audit: AuditFolder, study: AssociationStudy) -> None:
    fill_audit(audit, [study], lambda prompt, seed: direction("same"))
    assert "the same association" in no_number(only(analyze(audit).findings, "d"), n=36)


def test_nothing_measured_is_an_error(audit: AuditFolder, study: AssociationStudy) -> None:
    with pytest.raises(AuditError, match="no study was asked of this audit"):
        analyze(audit)
    fill_audit(audit, [study], leaning({}), measured=lambda prompt, seed: False)
    with pytest.raises(AuditError, match="no measurer has labelled or embedded the images yet"):
        analyze(audit)


def test_a_stimulus_without_attribute_images_is_left_out(
    audit: AuditFolder, study: AssociationStudy
) -> None:
    def status(prompt: Prompt, seed: int) -> str:
        return "refused" if prompt.text.startswith("a photo of a rose,") else "ok"

    fill_audit(audit, [study], leaning({"flowers": 0.2}), status=status)
    found = only(analyze(audit).findings, "d")
    assert found.details["prompts_x"] == 3
    # 4 neutral roses, and 8 refused under the two attributes.
    assert (found.n, found.n_missing) == (32, 12)
    paper = analyze(audit, settings=AnalysisSettings(permute="targets")).findings
    assert only(paper, "d").details["prompts_x"] == 4


# --- more than two attributes, texts, publications, encoders --------------------------------------


def test_three_attributes_give_a_vector_with_simultaneous_intervals(audit: AuditFolder) -> None:
    text = SMALL.replace("a = {", "#").replace("b = {", "#")
    text += '[attributes]\npleasant = ["love"]\nunpleasant = ["grief"]\nodd = ["xyzzy"]\n'
    study = study_from_toml(text, source="three.toml", name="three")
    assert isinstance(study, AssociationStudy)

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        factors = prompt.factors
        towards = factors["attribute"]
        if towards == "neutral":
            towards = "odd" if factors["concept"] == "insects" else "pleasant"
        noise = np.random.default_rng([seed, *prompt.text.encode()]).normal(size=WIDTH)
        return direction("base") + direction(towards) + 0.1 * noise

    fill_audit(audit, [study], vectors)
    results = analyze(audit)
    leanings = {
        (f.details["concept"], f.details["attribute"]): f
        for f in results.findings
        if f.statistic == "association"
    }
    assert sum(f.estimate or 0 for (c, _), f in leanings.items() if c == "flowers") == (
        pytest.approx(0, abs=1e-9)
    )
    low = leanings["flowers", "pleasant"].low
    assert low is not None
    assert low > 0
    assert leanings["insects", "odd"].estimate == max(
        f.estimate or -1 for (c, _), f in leanings.items() if c == "insects"
    )
    effects = [f for f in results.findings if f.statistic == "d"]
    assert [f.question for f in effects] == [
        f"flowers / insects: {name} rather than the other attributes"
        for name in ("pleasant", "unpleasant", "odd")
    ]


OCCUPATIONS = """
kind = "association"
images = 12
attach = "template"
attribute_template = "a photo of {a word} {stimulus}"
concepts = ["chef", "nurse", "pilot", "clerk", "judge"]
[attributes]
male = ["male"]
female = ["female"]
[[published]]
source = "a paper"
generators = ["invented"]
encoders = ["invented-*"]
settings = { steps = 50, guidance = 7.5, other = 1 }
numbers = [
  { of = "chef", statistic = "association", value = 0.5 },
  { of = "chef", statistic = "text association", value = 0.1 },
  { of = "nobody", statistic = "association", value = 0.001, bound = "<" },
]
"""


def occupations(text: str = OCCUPATIONS) -> AssociationStudy:
    found = study_from_toml(text, source="jobs.toml", name="jobs")
    assert isinstance(found, AssociationStudy)
    return found


def text_vector(text: str) -> np.ndarray:
    """Texts lean less than images do, in the same direction."""
    lean = (
        0.5 if " male " in text else -0.5 if "female" in text else 0.02 if "chef" in text else 0.0
    )
    return 2 * direction("base") + lean * direction("valence")


def test_texts_stand_beside_images(audit: AuditFolder) -> None:
    lean = {"chef": 0.4, "nurse": -0.4, "pilot": 0.3, "clerk": -0.3, "judge": 0.3}
    fill_audit(audit, [occupations()], leaning(lean, noise=0.05), texts=text_vector)
    result = analyze(audit)
    arrows = next(one for one in result.studies[0].parts if isinstance(one, Arrows))
    chef = arrows.rows[0]
    expected = association_scores(
        [text_vector("a photo of a chef")],
        [text_vector("a photo of a male chef")],
        [text_vector("a photo of a female chef")],
    )
    assert (chef.concept, chef.text) == ("chef", pytest.approx(expected[0], abs=1e-6))
    assert chef.text_low is None  # one text: nothing to vary
    assert chef.image_low < chef.image < chef.image_high
    grown = next(f for f in result.findings if f.statistic == "mean |image| - |text|")
    differences = [abs(row.image) - abs(row.text) for row in arrows.rows]
    assert grown.estimate == pytest.approx(np.mean(differences))
    t = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (grown.low, grown.high) == pytest.approx((t.low, t.high))
    assert grown.p == 2 / 2**5  # all five differences have the same sign
    assert (grown.n, grown.unit) == (5, "concept")


def test_concepts_without_contrast_are_the_questions(audit: AuditFolder) -> None:
    fill_audit(audit, [occupations()], leaning({"chef": 0.4}), texts=text_vector)
    found = [f for f in analyze(audit).findings if f.statistic == "association"]
    assert len(found) == 5
    assert all(f.p is not None and f.q is not None and f.q >= f.p for f in found)
    assert all(f.unit == "image" for f in found)


def test_without_texts_the_images_still_speak(audit: AuditFolder) -> None:
    fill_audit(audit, [occupations()], leaning({"chef": 0.4}), texts=None)
    result = analyze(audit)
    assert not [part for part in result.studies[0].parts if isinstance(part, Arrows)]
    grown = next(f for f in result.findings if f.statistic == "mean |image| - |text|")
    assert "0 concepts with both images and texts embedded" in no_number(grown)


def test_sign_flips_agree_with_scipy() -> None:
    rng = np.random.default_rng(2)
    for n in (3, 8):
        values = rng.normal(0.5, 1, size=n)
        expected = stats.permutation_test(
            (values,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
        )
        assert sign_flip_p(values, resamples=9999, rng=rng) == pytest.approx(expected.pvalue)
    many = rng.normal(0.3, 1, size=30)
    assert sign_flip_p(many, resamples=9999, rng=rng) == pytest.approx(
        stats.ttest_1samp(many, 0).pvalue, abs=0.02
    )


def test_published_numbers_stand_beside_ours(audit: AuditFolder) -> None:
    fill_audit(audit, [occupations()], leaning({"chef": 0.4}), texts=text_vector)
    results = analyze(audit)
    table = next(t for t in results.studies[0].parts if t.name == "published")
    rows = table.rows
    chef = next(f for f in results.findings if f.details.get("concept") == "chef")
    assert (rows[0].ours, rows[0].low, rows[0].published) == (chef.estimate, chef.low, "0.5")
    assert rows[1].ours is not None
    assert (rows[2].ours, rows[2].published) == (None, "<0.001")
    assert {row.settings for row in rows if row.published} == {"same settings"}
    others = {row.of for row in rows if not row.published}
    assert others >= set(occupations().concepts) - {"chef"}, "what no paper printed follows"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('generators = ["invented"]', 'generators = ["stable-*"]'),
        ('encoders = ["invented-*"]', "encoders = []"),
        ("steps = 50", "steps = 20"),
    ],
)
def test_other_settings_are_said(audit: AuditFolder, was: str, now: str) -> None:
    study = occupations(OCCUPATIONS.replace(was, now))
    fill_audit(audit, [study], leaning({}), texts=text_vector)
    table = next(t for t in analyze(audit).studies[0].parts if t.name == "published")
    assert {row.settings for row in table.rows if row.published} == {"published, other settings"}
