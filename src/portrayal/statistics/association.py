"""Association tests: does concept X lean to attribute A more than concept Y does?

Wang, Liu, Di, Liu, Wang (2023), T2IAT: Measuring Valence and Stereotypical Biases in
Text-to-Image Generation, Findings of ACL. Choices that the paper leaves open are explained in
docs/statistics/association.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from portrayal.statistics.checks import check_fraction, check_option
from portrayal.statistics.effect import (
    EFFECTS,
    EffectKind,
    EffectSize,
    Side,
    effect_size,
    side_of,
    sides_of,
)
from portrayal.statistics.effect_interval import (
    effect_interval,
    relative_error,
    rest_variance,
    side_spread,
)
from portrayal.statistics.intervals import Interval
from portrayal.statistics.permutation import ALTERNATIVES, Alternative
from portrayal.statistics.precision import RESAMPLE, Resample, Source, moves
from portrayal.statistics.samples import ConceptEmbeddings, Embeddings, FloatArray, as_samples

# Two differences of cosines: no score is larger.
_LARGEST = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class AssociationResult:
    """What an association test says.

    Attributes:
        score: Differential association S; positive when X leans to A more than Y does.
        effect_size: Cohen's d by the paper's formula; NaN when it cannot be told.
        p_value: Student's, from the same variance as the intervals: two-sided, it is below
            1 - confidence exactly where they leave out zero. NaN with one unit on a side, or when
            no association differs from another.
        interval: For the score.
        n_x: Images of X.
        n_y: Images of Y.
        effect_size_corrected: Bias-corrected d; centre of its interval.
        effect_interval: For the population effect size.
        n_units_x: Units (prompts) of X.
        n_units_y: Units of Y.
        n_attributes: Images of X under A and B, of Y under A and B.
        x_associations: Eq. 2 for every image of X, in the order given.
        y_associations: Eq. 2 for every image of Y.
    """

    score: float
    effect_size: float
    p_value: float
    interval: Interval
    n_x: int
    n_y: int
    effect_size_corrected: float
    effect_interval: Interval
    n_units_x: int
    n_units_y: int
    n_attributes: tuple[int, int, int, int]
    x_associations: FloatArray = field(repr=False)
    y_associations: FloatArray = field(repr=False)


def association_scores(
    images: Embeddings | ArrayLike, a: Embeddings | ArrayLike, b: Embeddings | ArrayLike
) -> FloatArray:
    """Return Eq. 2 for every image: mean cosine to A's images minus mean cosine to B's.

    Asc(x) = mean_a cos(x, a) - mean_b cos(x, b). Range -2 to 2; positive leans to A. No image gives
    an error, as do zero, NaN and infinite embeddings: there is no answer for them.

    Args:
        images: One embedding per row, not necessarily normalised.
        a: Embeddings of attribute A's images.
        b: Embeddings of attribute B's images.

    >>> association_scores([[1, 0], [0, 2], [1, 1]], a=[[3, 0]], b=[[0, 1]]).round(6).tolist()
    [1.0, -1.0, 0.0]
    """
    return side_of(**as_samples({"images": images, "a": a, "b": b})).associations


def association_test(
    x: ConceptEmbeddings,
    y: ConceptEmbeddings,
    *,
    effect: EffectKind = "pooled",
    alternative: Alternative = "two-sided",
    resample: Resample = "units",
    confidence: float = 0.95,
) -> AssociationResult:
    """Test whether images of X lean to attribute A, against B, more than images of Y do.

    Score S = mean_x Asc(x, X^A, X^B) - mean_y Asc(y, Y^A, Y^B), with Asc as in
    `association_scores`; a mean of unit means, so a unit with fewer images weighs as much as
    another. Range -4 to 4; positive: X leans to A more than Y does. Effect size d = S / s with s
    over images: `pooled` (Cohen's d) or `union` (as in WEAT), both with n - 1. d is NaN, never
    infinite, with fewer than two units a side or when all associations are equal. Empty sets, zero
    vectors, NaN, infinities and different widths are errors: there is no answer for n = 0.

    p-value and intervals come from one model: Student's t of S over its standard error, with Welch
    and Satterthwaite's degrees of freedom. They count the sampling of attribute images (one sample,
    when X and Y are given the same ones; a single image is taken as given in p, and leaves the
    intervals unknown). What they speak of is `resample`: `units`: other prompts of the same kind
    might have been chosen; equal labels on one side are one unit. `images`: these prompts, with
    other images. NaN when a set has only one unit (image). The paper's own p-value is that of
    `association_permutation_test`.

    Args:
        x: Embeddings of concept X, neutral and under both attributes.
        y: Embeddings of concept Y; the same `a` and `b` as in `x` where the attributes are shared.
            A unit of Y is never one of X.
        effect: Which deviation d is divided by.
        alternative: `greater` asks whether X leans to A more than Y does, `less` the reverse.
        resample: Whether p and intervals generalise to new prompts or to new images.
        confidence: Of both intervals.

    References: Wang et al. (2023), Eq. 1-4; Welch (1947), Biometrika 34, for unequal spreads.

    >>> a, b = [[1, 0]], [[0, 1]]
    >>> x = ConceptEmbeddings([[4, 3], [12, 5], [1, 0]], a, b)
    >>> y = ConceptEmbeddings([[3, 4], [5, 12], [1, 1]], a, b)
    >>> result = association_test(x, y)
    >>> round(result.score, 4), round(result.effect_size, 4), round(result.p_value, 3)
    (0.8256, 2.4069, 0.053)
    """
    check_option("effect", effect, EFFECTS)
    check_option("alternative", alternative, ALTERNATIVES)
    check_option("resample", resample, RESAMPLE)
    check_fraction("confidence", confidence)
    side_x, side_y = sides_of(x=x, y=y)
    size = effect_size(side_x, side_y, effect, resample)
    told = _precision(
        side_x, side_y, size, resample=resample, confidence=confidence, alternative=alternative
    )
    return AssociationResult(
        score=side_x.mean - side_y.mean,
        effect_size=size.plain,
        p_value=told.p_value,
        interval=told.score,
        n_x=side_x.images.n,
        n_y=side_y.images.n,
        effect_size_corrected=told.effect_size,
        effect_interval=told.effect,
        n_units_x=side_x.images.n_units,
        n_units_y=side_y.images.n_units,
        n_attributes=(side_x.a.n, side_x.b.n, side_y.a.n, side_y.b.n),
        x_associations=side_x.associations,
        y_associations=side_y.associations,
    )


@dataclass(frozen=True, slots=True)
class _Precision:
    """What Student's t says about the score and the effect size."""

    p_value: float
    score: Interval
    effect_size: float
    effect: Interval


def _precision(
    x: Side,
    y: Side,
    size: EffectSize,
    *,
    resample: Resample,
    confidence: float,
    alternative: Alternative,
) -> _Precision:
    """Return p and both intervals, from one estimate of the score's variance."""
    sources = _sources(x, y, size)
    found = moves(sources, resample)
    twice = 0.0
    if resample == "images":
        twice = x.counted_twice(resample) + y.counted_twice(resample)
    score = x.mean - y.mean
    inner = found.interval(score, confidence=confidence, twice=twice)
    root = math.sqrt(size.variance)
    sides = [side_spread(*one, resample) for one in ((x, sources[0]), (y, sources[1]))]
    rest = rest_variance(found, sources[:2], score / root, root, resample)
    rest = max(rest - twice / size.variance, 0.0)
    ratio = effect_interval(
        score / root, sides, size.variance, rest=rest, rest_freedom=float(found.degrees[0]),
        confidence=confidence,
    )  # fmt: skip
    ratio = _same_side(ratio, Interval(inner.low / root, inner.high / root))
    # A lone attribute image has no spread to tell; p then takes it as given, as the paper does.
    told = [one for one in sources if one.sample.n_units > 1 or one.sample in (x.images, y.images)]
    known = found if len(told) == len(sources) else moves(told, resample)
    p_value = known.p_value(score, alternative=alternative, twice=twice if known is found else 0.0)
    return _Precision(
        math.nan if math.isnan(size.plain) else p_value,
        Interval(*(float(np.clip(bound, -_LARGEST, _LARGEST)) for bound in inner)),
        size.of_kind(score / root / (1.0 + 0.375 * relative_error(sides))),
        Interval(size.of_kind(ratio.low), size.of_kind(ratio.high)),
    )


def _sources(x: Side, y: Side, size: EffectSize) -> list[Source]:
    of_x = x.sources("x", 1.0, size.share_x)
    of_y = y.sources("y", -1.0, size.share_y)
    sources = [of_x[0], of_y[0]]
    for mine, theirs in zip(of_x[1:], of_y[1:], strict=True):
        if mine.sample.same_as(theirs.sample):
            # One sample that both concepts are compared with: its pulls largely cancel.
            sources.append(replace(mine, scores=mine.scores + theirs.scores, side="shared"))
        else:
            sources += [mine, theirs]
    return sources


def _same_side(ratio: Interval, score: Interval) -> Interval:
    """Let a ratio's interval leave out zero where its numerator's does, and only there.

    The ratio has the sign of its numerator; its denominator is less well known, so that its own
    bounds, with fewer degrees of freedom, could claim not to know the sign.

    Args:
        ratio: Its interval.
        score: The numerator's, over the estimate of the denominator.
    """
    low, high = ratio
    if (score.low > 0) != (low > 0):
        low = score.low
    if (score.high < 0) != (high < 0):
        high = score.high
    return Interval(low, high)
