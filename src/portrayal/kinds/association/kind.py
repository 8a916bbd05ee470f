"""The kind `association`, as the rest of the house knows it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

from portrayal.audit import AuditFolder
from portrayal.findings import AnalysisSettings, Finding, Part, StudyData, StudyResult
from portrayal.generators import StatesTruth
from portrayal.kinds import Kind, Truth
from portrayal.kinds.association.human_side import ConceptsBesideRaters
from portrayal.kinds.association.parts import Arrows
from portrayal.kinds.association.schema import AssociationStudy


class Association(Kind[AssociationStudy]):
    """Does the model associate a concept with an attribute?"""

    name = "association"
    study = AssociationStudy
    effect: ClassVar[str] = "d"
    place: ClassVar[int] = 20
    varies: ClassVar[bool] = True
    parts: ClassVar[tuple[type[Part], ...]] = (Arrows,)

    def detectable(self, study: AssociationStudy, settings: AnalysisSettings) -> str:
        """Return the effect size that a contrast would show."""
        from portrayal.kinds.association.plan import detectable

        return detectable(study, settings)

    def widest(self, study: AssociationStudy, settings: AnalysisSettings) -> float:
        """Return how wide the interval of d would be where there is no effect."""
        from portrayal.kinds.association.plan import widest

        return widest(study, settings)

    def weakest(self, study: AssociationStudy, settings: AnalysisSettings) -> float:
        """Return the effect size that every contrast would show."""
        from portrayal.kinds.association.plan import weakest

        return weakest(study, settings)

    def assumption(self, study: AssociationStudy, settings: AnalysisSettings) -> str:
        """Return what `widest` and `weakest` assume, in words."""
        if settings.unit == "prompt":
            return "associations of a prompt's images correlated by 0.5"
        return "independent images"

    def truth(
        self, study: AssociationStudy, world: StatesTruth, *, samples: int
    ) -> Sequence[Truth]:
        """Return what the study would find with unlimited images."""
        from portrayal.kinds.association.truth import association_truths

        return association_truths(study, world.pool([prompt.text for prompt in study.prompts()]))

    def prompts_of(self, study: AssociationStudy, finding: Finding) -> Collection[str]:
        """Return the prompts of the concepts that a finding speaks of; else all."""
        names = [finding.details.get(name) for name in ("concept", "x", "y")]
        concepts = {name for name in names if name is not None}
        return [
            prompt.text
            for prompt in study.prompts()
            if not concepts or prompt.factors["concept"] in concepts
        ]

    def analyze(
        self, study: AssociationStudy, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        """Answer a study."""
        from portrayal.kinds.association.analysis import analyze_association

        return analyze_association(study, data, settings)

    def beside_raters(
        self,
        study: AssociationStudy,
        audit: AuditFolder,
        data: Sequence[StudyData],
        result: StudyResult,
        settings: AnalysisSettings,
    ) -> ConceptsBesideRaters:
        """Set association scores and raters' answers side by side."""
        from portrayal.kinds.association.human_side import concepts_beside_raters

        return concepts_beside_raters(study, audit, data, result, settings)

    def rated_together(
        self,
        studies: Sequence[AssociationStudy],
        sides: Sequence[ConceptsBesideRaters],
        settings: AnalysisSettings,
    ) -> StudyResult | None:
        """Order the concepts of several studies as T2IAT's table 2 does."""
        from portrayal.kinds.association.human_side import rated_together

        return rated_together(studies, sides, settings)

    def chart(self, part: Part) -> Any:
        """Draw the arrows from texts to images."""
        from portrayal.kinds.association.charts import arrows

        return arrows(part) if isinstance(part, Arrows) else None


KIND = Association()
