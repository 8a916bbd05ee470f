"""Embeddings in blocks: the same numbers as all of them at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.findings.vectors import StoredVectors, cosines_of, normalised
from portrayal.records import Identity, Measurement

ENCODER = Identity("encoder", "toy")
DIRECTIONS = normalised(np.array([[1.0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 3, 4]]))


def stored(path: Path, rows: np.ndarray, *, part: int = 3) -> AuditFolder:
    """Return an audit with an embedding per row, in parts of a few rows."""
    audit = AuditFolder.at(path / "audit", Identity("toy", "generator"))
    for start in range(0, len(rows), part):
        some = enumerate(rows[start : start + part], start)
        audit.append_measurements(
            ENCODER,
            {"embedding": "vector"},
            [Measurement(f"key {i:02}", {"embedding": row}) for i, row in some],
        )
    return audit


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(4).normal(size=(11, 4)).astype(np.float32)


def test_cosines_are_those_of_the_whole_matrix(tmp_path: Path, rows: np.ndarray) -> None:
    audit = stored(tmp_path, rows)
    vectors = StoredVectors(audit, ENCODER, keys=None, n=len(rows), directions=DIRECTIONS[:2])
    assert list(vectors.place) == [f"key {i:02}" for i in range(11)]
    expected = normalised(rows) @ DIRECTIONS.T
    # The first two were announced, the third takes a second pass.
    assert vectors.cosines(DIRECTIONS) == pytest.approx(expected, abs=1e-15)
    assert cosines_of(rows)(DIRECTIONS) == pytest.approx(expected, abs=1e-15)
    np.testing.assert_array_equal(vectors.rows(np.array([7, 0])), rows[[7, 0]])


def test_only_the_wanted_keys_have_a_place(tmp_path: Path, rows: np.ndarray) -> None:
    audit = stored(tmp_path, rows)
    vectors = StoredVectors(
        audit, ENCODER, keys={"key 02", "key 09", "no key"}, n=11, directions=DIRECTIONS
    )
    assert vectors.place == {"key 02": 0, "key 09": 1}
    expected = normalised(rows[[2, 9]]) @ DIRECTIONS.T
    assert vectors.cosines(DIRECTIONS) == pytest.approx(expected, abs=1e-15)
    assert vectors.good.tolist() == [True, True]


def test_of_a_key_stored_twice_the_first_embedding_counts(tmp_path: Path, rows: np.ndarray) -> None:
    audit = stored(tmp_path, rows[:4])
    again = stored(tmp_path / "other", -rows[:4])
    for part in sorted((again.path / "measurements").glob("*/part-*")):
        part.rename(next((audit.path / "measurements").iterdir()) / part.name)
    vectors = StoredVectors(audit, ENCODER, keys=None, n=8)
    assert vectors.cosines(DIRECTIONS) == pytest.approx(normalised(rows[:4]) @ DIRECTIONS.T)
    np.testing.assert_array_equal(vectors.rows(np.arange(4)), rows[:4])


def test_an_embedding_without_a_direction_is_nan_and_not_good(
    tmp_path: Path, rows: np.ndarray
) -> None:
    rows[3], rows[5, 1], rows[6, 0] = 0, np.nan, np.inf
    vectors = StoredVectors(stored(tmp_path, rows), ENCODER, keys=None, n=11, directions=DIRECTIONS)
    bad = [3, 5, 6]
    assert np.flatnonzero(~vectors.good).tolist() == bad
    found = vectors.cosines(DIRECTIONS)
    assert np.isnan(found[bad]).all()
    assert np.isfinite(np.delete(found, bad, axis=0)).all()


def test_mean_directions_are_means_of_normalised_rows(tmp_path: Path, rows: np.ndarray) -> None:
    vectors = StoredVectors(stored(tmp_path, rows), ENCODER, keys=None, n=11)
    sets = [np.array([0, 4, 10]), np.array([4]), np.array([], dtype=np.int64)]
    found = vectors.mean_directions(sets)
    assert found[0] == pytest.approx(normalised(rows[[0, 4, 10]]).mean(axis=0), abs=1e-7)
    assert found[1] == pytest.approx(normalised(rows[[4]])[0], abs=1e-7)
    assert found[2].tolist() == [0, 0, 0, 0]


def test_nothing_stored_has_no_rows(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("toy", "generator"))
    vectors = StoredVectors(audit, ENCODER, keys=None, n=0, directions=DIRECTIONS)
    assert vectors.cosines(DIRECTIONS).shape == (0, 3)
    assert vectors.rows(np.zeros(0, dtype=np.int64)).shape == (0, 0)
    assert vectors.mean_directions([]).shape == (0, 0)


def test_blocks_of_different_width_are_refused(tmp_path: Path, rows: np.ndarray) -> None:
    audit = stored(tmp_path, rows[:4])
    other = stored(tmp_path / "other", np.ones((2, 5), dtype=np.float32))
    for part in (other.path / "measurements").glob("*/part-*"):
        part.rename(next((audit.path / "measurements").iterdir()) / part.name)
    with pytest.raises(AuditError, match="different width: got 4 and 5"):
        StoredVectors(audit, ENCODER, keys=None, n=6)
