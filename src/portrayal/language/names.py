"""First names in captions, and which gender they indicate: male, female, or nothing.

Two steps, as in appendix A.5 of the amplification paper: who is named (a recogniser of people), and
what the first name says (gender-guesser: "mostly male" counts as male, "andy" as nothing). Names
say little about a person; what is counted here is what a caption's wording gives to a model.

    paper            the authors' rule to the letter, their list of words too (paper:PIPELINE for
                     another pipeline than en_core_web_lg)
    portrayal        ours: more words (group_words.py) and people by rule (people_names.py)
    spacy:PIPELINE   people found by a pipeline of spaCy, words as in `capitals`
    capitals         people found by rule: capital letters; needs gender-guesser alone
    none             no names: words and pronouns only

Packages may register others under the entry points `portrayal.language`.
"""

from __future__ import annotations

import importlib.metadata
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from portrayal.errors import LanguageError
from portrayal.language.group_words import Gender, said_genders
from portrayal.language.people_names import people_in
from portrayal.language.registry import LanguageKind, open_text_model
from portrayal.loading import import_extra
from portrayal.records import Identity, digest
from portrayal.studies import FEMALE, MALE

PAPER = "paper"
PORTRAYAL = "portrayal"
_PAPERS_PIPELINE = "en_core_web_lg"
_SPACY = "spacy:"
_GUESSES: dict[str, Gender] = {
    "male": "male",
    "mostly_male": "male",
    "female": "female",
    "mostly_female": "female",
}
_SURE: dict[str, Gender] = {"male": "male", "female": "female"}
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


@runtime_checkable
class SaysWords(Protocol):
    """A recogniser with a reading of its own of gender words, beside names."""

    def said(self, caption: str) -> frozenset[Gender]:
        """Return the genders that the words of a caption name."""


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
        guesses: Which answers of gender-guesser count as which gender.
        first_known: The first word of a person's name that the list knows counts, as in the
            paper's code; otherwise the first word alone.
    """

    def __init__(
        self,
        name: str,
        find: Callable[[Sequence[str]], list[list[str]]],
        settings: dict[str, Any] | None = None,
        *,
        guesses: Mapping[str, Gender] = _GUESSES,
        first_known: bool = False,
    ) -> None:
        module = import_extra("gender_guesser.detector", extra="corpus")
        self._guess = module.Detector(case_sensitive=False).get_gender
        self._find = find
        self._known: dict[str, Gender | None] = {}
        self._first_known = first_known
        self._guesses = guesses
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
        """Return what a person's first name indicates; None for most words."""
        words = _WORD.findall(person)
        for word in words if self._first_known else words[:1]:
            if word not in self._known:
                self._known[word] = self._guesses.get(self._guess(word))
            if self._known[word] is not None:
                return self._known[word]
        return None


class PaperIndicators(GuessedNames):
    """The rule of the amplification paper: its words, and PERSON entities of a spaCy pipeline.

    A caption is split at blanks, punctuation around a word is taken off, and the word or the word
    without its apostrophe must be on the list: "woman's" counts as "womans".
    """

    def said(self, caption: str) -> frozenset[Gender]:
        """Return the genders that words of the paper's list name."""
        words: set[str] = set()
        for word in caption[:_MAX].lower().replace("’", "'").split():
            plain = word.strip(string.punctuation)
            words |= {plain, plain.replace("'", "")}
        lists: tuple[tuple[Gender, frozenset[str]], ...] = (("male", MALE), ("female", FEMALE))
        return frozenset(gender for gender, own in lists if not own.isdisjoint(words))


class PortrayalIndicators(GuessedNames):
    """Our rule: titles, kinship and gendered jobs too, negations and things for sale not.

    Names that gender-guesser knows as "mostly" one gender count as nothing.
    """

    def said(self, caption: str) -> frozenset[Gender]:
        """Return the genders that the words of a caption name."""
        return said_genders(caption[:_MAX])


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
        name: "paper", "portrayal", "spacy:PIPELINE", "capitals", "none", or the name of an
            installed one.

    Raises:
        LanguageError: There is no such recogniser or pipeline.
        MissingExtra: A package that it needs is not installed.
    """
    found: NameRecogniser = open_text_model("names", name)
    return found


def _open_spacy(name: str) -> GuessedNames:
    people = _SpacyPeople(name.removeprefix(_SPACY))
    settings = {**people.settings, "first": "known"}
    return GuessedNames(people.name, people, settings, first_known=True)


def _open_paper(name: str) -> PaperIndicators:
    people = _SpacyPeople(name.partition(":")[2] or _PAPERS_PIPELINE)
    settings = {**people.settings, "people": people.name}
    return PaperIndicators(PAPER, people, settings, first_known=True)


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
PAPER_RULE = LanguageKind(
    role="names",
    written="paper",
    open=_open_paper,
    is_meant=lambda name: name == PAPER or name.startswith(f"{PAPER}:"),
)
PORTRAYAL_RULE = LanguageKind(
    role="names",
    written="portrayal",
    open=lambda name: PortrayalIndicators(name, people_in, {"rules": 1}, guesses=_SURE),
    names=(PORTRAYAL,),
)
NONE = LanguageKind(role="names", written="none", open=lambda name: NoNames(), names=("none",))
