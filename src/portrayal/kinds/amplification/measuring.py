"""Both sides of a study seen by the same measurers: encoders, and a face detector where one is."""

from __future__ import annotations

from collections.abc import Sequence

from portrayal.audit import AuditFolder, read_selection, training_audit
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.measurers import (
    FaceMeasurer,
    MeasurementSummary,
    Measurer,
    measure,
    open_face_detector,
)
from portrayal.progress import OnProgress, counted
from portrayal.records import Identity


def face_measurers(studies: Sequence[AmplificationStudy], audit: AuditFolder) -> list[FaceMeasurer]:
    """Open the face detectors that studies want for an audit's images."""
    rules = (study.face_rule(audit.generator) for study in studies)
    names = dict.fromkeys(rule.detector for rule in rules if rule is not None)
    return [open_face_detector(name) for name in names]


def image_sources(study: AmplificationStudy, audit: AuditFolder) -> tuple[Identity, ...]:
    """Return who made the images of both sides, as far as the audit knows.

    Version 0.1 did not write down who made training images; there the generator speaks for them.
    """
    selection = read_selection(audit, study.name)
    if selection is None or "origin" not in selection.about:
        return (audit.generator,)
    corpus = Identity.from_dict(selection.about["corpus"])
    settings = {**corpus.settings, "origin": selection.about["origin"]}
    return (audit.generator, Identity(corpus.kind, corpus.name, settings))


def measure_sides(
    audit: AuditFolder,
    studies: Sequence[AmplificationStudy],
    measurers: Sequence[Measurer],
    *,
    on_progress: OnProgress,
) -> list[MeasurementSummary]:
    """Let measurers have the training side, and face detectors both sides.

    Args:
        audit: The audit; its own images have been measured already.
        studies: Studies of the audit.
        measurers: Those that measured the audit's own images.
        on_progress: Called with what, done and total.
    """
    training = training_audit(audit)
    if not studies or training is None:
        return []
    prompts = list(dict.fromkeys(prompt.text for study in studies for prompt in study.prompts()))
    detectors = face_measurers(studies, audit)

    found = [
        measure(training, [one], on_progress=counted(on_progress, "training images measured"))
        for one in measurers
    ]
    found += [
        measure(training, [one], on_progress=counted(on_progress, "faces in training"))
        for one in detectors
    ]
    found += [
        measure(audit, [one], prompts=prompts, on_progress=counted(on_progress, "faces"))
        for one in detectors
    ]
    return found
