"""Our own finder of first names in captions: capitals, titles taken off, places left out.

Compared with `capitals`: titles and occupations before a name are skipped ("Chef Antonio B."),
captions all in capitals or all in small letters are read too, and what the words around a name make
a place, a street, a hospital or a firm ("Charlotte NC", "Henry Ford Hospital") is no person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from portrayal.language.group_words import gender_of_word, listed, without_things

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?|[,;:|()&/–—-]|\d+")
_INITIAL = re.compile(r"[^\W\d_]\.?")

_BEHIND_A_PLACE = listed("behind_a_place")
_BEFORE_A_PLACE = listed("before_a_place")
_REGIONS = listed("regions")
_ALSO_WORDS = listed("also_words")
_COMMON = listed("common")


def people_in(captions: Sequence[str]) -> list[list[str]]:
    """Return the first names of people in each caption, each with the word behind it.

    >>> people_in(["Chef Antonio Bellucci", "Charlotte NC attorney", "KAREN DOYLE, DENTIST"])
    [['Antonio Bellucci'], [], ['Karen Doyle']]
    """
    return [_people(caption) for caption in captions]


def _people(caption: str) -> list[str]:
    words = _TOKEN.findall(without_things(caption))
    letters = [word for word in words if word[0].isalpha()]
    if len(letters) > 1 and all(word.isupper() for word in letters):
        words = [word.title() for word in words]
    if letters and all(word.islower() for word in letters):
        return _in_small_letters(words)
    return [name for at in range(len(words)) if (name := _name_at(words, at))]


def _name_at(words: Sequence[str], at: int) -> str:
    """Return the name that begins at a word; "" where none does."""
    word = words[at]
    if not _is_capital(word) or _INITIAL.fullmatch(word) or word.lower() in _COMMON:
        return ""
    if gender_of_word(word.lower()):
        return ""
    before = words[at - 1].rstrip(".").lower() if at else ""
    behind = list(words[at + 1 : at + 5])
    surname = _surname(behind)
    if before in ("st", "saint", "san", "santa", "&") or (behind and behind[0] == "&"):
        return ""
    if any(_plain(one) in _BEHIND_A_PLACE for one in _run(behind)):
        return ""
    possessive = word.endswith(("'s", "’s"))
    first = re.sub(r"['’]s$", "", word).rstrip(".")
    if surname:
        return "" if possessive and first.lower() in _ALSO_WORDS else f"{first} {surname}"
    after_a_name = at > 0 and _is_capital(words[at - 1])  # the surname, not another person
    if first.lower() in _ALSO_WORDS or before in _BEFORE_A_PLACE or after_a_name:
        return ""
    ends = not behind or behind[0] in (",", "(", ")", ":", "|", "–", "—", "-", ";") or possessive
    follows_region = len(behind) > 1 and behind[0] == "," and _plain(behind[1]) in _REGIONS
    return first if ends and not follows_region else ""


def _surname(behind: Sequence[str]) -> str:
    """Return the capital word behind a first name, initials between them left out."""
    for word in behind[:3]:
        if _INITIAL.fullmatch(word):
            continue
        fits = _is_capital(word) and _plain(word) not in _REGIONS | _BEHIND_A_PLACE
        return word.rstrip(".") if fits else ""
    return ""


def _run(behind: Sequence[str]) -> list[str]:
    """Return the capital words that follow without a break."""
    found = []
    for word in behind:
        if not _is_capital(word):
            break
        found.append(word)
    return found


def _in_small_letters(words: Sequence[str]) -> list[str]:
    """Return the first two words of a caption without capitals: a name is often there."""
    first = [word for word in words[:2] if word[0].isalpha()]
    fits = len(first) == 2 and first[0] not in _COMMON | _ALSO_WORDS and first[1] not in _COMMON
    return [" ".join(word.title() for word in first)] if fits and len(words) > 2 else []


def _is_capital(word: str) -> bool:
    return word[0].isupper()


def _plain(word: str) -> str:
    return re.sub(r"['’]s?$", "", word.rstrip(".")).lower()
