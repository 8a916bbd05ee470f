"""The report: one self-contained HTML page, and the same figures as files for papers.

Names are imported on first use: the command line writes its numbers as the report does, and must
not wait for the analysis to say its version.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from portrayal.report.files import FORMATS, write_figures
    from portrayal.report.page import write_report

__all__ = ["FORMATS", "write_figures", "write_report"]

_HOMES = {
    "FORMATS": "portrayal.report.files",
    "write_figures": "portrayal.report.files",
    "write_report": "portrayal.report.page",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'portrayal.report' has no attribute {name!r}")
