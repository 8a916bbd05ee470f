"""What a statistic's number means, for readers who do not know its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from portrayal.numbers import number


class Scale(NamedTuple):
    """A statistic in plain words.

    Attributes:
        name: What it is, without its technical name.
        ends: Where nothing is, and where a lot.
        points: Points of a share that 1 stands for; None where it is no difference of shares.
    """

    name: str
    ends: str = ""
    points: float | None = None


SCALES = {
    "Cramér's V": Scale("strength of the difference", "0: none, 1: complete"),
    "d": Scale("difference", "in standard deviations, 0: none, beyond ±0.8: large"),
    # Scores of two groups are twice a share less one.
    "change of leaning": Scale("change in the share of the group usually shown", points=50),
    "change of diversity score": Scale("change in how far shares are from 50%", points=50),
    "word influence": Scale("change of the share", points=100),
    "amplification": Scale("further from 50% than training images", "0: no further"),
    "reduction of amplification": Scale("reduction of amplification", "0: none"),
    "correlation": Scale("correlation", "0: none, ±1: complete"),
}


def is_within_one(statistic: str) -> bool:
    """Tell whether a statistic lies between 0 and 1: shares, distances from a target, Cramér's V.

    >>> is_within_one("Cramér's V of requests"), is_within_one("d")
    (True, False)
    """
    within = ("Cramér's V", "distance from target", "share of ")
    return statistic.endswith("share") or statistic.startswith(within)


def in_points(statistic: str) -> Callable[[float | None], str] | None:
    """Return how to write a statistic in points of a share; None where it is none.

    >>> form = in_points("change of leaning")
    >>> form and form(-0.67)
    '-34'
    """
    scale = SCALES.get(statistic)
    if scale is None or scale.points is None:
        return None
    factor = scale.points
    return lambda value: number(None if value is None else factor * value)


def read_as(statistic: str, value: str, reading: str = "", points: str = "") -> str:
    """Return a statistic's value in plain words, with its technical name.

    Args:
        statistic: Its technical name.
        value: Its value, written.
        reading: How this value is read; "": as all values of the statistic.
        points: The value in points of a share, written; "" where it is none.

    >>> read_as("Cramér's V", "0.67")
    "strength of the difference 0.67 (0: none, 1: complete; Cramér's V)"
    >>> read_as("group share", "62%")
    'group share 62%'
    >>> read_as("change of leaning", "-0.67", points="-34")
    'change in the share of the group usually shown -34 points (change of leaning -0.67)'
    """
    scale = SCALES.get(statistic)
    if scale is None:
        return f"{statistic} {value}"
    if points:
        return f"{scale.name} {points} points ({statistic} {value})"
    name = "" if scale.name == statistic else f"; {statistic}"
    return f"{scale.name} {value} ({reading or scale.ends}{name})"
