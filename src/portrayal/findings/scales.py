"""What a statistic's number means, for readers who do not know its name."""

from __future__ import annotations

SCALES = {
    "Cramér's V": "0: no difference between levels, 1: complete",
    "d": "0: no difference; beyond ±0.8: large",
    "change of leaning": "0: no change, -1: the usual majority is gone",
    "change of diversity score": "below 0: more even",
    "word influence": "difference of shares, 0: none",
    "amplification": "percentage points, 0: as far from 50% as training images",
    "reduction of amplification": "percentage points, 0: none",
    "correlation": "0: none, 1: complete",
}


def scale_of(statistic: str) -> str:
    """Say how a statistic is read: where nothing is, and where a lot; "" where it says so itself.

    >>> scale_of("Cramér's V")
    '0: no difference between levels, 1: complete'
    """
    return SCALES.get(statistic, "")
