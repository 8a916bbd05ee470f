"""What a statistic's number means, for readers who do not know its name."""

from __future__ import annotations

from typing import NamedTuple


class Scale(NamedTuple):
    """A statistic in plain words.

    Attributes:
        name: What it is, without its technical name.
        ends: Where nothing is, and where a lot.
    """

    name: str
    ends: str


SCALES = {
    "Cramér's V": Scale("strength of the difference", "0: none, 1: complete"),
    "d": Scale("difference", "in standard deviations, 0: none, beyond ±0.8: large"),
    "change of leaning": Scale(
        "change of leaning", "about twice the change in the usual group's share, 0: none"
    ),
    "change of diversity score": Scale("change of imbalance", "below 0: more even"),
    "word influence": Scale("change of the share", "0: none, ±1: complete"),
    "amplification": Scale("further from 50% than training images", "0: no further"),
    "reduction of amplification": Scale("reduction of amplification", "0: none"),
    "correlation": Scale("correlation", "0: none, ±1: complete"),
}


def read_as(statistic: str, value: str, reading: str = "") -> str:
    """Return a statistic's value in plain words, with its technical name.

    Args:
        statistic: Its technical name.
        value: Its value, written.
        reading: How this value is read; "": as all values of the statistic.

    >>> read_as("Cramér's V", "0.67")
    "strength of the difference 0.67 (0: none, 1: complete; Cramér's V)"
    >>> read_as("group share", "62%")
    'group share 62%'
    """
    scale = SCALES.get(statistic)
    if scale is None:
        return f"{statistic} {value}"
    name = "" if scale.name == statistic else f"; {statistic}"
    return f"{scale.name} {value} ({reading or scale.ends}{name})"
