"""Images whose associations are known: level, coverage and power of the association tests.

Images are directions in a plane, placed so that an image's association with the attributes is the
number that was drawn for it. Attribute images scatter around two axes at right angles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.association import association_test
from portrayal.statistics.concept import multi_association, single_association
from portrayal.statistics.precision import Resample
from portrayal.statistics.samples import ConceptEmbeddings, Embeddings
from portrayal.statistics.validation.worlds import KnownWorld, Told

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
        setting: In a few words.
        prompts: Of X and of Y.
        ratio: Spread of X's prompts over that of Y's.
        shift: True difference of mean associations, in spreads of Y's prompts.
        images: Per prompt; they scatter around it half as much as Y's prompts do.
        attributes: Images per attribute.
        own: Whether each concept has attribute images of its own.
        shape: How prompts scatter.
        what: The score S, the effect size d, or X's association alone.
        given: Whether the prompts are the same in all worlds, and only images a sample.
    """

    setting: str
    prompts: tuple[int, int]
    ratio: float = 1.0
    shift: float = 0.0
    images: int = 3
    attributes: int = 24
    own: bool = False
    shape: Literal["normal", "t", "skewed", "exponential"] = "normal"
    what: Literal["S", "d", "single"] = "S"
    given: bool = False
    worlds: int = 4000
    reason: str = ""

    @property
    def estimator(self) -> str:
        """The function and what of it."""
        return "single_association" if self.what == "single" else f"association_test {self.what}"

    @property
    def null(self) -> bool:
        """Whether there is no difference."""
        return self.shift == 0

    def centres(self, side: int, rng: np.random.Generator) -> FloatArray:
        """Return the associations of prompts of concept X (0) or Y (1)."""
        if self.given:
            rng = np.random.default_rng([side, *self.prompts])
        shape = self.prompts[side]
        if self.shape == "normal":
            scatter = rng.normal(size=shape)
        elif self.shape == "t":
            scatter = rng.standard_t(4.0, size=shape) / math.sqrt(2.0)
        else:
            size = 4.0 if self.shape == "skewed" else 1.0
            scatter = (rng.gamma(size, size=shape) - size) / math.sqrt(size)
        scale = _SPREAD * (self.ratio if side == 0 else 1.0)
        centre = _SPREAD * self.shift if side == 0 else 0.0
        if self.given:
            scatter = scatter - scatter.mean()
        return np.asarray(centre + scale * scatter)

    def scores(self, side: int, rng: np.random.Generator) -> FloatArray:
        """Return associations, (prompts, images), of concept X (0) or Y (1)."""
        centres = self.centres(side, rng)[:, None]
        noise = 0.5 * _SPREAD * rng.normal(size=(self.prompts[side], self.images))
        return np.clip(centres + noise, -1.4, 1.4)

    @property
    def truth(self) -> float:
        """What endless prompts, images and attribute images would show."""
        score = _FOUND * _SPREAD * self.shift
        if self.what != "d":
            return score
        numbers = [self.images * count for count in self.prompts]
        variances = [self.ratio**2 + 0.25, 1.25]
        if self.given:
            unused = np.random.default_rng(0)
            spreads = [float(self.centres(side, unused).var()) for side in (0, 1)]
            variances = [one / _SPREAD**2 + 0.25 for one in spreads]
        pooled = sum((n - 1) * v for n, v in zip(numbers, variances, strict=True))
        return score / (_FOUND * _SPREAD * math.sqrt(pooled / (sum(numbers) - 2)))

    def told(self, rng: np.random.Generator) -> Told:
        """Draw prompts and images, prompts as units."""
        x, y = (self.scores(side, rng) for side in (0, 1))
        x_a, x_b = (turned(axis, self.attributes, rng) for axis in (0.0, math.pi / 2.0))
        y_a, y_b = x_a, x_b
        if self.own:
            y_a, y_b = (turned(axis, self.attributes, rng) for axis in (0.0, math.pi / 2.0))
        one, other = (
            Embeddings(placed(scores), np.repeat(np.arange(len(scores)), self.images))
            for scores in (x, y)
        )
        resample: Resample = "images" if self.given else "units"
        if self.what == "single":
            alone = single_association(one, x_a, x_b, resample=resample)
            return Told(alone.score, *alone.interval, self.truth, alone.p_value)
        found = association_test(
            ConceptEmbeddings(one, x_a, x_b),
            ConceptEmbeddings(other, y_a, y_b),
            resample=resample,
        )
        if self.what == "d":
            ends = found.effect_interval
            return Told(found.effect_size_corrected, *ends, self.truth, found.p_value)
        return Told(found.score, *found.interval, self.truth, found.p_value)


@dataclass(frozen=True, slots=True)
class ManyAttributesWorld:
    """One concept and several attributes, at equal angles from each other in a half plane.

    Attributes:
        prompts: Of the concept.
        attributes: How many.
        images: Per prompt; attributes have as many as the concept.
        lean: Angle of the concept.
    """

    prompts: int
    attributes: int
    images: int = 3
    lean: float = 0.5
    worlds: int = 1000
    estimator: str = "multi_association"
    null: bool = False
    reason: str = ""

    @property
    def setting(self) -> str:
        """In a few words."""
        return f"{self.prompts} prompts x {self.images}, {self.attributes} attributes, all together"

    def told(self, rng: np.random.Generator) -> Told:
        """Draw prompts and images; of the intervals, tell the one nearest to missing its truth."""
        axes = np.arange(self.attributes) * math.pi / self.attributes
        n = self.prompts * self.images
        each = np.repeat(0.3 * rng.normal(size=self.prompts), self.images)
        angles = self.lean + each + 0.2 * rng.normal(size=n)
        found = multi_association(
            Embeddings(_directions(angles), np.repeat(np.arange(self.prompts), self.images)),
            {str(k): turned(axis, n, rng) for k, axis in enumerate(axes)},
            resamples=999,
            rng=rng,
        )
        cosines = _FOUND * math.exp(-(0.3**2 + 0.2**2) / 2.0) * np.cos(self.lean - axes)
        truth = cosines - cosines.mean()
        low, high = np.array(found.intervals).T
        out = np.abs(truth - (low + high) / 2) / np.maximum((high - low) / 2, 1e-12)
        at = int(out.argmax())
        return Told(float(found.scores[at]), float(low[at]), float(high[at]), float(truth[at]))


def settings() -> tuple[KnownWorld, ...]:
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
        AssociationWorld("4 v 12, exponential", (4, 12), 1.0, shape="exponential"),
        AssociationWorld("12 v 12, exponential", (12, 12), 2.5, shape="exponential"),
        AssociationWorld("4 v 12, difference", (4, 12), 2.5, 2.0),
        AssociationWorld("9 v 9, difference", (9, 9), 1.0, 1.5),
        AssociationWorld("9 v 9, large d", (9, 9), 1.0, 4.0, what="d"),
        AssociationWorld("9 v 9, d", (9, 9), 1.0, 2.4, what="d"),
        AssociationWorld("9 v 9, large d, heavy tails", (9, 9), 1.0, 4.0, shape="t", what="d"),
        AssociationWorld("25 v 25, large d", (25, 25), 1.0, 4.0, what="d"),
        AssociationWorld("4 v 4, large d", (4, 4), 1.0, 4.0, what="d"),
        AssociationWorld("4 v 12, d", (4, 12), 2.5, 2.0, what="d"),
        AssociationWorld("25 v 25, d", (25, 25), 1.0, 0.5, what="d"),
        AssociationWorld("25 v 25, large d, heavy tails", (25, 25), 1.0, 4.0, shape="t", what="d"),
        AssociationWorld("9 v 9, d, skewed", (9, 9), 1.0, 2.4, shape="skewed", what="d"),
        AssociationWorld("9 v 9, d, exponential", (9, 9), 1.0, 2.4, shape="exponential", what="d"),
        AssociationWorld("4 v 4, small d", (4, 4), 1.0, 1.0, what="d"),
        AssociationWorld("9 v 9, d, own attribute images", (9, 9), 1.0, 2.4, own=True, what="d"),
        AssociationWorld("4 v 12, X 0.4 times the spread, d", (4, 12), 0.4, 1.0, what="d"),
        AssociationWorld("9 v 9, given prompts", (9, 9), 1.0, given=True),
        AssociationWorld("4 v 4 of 10, given prompts, d", (4, 4), 1.0, 1.0, 10, given=True,
                         what="d"),
        AssociationWorld("9 v 9 of 10, given prompts, large d", (9, 9), 1.0, 3.0, 10, given=True,
                         what="d"),
        AssociationWorld("4 prompts", (4, 4), what="single"),
        AssociationWorld("9 given prompts of 10", (9, 9), images=10, given=True, what="single"),
        *(
            ManyAttributesWorld(prompts, attributes)
            for prompts in (4, 9, 25)
            for attributes in (3, 6)
        ),
        AssociationWorld("25 prompts", (25, 25), what="single"),
    )  # fmt: skip


def placed(scores: FloatArray) -> FloatArray:
    """Return directions whose mean cosine difference with the two axes is exactly the score."""
    return _directions(np.arccos(scores.ravel() / math.sqrt(2.0)) - math.pi / 4.0)


def turned(axis: float, count: int, rng: np.random.Generator) -> FloatArray:
    """Return attribute images: directions that scatter around an axis."""
    return _directions(axis + _TURN * rng.normal(size=count))


def _directions(angles: FloatArray) -> FloatArray:
    return np.column_stack([np.cos(angles), np.sin(angles)])
