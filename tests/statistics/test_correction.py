from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from portrayal.errors import StatisticsError
from portrayal.statistics import benjamini_hochberg

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "correction.json").read_text())


@pytest.mark.parametrize("wrong", [1.2, -0.1, np.inf])
def test_impossible_p_values_are_refused(wrong: float) -> None:
    with pytest.raises(StatisticsError, match="allowed: 0 to 1 or NaN"):
        benjamini_hochberg([0.1, wrong])
    with pytest.raises(StatisticsError, match="not numbers"):
        benjamini_hochberg(["small"])


def test_example_of_the_paper() -> None:
    q = benjamini_hochberg(GOLDEN["p_values"])
    assert int((q <= 0.05).sum()) == GOLDEN["rejected"]
    assert (q[: GOLDEN["rejected"]] <= 0.05).all()


def test_statsmodels_agrees() -> None:
    p = np.random.default_rng(0).uniform(size=40) ** 2
    np.testing.assert_allclose(benjamini_hochberg(p), multipletests(p, method="fdr_bh")[1])


def test_order_and_shape_are_kept() -> None:
    p = np.random.default_rng(1).uniform(size=(3, 4))
    q = benjamini_hochberg(p)
    assert q.shape == (3, 4)
    order = np.random.default_rng(2).permutation(12)
    np.testing.assert_allclose(benjamini_hochberg(p.ravel()[order]), q.ravel()[order])
    assert (q >= p).all()


def test_questions_without_an_answer_cost_nothing() -> None:
    q = benjamini_hochberg([0.01, np.nan, 0.02, np.nan])
    np.testing.assert_allclose(q[[0, 2]], benjamini_hochberg([0.01, 0.02]))
    assert np.isnan(q[[1, 3]]).all()


def test_nothing_to_correct() -> None:
    assert benjamini_hochberg([]).size == 0
    assert np.isnan(benjamini_hochberg([np.nan])).all()
    assert benjamini_hochberg([0.03]).tolist() == [0.03]
    assert benjamini_hochberg([1.0, 1.0]).tolist() == [1.0, 1.0]
