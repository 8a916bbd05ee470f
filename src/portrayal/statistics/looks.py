"""Testing the same question more than once as images are added: p-values that count every look.

Two ways, for two situations. Where a maximum was set before the first look, the level is spent look
by look along a function of the images so far (Lan and DeMets 1983). Where looks come unplanned,
each p becomes the value of a wager whose chance of ever growing large is bounded (Robbins 1970).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction

LooksMethod = Literal["planned", "unplanned"]

SCHEDULE = (0.05, 0.1, 0.2, 0.4, 1.0)
"""Fractions of the maximum at which planned looks are taken."""

FIRST = 4.0
"""How many times the size of the mixture's prior the first look is; makes the price of a look
nearly the same from the first look to thirty times as many images."""


@dataclass(frozen=True, slots=True)
class LooksResult:
    """What several looks at one question come to.

    Attributes:
        p_value: Valid although there were several looks; never rises with a further one. NaN where
            no look had a p.
        level: The level at which the last look is taken: a plain p at or below it decides, and an
            interval of confidence 1 - level at this look holds along with those of all others.
        n_looks: Looks so far.
        method: "planned", a maximum was set in advance; "unplanned", looks may come at any time.
    """

    p_value: float
    level: float
    n_looks: int
    method: LooksMethod


def look_sizes(maximum: int) -> tuple[int, ...]:
    """Return the images per prompt at which planned looks are taken, rising to the maximum.

    The fractions of `SCHEDULE`, rounded up, at least two images where the maximum allows it: one
    image of a prompt says nothing about how its images vary.

    Args:
        maximum: Most images per prompt.

    >>> look_sizes(500), look_sizes(10), look_sizes(1)
    ((25, 50, 100, 200, 500), (2, 4, 10), (1,))
    """
    if maximum < 1:
        raise StatisticsError(f"maximum is {maximum}; allowed: 1 image per prompt or more")
    sizes = (math.ceil(round(maximum * one, 9)) for one in SCHEDULE)
    return tuple(sorted({max(size, min(2, maximum)) for size in sizes}))


def spent_share(fraction: float) -> float:
    """Return the share of a test's level that may be spent by a fraction of the planned images.

    The Pocock-type spending function of Lan and DeMets, log(1 + (e - 1) t). Rises from 0 at t = 0
    to 1 at t = 1, faster at first, so that large effects are found early.

    Args:
        fraction: Images so far over those planned, 0 to 1.

    Reference: Lan and DeMets (1983), Biometrika 70(3), 659-663, alpha_2*.

    >>> [round(spent_share(t), 3) for t in (0.2, 0.4, 1.0)]
    [0.295, 0.523, 1.0]
    """
    if not 0.0 <= fraction <= 1.0:
        raise StatisticsError(f"fraction is {fraction}; allowed: 0 to 1")
    return math.log1p((math.e - 1.0) * fraction)


def planned_looks(p_values: ArrayLike, fractions: ArrayLike, *, alpha: float = 0.05) -> LooksResult:
    """Combine the p-values of looks at growing parts of a planned number of images.

    Look k has the share w_k = s(t_k) - s(t_{k-1}) of the level, s as in `spent_share`; the combined
    p is the smallest p_k / w_k, at most 1. By Bonferroni's inequality it is valid for any test
    whose single p-values are, whatever the dependence between looks: permutation tests, exact tests
    and tests of several contrasts at once, with few images too. The number of images at each look
    must not depend on what was seen, save that one may stop. No looks: p is NaN, level is alpha.

    Args:
        p_values: One for each look, in order; NaN where a look gave none (its share is lost).
        fractions: Images at each look over the images planned, rising, above 0 and at most 1.
        alpha: Level of all looks together.

    References: Lan and DeMets (1983), Biometrika 70(3); Jennison and Turnbull (2000), Group
    Sequential Methods, ch. 7.

    >>> found = planned_looks([0.03, 0.004], [0.2, 0.4])
    >>> round(found.p_value, 3), round(found.level, 4)
    (0.018, 0.0114)
    """
    check_fraction("alpha", alpha)
    p, t = _looks("fractions", p_values, fractions)
    if t.size and not t[-1] <= 1.0:
        raise StatisticsError(f"fractions end at {t[-1]}; allowed: at most 1")
    spent = np.array([spent_share(float(one)) for one in t])
    weights = np.diff(spent, prepend=0.0)
    level = alpha * float(weights[-1]) if t.size else alpha
    return LooksResult(_smallest(p / weights), level, t.size, "planned")


def unplanned_looks(p_values: ArrayLike, sizes: ArrayLike, *, alpha: float = 0.05) -> LooksResult:
    """Combine the p-values of looks that may have come at any time, for any reason.

    Each p is turned into the normal deviate z of a two-sided test. With n images so far and
    n0 = n_1 / 4, the normal mixture E = (1 + n / n0)^(-1/2) exp(z^2 / 2 * n / (n + n0)) exceeds
    1 / a at any moment with a chance of at most a when there is no effect; the combined p is the
    smallest 1 / E, at most 1. So one may look whenever one likes, and decide on what was seen
    whether to go on. Holds for many images, for statistics whose z are partial sums over their root
    (asymptotically), and is cautious where looks agree more than that: prompts as units. No looks:
    p is NaN, level is alpha.

    Args:
        p_values: One for each look, in order; NaN where a look gave none.
        sizes: Images at each look, rising, above 0.
        alpha: Level of all looks together.

    References: Robbins (1970), Ann. Math. Statist. 41(5); Johari, Koomen, Pekelis and Walsh (2022),
    Operations Research 70(3); Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Ann. Statist.
    52(6), theorem 2.2.

    >>> found = unplanned_looks([0.03, 0.0004], [100, 200])
    >>> round(found.p_value, 3), round(found.level, 4)
    (0.011, 0.0024)
    """
    check_fraction("alpha", alpha)
    p, n = _looks("sizes", p_values, sizes)
    if not n.size:
        return LooksResult(math.nan, alpha, 0, "unplanned")
    ratio = n * FIRST / n[0]
    # Of the smallest p a deviate is not finite; 1e-300 is as good as any.
    square = stats.norm.isf(np.maximum(p, 1e-300) / 2.0) ** 2
    wager = square / 2.0 * ratio / (1.0 + ratio) - np.log1p(ratio) / 2.0
    last = ratio[-1]
    bound = math.sqrt((1.0 + 1.0 / last) * (math.log1p(last) - 2.0 * math.log(alpha)))
    level = float(2.0 * stats.norm.sf(bound))
    return LooksResult(_smallest(np.exp(-wager)), level, n.size, "unplanned")


def _looks(
    name: str, p_values: ArrayLike, sizes: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p, n = np.asarray(p_values, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    if p.ndim != 1 or p.shape != n.shape:
        raise StatisticsError(
            f"p_values has shape {p.shape}, {name} {n.shape}; allowed: one of each for every look"
        )
    if not np.all((p >= 0.0) & (p <= 1.0) | np.isnan(p)):
        raise StatisticsError("p_values are not all between 0 and 1")
    if not np.all(np.diff(n, prepend=0.0) > 0.0):
        raise StatisticsError(f"{name} do not rise from look to look, starting above 0")
    return p, n


def _smallest(p: NDArray[np.float64]) -> float:
    """Return the smallest p, at most 1; NaN where there is none."""
    known = p[~np.isnan(p)]
    return float(min(1.0, known.min())) if known.size else math.nan
