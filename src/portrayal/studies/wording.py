"""Prompts from templates, with the article that English wants.

A template holds fields in braces: `{stimulus}` puts the word as it is, `{a stimulus}` (or
`{an stimulus}`) puts it with its indefinite article: "a photo of {a stimulus}" becomes
"a photo of an ant". `{A stimulus}` does the same at the start of a sentence.

The article is chosen by the first sound, read off the spelling:

1. a word that brings its own determiner ("the sun", "an old man") is left alone;
2. no article before words listed as `bare` by the study (mass nouns, regular plurals, names), nor
   before people, men, women and children;
3. "an" before an acronym or a number whose first letter or digit is spoken with a vowel (MRI, 8),
   before a silent h (hour, honest, heir), and before a vowel letter;
4. "a" before a vowel letter spoken as "you" or "w" (university, European, user, one);
5. "a" before everything else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_FIELD = re.compile(r"\{(?:(?P<article>[Aa]n?)\s+)?(?P<name>[^{}]+)\}")
_DETERMINER = re.compile(r"(an?|the|some|this|that|my|your|his|her|their|our)\s", re.IGNORECASE)
_PLURALS = frozenset({"people", "men", "women", "children"})
_SILENT_H = re.compile(r"(hour|honest|honou?r|heir)")
_SPOKEN_YOU = re.compile(
    r"(uni(?!n|m|dent)|us[aeiu]|ut[ei]|ur[aio]|uk[eu]|ub[i]|eu|ewe|one(?![a-z])|once)"
)
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
_VOWEL_NUMBER = re.compile(r"(8|11(?!\d)|18(?!\d))")


def article(phrase: str) -> str:
    """Return "a" or "an" for a phrase, by rules 3 to 5 above."""
    first = re.split(r"[\s-]", phrase.strip(), maxsplit=1)[0]
    letters = re.sub(r"[^A-Za-z]", "", first)
    if first[:1].isdigit():
        return "an" if _VOWEL_NUMBER.match(first) else "a"
    if len(letters) > 1 and letters.isupper():
        return "an" if letters[0] in _VOWEL_LETTERS else "a"
    lower = letters.lower()
    if _SILENT_H.match(lower):
        return "an"
    return "an" if lower[:1] in tuple("aeiou") and not _SPOKEN_YOU.match(lower) else "a"


def with_article(phrase: str, *, bare: Collection[str] = ()) -> str:
    """Return the phrase with its indefinite article, where it takes one."""
    last = phrase.lower().rsplit(maxsplit=1)[-1]
    takes_none = phrase in bare or last in _PLURALS or _DETERMINER.match(phrase)
    return phrase if takes_none else f"{article(phrase)} {phrase}"


def fields(template: str) -> tuple[str, ...]:
    """Return the names of a template's fields, in order.

    Raises:
        ValueError: A brace has no partner.
    """
    if re.search(r"[{}]", _FIELD.sub("", template)):
        raise ValueError(f"is {template!r}; a brace has no partner")
    return tuple(match["name"] for match in _FIELD.finditer(template))


def fill(template: str, values: Mapping[str, str], *, bare: Collection[str] = ()) -> str:
    """Return the template with its fields filled in.

    Args:
        template: Text with fields such as `{stimulus}` or `{a stimulus}`.
        values: One value for each field.
        bare: Values that take no article.
    """

    def put(match: re.Match[str]) -> str:
        if match["name"] not in values:  # braces of a word that was filled in before
            return match[0]
        value = values[match["name"]]
        wanted = match["article"]
        if wanted is None:
            return value
        text = with_article(value, bare=bare)
        return text[0].upper() + text[1:] if wanted[0] == "A" else text

    return _FIELD.sub(put, template)


def substitute(text: str, placeholder: str, word: str, *, bare: Collection[str] = ()) -> str:
    """Replace the first whole-word `placeholder` by `word`, and fix the article before it.

    `substitute("a person studying math", "person", "aunt")` gives "an aunt studying math".

    Raises:
        ValueError: The text does not hold the placeholder.
    """
    pattern = re.compile(rf"(?:\b(?P<article>an?)\s+)?\b{re.escape(placeholder)}\b", re.IGNORECASE)
    match = pattern.search(text)
    if match is None:
        raise ValueError(f"is {text!r}; it lacks the placeholder word {placeholder!r}")
    new = word
    if match["article"]:
        new = with_article(word, bare=bare)
        new = new[0].upper() + new[1:] if match["article"][0] == "A" else new
    return text[: match.start()] + new + text[match.end() :]
