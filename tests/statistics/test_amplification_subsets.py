from __future__ import annotations

import math

import numpy as np
import pytest

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    amplification,
    amplification_from_counts,
    amplification_reduction,
    decomposition_from_counts,
    reduction_from_counts,
)


def counts(generator: np.random.Generator, shares: np.ndarray, n: int) -> np.ndarray:
    group = generator.binomial(n, shares)
    return np.stack([group, n - group], axis=-1)


def many(percent: list[float]) -> np.ndarray:
    """Return counts of so many images that percentages are as good as known."""
    group = (np.array(percent) * 1e5).astype(int)
    return np.stack([group, 10**7 - group], axis=-1)


def test_refuses() -> None:
    with pytest.raises(StatisticsError, match="and corrected"):
        reduction_from_counts([[1, 2]], [[1, 2]], [[1, 2], [3, 4]])
    with pytest.raises(StatisticsError, match="subsets lacks no correction"):
        decomposition_from_counts([[1, 2]], {frozenset({"a"}): [[1, 2]]})


def test_with_many_images_it_is_the_papers_reduction() -> None:
    generated, naive, better = [10, 80, 95, 20], [25, 70, 80, 35], [15, 75, 90, 24]
    wanted = amplification_reduction(
        amplification(generated, naive), amplification(generated, better)
    )
    found = reduction_from_counts(many(generated), many(naive), many(better))
    assert found.value == pytest.approx(wanted.value, abs=1e-3)
    assert found.interval == pytest.approx(wanted.interval, abs=1e-2)
    assert found.p_value == pytest.approx(wanted.p_value, rel=1e-2)
    assert found.relative == pytest.approx(wanted.relative, abs=1e-3)
    assert found.relative_interval == pytest.approx(wanted.relative_interval, abs=1e-2)
    back = reduction_from_counts(many(generated), many(better), many(naive))
    assert back.value == pytest.approx(-found.value)
    assert back.p_value == pytest.approx(found.p_value)


def test_a_small_subset_explains_nothing_by_chance() -> None:
    generator = np.random.default_rng(0)
    shares = generator.uniform(0.4, 0.6, 60)
    naive = counts(generator, shares, 500)
    part = np.array([generator.multivariate_hypergeometric(row, 20) for row in naive])
    generated = counts(generator, shares, 500)
    plain = np.abs(part[:, 0] / 20 - 0.5).mean() - np.abs(naive[:, 0] / 500 - 0.5).mean()
    assert 100 * plain > 3, "the subset looks more uneven"
    for occupations in ("random", "fixed"):
        found = reduction_from_counts(generated, naive, part, nested=True, occupations=occupations)
        assert found.interval.low < 0 < found.interval.high
        assert found.p_value > 0.05


def test_the_whole_as_its_own_part() -> None:
    naive = np.array([[30, 70], [60, 40], [20, 80], [55, 45], [45, 55]])
    for occupations in ("random", "fixed"):
        found = reduction_from_counts(naive, naive, naive, nested=True, occupations=occupations)
        assert found.value == 0
        assert found.p_value == 1


def test_missing_occupations_are_counted() -> None:
    generated = [[9, 1], [0, 0], [7, 3], [6, 4]]
    naive = [[8, 2], [8, 2], [6, 4], [5, 5]]
    better = [[4, 1], [4, 1], [0, 0], [3, 2]]
    found = reduction_from_counts(generated, naive, better)
    assert (found.n, found.n_missing) == (2, 2)
    assert np.isnan(found.per_item).tolist() == [False, True, True, False]
    none = reduction_from_counts([[0, 0]], [[1, 2]], [[1, 2]])
    assert math.isnan(none.value)
    assert none.n == 0


def test_decomposition_adds_up_and_agrees_with_reductions() -> None:
    generator = np.random.default_rng(1)
    shares = generator.uniform(0.55, 0.8, 30)
    generated = counts(generator, shares + 0.15, 200)
    subsets = {
        frozenset[str](): counts(generator, shares, 400),
        frozenset({"a"}): counts(generator, shares + 0.05, 60),
        frozenset({"b"}): counts(generator, shares + 0.08, 100),
        frozenset({"a", "b"}): counts(generator, shares + 0.12, 30),
    }
    split = decomposition_from_counts(generated, subsets)
    naive = amplification_from_counts(generated, subsets[frozenset()])
    assert split.naive == pytest.approx(naive.mean)
    total = sum(part.value for part in split.parts.values()) + split.remaining.value
    assert total == pytest.approx(split.naive)
    both = reduction_from_counts(generated, subsets[frozenset()], subsets[frozenset({"a", "b"})])
    assert split.remaining.value == pytest.approx(naive.mean - both.value)
    assert split.n == 30
    for part in (*split.parts.values(), split.remaining):
        assert part.interval.low < part.value < part.interval.high
