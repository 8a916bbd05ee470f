"""First names in captions, and which gender they indicate: male, female, or nothing.

Two steps, as in appendix A.5 of the amplification paper: who is named (a recogniser of people), and
what the first name says (gender-guesser: "mostly male" counts as male, "andy" as nothing). Names
say little about a person; what is counted here is what a caption's wording gives to a model.

    spacy:PIPELINE   people found by a pipeline of spaCy, such as en_core_web_lg in the paper
    capitals         people found by rule: capital letters; needs gender-guesser alone
    none             no names: words and pronouns only

Packages may register others under the entry points `portrayal.language`.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Protocol

from portrayal.errors import LanguageError
from portrayal.language.registry import LanguageKind, open_text_model
from portrayal.loading import import_extra
from portrayal.records import Identity, digest

Gender = Literal["male", "female"]
_SPACY = "spacy:"
_GUESSES: dict[str, Gender] = {
    "male": "male",
    "mostly_male": "male",
    "female": "female",
    "mostly_female": "female",
}
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_RUN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?(?:[ \u00a0]+[^\W\d_]+(?:['’-][^\W\d_]+)*\.?)*")
_MAX = 10_000
"""Characters of a caption that are read; spaCy refuses texts of a million."""


class NameRecogniser(Protocol):
    """Finds people's first names in captions and says which gender they indicate."""

    @property
    def identity(self) -> Identity:
        """Everything that changes an answer; part of the identity of every result."""

    def genders(self, captions: Sequence[str]) -> list[frozenset[Gender]]:
        """Return the genders that the names in each caption indicate; most have none."""


class NoNames:
    """Recognises nobody: only words and pronouns count."""

    identity = Identity("names", "none")

    def genders(self, captions: Sequence[str]) -> list[frozenset[Gender]]:
        """Return nothing for each caption."""
        return [frozenset() for _ in captions]


class ListedNames:
    """Knows two lists of first names, and takes every word that is in one as a name.

    For worlds whose names are known. In real captions "Grace", "Art" or "May" would be taken too.

    Args:
        name: What to call the lists.
        male: First names.
        female: First names.
    """

    def __init__(self, name: str, *, male: Iterable[str], female: Iterable[str]) -> None:
        self._lists: dict[Gender, frozenset[str]] = {
            "male": frozenset(one.lower() for one in male),
            "female": frozenset(one.lower() for one in female),
        }
        lists = {gender: sorted(names) for gender, names in self._lists.items()}
        self.identity = Identity("names", name, {"lists": digest(lists)})

    def genders(self, captions: Sequence[str]) -> list[frozenset[Gender]]:
        """Return the genders of the lists that a caption's words are in."""
        return [self._of(caption) for caption in captions]

    def _of(self, caption: str) -> frozenset[Gender]:
        words = {word.lower() for word in _WORD.findall(caption[:_MAX])}
        return frozenset(gender for gender, own in self._lists.items() if not own.isdisjoint(words))


class GuessedNames:
    """People by a finder, their first names by gender-guesser.

    Args:
        name: The finder's name, with its version.
        find: Takes captions, returns the names of the people in each, as they are written.
        settings: What else changes whom the finder finds.
    """

    def __init__(
        self,
        name: str,
        find: Callable[[Sequence[str]], list[list[str]]],
        settings: dict[str, Any] | None = None,
    ) -> None:
        module = import_extra("gender_guesser.detector", extra="corpus")
        self._guess = module.Detector(case_sensitive=False).get_gender
        self._find = find
        self._known: dict[str, Gender | None] = {}
        version = importlib.metadata.version("gender-guesser")
        self.identity = Identity("names", name, {**(settings or {}), "gender-guesser": version})

    def genders(self, captions: Sequence[str]) -> list[frozenset[Gender]]:
        """Return what the first names of the people in each caption indicate."""
        people = self._find([caption[:_MAX] for caption in captions])
        return [
            frozenset(gender for person in own if (gender := self.of_name(person)) is not None)
            for own in people
        ]

    def of_name(self, person: str) -> Gender | None:
        """Return what the first word of a person's name indicates; None for most words."""
        words = _WORD.findall(person)
        first = words[0] if words else ""
        if first not in self._known:
            self._known[first] = _GUESSES.get(self._guess(first)) if first else None
        return self._known[first]


class _SpacyPeople:
    """PERSON entities of a pipeline; what only helps other tasks is switched off."""

    def __init__(self, pipeline: str) -> None:
        spacy = import_extra("spacy", extra="corpus")
        try:
            self._pipeline: Any = spacy.load(pipeline)
        except OSError as problem:
            raise LanguageError(
                f"spacy:{pipeline}: no such pipeline; run: python -m spacy download {pipeline}"
            ) from problem
        if not {"ner", "beam_ner", "entity_ruler"} & set(self._pipeline.pipe_names):
            raise LanguageError(
                f"spacy:{pipeline}: recognises no entities; allowed: pipelines with ner, such as "
                "en_core_web_lg"
            )
        unused = {"parser", "senter", "tagger", "attribute_ruler", "lemmatizer", "morphologizer"}
        self._pipeline.select_pipes(disable=sorted(unused & set(self._pipeline.pipe_names)))
        meta = self._pipeline.meta
        self.name = f"spacy:{meta['lang']}_{meta['name']} {meta['version']}"
        self.settings = {"spacy": spacy.__version__, "labels": ["PERSON", "PER"]}

    def __call__(self, captions: Sequence[str]) -> list[list[str]]:
        """Return the people named in each caption."""
        documents = self._pipeline.pipe(captions, batch_size=256)
        return [
            [str(one.text) for one in document.ents if one.label_ in ("PERSON", "PER")]
            for document in documents
        ]


def people_by_capitals(captions: Sequence[str]) -> list[list[str]]:
    """Return what looks like people: two or more words with capitals in a row, each a candidate.

    "Senator Chuck Grassley" gives "Senator Chuck Grassley", "Chuck Grassley"; the guesser then
    knows the first of the second. A name alone ("Heather, a nurse") counts where a comma, a bracket
    or the end follows it. Headlines In Capitals give many candidates, few of which are names.

    >>> people_by_capitals(["photo of Chuck Grassley at work"])
    [['Chuck Grassley']]
    """
    return [_candidates(caption) for caption in captions]


def _candidates(caption: str) -> list[str]:
    found = []
    for run in _RUN.finditer(caption):
        words = [(one.group(), one.end()) for one in _WORD.finditer(run.group())]
        for at, (word, end) in enumerate(words):
            if not word[0].isupper() or (word.isupper() and len(word) < 3):
                continue
            following = words[at + 1][0] if at + 1 < len(words) else ""
            if following[:1].isupper():
                found.append(f"{word} {following}")
            elif not following and caption[run.start() + end :].lstrip()[:1] in ("", ",", "(", ")"):
                found.append(word)
    return found


def open_recogniser(name: str) -> NameRecogniser:
    """Open a recogniser of names.

    Args:
        name: "spacy:PIPELINE", "capitals", "none", or the name of an installed one.

    Raises:
        LanguageError: There is no such recogniser or pipeline.
        MissingExtra: A package that it needs is not installed.
    """
    found: NameRecogniser = open_text_model("names", name)
    return found


def _open_spacy(name: str) -> GuessedNames:
    people = _SpacyPeople(name.removeprefix(_SPACY))
    return GuessedNames(people.name, people, people.settings)


SPACY = LanguageKind(
    role="names",
    written="spacy:PIPELINE",
    open=_open_spacy,
    is_meant=lambda name: name.startswith(_SPACY) and name != _SPACY,
)
CAPITALS = LanguageKind(
    role="names",
    written="capitals",
    open=lambda name: GuessedNames(name, people_by_capitals, {"rules": 1}),
    names=("capitals",),
)
NONE = LanguageKind(role="names", written="none", open=lambda name: NoNames(), names=("none",))
