"""The kind `composition`, as the rest of the house knows it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import ClassVar

from portrayal.audit import AuditFolder
from portrayal.errors import StudyError
from portrayal.findings import AnalysisSettings, Finding, StudyData, StudyResult
from portrayal.generators import StatesTruth
from portrayal.kinds import Kind, Requirement, Truth
from portrayal.kinds.composition.schema import CompositionStudy


class Composition(Kind[CompositionStudy]):
    """Who is shown?"""

    name = "composition"
    study = CompositionStudy
    effect: ClassVar[str] = "difference of two shares"
    place: ClassVar[int] = 10
    unused_settings: ClassVar[tuple[str, ...]] = ("alternative", "effect", "permute")
    varies: ClassVar[bool] = True

    def check(self, study: CompositionStudy, out: Path, corpus: Path | None) -> None:
        """Raise where an audit that shares are compared with is not there."""
        from portrayal.kinds.composition.targets import requirements

        for need in requirements(study.targets, study.prompts(), None):
            if need.what == "audit" and not need.is_there:
                raise StudyError(f"{study.name}: {need.sentence()}")

    def detectable(self, study: CompositionStudy, settings: AnalysisSettings) -> str:
        """Return the difference of shares between two levels that would show."""
        from portrayal.kinds.composition.plan import detectable

        return detectable(study, settings)

    def full_width(self, study: CompositionStudy) -> float:
        """Return the range's width: shares, V, scores and distances run from 0 to 1."""
        return 1.0

    def widest(self, study: CompositionStudy, settings: AnalysisSettings) -> float:
        """Return how wide the interval of the share of a level would be."""
        from portrayal.kinds.composition.plan import widest

        return widest(study, settings)

    def weakest(self, study: CompositionStudy, settings: AnalysisSettings) -> float:
        """Return the difference of shares between two levels that would show."""
        from portrayal.kinds.composition.plan import weakest

        return weakest(study, settings)

    def assumption(self, study: CompositionStudy, settings: AnalysisSettings) -> str:
        """Return what `widest` and `weakest` assume, in words."""
        from portrayal.kinds.composition.plan import ALIKE, counts_prompts

        if counts_prompts(study, settings):
            return f"shares near 50%, images of a prompt correlated by {ALIKE}"
        return "shares near 50%, independent images"

    def requirements(
        self, study: CompositionStudy, corpus: Path | None, audit: AuditFolder | None
    ) -> Sequence[Requirement]:
        """Return the audits and training images that shares are compared with."""
        from portrayal.kinds.composition.targets import requirements

        return requirements(study.targets, study.prompts(), audit)

    def truth(
        self, study: CompositionStudy, world: StatesTruth, *, samples: int
    ) -> Sequence[Truth]:
        """Return what the study would find with unlimited images."""
        from portrayal.kinds.composition.truth import share_truths

        return list(share_truths(study, world))

    def prompts_of(self, study: CompositionStudy, finding: Finding) -> Collection[str]:
        """Return the prompts of the level that a share speaks of; else all."""
        factor, level = finding.details.get("factor"), finding.details.get("level")
        return [
            prompt.text
            for prompt in study.prompts()
            if level is None or not factor or prompt.factors.get(factor) == level
        ]

    def analyze(
        self, study: CompositionStudy, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        """Answer a study."""
        from portrayal.kinds.composition.analysis import analyze_composition

        return analyze_composition(study, data, settings)


KIND = Composition()
