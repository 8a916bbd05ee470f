"""What a contrast of an association study says in a line."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from portrayal.findings import Bar, FloatArray, Headline, Images
from portrayal.kinds.association.concepts import ConceptImages
from portrayal.kinds.association.view import Poles
from portrayal.statistics import AssociationResult


def contrast_headline(
    x: ConceptImages, y: ConceptImages, poles: Poles, result: AssociationResult, d: float
) -> Headline:
    """Return the headline of a contrast.

    Args:
        x: The first concept's images.
        y: The second's.
        poles: The attributes.
        result: The test.
        d: Its effect size.
    """
    more, less = (x.name, y.name) if d >= 0 else (y.name, x.name)
    return Headline(
        claim=f"Images of {more} look more {poles.first} than images of {less}",
        otherwise=f"No significant difference between {x.name} and {y.name}",
        measure=f"mean similarity to {poles.first} images minus that to {poles.second} images "
        f"(right: more {poles.first})",
        magnitude=float(2 * stats.norm.cdf(abs(d) / math.sqrt(2)) - 1),
        bars=[
            _bar(x.name, x.neutral, result.x_associations),
            _bar(y.name, y.neutral, result.y_associations),
        ],
    )


def contrast_sentence(x: str, y: str, poles: Poles, d: float) -> str:
    """Return what was compared with what, in one sentence."""
    more, less = (x, y) if d >= 0 else (y, x)
    return (
        f"Compared with images of {less}, images of {more} are closer to the model's images "
        f"for “{poles.first}” than to those for “{poles.second}”."
    )


def _bar(label: str, images: Images, associations: FloatArray) -> Bar:
    return Bar(label, float(np.mean(associations)), n=images.n, prompts=images.prompts)
