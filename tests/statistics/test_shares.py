from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from portrayal.errors import StatisticsError
from portrayal.statistics.overdispersion import (
    correlation_prior,
    log_likelihood,
    summed_log_likelihood,
)
from portrayal.statistics.shares import prompts_share_interval


def test_refuses() -> None:
    with pytest.raises(StatisticsError, match="at most its total"):
        prompts_share_interval([3, 5], [4, 4])
    with pytest.raises(StatisticsError, match="same prompts"):
        prompts_share_interval([3], [4, 4])
    with pytest.raises(StatisticsError, match="confidence is 95"):
        prompts_share_interval([3], [4], confidence=95)


@pytest.mark.parametrize("totals", [(3, 9, 30), (200, 900)])
def test_the_likelihood_is_scipys_beta_binomial(totals: tuple[int, ...]) -> None:
    n = np.array(totals, dtype=np.float64)
    k = np.floor(n / 3)
    shares, iccs = np.array([0.1, 0.6]), np.array([0.01, 0.4, 0.97])
    found = log_likelihood(k, n, shares, iccs)
    size = (1 - iccs) / iccs
    for row in range(n.size):
        wanted = stats.betabinom.logpmf(
            k[row], n[row], shares[:, None] * size, (1 - shares)[:, None] * size
        ) - np.log(special.comb(n[row], k[row]))
        np.testing.assert_allclose(found[row], wanted, rtol=1e-6)
    repeats = np.arange(1.0, n.size + 1)
    np.testing.assert_allclose(
        summed_log_likelihood(k, n, repeats, shares, iccs),
        np.tensordot(repeats, found, axes=1), rtol=1e-9,
    )  # fmt: skip


def prior_density(icc: float, images: int) -> float:
    """Three parts in ten log-uniform in the variance of a prompt's share, seven Beta(3, 1/2)."""
    spread = (1 - 1 / images) / (1 / images + (1 - 1 / images) * icc) / math.log(images)
    return 0.3 * spread + 0.7 * float(stats.beta.pdf(icc, 3, 0.5))


def test_the_prior_of_the_icc_is_its_density() -> None:
    values, weights = correlation_prior(30)
    assert (np.diff(values) > 0).all()
    assert weights.sum() == pytest.approx(1)
    wanted = integrate.quad(lambda icc: icc * prior_density(icc, 30), 0, 1)[0]
    assert weights @ values == pytest.approx(wanted, abs=0.002)
    assert values[0] < 0.01


def test_one_image_per_prompt_is_jeffreys_interval() -> None:
    hits = np.r_[np.ones(7), np.zeros(13)]
    wanted = stats.beta.ppf([0.025, 0.975], 7.5, 13.5)
    assert prompts_share_interval(hits, np.ones(20)) == pytest.approx(wanted, abs=2e-4)


def test_agrees_with_integrating_by_adaptive_quadrature() -> None:
    hits, totals = np.array([1, 6, 2]), np.array([8, 8, 8])
    low, high = prompts_share_interval(hits, totals)

    def density(icc: float, share: float) -> float:
        size = (1 - icc) / icc
        log = stats.betabinom.logpmf(hits, totals, share * size, (1 - share) * size).sum()
        prior = stats.beta.pdf(share, 0.5, 0.5) * prior_density(icc, 8)
        return float(np.exp(log) * prior)

    def mass(start: float, stop: float) -> float:
        return float(
            integrate.dblquad(density, start, stop, 1e-4, 1 - 1e-6, epsabs=1e-7, epsrel=1e-3)[0]
        )

    parts = [mass(1e-6, low), mass(low, high), mass(high, 1 - 1e-6)]
    np.testing.assert_allclose(np.array(parts) / sum(parts), [0.025, 0.95, 0.025], atol=0.002)


def test_the_other_group_has_the_mirrored_interval() -> None:
    hits, totals = np.array([1, 6, 2, 9]), np.array([8, 8, 9, 9])
    low, high = prompts_share_interval(hits, totals)
    assert prompts_share_interval(totals - hits, totals) == pytest.approx((1 - high, 1 - low))


def test_one_prompt_or_unclustered_is_wilsons() -> None:
    wanted = stats.binomtest(5, 9).proportion_ci(0.95, method="wilson")
    assert prompts_share_interval([5], [9]) == pytest.approx((wanted.low, wanted.high))
    assert prompts_share_interval([2, 3], [4, 5], clustered=False) == pytest.approx(
        (wanted.low, wanted.high)
    )


def test_prompts_that_differ_widen_the_interval() -> None:
    alike, apart = (prompts_share_interval(hits, [10] * 4) for hits in ([5] * 4, [0, 10, 0, 10]))
    assert apart.high - apart.low > alike.high - alike.low + 0.1


def test_degenerate() -> None:
    assert all(math.isnan(bound) for bound in prompts_share_interval([0, 0], [0, 0]))
    assert all(math.isnan(bound) for bound in prompts_share_interval([], []))
    none, every = prompts_share_interval([0] * 4, [9] * 4), prompts_share_interval([9] * 4, [9] * 4)
    assert none.low == 0.0
    assert every == pytest.approx((1 - none.high, 1.0))
    assert 0.2 < none.high < 0.7
    assert prompts_share_interval([0, 3, 0], [0, 9, 0]) == prompts_share_interval([3], [9])


def test_many_images_are_no_trouble() -> None:
    low, high = prompts_share_interval([5000, 4900, 5100, 5050] * 3, [10000] * 12)
    assert 0.48 < low < 0.5 < high < 0.52
