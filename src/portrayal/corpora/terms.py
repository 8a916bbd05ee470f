"""What is searched for: a term and the forms in which captions write it.

The rules, all of them:

- whole words only, in any case: "engineer" is found in "Software Engineer" and "engineer's desk",
  not in "engineering" or "bioengineer". A word is a run of letters, digits and underscores of any
  script; everything else, a hyphen too, ends it.
- plurals count: "engineers", "secretaries", "waitresses", "policewomen", "salespeople". Only the
  last word of a term is put into the plural. `plural=False` turns this off.
- words of a term may be parted by blanks or hyphens: "police officer" finds "police-officers".
- compounds count for what they hold: "vice president" and "assistant professor" name a president,
  an assistant and a professor, as keyword search in the amplification paper has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from portrayal.errors import CorpusError

_PARTING = re.compile(r"[\s\u00a0-]+")
_IRREGULAR = (("man", ("men",)), ("person", ("people", "persons")), ("child", ("children",)))
_HISSING = ("s", "x", "z", "ch", "sh")
MAX_TERMS = 5_000


@dataclass(frozen=True, slots=True)
class Term:
    """A term and its forms.

    Attributes:
        name: What to call it in tables.
        forms: What captions may write, in lower case, words parted by one blank.
    """

    name: str
    forms: tuple[str, ...]

    def __post_init__(self) -> None:
        """Bring the forms into one shape."""
        shaped = tuple(dict.fromkeys(normalised(form) for form in self.forms))
        if not self.name.strip() or not shaped or not all(shaped):
            raise CorpusError(f"term {self.name!r}: has no words to search for")
        object.__setattr__(self, "forms", shaped)

    @classmethod
    def of(cls, name: str, *, plural: bool = True) -> Term:
        """Return a term with its plurals."""
        form = normalised(name)
        return cls(name.strip(), (form, *plurals(form)) if plural and form else (form,))


def normalised(text: str) -> str:
    """Return a form as it is compared: lower case, one blank between words."""
    return _PARTING.sub(" ", text.lower()).strip()


def plurals(form: str) -> tuple[str, ...]:
    """Return the plurals of a form's last word.

    >>> plurals("secretary"), plurals("salesperson"), plurals("head coach")
    (('secretaries',), ('salespeople', 'salespersons'), ('head coaches',))
    """
    for ending, others in _IRREGULAR:
        if form.endswith(ending) and not form.endswith(("human", "german", "roman")):
            return tuple(form.removesuffix(ending) + other for other in others)
    if form.endswith("y") and form[-2:-1] not in tuple("aeiou"):
        return (form[:-1] + "ies",)
    return (form + "es",) if form.endswith(_HISSING) else (form + "s",)


def terms_of(names: Iterable[str], *, plural: bool = True) -> tuple[Term, ...]:
    """Return terms for names: `nurse`, or with forms of your own `salesperson: sales clerk, ...`.

    Own forms stand beside the name and its plurals.
    """
    found = []
    for line in names:
        name, _, own = line.partition(":")
        term = Term.of(name, plural=plural)
        extra = [form for form in own.split(",") if form.strip()]
        found.append(Term(term.name, (*term.forms, *extra)))
    return checked(found)


def read_terms(file: Path, *, plural: bool = True) -> tuple[Term, ...]:
    """Return the terms of a text file: one a line, as `terms_of` reads them; # starts a remark.

    Raises:
        CorpusError: The file cannot be read or contains no term.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{file}: cannot be read as a list of terms: {error}") from error
    names = [text for line in lines if (text := line.partition("#")[0].strip())]
    if not names:
        raise CorpusError(f"{file}: contains no term; wanted: one a line")
    return terms_of(names, plural=plural)


def checked(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms, if there are any and no two have one name."""
    if not terms:
        raise CorpusError("no term to search for; wanted: at least one")
    if len(terms) > MAX_TERMS:
        raise CorpusError(f"{len(terms)} terms; allowed: {MAX_TERMS}")
    names = [term.name for term in terms]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise CorpusError(f"term {doubled!r} is there twice; name each once")
    return tuple(terms)
