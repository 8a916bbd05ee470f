"""Worlds for the distance from a target, and for the cells of two axes together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.cells import cell_shares
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.targets import target_distance
from portrayal.statistics.validation.worlds import (
    BOUNDARY,
    DISCRETE,
    KnownWorld,
    Told,
    prompt_counts,
)

_RESAMPLES = 399

Cells = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class TargetWorld:
    """Group shares beside a target that is known, or that is a sample of its own.

    Attributes:
        shares: Of the groups.
        target: Their shares in the target.
        prompts: How many; one: images are the units.
        images: Per prompt.
        icc: How much prompts differ.
        sampled: Whether the target is counts of as many prompts and images.
        unequal: Whether numbers of images per prompt are geometric, with this mean.
    """

    shares: tuple[float, ...]
    target: tuple[float, ...]
    prompts: int
    images: int
    icc: float = 0.0
    sampled: bool = False
    unequal: bool = False
    worlds: int = 4000
    estimator: str = "target_distance"

    @property
    def setting(self) -> str:
        """The world in a few words."""
        shares, target = (
            "/".join(f"{100 * one:.0f}" for one in part) for part in (self.shares, self.target)
        )
        against = "sampled " if self.sampled else ""
        return f"{shares} v {against}{target}, {_size(self)}, ICC {self.icc}"

    @property
    def truth(self) -> float:
        """The total variation distance of the shares themselves."""
        return float(np.abs(np.subtract(self.shares, self.target)).sum() / 2)

    @property
    def null(self) -> bool:
        """Whether the shares are those of the target."""
        return self.truth < 1e-12

    @property
    def reason(self) -> str:
        """No distance is below 0; few images, or two samples of four prompts, have few outcomes.

        Where 0 is within two standard errors of the truth, most intervals begin at 0 and can miss
        on one side only.
        """
        if self.truth <= 2 * self._error:
            return BOUNDARY
        few = self.images <= 30 if self.prompts == 1 else self.sampled and self.prompts == 4
        return DISCRETE if few else ""

    @property
    def _error(self) -> float:
        """Standard error of the share of one half of the images, of both sides where sampled."""
        # An image of prompts of geometric sizes has 2 m - 1 in its prompt on average, not m.
        together = 2 * self.images - 1 if self.unequal else self.images
        effect = 1 + (together - 1) * self.icc
        samples = 2 if self.sampled else 1
        return math.sqrt(samples * effect / (self.prompts * self.images)) / 2

    def told(self, rng: np.random.Generator) -> Told | None:
        """Draw prompts and images."""
        images = _images(self, rng)
        counts = prompt_counts(self.shares, self.prompts, images, self.icc, rng)
        target: tuple[float, ...] | FloatArray = self.target
        if self.sampled:
            target = prompt_counts(self.target, self.prompts, self.images, self.icc, rng)
        found = target_distance(
            counts, target, by_prompt=self.prompts > 1, resamples=_RESAMPLES, rng=rng
        )
        if found is None:
            return None
        return Told(found.distance, *found.interval, self.truth, found.p_value)


@dataclass(frozen=True, slots=True)
class CellWorld:
    """Two axes together; every world asks for one of the cells, all equally often.

    Attributes:
        name: The table in words.
        cells: Shares of the cells: rows of one axis, columns of the other.
        prompts: How many; one: images are the units.
        images: Per prompt.
        icc: How much prompts differ.
        unequal: Whether numbers of images per prompt are geometric, with this mean.
    """

    name: str
    cells: Cells
    prompts: int
    images: int
    icc: float = 0.0
    worlds: int = 4000
    unequal: bool = False
    estimator: str = "cell_shares"
    null: bool = False

    @property
    def setting(self) -> str:
        """The world in a few words."""
        shape = f"{len(self.cells)} x {len(self.cells[0])}"
        return f"{self.name}, {shape}, {_size(self)}, ICC {self.icc}"

    @property
    def reason(self) -> str:
        """Cells of few images have few outcomes, and most are near 0."""
        least = min(min(row) for row in self.cells) * self.prompts * self.images
        return DISCRETE if least <= 5 else ""

    def told(self, rng: np.random.Generator) -> Told | None:
        """Draw prompts and images."""
        table = np.array(self.cells)
        counts = prompt_counts(table.ravel(), self.prompts, _images(self, rng), self.icc, rng)
        shaped = counts.reshape(self.prompts, *table.shape)
        found = cell_shares(shaped, by_prompt=self.prompts > 1)
        if found is None:
            return None
        at = np.unravel_index(int(rng.integers(table.size)), table.shape)
        ends = float(found.intervals.low[at]), float(found.intervals.high[at])
        # Cells differ in their shares: all are told as distances from the truth.
        value, truth = float(found.shares[at]), float(table[at])
        return Told(value - truth, ends[0] - truth, ends[1] - truth, 0.0)


def _size(world: TargetWorld | CellWorld) -> str:
    images = f"geometric {world.images}" if world.unequal else f"{world.images}"
    return f"{world.prompts} prompts x {images}"


def _images(world: TargetWorld | CellWorld, rng: np.random.Generator) -> int | NDArray[np.int64]:
    if not world.unequal:
        return world.images
    return rng.geometric(1 / world.images, world.prompts)


def _table(
    rows: FloatArray, columns: FloatArray, tie: float = 0.0
) -> tuple[tuple[float, ...], ...]:
    """Return cells with these shares of the axes, moved to the diagonal as far as `tie` says."""
    product = np.outer(rows, columns)
    diagonal = np.eye(len(rows), len(columns)) * product.sum() / min(len(rows), len(columns))
    mixed = (1 - tie) * product + tie * diagonal
    return tuple(tuple(float(one) for one in row) for row in mixed)


def settings() -> list[KnownWorld]:
    """Return the worlds: known and sampled targets; axes with nothing and much to do together."""
    even2, even3, even4 = (0.5, 0.5), (1 / 3,) * 3, (0.25,) * 4
    rare = (0.9, 0.05, 0.05)
    half = np.array(even2)
    tones = np.array([0.6, 0.25, 0.15])
    monk = np.array([0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.04, 0.03, 0.02, 0.02])
    return [
        TargetWorld(even2, even2, 1, 30),
        TargetWorld(even4, even4, 1, 100),
        TargetWorld((0.7, 0.3), even2, 1, 30),
        TargetWorld((0.7, 0.3), even2, 1, 200),
        TargetWorld((0.55, 0.45), even2, 1, 200),
        TargetWorld((0.6, 0.2, 0.1, 0.1), even4, 1, 100),
        TargetWorld((0.3, 0.3, 0.2, 0.2), even4, 1, 100),
        TargetWorld(even2, even2, 8, 9, 0.3),
        TargetWorld(even4, even4, 12, 9, 0.3),
        TargetWorld((0.8, 0.2), even2, 8, 9, 0.3),
        TargetWorld((0.7, 0.3), even2, 4, 30, 0.3),
        TargetWorld((0.6, 0.2, 0.1, 0.1), even4, 12, 9, 0.3),
        TargetWorld((0.9, 0.1), (0.6, 0.4), 20, 9, 0.2),
        TargetWorld(even2, even2, 8, 9, 0.3, sampled=True),
        TargetWorld((0.5, 0.3, 0.2), (0.5, 0.3, 0.2), 1, 100, sampled=True),
        TargetWorld((0.8, 0.2), even2, 8, 9, 0.3, sampled=True),
        TargetWorld((0.5, 0.3, 0.2), (0.2, 0.3, 0.5), 1, 100, sampled=True),
        TargetWorld((0.6, 0.2, 0.1, 0.1), even4, 12, 9, 0.3, sampled=True),
        TargetWorld(even3, even3, 4, 20, 0.1, unequal=True, worlds=2000),
        TargetWorld(even4, even4, 12, 20, 0.2, unequal=True, worlds=2000),
        TargetWorld(rare, rare, 12, 20, 0.1, unequal=True, worlds=2000),
        TargetWorld(even3, even3, 50, 9, 0.2, unequal=True, worlds=2000),
        TargetWorld((0.6, 0.2, 0.1, 0.1), even4, 12, 20, 0.2, unequal=True, worlds=2000),
        TargetWorld((0.6, 0.3, 0.1), even3, 1, 150, worlds=2000),
        TargetWorld((0.62, 0.27, 0.11), even3, 20, 9, 0.1, worlds=2000),
        TargetWorld((0.62, 0.27, 0.11), even3, 20, 9, 0.1, unequal=True, worlds=2000),
        CellWorld("apart", _table(half, tones), 1, 100),
        CellWorld("apart", _table(half, tones), 12, 9, 0.3),
        CellWorld("apart", _table(half, monk), 1, 200),
        CellWorld("apart", _table(half, monk), 20, 9, 0.2),
        CellWorld("tied", _table(half, tones, 0.3), 1, 100),
        CellWorld("tied", _table(half, tones, 0.3), 12, 9, 0.3),
        CellWorld("tied", _table(half, half, 0.6), 1, 60),
        CellWorld("tied", _table(half, half, 0.6), 8, 9, 0.3),
        CellWorld("tied", _table(tones, tones, 0.2), 1, 300),
        CellWorld("tied", _table(tones, tones, 0.2), 20, 9, 0.1),
        CellWorld("apart", _table(half, tones), 12, 9, 0.3, worlds=2000, unequal=True),
        CellWorld("tied", _table(half, tones, 0.3), 12, 9, 0.3, worlds=2000, unequal=True),
        CellWorld("tied", _table(half, tones, 0.3), 20, 12, 0.1, worlds=2000, unequal=True),
    ]
