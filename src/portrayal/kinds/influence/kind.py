"""The kind `influence`, as the rest of the house knows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from portrayal.audit import Audit
from portrayal.findings.data import StudyData
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.kinds.protocol import Kind
from portrayal.records import StudyResult


class Influence(Kind[InfluenceStudy]):
    """Which word of the prompt causes it?"""

    name = "influence"
    study = InfluenceStudy
    place: ClassVar[int] = 40

    def carry_over(self, study: InfluenceStudy, audit: Audit) -> InfluenceStudy:
        """Return the study with the texts that the audit holds."""
        from portrayal.kinds.influence.drawing import carried_over

        stored = audit.studies().get(study.name)
        return study if stored is None else carried_over(study, stored)

    def draw(self, study: InfluenceStudy, audit: Audit | None) -> InfluenceStudy:
        """Return the study with all its texts; a language model draws those that are missing."""
        from portrayal.kinds.influence.drawing import draw_texts

        return draw_texts(study, stored=None if audit is None else audit.studies().get(study.name))

    def detectable(self, study: InfluenceStudy, settings: AnalysisSettings) -> str:
        """Return what one word must do to show."""
        from portrayal.kinds.influence.plan import detectable

        return detectable(study)

    def analyze(
        self, study: InfluenceStudy, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        """Answer a study."""
        from portrayal.kinds.influence.analysis import analyze_influence

        return analyze_influence(study, data, settings)


KIND = Influence()
