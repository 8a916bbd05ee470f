from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics import amplification, amplification_bootstrap


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def counts(generator: np.random.Generator, shares: np.ndarray, n: int) -> np.ndarray:
    group = generator.binomial(n, shares)
    return np.stack([group, n - group], axis=-1)


@pytest.mark.parametrize(
    ("generated", "training", "message"),
    [
        ([[1, 2]], [[1, 2], [3, 4]], "the same occupations"),
        ([[1, 2, 3]], [[1, 2]], "generated has shape"),
        ([[1, -2]], [[1, 2]], "generated holds -2.0"),
        ([[[1, 2], [1, 2]]], [[[1, 2], [1, 2], [1, 2]]], "one training count or one per prompt"),
    ],
)
def test_refuses(generated: object, training: object, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        amplification_bootstrap(generated, training, rng=rng())  # type: ignore[arg-type]


def test_mean_is_that_of_amplification_over_prompts() -> None:
    generator = rng(1)
    generated = counts(generator, generator.random((12, 4)), 40)
    training = counts(generator, generator.random(12), 40)
    training[3] = 0
    for switching in ("exclude", "include"):
        result = amplification_bootstrap(generated, training, rng=generator, switching=switching)
        with np.errstate(invalid="ignore"):
            percent = [100 * part[..., 0] / part.sum(axis=-1) for part in (generated, training)]
        each = [amplification(percent[0][:, j], percent[1], switching=switching) for j in range(4)]
        np.testing.assert_allclose(result.per_prompt, [prompt.mean for prompt in each])
        assert result.mean == pytest.approx(np.mean([prompt.mean for prompt in each]))
        assert result.n_switched == sum(prompt.n_switched for prompt in each)
        assert result.n_missing == 4
        assert result.interval.low <= result.mean <= result.interval.high


def test_few_images_on_one_side_do_not_make_amplification() -> None:
    # Both sides are balanced in truth; 8 generated images look uneven, 4,000 others do not.
    generator = rng(2)
    generated = counts(generator, np.full(30, 0.5), 8)
    training = counts(generator, np.full(30, 0.5), 4000)
    result = amplification_bootstrap(generated, training, rng=generator, switching="include")
    assert result.mean > 10
    assert result.corrected < 7
    assert result.interval.low < 1


def test_sides_and_groups() -> None:
    generated, training = [[50, 450], [400, 100], [30, 70]], [[125, 375], [350, 150], [35, 65]]
    one = amplification_bootstrap(generated, training, rng=rng())
    back = amplification_bootstrap(training, generated, rng=rng())
    assert back.mean == pytest.approx(-one.mean)
    swapped = amplification_bootstrap(
        np.asarray(generated)[:, ::-1], np.asarray(training)[:, ::-1], rng=rng()
    )
    assert swapped.mean == pytest.approx(one.mean)


def test_degenerate() -> None:
    none = amplification_bootstrap([[0, 0]], [[3, 4]], rng=rng())
    assert math.isnan(none.mean)
    assert math.isnan(none.interval.low)
    assert math.isnan(none.p_value)
    assert (none.n, none.n_missing) == (0, 1)
    switched = amplification_bootstrap([[9, 1]], [[1, 9]], rng=rng())
    assert math.isnan(switched.mean)
    assert switched.n_switched == 1
    single = amplification_bootstrap([[9, 1]], [[7, 3]], rng=rng())
    assert single.mean == pytest.approx(20)
    assert math.isnan(single.interval.low), "one occupation says nothing of others"
    assert math.isnan(single.p_value)
    fixed = amplification_bootstrap([[9, 1]], [[7, 3]], rng=rng(), occupations="fixed")
    assert fixed.interval.low < 0 < 20 < fixed.interval.high


@pytest.mark.parametrize(("occupations", "widest"), [("random", 0.2), ("fixed", 0.06)])
def test_p_value_agrees_with_the_interval(occupations: str, widest: float) -> None:
    generator = rng(5)
    found = [
        amplification_bootstrap(
            counts(generator, np.clip(shares + grown, 0, 1), 60),
            counts(generator, shares, 60),
            rng=generator,
            switching="include",
            occupations=occupations,  # type: ignore[arg-type]
            resamples=1999,
        )
        for grown in np.linspace(-widest, widest, 21)
        for shares in [generator.uniform(0.6, 0.9, 15)]
    ]
    clear = [one.interval.low > 0 or one.interval.high < 0 for one in found]
    assert 3 < sum(clear) < len(found) - 3, "some are clear of 0 and some are not"
    for is_clear, one in zip(clear, found, strict=True):
        near = abs(one.p_value - 0.05) < 0.002  # a quantile lies between two draws
        assert near or is_clear == (one.p_value < 0.05)


@pytest.mark.parametrize("k", [3, 8, 40])
def test_with_large_counts_it_is_the_t_test_over_occupations(k: int) -> None:
    # With a million images the shares are known: what is left is the choice of occupations.
    generator = rng(6)
    training = generator.uniform(0.6, 0.8, k)
    generated = training + generator.normal(0.01, 0.02, k)
    sides = [counts(generator, shares, 10**6) for shares in (generated, training)]
    result = amplification_bootstrap(*sides, rng=generator, resamples=8000)
    per_item = 100 * (generated - training)
    wanted = stats.ttest_1samp(per_item, 0)
    low, high = wanted.confidence_interval()
    assert result.p_value == pytest.approx(wanted.pvalue, rel=0.15, abs=0.01)
    assert result.interval.low == pytest.approx(low, abs=0.1 * (high - low))
    assert result.interval.high == pytest.approx(high, abs=0.1 * (high - low))


def test_few_occupations_are_not_called_clear_by_chance() -> None:
    """Worlds without amplification on average: a plain bootstrap calls 17 % of these clear."""
    generator = rng(8)

    def p_value() -> float:
        training = generator.uniform(0.65, 0.85, 4)
        generated = (training + generator.normal(0, 0.04, 4)).clip(0.5, 1)
        sides = [counts(generator, shares, 5000) for shares in (generated, training)]
        return amplification_bootstrap(*sides, rng=generator, resamples=200).p_value

    assert sum(p_value() < 0.05 for _ in range(150)) / 150 < 0.1


def test_p_value_does_not_depend_on_which_group_is_counted() -> None:
    generated = np.array([[50, 450], [400, 100], [30, 70]])
    training = np.array([[125, 375], [350, 150], [35, 65]])
    one = amplification_bootstrap(generated, training, rng=rng(), resamples=4000)
    swapped = amplification_bootstrap(
        generated[:, ::-1], training[:, ::-1], rng=rng(), resamples=4000
    )
    assert swapped.p_value == pytest.approx(one.p_value, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("occupations", ["random", "fixed"])
@pytest.mark.parametrize(("n_generated", "n_training"), [(100, 100), (20, 200)])
def test_interval_covers(occupations: str, n_generated: int, n_training: int) -> None:
    """Occupations drawn anew (random) or the same ones again (fixed); images always anew."""
    generator = rng(3)

    def world() -> tuple[np.ndarray, np.ndarray]:
        training = generator.uniform(0.55, 0.95, 25)
        grown = 0.5 + (training - 0.5) * generator.uniform(0.8, 1.6, 25)
        return grown.clip(0.5, 1), training

    fixed = world()
    large = [world() for _ in range(2000)]
    truth = 100 * np.mean([grown.mean() - training.mean() for grown, training in large])
    if occupations == "fixed":
        truth = 100 * (fixed[0].mean() - fixed[1].mean())
    hits = 0
    for _ in range(120):
        grown, training = fixed if occupations == "fixed" else world()
        result = amplification_bootstrap(
            counts(generator, grown, n_generated),
            counts(generator, training, n_training),
            rng=generator,
            switching="include",
            occupations=occupations,  # type: ignore[arg-type]
            resamples=500,
        )
        hits += result.interval.low <= truth <= result.interval.high
    assert hits / 120 > 0.9
