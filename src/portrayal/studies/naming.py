"""Which groups a text names: the words by which prompts, as written or rewritten, ask for them.

Words say nothing about who an image shows; they are what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from portrayal.studies.axes import Axis

MALE = frozenset(
    (
        "he", "hes", "he's", "him", "his", "himself", "male", "males", "man", "mans", "men", "mens",
        "boy", "boys", "gent", "gents", "gentleman", "gentlemans", "gentlemen", "gentlemens",
    )
)  # fmt: skip
"""Words of the amplification paper's code (appendix A.5)."""

FEMALE = frozenset(
    (
        "she", "shes", "she's", "her", "hers", "her's", "herself", "female", "females", "woman",
        "womans", "women", "womens", "girl", "girls", "lady", "ladies",
    )
)  # fmt: skip
"""See `MALE`."""

_SYNONYMS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("woman", "women", "female"), FEMALE),
    **dict.fromkeys(("man", "men", "male"), MALE),
    "dark skin": frozenset(
        ("dark skin", "dark skinned", "darker skin", "brown skin", "black skin")
    ),
    "light skin": frozenset(
        ("light skin", "light skinned", "lighter skin", "fair skin", "fair skinned", "pale skin")
    ),
}
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def tokens(text: str) -> list[str]:
    """Return the words of a text in small letters; hyphens part words.

    >>> tokens("A light-skinned woman's dog")
    ['a', 'light', 'skinned', "woman's", 'dog']
    """
    return _TOKEN.findall(text.lower().replace("’", "'"))


def named_groups(text: str, groups: Iterable[str]) -> frozenset[str]:
    """Return the groups of an axis that a text names.

    A group is named by its own name, as one or many, and those of perceived gender and skin tone by
    other words too; a word before an apostrophe counts ("the woman's").

    >>> sorted(named_groups("The nurse's husband and her child", ["woman", "man"]))
    ['woman']
    """
    found = tokens(text)
    said = {*found, *(one.partition("'")[0] for one in found)}
    line = f" {' '.join(found)} "
    return frozenset(
        group
        for group in groups
        if any(
            f" {words} " in line if " " in words else words in said for words in _words_of(group)
        )
    )


def added_groups(text: str, rewritten: str, axis: Axis) -> frozenset[str]:
    """Return the groups of an axis that a rewritten text names and the text itself does not."""
    return named_groups(rewritten, axis.groups) - named_groups(text, axis.groups)


def _words_of(group: str) -> frozenset[str]:
    name = " ".join(tokens(group))
    return _SYNONYMS.get(name) or frozenset((name, f"{name}s"))
