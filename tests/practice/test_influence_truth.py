"""The truth of influence studies in the practice world."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from influence_worlds import candidate_lists, true_scores
from portrayal.errors import StudyError
from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.studies.reading import study_from_dict
from portrayal_practice.calibration import study_truth

PROMPT = "a confident nurse at the spa"


def influence_study(
    *, choice: str, draws: int, level: int = 1, candidates: Any = None, **more: Any
) -> InfluenceStudy:
    study = study_from_dict(
        {
            "name": "words",
            "kind": "influence",
            "title": "Which word?",
            "question": "Which word pushes?",
            "template": "a {manner} nurse at the spa",
            "factors": {"manner": ["confident"]},
            "axes": ["perceived gender"],
            "draws": draws,
            "level": level,
            "transmuter": {
                "by": "list",
                "choice": choice,
                "candidates": candidates or candidate_lists(),
            },
            **more,
        },
        source="words.toml",
    )
    assert isinstance(study, InfluenceStudy)
    return study


def word_rows(study: InfluenceStudy, samples: int) -> list[dict]:
    rows = study_truth(study, samples=samples)
    assert {row["statistic"] for row in rows} == {"word influence"}
    return rows


@pytest.mark.parametrize("level", [1, 2])
def test_sampled_texts_give_the_exact_influence_within_the_interval(level: int) -> None:
    """The exact influence comes from all texts, by another implementation of Definition 1."""
    rows = word_rows(influence_study(choice="sample", draws=2, level=level), 400)
    wanted = true_scores(PROMPT, level, candidate_lists())
    assert [row["question"] for row in rows[:2]] == [
        "“a” (1) towards woman",
        "“confident” (2) towards woman",
    ]
    assert {row["how"] for row in rows} == {"400 texts per set"}
    found = np.array([[row["low"], row["truth"], row["high"]] for row in rows]).T
    reach = found[2] - found[1]
    assert (np.abs(found[1] - wanted) <= 1.7 * reach + 1e-5).all(), "1.7 x 1.96 standard errors"
    assert np.abs(wanted).max() > 0.05, "there is something to find"
    assert (reach < 0.1).all()


def test_the_most_probable_texts_are_exact() -> None:
    rows = word_rows(influence_study(choice="top", draws=2), 400)
    assert {row["how"] for row in rows} == {"exact"}
    assert all(row["low"] == row["truth"] == row["high"] for row in rows)


def test_a_word_without_any_planted_effect_has_no_influence() -> None:
    rows = word_rows(influence_study(choice="sample", draws=2), 200)
    at = next(row for row in rows if row["question"].startswith("“at”"))
    assert at["truth"] == at["low"] == at["high"] == 0


def test_a_set_that_shows_nobody_leaves_other_words_their_truth() -> None:
    lists = {**candidate_lists(), "nurse": ["rose", "guitar"]}
    study = influence_study(choice="sample", draws=2, candidates=lists)
    rows = {row["question"].split("”")[0][1:]: row["truth"] for row in word_rows(study, 100)}
    assert rows["nurse"] is None
    assert rows["confident"] == pytest.approx(true_scores(PROMPT, 1, candidate_lists())[1], abs=0.1)


def test_more_sets_than_can_be_told_are_an_error() -> None:
    template = "a {manner} nurse at the spa " + " ".join(["very"] * 14)
    study = influence_study(choice="sample", draws=2, level=8, subsets=50, template=template)
    with pytest.raises(StudyError, match=r"sets of words in .* take a lower level"):
        study_truth(study, samples=100)
