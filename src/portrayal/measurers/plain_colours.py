"""Whether an encoder has learned anything: eight plain colours beside their names.

Weights that were never trained embed images and texts all the same, and what is computed from such
embeddings looks like any other number. So an encoder that nothing is known of is shown eight plain
images before it measures an audit's own. Encoders trained on captions of the web name such colours
reliably (Arias, Baldrich and Vanrell 2025; black, white and grey, which they name badly, are left
out).
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.errors import MeasurementError
from portrayal.measurers.encoders import TowerEncoder
from portrayal.measurers.protocol import Measurer
from portrayal.measurers.registry import is_for_all_images

COLOURS = {
    "red": "#ff0000",
    "orange": "#ff8c00",
    "yellow": "#ffe600",
    "green": "#009600",
    "blue": "#0000ff",
    "purple": "#800080",
    "pink": "#ffa0c8",
    "brown": "#6e3c14",
}

LEVEL = 0.01
"""Encoders that are trained are far below it; one in a hundred with random weights is."""

_SIDE = 224
_ROUNDING = 1e-6


def require_trained(measurer: Measurer) -> None:
    """Raise where an encoder matches plain colours with their names no better than chance.

    Other measurers, and encoders that are valid for some images only, are not tried.

    Raises:
        MeasurementError: It matches them no better; its labels would mean nothing.
    """
    if not isinstance(measurer, TowerEncoder) or not is_for_all_images(measurer.identity):
        return
    p = colours_p_value(measurer)
    if p > LEVEL:
        raise MeasurementError(
            f"{measurer.identity.name}: refused as unfit: it matches {len(COLOURS)} plain colours "
            f"with their names no better than chance (p = {p:.2g}; allowed: up to {LEVEL}), like "
            "weights that are not trained; name another with `measurers`, or show that its labels "
            "are right: portrayal validate MEASURER IMAGES --truth labels.csv"
        )


def colours_p_value(encoder: TowerEncoder) -> float:
    """Return how often colours matched with names at random fit at least as well as the true ones.

    All 40,320 ways to match eight colours with eight names are tried; a match's fit is the sum of
    its cosines. What an image or a text has in common with all others does not change the answer.
    1 where an embedding is missing or has no direction.
    """
    images = [Image.new("RGB", (_SIDE, _SIDE), value) for value in COLOURS.values()]
    answers = [one.get("embedding") for one in encoder.measure(images) if isinstance(one, dict)]
    if len(answers) < len(COLOURS):
        return 1.0
    texts = encoder.embed_texts([f"a plain {name} background" for name in COLOURS])
    cosines = _directions(np.array(answers)) @ _directions(texts.vectors).T
    if not np.isfinite(cosines).all():
        return 1.0
    fits = cosines[np.arange(len(COLOURS)), _orders()].sum(axis=1)
    return float(np.mean(fits >= fits[0] - _ROUNDING))  # the first order is the true one


@functools.cache
def _orders() -> npt.NDArray[np.int64]:
    return np.array(list(itertools.permutations(range(len(COLOURS)))))


def _directions(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    with np.errstate(invalid="ignore"):  # a vector of zeros has no direction
        return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True))
