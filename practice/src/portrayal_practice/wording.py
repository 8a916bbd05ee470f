"""Small English for captions: articles, choices, gender indicators."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from portrayal_practice.lexicon import WEB_NAMES, words

_T = TypeVar("_T")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_AN = re.compile(r"(?:[aeiou]|hon(?:est|or|our)|hour|heir)", re.IGNORECASE)
_A = re.compile(r"(?:uni[^nm]|use|euro|one\b|ewe)", re.IGNORECASE)

MALE_WORDS = frozenset(
    words(
        "he hes he's him his himself male males man mans man's men mens men's boy boys boy's gent "
        "gents gentleman gentlemans gentlemen gentlemens"
    )
)
FEMALE_WORDS = frozenset(
    words(
        "she shes she's her hers her's herself female females woman womans woman's women womens "
        "women's girl girls girl's lady ladies"
    )
)
"""Gender words of the amplification paper's appendix A.5."""

_MALE_NAMES = frozenset(name.lower() for name in WEB_NAMES["man"])
_FEMALE_NAMES = frozenset(name.lower() for name in WEB_NAMES["woman"])


def pick(options: Sequence[_T], rng: np.random.Generator) -> _T:
    """One of the options, each equally likely."""
    return options[int(rng.random() * len(options))]


def with_article(phrase: str) -> str:
    """The phrase behind "a" or "an", by the sound that its first word begins with."""
    an = _AN.match(phrase) and not _A.match(phrase)
    return f"{'an' if an else 'a'} {phrase}"


def capitalised(text: str) -> str:
    """The text with its first letter in upper case and the rest untouched."""
    return text[:1].upper() + text[1:]


def indicator_label(text: str) -> str:
    """Which gender a caption's words and first names indicate: female, male, both or unknown."""
    said = {word.lower().replace("’", "'") for word in _TOKEN.findall(text)}
    male = not said.isdisjoint(MALE_WORDS) or not said.isdisjoint(_MALE_NAMES)
    female = not said.isdisjoint(FEMALE_WORDS) or not said.isdisjoint(_FEMALE_NAMES)
    if male and female:
        return "both"
    return "male" if male else "female" if female else "unknown"
