"""The report: one self-contained HTML page, and the same figures as files for papers."""

from __future__ import annotations

from portrayal.report.files import FORMATS, write_figures
from portrayal.report.page import write_report

__all__ = ["FORMATS", "write_figures", "write_report"]
