"""Words and where they stand: punctuation outside, everything else untouched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portrayal.studies.words import replaced, split_words


def words(prompt: str) -> list[str]:
    return [word.text for word in split_words(prompt)]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (
            "a respected doctor at the hospital",
            ["a", "respected", "doctor", "at", "the", "hospital"],
        ),
        ('"A doctor," she said (at 9.30).', ["A", "doctor", "she", "said", "at", "9.30"]),
        (
            "the nurse's dark-skinned AT&T friend",
            ["the", "nurse's", "dark-skinned", "AT&T", "friend"],
        ),
        ("1,000 x 4k; 10 — 20", ["1,000", "x", "4k", "10", "20"]),
        ("nai\u0308ve médecin हिन्दी 医生", ["nai\u0308ve", "médecin", "हिन्दी", "医生"]),
        ("at_work", ["at", "work"]),
        ("doctor", ["doctor"]),
        ("", []),
        (" ... !", []),
    ],
)
def test_words_are_found(prompt: str, expected: list[str]) -> None:
    assert words(prompt) == expected


def test_places_point_at_the_words() -> None:
    prompt = "  A doctor, at work."
    assert [prompt[word.start : word.end] for word in split_words(prompt)] == words(prompt)


def test_replacing_leaves_everything_else() -> None:
    assert replaced("A doctor, at  work.", {1: "nurse", 3: "home"}) == "A nurse, at  home."
    assert replaced("A doctor", {}) == "A doctor"


def test_a_position_beyond_the_words_is_an_error() -> None:
    with pytest.raises(IndexError):
        replaced("A doctor", {2: "x"})


@given(st.text(max_size=60))
def test_putting_every_word_back_changes_nothing(prompt: str) -> None:
    assert replaced(prompt, dict(enumerate(words(prompt)))) == prompt
