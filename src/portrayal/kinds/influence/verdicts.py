"""What can be said of each word of a prompt: it pushes, not clearly, or too little is known.

A word is named only where enough texts and images speak, and where its influence is significantly
larger than 5 points after correction over all words of the prompt (Benjamini-Hochberg): a word that
moves a share by less is no cause, however many images show it, and where the prompt's own images
happen to be off, all words seem to push a little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from portrayal.kinds.influence.word_scores import SLIGHT, PromptScores, WordScore
from portrayal.kinds.influence.word_sets import PromptCounts
from portrayal.statistics import benjamini_hochberg, unplanned_looks

Kind = Literal["towards", "away", "undecided", "too few texts", "nobody shown", "no other word"]

ENOUGH_TEXTS = 6
"""Fewer drawn texts that show somebody do not stand for all others."""
ENOUGH_IMAGES = 10
"""Images that show somebody, of the prompt as it is and with the word replaced."""

DECIDED = 0.005
"""Words that are as clear as this get no more images; others may yet fall on either side."""
SMALL = 0.1
"""An influence that is surely smaller needs no more images."""

SAYS: dict[Kind, str] = {
    "towards": "pushes towards",
    "away": "pushes away",
    "undecided": "no clear influence",
    "too few texts": "too few to say",
    "nobody shown": "nobody shown",
    "no other word": "no other word known",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a word.

    Attributes:
        kind: See `SAYS`.
        q: The p-value against an influence of at most 5 points, all looks counted, corrected over
            the words of the prompt; NaN where it is not tested.
    """

    kind: Kind
    q: float = math.nan

    @property
    def is_named(self) -> bool:
        """Whether the word is a cause that can be named."""
        return self.kind in ("towards", "away")


def verdicts(scores: PromptScores, column: int, *, level: float = 0.05) -> dict[int, Verdict]:
    """Return the verdict on every word, by position.

    Args:
        scores: The words of one prompt.
        column: The group.
        level: A corrected p-value up to this is significant.
    """
    counts, main = scores.counts, scores.main
    found = {at: Verdict(lack(counts, at)) for at in range(len(counts.plan.words))}
    tested = [at for at, one in found.items() if one.kind == "undecided" and main is not None]
    if main is None or not tested:
        return found
    p_values = [_of_all_looks(float(p), scores.looks) for p in main.p_beyond[tested, column]]
    corrected = benjamini_hochberg(p_values)
    for at, q in zip(tested, corrected.tolist(), strict=True):
        way: Kind = "towards" if main.scores[at, column] > 0 else "away"
        if q > level:
            way = "undecided"
        elif not _outweighs_unseen(counts, main.of(at, column), at):
            way = "too few texts"
        found[at] = Verdict(way, q)
    return found


def _of_all_looks(p: float, looks: Sequence[int]) -> float:
    """Return p where earlier looks count, too; theirs are not known, which makes it no smaller."""
    if not looks:
        return p
    return unplanned_looks([math.nan] * (len(looks) - 1) + [p], looks).p_value


def _outweighs_unseen(counts: PromptCounts, score: WordScore, position: int) -> bool:
    """Tell whether an influence stays over `SLIGHT` whatever texts do that were not drawn.

    Where all of n draws gave the same text, others have a probability of up to 3 / n (95%; Hanley
    and Lippman-Hand 1983, JAMA 249), and may show the group always or never. Where texts differ,
    the interval knows how much.
    """
    texts = _texts_with_people(counts, position)
    if len(set(texts)) > 1:
        return True
    nearest = max(score.low, -score.high)
    return nearest - 3 / len(texts) > SLIGHT


def undecided(scores: PromptScores, column: int) -> frozenset[int]:
    """Return the words on which more images may still decide, by position.

    Neither words that are named already nor words whose influence cannot be large any more.
    """
    main = scores.main
    if main is None:
        return frozenset()
    open_words = [
        at
        for at, one in verdicts(scores, column, level=DECIDED).items()
        if one.kind in ("undecided", "too few texts")
        and not (main.of(at, column).low > -SMALL and main.of(at, column).high < SMALL)
    ]
    return frozenset(open_words)


def lack(counts: PromptCounts, position: int) -> Kind:
    """Say what is missing before a word can be judged; "undecided" where nothing is."""
    if position not in counts.plan.replaceable:
        return "no other word"
    original, replaced = counts.sets[()], counts.sets.get((position,))
    if replaced is None or not replaced.table.sum() or not original.table.sum():
        return "nobody shown"
    images = min(int(original.table.sum()), int(replaced.table.sum()))
    few = len(_texts_with_people(counts, position)) < ENOUGH_TEXTS or images < ENOUGH_IMAGES
    return "too few texts" if few else "undecided"


def _texts_with_people(counts: PromptCounts, position: int) -> list[str]:
    """Return the texts with a word replaced whose images show somebody, one per draw."""
    word_set = next(one for one in counts.plan.sets if one.words == (position,))
    shown = counts.sets[position,].table.sum(axis=1) > 0
    draws = zip(counts.plan.draws(word_set), shown, strict=False)
    return [text for (text, _), one in draws if one]
