"""The audit folder; the only package that reads or writes it."""

from __future__ import annotations

from portrayal.audit.folder import Audit
from portrayal.audit.tables import ColumnType

__all__ = ["Audit", "ColumnType"]
