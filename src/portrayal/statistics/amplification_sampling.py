"""Amplification from counts: images as well as occupations are a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from portrayal.errors import StatisticsError
from portrayal.statistics.amplification import (
    SWITCHING,
    Switching,
    as_percentages,
    switches,
)
from portrayal.statistics.amplification_matching import MatchedSides, answer
from portrayal.statistics.amplification_sides import CountedSide, side_of_counts, side_of_shares
from portrayal.statistics.checks import check_fraction, check_option
from portrayal.statistics.counts import FloatArray, as_counts
from portrayal.statistics.intervals import Interval

Occupations = Literal["random", "fixed"]
OCCUPATIONS: tuple[Occupations, ...] = ("random", "fixed")


@dataclass(frozen=True, slots=True, eq=False)
class CountedAmplificationResult:
    """Mean amplification over occupations, from counts of images.

    Attributes:
        mean: Bias-corrected: without what chance adds to percentages of few images. Over all
            occupations, those that switch too.
        interval: Accounts for images of both sides, and for the choice of occupations if random;
            within what is possible.
        p_value: Two-sided, of the same model as the interval.
        plug_in: The paper's mean of |G - 50| - |T - 50|, percentages taken as they are.
        per_prompt: The paper's mean over occupations of every prompt.
        per_item: Each occupation's part in `mean`, which is their mean; NaN where it does not
            count. Of one occupation alone it says little.
        n: Occupations that count: at least two images on both sides of one prompt.
        n_images: Images counted.
        n_switched: Occupations that switch as observed, summed over prompts.
        n_missing: Occupations without two images on both sides, summed over prompts.
    """

    mean: float
    interval: Interval
    p_value: float
    plug_in: float
    per_prompt: FloatArray
    per_item: FloatArray
    n: int
    n_images: int
    n_switched: int
    n_missing: int


def amplification_from_counts(
    generated: ArrayLike,
    training: ArrayLike,
    *,
    switching: Switching = "exclude",
    occupations: Occupations = "random",
    confidence: float = 0.95,
) -> CountedAmplificationResult:
    """Return mean amplification with an interval that knows that percentages come from images.

    `|G - 50| - |T - 50|` of the true percentages per occupation and prompt, mean over prompts, then
    over all occupations, in percentage points from -50 to 50; positive is further from 50% than in
    training data. |G - 50| of few images is too large by chance, so both sides are compared at the
    smaller of their two numbers of images (`portrayal.statistics.rarefaction`): without
    amplification the difference is 0 on average, whatever the shares. What a difference stands for
    near 50% is read from where the better counted side lies
    (`portrayal.statistics.amplification_scale`). `random` takes the occupations' differences as a
    sample (Student's t, corrected for the skewness of folded shares); `fixed` takes only images as
    one (a score test, inverted). No occupation: NaN; one occupation and
    `random`: no interval and no p-value.

    Args:
        generated: Images of the group and of the other, (occupations, 2) or (occupations, prompts,
            2).
        training: Likewise; (occupations, 2) serves all prompts.
        switching: Whether the paper's plug-in leaves out occupations that switch; `mean` never
            does.
        occupations: Whether they stand for others, or for themselves.
        confidence: Of the interval.

    References: The Bias Amplification Paradox in Text-to-Image Generation, section 3.3; Hurlbert
    (1971), Ecology 52; Hall (1992), JRSS B 54; Newcombe (1998), Statistics in Medicine 17.

    >>> generated, training = [[50, 450], [400, 100]], [[125, 375], [350, 150]]
    >>> result = amplification_from_counts(generated, training, occupations="fixed")
    >>> round(result.mean, 1), result.plug_in, [round(x, 1) for x in result.interval]
    (12.5, 12.5, [8.9, 16.0])
    """
    _check(switching, occupations, confidence)
    g, t = counts_by_prompt("generated", generated), counts_by_prompt("training", training)
    if g.shape[0] != t.shape[0] or t.shape[1] not in (1, g.shape[1]):
        raise StatisticsError(
            f"generated is (occupations, prompts) {g.shape[:2]} and training {t.shape[:2]}; "
            "allowed: the same occupations, and one training count or one per prompt"
        )
    made, real = (side_of_counts(side, g.shape[1]) for side in (g, t))
    return _result(made, real, switching, occupations, confidence)


def amplification_against_shares(
    generated: ArrayLike,
    percentages: ArrayLike,
    *,
    switching: Switching = "exclude",
    occupations: Occupations = "random",
    confidence: float = 0.95,
) -> CountedAmplificationResult:
    """Return amplification against shares that are known, such as those in the labour market.

    As `amplification_from_counts`, with percentages in place of training images: generated images
    are a sample, the shares they are compared with are not.

    Args:
        generated: Images of the group and of the other, (occupations, 2) or (occupations, prompts,
            2).
        percentages: Known percentage of the group, one per occupation; NaN is missing.
        switching: Whether the paper's plug-in leaves out occupations that switch.
        occupations: Whether they stand for others, or for themselves.
        confidence: Of the interval.

    >>> result = amplification_against_shares([[9, 1], [8, 2], [3, 7]], [75, 75, 40])
    >>> round(result.plug_in, 1), result.n
    (10.0, 3)
    """
    _check(switching, occupations, confidence)
    g, known = counts_by_prompt("generated", generated), as_percentages("percentages", percentages)
    if g.shape[0] != known.size:
        raise StatisticsError(
            f"generated has {g.shape[0]} occupations and percentages has {known.size}; allowed: "
            "one percentage per occupation, in the same order"
        )
    made, real = side_of_counts(g, g.shape[1]), side_of_shares(known / 100, g.shape[1])
    return _result(made, real, switching, occupations, confidence)


def _check(switching: str, occupations: str, confidence: float) -> None:
    check_fraction("confidence", confidence)
    check_option("switching", switching, SWITCHING)
    check_option("occupations", occupations, OCCUPATIONS)


def _result(
    generated: CountedSide,
    training: CountedSide,
    switching: Switching,
    occupations: Occupations,
    confidence: float,
) -> CountedAmplificationResult:
    g, t = 50 + 50 * generated.signed, 50 + 50 * training.signed
    switched = switches(g, t)
    plain = np.abs(g - 50) - np.abs(t - 50)
    kept = ~np.isnan(plain) & ~(switched & (switching == "exclude"))
    per_prompt = _means(np.where(kept, plain, np.nan), axis=0)
    matched = MatchedSides(generated, training)
    found = answer(matched, random=occupations == "random", confidence=confidence)
    rows = matched.used.any(axis=1)
    per_item = np.full(rows.size, np.nan)
    per_item[rows] = 50 * found.per_item
    return CountedAmplificationResult(
        mean=50 * found.value,
        interval=Interval(50 * found.interval.low, 50 * found.interval.high),
        p_value=found.p_value,
        plug_in=float(_means(per_prompt[None, :], axis=1)[0]),
        per_prompt=per_prompt,
        per_item=per_item,
        n=matched.n,
        n_images=_images(generated) + _images(training),
        n_switched=int(switched.sum()),
        n_missing=int((~matched.used).sum()),
    )


def _images(side: CountedSide) -> int:
    counted = side.total[:, :1] if side.shared else side.total
    return int(counted[np.isfinite(counted)].sum())


def counts_by_prompt(name: str, values: ArrayLike) -> FloatArray:
    """Return counts (occupations, prompts, 2), or refuse what has another shape."""
    array = np.asarray(values)
    if array.ndim not in (2, 3) or array.shape[-1] != 2:
        raise StatisticsError(
            f"{name} has shape {array.shape}; allowed: (occupations, 2) or (occupations, prompts, "
            "2) with images of the group and of the other"
        )
    counts = as_counts(name, array, ndim=array.ndim)
    return counts[:, None] if array.ndim == 2 else counts


def _means(values: FloatArray, *, axis: int) -> FloatArray:
    """Return means of what is there; NaN where nothing is."""
    present = ~np.isnan(values)
    number = present.sum(axis=axis)
    mean = np.full(number.shape, np.nan)
    np.divide(np.where(present, values, 0.0).sum(axis=axis), number, out=mean, where=number > 0)
    return mean
