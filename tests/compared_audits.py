"""Audits whose images show what a rule says, labelled by their colours: no model is needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from label_measurers import ColourJudge, png
from portrayal.audit import AuditFolder
from portrayal.findings import AnalysisSettings
from portrayal.measurers import measure
from portrayal.records import Identity, ImageRecord, Prompt
from portrayal.studies import study_from_dict

JOBS = ["nurse", "chef", "doctor", "pilot", "judge", "baker"]
STUDY: dict[str, Any] = {
    "kind": "composition", "name": "jobs", "images": 12, "template": "a photo of {a job}",
    "axes": ["perceived gender"], "factors": {"job": JOBS},
}  # fmt: skip
FAST = AnalysisSettings(resamples=499)

Rule = Callable[[Prompt, int], str]
"""What the nth image of a prompt shows; "refused" and "failed" are no image."""


def share(of: float, *, unknown: float = 0.0) -> Rule:
    """Return a rule: so many of twelve images show women, spread alike over all prompts."""

    def shown(prompt: Prompt, n: int) -> str:
        place = (n * 5 + len(prompt.text)) % 12 / 12
        return "unclear" if place >= 1 - unknown else "woman" if place < of else "man"

    return shown


def audit_of(
    folder: Path,
    rule: Rule,
    study: dict[str, Any] | None = None,
    *,
    later: int = 0,
    measured: bool = True,
) -> AuditFolder:
    """Make an audit in which every image shows what a rule says; seeds begin `later`."""
    audit = AuditFolder.at(folder, Identity("test", folder.name, {"guidance": len(folder.name)}))
    asked = study_from_dict(study or STUDY)
    audit.remember_study(asked.name, asked.as_dict())
    records = []
    for prompt in asked.prompts():
        for n, seed in enumerate(prompt.seeds):
            shown = rule(prompt, n)
            ended: Any = shown if shown in ("refused", "failed") else "ok"
            data, why = (png(shown), None) if ended == "ok" else (None, "policy")
            records.append(ImageRecord(prompt.text, seed + later, ended, why, data))
    audit.append_images(records)
    if measured:
        measure(audit, [ColourJudge()])
    return audit
