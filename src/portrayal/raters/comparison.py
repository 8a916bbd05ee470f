"""Machine against human: how often a classifier says what the raters say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from portrayal.errors import StatisticsError
from portrayal.records import plain
from portrayal.statistics import (
    AgreementResult,
    ConfusionResult,
    cohen_kappa,
    confusion,
    percent_agreement,
)


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """Agreement of a classifier with the raters' consensus on one axis.

    Attributes:
        groups: The groups of the axis.
        agreement: Share of images with the same group, where both name one.
        kappa: Cohen's kappa on the same images.
        confusion: Images by the raters' group (rows) and the machine's answer (columns); answers
            that are no group ("unknown", "nobody") have columns of their own.
        n: Images where both name a group.
        n_machine_undecided: Images where only the raters do.
        n_human_undecided: Images where the raters do not.
    """

    groups: tuple[str, ...]
    agreement: AgreementResult
    kappa: AgreementResult
    confusion: ConfusionResult
    n: int
    n_machine_undecided: int
    n_human_undecided: int

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy in which NaN is null."""
        found: dict[str, Any] = plain(
            {
                "groups": self.groups,
                "n": self.n,
                "n_machine_undecided": self.n_machine_undecided,
                "n_human_undecided": self.n_human_undecided,
                "agreement": _numbers(self.agreement),
                "kappa": _numbers(self.kappa),
                "labels": self.confusion.labels,
                "confusion": self.confusion.matrix,
            }
        )
        return found


def compare_labels(
    human: Sequence[str | None],
    machine: Sequence[str | None],
    *,
    groups: Sequence[str],
    merged: Mapping[str, str] | None = None,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> ComparisonResult:
    """Compare a classifier's labels with the raters', image by image.

    The published rate (ENTIGEN, section 2.3: 78-85% for perceived gender, 67-78% for skin) is
    `agreement`: over images where both name a group. What the classifier leaves open is counted
    beside it and stands in the confusion matrix.

    Args:
        human: The raters' consensus; None where there is none.
        machine: The classifier's answer in the same order; anything that is no group, or None, is
            undecided.
        groups: The groups that raters chose from.
        merged: Where the classifier knows finer groups: the raters' group of each
            (`Question.merged`).
        rng: Source of the intervals' draws.
        confidence: Of the intervals.

    Raises:
        StatisticsError: Lists of different length, or a human label that is no group.

    >>> rng = np.random.default_rng(0)
    >>> result = compare_labels(
    ...     ["man", "woman", "man", None], ["man", "woman", "unknown", "man"],
    ...     groups=["man", "woman"], rng=rng,
    ... )
    >>> result.agreement.value, result.n, result.n_machine_undecided, result.n_human_undecided
    (1.0, 2, 1, 1)
    """
    if len(human) != len(machine):
        raise StatisticsError(
            f"human has {len(human)} labels and machine has {len(machine)}; allowed: one per image"
        )
    strange = [label for label in human if label is not None and label not in groups]
    if strange:
        raise StatisticsError(
            f"human holds {strange[0]!r}; allowed: {', '.join(groups)}, or None where raters "
            "found no consensus"
        )
    same = merged or {}
    said = [None if label is None else same.get(str(label), str(label)) for label in machine]
    named = [label if label in groups else None for label in said]
    raters, groups_named = np.array(human, dtype=object), np.array(named, dtype=object)
    others = sorted({label for label in said if label is not None} - set(groups))
    return ComparisonResult(
        groups=tuple(groups),
        agreement=percent_agreement(raters, groups_named, rng=rng, confidence=confidence),
        kappa=cohen_kappa(raters, groups_named, rng=rng, confidence=confidence),
        confusion=confusion(
            raters,
            np.array(said, dtype=object),
            labels=[*groups, *others],
            confidence=confidence,
        ),
        n=sum(h is not None and m is not None for h, m in zip(human, named, strict=True)),
        n_machine_undecided=sum(
            h is not None and m is None for h, m in zip(human, named, strict=True)
        ),
        n_human_undecided=sum(label is None for label in human),
    )


def _numbers(result: AgreementResult) -> dict[str, float]:
    return {"value": result.value, "low": result.interval.low, "high": result.interval.high}
