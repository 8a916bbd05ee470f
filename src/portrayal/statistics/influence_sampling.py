"""Word influence from images: intervals, and sets of words that were only sampled.

The images of one replacement text resemble each other, so texts, not images, are what is drawn: a
set of words with 8 texts of 3 images holds less news than 24 texts of one image each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_option, check_resamples, check_rng
from portrayal.statistics.counts import FloatArray, Intervals
from portrayal.statistics.influence import (
    Subset,
    all_subsets,
    check_level,
    combine,
    influence_weights,
    pair_weights,
)
from portrayal.statistics.influence_bounds import Reach, cut_at
from portrayal.statistics.text_shares import TEXTS, Texts, TextShares, text_shares


@dataclass(frozen=True, slots=True, eq=False)
class InfluenceResult:
    """Influence of every word on every group's share.

    Attributes:
        scores: (words, groups), Definition 1.
        interval: Bounds of the same shape, within -r to r at level r.
        p_value: Two-sided, against no influence, of the same shape: the share 1 - confidence at
            which the interval's bound would touch zero.
        exact: Whether every set of words up to the level was painted, or only a sample of sets.
        n: Images.
        n_texts: Texts.
        n_subsets: Sets of replaced words, the empty one among them.
        draws: (resamples, words, groups), shared by all words: which word leads in how many draws
            can be read from them.
        reach: How far the bounds lie from the scores at any confidence.
    """

    scores: FloatArray
    interval: Intervals
    p_value: FloatArray
    exact: bool
    n: int
    n_texts: int
    n_subsets: int
    draws: FloatArray = field(repr=False)
    reach: Reach = field(repr=False)

    def p_beyond(self, margin: float) -> FloatArray:
        """Return the p-values against an influence of at most `margin` in size.

        The level at which the interval's bound would touch the margin, and 1 for scores within it:
        below 5% where a 95% interval lies wholly beyond the margin, on either side. With a margin
        of 0 it is `p_value`.

        Reference: Murphy and Myors (1999), Journal of Applied Psychology 84, for tests of a minimum
        effect.
        """
        if not margin >= 0:
            raise StatisticsError(f"margin is {margin}; allowed: 0 or more")
        beyond = np.maximum(np.abs(self.scores) - margin, 0.0)
        return self.reach.p_value(np.copysign(beyond, self.scores))


@dataclass(frozen=True, slots=True, eq=False)
class InteractionResult:
    """What two words do together.

    Attributes:
        first: Position of the first word of each pair.
        second: Position of the second.
        value: (pairs, groups): interaction of each pair (see `pair_interactions`).
        interval: Bounds of the same shape, within -2 to 2.
        p_value: Two-sided, against no interaction, agreeing with the interval.
        joint: (pairs, groups): influence of replacing both words.
        only_together: Whether the interaction's interval, widened for the number of pairs, leaves
            out 0, while those of both words' own influences hold it.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    value: FloatArray
    interval: Intervals
    p_value: FloatArray
    joint: FloatArray
    only_together: NDArray[np.bool_]


def influence_estimate(
    counts: Mapping[Subset, ArrayLike],
    n_words: int,
    level: int,
    *,
    rng: np.random.Generator,
    texts: Texts = "sampled",
    resamples: int = 2000,
    confidence: float = 0.95,
) -> InfluenceResult:
    """Estimate the r-level influence of every word on every group, with intervals.

    The score is that of `word_influence`: positive means that the word pushes towards the group,
    from -r to r. Every set's share is drawn once per resample and serves all words. Where a size is
    present with only some of its sets, these are taken as a random sample (`sample_subsets`), and
    the interval also covers the choice of sets; a word for which a size is missing altogether has
    NaN, and one set where there are more gives a score without an interval.

    Each set's share has Wilson's interval, for as many images as its texts are worth (design effect
    from the spread between texts); the bounds of a score combine them (square-and-add), stretched
    by Student's t with Welch and Satterthwaite's degrees of freedom where texts are few. Draws of a
    set's shares come from a Dirichlet distribution of the same worth (Jeffreys' prior, so that
    "0 of 24" is not certainty), centred on the observed share. Coverage in simulated worlds:
    docs/statistics/influence.md.

    Args:
        counts: Images by text (rows) and group (columns) for every set of replaced positions; the
            empty set has the original prompt as its only text.
        n_words: Words in the prompt.
        level: Largest number of words replaced at once.
        rng: Source of the draws.
        texts: `sampled` if the texts stand for all that the replacement could have written; `fixed`
            if they are all there are.
        resamples: How often to draw.
        confidence: Of the intervals.

    References: Lin et al. (2023), Definition 1; Zou and Donner (2008), Statistics in Medicine 27,
    for combining intervals; Rao and Scott (1981), JASA 76, for the design effect; Cochran (1977),
    Sampling Techniques, section 10.3, for sets sampled in two stages.

    >>> counts = {frozenset(): [[4, 20]], frozenset({0}): [[3, 21]], frozenset({1}): [[14, 10]]}
    >>> result = influence_estimate(
    ...     counts, n_words=2, level=1, texts="fixed", rng=np.random.default_rng(0))
    >>> result.scores[:, 0].round(3), (result.interval.high[:, 0] < 0)
    (array([ 0.042, -0.417]), array([False,  True]))
    """
    _check(texts, resamples, confidence, rng)
    check_level(n_words, level)
    subsets = [subset for subset in all_subsets(n_words, level) if subset in counts]
    shares = text_shares(counts, subsets, n_words, texts)
    weights = influence_weights(subsets, n_words, level)
    exact = len(subsets) == sum(math.comb(n_words, size) for size in range(level + 1))
    choice = _Choice(np.ones(weights.shape), np.zeros((n_words, 1)), np.ones((n_words, 1)))
    if not exact:
        choice = _choice_of_sets(shares.value, subsets, n_words, level)
    spread = _spread(weights, shares, choice, resamples=resamples, confidence=confidence, rng=rng)
    return InfluenceResult(
        scores=spread.value,
        interval=cut_at(spread.interval, float(level)),
        p_value=spread.p_value,
        exact=exact,
        n=int(shares.images.sum()),
        n_texts=int(shares.texts.sum()),
        n_subsets=len(subsets),
        draws=spread.draws,
        reach=spread.reach,
    )


def interaction_estimate(
    counts: Mapping[Subset, ArrayLike],
    n_words: int,
    *,
    rng: np.random.Generator,
    texts: Texts = "sampled",
    resamples: int = 2000,
    confidence: float = 0.95,
) -> InteractionResult:
    """Estimate the interaction of every two words, with intervals: which act only together?

    Values and signs as in `pair_interactions`, from -2 to 2; intervals as in `influence_estimate`.
    All pairs share images of the prompt as it is, and among many pairs some would stand out by
    chance: for naming those that act only together, intervals are widened as Bonferroni's are.

    Args:
        counts: Images by text and group, for the empty set, every word and every pair.
        n_words: Words in the prompt, at least 2.
        rng: Source of the draws.
        texts: Whether the texts are a sample or all there are.
        resamples: How often to draw.
        confidence: Of the intervals.

    Reference: Lin et al. (2023), Figure 2.

    >>> counts = {frozenset(): [[0, 24]], frozenset({0}): [[0, 24]], frozenset({1}): [[1, 23]],
    ...           frozenset({0, 1}): [[12, 12]]}
    >>> result = interaction_estimate(
    ...     counts, n_words=2, texts="fixed", rng=np.random.default_rng(0))
    >>> result.value[:, 0].round(3), result.only_together[:, 0]
    (array([-0.458]), array([ True]))
    """
    _check(texts, resamples, confidence, rng)
    check_level(n_words, 2)
    subsets = all_subsets(n_words, 2)
    shares = text_shares(counts, subsets, n_words, texts)
    pairs = np.array(list(combinations(range(n_words), 2)), dtype=np.intp)
    weights = np.vstack([pair_weights(n_words), influence_weights(subsets, n_words, 1)])
    rows = len(weights)
    choice = _Choice(np.ones(weights.shape), np.zeros((rows, 1)), np.ones((rows, 1)))
    spread = _spread(weights, shares, choice, resamples=resamples, confidence=confidence, rng=rng)
    alone = _leaves_out_zero(spread, 1.0)[len(pairs) :]
    tail = (1 - confidence) / 2
    wider = float(stats.norm.ppf(tail / len(pairs)) / stats.norm.ppf(tail))
    together = _leaves_out_zero(spread, wider)[: len(pairs)]
    return InteractionResult(
        first=pairs[:, 0],
        second=pairs[:, 1],
        value=spread.value[: len(pairs)],
        interval=cut_at(Intervals(*(bound[: len(pairs)] for bound in spread.interval)), 2.0),
        p_value=spread.p_value[: len(pairs)],
        joint=shares.value[0] - shares.value[1 + n_words :],
        only_together=together & ~alone[pairs[:, 0]] & ~alone[pairs[:, 1]],
    )


def _leaves_out_zero(spread: _Spread, wider: float) -> NDArray[np.bool_]:
    """Tell which intervals leave out 0, each side so many times as far from the value."""
    low, high = spread.interval
    above = spread.value - wider * (spread.value - low) > 0
    below = spread.value + wider * (high - spread.value) < 0
    return np.asarray(above | below)


def sample_subsets(
    n_words: int, level: int, per_size: int, *, rng: np.random.Generator
) -> tuple[Subset, ...]:
    """Choose which sets of words to replace: all of a size if few, else a balanced random sample.

    Sets of one size come from shuffled word orders cut into pieces, so that every word is replaced
    about equally often. The answer starts with the empty set; sizes run up to `level`.

    Args:
        n_words: Words in the prompt.
        level: Largest number of words replaced at once.
        per_size: Sets of each size, at least 1; smaller sizes are taken whole where they fit.
        rng: Source of the choice.

    Reference: Castro, Gomez and Tejada (2009), Polynomial calculation of the Shapley value based
    on sampling, for sampling in place of all sets.

    >>> chosen = sample_subsets(8, level=3, per_size=16, rng=np.random.default_rng(0))
    >>> [sum(len(subset) == size for subset in chosen) for size in range(4)]
    [1, 8, 16, 16]
    """
    check_rng(rng)
    check_level(n_words, level)
    if per_size < 1:
        raise StatisticsError(f"per_size is {per_size}; allowed: at least 1")
    chosen: list[Subset] = []
    for size in range(level + 1):
        if math.comb(n_words, size) <= per_size:
            chosen += [frozenset(positions) for positions in combinations(range(n_words), size)]
        else:
            chosen += _pieces(n_words, size, per_size, rng)
    return tuple(chosen)


def _pieces(n_words: int, size: int, number: int, rng: np.random.Generator) -> list[Subset]:
    # Large sets are the complements of small ones, else a shuffled order yields a single piece.
    piece = min(size, n_words - size)
    found: dict[Subset, None] = {}
    while len(found) < number:
        order = rng.permutation(n_words).tolist()
        for start in range(0, n_words - piece + 1, piece):
            cut = frozenset(order[start : start + piece])
            found.setdefault(cut if piece == size else frozenset(range(n_words)) - cut)
    return list(found)[:number]


class _Choice(NamedTuple):
    """Effect of sampling sets: factor on image variance, (words, groups) variance and freedom."""

    image_factor: FloatArray
    variance: FloatArray
    freedom: FloatArray


class _Spread(NamedTuple):
    value: FloatArray
    interval: Intervals
    p_value: FloatArray
    draws: FloatArray
    reach: Reach


def _check(texts: Texts, resamples: int, confidence: float, rng: np.random.Generator) -> None:
    check_option("texts", texts, TEXTS)
    check_resamples(resamples)
    check_fraction("confidence", confidence)
    check_rng(rng)


def _choice_of_sets(value: FloatArray, subsets: list[Subset], n_words: int, level: int) -> _Choice:
    """Return what sampling sets adds, and how much of the image variance it already contains."""
    holds = np.array([[i in subset for subset in subsets] for i in range(n_words)])
    size = np.array([len(subset) for subset in subsets])
    factor = np.ones(holds.shape)
    variance = np.zeros((n_words, value.shape[1]))
    squares = np.zeros(variance.shape)
    for i in range(n_words):
        for before in range(level):
            ways = math.comb(n_words - 1, before)
            for part in (~holds[i] & (size == before), holds[i] & (size == before + 1)):
                number = int(part.sum())
                if number in (0, ways):
                    continue
                taken = number / ways
                factor[i, part] = taken
                if number == 1:
                    variance[i] = np.nan
                    continue
                term = (1 - taken) * value[part].var(axis=0, ddof=1) / number
                variance[i] += term
                squares[i] += term**2 / (number - 1)
    freedom = np.ones(variance.shape)
    np.divide(variance**2, squares, out=freedom, where=squares > 0)
    return _Choice(factor, variance, freedom)


def _spread(
    weights: FloatArray,
    shares: TextShares,
    choice: _Choice,
    *,
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> _Spread:
    known, worth = np.nan_to_num(shares.value), np.nan_to_num(shares.worth, nan=1.0)[:, None]
    groups = known.shape[1]
    drawn = rng.standard_gamma(known * worth + 0.5, (resamples, *known.shape))
    drawn /= drawn.sum(axis=2, keepdims=True)
    smooth = (known * worth + 0.5) / (worth + groups / 2)
    scaled = weights * np.sqrt(choice.image_factor)
    moves = np.einsum("ws,rsg->rwg", scaled, drawn - drawn.mean(axis=0))
    moves += np.sqrt(choice.variance) * rng.standard_normal(moves.shape)
    terms = scaled[..., None] ** 2 * (smooth * (1 - smooth) / worth)
    squares = (terms**2 / shares.freedom[:, None]).sum(axis=1)
    squares = squares + choice.variance**2 / choice.freedom
    freedom = (terms.sum(axis=1) + choice.variance) ** 2 / squares
    freedom[((weights != 0) & np.isnan(shares.worth)).any(axis=1)] = np.nan
    reach = Reach(known, worth, scaled, choice.variance, freedom)
    value = combine(weights, shares.value)
    z = np.full(value.shape, float(stats.norm.ppf(0.5 + confidence / 2)))
    below, above = reach.at(z)
    draws = value + reach.stretch(z) * moves
    bounds = Intervals(value - below, value + above)
    return _Spread(value, bounds, reach.p_value(value), draws, reach)
