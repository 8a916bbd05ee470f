from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from portrayal.errors import StatisticsError
from portrayal.statistics import consensus


def labels(votes: list[list[object]], **options: object) -> list[object]:
    """Score votes written one item after the other."""
    raters = list(map(list, zip(*votes, strict=True)))
    return consensus(raters, **options).labels.tolist()  # type: ignore[arg-type]


def test_rules() -> None:
    votes: list[list[object]] = [
        ["man", "man", "man"],
        ["man", "man", "woman"],
        ["man", "man", "?"],
        ["man", "woman", "?"],
        ["?", "?", "man"],
        ["?", "?", "?"],
    ]
    certain = ["man", "man", None, None, None, None]
    assert labels(votes, rule="majority-certain", uncertain={"?"}) == certain
    plain = ["man", "man", "man", None, None, None]
    assert labels(votes, rule="majority", uncertain={"?"}) == plain
    assert labels(votes, uncertain={"?"}) == plain, "majority is the default"
    assert labels(votes, rule="unanimous", uncertain={"?"}) == ["man"] + [None] * 5


def test_why_there_is_no_answer() -> None:
    votes = [["a", "a", "?", None], ["a", "b", "a", None], ["a", "?", "a", None]]
    result = consensus(votes, rule="majority-certain", uncertain=["?"])
    assert (result.n, result.n_missing) == (1, 3)
    assert (result.n_unvoted, result.n_uncertain, result.n_divided) == (1, 2, 0)
    plain = consensus(votes, rule="unanimous", uncertain=["?"])
    assert (plain.n, plain.n_unvoted, plain.n_uncertain, plain.n_divided) == (1, 1, 0, 2)


def test_half_is_no_majority_and_missing_votes_do_not_vote() -> None:
    votes: list[list[object]] = [
        ["a", "a", "b", "b"],
        ["a", "a", "a", "b"],
        ["a", None, None, None],
        ["a", "b", math.nan, None],
    ]
    assert labels(votes) == [None, "a", "a", None]


def test_codes_as_released_by_entigen() -> None:
    votes = np.array([[1, 1, 3], [1, 2, 1], [2, 1, 1]])
    result = consensus(votes, rule="majority-certain", uncertain=(3, 4))
    assert result.labels.tolist() == [1, 1, None]


def test_agrees_with_counting() -> None:
    generator = np.random.default_rng(1)
    votes = generator.choice(list("abc?"), size=(5, 200))
    result = consensus(votes, rule="majority", uncertain="?")
    for item in range(200):
        label, count = Counter(votes[:, item].tolist()).most_common(1)[0]
        wanted = label if count >= 3 and label != "?" else None
        assert result.labels[item] == wanted


def test_renaming_labels_renames_answers() -> None:
    generator = np.random.default_rng(2)
    codes = generator.integers(3, size=(3, 50))
    names = np.array(["z", "m", "a"])
    plain, named = consensus(codes).labels, consensus(names[codes]).labels
    assert [None if x is None else str(names[x]) for x in plain] == named.tolist()


def test_degenerate() -> None:
    assert consensus([[]]).n == 0
    assert consensus([[None, None]]).labels.tolist() == [None, None]
    assert consensus(["a", "b"], ["a", "b"]).labels.tolist() == ["a", "b"]
    assert consensus([["a", "b"]], rule="unanimous").labels.tolist() == ["a", "b"]
    with pytest.raises(StatisticsError, match="rule is 'most'; allowed: majority, unanimous"):
        consensus([["a"]], rule="most")  # type: ignore[arg-type]
    with pytest.raises(StatisticsError, match="ratings are no table"):
        consensus([])
