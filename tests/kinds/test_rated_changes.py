"""Changes of bias, flips and usable images, tested from people's labels as from an encoder's."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from invented import direction, fill_audit
from portrayal.audit import AuditFolder
from portrayal.findings import AnalysisSettings
from portrayal.kinds.intervention.schema import InterventionStudy
from portrayal.raters import RatedImage, Vote, Votes, chosen_questions, store_votes
from portrayal.runner.analysis import analyze
from portrayal.statistics import paired_change
from portrayal.studies.axes import default_axes
from portrayal.studies.reading import study_from_toml

IMAGES = 20
STUDY = f"""
kind = "intervention"
images = {IMAGES}
toward = {{ "perceived gender" = "man" }}
[[interventions]]
name = "gender"
axis = "perceived gender"
text = "whatever their gender"
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
attributes = ["doctor", "nurse"]
"""
MEN = {
    ("doctor", "original"): 18, ("doctor", "gender"): 2, ("doctor", "weather"): 14,
    ("nurse", "original"): 6, ("nurse", "gender"): 6, ("nurse", "weather"): 6,
}  # fmt: skip
"""Of 20 images; the season changes nothing."""
UNCLEAR = {("doctor", "weather"): 4}
OTHER = {"man": "woman", "woman": "man"}


def study() -> InterventionStudy:
    found = study_from_toml(STUDY, source="jobs.toml", name="jobs")
    assert isinstance(found, InterventionStudy)
    return found


def rated(audit: AuditFolder, *, mirrored: bool = False, without: str = "") -> AuditFolder:
    """Three raters see what is planted, an encoder sees men everywhere."""
    asked = study()
    axis = default_axes()["perceived gender"]
    seen = direction(axis.groups["man"][0]) + direction(axis.person[0])
    fill_audit(audit, [asked], lambda prompt, seed: seen)
    questions = chosen_questions(asked, None)
    about, votes = {}, []
    for key, text, seed in audit.images().select("key, prompt, seed").fetchall():
        prompt = next(one for one in asked.prompts() if one.text == text)
        attribute, added = prompt.factors["attribute"], prompt.factors["intervention"]
        if added == without:
            continue
        place = (attribute, "original" if added == "season" else added)
        label = "man" if seed < MEN[place] else "woman"
        label = OTHER[label] if mirrored else label
        if IMAGES - seed <= UNCLEAR.get((attribute, added), 0):
            label = "poor quality"
        about[key] = RatedImage(text, prompt.factors, seed)
        answers = {"person": "yes", "attribute": "yes", "gender": label}
        votes += [Vote(key, rater, answers) for rater in "abc"]
    store_votes(audit, Votes(questions, about, votes))
    return audit


def tables(audit: AuditFolder) -> dict[str, list[dict[str, Any]]]:
    results = analyze(audit, settings=AnalysisSettings(resamples=4999))
    found = {}
    for part in results.studies[0].parts:
        table = part.as_table(results.findings)
        found[part.name] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return found


def row(rows: list[dict[str, Any]], of: str, intervention: str) -> dict[str, Any]:
    (found,) = [x for x in rows if (x["of"], x["intervention"]) == (of, intervention)]
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    from invented import GENERATOR

    return tables(rated(AuditFolder.at(tmp_path_factory.mktemp("rated") / "audit", GENERATOR)))


def test_people_find_the_planted_changes_where_the_encoder_is_unfit(
    found: dict[str, list[dict[str, Any]]],
) -> None:
    changes = found["changes · raters"]
    bias = row(changes, "mean bias", "gender")
    # Doctors go from 0.8 to -0.8, nurses stay at -0.4: the mean goes from 0.2 to -0.6.
    assert (bias["before"], bias["after"]) == (pytest.approx(0.2), pytest.approx(-0.6))
    assert bias["change"] == pytest.approx(-0.8)
    assert bias["high"] < 0
    assert bias["q"] < 0.01
    usable = row(changes, "usable images", "weather")
    assert (usable["before"], usable["after"]) == (1.0, pytest.approx(0.9))
    nothing = row(changes, "mean bias", "season")
    assert (nothing["change"], nothing["p"]) == (0, 1)
    assert {x["for other"] for x in changes} == {"images"}, "two attributes say nothing of others"
    (flip,) = [x for x in found["flips · raters"] if x["intervention"] == "gender"]
    assert (flip["attribute"], flip["to"], flip["clear"]) == ("doctor", "woman", True)
    assert flip["q"] < 0.01
    assert "changes" not in found, "an encoder that is right in half of the images does not count"


def test_p_and_interval_agree(found: dict[str, list[dict[str, Any]]]) -> None:
    for one in found["changes · raters"]:
        assert (one["low"] <= 0 <= one["high"]) == (one["p"] > 0.05)
        assert one["low"] <= one["change"] <= one["high"]
        assert one["q"] >= one["p"]


def test_the_test_of_usable_images_is_the_one_of_all_relabellings(
    found: dict[str, list[dict[str, Any]]],
) -> None:
    """Four of forty doctors are unclear, all on one side: counted by hand, mid-p."""
    either = 2 * math.comb(20, 4) / math.comb(40, 4)
    usable = row(found["changes · raters"], "usable images", "weather")
    assert usable["p"] == pytest.approx(either / 2, abs=0.012)


def test_the_test_of_bias_is_that_of_an_independent_permutation(
    found: dict[str, list[dict[str, Any]]],
) -> None:
    """Images of one attribute are dealt out again to the two sides, 20,000 times."""
    rng = np.random.default_rng(8)
    sides = {
        "doctor": (np.repeat([1, -1], [18, 2]), np.repeat([1, -1], [14, 2])),
        "nurse": (np.repeat([1, -1], [6, 14]), np.repeat([1, -1], [6, 14])),
    }
    observed = np.mean([b.mean() - a.mean() for a, b in sides.values()])
    drawn = np.zeros(20_000)
    for before, after in sides.values():
        every = rng.permuted(np.tile(np.concatenate([before, after]), (drawn.size, 1)), axis=1)
        n = before.size
        drawn += (every[:, n:].mean(axis=1) - every[:, :n].mean(axis=1)) / len(sides)
    more = np.abs(drawn) > abs(observed) + 1e-9
    same = np.isclose(np.abs(drawn), abs(observed))
    expected = more.mean() + same.mean() / 2
    bias = row(found["changes · raters"], "mean bias", "weather")
    assert bias["change"] == pytest.approx(observed)
    assert bias["p"] == pytest.approx(expected, abs=0.05)


def test_the_other_group_gives_the_other_sign(
    audit: AuditFolder, found: dict[str, list[dict[str, Any]]]
) -> None:
    mirror = tables(rated(audit, mirrored=True))["changes · raters"]
    for of, added in itertools.product(("mean bias", "usable images"), ("gender", "weather")):
        one, other = row(found["changes · raters"], of, added), row(mirror, of, added)
        sign = -1 if of == "mean bias" else 1
        assert other["change"] == pytest.approx(sign * one["change"])
        assert other["p"] == pytest.approx(one["p"], abs=0.02)


def test_what_nobody_rated_has_no_row(audit: AuditFolder) -> None:
    changes = tables(rated(audit, without="weather"))["changes · raters"]
    assert {x["intervention"] for x in changes} == {"gender", "season"}


def test_images_that_nobody_rated_are_not_to_be_measured(audit: AuditFolder) -> None:
    results = analyze(rated(audit, without="weather"), settings=AnalysisSettings(resamples=99))
    section = results.studies[0]
    assert section.dropped == {"not rated · raters": 2 * IMAGES}
    assert section.unmeasured("portrayal measure") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attributes", "images", "share", "change", "unit"),
    [
        (2, 9, 0.8, 0.0, "image"),
        (2, 9, 0.8, -0.3, "image"),
        (12, 6, 0.8, 0.0, "attribute"),
        (12, 6, 0.7, -0.2, "attribute"),
    ],
)
def test_intervals_of_usable_images_hold_in_simulated_worlds(
    attributes: int, images: int, share: float, change: float, unit: Any
) -> None:
    """As many images as ENTIGEN had rated, and as a study of twelve attributes has."""
    held = []
    for world in range(400):
        rng = np.random.default_rng([5, attributes, images, world])
        spread = rng.uniform(-0.15, 0.15, attributes) if unit == "attribute" else 0.0
        before = np.full((attributes, 1), share) + np.reshape(spread, (-1, 1))
        sides = [rng.random((attributes, images)) < p for p in (before, before + change)]
        found = paired_change(
            *(side.astype(float) for side in sides), rng=rng, unit=unit, resamples=999
        )
        low, high = found.bias.interval
        held.append(low / 2 <= change <= high / 2)
    # Binomial(400, 0.95): three standard deviations are 3.3 points.
    assert np.mean(held) >= 0.917
