"""The words of a prompt, with their places: what a word influence speaks of.

A word is a run of anything but spaces and punctuation; hyphens, apostrophes and ampersands inside
it belong to it, and so do the points and commas of a number. Punctuation stays outside, where it
is: "A doctor, at work." has four words, and replacing one leaves the comma and the point alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

# Everything but spaces and punctuation, so that accents and vowel signs stay with their letters.
_IN_WORD = r"[^\s!-/:-@\[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f]"
_JOINTS = r"['’&\u200c\u200d-]"
_WORD = re.compile(rf"\d+(?:[.,]\d+)+(?!{_IN_WORD})|{_IN_WORD}+(?:{_JOINTS}{_IN_WORD}+)*")


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word and where it is in its prompt, as in `prompt[start:end]`."""

    text: str
    start: int
    end: int


def split_words(prompt: str) -> tuple[PlacedWord, ...]:
    """Return the words of a prompt in order; none for an empty prompt.

    >>> [word.text for word in split_words("the CEO of a Fortune 500 company, smiling")]
    ['the', 'CEO', 'of', 'a', 'Fortune', '500', 'company', 'smiling']
    """
    return tuple(PlacedWord(m.group(), m.start(), m.end()) for m in _WORD.finditer(prompt))


def replaced(prompt: str, words: Mapping[int, str]) -> str:
    """Return the prompt with some of its words replaced, everything else as it is.

    >>> replaced("A doctor, at work.", {1: "nurse", 3: "home"})
    'A nurse, at home.'

    Args:
        prompt: The prompt.
        words: New words by position, counted from 0.

    Raises:
        IndexError: The prompt has no word at a position.
    """
    places = split_words(prompt)
    text = prompt
    for index in sorted(words, reverse=True):
        place = places[index]
        text = text[: place.start] + words[index] + text[place.end :]
    return text
