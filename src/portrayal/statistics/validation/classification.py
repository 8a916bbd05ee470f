"""Worlds for a classifier beside raters: precision, recall, F1 and their averages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from portrayal.statistics.balanced_accuracy import balanced_accuracy
from portrayal.statistics.classification import confusion_scores
from portrayal.statistics.validation.worlds import DISCRETE, Told


@dataclass(frozen=True, slots=True)
class ClassifierWorld:
    """A classifier that is right with a chance of `accuracy`, and else names another label.

    Attributes:
        what: Which score.
        items: Per world.
        labels: Frequency of each label.
        accuracy: Chance of being right.
    """

    what: Literal["precision", "recall", "f1", "macro f1", "accuracy", "balanced"]
    items: int
    labels: tuple[float, ...]
    accuracy: float
    worlds: int = 4000
    null: bool = False

    @property
    def estimator(self) -> str:
        """The score."""
        return "balanced_accuracy" if self.what == "balanced" else f"confusion {self.what}"

    @property
    def setting(self) -> str:
        """In a few words."""
        return f"{self.items} items, {len(self.labels)} labels, {self.accuracy:.0%} right"

    @property
    def reason(self) -> str:
        """Few items leave few values of a score."""
        return DISCRETE if self.items <= 30 else ""

    def told(self, rng: np.random.Generator) -> Told | None:
        """Draw items and answers."""
        frequency, k = np.array(self.labels), len(self.labels)
        wrong = (1 - self.accuracy) / (k - 1)
        chances = frequency[:, None] * (np.eye(k) * (self.accuracy - wrong) + wrong)
        counts = rng.multinomial(self.items, chances.ravel()).reshape(k, k)
        if self.what == "balanced":
            even = balanced_accuracy(np.diag(counts), counts.sum(axis=1))
            return Told(even.value, *even.interval, self.accuracy)
        found = confusion_scores(counts)
        exact = confusion_scores(np.rint(chances * 10**9).astype(np.int64))
        if self.what == "accuracy":
            return Told(found.accuracy.value, *found.accuracy.interval, self.accuracy)
        if self.what == "macro f1":
            return Told(found.macro.f1.value, *found.macro.f1.interval, exact.macro.f1.value)
        value, bounds = _first(found, self.what)
        return None if np.isnan(value) else Told(value, *bounds, _first(exact, self.what)[0])


def _first(found: object, what: str) -> tuple[float, tuple[float, float]]:
    values, ends = getattr(found, what), getattr(found, f"{what}_interval")
    return float(values[0]), (float(ends.low[0]), float(ends.high[0]))


def settings() -> list[ClassifierWorld]:
    """Return the worlds."""
    two, three = (0.4, 0.6), (0.2, 0.3, 0.5)
    return [
        ClassifierWorld(what, items, labels, accuracy)
        for what in ("precision", "recall", "f1", "macro f1", "accuracy", "balanced")
        for items, labels, accuracy in (
            (30, two, 0.8),
            (30, two, 0.95),
            (60, three, 0.95),
            (100, three, 0.85),
            (400, two, 0.95),
        )
    ]
