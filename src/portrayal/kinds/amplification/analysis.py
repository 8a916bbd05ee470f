"""Amplification studies: is a model's group share further from one half than its training data's?

The answer depends on which training captions are compared with, so it is given for every subset:
amplification with its interval, how much less that is than the naive one, and how much of the naive
one each correction explains. The Bias Amplification Paradox, sections 3.3 to 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from portrayal.audit import AuditFolder, Selection, read_selection, training_audit
from portrayal.findings import (
    AnalysisSettings,
    Finding,
    Forest,
    Part,
    StudyData,
    StudyResult,
    unlabelled,
)
from portrayal.kinds.amplification import measured as findings
from portrayal.kinds.amplification import tables
from portrayal.kinds.amplification.counts import Counting
from portrayal.kinds.amplification.image_groups import face_detector, look
from portrayal.kinds.amplification.indicator_tables import indicator_tables
from portrayal.kinds.amplification.loss_tables import loss_tables
from portrayal.kinds.amplification.measures import (
    Amplified,
    amplified,
    dropping,
    reduction,
    taken_apart,
)
from portrayal.kinds.amplification.measuring import image_sources
from portrayal.kinds.amplification.paper_numbers import paper_numbers
from portrayal.kinds.amplification.schema import SUBSETS, AmplificationStudy, FaceRule, SubsetName
from portrayal.kinds.amplification.view import AmplificationView
from portrayal.measurers import is_valid, validity
from portrayal.numbers import percent

NAIVE: SubsetName = "naive"


def analyze_amplification(
    study: AmplificationStudy, data: Sequence[StudyData], settings: AnalysisSettings
) -> StudyResult:
    """Answer an amplification study.

    Args:
        study: The study.
        data: Its images, once for each encoder that looked at them.
        settings: How.
    """
    audit = data[0].audit
    training = None if audit is None else training_audit(audit)
    selection = None if audit is None else read_selection(audit, study.name)
    if audit is None or training is None or selection is None:
        why = (
            "there are no training images to compare with; run the study with a corpus, "
            "the captions and images that the model was trained on"
        )
        nothing = [findings.no_answer(study, one, why, "") for one in data]
        return StudyResult(study.name, study.kind, study.title, nothing)
    rule = study.face_rule(data[0].generator)
    found: list[Finding] = []
    parts: list[Part] = []
    notes = list(_about(study, selection, audit, rule))
    for one in data:
        suffix = f" · {one.label}" if len(data) > 1 else ""
        if why := _invalid(study, one, audit):
            found.append(findings.no_answer(study, one, why, suffix))
            continue
        made, real = (
            look(side, one, study.axis_name, study.axis, rule) for side in (audit, training)
        )
        if made is None or real is None:
            why = unlabelled(study.axis_name, study.axis, one)
            found.append(findings.no_answer(study, one, why, suffix))
            continue
        view = AmplificationView(
            study, one, settings, suffix, selection, Counting(study, selection.table, made, real)
        )
        answers, shown, remarks = _answers(view)
        found += answers
        parts += shown
        notes += remarks
    if study.axis.shown_note:
        notes.append(study.axis.shown_note)
    return StudyResult(study.name, study.kind, study.title, found, parts, notes=notes)


def _invalid(study: AmplificationStudy, data: StudyData, audit: AuditFolder) -> str:
    """Say why a measurer's answers about one of the sides do not count; "" where they do."""
    for source in image_sources(study, audit):
        if not is_valid(data.encoder, source):
            return f"{validity(data.encoder)} only, not for those of {source.name}"
    return ""


@dataclass(frozen=True, slots=True)
class _Measured:
    """Amplification of every subset, switching occupations out and in."""

    excluded: dict[SubsetName, Amplified]
    included: dict[SubsetName, Amplified]


def _answers(view: AmplificationView) -> tuple[list[Finding], list[Part], list[str]]:
    measured = _measured(view)
    found = measured.excluded
    answers = [
        findings.amplification_finding(view, one, measured.included[name])
        for name, one in found.items()
    ]
    less: list[Finding] = []
    more: list[Finding] = []
    naive = found.get(NAIVE)
    if naive is not None:
        for name, one in found.items():
            if name != NAIVE:
                gap = reduction(naive, one, view.settings)
                less.append(findings.reduction_finding(view, name, gap))
        more += findings.correlation_findings(view, naive.comparison)
        world = findings.real_world_finding(view, naive.comparison)
        more += [world] if world else []
    shown = _parts(view, measured, answers, less, more)
    return (
        [*answers, *less, *more],
        [part for part in shown if part],
        _warnings(view, found),
    )


def _measured(view: AmplificationView) -> _Measured:
    excluded: dict[SubsetName, Amplified] = {}
    included: dict[SubsetName, Amplified] = {}
    for name in view.study.subsets:
        comparison = view.counting.compare(name)
        excluded[name] = amplified(comparison, view.settings)
        included[name] = amplified(comparison, view.settings, switching="include")
    return _Measured(excluded, included)


def _parts(
    view: AmplificationView,
    measured: _Measured,
    answers: Sequence[Finding],
    less: Sequence[Finding],
    more: Sequence[Finding],
) -> list[Part]:
    found, suffix = measured.excluded, view.suffix
    chosen = " and for the choice of occupations" if view.settings.resample == "units" else ""
    return [
        Forest.of(
            f"amplification{suffix}",
            f"Amplification by subset of the training data{suffix}",
            answers,
            note="Percentage points further from 50% than the training images, mean over "
            f"occupations and prompts, bias-corrected. Intervals account for the images of both "
            f"sides{chosen}.",
        ),
        tables.paper_table(view, found),
        Forest.of(
            f"reductions{suffix}",
            f"How much less than the naive comparison says{suffix}",
            less,
            note="Points of amplification that a better comparison takes away, occupation by "
            "occupation.",
        ),
        *tables.decomposition_tables(view, taken_apart(found, confidence=view.settings.confidence)),
        *(tables.scatter_part(view, one) for one in found.values()),
        tables.occupations_table(view, found),
        tables.numbers_table(view, found, measured.included),
        tables.similarity_table(view, found),
        tables.dropped_table(view, found),
        *indicator_tables(view, found),
        *loss_tables(view),
        *tables.caption_tables(view, found),
        *tables.paraphrase_tables(view),
        tables.sides_part(view, found),
        *paper_numbers(view, found, more),
    ]


def _warnings(view: AmplificationView, found: Mapping[SubsetName, Amplified]) -> list[str]:
    """Warn of subsets in which the two sides lose clearly different shares of their images."""
    gaps = {
        name: dropping(one.comparison, confidence=view.settings.confidence)
        for name, one in found.items()
    }
    return [
        f"Warning: {SUBSETS[name].title}: {percent(gap.generated)} of generated and "
        f"{percent(gap.training)} of training images are dropped{view.suffix}. The filters treat "
        "the two sides differently, which may move percentages; the table of what was dropped "
        "gives the reasons."
        for name, gap in gaps.items()
        if gap.clear
    ]


def _about(
    study: AmplificationStudy, selection: Selection, audit: AuditFolder, rule: FaceRule | None
) -> Iterator[str]:
    """Say what the numbers rest on, whatever the encoder."""
    about = selection.about
    yield (
        f"Training images: corpus {about['corpus']['name']}; captions with the occupation as a "
        f"whole word; indicators by {about['recogniser']['name']}; nearest captions by "
        f"{about['encoder']['name'] if about.get('encoder') else 'nobody'}."
    )
    if rule is None:
        yield (
            "No face detector was asked: these are painted images, which face detectors do not "
            "know. An image counts where the encoder finds it closer to a person than to an "
            "object."
        )
    else:
        detector = face_detector(audit)
        yield (
            f"An image counts where {detector.name if detector else 'a face detector'} finds "
            f"exactly one face of confidence {rule.confidence:g} that fills {percent(rule.size)} "
            "of its width and height"
            + (", and no other face of any size." if rule.rule == "paper" else ".")
        )
    cells = [cell for own in about.get("lost", {}).values() for cell in own.values()]
    if cells:
        dead, tried = sum(cell[1] for cell in cells), sum(cell[0] for cell in cells)
        yield (
            f"{dead:,} of {tried:,} sampled captions have a dead link and were replaced by the "
            "next ones; tables give the loss by indicator, and corrected shares."
        )
    drawn = [one for own in (study.drawn.captions.values() if study.drawn else ()) for one in own]
    if lost := sum(one.paraphrase == "" for one in drawn):
        yield (
            f"{lost} captions have no paraphrase that keeps the occupation and fits the text "
            "encoder; they are left out."
        )
    if long := sum(one.long for one in drawn):
        yield (
            f"{long} of {len(drawn)} captions are longer than the text encoder reads and were not "
            "used as prompts; generate with `truncate` to cut them instead."
        )
    matches = about.get("matches", {})
    if absent := [name for name, n in matches.items() if not n]:
        yield f"No caption names: {', '.join(absent)}."
    most = min(study.nearest_captions, study.captions, study.pool or study.captions)
    few = [name for name, n in matches.items() if 0 < n <= most]
    if few and any(SUBSETS[name].nearest for name in study.subsets):
        yield (
            f"Nearest are the {study.nearest_captions} captions closest to a prompt. So few name "
            f"{', '.join(few)} that all of them are taken either way: there nearest neighbours say "
            "what the naive comparison says."
        )
