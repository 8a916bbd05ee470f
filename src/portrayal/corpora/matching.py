r"""Terms as SQL: which of many terms does a caption hold, in one look at it.

Every caption meets one regular expression with all forms in it (RE2 takes time in proportion to
the caption, however many terms there are). Only captions that pass are taken apart: the forms in
them are extracted, and a map says which term each belongs to.

RE2's `\b` knows ASCII alone, so "éngineer" would hold "ngineer". The extraction therefore takes a
letter in front of a form along, if there is one; what it then gives is no form and falls away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from portrayal.corpora.terms import Term

MISSING, EMPTY, TOO_LONG, NOT_UTF8 = -1, -2, -3, -4
"""Labels of captions that cannot be searched; terms have their number from 0."""

MAX_CAPTION = 10_000
"""Bytes: longer texts are documents, not captions, and are counted instead of searched."""

ANY = "any caption"
"""The one label of a search for nothing in particular."""

_WORD = r"[\pL\pN\pM_]"
_END = r"(?:$|[^\pL\pN\pM_])"
_GAP = r"[\s\x{a0}-]+"
_ASCII_WORD = re.compile(r"[0-9A-Za-z_]")


def labels_sql(terms: Sequence[Term], *, caption: str = "caption") -> str:
    """Return an SQL expression: the list of a caption's labels, NULL where there is none."""
    passes = f"regexp_matches({caption}, {quoted(_any_form(terms))})"
    return _with_problems(f"WHEN {passes} THEN {_found(terms, caption)}", caption)


def every_caption_sql(*, caption: str = "caption") -> str:
    """Return the expression that gives every caption that can be searched the label 0."""
    return _with_problems(f"WHEN NOT {_blank(caption)} THEN [0]", caption)


def quoted(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def groups(terms: Sequence[Term]) -> list[list[int]]:
    """Put terms that share a word into different groups.

    What a regular expression extracts does not overlap: "computer programmer" would hide
    "programmer" if both were in one.
    """
    words = [{word for form in term.forms for word in form.split()} for term in terms]
    found: list[tuple[set[str], list[int]]] = []
    for number, own in enumerate(words):
        home = next((group for group in found if own.isdisjoint(group[0])), None)
        if home is None:
            found.append((set(own), [number]))
        else:
            home[0].update(own)
            home[1].append(number)
    return [numbers for _, numbers in found]


def _with_problems(found: str, caption: str) -> str:
    return (
        f"CASE WHEN {caption} IS NULL THEN [{MISSING}] "
        f"WHEN strlen({caption}) > {MAX_CAPTION} THEN [{TOO_LONG}] {found} "
        f"WHEN {_blank(caption)} THEN [{EMPTY}] END"
    )


def _blank(caption: str) -> str:
    # Blanks come before "!" in the order of characters: few captions get to the expression.
    return f"({caption} < '!' AND regexp_full_match({caption}, '\\s*'))"


def _any_form(terms: Sequence[Term]) -> str:
    """Return an expression that every caption with a term matches, and few others."""
    forms = {form for term in terms for form in term.forms}
    return "(?i)(?:" + "|".join(_bounded(form) for form in sorted(forms)) + ")"


def _bounded(form: str) -> str:
    start = r"\b" if _ASCII_WORD.match(form[0]) else ""
    end = r"\b" if _ASCII_WORD.match(form[-1]) else ""
    return start + _spaced(form) + end


def _spaced(form: str) -> str:
    return _GAP.join(_literal(word) for word in form.split(" "))


def _literal(word: str) -> str:
    return "".join(f"\\{c}" if c.isascii() and not _ASCII_WORD.match(c) else c for c in word)


def _found(terms: Sequence[Term], caption: str) -> str:
    lists = [_in_group(terms, group, caption) for group in groups(terms)]
    together = lists[0] if len(lists) == 1 else f"flatten([{', '.join(lists)}])"
    # list_distinct leaves NULL out: what was extracted and is no form.
    return f"list_distinct({together})"


def _in_group(terms: Sequence[Term], group: Sequence[int], caption: str) -> str:
    # Within a group no two terms share a form; of two groups each has a map of its own.
    numbers = {form: number for number in group for form in terms[number].forms}
    forms = sorted(numbers, key=lambda form: (-len(form), form))
    pattern = f"({_WORD}?(?:{'|'.join(_spaced(form) for form in forms)})){_END}"
    spaced = any(" " in form for form in forms)
    text = f"regexp_replace(x, {quoted(_GAP)}, ' ', 'g')" if spaced else "x"
    keys = ", ".join(quoted(form) for form in forms)
    values = ", ".join(str(numbers[form]) for form in forms)
    return (
        f"list_transform(regexp_extract_all(lower({caption}), {quoted(pattern)}, 1), "
        f"lambda x: MAP([{keys}], [{values}])[{text}])"
    )
