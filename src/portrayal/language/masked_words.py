"""A masked language model as transmuter: which other words could be here?

Any `AutoModelForMaskedLM` by folder or Hub id. A place is filled with
one whole word that is neither the original nor a mere inflection of it. Several places are filled
one after the other in an order drawn at random, each conditioned on those already filled.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from portrayal.errors import LanguageError
from portrayal.language.fillers import MaskedPlace, MaskFiller, open_filler
from portrayal.language.parts_of_speech import Tagger, open_tagger, same_part
from portrayal.language.transmuter import Draw, draw_rng
from portrayal.records import Identity
from portrayal.studies import PlacedWord, replaced, split_words

Choice = Literal["sample", "top"]
FloatArray = npt.NDArray[np.float64]

TAGGED = 200
"""With a tagger, so many of the most probable words of a place are looked at."""

BRANCHES = 512
"""Top texts are searched among so many of the most probable words of a place."""


class MaskedWords:
    """Replaces words by what a masked language model expects in their places.

    Args:
        filler: The model.
        choice: "sample": every draw is a text at random with the model's probabilities; "top": the
            draws are the most probable texts, one after the other.
        keep: Only so many of the most probable words of each place count; None: all.
        temperature: Above 1 the choice is more even, below 1 more certain.
        tagger: Keeps replacements to the original's part of speech; None: any part of speech.
        avoid: Words that are never put in, nor their inflections; words that name a group, say.
    """

    def __init__(
        self,
        filler: MaskFiller,
        *,
        choice: Choice = "sample",
        keep: int | None = None,
        temperature: float = 1.0,
        tagger: Tagger | None = None,
        avoid: Sequence[str] = (),
    ) -> None:
        self._filler = filler
        self._avoid = tuple(avoid)
        self._choice = choice
        self._keep = keep
        self._temperature = temperature
        self._tagger = tagger
        self._others: dict[str, npt.NDArray[np.bool_]] = {}

    @property
    def identity(self) -> Identity:
        """The model's files and how words are chosen."""
        settings = {
            **self._filler.identity.settings,
            "choice": self._choice,
            "keep": self._keep,
            "temperature": self._temperature,
            "tagger": self._tagger.name if self._tagger else None,
            "avoid": sorted(self._avoid) or None,
        }
        found = {name: value for name, value in settings.items() if value is not None}
        return Identity("masked-words", self._filler.identity.name, found)

    def replaceable(self, prompt: str) -> tuple[int, ...]:
        """Return all positions: a language model has an idea about every word."""
        return tuple(range(len(split_words(prompt))))

    def draw(self, prompt: str, positions: Sequence[int], draws: range, *, seed: int) -> list[Draw]:
        """Return some draws of the series; see `Transmuter`."""
        if not draws:
            return []
        if self._choice == "top":
            return self._top(prompt, positions, draws)
        return self._sample(prompt, positions, draws, seed)

    # --- sampling ----------------------------------------------------------------------------

    def _sample(self, prompt: str, positions: Sequence[int], draws: range, seed: int) -> list[Draw]:
        rngs = [draw_rng(prompt, positions, draw, seed=seed) for draw in draws]
        orders = [list(rng.permutation(sorted(positions))) for rng in rngs]
        filled: list[dict[int, str]] = [{} for _ in draws]
        chances = [1.0 for _ in draws]
        for step in range(len(positions)):
            # Draws that are in the same state ask the model once.
            asked = [
                (tuple(sorted(words.items())), int(order[step]))
                for words, order in zip(filled, orders, strict=True)
            ]
            answers = self._ask(prompt, positions, list(dict.fromkeys(asked)))
            for i, (rng, question) in enumerate(zip(rngs, asked, strict=True)):
                words, chance = answers[question]
                at = int(np.searchsorted(np.cumsum(chance), rng.random() * chance.sum(), "right"))
                at = min(at, len(words) - 1)
                filled[i][question[1]] = words[at]
                chances[i] *= float(chance[at])
        return [
            Draw(replaced(prompt, words), chance)
            for words, chance in zip(filled, chances, strict=True)
        ]

    # --- the most probable texts -------------------------------------------------------------

    def _top(self, prompt: str, positions: Sequence[int], draws: range) -> list[Draw]:
        found: list[Draw] = []
        for text in self._by_probability(prompt, positions):
            found.append(text)
            if len(found) > draws[-1]:
                return [found[draw] for draw in draws]
        raise LanguageError(
            f"{prompt!r}: only {len(found)} texts replace {_named(prompt, positions)}, "
            f"{draws[-1] + 1} are asked for; ask for fewer texts, or sample them"
        )

    def _by_probability(self, prompt: str, positions: Sequence[int]) -> Iterator[Draw]:
        """Yield texts, most probable first; places are filled from left to right."""
        order = sorted(positions)
        # No text is more probable than its beginning, so the best beginning is looked at first.
        waiting: list[tuple[float, tuple[tuple[int, str], ...]]] = [(-1.0, ())]
        while waiting:
            minus, state = heapq.heappop(waiting)
            if len(state) == len(order):
                yield Draw(replaced(prompt, dict(state)), -minus)
                continue
            place = order[len(state)]
            words, chance = self._ask(prompt, positions, [(state, place)])[state, place]
            for at in np.argsort(-chance, kind="stable")[:BRANCHES]:
                heapq.heappush(waiting, (minus * float(chance[at]), (*state, (place, words[at]))))

    # --- one place ---------------------------------------------------------------------------

    def _ask(
        self,
        prompt: str,
        positions: Sequence[int],
        questions: Sequence[tuple[tuple[tuple[int, str], ...], int]],
    ) -> dict[tuple[tuple[tuple[int, str], ...], int], tuple[list[str], FloatArray]]:
        """Return the words for a place and their probabilities, for each state of the others."""
        places = [self._place(prompt, positions, dict(state), place) for state, place in questions]
        rows = self._filler.fill(places, temperature=self._temperature)
        return {
            question: self._allowed(prompt, question[1], dict(question[0]), row)
            for question, row in zip(questions, rows, strict=True)
        }

    def _place(
        self, prompt: str, positions: Sequence[int], filled: Mapping[int, str], place: int
    ) -> MaskedPlace:
        open_places = sorted(set(positions) - set(filled))
        masks = dict.fromkeys(open_places, self._filler.mask)
        text = replaced(prompt, {**filled, **masks})
        return MaskedPlace(text, open_places.index(place), len(open_places), first=place == 0)

    def _allowed(
        self, prompt: str, place: int, filled: Mapping[int, str], row: FloatArray
    ) -> tuple[list[str], FloatArray]:
        original = split_words(prompt)[place]
        if original.text not in self._others:
            allowed = self._filler.vocabulary.others(original.text, *self._avoid)
            self._others[original.text] = allowed
        chance = np.where(self._others[original.text], row, 0.0)
        candidates = np.flatnonzero(chance)
        candidates = candidates[np.argsort(-chance[candidates], kind="stable")]
        if self._tagger is not None:
            candidates = candidates[:TAGGED]
            texts = [self._spelled(int(candidate), original) for candidate in candidates]
            kept = same_part(self._tagger, replaced(prompt, filled), place, texts)
            candidates = candidates[kept]
        candidates = candidates[: self._keep]
        if not len(candidates):
            raise LanguageError(
                f"{prompt!r}: {self._filler.identity.name} knows no other word for "
                f"{original.text!r}; leave out the tagger, or take a larger model"
            )
        words = [self._spelled(int(candidate), original) for candidate in candidates]
        return words, chance[candidates] / chance[candidates].sum()

    def _spelled(self, word: int, original: PlacedWord) -> str:
        """Return a word with a capital where it opens the prompt in place of one that has."""
        text = self._filler.vocabulary.words[word]
        opens = original.start == 0 and original.text[:1].isupper()
        return text[:1].upper() + text[1:] if opens else text


def open_masked_words(
    model: str,
    *,
    revision: str | None = None,
    choice: Choice = "sample",
    keep: int | None = None,
    temperature: float = 1.0,
    tagger: str = "",
    avoid: Sequence[str] = (),
    **running: Any,
) -> MaskedWords:
    """Load a masked language model as transmuter.

    Args:
        model: The name of an installed one, a folder, or a Hub id.
        revision: A branch, tag or commit of the Hub.
        choice: See `MaskedWords`.
        keep: See `MaskedWords`.
        temperature: See `MaskedWords`.
        tagger: "nltk", "spacy:PIPELINE", or "" for any part of speech.
        avoid: See `MaskedWords`.
        running: device, batch_size.

    Raises:
        LanguageError: No such model, or it cannot be loaded safely, or it has no mask.
    """
    return MaskedWords(
        open_filler(model, revision=revision, **running),
        choice=choice,
        keep=keep,
        temperature=temperature,
        tagger=open_tagger(tagger) if tagger else None,
        avoid=avoid,
    )


def _named(prompt: str, positions: Sequence[int]) -> str:
    words = split_words(prompt)
    return " and ".join(repr(words[position].text) for position in sorted(positions))
