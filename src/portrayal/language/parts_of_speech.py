"""Parts of speech, when the user has a tagger: a noun for a noun, a verb for a verb.

Each candidate is put into the sentence and the sentence is tagged again, since one word can be
several parts of speech. Parts are compared coarsely: singular and plural nouns are nouns, all
tenses are verbs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from portrayal.errors import LanguageError
from portrayal.loading import import_extra
from portrayal.studies import replaced, split_words

_COARSE = ("NN", "VB", "JJ", "RB", "PRP", "WP", "WDT")
"""Beginnings of Penn tags that differ only by inflection."""


class Tagger(Protocol):
    """Gives every word of a sentence its part of speech."""

    @property
    def name(self) -> str:
        """Who tags; part of a transmuter's identity."""

    def tag(self, words: Sequence[str]) -> list[str]:
        """Return one tag for each word."""


class NltkTagger:
    """NLTK's averaged perceptron, which needs its model to be downloaded once."""

    def __init__(self) -> None:
        self._nltk = import_extra("nltk", extra="language")
        self.name = f"nltk {self._nltk.__version__}"
        try:
            self._nltk.pos_tag(["word"])
        except LookupError as problem:
            raise LanguageError(
                "tagger nltk: its model is not here; "
                "run: python -m nltk.downloader averaged_perceptron_tagger_eng"
            ) from problem

    def tag(self, words: Sequence[str]) -> list[str]:
        """Return coarse Penn tags."""
        return [coarse(tag) for _, tag in self._nltk.pos_tag(list(words))]


class SpacyTagger:
    """A pipeline of spaCy."""

    def __init__(self, pipeline: str) -> None:
        self._spacy = import_extra("spacy", extra="language")
        try:
            self._pipeline: Any = self._spacy.load(pipeline)
        except OSError as problem:
            raise LanguageError(
                f"tagger spacy:{pipeline}: no such pipeline; "
                f"run: python -m spacy download {pipeline}"
            ) from problem
        meta = self._pipeline.meta
        self.name = f"spacy:{meta['lang']}_{meta['name']} {meta['version']}"

    def tag(self, words: Sequence[str]) -> list[str]:
        """Return universal tags."""
        doc = self._spacy.tokens.Doc(self._pipeline.vocab, list(words))
        return [str(token.pos_) for token in self._pipeline(doc)]


def open_tagger(name: str) -> Tagger:
    """Open a tagger: "nltk", or "spacy:PIPELINE".

    Raises:
        LanguageError: There is no such tagger.
        MissingExtra: It is not installed.
    """
    if name == "nltk":
        return NltkTagger()
    if name.startswith("spacy:") and len(name) > len("spacy:"):
        return SpacyTagger(name.removeprefix("spacy:"))
    raise LanguageError(f"tagger is {name!r}; allowed: nltk, spacy:PIPELINE")


def same_part(
    tagger: Tagger, prompt: str, position: int, words: Sequence[str]
) -> npt.NDArray[np.bool_]:
    """Tell which words have the part of speech that the word at a position has in its prompt."""
    wanted = tagger.tag([word.text for word in split_words(prompt)])[position]
    kept = []
    for word in words:
        sentence = [placed.text for placed in split_words(replaced(prompt, {position: word}))]
        tags = tagger.tag(sentence)
        kept.append(len(tags) > position and tags[position] == wanted)
    return np.array(kept, dtype=bool)


def coarse(tag: str) -> str:
    """Return a Penn tag without what only inflection changes."""
    return next((start for start in _COARSE if tag.startswith(start)), tag)
