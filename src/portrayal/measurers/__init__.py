"""Measurers look at images; the loop shows them what they have not seen yet.

What a measurer of your own needs is in `protocol`. One that others can name is a `MeasurerKind`
under the entry points `portrayal.measurers`.
"""

from __future__ import annotations

from portrayal.measurers.loop import measure
from portrayal.measurers.protocol import (
    Answer,
    Encoder,
    FoundPerson,
    Labels,
    MeasurementSummary,
    Measurer,
    Reason,
    TextEmbeddings,
)
from portrayal.measurers.registry import (
    MeasurerKind,
    default_measurer,
    is_valid,
    measurer_kinds,
    open_measurer,
    require_valid,
    validity,
)

__all__ = [
    "Answer",
    "Encoder",
    "FoundPerson",
    "Labels",
    "MeasurementSummary",
    "Measurer",
    "MeasurerKind",
    "Reason",
    "TextEmbeddings",
    "default_measurer",
    "is_valid",
    "measure",
    "measurer_kinds",
    "open_measurer",
    "require_valid",
    "validity",
]
