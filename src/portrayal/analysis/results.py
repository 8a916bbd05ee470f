"""Findings of all studies of an audit together: corrected p-values, results.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from portrayal import __version__
from portrayal.analysis.amplification import analyze_amplification
from portrayal.analysis.association import analyze_association
from portrayal.analysis.composition import analyze_composition
from portrayal.analysis.data import AuditData, StudyData, encoder_labels, encoders
from portrayal.analysis.encoder_agreement import audit_agreement
from portrayal.analysis.human_side import across_studies, human_side
from portrayal.analysis.influence import analyze_influence
from portrayal.analysis.intervention import analyze_intervention
from portrayal.analysis.people import people_note
from portrayal.analysis.sentences import capital, chance, counted
from portrayal.analysis.settings import AnalysisSettings
from portrayal.analysis.tables import with_q
from portrayal.audit import Audit
from portrayal.errors import AuditError, StudyError, one_of
from portrayal.records import Finding, Identity, StudyResult, plain
from portrayal.statistics.correction import benjamini_hochberg
from portrayal.study import Study, in_telling_order, study_from_dict

FORMAT = 1
"""Version of results.json."""

NO_ENCODER = Identity("none", "no encoder")

Analysis = Callable[[Any, Sequence[StudyData], AnalysisSettings], StudyResult]

ANALYSES: Mapping[str, Analysis] = {
    "amplification": analyze_amplification,
    "association": analyze_association,
    "composition": analyze_composition,
    "influence": analyze_influence,
    "intervention": analyze_intervention,
}
"""What answers each kind of study. A new kind is one module and one entry here."""


@dataclass(frozen=True, slots=True)
class Results:
    """What an audit says, as results.json holds it."""

    generator: Identity
    encoders: Sequence[Identity]
    settings: AnalysisSettings
    studies: Sequence[Study]
    results: Sequence[StudyResult]

    @property
    def findings(self) -> list[Finding]:
        """The findings of all studies, in order."""
        return [finding for result in self.results for finding in result.findings]

    def as_dict(self) -> dict[str, Any]:
        """Return the content of results.json."""
        known = {study.name: study for study in self.studies}
        return {
            "format": FORMAT,
            "portrayal": __version__,
            "generator": plain(self.generator.as_dict()),
            "encoders": [plain(encoder.as_dict()) for encoder in self.encoders],
            "settings": self.settings.as_dict(),
            "findings": [finding.as_dict() for finding in self.findings],
            "studies": [_section(result, known.get(result.study)) for result in self.results],
        }


def analyze(
    audit: Audit,
    *,
    studies: Sequence[Study] | None = None,
    settings: AnalysisSettings | None = None,
) -> Results:
    """Compute all findings of an audit anew from what was measured, and write results.json.

    Args:
        audit: The audit.
        studies: Which studies; None: all that were asked of it.
        settings: How.

    Raises:
        AuditError: No study was asked of this audit, or no encoder has looked at it.
    """
    how = settings or AnalysisSettings()
    if studies is None:
        remembered = audit.studies().items()
        studies = in_telling_order(
            study_from_dict(data, source=f"{name}.json") for name, data in remembered
        )
    if not studies:
        raise AuditError(
            f"{audit.path}: no study was asked of this audit; run: portrayal run STUDY"
        )
    seen_by = encoders(audit)
    if not seen_by and audit.images().filter("status = 'ok'").limit(1).fetchall():
        raise AuditError(
            f"{audit.path}: no encoder has looked at the images yet; "
            f"run: portrayal measure {audit.path}"
        )
    shared = AuditData(
        audit,
        (prompt.text for study in studies for prompt in study.prompts()),
        (text for study in studies for text in study.texts()),
        each_person=how.people == "each",
    )
    # Without a single picture there is nothing to look at; the findings say so.
    found, sides = [], []
    for study in studies:
        data = _data(study, shared, seen_by or [NO_ENCODER])
        answer = _answer(study, data, how)
        sides.append(human_side(study, audit, data, answer, how))
        found.append(sides[-1].added_to(answer))
    for more in (
        audit_agreement(found, encoder_labels(seen_by)),
        across_studies(studies, sides, how),
    ):
        found += [more] if more else []
    results = Results(
        audit.generator, seen_by, how, studies, corrected(found, alpha=1 - how.confidence)
    )
    audit.write_results(results.as_dict())
    return results


def corrected(results: Sequence[StudyResult], *, alpha: float) -> list[StudyResult]:
    """Fill in q: Benjamini-Hochberg over all findings with a p.

    Args:
        results: The answers of all studies.
        alpha: Sentences say where a finding is clear at this level only without correction.
    """
    tested = [f for result in results for f in result.findings if f.p is not None]
    q_values = iter(benjamini_hochberg([f.p for f in tested if f.p is not None]))
    done = []
    for result in results:
        findings = [
            finding
            if finding.p is None
            else _with_q(finding, float(next(q_values)), len(tested), alpha)
            for finding in result.findings
        ]
        by_question = {finding.question: finding.q for finding in findings}
        tables = [with_q(table, by_question) for table in result.tables]
        done.append(replace(result, findings=findings, tables=tables))
    return done


def _with_q(finding: Finding, q: float, tests: int, alpha: float) -> Finding:
    """Return a finding with its q, and with what the correction does to it in its sentence."""
    if tests < 2:
        return replace(finding, q=q)
    lost = finding.p is not None and finding.p < alpha <= q
    after = f"after correction over {tests} tests: {chance(q).replace('p', 'q', 1)}"
    remark = f"Not clear {after}." if lost else f"{capital(after)}."
    return replace(finding, q=q, sentence=f"{finding.sentence} {remark}")


def _data(study: Study, shared: AuditData, seen_by: Sequence[Identity]) -> list[StudyData]:
    """Return the study's images, once for each encoder."""
    return [
        shared.of_study(study.prompts(), encoder, label=label)
        for encoder, label in zip(seen_by, encoder_labels(seen_by), strict=True)
    ]


def _answer(study: Study, data: Sequence[StudyData], settings: AnalysisSettings) -> StudyResult:
    if study.kind not in ANALYSES:
        raise StudyError(
            f"{study.name}: no analysis for kind {study.kind!r}; allowed: {one_of(list(ANALYSES))}"
        )
    result = ANALYSES[study.kind](study, data, settings)
    return replace(
        result,
        dropped=_dropped(data),
        unused=data[0].unused,
        notes=[*study.notes, *result.notes, *_remarks(study, data)],
    )


def _dropped(data: Sequence[StudyData]) -> dict[str, int]:
    """Count what was dropped, naming the encoder where several differ."""
    if len(data) == 1:
        return dict(data[0].dropped)
    reasons = list(dict.fromkeys(reason for one in data for reason in one.dropped))
    found: dict[str, int] = {}
    for reason in reasons:
        counts = [one.dropped.get(reason, 0) for one in data]
        if len(set(counts)) == 1:
            found[reason] = counts[0]
            continue
        for one, count in zip(data, counts, strict=True):
            if count:
                found[f"{reason} · {one.label}"] = count
    return found


def _remarks(study: Study, data: Sequence[StudyData]) -> list[str]:
    remarks = [
        people_note(one.images(study.prompts()), one.people)
        for one in data
        if one.people is not None and getattr(study, "axes", None)
    ]
    unused = data[0].unused
    return [*remarks, f"The {unused_images(unused)}"] if unused else remarks


def unused_images(unused: int) -> str:
    """Remark that an audit holds so many images which the answer leaves out."""
    return (
        f"audit holds {counted(unused, 'more image')} of these prompts than the study asks "
        "for; those with the lowest seeds are used. To use all, ask for more with --images."
    )


def _section(result: StudyResult, study: Study | None) -> dict[str, Any]:
    return {
        "study": result.study,
        "kind": result.kind,
        "title": result.title,
        "question": study.question if study else "",
        "citation": study.citation if study else "",
        "dropped": dict(result.dropped),
        "unused": result.unused,
        "notes": list(result.notes),
        "tables": [table.as_dict() for table in result.tables],
    }
