"""Measurers look at pictures; the loop shows them what they have not seen yet.

To add an encoder: one file, one class with the methods of `Encoder`, one entry in `KINDS`.
"""

from __future__ import annotations

from portrayal.measurement.kinds import KINDS, open_encoder
from portrayal.measurement.loop import measure
from portrayal.measurement.protocol import (
    Encoder,
    MeasurementSummary,
    Measurer,
    Reason,
    TextEmbeddings,
)

__all__ = [
    "KINDS",
    "Encoder",
    "MeasurementSummary",
    "Measurer",
    "Reason",
    "TextEmbeddings",
    "measure",
    "open_encoder",
]
