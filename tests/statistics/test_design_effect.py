"""How much shares vary between prompts, beside the same from matrices written out."""

from __future__ import annotations

import numpy as np
import pytest

from portrayal.statistics import target_distance
from portrayal.statistics.design_effect import design_effect

UNEQUAL = np.array([60, 8, 8, 8, 4])


def drawn(sizes: np.ndarray, icc: float, rng: np.random.Generator) -> np.ndarray:
    each = rng.dirichlet(np.array([0.5, 0.3, 0.2]) * (1 - icc) / icc, size=len(sizes))
    return rng.multinomial(sizes, each).astype(float)


def test_prompts_of_the_same_size_have_the_usual_variance_and_degrees_of_freedom() -> None:
    rng = np.random.default_rng(0)
    for k, images in ((2, 9), (5, 20), (40, 3)):
        table = drawn(np.full(k, images), 0.4, rng)
        n, shares = table.sum(), table.sum(axis=0) / table.sum()
        variances = ((table - images * shares) ** 2).sum(axis=0) * k / (k - 1) / n**2
        found = design_effect(table)
        assert found.effect == pytest.approx(max(1, (variances * n / shares).sum() / 2), rel=1e-12)
        assert found.units == pytest.approx(k - 1, rel=1e-12)


def test_one_image_per_prompt_has_the_variance_of_images() -> None:
    found = design_effect(np.eye(3)[[0, 0, 1, 2, 2, 0]])
    assert found == pytest.approx((6 / 5, 5))


def test_unequal_prompts_agree_with_the_covariance_of_residuals_written_out() -> None:
    # Prompts that show one group each: residuals are as large as an ICC of 1 makes them, or larger.
    table = np.diag(UNEQUAL.astype(float))
    n, shares = UNEQUAL.sum(), UNEQUAL / UNEQUAL.sum()
    less = np.eye(5) - np.outer(shares, np.ones(5))
    variances = UNEQUAL.astype(float) ** 2
    covariance = less @ np.diag(variances) @ less.T
    residuals = table - UNEQUAL[:, None] * shares
    clustered = (residuals**2).sum(axis=0) * variances.sum() / np.trace(covariance) / n**2
    found = design_effect(table)
    assert found.effect == pytest.approx((clustered * n / shares).sum() / 4)
    assert found.units == pytest.approx(
        np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    )
    assert 1 < found.units < 2


def test_a_prompt_with_almost_all_images_leaves_few_degrees_of_freedom() -> None:
    found = design_effect(np.array([[5e7, 5e7], [1.0, 0.0], [1.0, 1.0]]))
    assert 1 <= found.units < 1.6
    assert np.isfinite(found.effect)


def test_no_spread_and_a_single_prompt_have_no_effect() -> None:
    assert design_effect(np.array([[30.0, 0.0], [4.0, 0.0]])).effect == 1
    assert design_effect(np.array([[3.0, 2.0]])).effect == 1


def test_a_true_target_is_seldom_rejected_where_prompts_are_unequal() -> None:
    rng = np.random.default_rng(2)
    worlds = 250
    found = [
        target_distance(drawn(UNEQUAL, 0.3, rng), [0.5, 0.3, 0.2], by_prompt=True, rng=rng)
        for _ in range(worlds)
    ]
    rejected = np.mean([one is not None and one.p_value <= 0.05 for one in found])
    assert rejected <= 0.1  # 5 % and three standard errors
