"""The results of an audit, typed from analysis to page: what results.json contains.

    Results ─┬─ findings: Findings of Finding         one per answer, over all studies
             └─ studies: StudySection ── parts        what figures and tables are made of

`Results.read` and `Results.write` are the only way in and out; report, command line and notebook
read nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import PlainSerializer, TypeAdapter, ValidationError, WrapValidator

from portrayal.audit import AuditFolder, location, quoted, read_json, write_text
from portrayal.errors import AuditError, NewerFormat, OlderFormat
from portrayal.findings.collection import Findings
from portrayal.findings.finding import Finding
from portrayal.findings.fitness import LabelQuality
from portrayal.findings.label_checks import CheckedSource, LabelSource
from portrayal.findings.label_rules import LabelRule, label_rules
from portrayal.findings.measured import NOT_MEASURED
from portrayal.findings.parts import STANDARD, Forest, Part, UnknownPart
from portrayal.findings.sentences import counted
from portrayal.findings.settings import AnalysisSettings
from portrayal.records import Identity
from portrayal.studies import Study, key_path, registered_kinds

FORMAT = 2
"""Version of results.json."""


@dataclass(frozen=True, slots=True)
class StudyResult:
    """What one study answers: made by its kind, part of `Results` once all p are corrected.

    Attributes:
        study: The study's name.
        kind: Its kind.
        title: Its title.
        findings: Its answers.
        parts: What figures and tables are made of.
        dropped: Wanted images that could not be used, by reason.
        unused: Images of the study's prompts beyond what it asks for.
        notes: What must be said beside the numbers.
        sources: Who labelled the images, and which of them people checked.
    """

    study: str
    kind: str
    title: str
    findings: Sequence[Finding]
    parts: Sequence[Part] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    unused: int = 0
    notes: Sequence[str] = ()
    sources: Sequence[CheckedSource] = ()


def _read_part(value: Any, _: Any) -> Part:
    if isinstance(value, Part):
        return value
    known = part_types().get(value["type"])
    if known is None:
        return UnknownPart(
            value["name"], value["title"], value, type=value["type"], note=value.get("note", "")
        )
    part: Part = _adapter(known).validate_python(value)
    return part


def _write_part(part: Part) -> dict[str, Any]:
    if isinstance(part, UnknownPart):
        return dict(part.content)
    return {"type": part.type, **_adapter(type(part)).dump_python(part, mode="json")}


AnyPart = Annotated[Part, WrapValidator(_read_part), PlainSerializer(_write_part)]


@dataclass(frozen=True, slots=True)
class StudySection:
    """One study of an audit, without its findings.

    Attributes:
        study: The study's name, as in its findings.
        kind: Its kind.
        title: Its title.
        question: Its question.
        citation: Where it was published.
        dropped: Wanted images that could not be used, by reason.
        unused: Images of the study's prompts beyond what it asks for.
        notes: What must be said beside the numbers.
        parts: What figures and tables are made of.
        rules: How images were labelled on each axis.
    """

    study: str
    kind: str
    title: str
    question: str
    citation: str
    dropped: Mapping[str, int]
    unused: int
    notes: tuple[str, ...]
    parts: tuple[AnyPart, ...]
    rules: tuple[LabelRule, ...] = ()

    def unmeasured(self, command: str) -> list[str]:
        """Say how many images were not measured, one line for each measurer that differs.

        Args:
            command: What measures them.
        """
        return [
            f"{counted(n, 'image')} {reason} yet; run: {command}"
            for reason, n in self.dropped.items()
            if reason.startswith(NOT_MEASURED) and n
        ]

    def n_unmeasured(self, measurer: str) -> int:
        """Return how many images a measurer has not measured."""
        dropped = self.dropped
        return dropped.get(NOT_MEASURED) or dropped.get(f"{NOT_MEASURED} · {measurer}", 0)

    @classmethod
    def of(cls, result: StudyResult, study: Study | None = None) -> StudySection:
        """Return the section of a study's result; None: it is about several studies."""
        about = (
            ("", "", ()) if study is None else (study.question, study.citation, label_rules(study))
        )
        question, citation, rules = about
        return cls(
            result.study, result.kind, result.title, question, citation, dict(result.dropped),
            result.unused, tuple(result.notes), tuple(result.parts), rules,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Results:
    """What an audit says.

    Attributes:
        portrayal: Version of portrayal that computed it.
        generator: Who made the images.
        measurers: Who measured them.
        settings: How they were analyzed.
        findings: The answers of all studies, in order.
        studies: What stands beside them, study by study.
        labels: What is known of the labels that they rest on.
        sources: Who labelled the images on each axis, and whether people checked it.
    """

    portrayal: str
    generator: Identity
    measurers: tuple[Identity, ...]
    settings: AnalysisSettings
    findings: Findings
    studies: tuple[StudySection, ...]
    labels: LabelQuality = field(default_factory=LabelQuality)
    sources: tuple[LabelSource, ...] = ()

    def __post_init__(self) -> None:
        for section in self.studies:
            asked = {one.question for one in self.findings_of(section.study)}
            for part in section.parts:
                if isinstance(part, Forest) and not asked.issuperset(part.questions):
                    lost = next(one for one in part.questions if one not in asked)
                    raise ValueError(f"{section.study}: {part.name} shows no finding: {lost!r}")

    @property
    def level(self) -> float:
        """Level of the tests that belongs to the intervals' confidence: .05 to 95%."""
        return round(1 - self.settings.confidence, 10)

    @property
    def n_checked(self) -> int:
        """How many images people labelled, on the axis with most of them."""
        return max((one.n_checked for one in self.sources), default=0) or self.labels.rated

    def line_of(self, finding: Finding, *, asked: bool = False) -> str:
        """Return a finding in one line, with its study where one of another study reads the same.

        Args:
            finding: One of these.
            asked: The question, whatever the answer.
        """

        def line(one: Finding) -> str:
            return one.asked if asked else one.conclusion(self.level)

        told = line(finding)
        others = (
            one
            for one in (self.findings if len(self.studies) > 1 else ())
            if one.study != finding.study and one.statistic == finding.statistic
        )
        return f"{told} ({finding.study})" if any(line(one) == told for one in others) else told

    def label_warnings(self) -> list[str]:
        """Return what a reader must know of the labels first.

        Hardly any image has one; it is not known how often they are right; a measurer is weak or
        unfit.
        """
        short = [line for one in self.sources if (line := one.shortage())]
        return [*short, *self.labels.unknowns(self.sources), *self.labels.doubts()]

    def told_sources(self) -> tuple[LabelSource, ...]:
        """Return the sources to tell of: people's own labels only where there are no others."""
        machines = tuple(one for one in self.sources if one.status != "people")
        return machines or self.sources

    def findings_of(self, study: str) -> Findings:
        """Return the findings of one study."""
        return Findings(one for one in self.findings if one.study == study)

    def as_dict(self) -> dict[str, Any]:
        """Return the content of results.json."""
        return {"format": FORMAT, **_adapter(Results).dump_python(self, mode="json")}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Results:
        """Read what `as_dict` wrote.

        Raises:
            AuditError: It is of another format, or not whole.
        """
        version = data.get("format")
        if isinstance(version, int) and version > FORMAT:
            raise NewerFormat(f"format {version} is newer than this portrayal reads ({FORMAT})")
        if isinstance(version, int) and version < FORMAT:
            raise OlderFormat(f"its format is {version}, this portrayal reads {FORMAT}")
        if version != FORMAT:
            raise AuditError(f"its format is {version!r}, this portrayal reads {FORMAT}")
        try:
            found: Results = _adapter(cls).validate_python(data)
        except ValidationError as error:
            fault = error.errors()[0]
            where = key_path(fault["loc"], data)
            raise AuditError(f"it is not whole: {where}: {fault['msg']}") from error
        except (KeyError, TypeError) as error:
            raise AuditError(f"it is not whole: a part lacks {error}") from error
        return found

    @classmethod
    def read(cls, source: AuditFolder | Path | str) -> Results:
        """Read results.json.

        Args:
            source: An audit, its folder, or the file.

        Raises:
            AuditError: Nothing has been analyzed yet, or the file has to be made again.
        """
        if isinstance(source, (str, Path)) and str(source).endswith(".json"):
            data, where, folder = read_json(location(source)), str(source), "AUDIT"
        else:
            audit = source if isinstance(source, AuditFolder) else AuditFolder(source)
            where, folder = f"{audit.path}: results.json", quoted(audit.path)
            data = audit.results()
        try:
            return cls.from_dict(data)
        except AuditError as error:
            raise type(error)(f"{where}: {error}; run: portrayal analyze {folder}") from error

    def write(self, file: Path | str) -> None:
        """Write results.json; an audit's own is written by `portrayal analyze`."""
        text = json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        write_text(location(file), text + "\n")


def part_types() -> dict[str, type[Part]]:
    """Return the types of parts by name: those that all kinds share, and those of each kind."""
    own = [one for kind in registered_kinds().values() for one in kind.parts]
    return {str(one.__dataclass_fields__["type"].default): one for one in (*STANDARD, *own)}


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def _adapter(of: type) -> TypeAdapter[Any]:
    if of not in _ADAPTERS:
        _ADAPTERS[of] = TypeAdapter(of)
    return _ADAPTERS[of]
