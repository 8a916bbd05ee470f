"""What a contrast of an association study says in a line."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from portrayal.findings import Alternative, Bar, Headline
from portrayal.kinds.association.concepts import ConceptImages
from portrayal.kinds.association.view import Poles
from portrayal.statistics import AssociationResult


def contrast_headline(
    x: ConceptImages,
    y: ConceptImages,
    poles: Poles,
    result: AssociationResult,
    d: float,
    alternative: Alternative,
) -> Headline:
    """Return the headline of a contrast.

    Args:
        x: The first concept's images.
        y: The second's.
        poles: The attributes.
        result: The test.
        d: Its effect size.
        alternative: Which sign of d was tested for.
    """
    more, less = (x.name, y.name) if d >= 0 else (y.name, x.name)
    return Headline(
        claim=f"Images of {more} look more {poles.first} than images of {less}",
        otherwise=_otherwise(x, y, poles, alternative),
        measure=f"share of images in the half that looks more {poles.first}, compared with the "
        f"model's own “{poles.first}” and “{poles.second}” images",
        magnitude=float(2 * stats.norm.cdf(abs(d) / math.sqrt(2)) - 1),
        bars=_bars(x, y, result),
        reading=f"{x.name} looks {'more' if d >= 0 else 'less'} {poles.first} than {y.name}, in "
        "standard deviations; beyond ±0.8: large",
    )


def _otherwise(x: ConceptImages, y: ConceptImages, poles: Poles, alternative: Alternative) -> str:
    """Return what is said without significance: of a one-sided test that it looked one way only."""
    if alternative == "two-sided":
        return f"No significant difference between {x.name} and {y.name}"
    more = "more" if alternative == "greater" else "less"
    return f"Not established that {x.name} looks {more} {poles.first} than {y.name}"


def contrast_sentence(
    x: ConceptImages, y: ConceptImages, poles: Poles, result: AssociationResult
) -> str:
    """Return in counts which concept's images look more like the first attribute's."""
    most, least = sorted(_bars(x, y, result), key=lambda bar: -(bar.value or 0.0))
    return (
        f"The half of all images that looks more {poles.first} contains {most.short} images of "
        f"{most.label} and {least.short} of {least.label}; if they looked alike, half of each."
    )


def _bars(x: ConceptImages, y: ConceptImages, result: AssociationResult) -> list[Bar]:
    """Return how many images of each concept are above the middle of all their associations.

    Associations have no natural zero (an encoder may place all images nearer to one attribute), so
    the concepts are compared with each other: alike, both have about half of their images above.
    """
    sides = ((x, result.x_associations), (y, result.y_associations))
    middle = float(np.median(np.concatenate([associations for _, associations in sides])))
    return [
        Bar.share(
            concept.name, int((associations > middle).sum()), len(associations),
            prompts=concept.neutral.prompts,
        )
        for concept, associations in sides
    ]  # fmt: skip
