from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from portrayal.audit.sharing import own_place
from portrayal.generators.missing import MissingRequests
from portrayal.records import Request


def missing(**wanted: int) -> pa.Table:
    rows = [(prompt, seed) for prompt, n in wanted.items() for seed in range(n)]
    return pa.table(
        {
            "prompt": pa.array([prompt for prompt, _ in rows], pa.string()),
            "seed": pa.array([seed for _, seed in rows], pa.int64()),
        }
    )


def drain(work: MissingRequests, count: int) -> list[Request]:
    taken: list[Request] = []
    while work.left:
        taken += work.take(count)
    return taken


def test_the_first_process_walks_in_the_order_wanted() -> None:
    work = MissingRequests(missing(b=2, a=3))
    assert work.take(3) == [Request("b", 0), Request("b", 1), Request("a", 0)]
    assert work.take(9) == [Request("a", 1), Request("a", 2)]
    assert work.take(1) == []


def test_the_second_process_walks_from_the_back() -> None:
    work = MissingRequests(missing(b=2, a=3), place=1)
    assert work.take(2) == [Request("a", 1), Request("a", 2)]
    assert work.take(9) == [Request("b", 0), Request("b", 1), Request("a", 0)]


@pytest.mark.parametrize("place", [0, 1, 2, 7])
def test_everything_is_taken_exactly_once(place: int) -> None:
    table = missing(a=37, b=1, c=20)
    work = MissingRequests(table, place=place)
    counts = Counter(drain(work, 5))
    assert len(counts) == 58
    assert set(counts.values()) == {1}


def test_further_processes_begin_at_different_places() -> None:
    firsts = {MissingRequests(missing(a=1000), place=2).take(1)[0] for _ in range(20)}
    assert len(firsts) > 10


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_others_made_is_not_taken(place: int) -> None:
    work = MissingRequests(missing(a=6, b=6), place=place)
    assert work.strike(["a", "a", "b", "zzz", "a"], [0, 5, 3, 0, 99]) == 3
    assert work.strike(["a"], [0]) == 0
    taken = drain(work, 4)
    assert len(taken) == 9
    assert not {Request("a", 0), Request("a", 5), Request("b", 3)} & set(taken)


def test_nothing_missing() -> None:
    work = MissingRequests(missing())
    assert work.left == 0
    assert work.take(4) == []


def test_places_are_different_and_given_back(tmp_path: Path) -> None:
    with own_place(tmp_path) as first, own_place(tmp_path) as second, own_place(tmp_path) as third:
        assert (first, second, third) == (0, 1, 2)
    with own_place(tmp_path) as again:
        assert again == 0


def test_a_folder_that_cannot_hold_locks_still_gives_a_place(tmp_path: Path) -> None:
    with own_place(tmp_path / "absent") as place:
        assert place > 1
