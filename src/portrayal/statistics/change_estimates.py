"""A weighted mean of changes with its test: for other attributes, or for other images of these."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import Interval
from portrayal.statistics.relabelling import Relabelled, agreeing_interval_end


@dataclass(frozen=True, slots=True)
class Estimate:
    """A change with its test.

    Attributes:
        value: The change.
        interval: Of it; holds 0 exactly where p_value is above 1 - confidence.
        p_value: Two-sided.
        exact: Whether all relabellings were enumerated.
    """

    value: float
    interval: Interval
    p_value: float
    exact: bool


def attribute_estimate(
    weights: FloatArray, changes: FloatArray, *, confidence: float
) -> Estimate | None:
    """Return a weighted mean of changes for other attributes: Student's t, interval and p.

    None with one attribute, or where all change alike: their spread then says nothing.
    """
    k, value = weights.size, float(weights @ changes)
    if k < 2:
        return None
    # Its spread is that of what each attribute adds beyond its own weight.
    size = np.abs(weights)
    spread = float((k * (weights * changes - size * value)).std(ddof=1)) / math.sqrt(k)
    if spread <= 1e-12:
        return None
    reach = float(stats.t.ppf(0.5 + confidence / 2, k - 1)) * spread
    p_value = float(2 * stats.t.sf(abs(value) / spread, k - 1))
    return Estimate(value, Interval(value - reach, value + reach), p_value, False)


def image_estimate(
    relabelled: Relabelled, null: FloatArray, value: float, error: float, *, confidence: float
) -> Estimate:
    """Return a change for other images of these attributes, from its relabellings.

    Args:
        relabelled: All or random relabellings.
        null: The change under each.
        value: The change observed.
        error: Its standard error.
        confidence: Of the interval.
    """
    p_value = relabelled.mid_p(null, value) if abs(value) > 1e-12 else 1.0
    reach = float(stats.norm.ppf(0.5 + confidence / 2)) * error
    near = agreeing_interval_end(
        abs(value), relabelled.critical(null, 1 - confidence), reach,
        rejected=p_value <= 1 - confidence,
    )  # fmt: skip
    far = abs(value) + reach
    # Rejected, but only just: the end must not be 0 itself.
    near = max(near, 1e-9) if p_value <= 1 - confidence else min(near, 0.0)
    interval = Interval(near, far) if value >= 0 else Interval(-far, -near)
    return Estimate(value, interval, p_value, relabelled.exact)
