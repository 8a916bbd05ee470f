"""What counts as another word: not a piece, not punctuation, not the same word in other dress.

A replacement must differ from the original by more than its ending, or replacing "doctor" by
"doctors" would say that the word does not matter. The rules are small on purpose: plural,
possessive, -ed, -ing, -er and -est are taken off, and two words that can share a stem are the same
word. Words of up to three letters are compared as they are, so "a", "an" and "the" are three words.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MIXED = re.compile(r"(?=.*[^\W\d_])[^\W_]+(?:['’-][^\W_]+)*")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_VOWEL = re.compile(r"[aeiouy]|[^\x00-\x7f]")
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")
_POSSESSIVE = re.compile(r"(['’]s|(?<=s)['’])$")
_ALONE = frozenset("ai")
"""The letters that are words of English by themselves."""

_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "people": "person", "persons": "person",
    "wives": "wife", "lives": "life", "knives": "knife", "leaves": "leaf", "feet": "foot",
    "teeth": "tooth", "mice": "mouse", "geese": "goose",
}  # fmt: skip
_LEAST = 3
"""Letters that must be left of a word when its ending is taken off."""


def is_word(text: str, *, original: str = "") -> bool:
    """Tell whether a model's proposal is a whole word that may be used in a prompt.

    Words of letters, with hyphens and apostrophes inside. Single letters only where they are words
    ("a", "I"); numbers and words with digits only in place of such a word.

    Args:
        text: The proposal, without marks of word pieces.
        original: The word that it would replace.
    """
    if _DIGITS.fullmatch(text):
        return bool(_DIGITS.fullmatch(original))
    pattern = _MIXED if _MIXED.fullmatch(original) and re.search(r"\d", original) else _LETTERS
    if not pattern.fullmatch(text):
        return False
    return len(text) > 1 or text.casefold() in _ALONE or not text.isascii()


def same_word(one: str, other: str) -> bool:
    """Tell whether two words are the same but for case and inflection.

    >>> same_word("doctor", "Doctors"), same_word("nurse", "nursing"), same_word("a", "an")
    (True, True, False)
    """
    return not stems(one).isdisjoint(stems(other))


@lru_cache(maxsize=200_000)
def stems(word: str) -> frozenset[str]:
    """Return the forms that a word may be an inflection of, itself among them."""
    plain = _POSSESSIVE.sub("", word.casefold())
    plain = _IRREGULAR.get(plain, plain)
    found = {plain}
    if len(plain) > _LEAST:
        for ending in (_plural, _past_or_going, _compared):
            found |= ending(plain)
    return frozenset(found)


def _plural(word: str) -> set[str]:
    if word.endswith("ies") and len(word) > 4:
        return {word[:-3] + "y"}
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return set()
    shorter = {word[:-1]}
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        shorter.add(word[:-2])
    return _long_enough(shorter)


def _past_or_going(word: str) -> set[str]:
    if word.endswith("ied"):
        return _long_enough({word[:-3] + "y"})
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            return _without(word, ending)
    return set()


def _compared(word: str) -> set[str]:
    """Take off -er and -est, of comparison ("taller") and of who does it ("teacher")."""
    for ending in ("ers", "er", "est"):
        if word.endswith("i" + ending):
            return _long_enough({word[: -len(ending) - 1] + "y"})
        if word.endswith(ending):
            return _without(word, ending)
    return set()


def _without(word: str, ending: str) -> set[str]:
    base = word[: -len(ending)]
    if not _VOWEL.search(base):
        return set()
    found = {base, base + "e"}
    if _DOUBLED.search(base):
        found.add(base[:-1])
    return _long_enough(found)


def _long_enough(words: set[str]) -> set[str]:
    return {word for word in words if len(word) >= _LEAST}
