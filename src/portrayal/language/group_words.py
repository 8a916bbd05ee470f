"""Words that name a perceived gender: gender words, pronouns, titles, kinship, gendered jobs.

`said_genders` reads a caption or a prompt as a person would: "male nurse", "her", "Mrs.", "uncle",
"waitress" and "businesswoman" name a gender; "men's boots", "King Street", "Mother's Day", "not a
man" and "man or woman?" do not say that a man or a woman is described. The shorter list of the
amplification paper's code is `portrayal.studies.MALE` and `FEMALE`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from typing import Literal

from portrayal.studies import FEMALE, MALE, named_groups, tokens

Gender = Literal["male", "female"]

_LISTS = tomllib.loads((files("portrayal.language") / "lists.toml").read_text(encoding="utf-8"))


def listed(name: str) -> frozenset[str]:
    """Return one of the lists of lists.toml."""
    return frozenset(str(_LISTS[name]).split())


MALE_WORDS = MALE | listed("male")
FEMALE_WORDS = FEMALE | listed("female")
_NO_MAN = listed("no_man")

_PHRASES = re.compile(
    r"\bisle of man\b|\bman[- ]?made\b|\bman[- ]?kind\b|\bmanhole\b|\blady ?bugs?\b|\bladybirds?\b"
    r"|\b(?:mother|father|valentine|grandparent)s?['’]?s? day\b|\b(?:king|queen)[- ]?size[d]?\b"
    r"|\b(?:boy|girl) ?scouts?\b|\b(?:ladies|gentlemen|girls|boys|guys|mens?)['’]? (?:night|room)\b"
    r"|\bmona lisa\b|\bguy fawkes\b|\bqueen bee\b|\bking crab\b|\bhis (?:and|&) hers\b"
    r"|\b(?:mother|father) (?:nature|board|land|christmas)\b|\bmotherboards?\b|\bmaid of honou?r\b"
    r"|\b(?:king|queen|prince|princess|lady|lord|duke|sir)s?['’]?s? "
    r"(?:street|st|road|rd|avenue|ave|park|square|hotel|hospital|college|university|island|county|"
    r"bridge|cross|lane|drive|theatre|theater|station|bed|mattress|burger|cake)\b",
    re.IGNORECASE,
)
"""Phrases in which a gender word names a thing, a place or a day."""

_THINGS = "|".join(sorted(listed("things")))
_FOR_SALE = re.compile(
    rf"\b(?:wo)?men['’]?s?['’]? (?:\w+ ){{0,3}}?(?:{_THINGS})\b"
    rf"|\b(?:boy|girl|ladie|lady|gent)s?['’]s?['’]? (?:\w+ ){{0,3}}?(?:{_THINGS})\b"
    rf"|\b(?:mens|womens|ladies|boys|girls|gents) (?:\w+ ){{0,2}}?(?:{_THINGS})\b",
    re.IGNORECASE,
)
"""Things that are sold for a gender: "men's steel toe boots"."""

_NEGATED = re.compile(
    r"\b(?:not|no|neither|nor|non|without|isn['’]t|aren['’]t|never)[ -]"
    r"(?:an? |the |any |your |just (?:an? )?)?(?P<word>[\w'’]+)(?: (?:n?or) (?P<other>[\w'’]+))?",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(?P<word>[\w'’]+) or (?:an? )?(?P<other>[\w'’]+)\b", re.IGNORECASE)


def said_genders(text: str) -> frozenset[Gender]:
    """Return the genders that the words of a text name; names of people are another matter.

    >>> sorted(said_genders("Two businesswomen and their uncle"))
    ['female', 'male']
    >>> said_genders("Men's boots, not a man's job: man or woman?")
    frozenset()
    """
    plain = without_things(text)
    plain = _EITHER.sub(_without_alternatives, _NEGATED.sub(_without_denied, plain))
    found = (gender_of_word(token) for token in tokens(plain))
    return frozenset(gender for gender in found if gender is not None)


def without_things(text: str) -> str:
    """Return a text without the things, places and days that are called by a gender word."""
    return _FOR_SALE.sub(" ", _PHRASES.sub(" ", text.replace("’", "'")))


def gender_of_word(word: str) -> Gender | None:
    """Return the gender that a single word names, in small letters; None for most words."""
    for form in (word, word.partition("'")[0]):
        if form in FEMALE_WORDS or _ends(form, ("woman", "women")):
            return "female"
        if form in MALE_WORDS or _ends(form, ("man", "men", "boy", "boys")):
            return "male"
    return None


def names_of_groups(text: str, groups: Iterable[str]) -> frozenset[str]:
    """Return the groups of an axis that the words of a text name.

    As `portrayal.studies.named_groups`, with all words of `said_genders` for woman and man.

    >>> sorted(names_of_groups("a waitress at the bar", ["woman", "man"]))
    ['woman']
    """
    wanted = list(groups)
    said = said_genders(text)
    words = {"woman": "female", "female": "female", "man": "male", "male": "male"}
    return named_groups(text, wanted) | {one for one in wanted if words.get(one) in said}


def _ends(word: str, endings: tuple[str, ...]) -> bool:
    long = any(len(word) > len(ending) + 2 and word.endswith(ending) for ending in endings)
    return long and word not in _NO_MAN


def _without_denied(found: re.Match[str]) -> str:
    """Drop the gender word behind a negation, and keep whatever else was matched."""
    denied = [found["word"], found["other"]]
    if not any(one and gender_of_word(one.lower()) for one in denied):
        return found.group()
    return " "


def _without_alternatives(found: re.Match[str]) -> str:
    """Drop "man or woman", which leaves open who is meant."""
    both = {gender_of_word(found[name].lower()) for name in ("word", "other")}
    return " " if both == {"male", "female"} else found.group()
