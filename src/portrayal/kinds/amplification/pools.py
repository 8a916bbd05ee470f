"""Whose labels an amplification study rests on: generated images and training images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from portrayal.audit import AuditFolder, read_selection, training_audit
from portrayal.findings import LabelPool, StudyData
from portrayal.kinds.amplification.image_groups import (
    SHOWS_NOBODY,
    UNCLEAR,
    MeasuredImages,
    look,
)
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.studies import NOBODY, UNKNOWN


def amplification_pools(study: AmplificationStudy, data: StudyData) -> list[LabelPool]:
    """Return one pool per side: a measurer may err differently on each.

    Images that the face rule leaves out are in neither.
    """
    audit = data.audit
    training = None if audit is None else training_audit(audit)
    selection = None if audit is None else read_selection(audit, study.name)
    if audit is None or training is None or selection is None:
        return []
    rule = study.face_rule(data.generator)
    made, real = (look(side, data, study.axis_name, study.axis, rule) for side in (audit, training))
    if made is None or real is None:
        return []
    texts = {prompt.text: prompt.factors for prompt in study.prompts()}
    generated = ((text, key) for text in texts for key in made.listing.get(text, []))
    columns = (selection.table[name].to_pylist() for name in ("occupation", "key"))
    chosen = zip(*columns, strict=True)
    return [
        _pool(study, "generated images", made, generated, texts, (audit,)),
        _pool(study, "training images", real, chosen, {}, (training, audit)),
    ]


def _pool(
    study: AmplificationStudy,
    name: str,
    images: MeasuredImages,
    rows: Iterable[tuple[str, str]],
    factors: Mapping[str, Mapping[str, str]],
    audits: tuple[AuditFolder, ...],
) -> LabelPool:
    words = {UNCLEAR: UNKNOWN, SHOWS_NOBODY: NOBODY, **{one: one for one in images.groups}}
    cell: dict[str, str] = {}
    for prompt, key in rows:
        if images.labels.get(key) in words:
            cell.setdefault(key, prompt)
    return LabelPool(
        name, study.axis_name, tuple(study.axis.groups), tuple(cell),
        tuple(words[images.labels[key]] for key in cell), tuple(cell.values()),
        factors or {one: {} for one in cell.values()}, audits,
    )  # fmt: skip
