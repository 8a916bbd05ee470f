"""Both sides of a study seen by the same measurers: encoders, and a face detector where one is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from portrayal.audit import Audit
from portrayal.audit.selections import training_audit
from portrayal.measurement import Encoder, MeasurementSummary, measure
from portrayal.measurement.faces import FaceMeasurer, open_face_detector
from portrayal.study import Study
from portrayal.study.amplification import AmplificationStudy

OnProgress = Callable[[str, int, int], None]


def face_measurers(studies: Sequence[Study], audit: Audit) -> list[FaceMeasurer]:
    """Open the face detectors that studies want for an audit's pictures."""
    rules = (
        study.face_rule(audit.generator)
        for study in studies
        if isinstance(study, AmplificationStudy)
    )
    names = dict.fromkeys(rule.detector for rule in rules if rule is not None)
    return [open_face_detector(name) for name in names]


def measure_sides(
    audit: Audit,
    studies: Sequence[Study],
    encoders: Sequence[Encoder],
    *,
    on_progress: OnProgress,
) -> list[MeasurementSummary]:
    """Let encoders see the training side, and face detectors both sides.

    Args:
        audit: The audit; its own pictures have been embedded already.
        studies: Studies of the audit; those of other kinds have one side.
        encoders: Who embeds.
        on_progress: Called with what, done and total.
    """
    own = [study for study in studies if isinstance(study, AmplificationStudy)]
    training = training_audit(audit)
    if not own or training is None:
        return []
    prompts = list(dict.fromkeys(prompt.text for study in own for prompt in study.prompts()))
    detectors = face_measurers(own, audit)

    def told(what: str) -> Callable[[int, int], None]:
        return lambda done, total: on_progress(what, done, total)

    found = [
        measure(training, [one], on_progress=told("training pictures measured")) for one in encoders
    ]
    found += [measure(training, [one], on_progress=told("faces in training")) for one in detectors]
    found += [
        measure(audit, [one], prompts=prompts, on_progress=told("faces")) for one in detectors
    ]
    return found
