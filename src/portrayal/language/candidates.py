"""Replacements from a list: the user's own words, or WordNet's synonyms and antonyms.

The two alternatives to a language model that Lin et al. 2023 name. Every candidate of a word is as
probable as the others, and the words of a prompt are chosen independently. "a" and "an" follow the
word that comes after them, since a list does not look at the sentence.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from portrayal.errors import LanguageError
from portrayal.language.parts_of_speech import Tagger, open_tagger, same_part
from portrayal.language.transmuter import Draw, draw_rng
from portrayal.language.words import is_word, same_word
from portrayal.loading import import_extra
from portrayal.records import Identity, digest
from portrayal.studies import replaced, split_words, wording

Choice = Literal["sample", "top"]
Relation = Literal["synonyms", "antonyms"]

ANY = "*"
"""The key of candidates for words that have none of their own."""


class CandidateWords:
    """Replaces words by candidates from a list, all equally probable.

    Args:
        candidates: Replacements by original word, case ignored; "*" serves all other words.
        choice: "sample": draws at random; "top": all combinations in the order of the list.
        name: What to call the list.
    """

    def __init__(
        self,
        candidates: Mapping[str, Sequence[str]],
        *,
        choice: Choice = "sample",
        name: str = "own list",
    ) -> None:
        self._candidates = {key.casefold(): tuple(words) for key, words in candidates.items()}
        self._choice = choice
        listed = digest({key: list(words) for key, words in self._candidates.items()})
        self.identity = Identity("candidates", name, {"choice": choice, "candidates": listed})

    def candidates(self, prompt: str, position: int) -> tuple[str, ...]:
        """Return what may replace a word: never itself or an inflection of it."""
        word = split_words(prompt)[position].text
        listed = self._candidates.get(word.casefold(), self._candidates.get(ANY, ()))
        return tuple(one for one in dict.fromkeys(listed) if not same_word(one, word))

    def replaceable(self, prompt: str) -> tuple[int, ...]:
        """Return the positions of words with candidates."""
        positions = range(len(split_words(prompt)))
        return tuple(position for position in positions if self.candidates(prompt, position))

    def draw(self, prompt: str, positions: Sequence[int], draws: range, *, seed: int) -> list[Draw]:
        """Return some draws of the series; see `Transmuter`."""
        order = sorted(positions)
        choices = [self._candidates_of(prompt, position) for position in order]
        chance = 1.0
        for words in choices:
            chance /= len(words)
        if self._choice == "top":
            return self._listed(prompt, order, choices, draws, chance)
        found = []
        for draw in draws:
            rng = draw_rng(prompt, positions, draw, seed=seed)
            chosen = [options[int(rng.integers(len(options)))] for options in choices]
            found.append(Draw(_written(prompt, order, chosen), chance))
        return found

    def _listed(
        self,
        prompt: str,
        order: Sequence[int],
        choices: Sequence[Sequence[str]],
        draws: range,
        chance: float,
    ) -> list[Draw]:
        combinations = list(itertools.islice(itertools.product(*choices), draws.stop))
        if len(combinations) < draws.stop:
            named = " and ".join(repr(split_words(prompt)[place].text) for place in order)
            raise LanguageError(
                f"{prompt!r}: the list gives {len(combinations)} texts for {named}, {draws.stop} "
                "are asked for; ask for fewer texts, add candidates, or sample them"
            )
        return [Draw(_written(prompt, order, combinations[draw]), chance) for draw in draws]

    def _candidates_of(self, prompt: str, position: int) -> tuple[str, ...]:
        found = self.candidates(prompt, position)
        if not found:
            word = split_words(prompt)[position].text
            raise LanguageError(
                f"{prompt!r}: no candidates for {word!r}; give some, or some for {ANY!r}"
            )
        return found


class WordNetWords(CandidateWords):
    """Replaces words by their synonyms and antonyms in WordNet, as NLTK reads it.

    Words that WordNet does not know ("the", "at") are not replaced. Of every sense of a word the
    single-word synonyms count.

    Args:
        relations: What counts: "synonyms", "antonyms", or both.
        choice: See `CandidateWords`.
        tagger: Keeps replacements to the original's part of speech.
        avoid: Words that are never put in, nor their inflections.

    Raises:
        MissingExtra: NLTK is not installed.
        LanguageError: WordNet is not here.
    """

    def __init__(
        self,
        relations: Sequence[Relation] = ("synonyms", "antonyms"),
        *,
        choice: Choice = "sample",
        tagger: Tagger | None = None,
        avoid: Sequence[str] = (),
    ) -> None:
        import_extra("nltk", extra="language")
        corpus = import_extra("nltk.corpus", extra="language")
        self._wordnet = corpus.wordnet
        try:
            version = str(self._wordnet.get_version())
        except LookupError as problem:
            raise LanguageError(
                "WordNet is not here; run: python -m nltk.downloader wordnet"
            ) from problem
        super().__init__({}, choice=choice)
        self._relations = tuple(relations)
        self._tagger = tagger
        self._avoid = tuple(avoid)
        self._found: dict[tuple[str, int], tuple[str, ...]] = {}
        settings: dict[str, Any] = {
            "choice": choice, "relations": list(relations), "version": version
        }  # fmt: skip
        if tagger is not None:
            settings["tagger"] = tagger.name
        if avoid:
            settings["avoid"] = sorted(avoid)
        self.identity = Identity("wordnet", f"WordNet {version}", settings)

    def candidates(self, prompt: str, position: int) -> tuple[str, ...]:
        """Return the related words of a word, in WordNet's order."""
        if (prompt, position) not in self._found:
            word = split_words(prompt)[position].text
            found = [one for one in self._related(word) if is_word(one, original=word)]
            others = (word, *self._avoid)
            found = [
                one
                for one in dict.fromkeys(found)
                if not any(same_word(one, other) for other in others)
            ]
            if self._tagger is not None and found:
                kept = same_part(self._tagger, prompt, position, found)
                found = [one for one, keep in zip(found, kept, strict=True) if keep]
            self._found[prompt, position] = tuple(found)
        return self._found[prompt, position]

    def _related(self, word: str) -> list[str]:
        lemmas = [lemma for sense in self._wordnet.synsets(word) for lemma in sense.lemmas()]
        found: list[str] = []
        if "synonyms" in self._relations:
            found += [lemma.name() for lemma in lemmas]
        if "antonyms" in self._relations:
            found += [other.name() for lemma in lemmas for other in lemma.antonyms()]
        return [name.replace("_", " ") for name in found]


def open_wordnet(
    relations: Sequence[Relation] = ("synonyms", "antonyms"),
    *,
    choice: Choice = "sample",
    tagger: str = "",
    avoid: Sequence[str] = (),
) -> WordNetWords:
    """Open WordNet as transmuter; `tagger` as in `open_tagger`."""
    found = open_tagger(tagger) if tagger else None
    return WordNetWords(relations, choice=choice, tagger=found, avoid=avoid)


def _written(prompt: str, order: Sequence[int], words: Sequence[str]) -> str:
    """Return the prompt with other words; articles before replaced words fit them."""
    places = split_words(prompt)
    new = dict(zip(order, words, strict=True))
    for position, word in list(new.items()):
        if places[position].start == 0 and places[position].text[:1].isupper():
            new[position] = word[:1].upper() + word[1:]
        before = position - 1
        if before >= 0 and before not in new and places[before].text.lower() in ("a", "an"):
            fitting = wording.article(word)
            capital = places[before].text[0].isupper()
            new[before] = fitting.capitalize() if capital else fitting
    return replaced(prompt, new)
