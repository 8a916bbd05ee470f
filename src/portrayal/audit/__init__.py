"""The audit folder; the only package that reads or writes it."""

from __future__ import annotations

from portrayal.audit.compaction import CompactionSummary, compact
from portrayal.audit.export import ExportSummary, export_images
from portrayal.audit.folder import Audit
from portrayal.audit.locations import location
from portrayal.audit.repair import RepairReport, repair
from portrayal.audit.tables import ColumnType
from portrayal.audit.wants import Pairs, Wanted

__all__ = [
    "Audit",
    "ColumnType",
    "CompactionSummary",
    "ExportSummary",
    "Pairs",
    "RepairReport",
    "Wanted",
    "compact",
    "export_images",
    "location",
    "repair",
]
