"""Word influence: which word of a prompt is responsible for who is shown.

A *subset* S is the set of word positions (counted from 0) that were replaced, and P_S the share of
one group in images of prompts with those words replaced; P of the empty set is the original
prompt's. A score speaks of the group whose share P is: positive means that the word pushes towards
that group. (Table 1 of the paper prints the opposite sign for P(female): its scores speak of male.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_option
from portrayal.statistics.counts import FloatArray

Subset = frozenset[int]
BoundForm = Literal["direct", "theorem"]
BOUND_FORMS: tuple[BoundForm, ...] = ("direct", "theorem")
Seeds = Literal["shared", "own"]
SEEDS: tuple[Seeds, ...] = ("shared", "own")
# 2^16 sets of words: more texts than anyone paints, and the most that a table should hold.
MOST_SHAPLEY_WORDS = 16


def word_influence(shares: Mapping[Subset, Any], n_words: int, level: int) -> FloatArray:
    """Return the r-level influence of every word, r = `level`.

    `TI_i = sum over S without i, |S| <= r - 1, of (P_S - P_{S + i}) / C(k - 1, |S|)` for k words:
    for each number of words replaced before, the mean effect of replacing word i as well, summed
    over these numbers. Positive: the word pushes towards the group whose share P is. From -r to r.
    Level 1 is P of the original minus P with the word replaced. There is no factor 1 / k, so level
    k is k times the Shapley value (`shapley_influence`). A share that is NaN makes the scores that
    need it NaN.

    Args:
        shares: P_S for every set of at most `level` replaced positions; a number each, or an array
            with one number per group.
        n_words: Words in the prompt.
        level: Largest number of words replaced at once.

    Returns:
        One score per word, with one column per group if the shares are arrays.

    Reference: Lin et al. (2023), Word-Level Explanations for Analyzing Bias in Text-to-Image
    Models, Definition 1.

    >>> shares = {frozenset(): 0.16, frozenset({0}): 0.133, frozenset({1}): 0.533}
    >>> word_influence(shares, n_words=2, level=1).round(3)
    array([ 0.027, -0.373])
    """
    check_level(n_words, level)
    subsets = all_subsets(n_words, level)
    values = share_table(shares, subsets, n_words)
    return combine(influence_weights(subsets, n_words, level), values)


def shapley_influence(shares: Mapping[Subset, Any], n_words: int) -> FloatArray:
    """Return the Shapley value of every word: its mean effect over all orders of replacing words.

    `phi_i = (1 / k) sum over S without i of (P_S - P_{S + i}) / C(k - 1, |S|)`. From -1 to 1; the
    sign is that of `word_influence`, and the values add up to P of the original minus P with every
    word replaced.

    Args:
        shares: P_S for each of the 2^k sets of replaced positions; a number each, or an array.
        n_words: Words in the prompt, at most 16.

    Returns:
        One value per word, with one column per group if the shares are arrays.

    Reference: Shapley (1953), A value for n-person games; Lundberg and Lee (2017).

    >>> shares = {frozenset(): 0.0, frozenset({0}): 0.0, frozenset({1}): 0.0,
    ...           frozenset({0, 1}): 0.5}
    >>> shapley_influence(shares, n_words=2)
    array([-0.25, -0.25])
    """
    if n_words > MOST_SHAPLEY_WORDS:
        raise StatisticsError(
            f"n_words is {n_words}; allowed: at most {MOST_SHAPLEY_WORDS} (2^k sets are needed); "
            "for longer prompts use word_influence or influence_estimate"
        )
    return word_influence(shares, n_words, n_words) / n_words


def pair_interactions(shares: Mapping[Subset, Any], n_words: int) -> FloatArray:
    """Return how much every two words do together beyond what each does alone.

    `(P - P_{ij}) - (P - P_i) - (P - P_j)`: the influence of the pair minus the influences of its
    words. From -2 to 2; positive means that together they push more towards the group. Words that
    act only together (replacing either changes nothing, replacing both does) have a large value
    here and none at level 1. Symmetric; NaN on the diagonal.

    Args:
        shares: P_S for the empty set, every word and every pair; a number each, or an array.
        n_words: Words in the prompt, at least 2.

    Returns:
        (words, words), with one more axis over groups if the shares are arrays.

    Reference: Lin et al. (2023), Figure 2; Grabisch and Roubens (1999) for interaction indices.

    >>> shares = {frozenset(): 0.0, frozenset({0}): 0.0, frozenset({1}): 0.0,
    ...           frozenset({0, 1}): 0.5}
    >>> pair_interactions(shares, n_words=2)
    array([[ nan, -0.5],
           [-0.5,  nan]])
    """
    check_level(n_words, 2)
    values = share_table(shares, all_subsets(n_words, 2), n_words)
    pairs = list(combinations(range(n_words), 2))
    effects = combine(pair_weights(n_words), values)
    table = np.full((n_words, n_words, *values.shape[1:]), np.nan)
    for (i, j), effect in zip(pairs, effects, strict=True):
        table[i, j] = table[j, i] = effect
    return table


def hoeffding_bound(
    deviation: float,
    n_words: int,
    level: int,
    images: int,
    *,
    form: BoundForm = "direct",
    seeds: Seeds = "shared",
) -> float:
    """Return a bound on the chance that an estimated influence is off by more than `deviation`.

    Holds for any model, when every P_S is the share among `images` independent images (one image
    per replacement text). `direct` applies Hoeffding's inequality to the whole score:
    `2 exp(-2 m t^2 / W)`. With `shared` seeds image j of one set may depend on image j of every
    other, as the images of an audit do: what is independent are the m contributions to the score,
    each from -r to r, and `W = (2 r)^2`. Only where every set has seeds of its `own` are all images
    independent, and `W = sum_s 2 / C(k - 1, s)`, s = 0 .. r - 1. `theorem` follows the paper's
    proof, term by term, and holds with either: `4 sum_s C(k - 1, s) exp(-m t^2 C(k - 1, s)^2 /
    (2 N^2))` with `N = sum_s C(k - 1, s)`; the paper's last line lacks the 2 below N^2, which its
    own steps give. At most 1.

    Args:
        deviation: t, above 0.
        n_words: k.
        level: r.
        images: m, images of every subset.
        form: Which bound.
        seeds: Whether sets of words have images from the same seeds.

    Reference: Lin et al. (2023), Theorem 1; Hoeffding (1963), JASA 58.

    >>> round(hoeffding_bound(0.2, n_words=6, level=1, images=200), 4)
    0.0366
    >>> round(hoeffding_bound(0.2, n_words=6, level=1, images=100, seeds="own"), 4)
    0.0366
    """
    check_option("form", form, BOUND_FORMS)
    check_option("seeds", seeds, SEEDS)
    check_level(n_words, level)
    if not deviation > 0 or images < 1:
        raise StatisticsError(
            f"deviation is {deviation} and images is {images}; allowed: deviation above 0, images "
            "of at least 1"
        )
    scaled = images * deviation**2
    if form == "direct":
        bound = 2 * math.exp(-2 * scaled / _squared_ranges(n_words, level, seeds))
    else:
        ways = np.array([math.comb(n_words - 1, size) for size in range(level)], dtype=np.float64)
        bound = float((4 * ways * np.exp(-scaled * (ways / ways.sum()) ** 2 / 2)).sum())
    return min(bound, 1.0)


def hoeffding_margin(
    n_words: int,
    level: int,
    images: int,
    *,
    confidence: float = 0.95,
    seeds: Seeds = "shared",
) -> float:
    """Return the deviation that an influence estimate exceeds with chance at most 1 - confidence.

    The direct `hoeffding_bound`, solved for t: an estimate -/+ this margin is an interval that
    holds for any model and any number of images; those of `influence_estimate` are narrower.

    Args:
        n_words: Words in the prompt.
        level: Largest number of words replaced at once.
        images: Images of every subset.
        confidence: Of the interval.
        seeds: Whether sets of words have images from the same seeds.

    Reference: Hoeffding (1963), JASA 58.

    >>> round(hoeffding_margin(6, level=1, images=200), 3)
    0.192
    """
    check_fraction("confidence", confidence)
    check_option("seeds", seeds, SEEDS)
    check_level(n_words, level)
    if images < 1:
        raise StatisticsError(f"images is {images}; allowed: at least 1")
    spread = _squared_ranges(n_words, level, seeds)
    return math.sqrt(math.log(2 / (1 - confidence)) * spread / (2 * images))


def _squared_ranges(n_words: int, level: int, seeds: Seeds) -> float:
    """Return the sum of squared ranges of the independent parts of a score, times the images."""
    if seeds == "shared":
        return 4.0 * level**2
    return sum(2 / math.comb(n_words - 1, size) for size in range(level))


def check_level(n_words: int, level: int) -> None:
    """Refuse a prompt without words, and a level that it cannot have."""
    if n_words < 1:
        raise StatisticsError(f"n_words is {n_words}; allowed: at least 1")
    if not 1 <= level <= n_words:
        raise StatisticsError(f"level is {level}; allowed: 1 to {n_words}, the number of words")


def all_subsets(n_words: int, level: int) -> list[Subset]:
    """Return every set of at most `level` word positions, smaller sets first."""
    sizes = range(level + 1)
    return [frozenset(chosen) for size in sizes for chosen in combinations(range(n_words), size)]


def share_table(
    shares: Mapping[Subset, Any], subsets: Iterable[Subset], n_words: int
) -> FloatArray:
    """Stack the shares of `subsets`, or name what is missing or out of place."""
    check_positions(shares, n_words)
    rows = []
    for subset in subsets:
        if subset not in shares:
            raise StatisticsError(
                f"shares lacks the set {sorted(subset)} of replaced words; allowed: every set up "
                "to the level asked for (influence_estimate takes a sample of sets)"
            )
        rows.append(np.asarray(shares[subset], dtype=np.float64))
    if len({row.shape for row in rows}) > 1:
        raise StatisticsError("shares have different shapes; allowed: the same groups in every set")
    values = np.stack(rows)
    outside = values[(values < 0) | (values > 1)]
    if outside.size:
        raise StatisticsError(f"shares hold {outside[0]}; allowed: shares from 0 to 1, or NaN")
    return values


def check_positions(shares: Mapping[Subset, Any], n_words: int) -> None:
    """Refuse keys that are not sets of positions inside the prompt."""
    for key in shares:
        if not isinstance(key, frozenset) or any(not 0 <= i < n_words for i in key):
            raise StatisticsError(
                f"{key!r} is no set of replaced words; allowed: a frozenset of positions from 0 to "
                f"{n_words - 1}"
            )


def combine(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Return weights @ values, with NaN only where a value that counts is NaN.

    >>> combine(np.array([[1.0, -1.0, 0.0]]), np.array([0.5, 0.25, np.nan]))
    array([0.25])
    """
    unknown = np.isnan(values)
    result = np.tensordot(weights, np.where(unknown, 0.0, values), axes=1)
    touched = np.tensordot(weights != 0, unknown, axes=1) > 0
    return np.where(touched, np.nan, result)


def influence_weights(subsets: list[Subset], n_words: int, level: int) -> FloatArray:
    """Return (words, subsets): how much each P_S counts in each word's influence.

    Where all sets of a size are present this is Definition 1. Where only a sample is, the mean over
    all sets that hold (or lack) a word becomes the mean over the sampled ones; a word for which
    there is none gets NaN.

    >>> influence_weights([frozenset(), frozenset({0}), frozenset({1})], n_words=2, level=1)
    array([[ 1., -1.,  0.],
           [ 1.,  0., -1.]])
    """
    holds = np.array([[i in subset for subset in subsets] for i in range(n_words)])
    size = np.array([len(subset) for subset in subsets])
    weights = np.zeros(holds.shape)
    for before in range(level):
        for part, sign in ((~holds & (size == before), 1.0), (holds & (size == before + 1), -1.0)):
            number = part.sum(axis=1, keepdims=True)
            weights += np.where(part, sign / np.maximum(number, 1), 0.0)
            weights[number[:, 0] == 0] = np.nan
    return weights


def pair_weights(n_words: int) -> FloatArray:
    """Return (pairs, subsets up to size 2): how much each P_S counts in each interaction."""
    subsets = all_subsets(n_words, 2)
    column = {subset: i for i, subset in enumerate(subsets)}
    pairs = list(combinations(range(n_words), 2))
    weights: NDArray[np.float64] = np.zeros((len(pairs), len(subsets)))
    for row, (i, j) in enumerate(pairs):
        weights[row, column[frozenset()]] = -1.0
        weights[row, [column[frozenset({i})], column[frozenset({j})]]] = 1.0
        weights[row, column[frozenset({i, j})]] = -1.0
    return weights
