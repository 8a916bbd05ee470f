"""True answers of the practice world, exact where the table gives them in closed form.

Group shares, diversity, bias and word influences follow from the planted table without drawing
anything. Associations need an encoder's view of many images; `sample_scenes` draws them.

A group share is the share among the people shown. A prompt that shows nobody has none: NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from portrayal_practice.errors import PracticeError
from portrayal_practice.scene import Scene
from portrayal_practice.world import World

_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class ShareTruth:
    """The exact shares of an axis for one prompt; `person` is P(a person is shown)."""

    prompt: str
    axis: str
    person: float
    shares: Mapping[str, float]


@dataclass(frozen=True)
class Replacement:
    """One text that stands for the prompt with some words replaced, and its probability."""

    text: str
    probability: float


@dataclass(frozen=True)
class WordInfluence:
    """The exact influence of one word, toward `group`.

    `score` is Definition 1 at this level: positive when the word, left as it is, raises the
    group's share.
    """

    index: int
    group: str
    level: int
    score: float


def group_shares(prompts: Sequence[str], *, axis: str) -> list[ShareTruth]:
    """Exact group shares for each prompt.

    Args:
        prompts: Any texts.
        axis: "perceived gender", "skin tone" or "culture".

    Returns:
        One truth for each prompt, in order.
    """
    world = World.load()
    truths = []
    for prompt in prompts:
        known = world.distribution(prompt)
        truths.append(ShareTruth(prompt, axis, known.is_person(), known.group_share(axis)))
    return truths


def bias_truth(shares: Mapping[str, float], *, a: str, b: str) -> float:
    """ENTIGEN's Eq. 2 in the long run: (share a - share b) / (share a + share b).

    Range -1 (only b) to +1 (only a); NaN when neither group occurs or the shares are NaN.
    """
    both = _share(shares, a) + _share(shares, b)
    return (shares[a] - shares[b]) / both if both > 0 else math.nan


def diversity_truth(truths: Sequence[Mapping[str, float]], *, a: str, b: str) -> float:
    """ENTIGEN's Eq. 1 in the long run: sum |share a - share b| / sum (share a + share b).

    The value that the score approaches as the images per prompt grow, for equally many images of
    each attribute. Range 0 (equal shares everywhere) to 1 (one group only); attributes with NaN
    shares do not count; NaN when none is left.
    """
    apart, both = 0.0, 0.0
    for shares in truths:
        together = _share(shares, a) + _share(shares, b)
        if not math.isnan(together):
            apart += abs(shares[a] - shares[b])
            both += together
    return apart / both if both > 0 else math.nan


def _share(shares: Mapping[str, float], group: str) -> float:
    if group not in shares:
        raise PracticeError(f"group {group!r} is unknown; allowed: {', '.join(shares)}")
    return shares[group]


def mixed_share(replacements: Sequence[Replacement], *, axis: str, group: str) -> float:
    """P(group) over a random text: sum of probability * person * share, over those with people.

    Texts that show nobody bring no image of a person and so drop out, as they do in a study.
    """
    total = math.fsum(each.probability for each in replacements)
    if not replacements or abs(total - 1.0) > _SUM_TOLERANCE:
        raise PracticeError(f"replacements: probabilities add up to {total}; allowed: 1")
    world = World.load()
    people, found = 0.0, 0.0
    for each in replacements:
        known = world.distribution(each.text)
        weight = each.probability * known.is_person()
        if weight > 0:
            people += weight
            found += weight * _share(known.group_share(axis), group)
    return found / people if people > 0 else math.nan


def word_influences(
    subsets: Mapping[frozenset[int], Sequence[Replacement]],
    *,
    words: int,
    level: int,
    axis: str,
    group: str,
) -> list[WordInfluence]:
    """Exact influence of every word, by Definition 1 of the word-level paper.

    TI(i) = sum over S without i, |S| <= level - 1, of (P_S - P_{S + i}) / C(words - 1, |S|)

    Args:
        subsets: For each set of replaced positions up to size `level`, its texts with their
            probabilities. The empty set holds the prompt itself.
        words: Number of words of the prompt.
        level: The largest number of words replaced at once.
        axis: "perceived gender", "skin tone" or "culture".
        group: The group that the score speaks of.

    Returns:
        One influence for each word, in order.

    Raises:
        PracticeError: If a needed subset is missing, or level is not within 1 ... words.
    """
    if not 1 <= level <= words:
        raise PracticeError(f"level is {level}; allowed: 1 ... {words}")
    if frozenset() not in subsets:
        raise PracticeError("subset [] is missing; it holds the prompt itself")
    share = {s: mixed_share(texts, axis=axis, group=group) for s, texts in subsets.items()}
    scores = [0.0] * words
    smaller = (frozenset(c) for size in range(level) for c in combinations(range(words), size))
    for chosen in smaller:
        for index in set(range(words)) - chosen:
            with_it = chosen | {index}
            if with_it not in share:
                raise PracticeError(f"subset {sorted(with_it)} is missing; needed at level {level}")
            scores[index] += (share[chosen] - share[with_it]) / math.comb(words - 1, len(chosen))
    return [WordInfluence(i, group, level, score) for i, score in enumerate(scores)]


def sample_scenes(prompt: str, n: int, rng: np.random.Generator) -> list[Scene]:
    """Draw n scenes for a prompt, for truths that need images."""
    if n < 0:
        raise PracticeError(f"n is {n}; allowed: 0 or more")
    known = World.load().distribution(prompt)
    return [known.sample(rng) for _ in range(n)]
