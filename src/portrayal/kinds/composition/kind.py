"""The kind `composition`, as the rest of the house knows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from portrayal.findings import AnalysisSettings, StudyData, StudyResult
from portrayal.generators import StatesTruth
from portrayal.kinds import Kind, Truth
from portrayal.kinds.composition.schema import CompositionStudy


class Composition(Kind[CompositionStudy]):
    """Who is shown?"""

    name = "composition"
    study = CompositionStudy
    place: ClassVar[int] = 10

    def detectable(self, study: CompositionStudy, settings: AnalysisSettings) -> str:
        """Return the difference of shares between two levels that would show."""
        from portrayal.kinds.composition.plan import detectable

        return detectable(study)

    def truth(
        self, study: CompositionStudy, world: StatesTruth, *, samples: int
    ) -> Sequence[Truth]:
        """Return what the study would find with endless images."""
        from portrayal.kinds.composition.truth import share_truths

        return list(share_truths(study, world))

    def analyze(
        self, study: CompositionStudy, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        """Answer a study."""
        from portrayal.kinds.composition.analysis import analyze_composition

        return analyze_composition(study, data, settings)


KIND = Composition()
