"""The kind `influence`, as the rest of the house knows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from portrayal.audit import AuditFolder
from portrayal.findings import AnalysisSettings, Part, StudyData, StudyResult
from portrayal.generators import StatesTruth
from portrayal.kinds import Kind, Requirement, Truth
from portrayal.kinds.influence.parts import InfluenceAverages, InfluenceScores
from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.records import Identity
from portrayal.studies import Study


class Influence(Kind[InfluenceStudy]):
    """Which word of the prompt causes it?"""

    name = "influence"
    study = InfluenceStudy
    effect: ClassVar[str] = "word influence"
    place: ClassVar[int] = 40
    unused_settings: ClassVar[tuple[str, ...]] = ("alternative", "effect", "permute")
    parts: ClassVar[tuple[type[Part], ...]] = (InfluenceScores, InfluenceAverages)

    def carry_over(self, study: InfluenceStudy, before: Study) -> InfluenceStudy:
        """Return the study with the texts that were drawn for it before."""
        from portrayal.kinds.influence.drawing import carried_over

        return carried_over(study, before)

    def draw(self, study: InfluenceStudy, before: Study | None) -> InfluenceStudy:
        """Return the study with all its texts; a language model draws those that are missing."""
        from portrayal.kinds.influence.drawing import draw_texts

        return draw_texts(study, before=before)

    def next_round(
        self,
        study: InfluenceStudy,
        data: Callable[[], Sequence[StudyData]],
        settings: AnalysisSettings,
    ) -> InfluenceStudy | None:
        """Return the study with what is left of its budget spent where intervals are widest."""
        from portrayal.kinds.influence.rounds import next_round

        return next_round(study, data, settings)

    def detectable(self, study: InfluenceStudy, settings: AnalysisSettings) -> str:
        """Return what one word must do to show."""
        from portrayal.kinds.influence.plan import detectable

        return detectable(study)

    def full_width(self, study: InfluenceStudy) -> float:
        """Return the range's width: scores run from -level to level."""
        return 2.0 * study.level

    def weakest(self, study: InfluenceStudy, settings: AnalysisSettings) -> float:
        """Return by how much a word must move a share to show."""
        from portrayal.kinds.influence.plan import difference

        return difference(study)

    def assumption(self, study: InfluenceStudy, settings: AnalysisSettings) -> str:
        """Return what `weakest` assumes, in words."""
        return "texts of one set of words do not differ"

    def requirements(
        self, study: InfluenceStudy, corpus: Path | None, audit: AuditFolder | None
    ) -> Sequence[Requirement]:
        """Return the word model that texts are drawn with, unless they are drawn already."""
        from portrayal.kinds.influence.plan import requirements

        return requirements(study)

    def require_valid(self, study: InfluenceStudy, generator: Identity) -> None:
        """Raise where the words were drawn by a model that does not know the generator's world."""
        from portrayal.language import require_valid_text_model

        if study.drawn is not None:
            drawn_by = Identity.from_dict(study.drawn.transmuter)
            require_valid_text_model("words", drawn_by, generator)

    def truth(self, study: InfluenceStudy, world: StatesTruth, *, samples: int) -> Sequence[Truth]:
        """Return what the study would find with unlimited images."""
        from portrayal.kinds.influence.truth import influence_truths

        return influence_truths(study, world, samples=samples)

    def analyze(
        self, study: InfluenceStudy, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        """Answer a study."""
        from portrayal.kinds.influence.analysis import analyze_influence

        return analyze_influence(study, data, settings)

    def chart(self, part: Part) -> Any:
        """Draw the influence of words as bars."""
        from portrayal.kinds.influence.charts import influence

        return influence(part) if isinstance(part, (InfluenceScores, InfluenceAverages)) else None


KIND = Influence()
