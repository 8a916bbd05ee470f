from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from invented import ENCODER, OTHER_ENCODER, WIDTH, Vectors, direction, fill_audit
from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, StudyError
from portrayal.findings import Finding
from portrayal.findings.parts import DataTable, Forest, Shares
from portrayal.findings.settings import AnalysisSettings
from portrayal.findings.similarities import COLUMNS, similarities
from portrayal.kinds.intervention.ablation import ablated
from portrayal.kinds.intervention.arms import Arm
from portrayal.kinds.intervention.changes import _lost
from portrayal.kinds.intervention.schema import InterventionStudy
from portrayal.numbers import number
from portrayal.records import Prompt
from portrayal.runner.analysis import analyze
from portrayal.runner.planning import plan_study
from portrayal.statistics.diversity import many_group_diversity
from portrayal.studies.axes import default_axes
from portrayal.studies.reading import load_study, study_from_toml

JOBS = [f"job {letter}" for letter in "abcdefghijkl"]
TEXT = f"""
kind = "intervention"
images = 6
toward = {{ "perceived gender" = "man" }}
[[interventions]]
name = "gender"
axis = "perceived gender"
text = "whatever their gender, to be {{a attribute}}"
[[interventions]]
name = "weather"
text = "whatever the weather"
[[interventions]]
name = "season"
text = "whatever the season"
[[categories]]
name = "profession"
axes = ["perceived gender"]
template = "a photo of {{a attribute}}"
attributes = {JOBS}
"""
AXIS = default_axes()["perceived gender"]
MAN, WOMAN = AXIS.groups["man"][0], AXIS.groups["woman"][0]
Shown = Callable[[Prompt, int], str]


def study(text: str = TEXT) -> InterventionStudy:
    found = study_from_toml(text, source="jobs.toml", name="jobs")
    assert isinstance(found, InterventionStudy)
    return found


def showing(shown: Shown) -> Vectors:
    """Images that show what a rule says: m, w, u (unknown) or - (nobody)."""
    looks = {"m": MAN, "w": WOMAN, "u": AXIS.unknown[0]}

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        sign = shown(prompt, seed)
        if sign == "-":
            return direction(AXIS.object[0])
        noise = np.random.default_rng([seed, *prompt.text.encode()]).normal(size=WIDTH)
        return direction(looks[sign]) + direction(AXIS.person[0]) + 0.01 * noise

    return vectors


def planted(prompt: Prompt, seed: int) -> str:
    """Half of the jobs lean to men, half to women; with "gender" nothing is left of it."""
    lean = 0.95 if JOBS.index(prompt.factors["attribute"]) % 2 else 0.05
    share = 0.5 if prompt.factors["intervention"] == "gender" else lean
    return "m" if np.random.default_rng([3, seed, *prompt.text.encode()]).random() < share else "w"


def of(findings: Sequence[Finding], intervention: str, statistic: str) -> Finding:
    (found,) = [
        one
        for one in findings
        if one.details.get("intervention") == intervention and one.statistic == statistic
    ]
    return found


def table(tables: Any, name: str) -> list[dict[str, Any]]:
    (found,) = [one for one in tables if one.name == name]
    shown = found.as_table()
    return [dict(zip(shown.columns, row, strict=True)) for row in shown.rows]


def test_what_is_usual_never_comes_from_a_sentence_that_speaks_to_the_axis(
    audit: AuditFolder,
) -> None:
    """With one irrelevant sentence alone, nothing tells what is usual beside it: no answer."""
    start, end = TEXT.index('[[interventions]]\nname = "season"'), TEXT.index("[[categories]]")
    short = study(TEXT[:start] + TEXT[end:])
    fill_audit(audit, [short], showing(planted))
    changes = [f for f in analyze(audit).findings if f.statistic == "change of leaning"]
    assert [f.details["intervention"] for f in changes] == ["gender"]


def test_a_planted_effect_is_found_and_an_irrelevant_sentence_is_not(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(planted))
    found = analyze(audit).findings
    for statistic in ("change of leaning", "change of diversity score"):
        gender = of(found, "gender", statistic)
        assert gender.q is not None
        assert gender.q < 0.05
        assert gender.estimate is not None
        assert gender.estimate < -0.2
        for name in ("weather", "season"):
            other = of(found, name, statistic)
            assert other.q is not None
            assert other.q > 0.2
    leaning = of(found, "gender", "change of leaning")
    assert leaning.high is not None
    assert leaning.high < 0
    assert leaning.unit == "attribute"
    assert (leaning.n, leaning.n_missing) == (72, 0)
    assert leaning.conclusion(0.05) == "“Gender” changes which attributes show men"
    assert leaning.sentence.startswith("Images of men: 36 of 72 without it")


def test_numbers_agree_with_the_paper_equations(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(planted))
    result = analyze(audit)
    prompts = {tuple(p.factors.values())[1:3]: p for p in study().prompts()}
    men = {
        name: np.array(
            [sum(planted(prompts[job, name], s) == "m" for s in range(6)) for job in JOBS]
        )
        for name in ("original", "gender", "weather", "season")
    }
    eq1 = {name: float(np.abs(2 * x - 6).sum() / 72) for name, x in men.items()}
    change = of(list(result.findings), "gender", "change of diversity score")
    details = change.details
    assert details["published_before"] == pytest.approx(eq1["original"])
    assert details["published_after"] == pytest.approx(eq1["gender"])
    assert change.estimate == pytest.approx(details["after"] - details["before"])
    assert change.estimate < 0
    scores = {row["intervention"]: row for row in table(result.studies[0].parts, "scores")}
    for name, x in men.items():
        assert scores[name]["published"] == pytest.approx(eq1[name])
        assert scores[name]["low"] <= scores[name]["diversity"] <= scores[name]["high"]
        assert scores[name]["bias"] == pytest.approx(float((x / 3 - 1).mean()))
        many = many_group_diversity(np.stack([x, 6 - x], axis=1))
        assert scores[name]["many-group"] == pytest.approx(many.value)
    bias = [
        row
        for row in table(result.studies[0].parts, "bias-perceived-gender")
        if row["intervention"] == "gender"
    ]
    assert [row["bias"] for row in bias] == pytest.approx(list(men["gender"] / 3 - 1))
    assert {row["toward"] for row in bias if row["bias"] > 0} == {"man"}
    # The leaning by hand: the usual one comes from the sentences that say nothing of gender.
    usual = (men["weather"] + men["season"]) / 6 - 1
    by_hand = float(usual @ (men["gender"] - men["original"]) / 3 / np.abs(usual).sum())
    assert of(list(result.findings), "gender", "change of leaning").estimate == (
        pytest.approx(by_hand)
    )


def test_tables_in_the_layout_of_the_paper(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(planted))
    results = analyze(audit)
    tables = results.studies[0].parts
    rows = table(tables, "diversity-profession")
    assert [(row["type"], row["prompt"]) for row in rows] == [
        ("original", "a photo of a [X]"),
        ("with perceived gender intervention", "+ whatever their gender, to be a [X]"),
        ("with irrelevant intervention", "+ whatever the weather"),
        ("with irrelevant intervention", "+ whatever the season"),
    ]
    assert list(rows[0])[2:] == ["perceived gender DS", "perceived gender n"]
    assert [one.name for one in tables if isinstance(one, Shares)] == [
        "shares-profession-perceived-gender"
    ]
    forest = next(one for one in tables if one.name == "diversity-changes")
    assert isinstance(forest, Forest)
    assert all(one.q is not None for one in forest.among(results.findings))


def test_images_are_paired_by_seed(audit: AuditFolder) -> None:
    # Seed 0 of every original is refused: five pairs are left, seeds 1 to 5 with their own.
    def status(prompt: Prompt, seed: int) -> str:
        alone = prompt.factors["intervention"] == "original" and seed == 0
        return "refused" if alone else "ok"

    fill_audit(audit, [study()], showing(lambda p, s: "mwmwmw"[s]), status=status)
    result = analyze(audit)
    change = of(list(result.findings), "weather", "change of diversity score")
    assert (change.n, change.n_missing) == (60, 12)
    assert result.studies[0].dropped == {"refused by the generator": 12}
    quality = {row["intervention"]: row for row in table(result.studies[0].parts, "quality")}
    assert quality["original"]["usable per attribute"] == 5
    assert quality["weather"]["usable per attribute"] == 6
    assert quality["weather"]["change"] == 1
    assert quality["original"]["of"] == 6


def test_flips_are_named(audit: AuditFolder) -> None:
    def shown(prompt: Prompt, seed: int) -> str:
        turned = prompt.factors["intervention"] == "gender"
        return "w" if turned and prompt.factors["attribute"] in JOBS[:2] else "m"

    fill_audit(audit, [study()], showing(shown))
    result = analyze(audit)
    change = of(list(result.findings), "gender", "change of diversity score")
    assert change.details["published_before"] == change.details["published_after"]
    assert change.estimate == pytest.approx(0, abs=1e-3)
    assert change.details["certain_flips"] == JOBS[:2]
    assert change.sentence.split(" The leading group")[1].startswith(
        " changes for 2 attributes: clearly for job a (to woman), job b (to woman)."
    )
    rows = table(result.studies[0].parts, "flips")
    assert [(row["attribute"], row["intervention"], row["to"]) for row in rows] == [
        ("job a", "gender", "woman"),
        ("job b", "gender", "woman"),
    ]
    # The diversity score cannot see it, the leaning can.
    assert of(list(result.findings), "gender", "change of leaning").estimate == (
        pytest.approx(-2 * 2 / 12)
    )


def test_few_attributes_swap_images(audit: AuditFolder) -> None:
    few = study(TEXT.replace(str(JOBS), str(JOBS[:2])).replace("images = 6", "images = 20"))
    fill_audit(audit, [few], showing(planted))
    gender = of(analyze(audit).findings, "gender", "change of leaning")
    assert gender.unit == "image"
    assert gender.p is not None
    assert gender.p < 0.01
    assert gender.in_numbers(0.95).endswith("applies to these prompts only")
    by_image = AnalysisSettings(unit="image")
    again = of(analyze(audit, settings=by_image).findings, "gender", "change of leaning")
    assert again.p == gender.p


def test_one_attribute(audit: AuditFolder) -> None:
    one = study(TEXT.replace(str(JOBS), str(JOBS[:1])))
    fill_audit(audit, [one], showing(planted))
    result = analyze(audit)
    change = of(list(result.findings), "gender", "change of diversity score")
    assert change.estimate is not None
    assert change.unit == "image"
    assert table(result.studies[0].parts, "quality")[1]["change"] == 0


def test_attributes_that_agree_leave_the_mean_bias_uncertain(audit: AuditFolder) -> None:
    """Every image without an addition shows a man: other attributes need not."""
    fill_audit(audit, [study()], showing(lambda prompt, seed: "m"))
    result = analyze(audit)
    score = table(result.studies[0].parts, "scores")[0]
    parts = {part.name: part for part in result.studies[0].parts}
    (men,) = [
        row
        for row in table(parts.values(), "shares-profession-perceived-gender")
        if (row["level"], row["group"]) == ("original", "man")
    ]
    assert (score["bias"], score["bias high"]) == (1, 1)
    assert score["bias low"] == pytest.approx(2 * men["low"] - 1)
    assert score["bias low"] < 0.9


def test_the_sentence_says_how_far_imbalance_moves(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(planted))
    change = of(list(analyze(audit).findings), "gender", "change of diversity score")
    assert f"Imbalance falls by {number(-(change.estimate or 0))} (" in change.sentence


def test_images_without_a_group_are_told_by_what_became_of_them() -> None:
    outcome = np.zeros((2, 3))
    arm = Arm(None, np.array([[4, 3, 1, 0, 9], [2, 2, 0, 0, 7]]), outcome, outcome)
    assert _lost(arm) == " (1 unknown; 16 refused, failed or not measured)"
    assert _lost(replace(arm, counts=np.array([[4, 3, 0, 0, 0]]))) == ""


def test_several_groups_and_a_binary_reading(audit: AuditFolder) -> None:
    text = TEXT.replace('toward = { "perceived gender" = "man" }', 'toward = { colour = "blue" }')
    text = text.replace('"perceived gender"', '"colour"')
    text += '[axes.colour.groups]\nred = ["red"]\ngreen = ["green"]\nblue = ["blue"]\n'
    names = {"original": "bbbbbb", "gender": "brgbrg", "weather": "bbbbbb", "season": "bbbbbb"}

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        letter = names[prompt.factors["intervention"]][seed]
        return direction({"r": "red", "g": "green", "b": "blue"}[letter])

    fill_audit(audit, [study(text)], vectors)
    result = analyze(audit)
    scores = {row["intervention"]: row for row in table(result.studies[0].parts, "scores")}
    # Blue against the rest: |2 - 4| / 6; two of each of three groups are as even as can be.
    assert scores["gender"]["published"] == pytest.approx(1 / 3)
    assert scores["gender"]["many-group"] == 1
    assert scores["original"]["many-group"] == 0
    lean = {
        row["toward"]
        for row in table(result.studies[0].parts, "bias-colour")
        if row["intervention"] == "gender"
    }
    assert lean == {"not blue"}


def test_variants_are_compared_with_their_intervention(audit: AuditFolder) -> None:
    variant = ablated(study(), "whatever their gender,")
    name = "gender, without 'whatever their gender,'"
    fill_audit(audit, [variant], showing(planted))
    found = [
        one
        for one in analyze(audit).findings
        if one.details.get("intervention") == name and one.statistic == "change of leaning"
    ]
    against = {one.details["against"]: one for one in found}
    assert set(against) == {"original", "gender"}
    back, none = against["gender"].estimate, against["original"].estimate
    assert back is not None
    assert none is not None
    assert back > 0.3  # without the phrase the leaning is back
    assert abs(none) < 0.3
    assert against["gender"].question.endswith(f"“{name}” against “gender”")


def test_a_single_intervention_has_no_usual_leaning_to_go_by(audit: AuditFolder) -> None:
    text = TEXT.split('[[interventions]]\nname = "weather"', maxsplit=1)[0] + "[[categories]]\n"
    text += TEXT.split("[[categories]]\n")[1]
    fill_audit(audit, [study(text)], showing(planted))
    statistics = [one.statistic for one in analyze(audit).findings]
    assert statistics == ["change of diversity score", "diversity score"]


@pytest.mark.parametrize("what", ["refused", "nobody", "unknown"])
def test_nothing_to_compare(audit: AuditFolder, what: str) -> None:
    sign = {"refused": "m", "nobody": "-", "unknown": "u"}[what]
    fill_audit(
        audit, [study()], showing(lambda p, s: sign),
        status=lambda p, s: "refused" if what == "refused" else "ok",
    )  # fmt: skip
    results = analyze(audit)
    assert results.findings
    for finding in results.findings:
        assert (finding.estimate, finding.low, finding.high, finding.p) == (None,) * 4
        assert finding.sentence.startswith("not enough data: ")
    if what == "refused":
        assert results.findings[0].sentence == (
            "not enough data: there is no image to judge on perceived gender "
            "(of 288 images wanted: 288 refused by the generator)"
        )
        return
    scores = table(results.studies[0].parts, "scores")
    assert {row["diversity"] for row in scores} == {None}
    assert {row[what] for row in scores} == {72}


def test_single_images_have_no_diversity_to_speak_of(audit: AuditFolder) -> None:
    fill_audit(audit, [study().with_images(1)], showing(planted))
    findings = analyze(audit).findings
    diversity = [one for one in findings if "diversity" in one.statistic]
    assert len(diversity) > 2
    for one in diversity:
        assert (one.estimate, one.p, one.q) == (None, None, None)
        assert "every attribute has one image" in one.sentence
        assert one.n > 0, "there are images, only not enough of them"
    assert of(findings, "gender", "change of leaning").p is not None


def test_texts_that_were_not_read(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(planted), texts=None)
    (found,) = analyze(audit).findings
    assert found.estimate is None
    assert "has not read the texts of the axis 'perceived gender'" in found.sentence


def test_published_numbers_stand_beside_ours(audit: AuditFolder) -> None:
    entigen = load_study("entigen").with_images(2)
    assert isinstance(entigen, InterventionStudy)
    western = entigen.axes["culture"].groups["western"][0]
    dark = entigen.axes["skin tone"].groups["dark skin"][0]

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        if prompt.factors["category"] == "wedding":
            return direction(western)
        return direction(MAN) + direction(AXIS.person[0]) + direction(dark)

    fill_audit(audit, [entigen], vectors)
    rows = [row for row in table(analyze(audit).studies[0].parts, "published") if row["published"]]
    assert len(rows) == 33, "what raters said is no matter of an encoder"
    assert {row["ours"] for row in rows} == {1.0}
    assert next(row["published"] for row in rows if row["model"] == "Stable Diffusion") == "0.84"
    assert {row["settings"] for row in rows} == {"published, other settings"}


def test_two_encoders_stand_side_by_side(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(planted))
    fill_audit(audit, [study()], showing(planted), encoder=OTHER_ENCODER)
    result = analyze(audit)
    names = [one.name for one in result.studies[0].parts if isinstance(one, DataTable)]
    assert "scores · invented-encoder" in names
    assert "scores · other-encoder" in names
    questions = [one.question for one in result.findings]
    assert len(set(questions)) == len(questions)
    told = [one.conclusion(0.05) for one in result.findings]
    assert len(set(told)) == len(told)
    assert told[0].endswith(f" · {result.findings[0].measurer}")


def test_every_similarity_can_be_had(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(planted))
    rows = list(similarities(audit, study(), ENCODER))
    assert len(rows) == 48 * 6 * 3  # prompts x images x (man, woman, unknown)
    assert list(rows[0])[: len(COLUMNS)] == list(COLUMNS)
    assert {"category", "attribute", "intervention", "factor_axis"} <= set(rows[0])
    first = [row for row in rows if row["key"] == rows[0]["key"]]
    assert sum(row["probability"] for row in first) == pytest.approx(1)
    assert max(first, key=lambda row: row["similarity"])["answer"] == first[0]["label"]
    assert len(list(similarities(audit, study()))) == len(rows)
    with pytest.raises(AuditError, match="not the encoder 'other-encoder' has looked at"):
        next(similarities(audit, study(), OTHER_ENCODER))
    with pytest.raises(StudyError, match="of kind 'association' has no axes"):
        next(similarities(audit, load_study("straight-gay")))


def test_what_could_be_detected() -> None:
    # 33 attributes on gender and skin, 3 on culture; two sides of variance 3/4 an image.
    few, many = (2.80159 * np.sqrt(1.5 / 9 / (0.8 * k)) for k in (3, 33))
    plan = plan_study(load_study("entigen"))
    assert plan.detectable == f"change of leaning {many:.2f} to {few:.2f}"
    assert plan_study(study().with_images(1)).detectable == "nothing: too few prompts"


@pytest.mark.slow
def test_the_painter_shows_what_was_planted(tmp_path: Path) -> None:
    """Real images, real encoder: found with a corrected p, and the irrelevant ones are not."""
    from portrayal import runner

    entigen = load_study("entigen")
    assert isinstance(entigen, InterventionStudy)
    data = entigen.as_dict()
    data["categories"] = data["categories"][:1]
    kept = ("irrespective of their gender", "honesty", "compassion")
    data["interventions"] = [one for one in data["interventions"] if one["name"] in kept]
    short = InterventionStudy.model_validate({**data, "images": 16, "published": []})
    session = runner.Session(tmp_path / "audit", models=runner.Models("practice:painter"))
    session.ask(short)
    found = runner.run(session).results.findings
    gender = [one for one in found if one.details.get("axis") == "perceived gender"]
    planted_effect = of(gender, kept[0], "change of leaning")
    assert planted_effect.q is not None
    assert planted_effect.q < 0.05
    assert planted_effect.high is not None
    assert planted_effect.high < 0
    for name in kept[1:]:
        for axis in ("perceived gender", "skin tone"):
            on_axis = [one for one in found if one.details.get("axis") == axis]
            nothing = of(on_axis, name, "change of leaning")
            assert nothing.q is not None
            assert nothing.q > 0.05
