from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from portrayal.statistics import error_tables
from portrayal.statistics.error_tables import CheckedCounts, draw_error_tables


def images(seed: int, labels: int = 30) -> tuple[np.ndarray, ...]:
    """Return predictions (30 % / 10 % errors), labels and prompts of 20 prompts of 60 images."""
    rng = np.random.default_rng(seed)
    prompts = np.repeat(np.arange(20), 60)
    truth = (rng.random(1200) < rng.beta(1.0, 1.0, 20)[prompts]).astype(np.intp)
    wrong = rng.random(1200) < np.where(truth == 1, 0.3, 0.1)
    given = np.full(1200, -1)
    asked = rng.choice(1200, labels, replace=False)
    given[asked] = truth[asked]
    return np.where(wrong, 1 - truth, truth), given, prompts


def better_than_guessing(seed: int) -> np.ndarray:
    """Return how much better than guessing the measurer is, per table drawn; 0.6 is true."""
    f, y, prompts = images(seed)
    counts = CheckedCounts.of(f, y, prompts, shape=(2, 2))
    rng = np.random.default_rng(seed)
    tables, means = draw_error_tables(f, y, np.ones(f.size), counts, draws=20, rng=rng)
    for table, mean in zip(tables, means, strict=True):
        assert mean @ table == pytest.approx(np.bincount(f) / f.size, abs=0.1)
    assert tables.shape == (20, 2, 2)
    assert tables.sum(axis=2) == pytest.approx(np.ones((20, 2)))
    return np.asarray(tables[:, 1, 1] - tables[:, 0, 1])


def test_images_without_a_label_tell_of_errors_too(monkeypatch: pytest.MonkeyPatch) -> None:
    both = np.array([better_than_guessing(seed) for seed in range(16)])
    # Where all tables are as likely, those of the labelled images alone are drawn.
    monkeypatch.setattr(error_tables, "_log_evidence", lambda *_: 0.0)
    alone = np.array([better_than_guessing(seed) for seed in range(16)])
    assert both.std(axis=1).mean() < 0.9 * alone.std(axis=1).mean()
    assert np.abs(both.mean(axis=1) - 0.6).mean() < np.abs(alone.mean(axis=1) - 0.6).mean()
    assert abs(both.mean() - 0.6) < 0.05


NOBODY_ASKED = np.zeros((4, 2), dtype=np.intp)


def test_evidence_is_that_of_beta_binomial_counts() -> None:
    # Of a measurer without errors, prompts' counts are beta-binomial.
    counts, repeats, mean = np.array([[9, 3], [2, 10], [5, 7], [11, 1]]), np.arange(1, 5), 0.6
    size = 1 / error_tables._CORRELATIONS - 1
    a, b = size * mean, size * (1 - mean)
    log = sum(
        n * (special.betaln(a + x, b + y) - special.betaln(a, b) - x * np.log(mean))
        - n * y * np.log(1 - mean)
        for (x, y), n in zip(counts, repeats, strict=True)
    )
    both = np.array([mean, 1 - mean])
    for images in (CheckedCounts(counts, NOBODY_ASKED), CheckedCounts(NOBODY_ASKED, counts)):
        got = error_tables._log_evidence(np.eye(2), both, images, repeats)
        assert got == pytest.approx(log.max(), abs=0.2)


def test_prompts_that_are_all_alike_say_nothing_of_errors() -> None:
    images = CheckedCounts(np.array([[30, 30]]), NOBODY_ASKED[:1])
    mean, repeats = np.array([0.5, 0.5]), np.array([20])
    tables = [np.array([[1 - e, e], [e, 1 - e]]) for e in (0.02, 0.2, 0.4)]
    found = [error_tables._log_evidence(one, mean, images, repeats) for one in tables]
    assert np.ptp(found) < 0.3


def test_enough_tables_count_however_sure_images_seem() -> None:
    logs = -np.arange(60.0) * 50
    weights = error_tables._weights(logs, least=30)
    assert weights.sum() == pytest.approx(1)
    assert 1 / (weights**2).sum() >= 30
    assert (np.diff(weights) < 0).all()
    assert error_tables._weights(np.zeros(60), least=30) == pytest.approx(np.full(60, 1 / 60))


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 2), (3, 4)])
def test_any_number_of_answers(shape: tuple[int, int]) -> None:
    answers, width = shape
    f, y = np.arange(60) % width, np.where(np.arange(60) % 3 == 0, np.arange(60) % answers, -1)
    counts = CheckedCounts.of(f, y, np.arange(60) // 10, shape=shape)
    rng = np.random.default_rng(0)
    found = draw_error_tables(f, y, np.ones(60), counts, draws=20, rng=rng)
    assert found.tables.shape == (20, answers, width)
    assert np.isfinite(found.tables).all()
    assert found.means.sum(axis=1) == pytest.approx(np.ones(20))
