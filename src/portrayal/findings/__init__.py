"""What all kinds of study share: data per measurer, settings, sentences, plans, typed results."""

from __future__ import annotations

from portrayal.findings.collection import Findings
from portrayal.findings.finding import Asked, Finding
from portrayal.findings.results import Results, StudyResult, StudySection
from portrayal.findings.settings import AnalysisSettings

__all__ = [
    "AnalysisSettings",
    "Asked",
    "Finding",
    "Findings",
    "Results",
    "StudyResult",
    "StudySection",
]
