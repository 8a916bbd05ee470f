"""The audits of a comparison, each opened once: models, studies, what every measurer said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.findings import (
    AnalysisSettings,
    AuditData,
    Results,
    StudyData,
    measurer_names,
    study_measurers,
)
from portrayal.records import Identity, Plain, Prompt
from portrayal.studies import Study, in_telling_order, study_from_dict

MOST_SETTINGS = 3
"""Settings that tell models of one name apart; with more, the audit's folder does."""

MOST_LETTERS = 24


@dataclass(frozen=True, slots=True)
class ComparedModel(Plain):
    """A model of a comparison.

    Attributes:
        name: What it is called in the comparison; unique there.
        audit: The audit's place.
        generator: Name of the generator.
        revision: Digest of the generator's identity.
        images: Images that the audit has.
    """

    name: str
    audit: str
    generator: str
    revision: str
    images: int


class ComparedAudit:
    """An audit of a comparison.

    Args:
        audit: The audit.
        name: What its model is called in the comparison.
        settings: How labels are read.

    Attributes:
        measurers: Who measured its images.
        named: The same, by what they are called in findings.
    """

    def __init__(self, audit: AuditFolder, name: str, settings: AnalysisSettings) -> None:
        self.audit, self.name = audit, name
        self._settings = settings
        self.measurers = study_measurers(audit, rule=settings.consensus)
        self.named = dict(zip(measurer_names(self.measurers), self.measurers, strict=True))

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.audit.path

    @cached_property
    def studies(self) -> dict[str, Study]:
        """The studies that were asked of it, by name."""
        stored = self.audit.studies().items()
        found = in_telling_order(
            study_from_dict(data, source=f"{name}.json") for name, data in stored
        )
        return {study.name: study for study in found}

    @cached_property
    def results(self) -> Results | None:
        """Its results; None where nothing was analyzed yet."""
        try:
            return Results.read(self.audit)
        except AuditError:
            return None

    @cached_property
    def _data(self) -> AuditData:
        studies = list(self.studies.values())
        prompts = [prompt.text for study in studies for prompt in study.prompts()]
        return AuditData(
            self.audit,
            prompts,
            [*(text for study in studies for text in study.texts()), *prompts],
            axes=(axis for study in studies for axis in study.asked_axes().values()),
            each_person=self._settings.people == "each",
        )

    def data(self, prompts: Sequence[Prompt], measurer: Identity) -> StudyData:
        """Return the images of some prompts as a measurer saw them, unfit labels left out."""
        name = next(one for one, who in self.named.items() if who.digest == measurer.digest)
        found = self._data.of_study(prompts, measurer, label=name)
        unfit = {} if self.results is None else self.results.labels.unfit(name)
        return replace(found, unfit=unfit) if unfit else found

    def model(self) -> ComparedModel:
        """Return what the comparison says about it."""
        images = self.audit.images().filter("status = 'ok'").aggregate("count(*)").fetchall()
        generator = self.audit.generator
        return ComparedModel(
            self.name, str(self.path), generator.name, generator.digest, images[0][0]
        )


def open_audits(
    folders: Sequence[AuditFolder],
    settings: AnalysisSettings,
    names: Sequence[str] | None = None,
) -> list[ComparedAudit]:
    """Open audits for a comparison, each with a name of its own.

    Args:
        folders: The audits.
        settings: How labels are read.
        names: What their models are called; None: by generator, what tells them apart, or folder.
    """
    chosen = _names(folders) if names is None else names
    return [
        ComparedAudit(folder, name, settings) for folder, name in zip(folders, chosen, strict=True)
    ]


def _names(folders: Sequence[AuditFolder]) -> list[str]:
    """Return short names that tell models apart: by generator, by what differs, by folder."""
    plain = [folder.generator.name for folder in folders]
    differing = _differing([folder.generator.settings for folder in folders])
    told = [
        ", ".join(_setting(key, folder.generator.settings.get(key)) for key in differing)
        for folder in folders
    ]
    same = len(set(plain)) == 1
    detailed = told if same else [f"{name} ({own})" for name, own in zip(plain, told, strict=True)]
    by_folder = [folder.path.name for folder in folders]
    short = [Path(name).name for name in plain]
    fits = 0 < len(differing) <= MOST_SETTINGS
    candidates = [short, plain, *([detailed] if fits else []), by_folder]
    for names in candidates:
        if len(set(names)) == len(names):
            return names
    return [str(folder.path) for folder in folders]


def _differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the settings that differ and are short enough to be read."""
    keys = dict.fromkeys(key for one in settings for key in one)
    return [
        key
        for key in keys
        if len({repr(one.get(key)) for one in settings}) > 1
        and all(isinstance(one.get(key), (int, float, str, bool, type(None))) for one in settings)
        and all(_readable(str(one.get(key))) for one in settings)
    ]


def _setting(name: str, value: object) -> str:
    """Write a setting: `guidance 4`, `no negative_prompt`."""
    if value is None:
        return f"no {name}"
    return f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"


def _readable(value: str) -> bool:
    """Tell whether a setting is something to read, not a path or a digest."""
    return len(value) <= MOST_LETTERS and not re.fullmatch(r"[0-9a-f]{12,}", value)
