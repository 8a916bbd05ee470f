"""What the verbs share: an audit, studies and models, each opened once and passed on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from portrayal.audit import AuditFolder, Wanted, location, quoted
from portrayal.errors import AuditError, MeasurementError, SettingError, one_of, shown
from portrayal.findings import AnalysisSettings, is_validated, study_measurers
from portrayal.kinds import kind_of
from portrayal.measurers import Measurer, default_is_valid, name_of, require_trained
from portrayal.progress import OnProgress, OnRemark, no_progress, no_remark
from portrayal.raters import RATERS
from portrayal.records import Identity
from portrayal.runner.models import Models, generator_label
from portrayal.runner.studies import Asked, find_studies, names_own, remembered_studies
from portrayal.studies import Study

Place = str | os.PathLike[str]
"""A folder, or for audits also a URL such as `s3://bucket/audit`."""


class Session:
    """One audit, the studies that are asked of it, and the models that answer.

    The verbs (`generate`, `measure`, `analyze`, `report`, `run`) take a session. The audit is
    opened here where it exists, and made when the first image is generated; measurers are opened
    when they are first needed.

    Args:
        out: The audit; need not be there yet.
        models: Which generator and measurers.
        corpus: The model's training data, for studies that compare with it.
        analysis: How to analyze.
        on_progress: Called as work goes on.

    Attributes:
        path: Where the audit is.
        audit: The opened audit; None: not there yet.
        studies: What is asked, validated; grows by the texts that are drawn for it.
        on_remark: Called with a line where a measurer waits for its service.

    Raises:
        AuditError: There is an audit, and it cannot be read.
        SettingError: A place that is none.
    """

    def __init__(
        self,
        out: Place,
        *,
        models: Models | None = None,
        corpus: Place | None = None,
        analysis: AnalysisSettings | None = None,
        on_progress: OnProgress = no_progress,
    ) -> None:
        self.path = location(place("out", out))
        self.audit = AuditFolder.find(self.path)
        self.models = models or Models()
        self.corpus = None if corpus is None else Path(place("corpus", corpus))
        self.analysis = checked_analysis(analysis)
        self.on_progress = on_progress
        self.on_remark: OnRemark = no_remark
        self.studies: tuple[Study, ...] = ()
        self._known: dict[str, Study] = {}
        self._measurers: list[Measurer] | None = None
        self._continued: Sequence[Identity] = ()

    # --- the audit ---------------------------------------------------------------------------

    def opened(self) -> AuditFolder:
        """Return the audit.

        Raises:
            NotAnAudit: It is not there yet.
        """
        self.audit = self.audit or AuditFolder(self.path)
        return self.audit

    def begin(self, generator: Identity) -> AuditFolder:
        """Return the audit, making it where there is none.

        Raises:
            AuditError: It is about another generator.
        """
        if self.audit is None:
            self.audit = AuditFolder.at(self.path, generator)
        else:
            self.audit.require(generator)
        return self.audit

    @property
    def is_imported(self) -> bool:
        """Whether the audit's images came from a folder instead of a generator."""
        return self.audit is not None and self.audit.is_imported

    @property
    def generator_label(self) -> str:
        """What to call the generator in one line."""
        if self.is_imported:
            return "imported images"
        return generator_label(self.models.settled(self.audit))

    # --- studies -----------------------------------------------------------------------------

    def ask(self, asked: Asked | None = None, *, images: int | None = None) -> None:
        """Ask studies of the audit; None: all that it remembers.

        Args:
            asked: See `find_studies`.
            images: Images per prompt, instead of the studies' own.

        Raises:
            StudyError: There is no such study, or its file is wrong.
            AuditError: None is named, and the audit remembers none.
        """
        if asked is None:
            self.opened()
            asked = tuple(self.remembered().values())
            if not asked:
                raise AuditError(f"{self.path}: no study was asked of it yet; name one")
        known = self.remembered() if names_own(asked) else {}
        self.studies = find_studies(asked, known, images=images)

    def ask_again(self, asked: Asked | None = None) -> None:
        """Ask studies as they are now, with the images per prompt that were asked for before."""
        self.opened()
        self.ask(asked)
        before = self.remembered()
        self.studies = tuple(
            study.sized_as(before[study.name]) if study.name in before else study
            for study in self.studies
        )

    def remembered(self) -> dict[str, Study]:
        """Return the studies that the audit remembers now, each validated once."""
        known = {**self._known, **{study.name: study for study in self.studies}}
        self._known = remembered_studies(self.audit, known.values())
        return self._known

    def remember(self) -> None:
        """Write the studies into the audit, which then knows what was asked of it."""
        audit = self.opened()
        for study in self.studies:
            audit.remember_study(study.name, study.as_dict())

    def draw(self) -> None:
        """Draw the texts that studies lack; what the audit has drawn before is kept."""
        before = self.remembered()
        self.studies = tuple(
            kind_of(study).draw(study, before.get(study.name)) for study in self.studies
        )

    def prepare(self) -> None:
        """Get all that studies need beside generated images: captions, training images."""
        audit = self.opened()
        self.studies = tuple(
            kind_of(study).prepare(study, audit, self.corpus, on_progress=self.on_progress)
            for study in self.studies
        )

    def wanted(self) -> Wanted:
        """Return the images that the studies want together."""
        return Wanted.by(prompt for study in self.studies for prompt in study.prompts())

    # --- measurers ---------------------------------------------------------------------------

    def continue_measurers(self) -> None:
        """Where no measurer is named, name those that the audit has.

        Raises:
            MeasurementError: It has some, and only their user knows how to open them.
        """
        used = [one for one in study_measurers(self.opened()) if one.kind != RATERS]
        if self.models.measurers or not used:
            return
        names = tuple(dict.fromkeys(name for one in used if (name := name_of(one))))
        if names:
            self.models = replace(self.models, measurers=names)
            self._continued = used
        elif not default_is_valid(self.opened().generator):
            labelled = one_of([one.name for one in used])
            raise MeasurementError(
                f"{self.path}: its labels are by {labelled}, which no name opens; name one with "
                f"`measurers`: portrayal measure {quoted(self.path)} --measurer MEASURER"
            )

    @property
    def measurers(self) -> list[Measurer]:
        """The measurers, opened; none where none is named and the audit has labels already.

        Raises:
            MeasurementError: One cannot be opened, or has learned nothing.
        """
        if self._measurers is None:
            labelled = not self.models.measurers and self._is_labelled()
            opened = [] if labelled else self.models.open_measurers()
            self._require_trained(opened)
            self._require_the_same(opened)
            for one in opened:
                if hasattr(one, "on_remark"):
                    one.on_remark = self._remark
            self._measurers = opened
        return self._measurers

    def _require_the_same(self, measurers: Sequence[Measurer]) -> None:
        """Raise where a name no longer opens the measurer that the audit has.

        Raises:
            MeasurementError: It opens another one.
        """
        for one in measurers if self._continued else ():
            if one.identity not in self._continued:
                raise MeasurementError(
                    f"{self.path}: {one.identity.name} is not the measurer of this name that "
                    "labelled its images: the settings differ; to add it beside that one, name it "
                    "with `measurers`"
                )

    def _remark(self, text: str) -> None:
        """Pass a remark on to whoever listens now."""
        self.on_remark(text)

    def _require_trained(self, measurers: Sequence[Measurer]) -> None:
        """Try encoders of which nothing is known yet.

        Raises:
            MeasurementError: One has learned nothing.
        """
        used = [] if self.audit is None else self.audit.measurers()
        for one in measurers:
            if one.identity not in used and not is_validated(one.identity):
                require_trained(one)

    def _is_labelled(self) -> bool:
        """Tell whether labels or embeddings were imported, and no default would measure more."""
        audit = self.audit
        if audit is None or default_is_valid(audit.generator):
            return False
        return bool(study_measurers(audit))


def checked_analysis(analysis: object) -> AnalysisSettings:
    """Return how to analyze; None: the defaults.

    Raises:
        SettingError: It is something else.
    """
    if analysis is None:
        return AnalysisSettings()
    if isinstance(analysis, AnalysisSettings):
        return analysis
    raise SettingError("analysis", f"is {shown(analysis)}; allowed: an AnalysisSettings object")


def place(setting: str, where: object, *, what: str = "the path of a folder") -> Place:
    """Return a path that was given.

    Args:
        setting: What it was given as.
        where: What was given.
        what: What is allowed, in words.

    Raises:
        SettingError: It is none.
    """
    if isinstance(where, str | os.PathLike) and str(where) and "\0" not in str(where):
        return where
    raise SettingError(setting, f"is {shown(where)}; allowed: {what}")
