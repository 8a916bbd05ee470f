"""Worlds that are looked at again and again as images are added.

In some nothing is there to be found; in others it is known what all intervals together should hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.association import association_test
from portrayal.statistics.correction import benjamini_hochberg
from portrayal.statistics.intervals import Interval, share_interval
from portrayal.statistics.levels import level_test
from portrayal.statistics.looks import SCHEDULE, planned_looks, unplanned_looks
from portrayal.statistics.samples import ConceptEmbeddings, Embeddings
from portrayal.statistics.validation.association import AssociationWorld, placed, turned
from portrayal.statistics.validation.worlds import Told

LookedAt = Literal["V", "association", "eight tests"]
Counted = Literal["planned", "unplanned", "not at all"]
Estimated = Literal["share", "V", "d"]
Looks = Sequence[tuple[int, float]]
"""How many images per prompt there are at each look, and its level."""


class _AtLook(NamedTuple):
    value: float
    ends: Interval


FloatArray = NDArray[np.float64]

EQUAL = (0.2, 0.4, 0.6, 0.8, 1.0)
_RESAMPLES = 999


@dataclass(frozen=True, slots=True)
class LooksWorld:
    """A test whose null hypothesis is true, looked at several times.

    Attributes:
        test: Which test; "eight tests": eight t-tests with q over all of them.
        counted: How looks are counted in the decision.
        fractions: Of the images, at each look.
        images: Per prompt at the end.
        reason: Why fewer than 3.5 % of worlds may be decided.
    """

    test: LookedAt
    counted: Counted
    fractions: tuple[float, ...] = SCHEDULE
    images: int = 200
    reason: str = "the sum of levels bounds the chance of a union from above"
    worlds: int = 2000
    estimator: str = "looks"
    null: bool = True

    def told(self, rng: np.random.Generator) -> Told:
        """Draw a world; its interval leaves out 0 where something is decided at any look."""
        simulate: Callable[..., FloatArray] = {
            "V": _spread, "association": _association, "eight tests": _eight,
        }[self.test]  # fmt: skip
        sizes = np.array([math.ceil(round(self.images * one, 9)) for one in self.fractions])
        decided = is_decided(simulate(sizes, rng), sizes, self.counted)
        return Told(0.0, 0.5 if decided else -1.0, 1.0, 0.0, 0.0 if decided else 1.0)

    @property
    def setting(self) -> str:
        """The world in a few words."""
        even = ", even" if self.fractions == EQUAL else ""
        return f"{self.test}, {len(self.fractions)} looks{even}, counted: {self.counted}"


@dataclass(frozen=True, slots=True)
class IntervalsWorld:
    """An estimate whose intervals at several unplanned looks are to hold the truth together.

    Attributes:
        what: A group's share, Cramér's V of eight occupations, or d of two concepts.
        truth: Its true value; of V, 0.
        fractions: Of the images, at each look.
        images: Per prompt at the end.
        reason: Why they may hold it more often than in 97 % of worlds.
    """

    what: Estimated
    truth: float
    fractions: tuple[float, ...] = EQUAL
    images: int = 200
    reason: str = "the wager's bound holds for endlessly many looks"
    worlds: int = 2000
    estimator: str = "intervals of all looks"

    @property
    def null(self) -> bool:
        """Whether there is no effect."""
        return self.what != "share" and self.truth == 0

    @property
    def setting(self) -> str:
        """The world in a few words."""
        return f"{self.what} {self.truth:g}, {len(self.fractions)} unplanned looks"

    def told(self, rng: np.random.Generator) -> Told:
        """Draw a world; its interval is what the intervals of all looks have in common."""
        sizes = [math.ceil(round(self.images * one, 9)) for one in self.fractions]
        levels = [
            unplanned_looks([math.nan] * k, sizes[:k]).level for k in range(1, len(sizes) + 1)
        ]
        draw: Callable[..., Iterator[_AtLook]] = {
            "share": _shares, "V": _spreads, "d": _effects,
        }[self.what]  # fmt: skip
        found = list(draw(self.truth, list(zip(sizes, levels, strict=True)), rng))
        low, high = max(one.ends.low for one in found), min(one.ends.high for one in found)
        return Told(found[-1].value, low, high, self.truth)


def settings() -> list[LooksWorld | IntervalsWorld]:
    """Return all worlds of this family."""
    many = tuple(float(one) for one in np.linspace(0.05, 1.0, 20))
    ways: tuple[tuple[Counted, tuple[float, ...]], ...] = (
        ("planned", SCHEDULE), ("planned", EQUAL), ("unplanned", EQUAL), ("unplanned", many),
    )  # fmt: skip
    tests: tuple[LookedAt, ...] = ("V", "association", "eight tests")
    decisions = [LooksWorld(test, counted, looks) for test in tests for counted, looks in ways]
    estimates: tuple[tuple[Estimated, float], ...] = (
        ("share", 0.5), ("share", 0.3), ("share", 0.05), ("V", 0.0), ("d", 0.0), ("d", 0.8),
    )  # fmt: skip
    return [*decisions, *(IntervalsWorld(what, truth) for what, truth in estimates)]


def is_decided(p_values: FloatArray, sizes: NDArray[np.int64], counted: Counted) -> bool:
    """Tell whether any test is decided at any look: q over all tests at or below 5 %.

    Args:
        p_values: One row per test, one column per look.
        sizes: Images at each look; the last is the maximum.
        counted: How looks are counted.
    """
    if counted == "not at all":
        return any(benjamini_hochberg(column).min() <= 0.05 for column in p_values.T)
    # The combined p never rises with a further look, so the last one tells of all.
    if counted == "planned":
        found = [planned_looks(row, sizes / sizes[-1]).p_value for row in p_values]
    else:
        found = [unplanned_looks(row, sizes).p_value for row in p_values]
    return bool(benjamini_hochberg(found).min() <= 0.05)


def _spread(sizes: NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
    """Eight occupations with the same shares."""
    shown = rng.random((8, sizes[-1])) < 0.4
    found = []
    for size in sizes:
        hits = shown[:, :size].sum(axis=1)
        test = level_test(
            np.column_stack([hits, size - hits]), range(8), by_prompt=False,
            resamples=_RESAMPLES, rng=rng,
        )  # fmt: skip
        found.append(1.0 if test is None else test.p_value)
    return np.array([found])


def _association(sizes: NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
    """Two concepts whose images lean the same way; images are the units."""
    sets = [rng.normal(size=(int(sizes[-1]), 8)) + 1.0 for _ in range(6)]
    found = []
    for size in sizes:
        x, y, x_a, x_b, y_a, y_b = (Embeddings(one[:size]) for one in sets)
        test = association_test(ConceptEmbeddings(x, x_a, x_b), ConceptEmbeddings(y, y_a, y_b))
        found.append(test.p_value)
    return np.array([found])


def _eight(sizes: NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
    from scipy import stats

    values = rng.normal(size=(8, sizes[-1]))
    columns = [stats.ttest_1samp(values[:, : max(size, 2)], 0.0, axis=1).pvalue for size in sizes]
    return np.column_stack(columns)


def _shares(truth: float, looks: Looks, rng: np.random.Generator) -> Iterator[_AtLook]:
    shown = rng.random(looks[-1][0]) < truth
    for size, level in looks:
        hits = int(shown[:size].sum())
        yield _AtLook(hits / size, share_interval(hits, size, confidence=1 - level))


def _spreads(_truth: float, looks: Looks, rng: np.random.Generator) -> Iterator[_AtLook]:
    """Eight occupations with the same shares."""
    shown = rng.random((8, looks[-1][0])) < 0.4
    for size, level in looks:
        hits = shown[:, :size].sum(axis=1)
        test = level_test(
            np.column_stack([hits, size - hits]), range(8), by_prompt=False,
            resamples=_RESAMPLES, confidence=1 - level, rng=rng,
        )  # fmt: skip
        if test is not None:
            yield _AtLook(test.v, test.interval)


def _effects(truth: float, looks: Looks, rng: np.random.Generator) -> Iterator[_AtLook]:
    """Two concepts; images are the units, and attribute images are given once for all looks."""
    most = looks[-1][0]
    world = AssociationWorld("", (most, most), images=1, what="d", shift=truth * math.sqrt(1.25))
    scores = [world.scores(side, rng) for side in (0, 1)]
    poles = [turned(axis, world.attributes, rng) for axis in (0.0, math.pi / 2.0)]
    for size, level in looks:
        x, y = (ConceptEmbeddings(Embeddings(placed(one[:size])), *poles) for one in scores)
        test = association_test(x, y, confidence=1 - level)
        yield _AtLook(test.effect_size_corrected, test.effect_interval)
