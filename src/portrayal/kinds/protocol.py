"""What a kind of study is: everything that the rest of the house asks of one.

A kind is a folder with its schema, preparation, plan, analysis, tables, charts and questions, and
an object of a subclass of `Kind` registered under the entry point `portrayal.kinds`. Only `name`,
`study` and `analyze` have to be given; every other method has an answer that suits a study of
prompts with images.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from portrayal.audit import AuditFolder
from portrayal.errors import StudyError
from portrayal.findings import (
    AnalysisSettings,
    Finding,
    HumanSide,
    LabelPool,
    Part,
    StudyData,
    StudyResult,
    axes_beside_raters,
    study_pools,
)
from portrayal.generators import StatesTruth
from portrayal.kinds.requirement import Requirement
from portrayal.kinds.truth import Truth
from portrayal.measurers import MeasurementSummary, Measurer
from portrayal.progress import OnProgress
from portrayal.records import Identity
from portrayal.studies import Study
from portrayal.studies import kind_of as study_kind_of

S = TypeVar("S", bound=Study)


class Kind(ABC, Generic[S]):
    """A kind of study.

    Attributes:
        name: As `kind` in a study file.
        study: The schema.
        place: Where a report tells of it: lower comes first.
        parts: Types of its own that parts of its answers have; those of `findings.parts` need no
            mention.
        varies: Whether its findings are computed again with other thresholds, single wordings and
            halves of the seeds: it must rest on the images of `StudyData` alone.
        takes_corpus: Whether its studies compare with training data (`--corpus`).
        unused_settings: Settings of an analysis that its findings do not depend on; studies say so
            where these are chosen.
        effect: What `weakest` returns, in words; the statistic of the findings where one has it.
    """

    name: ClassVar[str]
    study: ClassVar[type[Study]]
    place: ClassVar[int] = 100
    parts: ClassVar[tuple[type[Part], ...]] = ()
    takes_corpus: ClassVar[bool] = False
    unused_settings: ClassVar[tuple[str, ...]] = ()
    varies: ClassVar[bool] = False
    effect: ClassVar[str] = ""

    def starter(self) -> str:
        """Return a commented study file to start from: `starter.toml` beside the kind's module."""
        package = type(self).__module__.rpartition(".")[0]
        return (files(package) / "starter.toml").read_text(encoding="utf-8")

    # --- before images are generated ---------------------------------------------------------

    def check(self, study: S, out: Path, corpus: Path | None) -> None:
        """Raise, before a model is loaded, where a study lacks what it needs.

        Args:
            study: The study.
            out: The audit's folder; need not be there yet.
            corpus: The training data that was named.
        """

    def carry_over(self, study: S, before: Study) -> S:
        """Return the study with what was drawn for it before; nothing is drawn.

        Args:
            study: The study.
            before: What the audit remembers under its name.
        """
        return study

    def draw(self, study: S, before: Study | None) -> S:
        """Return the study with all texts that a language model draws for it.

        What was drawn before is kept; a study whose texts are all there opens no model.
        """
        return study if before is None else self.carry_over(study, before)

    def prepare(
        self, study: S, audit: AuditFolder, corpus: Path | None, *, on_progress: OnProgress
    ) -> S:
        """Return the study with everything that it needs beside generated images.

        Args:
            study: The study, with what was drawn for it before.
            audit: Where it is asked.
            corpus: The training data that was named.
            on_progress: Called as work goes on.
        """
        return study

    def links_to_try(
        self, study: S, corpus: Path, *, on_progress: OnProgress
    ) -> Mapping[tuple[int, int], str]:
        """Return the training captions whose images the study needs next, by source and row.

        Args:
            study: The study.
            corpus: A corpus folder whose captions have addresses.
            on_progress: Called as work goes on.

        Raises:
            StudyError: The study compares with no training data.
        """
        raise StudyError(f"{study.name}: compares with no training images")

    def without_texts(self, study: S, texts: Collection[str]) -> S:
        """Return the study without prompts that were found for it, not written by its author.

        Args:
            study: The study, prepared.
            texts: Prompts that the generator cannot read to their end.
        """
        return study

    def detectable(self, study: S, settings: AnalysisSettings) -> str:
        """Return the smallest effect that the study would find four times in five, in words."""
        return ""

    def widest(self, study: S, settings: AnalysisSettings) -> float:
        """Return how wide the widest interval would be; NaN: a pilot has to tell."""
        return math.nan

    def full_width(self, study: S) -> float:
        """Return the width of the range of its estimates: no interval is wider. Default: no end."""
        return math.inf

    def weakest(self, study: S, settings: AnalysisSettings) -> float:
        """Return the largest of the effects that its tests would find four times in five.

        NaN: a pilot has to tell. Infinite: they find nothing, with any number of images.
        """
        return math.nan

    def assumption(self, study: S, settings: AnalysisSettings) -> str:
        """Return what `widest` and `weakest` assume, in words."""
        return ""

    def requirements(
        self, study: S, corpus: Path | None, audit: AuditFolder | None
    ) -> Sequence[Requirement]:
        """Return what a study needs beside a generator and a measurer.

        Args:
            study: The study.
            corpus: The training data that was named.
            audit: The study's audit, where it exists.
        """
        return []

    def with_real_world(self, study: S, file: Path) -> S | None:
        """Return the study with shares of the real world as a baseline; None: it has no use."""
        return None

    def without_phrase(
        self, study: S, phrase: str, replacement: str | None, attributes: Collection[str] = ()
    ) -> Study:
        """Return the study that asks what a phrase of a prompt addition does.

        Raises:
            StudyError: Studies of this kind have no prompt additions.
        """
        raise StudyError(
            f"{study.name} is of kind {study.kind}; a phrase can be taken out of an intervention "
            "study only, such as entigen"
        )

    def require_valid(self, study: S, generator: Identity) -> None:
        """Raise, before images are generated, where a part of the study is not for a generator.

        Args:
            study: The study, with its texts drawn.
            generator: Who will make the images.
        """

    def truth(self, study: S, world: StatesTruth, *, samples: int) -> Sequence[Truth]:
        """Return what the study would find with unlimited images of a generator that states them.

        Args:
            study: The study.
            world: The generator.
            samples: How many texts to draw where truths depend on texts that are drawn.

        Raises:
            StudyError: Studies of this kind have no such truth.
        """
        raise StudyError(f"{study.name} is of kind {study.kind}, of which no truth can be computed")

    # --- after images are generated ----------------------------------------------------------

    def image_sources(self, study: S, audit: AuditFolder) -> tuple[Identity, ...]:
        """Return who made the images that measurers judge: generators, corpora of training images.

        Measurers have to be valid for each of them.
        """
        return (audit.generator,)

    def measure_more(
        self,
        studies: Sequence[S],
        audit: AuditFolder,
        measurers: Sequence[Measurer],
        *,
        on_progress: OnProgress,
    ) -> list[MeasurementSummary]:
        """Measure what the studies need beside their generated images."""
        return []

    def next_round(
        self, study: S, data: Callable[[], Sequence[StudyData]], settings: AnalysisSettings
    ) -> S | None:
        """Return the study with more wanted, given its images so far; None: it has enough.

        A study whose kind answers is generated in rounds: the images of a round are generated and
        measured, and this is asked again, until it says None.

        Args:
            study: The study as it was generated so far.
            data: Measures the images so far and returns them, once for each measurer. That takes
                time: call it only where there is something to decide.
            settings: How the study will be analyzed.
        """
        return None

    def prompts_of(self, study: S, finding: Finding) -> Collection[str]:
        """Return the prompts that a finding rests on: those that get more images until it is clear.

        Args:
            study: The study.
            finding: One of its findings.
        """
        return [prompt.text for prompt in study.prompts()]

    @abstractmethod
    def analyze(
        self, study: S, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        """Answer a study.

        Args:
            study: The study.
            data: Its images, once for each encoder that looked at them.
            settings: How.
        """

    def label_pools(self, study: S, data: StudyData) -> Sequence[LabelPool]:
        """Return the images whose labels a study rests on; people's labels correct them."""
        return study_pools(study, data)

    def beside_raters(
        self,
        study: S,
        audit: AuditFolder,
        data: Sequence[StudyData],
        result: StudyResult,
        settings: AnalysisSettings,
    ) -> HumanSide:
        """Set what raters said beside what was measured."""
        return axes_beside_raters(study, audit, data, settings)

    def rated_together(
        self, studies: Sequence[S], sides: Sequence[Any], settings: AnalysisSettings
    ) -> StudyResult | None:
        """Return what raters say about several studies of the kind together, if anything."""
        return None

    def chart(self, part: Part) -> Any:
        """Return the Altair chart of a part of the kind's own; None: drawn as all kinds do."""
        return None


def kind_of(study: Study) -> Kind[Any]:
    """Return the kind of a study.

    Raises:
        StudyError: What is registered under its name is no kind.
    """
    kind = study_kind_of(study)
    if not isinstance(kind, Kind):
        raise StudyError(
            f"the study kind {study.kind!r} is registered, but is no portrayal.kinds.Kind"
        )
    return kind
