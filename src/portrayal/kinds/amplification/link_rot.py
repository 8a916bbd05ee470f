"""Captions whose links are dead: others take their place, and the loss is counted and corrected.

A sample of captions is an order drawn at random; images are looked for in that order, and captions
whose link is dead are passed over until the wanted number is reached. So what is left is a sample
of the captions with living links. Where links die more often for captions that indicate one group,
the share of groups is wrong; `corrected_share` weights captions by what was tried, indicator by
indicator. It is right where rot depends on the indicator alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from portrayal.statistics import Interval

SPARE = 5
"""So many times the wanted captions are looked through for living links."""
LEAST_ALIVE = 0.2
USUALLY_ALIVE = 0.7
"""Shares of living links that are reckoned with, at least, and before any was tried."""

Row = tuple[int, int]
Tried = Mapping[Row, Row | None]


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk through captions in their order.

    Attributes:
        kept: Numbers of the captions with an image, up to the wanted number.
        walked: Numbers of all that were tried up to there, dead ones too.
        next: Numbers of those that were not tried yet, behind them.
    """

    kept: list[int]
    walked: list[int]
    next: list[int]


def walk(rows: Sequence[Row], tried: Tried, wanted: int) -> Walk:
    """Take captions in their order, passing over dead links, until enough have an image."""
    kept: list[int] = []
    walked: list[int] = []
    untried: list[int] = []
    for number, row in enumerate(rows):
        if len(kept) >= wanted:
            break
        if row not in tried:
            untried.append(number)
            continue
        walked.append(number)
        if tried[row] is not None:
            kept.append(number)
    return Walk(kept, walked, untried)


def to_try(found: Walk, wanted: int) -> list[int]:
    """Return the captions to try next, so many that enough of them may be alive."""
    missing = wanted - len(found.kept)
    alive = len(found.kept) / len(found.walked) if found.walked else USUALLY_ALIVE
    return found.next[: math.ceil(missing / max(alive, LEAST_ALIVE))] if missing > 0 else []


def losses(
    occupations: Sequence[str], indicators: Sequence[str], rows: Sequence[Row], tried: Tried
) -> dict[str, dict[str, list[int]]]:
    """Return captions tried and lost, by occupation and indicator."""
    found: dict[str, dict[str, list[int]]] = {}
    for occupation, indicator, row in zip(occupations, indicators, rows, strict=True):
        cell = found.setdefault(occupation, {}).setdefault(indicator, [0, 0])
        cell[0] += 1
        cell[1] += tried.get(row) is None
    return found


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """A share of a group, as if no link had died.

    Attributes:
        share: NaN where an indicator that was tried has no image left.
        interval: Its interval.
    """

    share: float
    interval: Interval


def corrected_share(
    hits: Mapping[str, int],
    images: Mapping[str, int],
    tried: Mapping[str, int],
    *,
    rng: np.random.Generator,
    confidence: float = 0.95,
    draws: int = 4000,
) -> CorrectedShare:
    """Return a group's share over all captions that were tried, by indicator.

    `sum over indicators of (tried_i / tried) * (hits_i / images_i)`: post-stratification. The
    interval is Bayesian: Jeffreys priors on the shares, the weights from a Dirichlet distribution
    around the captions that were tried. Right where rot depends on the indicator alone.

    Args:
        hits: Images of the group, by indicator.
        images: Images of a known group, by indicator.
        tried: Captions that were tried, by indicator; others count as none.
        rng: Source of the draws.
        confidence: Of the interval.
        draws: How many.

    >>> rng = np.random.default_rng(0)
    >>> found = corrected_share({"a": 8, "b": 10}, {"a": 10, "b": 40}, {"a": 50, "b": 50}, rng=rng)
    >>> round(found.share, 3)
    0.525
    """
    names = [name for name, n in tried.items() if n]
    total = sum(tried[name] for name in names)
    known = [name for name in names if images.get(name)]
    weight = sum(tried[name] for name in known)
    share = math.nan
    if total and weight == total:
        share = sum(tried[name] / total * hits.get(name, 0) / images[name] for name in names)
    if not known:
        return CorrectedShare(math.nan, Interval(math.nan, math.nan))
    weights = rng.dirichlet([tried[name] for name in names], draws)
    shares = np.stack(
        [
            rng.beta(hits.get(name, 0) + 0.5, images.get(name, 0) - hits.get(name, 0) + 0.5, draws)
            for name in names
        ],
        axis=1,
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile((weights * shares).sum(axis=1), [tail, 1 - tail])
    return CorrectedShare(share, Interval(float(low), float(high)))
