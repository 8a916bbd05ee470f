from __future__ import annotations

from collections.abc import Sequence

import pytest

from portrayal.errors import GenerationError, PortrayalError
from portrayal.loading.attempts import (
    OUT_OF_MEMORY,
    Attempts,
    Failure,
    Patience,
    first_line,
    is_out_of_memory,
)


class Doubler:
    """Doubles numbers; fails as told."""

    def __init__(
        self, *, fits: int = 100, bad: frozenset[int] = frozenset(), broken_calls: int = 0
    ) -> None:
        self.calls: list[list[int]] = []
        self._fits, self._bad, self._broken_calls = fits, bad, broken_calls

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.calls.append(list(numbers))
        if len(self.calls) <= self._broken_calls:
            raise ConnectionError("try later")
        if len(numbers) > self._fits:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        if self._bad & set(numbers):
            raise ValueError(f"cannot double {min(self._bad & set(numbers))}\nbecause")
        return [2 * number for number in numbers]


def patience(waits: list[float] | None = None) -> Patience:
    return Patience(tries=3, pause=0.5, sleep=(waits if waits is not None else []).append)


def test_what_succeeds_is_called_once() -> None:
    model = Doubler()
    assert Attempts(model, limit=4, patience=patience()).run(range(6)) == [0, 2, 4, 6, 8, 10]
    assert model.calls == [[0, 1, 2, 3], [4, 5]]


def test_pauses_double_between_tries() -> None:
    waits: list[float] = []
    model = Doubler(broken_calls=2)
    assert Attempts(model, limit=4, patience=patience(waits)).run([1, 2]) == [2, 4]
    assert waits == [0.5, 1.0]


def test_only_the_guilty_item_fails() -> None:
    model = Doubler(bad=frozenset({3}))
    answers = Attempts(model, limit=8, patience=patience()).run(range(5))
    assert answers == [0, 2, 4, Failure("ValueError: cannot double 3"), 8]


def test_items_alone_share_their_pauses() -> None:
    waits: list[float] = []
    model = Doubler(bad=frozenset(range(8)))
    answers = Attempts(model, limit=8, patience=patience(waits)).run(range(8))
    assert [type(answer) for answer in answers] == [Failure] * 8
    assert waits == [0.5, 1.0, 0.5, 1.0]


def test_a_full_memory_halves_the_batch_and_loses_nothing() -> None:
    waits: list[float] = []
    model = Doubler(fits=3)
    attempts = Attempts(model, limit=16, patience=patience(waits))
    assert attempts.run(range(16)) == [2 * number for number in range(16)]
    assert attempts.limit == 2
    assert [len(call) for call in model.calls] == [16, 8, 4] + [2] * 8
    assert waits == []
    attempts.run(range(4))
    assert [len(call) for call in model.calls[11:]] == [2, 2], "the smaller size is remembered"


def test_one_item_that_does_not_fit_fails_with_its_reason() -> None:
    answers = Attempts(Doubler(fits=0), limit=2, patience=patience()).run([1, 2])
    assert answers == [OUT_OF_MEMORY, OUT_OF_MEMORY]


def test_an_error_on_purpose_is_not_tried_again() -> None:
    calls = []

    def refuse(numbers: Sequence[int]) -> list[int]:
        calls.append(numbers)
        raise GenerationError("no such model")

    with pytest.raises(GenerationError, match="no such model"):
        Attempts(refuse, limit=4, patience=patience()).run([1, 2])
    assert len(calls) == 1


def test_ctrl_c_is_not_a_failure() -> None:
    def interrupted(numbers: Sequence[int]) -> list[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Attempts(interrupted, limit=4, patience=patience()).run([1])


def test_a_model_that_answers_too_little_is_an_error() -> None:
    with pytest.raises(PortrayalError, match="1 of 2 items"):
        Attempts(lambda numbers: [1], limit=4, patience=patience()).run([1, 2])


def test_no_items() -> None:
    assert Attempts(Doubler(), limit=4).run([]) == []


@pytest.mark.parametrize(
    "problem",
    [
        MemoryError(),
        RuntimeError("MPS backend out of memory (...)"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried ..."),
        type("OutOfMemoryError", (RuntimeError,), {})("x"),
    ],
)
def test_out_of_memory_is_recognised(problem: Exception) -> None:
    assert is_out_of_memory(problem)


def test_other_errors_are_not_out_of_memory() -> None:
    assert not is_out_of_memory(RuntimeError("shape mismatch"))
    assert not is_out_of_memory(ValueError("out of memory of what was said"))


def test_first_line_is_one_short_line() -> None:
    assert first_line(ValueError("\n  a\nb")) == "ValueError: a"
    assert first_line(KeyError()) == "KeyError"
    assert len(first_line(ValueError("x" * 999))) == 200
