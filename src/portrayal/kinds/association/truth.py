"""What an association study would find with many images: associations need an encoder's view.

The images of a pool enter the analysis where those of an audit folder would: as `ConceptImages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from portrayal.errors import StudyError
from portrayal.findings import AnalysisSettings, Finding, Images, StudyData
from portrayal.generators import Pool
from portrayal.kinds import Truth, rounded
from portrayal.kinds.association.concepts import ConceptImages
from portrayal.kinds.association.contrasts import contrast_findings
from portrayal.kinds.association.leanings import concept_finding, vector_findings
from portrayal.kinds.association.schema import NEUTRAL, AssociationStudy
from portrayal.kinds.association.view import View

IntArray = npt.NDArray[np.int64]


def association_truths(study: AssociationStudy, pool: Pool) -> list[Truth]:
    """Return what an association study finds in a whole pool, by the study's own formulas."""
    # p-values are not told, so one split is enough; simultaneous intervals need their resamples.
    view = view_of(study, pool, AnalysisSettings(resample="images", resamples=1))
    concepts = everything(sides_of(study, pool), pool)
    poles = view.poles()
    findings = [
        finding
        for contrast in study.contrasts
        for pole in poles
        for finding in contrast_findings(view, contrast, pole, concepts)
    ]
    if len(poles) == 1:
        findings += [concept_finding(view, c, poles[0], tested=False) for c in concepts.values()]
    else:
        view = replace(view, settings=replace(view.settings, resamples=9999))
        findings += [f for concept in concepts.values() for f in vector_findings(view, concept)]
    return [_truth(finding, f"{pool.samples} per prompt") for finding in findings]


def _truth(finding: Finding, how: str) -> Truth:
    if finding.estimate is None:
        raise StudyError(f"{finding.study}: {finding.sentence}")
    low, value, high = (rounded(one) for one in (finding.low, finding.estimate, finding.high))
    return Truth(finding.study, finding.question, finding.statistic, value, low, high, how)


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A stimulus with the pool's rows of its prompts, by attribute; "neutral" among them."""

    name: str
    rows: Mapping[str, tuple[int, ...]]


Sides = Mapping[str, Sequence[Stimulus]]
"""The stimuli of each concept."""

Seeds = Callable[[int], IntArray]
"""Which images of so many prompts are taken: prompts x images."""


def sides_of(study: AssociationStudy, pool: Pool) -> dict[str, list[Stimulus]]:
    """Return each concept's stimuli, with where the pool has their images.

    Raises:
        GenerationError: The pool lacks a prompt of the study.
    """
    found: dict[str, dict[str, dict[str, list[int]]]] = {name: {} for name in study.concepts}
    for prompt in study.prompts():
        of = prompt.factors
        stimulus = found[of["concept"]].setdefault(of["stimulus"], {})
        stimulus.setdefault(of["attribute"], []).append(pool.row(prompt.text))
    return {
        concept: [
            Stimulus(name, {attribute: tuple(rows) for attribute, rows in sets.items()})
            for name, sets in stimuli.items()
        ]
        for concept, stimuli in found.items()
    }


def everything(sides: Sides, pool: Pool) -> dict[str, ConceptImages]:
    """Return the audit that has all of the pool's images, each once."""

    def seeds(rows: int) -> IntArray:
        return np.tile(np.arange(pool.samples), (rows, 1))

    return {name: concept_images(name, stimuli, pool, seeds) for name, stimuli in sides.items()}


def concept_images(
    name: str, stimuli: Sequence[Stimulus], pool: Pool, seeds: Seeds
) -> ConceptImages:
    """Return the chosen images of a concept's stimuli."""
    sets = {attribute: _images(stimuli, attribute, pool, seeds) for attribute in stimuli[0].rows}
    return ConceptImages(name, sets.pop(NEUTRAL), sets)


def _images(stimuli: Sequence[Stimulus], attribute: str, pool: Pool, seeds: Seeds) -> Images:
    rows = [row for stimulus in stimuli for row in stimulus.rows[attribute]]
    # Numbered: a stimulus that was drawn twice is two units.
    units = [
        f"{place} {stimulus.name}"
        for place, stimulus in enumerate(stimuli)
        for _ in stimulus.rows[attribute]
    ]
    chosen = seeds(len(rows))
    each = chosen.shape[1]
    return Images(
        keys=("",) * chosen.size,
        prompts=tuple(pool.prompts[row] for row in rows for _ in range(each)),
        seeds=tuple(chosen.ravel().tolist()),
        units=tuple(unit for unit in units for _ in range(each)),
        places=np.arange(chosen.size),
        source=pool.vectors[np.array(rows)[:, None], chosen]
        .reshape(chosen.size, -1)
        .astype(np.float64),
        n_missing=0,
    )


def view_of(study: AssociationStudy, pool: Pool, settings: AnalysisSettings) -> View:
    """Return the study as the pool's encoder sees it, without images: these are drawn."""
    data = StudyData(
        generator=pool.generator, encoder=pool.encoder, label=pool.encoder.name, wanted=0,
        dropped={}, unused=0, vectors=None, usable={}, texts={},
    )  # fmt: skip
    return View(study, data, settings, "")
