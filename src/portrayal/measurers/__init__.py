"""Measurers look at images; the loop shows them what they have not seen yet.

To add an encoder: one file, one class with the methods of `Encoder`, one entry in `KINDS`.
"""

from __future__ import annotations

from portrayal.measurers.loop import measure
from portrayal.measurers.protocol import (
    Encoder,
    MeasurementSummary,
    Measurer,
    Reason,
    TextEmbeddings,
)
from portrayal.measurers.registry import KINDS, open_encoder

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
