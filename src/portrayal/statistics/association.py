"""Association tests: does concept X lean to attribute A more than concept Y does?

Wang, Liu, Di, Liu, Wang (2023), T2IAT: Measuring Valence and Stereotypical Biases in
Text-to-Image Generation, Findings of ACL. Choices that the paper leaves open are explained in
docs/statistics/association.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import (
    check_fraction,
    check_option,
    check_resamples,
    check_rng,
)
from portrayal.statistics.effect import EFFECTS, EffectKind, EffectSize, Side, effect_size, side_of
from portrayal.statistics.intervals import Interval
from portrayal.statistics.permutation import (
    ALTERNATIVES,
    Alternative,
    Members,
    PermutationResult,
    permutation_test,
)
from portrayal.statistics.precision import RESAMPLE, Resample, Source, moves
from portrayal.statistics.samples import FloatArray, Sample, as_sample, check_widths

Permute = Literal["targets", "stimuli"]
PERMUTE: tuple[Permute, ...] = ("targets", "stimuli")
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
        exact: Whether the paper's test looked at every split.
        n_x: Images of X.
        n_y: Images of Y.
        null_distribution: The score under every split that the paper's test looked at.
        effect_size_corrected: Bias-corrected d; centre of its interval.
        effect_interval: For the population effect size.
        n_units_x: Units (prompts) of X.
        n_units_y: Units of Y.
        n_attributes: Images in x_a, x_b, y_a, y_b.
        x_associations: Eq. 2 for every image of X, in the order given.
        y_associations: Eq. 2 for every image of Y.
        paper_p_value: Of the paper's permutation test, which takes X and Y to have the same spread.
    """

    score: float
    effect_size: float
    p_value: float
    interval: Interval
    exact: bool
    n_x: int
    n_y: int
    null_distribution: FloatArray = field(repr=False)
    effect_size_corrected: float
    effect_interval: Interval
    n_units_x: int
    n_units_y: int
    n_attributes: tuple[int, int, int, int]
    x_associations: FloatArray = field(repr=False)
    y_associations: FloatArray = field(repr=False)
    paper_p_value: float


def association_scores(images: ArrayLike, a: ArrayLike, b: ArrayLike) -> FloatArray:
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
    sets = {name: as_sample(rows, None, name=name)
            for name, rows in (("images", images), ("a", a), ("b", b))}  # fmt: skip
    check_widths(sets)
    return side_of(sets["images"], sets["a"], sets["b"]).associations


def association_test(
    x: ArrayLike,
    y: ArrayLike,
    x_a: ArrayLike,
    x_b: ArrayLike,
    y_a: ArrayLike,
    y_b: ArrayLike,
    *,
    effect: EffectKind = "pooled",
    x_units: ArrayLike | None = None,
    y_units: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    resamples: int = 9999,
    confidence: float = 0.95,
    rng: np.random.Generator,
    x_a_units: ArrayLike | None = None,
    x_b_units: ArrayLike | None = None,
    y_a_units: ArrayLike | None = None,
    y_b_units: ArrayLike | None = None,
    resample: Resample = "units",
    permute: Permute = "targets",
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
    other images. NaN when a set has only one unit (image).

    `paper_p_value` is the paper's permutation test: units change sides, and every split is looked
    at when there are at most `resamples`, else p = (b + 1) / (m + 1). `two-sided` is twice the
    smaller one-sided p. With `permute="targets"` (the paper) each image keeps its Asc; the
    attribute images count as given. `permute="stimuli"` lets each unit take its attribute images
    along; it needs the same labels in `x_units`, `x_a_units`, `x_b_units` (and for Y). Both reject
    a true null too often where the smaller side has the larger spread (4 v 12 prompts, 2.5 times
    the spread: 13-17 % in place of 5 %; studentising the permutation leaves 11-15 %), and `targets`
    also where X and Y have different attribute images.

    Args:
        x: Embeddings of concept X's neutral images, one per row, not necessarily normalised.
        y: Embeddings of concept Y's neutral images.
        x_a: Images of X under attribute A.
        x_b: Images of X under attribute B.
        y_a: Images of Y under attribute A; the same array as `x_a` where the attribute is shared.
        y_b: Images of Y under attribute B.
        effect: Which deviation d is divided by.
        x_units: Unit (prompt) of each row of x; None: every row is a unit.
        y_units: Unit of each row of y; never the same unit as one of x.
        alternative: `greater` asks whether X leans to A more than Y does, `less` the reverse; of
            both p-values.
        resamples: The most splits for the paper's test to look at.
        confidence: Of both intervals.
        rng: Source of random splits.
        x_a_units: Unit of each row of x_a; likewise the next three.
        x_b_units: Unit of each row of x_b.
        y_a_units: Unit of each row of y_a.
        y_b_units: Unit of each row of y_b.
        resample: Whether p and intervals generalise to new prompts or to new images.
        permute: What changes sides in the paper's test.

    References: Wang et al. (2023), Eq. 1-4; Welch (1947), Biometrika 34, for unequal spreads;
    Phipson and Smyth (2010) for the permutation p-value.

    >>> rng = np.random.default_rng(1)
    >>> a, b = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> x, y = np.array([[4, 3], [12, 5], [1, 0]]), np.array([[3, 4], [5, 12], [1, 1]])
    >>> result = association_test(x, y, a, b, a, b, rng=rng)
    >>> round(result.score, 4), round(result.effect_size, 4), round(result.p_value, 3)
    (0.8256, 2.4069, 0.053)
    >>> result.paper_p_value, result.exact
    (0.1, True)
    """
    check_option("effect", effect, EFFECTS)
    check_option("alternative", alternative, ALTERNATIVES)
    check_option("resample", resample, RESAMPLE)
    check_option("permute", permute, PERMUTE)
    check_resamples(resamples)
    check_fraction("confidence", confidence)
    check_rng(rng)
    sets = {
        "x": as_sample(x, x_units, name="x"),
        "y": as_sample(y, y_units, name="y"),
        "x_a": as_sample(x_a, x_a_units, name="x_a"),
        "x_b": as_sample(x_b, x_b_units, name="x_b"),
        "y_a": as_sample(y_a, y_a_units, name="y_a"),
        "y_b": as_sample(y_b, y_b_units, name="y_b"),
    }
    check_widths(sets)
    side_x = side_of(sets["x"], sets["x_a"], sets["x_b"])
    side_y = side_of(sets["y"], sets["y_a"], sets["y_b"])
    size = effect_size(side_x, side_y, effect, resample)
    told = _precision(
        side_x, side_y, size, resample=resample, confidence=confidence, alternative=alternative
    )
    test = _permutation(side_x, side_y, permute, alternative, resamples, rng)
    return AssociationResult(
        score=side_x.mean - side_y.mean,
        effect_size=size.plain,
        p_value=told.p_value,
        interval=told.score,
        exact=test.exact,
        n_x=side_x.images.n,
        n_y=side_y.images.n,
        null_distribution=test.null_distribution,
        effect_size_corrected=told.effect_size,
        effect_interval=told.effect,
        n_units_x=side_x.images.n_units,
        n_units_y=side_y.images.n_units,
        n_attributes=(sets["x_a"].n, sets["x_b"].n, sets["y_a"].n, sets["y_b"].n),
        x_associations=side_x.associations,
        y_associations=side_y.associations,
        paper_p_value=test.p_value,
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
    ratio = found.ratio_interval(score, size.variance, confidence=confidence, twice=twice)
    root = math.sqrt(size.variance)
    ratio = _same_side(ratio, Interval(inner.low / root, inner.high / root))
    # A lone attribute image has no spread to tell; p then takes it as given, as the paper does.
    told = [one for one in sources if one.sample.n_units > 1 or one.sample in (x.images, y.images)]
    known = found if len(told) == len(sources) else moves(told, resample)
    p_value = known.p_value(score, alternative=alternative, twice=twice if known is found else 0.0)
    return _Precision(
        math.nan if math.isnan(size.plain) else p_value,
        Interval(*(float(np.clip(bound, -_LARGEST, _LARGEST)) for bound in inner)),
        size.of_kind(found.ratio(score, size.variance)),
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


def _permutation(
    x: Side,
    y: Side,
    permute: Permute,
    alternative: Alternative,
    resamples: int,
    rng: np.random.Generator,
) -> PermutationResult:
    """Shuffle which units count as X."""
    n_x, n_y = x.images.n_units, y.images.n_units
    if permute == "targets":
        values = np.concatenate([side.images.unit_means(side.associations) for side in (x, y)])
        total, per_member = values.sum() / n_y, values * (1.0 / n_x + 1.0 / n_y)

        def statistic(members: Members) -> FloatArray:
            # Not `@`: a product this small gains nothing from BLAS threads, and waits for them.
            return np.asarray(np.einsum("ij,j->i", members, per_member) - total)
    else:
        values = _stimuli_products(x, y)

        def statistic(members: Members) -> FloatArray:
            first = members / n_x
            second = (1.0 - members) / n_y
            return np.asarray(
                np.einsum("ij,ij->i", first @ values, first)
                - np.einsum("ij,ij->i", second @ values, second)
            )

    return permutation_test(
        statistic,
        n_x,
        n_y,
        alternative=alternative,
        resamples=resamples,
        tolerance=100.0 * np.finfo(np.float64).eps * float(np.abs(values).max()),
        rng=rng,
    )


def _stimuli_products(x: Side, y: Side) -> FloatArray:
    """Return neutral images of unit i times attribute direction of unit j, for all units."""
    neutral, attribute = [], []
    for name, side in (("x", x), ("y", y)):
        units = side.images.labels
        for attr, sample in (("a", side.a), ("b", side.b)):
            if units is None or sample.labels is None or set(units) != set(sample.labels):
                raise StatisticsError(
                    f'permute="stimuli" needs the same labels in {name}_units and '
                    f"{name}_{attr}_units; got {_count(side.images)} and {_count(sample)} units"
                    f'; label attribute images by stimulus, or use permute="targets"'
                )
        neutral.append(side.images.unit_means(side.images.rows))
        attribute.append(_by_label(side.a, units) - _by_label(side.b, units))
    return np.asarray(np.concatenate(neutral) @ np.concatenate(attribute).T)


def _by_label(sample: Sample, labels: tuple[object, ...] | None) -> FloatArray:
    positions = {label: index for index, label in enumerate(sample.labels or ())}
    order = [positions[label] for label in labels or ()]
    return np.asarray(sample.unit_means(sample.rows)[order])


def _count(sample: Sample) -> str:
    return "no" if sample.labels is None else str(sample.n_units)
