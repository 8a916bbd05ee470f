"""Which text models are installed, and how a name finds its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from portrayal.errors import LanguageError, one_of
from portrayal.plugins import (
    LANGUAGE,
    NamedKind,
    default_name,
    hint_for,
    is_valid,
    meant,
    named_kinds,
    require_own_name,
    validity,
)
from portrayal.records import Identity

Role = Literal["words", "sentences", "names"]
"""Fills masked words; embeds sentences; recognises names in captions."""

_CALLED: dict[Role, str] = {
    "words": "masked language model",
    "sentences": "sentence encoder",
    "names": "recogniser",
}


_EXAMPLES: dict[Role, str] = {
    "words": "google-bert/bert-base-uncased",
    "sentences": "all-MiniLM-L6-v2",
    "names": "capitals",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageKind(NamedKind[Any]):
    """A kind of text model, registered under the entry points `portrayal.language`.

    Attributes:
        role: What it does; `open` returns a `MaskFiller`, a `SentenceEncoder` or a
            `NameRecogniser`.
    """

    role: Role


def language_kinds(role: Role) -> list[LanguageKind]:
    """Return the installed kinds of a role; the first that a name means is taken."""
    return [kind for kind in named_kinds(LANGUAGE, LanguageKind) if kind.role == role]


def default_text_model(role: Role) -> str:
    """Return the text model that is taken where none is named; "" where none is the default."""
    return default_name(language_kinds(role))


def require_valid_text_model(role: Role, model: Identity, generator: Identity) -> None:
    """Raise where a text model is not valid for the images of a generator.

    Raises:
        LanguageError: It is not.
    """
    kinds = language_kinds(role)
    if not is_valid(kinds, model, generator):
        raise LanguageError(
            f"the {_CALLED[role]} {validity(kinds, model)} only, not for those of "
            f"{generator.name}; name another, such as {_EXAMPLES[role]}"
        )


def open_text_model(role: Role, name: str, **settings: Any) -> Any:
    """Open a text model by its name.

    Args:
        role: What it is wanted for.
        name: As a user writes it.
        settings: What models of the role take.

    Raises:
        LanguageError: There is no such model.
        MissingExtra: A package that it needs is not installed.
    """
    kind = meant(language_kinds(role), name)
    if kind is None:
        written = one_of([one.written for one in language_kinds(role)])
        got = f"{_CALLED[role]} is {name!r}" if name else f"no {_CALLED[role]} is named"
        raise LanguageError(f"{got}; allowed: {written}{hint_for(name)}")
    require_own_name(language_kinds(role), name, LanguageError)
    return kind.open(name, **settings)
