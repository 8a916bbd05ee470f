"""Worlds without an effect that are looked at again and again as images are added."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.association import association_test
from portrayal.statistics.correction import benjamini_hochberg
from portrayal.statistics.levels import level_test
from portrayal.statistics.looks import SCHEDULE, planned_looks, unplanned_looks
from portrayal.statistics.samples import ConceptEmbeddings, Embeddings
from portrayal.statistics.validation.worlds import Told

LookedAt = Literal["V", "association", "eight tests"]
Counted = Literal["planned", "unplanned", "not at all"]
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


def settings() -> list[LooksWorld]:
    """Return all worlds of this family."""
    many = tuple(float(one) for one in np.linspace(0.05, 1.0, 20))
    ways: tuple[tuple[Counted, tuple[float, ...]], ...] = (
        ("planned", SCHEDULE), ("planned", EQUAL), ("unplanned", EQUAL), ("unplanned", many),
    )  # fmt: skip
    tests: tuple[LookedAt, ...] = ("V", "association", "eight tests")
    return [LooksWorld(test, counted, looks) for test in tests for counted, looks in ways]


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
