"""What all kinds of study share: data per measurer, settings, sentences, tables, plans."""

from __future__ import annotations

from portrayal.findings.settings import AnalysisSettings

__all__ = ["AnalysisSettings"]
