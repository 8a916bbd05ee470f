"""What a simulation says about an estimator, and how sure the simulation itself is."""

from __future__ import annotations

from dataclasses import dataclass

from scipy import stats

from portrayal.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class ValidationRow:
    """How an estimator did in worlds whose truth is known; NaN where a column does not apply.

    Attributes:
        estimator: Name of the public function (and of its variant).
        setting: The world, in a few words.
        worlds: How many were simulated.
        coverage: Share of worlds whose interval holds the truth.
        rejection: Share of worlds with p at or below 5 % although the null hypothesis is true.
        bias: Mean estimate minus truth.
        power: Share of worlds with p at or below 5 % where the null hypothesis is false.
        width_vs_oracle: Mean width of the interval, over that of an interval that knows everything
            but the truth it is about.
    """

    estimator: str
    setting: str
    worlds: int
    coverage: float
    rejection: float
    bias: float
    power: float
    width_vs_oracle: float


def binomial_band(rate: float, worlds: int, level: float = 0.99) -> Interval:
    """Return Wilson's interval of a simulated rate: what Monte Carlo error leaves open.

    Args:
        rate: Share of worlds.
        worlds: How many were simulated.
        level: Confidence of the interval.

    >>> low, high = binomial_band(0.95, 1000)
    >>> round(low, 3), round(high, 3)
    (0.929, 0.965)
    """
    test = stats.binomtest(round(rate * worlds), worlds)
    found = test.proportion_ci(level, method="wilson")
    return Interval(float(found.low), float(found.high))
