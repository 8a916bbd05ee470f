"""The kind `amplification`, as the rest of the house knows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from portrayal.audit import AuditFolder
from portrayal.findings import AnalysisSettings, LabelPool, Part, StudyData, StudyResult
from portrayal.kinds import Kind, Requirement
from portrayal.kinds.amplification.parts import AmplificationScatter
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.measurers import MeasurementSummary, Measurer
from portrayal.progress import OnProgress
from portrayal.records import Identity
from portrayal.studies import Study


class Amplification(Kind[AmplificationStudy]):
    """Are group shares further from even than in the training data?"""

    name = "amplification"
    study = AmplificationStudy
    place: ClassVar[int] = 50
    unused_settings: ClassVar[tuple[str, ...]] = ("alternative", "effect", "permute")
    parts: ClassVar[tuple[type[Part], ...]] = (AmplificationScatter,)
    takes_corpus: ClassVar[bool] = True

    def full_width(self, study: AmplificationStudy) -> float:
        """Return the range's width: amplification runs from -50 to 50 points."""
        return 100.0

    def check(self, study: AmplificationStudy, out: Path, corpus: Path | None) -> None:
        """Raise where a study lacks its training data."""
        from portrayal.kinds.amplification.preparation import check_corpus

        check_corpus(study, out, corpus)

    def carry_over(self, study: AmplificationStudy, before: Study) -> AmplificationStudy:
        """Return the study with the captions that the audit has drawn for it."""
        from portrayal.kinds.amplification.preparation import carried_over

        return carried_over(study, before)

    def prepare(
        self,
        study: AmplificationStudy,
        audit: AuditFolder,
        corpus: Path | None,
        *,
        on_progress: OnProgress,
    ) -> AmplificationStudy:
        """Choose captions, fetch their images, and draw prompts from them."""
        from portrayal.kinds.amplification.preparation import prepare

        return prepare(study, audit, corpus, on_progress=on_progress)

    def links_to_try(
        self, study: AmplificationStudy, corpus: Path, *, on_progress: OnProgress
    ) -> Mapping[tuple[int, int], str]:
        """Return the captions whose images the study needs next."""
        from portrayal.kinds.amplification.preparation import links_of_study

        return links_of_study(study, corpus, on_progress=on_progress)

    def without_texts(
        self, study: AmplificationStudy, texts: Collection[str]
    ) -> AmplificationStudy:
        """Return the study without captions that are too long to be prompts."""
        from portrayal.kinds.amplification.caption_prompts import without_texts

        return without_texts(study, texts)

    def detectable(self, study: AmplificationStudy, settings: AnalysisSettings) -> str:
        """Return the mean amplification that would show."""
        from portrayal.kinds.amplification.plan import detectable

        return detectable(len(study.occupations), alpha=1 - settings.confidence)

    def requirements(
        self, study: AmplificationStudy, corpus: Path | None, audit: AuditFolder | None
    ) -> Sequence[Requirement]:
        """Return the face detector, the sentence encoder, and training captions with images."""
        from portrayal.kinds.amplification.requirements import requirements

        return requirements(study, corpus)

    def with_real_world(self, study: AmplificationStudy, file: Path) -> AmplificationStudy:
        """Return the study with shares of the real world as a second baseline."""
        from portrayal.kinds.amplification.real_world import with_real_world

        return with_real_world(study, file)

    def image_sources(self, study: AmplificationStudy, audit: AuditFolder) -> tuple[Identity, ...]:
        """Return who made the images of both sides."""
        from portrayal.kinds.amplification.measuring import image_sources

        return image_sources(study, audit)

    def measure_more(
        self,
        studies: Sequence[AmplificationStudy],
        audit: AuditFolder,
        measurers: Sequence[Measurer],
        *,
        on_progress: OnProgress,
    ) -> list[MeasurementSummary]:
        """Let measurers have the training side, and face detectors both sides."""
        from portrayal.kinds.amplification.measuring import measure_sides

        return measure_sides(audit, studies, measurers, on_progress=on_progress)

    def analyze(
        self, study: AmplificationStudy, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        """Answer a study."""
        from portrayal.kinds.amplification.analysis import analyze_amplification

        return analyze_amplification(study, data, settings)

    def label_pools(self, study: AmplificationStudy, data: StudyData) -> Sequence[LabelPool]:
        """Return one pool per side."""
        from portrayal.kinds.amplification.pools import amplification_pools

        return amplification_pools(study, data)

    def chart(self, part: Part) -> Any:
        """Draw the scatter of both sides."""
        from portrayal.kinds.amplification.charts import scatter

        return scatter(part) if isinstance(part, AmplificationScatter) else None


KIND = Amplification()
