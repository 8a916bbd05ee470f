"""How much raters agree with each other, question by question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from portrayal.raters.questions import Question
from portrayal.raters.votes import Votes
from portrayal.statistics import (
    AgreementResult,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Agreement on one question; "can't judge" is an answer like any other.

    Attributes:
        question: The question's id.
        percent: Share of pairs of raters who give the same answer.
        alpha: Krippendorff's alpha.
        kappa: Fleiss' kappa.
    """

    question: str
    percent: AgreementResult
    alpha: AgreementResult
    kappa: AgreementResult

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy; NaN stays and is the caller's to turn into null."""
        return {
            "question": self.question,
            "n": self.percent.n,
            "n_missing": self.percent.n_missing,
            "percent": _numbers(self.percent),
            "krippendorff_alpha": _numbers(self.alpha),
            "fleiss_kappa": _numbers(self.kappa),
        }


def agreement(
    votes: Votes, *, rng: np.random.Generator | None = None, confidence: float = 0.95
) -> list[QuestionAgreement]:
    """Return how much raters agree on every question with answers to choose from.

    Images with fewer than two votes on a question do not count there.

    Args:
        votes: What they said.
        rng: Source of the intervals' draws; None: no intervals.
        confidence: Of the intervals.
    """
    found = []
    for question in votes.questions.choices:
        table = ballots(votes, question)
        percent = percent_agreement(table, rng=rng, confidence=confidence)
        alpha = krippendorff_alpha(table, rng=rng, confidence=confidence)
        kappa = fleiss_kappa(table, rng=rng, confidence=confidence)
        found.append(QuestionAgreement(question.id, percent, alpha, kappa))
    return found


def ballots(votes: Votes, question: Question) -> npt.NDArray[np.object_]:
    """Return the votes on a question as a table: one row per ballot, one column per image.

    The statistics here ask how often each answer was given, not by whom; so a table as high as the
    largest number of votes on one image holds all, where one row per rater would be mostly empty.
    """
    given = [[vote.answers.get(question.id) for vote in mine] for mine in votes.by_image().values()]
    height = max(2, max((len(mine) for mine in given), default=0))
    table = np.full((height, len(given)), None, dtype=object)
    for place, mine in enumerate(given):
        table[: len(mine), place] = mine
    return table


def _numbers(result: AgreementResult) -> Mapping[str, float]:
    return {"value": result.value, "low": result.interval.low, "high": result.interval.high}
