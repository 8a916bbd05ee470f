"""What an intervention leaves of the leaning that attributes usually have."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from portrayal.errors import StatisticsError
from portrayal.statistics.change import (
    UNITS,
    Change,
    ChangeSettings,
    Unit,
    _groups,
    bias_change,
    in_places,
)
from portrayal.statistics.checks import (
    check_fraction,
    check_option,
    check_resamples,
    check_rng,
)
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN
from portrayal.statistics.relabelling import PairedCounts


@dataclass(frozen=True, slots=True)
class LeaningResult:
    """The leaning before and after.

    Attributes:
        leaning: The weighted bias before and after, and its change.
        n_attributes: Attributes judged on both sides whose usual leaning is known and not 0.
        n_missing: Attributes left out.
    """

    leaning: Change
    n_attributes: int
    n_missing: int


def leaning_change(
    before: ArrayLike,
    after: ArrayLike,
    usual: ArrayLike,
    *,
    rng: np.random.Generator,
    unit: Unit = "attribute",
    resamples: int = 9999,
    confidence: float = 0.95,
) -> LeaningResult:
    """Return how much an intervention takes from the leaning that attributes usually have.

    `sum_k u_k b_k / sum_k |u_k|` with b_k the bias score (ENTIGEN's Eq. 2) of attribute k and u_k
    its usual bias, *from other images than those compared*. 1: every attribute shows only the group
    it usually leans to; 0: no trace of the usual leaning; below 0: turned round. A negative change
    means that less of it is left. Without a usual leaning or an image on one side: NaN.

    Eq. 1 asks how uneven a handful of images is, and chance makes them uneven; here chance has no
    direction and averages out. So the same images tell a change apart from chance more often: with
    3 images of each of 25 attributes, two times in three where Eq. 1 does one time in four
    (docs/studies/intervention.md).

    p and interval are made together, as in `paired_change`, with the usual leaning as it was found:
    for other attributes (Student's t) or, with `image`, for other images of these. Where all
    attributes change alike, as when nothing changes, their spread says nothing: then it is the
    answer for other images. Both stay valid where more images are unknown on one side, if within
    an attribute and side being unknown does not depend on the group.

    Args:
        before: Groups without the intervention: attributes x seeds, 1 first group, 0 second, NaN.
        after: Groups with it, same shape.
        usual: Bias of each attribute in other images, -1 to 1; NaN where it is not known.
        rng: Source of the draws.
        unit: What the answer generalises to.
        resamples: Largest number of relabellings to enumerate, and how many to draw beyond.
        confidence: Of the interval.

    Reference: Bansal et al. (2022), Eq. 2.

    >>> before, after = [[1, 1, 1, 1], [0, 0, 0, 0]], [[1, 0, 1, 0], [0, 1, 0, 0]]
    >>> result = leaning_change(before, after, [0.9, -0.6], rng=np.random.default_rng(0))
    >>> result.leaning.before, round(result.leaning.after, 2), result.n_attributes
    (1.0, 0.2, 2)
    """
    check_fraction("confidence", confidence)
    check_rng(rng)
    check_option("unit", unit, UNITS)
    check_resamples(resamples)
    x, y = _groups("before", before), _groups("after", after)
    weights = _weights(usual, x, y)
    both = (~np.isnan(x)).any(axis=1) & (~np.isnan(y)).any(axis=1)
    used = both & (np.nan_to_num(weights) != 0)
    n, missing = int(used.sum()), int((~used).sum())
    if n == 0:
        nothing = Change(math.nan, math.nan, math.nan, UNKNOWN, math.nan, False)
        return LeaningResult(nothing, 0, missing)
    w = weights[used] / np.abs(weights[used]).sum()
    pairs = PairedCounts.of(x[used], y[used])
    change = bias_change(pairs, w, ChangeSettings(unit, resamples, confidence, rng))
    parts = np.array(change.per_attribute) if change.per_attribute else None
    return LeaningResult(replace(change, per_attribute=in_places(parts, used)), n, missing)


def _weights(usual: ArrayLike, before: FloatArray, after: FloatArray) -> FloatArray:
    weights = np.asarray(usual, dtype=np.float64)
    if before.shape != after.shape:
        raise StatisticsError(
            f"before has shape {before.shape} and after {after.shape}; allowed: the same "
            "attributes (rows) and seeds (columns) in both"
        )
    if weights.shape != (len(before),):
        raise StatisticsError(
            f"usual has shape {weights.shape}; allowed: one bias for each of "
            f"{len(before)} attributes"
        )
    if (np.abs(weights) > 1).any():
        raise StatisticsError(f"usual holds {weights[np.abs(weights) > 1][0]}; allowed: -1 to 1")
    return weights
