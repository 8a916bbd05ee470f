"""Measure how a text-to-image model portrays people.

The public names are imported on first use, so that `import portrayal` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from portrayal import statistics
    from portrayal.audit import AuditFolder
    from portrayal.errors import PortrayalError
    from portrayal.findings import Finding
    from portrayal.records import GeneratedImage, Identity, Prompt, Request
    from portrayal.studies import Study, load_study

__version__ = "0.1.0"

__all__ = [
    "AuditFolder",
    "Finding",
    "GeneratedImage",
    "Identity",
    "PortrayalError",
    "Prompt",
    "Request",
    "Study",
    "__version__",
    "load_study",
    "statistics",
]

_HOMES = {
    "AuditFolder": "portrayal.audit",
    "PortrayalError": "portrayal.errors",
    "Finding": "portrayal.findings",
    "Identity": "portrayal.records",
    "GeneratedImage": "portrayal.records",
    "Prompt": "portrayal.records",
    "Request": "portrayal.records",
    "Study": "portrayal.studies",
    "load_study": "portrayal.studies",
}


def __getattr__(name: str) -> Any:
    if name == "statistics":
        return importlib.import_module("portrayal.statistics")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'portrayal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
