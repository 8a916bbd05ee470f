"""Small audits of an association study, drawn from a pool of measured images.

The drawn images enter the analysis where those of an audit folder would: as `ConceptImages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from portrayal.findings.data import Images, StudyData
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.association.concepts import ConceptImages
from portrayal.kinds.association.schema import NEUTRAL, AssociationStudy
from portrayal.kinds.association.view import View
from portrayal_practice.calibration.pool import Pool
from portrayal_practice.errors import PracticeError

IntArray = npt.NDArray[np.int64]
_Seeds = Callable[[int], IntArray]
"""Which images of so many prompts are taken: prompts x images."""


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A stimulus with the pool's rows of its prompts, by attribute; "neutral" among them."""

    name: str
    rows: Mapping[str, tuple[int, ...]]


Sides = Mapping[str, Sequence[Stimulus]]
"""The stimuli of each concept."""


def sides_of(study: AssociationStudy, pool: Pool) -> dict[str, list[Stimulus]]:
    """Return each concept's stimuli, with where the pool has their images.

    Raises:
        PracticeError: The pool lacks a prompt of the study.
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


def shuffled(sides: Sides, rng: np.random.Generator) -> dict[str, list[Stimulus]]:
    """Deal all stimuli out to the concepts at random, as many to each as it had.

    Which side a stimulus is on then says nothing about it: a null that is true by construction.
    """
    union = [stimulus for stimuli in sides.values() for stimulus in stimuli]
    dealt = iter(rng.permutation(len(union)).tolist())
    return {concept: [union[next(dealt)] for _ in stimuli] for concept, stimuli in sides.items()}


def redrawn(sides: Sides, rng: np.random.Generator) -> dict[str, list[Stimulus]]:
    """Draw each concept's stimuli anew with replacement: other prompts of the same kind."""
    return {
        concept: [stimuli[i] for i in rng.integers(0, len(stimuli), len(stimuli))]
        for concept, stimuli in sides.items()
    }


def draw(
    sides: Sides, pool: Pool, *, images: int, rng: np.random.Generator
) -> dict[str, ConceptImages]:
    """Draw a small audit: so many images of every prompt, with replacement.

    Args:
        sides: The stimuli of each concept.
        pool: Where the images come from.
        images: Images per prompt, neutral or not.
        rng: Source of the draw.
    """
    if images < 1:
        raise PracticeError(f"images is {images}; allowed: 1 or more")

    def seeds(rows: int) -> IntArray:
        return rng.integers(0, pool.samples, (rows, images))

    return {name: _concept(name, stimuli, pool, seeds) for name, stimuli in sides.items()}


def everything(sides: Sides, pool: Pool) -> dict[str, ConceptImages]:
    """Return the audit that has all of the pool's images, each once."""

    def seeds(rows: int) -> IntArray:
        return np.tile(np.arange(pool.samples), (rows, 1))

    return {name: _concept(name, stimuli, pool, seeds) for name, stimuli in sides.items()}


def _concept(name: str, stimuli: Sequence[Stimulus], pool: Pool, seeds: _Seeds) -> ConceptImages:
    sets = {attribute: _images(stimuli, attribute, pool, seeds) for attribute in stimuli[0].rows}
    return ConceptImages(name, sets.pop(NEUTRAL), sets)


def _images(stimuli: Sequence[Stimulus], attribute: str, pool: Pool, seeds: _Seeds) -> Images:
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
        vectors=pool.vectors[np.array(rows)[:, None], chosen]
        .reshape(chosen.size, -1)
        .astype(np.float64),
        n_missing=0,
    )


def view_of(study: AssociationStudy, pool: Pool, settings: AnalysisSettings) -> View:
    """Return the study as the pool's encoder sees it, without images: these are drawn."""
    data = StudyData(
        generator=pool.generator, encoder=pool.encoder, label=pool.encoder.name, wanted=0,
        dropped={}, unused=0, vectors=pool.vectors[:0, 0], usable={}, texts={},
    )  # fmt: skip
    return View(study, data, settings, "")
