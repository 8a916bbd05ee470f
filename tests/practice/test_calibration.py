"""Calibration on the practice world: truths, pools, null worlds, and how often intervals hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from PIL import Image

from portrayal.errors import GenerationError, StudyError
from portrayal.findings.settings import AnalysisSettings
from portrayal.generators.truth import Pool
from portrayal.kinds.association.concepts import ConceptImages
from portrayal.kinds.association.contrasts import contrast_findings
from portrayal.kinds.association.schema import AssociationStudy
from portrayal.kinds.association.truth import association_truths, everything, sides_of, view_of
from portrayal.kinds.intervention.schema import InterventionStudy
from portrayal.measurers import Reason, TextEmbeddings
from portrayal.records import Identity, Request
from portrayal.studies.reading import load_studies, load_study, study_from_toml
from portrayal_practice.calibration import (
    coverage,
    paint_pool,
    pool_truth,
    rejections,
    study_truth,
)
from portrayal_practice.calibration.draws import draw, redrawn, shuffled
from portrayal_practice.calibration.table import Effort, coverage_table, rejection_table
from portrayal_practice.errors import PracticeError
from portrayal_practice.generator import PainterGenerator
from portrayal_practice.planted import planted_table
from portrayal_practice.truth import group_shares
from portrayal_practice.world import World

SMALL = """
name = "small"
kind = "association"
images = 4
x = { name = "flowers", words = ["rose", "tulip", "daisy", "lily", "iris"] }
y = { name = "insects", words = ["ant", "fly", "wasp", "moth", "gnat"] }
a = { name = "pleasant", words = ["love", "peace", "joy"] }
b = { name = "unpleasant", words = ["grief", "filth", "jail"] }
"""

WHO = """
name = "who"
kind = "composition"
images = 8
axes = ["perceived gender", "skin tone"]
template = "a photo of {a manner} {occupation}"
[factors]
manner = ["confident", "caring"]
occupation = ["nurse", "chef"]
"""


class MeanColour:
    """An encoder without torch: the image in sixteen patches."""

    gives: ClassVar = ("embedding",)
    batch_size = 7
    identity = Identity("test", "mean colour", {"logit_scale": 1.0})

    def __init__(self) -> None:
        self.seen = 0

    def measure(self, images: Sequence[Image.Image]) -> list:
        self.seen += len(images)
        return [{"embedding": np.asarray(i.resize((4, 4)), float).ravel() + 1} for i in images]

    def embed_texts(self, texts: Sequence[str]) -> TextEmbeddings:
        raise NotImplementedError


class Blind(MeanColour):
    def measure(self, images: Sequence[Image.Image]) -> list:
        return [Reason("too dark") for _ in images]


@pytest.fixture(scope="module")
def small() -> AssociationStudy:
    study = study_from_toml(SMALL, source="small.toml")
    assert isinstance(study, AssociationStudy)
    return study


@pytest.fixture(scope="module")
def pool(small: AssociationStudy) -> Pool:
    return paint_pool([p.text for p in small.prompts()], 12, encoder=MeanColour())


# Validation


def test_what_is_wrong_is_named(small: AssociationStudy, pool: Pool) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(PracticeError, match="at least one prompt"):
        paint_pool([], 8)
    with pytest.raises(PracticeError, match="samples is 1; allowed: 2 or more"):
        paint_pool(["a rose"], 1)
    with pytest.raises(PracticeError, match=r"a rose.*too dark"):
        paint_pool(["a rose"], 2, encoder=Blind())
    with pytest.raises(GenerationError, match="no images of 'a castle'"):
        pool["a castle"]
    with pytest.raises(PracticeError, match="images is 0"):
        draw(sides_of(small, pool), pool, images=0, rng=rng)
    with pytest.raises(PracticeError, match="repeats is 0"):
        coverage(small, pool, images=4, repeats=0, rng=rng)
    alone = small.model_copy(update={"contrasts": ()})
    with pytest.raises(PracticeError, match="small compares no concepts"):
        rejections(alone, pool, images=4, rng=rng)


def test_an_intervention_study_has_exact_scores() -> None:
    """By hand from the planted table: bias is 1 - 2 P(woman), a sentence keeps 5 % of log-odds."""
    study = load_study("entigen")
    assert isinstance(study, InterventionStudy)
    rows = {row["question"]: row["truth"] for row in study_truth(study, samples=2)}
    table = planted_table()
    jobs = [table.occupations[job].woman for job in study.categories[0].attributes]
    plain = [1 - 2 * share for share in jobs]
    kept = [1 - 2 / (1 + math.exp(-0.05 * math.log(share / (1 - share)))) for share in jobs]
    asked = "profession, perceived gender: "
    before = rows[asked + "how unevenly are groups shown without an intervention?"]
    assert before == pytest.approx(np.mean(np.abs(plain)), abs=1e-6)
    changed = rows[asked + "diversity changed by “irrespective of their gender”"]
    assert changed == pytest.approx(np.mean(np.abs(kept)) - np.mean(np.abs(plain)), abs=1e-6)
    assert rows[asked + "diversity changed by “honesty”"] == 0
    assert rows["perceived gender: leaning changed by “honesty”"] == 0
    only = study.model_copy(update={"categories": study.categories[:1]})
    leaning = {row["question"]: row["truth"] for row in study_truth(only, samples=2)}
    expected = np.dot(plain, np.subtract(kept, plain)) / np.sum(np.abs(plain))
    found = leaning["perceived gender: leaning changed by “irrespective of their gender”"]
    assert found == pytest.approx(expected, abs=1e-6)


def test_what_the_world_does_not_know_has_no_truth() -> None:
    height = WHO.replace('["perceived gender", "skin tone"]', "{ height = { groups = "
                         '{ tall = ["tall"], short = ["short"] } } }')  # fmt: skip
    with pytest.raises(PracticeError, match="who: the axis 'height' is not planted; allowed: perc"):
        study_truth(study_from_toml(height, source="who.toml"), samples=2)
    shades = height.replace("height", '"skin tone"')
    with pytest.raises(PracticeError, match="group 'tall' of skin tone is not planted; allowed: l"):
        study_truth(study_from_toml(shades, source="who.toml"), samples=2)
    with pytest.raises(StudyError, match="is of kind amplification, of which no truth can be"):
        study_truth(load_study("demo-amplification"), samples=2)


# Known answers


def test_shares_of_a_composition_study_are_the_planted_ones() -> None:
    rows = {row["question"]: row for row in study_truth(load_study("demo-occupations"), samples=2)}
    table = World.load().table
    for occupation in ("nurse", "chef"):
        row = rows[f"occupation {occupation}: share of woman (perceived gender)"]
        logit = (
            math.log(table.woman / (1 - table.woman)) + table.woman_effect["occupation"][occupation]
        )
        # "ambiguous" is unknown to the study, so it leaves the share among the known untouched.
        assert row["truth"] == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-6)
        assert row["low"] == row["high"] == row["truth"]
        assert row["how"] == "exact"


def test_shares_of_a_level_mix_its_prompts() -> None:
    rows = {r["question"]: r["truth"] for r in study_truth(_who(), samples=2)}
    prompts = ["a photo of a confident nurse", "a photo of a confident chef"]
    women = [t.shares["woman"] for t in group_shares(prompts, axis="perceived gender")]
    men = [t.shares["man"] for t in group_shares(prompts, axis="perceived gender")]
    dark = [t.shares["dark"] for t in group_shares(prompts, axis="skin tone")]
    known = sum(women) + sum(men)
    assert rows["manner confident: share of woman (perceived gender)"] == pytest.approx(
        sum(women) / known, abs=1e-6
    )
    assert rows["manner confident: share of dark skin (skin tone)"] == pytest.approx(
        sum(dark) / 2, abs=1e-6
    )
    assert len(rows) == 4 * 2 * 2  # levels, axes, groups


def _who():
    return study_from_toml(WHO, source="who.toml")


def test_kinds_that_ask_about_groups_have_the_shares_of_their_prompts() -> None:
    rows = {
        row["question"]: row["truth"]
        for row in study_truth(load_study("influence-large-scale"), samples=2)
    }
    assert 0 < rows["person nurse: share of woman (perceived gender)"] < 1


def test_nobody_shown_is_no_share() -> None:
    empty = WHO.replace("{a manner} {occupation}", "{a manner}").replace(
        'manner = ["confident", "caring"]\noccupation = ["nurse", "chef"]',
        'manner = ["rose", "tulip"]',
    )
    rows = study_truth(study_from_toml(empty, source="who.toml"), samples=2)
    assert rows
    assert all(row["truth"] is None for row in rows)


def test_a_pool_has_the_generators_own_images() -> None:
    encoder = MeanColour()
    pool = paint_pool(["a rose", "an ant", "a rose"], 9, encoder=encoder)
    image = PainterGenerator().generate([Request("an ant", 8)])[0].image
    assert pool.prompts == ("a rose", "an ant")
    assert pool.vectors.shape == (2, 9, 48)
    assert encoder.seen == 18
    expected = encoder.measure([image])[0]["embedding"]
    np.testing.assert_allclose(pool["an ant"][8], expected, rtol=1e-6)


def test_a_kept_pool_is_not_painted_again(tmp_path: Path) -> None:
    first = MeanColour()
    short = paint_pool(["a rose"], 5, folder=tmp_path, encoder=first)
    again = MeanColour()
    same = paint_pool(["a rose"], 8, folder=tmp_path, encoder=again)
    assert again.seen == 0
    assert first.seen == 8  # whole files are kept, so that a pool can grow
    np.testing.assert_array_equal(same.vectors[:, :5], short.vectors)
    longer = paint_pool(["a rose"], 10, folder=tmp_path, encoder=again)
    assert again.seen == 8
    np.testing.assert_array_equal(longer.vectors[:, :8], same.vectors)
    paint_pool(["an ant"], 8, folder=tmp_path, encoder=again)
    assert again.seen == 16
    assert not list(tmp_path.rglob("*.part"))


# Agreement of independent implementations


@pytest.mark.parametrize("effect", ["pooled", "union"])
def test_the_truth_is_what_the_analysis_finds_in_the_whole_pool(
    small: AssociationStudy, pool: Pool, effect: str
) -> None:
    settings = AnalysisSettings(effect=effect, resample="images", resamples=1)
    view = view_of(small, pool, settings)
    whole = everything(sides_of(small, pool), pool)
    contrast, poles = small.contrasts[0], view.poles()[0]
    truth = pool_truth(whole, contrast, poles, effect=effect)
    found = {f.statistic: f for f in contrast_findings(view, contrast, poles, whole)}
    n = 2 * 5 * pool.samples
    assert found["S"].estimate == pytest.approx(truth["S"], rel=1e-9)
    shrink = (n - 2) / n if effect == "pooled" else (n - 1) / n
    plain = found["d"].details["d_paper"]
    assert plain == pytest.approx(truth["d"] * math.sqrt(shrink), rel=1e-9)


def test_truth_rows_of_a_tiny_study(small: AssociationStudy, pool: Pool) -> None:
    rows = [row.as_dict() for row in association_truths(small, pool)]
    assert [(row["question"].split(":")[0], row["statistic"]) for row in rows] == [
        ("flowers / insects", "d"),
        ("flowers / insects", "S"),
        ("flowers", "association"),
        ("insects", "association"),
    ]
    score, flowers, insects = (row["truth"] for row in rows[1:])
    assert score == pytest.approx(flowers - insects, abs=2e-6)
    assert all(row["low"] < row["truth"] < row["high"] for row in rows)
    assert rows[0]["how"] == "12 per prompt"


# Invariants


def test_dealing_out_keeps_stimuli_and_sizes(small: AssociationStudy, pool: Pool) -> None:
    sides = sides_of(small, pool)
    names = [s.name for stimuli in sides.values() for s in stimuli]
    rng = np.random.default_rng(0)
    on_x = 0
    for _ in range(400):
        dealt = shuffled(sides, rng)
        assert [len(stimuli) for stimuli in dealt.values()] == [5, 5]
        assert sorted(s.name for stimuli in dealt.values() for s in stimuli) == sorted(names)
        on_x += names[0] in [s.name for s in dealt["flowers"]]
    assert on_x == pytest.approx(200, abs=40)  # four standard deviations


def test_prompts_drawn_anew_stay_with_their_concept(small: AssociationStudy, pool: Pool) -> None:
    sides = sides_of(small, pool)
    again = redrawn(sides, np.random.default_rng(1))
    concepts = draw(again, pool, images=3, rng=np.random.default_rng(2))
    for name, stimuli in again.items():
        assert {s.name for s in stimuli} < {s.name for s in sides[name]}
        # A stimulus drawn twice is two units, each with attribute images of its own.
        assert concepts[name].neutral.n_units == 5
        assert concepts[name].attributes["pleasant"].units == concepts[name].neutral.units


def test_an_audit_is_drawn_from_its_own_prompts(small: AssociationStudy, pool: Pool) -> None:
    concepts = draw(sides_of(small, pool), pool, images=3, rng=np.random.default_rng(0))
    for concept in concepts.values():
        assert isinstance(concept, ConceptImages)
        for images in (concept.neutral, *concept.attributes.values()):
            assert images.n == 15
            for prompt, seed, vector in zip(
                images.prompts, images.seeds, images.vectors, strict=True
            ):
                np.testing.assert_array_equal(vector, pool[prompt][seed])
    assert set(concepts["flowers"].attributes["pleasant"].prompts) == {
        p.text
        for p in small.prompts()
        if p.factors["concept"] == "flowers" and p.factors["attribute"] == "pleasant"
    }


def test_a_repeated_study_gives_the_same_table(small: AssociationStudy, pool: Pool) -> None:
    first, second = (
        coverage(small, pool, images=3, repeats=5, rng=np.random.default_rng(3)) for _ in range(2)
    )
    assert first == second
    for result in first:
        assert result.covered + result.above + result.below + result.unanswered == 5


# How often intervals hold, in a world that takes seconds


def test_intervals_of_a_small_pool_hold(small: AssociationStudy, pool: Pool) -> None:
    for result in coverage(small, pool, images=4, repeats=200, rng=np.random.default_rng(4)):
        # 95 % less 3.2 Monte Carlo errors; 100 % would mean that misses are not counted.
        assert 0.90 <= result.share < 1.0, result


def test_a_shuffled_world_is_seldom_rejected(small: AssociationStudy, pool: Pool) -> None:
    rng = np.random.default_rng(5)
    [result] = rejections(small, pool, images=4, repeats=200, rng=rng)
    assert 0.005 <= result.share <= 0.10, result


def test_tables_say_what_the_studies_found(small: AssociationStudy, pool: Pool) -> None:
    effort = Effort(images=3, repeats=20, seed=1)
    head, rule, line = coverage_table([small], pool, effort)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    score, effect = coverage(small, pool, images=3, repeats=20, rng=effort.rng(0))
    assert cells[:2] == ["small", "5 + 5"]
    assert cells[2:6] == [
        f"{score.truth:.4f}",
        f"{effect.truth:.2f}",
        f"{100 * score.share:.1f}",
        f"{100 * effect.share:.1f}",
    ]
    assert head.count("|") == rule.count("|") == line.count("|") == 11
    *_, line = rejection_table([small], pool, effort)
    [null] = rejections(small, pool, images=3, repeats=20, rng=effort.rng(2))
    assert line.startswith(f"| small | {100 * null.share:.1f} |")
    assert line.count("|") == 6


# Degenerate input


def test_a_pool_without_differences_covers_nothing(small: AssociationStudy, pool: Pool) -> None:
    same = Pool(pool.prompts, np.ones_like(pool.vectors), pool.generator, pool.encoder)
    rng = np.random.default_rng(0)
    for result in coverage(small, same, images=3, repeats=3, rng=rng):
        assert (result.unanswered, result.covered) == (3, 0)
        assert math.isnan(result.width)


# The study of docs/calibration.md


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_t2iat_on_the_painter_holds_what_it_promises() -> None:
    # One study of the suite compares no concepts.
    studies = [one for one in load_studies("t2iat") if isinstance(one, AssociationStudy)]
    studies = [one for one in studies if one.contrasts]
    assert len(studies) == 8
    pool = paint_pool([p.text for s in studies for p in s.prompts()], 24)
    rng = np.random.default_rng(20)
    repeats = 400
    # Sixteen lines of 400 audits: each may be off by 2.5 Monte Carlo errors, 2.7 points.
    slack = 2.5 * math.sqrt(0.95 * 0.05 / repeats)
    for study in studies:
        for result in coverage(study, pool, images=4, repeats=repeats, rng=rng):
            print(study.name, result.statistic, f"{100 * result.share:.1f}")
            assert 0.93 - slack <= result.share <= 0.97 + slack, result
        [null] = rejections(study, pool, images=4, repeats=repeats, rng=rng)
        print(study.name, "null rejected", f"{100 * null.share:.1f}")
        # 4 + 4 prompts have 70 splits: the level nearest to 5 % is 2 of 70.
        least = 2 / 70 if study.name == "judaism-christianity" else 0.03
        assert least - slack <= null.share <= 0.07 + slack, null
