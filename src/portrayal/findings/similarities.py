"""Every similarity behind a study's groups: one row for each image, axis and possible answer.

For export, not for results.json: an ENTIGEN study has tens of thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, StudyError, one_of
from portrayal.findings.axis_views import axis_view
from portrayal.findings.data import AuditData
from portrayal.findings.measurers import measurer_names
from portrayal.findings.settings import AnalysisSettings
from portrayal.records import Identity
from portrayal.studies import Study

COLUMNS = (
    "key", "prompt", "seed", "encoder", "axis", "answer", "similarity", "probability", "person",
    "label",
)  # fmt: skip
"""Columns of every row; the study's factors follow."""


def similarities(
    audit: AuditFolder, study: Study, encoder: Identity | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the cosine and the probability of every possible answer for every image.

    `person` is the similarity with a person minus that with an object, None without a filter;
    `label` is what the image was counted as: a group, "unknown", or "nobody".

    Args:
        audit: The audit.
        study: A study with axes.
        encoder: Whose embeddings; None: those of all encoders.

    Raises:
        StudyError: The study has no axes.
        AuditError: The encoder measured no image of this audit, or did not embed the axes' texts.
    """
    axes = study.asked_axes()
    if not axes:
        raise StudyError(
            f"{study.name}: a study of kind {study.kind!r} has no axes to compare with"
        )
    known = [one for one in audit.measurers() if "embedding" in audit.columns(one)]
    chosen = known if encoder is None else [one for one in known if one == encoder]
    if not chosen:
        asked = "no encoder" if encoder is None else f"not the encoder {encoder.name!r}"
        raise AuditError(
            f"{audit.path}: {asked} has looked at the images; "
            f"allowed: {one_of([one.name for one in known]) or 'none yet, run: portrayal measure'}"
        )
    prompts = study.prompts()
    shared = AuditData(
        audit, (prompt.text for prompt in prompts), study.texts(), axes=axes.values()
    )
    factors = {prompt.text: dict(prompt.factors) for prompt in prompts}
    for one, label in zip(chosen, measurer_names(chosen), strict=True):
        data = shared.of_study(prompts, one, label=label)
        for name, axis in axes.items():
            view = axis_view(study, name, axis, data, AnalysisSettings(), suffix="")
            if view is None:
                raise AuditError(
                    f"{audit.path}: the encoder {label} has not read the texts of the axis "
                    f"{name!r}; run: portrayal measure"
                )
            found, images = view.labels, view.images
            if found.similarities is None:
                continue  # labels of the measurer's own
            for i, (key, prompt, seed) in enumerate(
                zip(images.keys, images.prompts, images.seeds, strict=True)
            ):
                person = None if found.person is None else float(found.person[i])
                start: Sequence[Any] = (key, prompt, seed, label, name)
                for j, answer in enumerate(found.groups):
                    numbers = (float(found.similarities[i, j]), float(found.probabilities[i, j]))
                    values = (*start, answer, *numbers, person, str(found.labels[i]))
                    yield {**dict(zip(COLUMNS, values, strict=True)), **_own(factors[prompt])}


def _own(factors: dict[str, str]) -> dict[str, str]:
    """Return factors under names that no column has."""
    return {f"factor_{name}" if name in COLUMNS else name: x for name, x in factors.items()}
