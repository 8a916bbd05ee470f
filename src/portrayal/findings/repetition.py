"""How often a study's images repeat each other: copies that count once, and near copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from portrayal.findings.data import StudyData
from portrayal.findings.finding import Asked, Finding
from portrayal.findings.parts import DataTable
from portrayal.findings.sentences import counted
from portrayal.findings.settings import AnalysisSettings
from portrayal.numbers import percent
from portrayal.statistics import prompts_share_interval
from portrayal.studies import Study

NEAR_COPIES = "share of images nearly the same as another"
COLUMNS = ("prompt", "images", "identical, not counted", "nearly the same, counted", "share")
_NOTE = (
    "Identical images count once. Nearly the same: mean colours on a grid of 8 by 8 differ by at "
    "most 4 of 255 levels from an image of the same prompt with a lower seed."
)


@dataclass(frozen=True, slots=True)
class Repetition:
    """What is said about images that repeat each other; nothing where none does."""

    findings: list[Finding]
    tables: list[DataTable]
    notes: list[str]


def repetition(study: Study, data: StudyData, settings: AnalysisSettings) -> Repetition:
    """Say how many images are copies or near copies, prompt by prompt.

    Args:
        study: The study.
        data: Its images, as one measurer saw them.
        settings: How.
    """
    rows: list[list[Any]] = []
    near, totals = [], []
    for text, images in data.listed.items():
        identical = sum(key in data.copies for key in images)
        total = len(images) - identical
        alike = sum(key in data.near and key not in data.copies for key in images)
        near.append(alike)
        totals.append(total)
        if identical or alike:
            rows.append([text, len(images), identical, alike, alike / total if total else None])
    if not rows:
        return Repetition([], [], [])
    rows.sort(key=lambda row: -(row[2] + row[3]))
    table = DataTable("copies", "Images that repeat each other", COLUMNS, rows, note=_NOTE)
    n = sum(totals)
    found = [_near(study, near, totals, settings)] if any(near) else []
    copies = len(data.copies)
    note = (
        f"{copies} of {counted(n + copies, 'image')} ({percent(copies / (n + copies))}) are "
        "identical to others, as copied files and answers from a cache are: each image counts once."
    )
    return Repetition(found, [table], [note] if copies else [])


def _near(study: Study, near: list[int], totals: list[int], settings: AnalysisSettings) -> Finding:
    k, n = sum(near), sum(totals)
    clustered = settings.unit == "prompt" and settings.resample == "units"
    bounds = prompts_share_interval(
        near, totals, confidence=settings.confidence, clustered=clustered
    )
    asked = Asked.of(
        study,
        "how many images are nearly the same as another of their prompt?",
        NEAR_COPIES,
        unit="prompt" if clustered and len(totals) > 1 else "image",
    )
    return asked.answered(
        k / n,
        bounds,
        n=n,
        n_missing=0,
        sentence=f"{k} of {counted(n, 'image')} ({percent(k / n)}) are nearly the same as another "
        "image of the same prompt; they count like all others.",
    )
