"""Images whose associations are known: level, coverage and power of the association tests.

Images are directions in a plane, placed so that an image's association with the attributes is the
number that was drawn for it. Attribute images scatter around two axes at right angles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.association import association_test
from portrayal.statistics.concept import single_association
from portrayal.statistics.samples import ConceptEmbeddings, Embeddings
from portrayal.statistics.validation.worlds import ValidationRow

FloatArray = NDArray[np.float64]

_SPREAD = 0.1
_TURN = 0.5
"""Standard deviations of a prompt's association, and of the angle of an attribute image."""
_FOUND = math.exp(-(_TURN**2) / 2.0)
"""What is left of an association when attribute images scatter by that angle."""


@dataclass(frozen=True, slots=True)
class AssociationWorld:
    """Two concepts and their attribute images.

    Attributes:
        name: In a few words.
        prompts: Of X and of Y.
        ratio: Spread of X's prompts over that of Y's.
        shift: True difference of mean associations, in spreads of Y's prompts.
        images: Per prompt; they scatter around it half as much as Y's prompts do.
        attributes: Images per attribute.
        own: Whether each concept has attribute images of its own.
        shape: How prompts scatter.
        estimator: Of what: the score S, the effect size d, or X's association alone.
    """

    name: str
    prompts: tuple[int, int]
    ratio: float = 1.0
    shift: float = 0.0
    images: int = 3
    attributes: int = 24
    own: bool = False
    shape: Literal["normal", "t", "skewed"] = "normal"
    estimator: Literal["S", "d", "single"] = "S"

    def scores(self, side: int, rng: np.random.Generator) -> FloatArray:
        """Return associations, (prompts, images), of concept X (0) or Y (1)."""
        shape = (self.prompts[side], 1)
        if self.shape == "normal":
            scatter = rng.normal(size=shape)
        elif self.shape == "t":
            scatter = rng.standard_t(4.0, size=shape) / math.sqrt(2.0)
        else:
            scatter = (rng.gamma(4.0, size=shape) - 4.0) / 2.0
        scale = _SPREAD * (self.ratio if side == 0 else 1.0)
        centre = _SPREAD * self.shift if side == 0 else 0.0
        noise = 0.5 * _SPREAD * rng.normal(size=(self.prompts[side], self.images))
        return np.clip(centre + scale * scatter + noise, -1.4, 1.4)

    @property
    def truth(self) -> float:
        """What endless prompts, images and attribute images would show."""
        score = _FOUND * _SPREAD * self.shift
        if self.estimator != "d":
            return score
        numbers = [self.images * count for count in self.prompts]
        variances = [self.ratio**2 + 0.25, 1.25]
        pooled = sum((n - 1) * v for n, v in zip(numbers, variances, strict=True))
        return score / (_FOUND * _SPREAD * math.sqrt(pooled / (sum(numbers) - 2)))


def settings() -> tuple[AssociationWorld, ...]:
    """Return the worlds: unequal numbers and spreads, few prompts, attributes shared or not."""
    sizes = [(4, 12), (4, 4), (5, 20), (9, 9), (25, 25)]
    return (
        *(
            AssociationWorld(f"{x} v {y} prompts, X {r} times the spread{also}", (x, y), r, own=own)
            for x, y in sizes
            for r in (2.5, 1.0, 0.4)
            for own, also in ((False, ""), (True, ", own attribute images"))
            if r == 2.5 or x != y
        ),
        AssociationWorld("4 v 12, heavy tails", (4, 12), 2.5, shape="t"),
        AssociationWorld("9 v 25, skewed", (9, 25), 1.0, shape="skewed"),
        AssociationWorld("4 v 12, difference", (4, 12), 2.5, 2.0),
        AssociationWorld("9 v 9, difference", (9, 9), 1.0, 1.5),
        AssociationWorld("9 v 9, large d", (9, 9), 1.0, 4.0, estimator="d"),
        AssociationWorld("4 v 12, d", (4, 12), 2.5, 2.0, estimator="d"),
        AssociationWorld("25 v 25, d", (25, 25), 1.0, 0.5, estimator="d"),
        AssociationWorld("4 prompts", (4, 4), estimator="single"),
        AssociationWorld("25 prompts", (25, 25), estimator="single"),
    )


class _Told(NamedTuple):
    value: float
    low: float
    high: float
    p: float


def validate(world: AssociationWorld, *, worlds: int, rng: np.random.Generator) -> ValidationRow:
    """Simulate one setting, prompts as units.

    Rejection is that of `p_value`. The oracle's interval is as wide as the middle 95 % of the
    estimates.

    Args:
        world: The setting.
        worlds: How many to simulate.
        rng: Source of everything.
    """
    value, low, high, p = np.array([_told(world, rng) for _ in range(worlds)]).T
    truth = world.truth
    below, above = np.quantile(value, [0.025, 0.975])
    rejected = float((p <= 0.05).mean())
    name = "single_association" if world.estimator == "single" else "association_test"
    return ValidationRow(
        estimator=name if world.estimator == "single" else f"{name} {world.estimator}",
        setting=world.name,
        worlds=worlds,
        coverage=float(((low <= truth) & (truth <= high)).mean()),
        rejection=rejected if truth == 0 else math.nan,
        bias=float(value.mean() - truth),
        power=rejected if truth != 0 else math.nan,
        width_vs_oracle=float((high - low).mean() / (above - below)),
    )


def _told(world: AssociationWorld, rng: np.random.Generator) -> _Told:
    x, y = (world.scores(side, rng) for side in (0, 1))
    x_a, x_b = (_turned(axis, world.attributes, rng) for axis in (0.0, math.pi / 2.0))
    y_a, y_b = x_a, x_b
    if world.own:
        y_a, y_b = (_turned(axis, world.attributes, rng) for axis in (0.0, math.pi / 2.0))
    one, other = (
        Embeddings(_placed(scores), np.repeat(np.arange(len(scores)), world.images))
        for scores in (x, y)
    )
    if world.estimator == "single":
        alone = single_association(one, x_a, x_b)
        return _Told(alone.score, *alone.interval, alone.p_value)
    found = association_test(ConceptEmbeddings(one, x_a, x_b), ConceptEmbeddings(other, y_a, y_b))
    if world.estimator == "d":
        return _Told(found.effect_size_corrected, *found.effect_interval, found.p_value)
    return _Told(found.score, *found.interval, found.p_value)


def _placed(scores: FloatArray) -> FloatArray:
    """Return directions whose mean cosine difference with the two axes is exactly the score."""
    return _directions(np.arccos(scores.ravel() / math.sqrt(2.0)) - math.pi / 4.0)


def _turned(axis: float, count: int, rng: np.random.Generator) -> FloatArray:
    return _directions(axis + _TURN * rng.normal(size=count))


def _directions(angles: FloatArray) -> FloatArray:
    return np.column_stack([np.cos(angles), np.sin(angles)])
