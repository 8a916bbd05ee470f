"""Which entries of a tokenizer's vocabulary are whole words, whatever the tokenizer's kind.

Tokenizers mark words in two ways. WordPiece (BERT) marks the pieces that go on inside a word
("##ing"); byte-level BPE (RoBERTa, ModernBERT) and SentencePiece (ALBERT, XLM-R) mark the entries
that start one ("Ġword", "▁word"). In the second case an entry at the very start of a text has no
mark; it counts as a word only where the marked form is in the vocabulary too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from portrayal.language.words import is_word, stems

_STARTS = ("Ġ", "▁")
_INSIDE = "##"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that a masked language model can say with one token.

    Attributes:
        words: Each word once, in the spelling of its likeliest entry (lower case where it has one).
        word_of_inner: For each token number, the word that it says inside a text; -1 for none.
        word_of_first: The same at the very start of a text.
    """

    words: tuple[str, ...]
    word_of_inner: npt.NDArray[np.int64]
    word_of_first: npt.NDArray[np.int64]

    def spread(
        self, token_probabilities: npt.NDArray[np.float64], *, first: bool
    ) -> npt.NDArray[np.float64]:
        """Return the probability of each word, summed over the tokens that say it."""
        owner = self.word_of_first if first else self.word_of_inner
        known = owner >= 0
        found = np.zeros(len(self.words))
        np.add.at(found, owner[known], token_probabilities[known])
        return found

    def others(self, original: str, *avoid: str) -> npt.NDArray[np.bool_]:
        """Tell which words may replace a word: not itself, no inflection of it, none to avoid."""
        own = frozenset().union(*(stems(word) for word in (original, *avoid)))
        found = [
            is_word(word, original=original) and own.isdisjoint(stems(word)) for word in self.words
        ]
        return np.array(found, dtype=bool)


def read_vocabulary(tokenizer: Any) -> Vocabulary:
    """Read the whole words of a tokenizer of transformers."""
    size = len(tokenizer)
    tokens = [str(token) for token in tokenizer.convert_ids_to_tokens(list(range(size)))]
    special = set(tokenizer.all_special_ids)
    mark = _start_mark(tokens)
    inner = [
        None if number in special else _inner_word(token, mark)
        for number, token in enumerate(tokens)
    ]
    first = inner
    if mark:
        known = {word for word in inner if word is not None}
        first = [
            token if word is None and number not in special and token in known else word
            for number, (token, word) in enumerate(zip(tokens, inner, strict=True))
        ]
    spellings: dict[str, str] = {}
    for word in (*inner, *first):
        if word is not None and (word.casefold() not in spellings or word.islower()):
            spellings[word.casefold()] = word
    place = {key: i for i, key in enumerate(spellings)}
    return Vocabulary(
        tuple(spellings.values()),
        *(
            np.array([-1 if word is None else place[word.casefold()] for word in side], np.int64)
            for side in (inner, first)
        ),
    )


def _start_mark(tokens: Sequence[str]) -> str:
    """Return the mark of entries that start a word; "" where pieces are marked instead."""
    if any(token.startswith(_INSIDE) for token in tokens):
        return ""
    counts = {mark: sum(token.startswith(mark) for token in tokens) for mark in _STARTS}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ""


def _inner_word(token: str, mark: str) -> str | None:
    if mark:
        if not token.startswith(mark):
            return None
        token = token[len(mark) :]
    elif token.startswith(_INSIDE):
        return None
    # Numbers are words here: whether one may stand in a place depends on the word it replaces.
    return token if is_word(token, original=token) else None
