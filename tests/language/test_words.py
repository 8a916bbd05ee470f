"""What counts as another word."""

from __future__ import annotations

import pytest

from portrayal.language.words import is_word, same_word


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("doctor", "doctors"), ("doctor", "Doctor"), ("doctor", "doctor's"), ("nurses", "nurses'"),
        ("nurse", "nursing"), ("nurse", "nurses"), ("city", "cities"), ("box", "boxes"),
        ("carry", "carried"), ("plan", "planned"), ("plan", "planning"), ("smile", "smiling"),
        ("respected", "respect"), ("respected", "respecting"), ("tall", "taller"),
        ("big", "biggest"), ("happy", "happier"), ("teach", "teacher"), ("teachers", "teaching"),
        ("man", "men"), ("woman", "women"), ("child", "children"), ("person", "people"),
    ],
)  # fmt: skip
def test_inflections_are_the_same_word(one: str, other: str) -> None:
    assert same_word(one, other)
    assert same_word(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "an"), ("a", "the"), ("an", "the"), ("at", "as"), ("doctor", "nurse"),
        ("king", "kin"), ("boss", "bos"), ("this", "thi"), ("bus", "bu"), ("ring", "rang"),
        ("man", "woman"), ("male", "female"), ("glass", "glas"), ("spring", "spr"),
        ("hospital", "hospitality"), ("she", "her"),
    ],
)  # fmt: skip
def test_other_words_are_other_words(one: str, other: str) -> None:
    assert not same_word(one, other)


@pytest.mark.parametrize("text", ["nurse", "a", "I", "dark-skinned", "o'clock", "médecin", "医"])
def test_whole_words(text: str) -> None:
    assert is_word(text, original="doctor")


@pytest.mark.parametrize(
    "text", ["", "b", ",", "##ing", "500", "4k", "[MASK]", "at_work", "-", "a b"]
)
def test_no_words(text: str) -> None:
    assert not is_word(text, original="doctor")


def test_digits_only_in_place_of_digits() -> None:
    assert is_word("100", original="500")
    assert is_word("hundred", original="500")
    assert is_word("8k", original="4k")
    assert not is_word("8k", original="500")
