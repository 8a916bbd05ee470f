"""Small audits of an association study, drawn from a pool of measured images."""

from __future__ import annotations

import numpy as np

from portrayal.generators import Pool
from portrayal.kinds.association import ConceptImages, IntArray, Sides, Stimulus, concept_images
from portrayal_practice.errors import PracticeError


def shuffled(sides: Sides, rng: np.random.Generator) -> dict[str, list[Stimulus]]:
    """Deal all stimuli out to the concepts at random, as many to each as it had.

    Which side a stimulus is on then says nothing about it: a null that is true by construction.
    """
    union = [stimulus for stimuli in sides.values() for stimulus in stimuli]
    dealt = iter(rng.permutation(len(union)).tolist())
    return {concept: [union[next(dealt)] for _ in stimuli] for concept, stimuli in sides.items()}


def redrawn(sides: Sides, rng: np.random.Generator) -> dict[str, list[Stimulus]]:
    """Draw each concept's stimuli again with replacement: other prompts of the same kind."""
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

    return {name: concept_images(name, stimuli, pool, seeds) for name, stimuli in sides.items()}
