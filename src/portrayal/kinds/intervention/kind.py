"""The kind `intervention`, as the rest of the house knows it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

from portrayal.findings import AnalysisSettings, Part, StudyData, StudyResult
from portrayal.generators import StatesTruth
from portrayal.kinds import Kind, Truth
from portrayal.kinds.intervention.parts import BiasBars
from portrayal.kinds.intervention.schema import InterventionStudy


class Intervention(Kind[InterventionStudy]):
    """Does a prompt addition change who is shown?"""

    name = "intervention"
    study = InterventionStudy
    effect: ClassVar[str] = "change of leaning"
    place: ClassVar[int] = 30
    unused_settings: ClassVar[tuple[str, ...]] = ("alternative", "effect", "permute")
    varies: ClassVar[bool] = True
    parts: ClassVar[tuple[type[Part], ...]] = (BiasBars,)

    def full_width(self, study: InterventionStudy) -> float:
        """Return the range's width: changes of leanings run from -2 to 2."""
        return 4.0

    def weakest(self, study: InterventionStudy, settings: AnalysisSettings) -> float:
        """Return the change of leaning that would show on every axis."""
        from portrayal.kinds.intervention.plan import weakest

        return weakest(study, settings)

    def detectable(self, study: InterventionStudy, settings: AnalysisSettings) -> str:
        """Return the change of leaning that would show."""
        from portrayal.kinds.intervention.plan import detectable

        return detectable(study, settings)

    def assumption(self, study: InterventionStudy, settings: AnalysisSettings) -> str:
        """Return what `weakest` assumes, in words."""
        return "three images in four show one group"

    def without_phrase(
        self,
        study: InterventionStudy,
        phrase: str,
        replacement: str | None,
        attributes: Collection[str] = (),
    ) -> InterventionStudy:
        """Return the study that asks what a phrase of a prompt addition does."""
        from portrayal.kinds.intervention.ablation import ablated

        return ablated(study, phrase, replacement, attributes)

    def truth(
        self, study: InterventionStudy, world: StatesTruth, *, samples: int
    ) -> Sequence[Truth]:
        """Return what the study would find with unlimited images."""
        from portrayal.kinds.intervention.truth import intervention_truths

        return intervention_truths(study, world)

    def analyze(
        self, study: InterventionStudy, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        """Answer a study."""
        from portrayal.kinds.intervention.analysis import analyze_intervention

        return analyze_intervention(study, data, settings)

    def chart(self, part: Part) -> Any:
        """Draw bars of bias."""
        from portrayal.kinds.intervention.charts import bias_bars

        return bias_bars(part) if isinstance(part, BiasBars) else None


KIND = Intervention()
