"""Analysis: studies and measurements joined into findings, without a model or a GPU."""

from __future__ import annotations

from portrayal.analysis.results import ANALYSES, Results, analyze
from portrayal.analysis.settings import AnalysisSettings

__all__ = ["ANALYSES", "AnalysisSettings", "Results", "analyze"]
