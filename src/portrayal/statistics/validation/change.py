"""Worlds for what an intervention changes: diversity, bias, leaning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from portrayal.statistics.change import Unit, paired_change
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.leaning import leaning_change
from portrayal.statistics.validation.diversity import drawn_shares
from portrayal.statistics.validation.worlds import BOUNDARY, DISCRETE, Told

_RESAMPLES, _FEWEST = 399, 1
_MANY = 400_000
_USUAL = 30


@dataclass(frozen=True, slots=True)
class ChangeWorld:
    """The same attributes before and after, with shares of unknown images on both sides.

    Attributes:
        shares: Before, a name as `drawn_shares` takes it.
        attributes: How many.
        images: Of each, per side.
        toward_even: How far shares move to one half: 0 not at all, 1 all the way.
        toward_first: By how much all shares grow.
        flipped: Whether every second attribute shows the other group after.
        alike: Chance that both images of a seed are drawn together.
        unknown: Share of unknown images before and after.
        unit: What the answer generalises to.
        what: The change of diversity, of the mean bias, of one attribute's bias, or of the leaning.
        made_even: Of so many attributes one becomes even, and the others stay; 0 for none.
        cancelling: Whether the first attribute has the last one's share after, and so on.
    """

    shares: str
    attributes: int
    images: int
    toward_even: float = 0.0
    toward_first: float = 0.0
    flipped: bool = False
    alike: float = 0.0
    unknown: tuple[float, float] = (0.0, 0.0)
    unit: Unit = "image"
    what: Literal["diversity", "bias", "attribute", "leaning"] = "diversity"
    made_even: int = 0
    cancelling: bool = False
    worlds: int = 1000

    @property
    def estimator(self) -> str:
        """The function, what of it, and the unit."""
        if self.what == "leaning":
            return f"leaning_change ({self.unit})"
        if self.what == "attribute":
            return "paired_change, one attribute"
        return f"paired_change {self.what} ({self.unit})"

    @property
    def setting(self) -> str:
        """The world in a few words."""
        before, after = self.unknown
        parts = [
            f"{self.shares}, {self.attributes} x {self.images}",
            f"{self.toward_even:.0%} toward even" if self.toward_even else "",
            f"{self.toward_first:+.0%} first group" if self.toward_first else "",
            "majorities flip" if self.flipped else "",
            f"one of {self.made_even} becomes even" if self.made_even else "",
            "changes cancel" if self.cancelling else "",
            f"seeds alike {self.alike:.0%}" if self.alike else "",
            f"unknown {before:.0%} -> {after:.0%}" if before or after else "",
        ]
        return ", ".join(part for part in parts if part)

    @property
    def null(self) -> bool:
        """Whether nothing changes in what is asked, on average."""
        if self.what == "diversity":
            return not (self.toward_even or self.toward_first or self.made_even)
        return not (self.toward_even or self.toward_first or self.flipped)

    @property
    def reason(self) -> str:
        """No imbalance is below 0; few images of few attributes leave few values.

        Nine images do not tell 60 % from 50 %, where errors to one side only are possible.
        """
        share, moved = self.draw(40, np.random.default_rng(0))
        nearest = min(float(np.abs(side - 0.5).max()) for side in (share, moved))
        if nearest < 1e-9 or (nearest < 0.11 and self.images <= 9):
            return BOUNDARY
        return DISCRETE if self.attributes * self.images <= 40 else ""

    def draw(self, attributes: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw shares before and after."""
        share = drawn_shares(self.shares, attributes, rng)
        moved = 0.5 + (1 - self.toward_even) * (share - 0.5)
        moved = np.clip(moved + self.toward_first, 0, 1)
        if self.cancelling:
            moved = moved[::-1].copy()
        if self.made_even:
            moved[:: self.made_even] = 0.5
        if self.flipped:
            moved = np.where(np.arange(moved.size) % 2, 1 - moved, moved)
        return share, moved

    def told(self, rng: np.random.Generator) -> Told:
        """Draw shares and images."""
        share, moved = self.draw(self.attributes, rng)
        drawn = rng.random((2, share.size, self.images))
        drawn[1] = np.where(rng.random(drawn[0].shape) < self.alike, drawn[0], drawn[1])
        before = _groups(share, drawn[0], self.unknown[0], rng)
        after = _groups(moved, drawn[1], self.unknown[1], rng)
        bias = 2 * (moved - share)
        if self.what == "leaning":
            usual = 2 * rng.binomial(_USUAL, share) / _USUAL - 1
            leaning = leaning_change(
                before, after, usual, rng=rng, unit=self.unit, resamples=_RESAMPLES
            ).leaning
            weight = usual / max(np.abs(usual).sum(), 1e-9)
            truth = float(weight @ bias) if self.unit == "image" else _population(self).leaning
            return Told(leaning.value, *leaning.interval, truth, leaning.p_value)
        # Changes of diversity draw nothing at random.
        resamples = _FEWEST if self.what == "diversity" else _RESAMPLES
        found = paired_change(before, after, rng=rng, unit=self.unit, resamples=resamples)
        if self.what == "attribute":
            one = found.attributes[0].bias
            return Told(one.value, *one.interval, float(bias[0]), one.p_value)
        if self.what == "bias":
            found_bias = found.bias
            truth = float(bias.mean()) if self.unit == "image" else _population(self).bias
            return Told(found_bias.value, *found_bias.interval, truth, found_bias.p_value)
        truth = float((np.abs(2 * moved - 1) - np.abs(2 * share - 1)).mean())
        truth = truth if self.unit == "image" else _population(self).diversity
        score = found.diversity
        return Told(score.value, *score.interval, truth, score.p_value)


class _Population(NamedTuple):
    """What endless attributes would change by."""

    diversity: float
    bias: float
    leaning: float


@lru_cache(maxsize=128)
def _population(world: ChangeWorld) -> _Population:
    rng = np.random.default_rng(0)
    share, moved = world.draw(_MANY, rng)
    bias, usual = 2 * (moved - share), 2 * rng.binomial(_USUAL, share) / _USUAL - 1
    return _Population(
        float((np.abs(2 * moved - 1) - np.abs(2 * share - 1)).mean()),
        float(bias.mean()),
        float((usual * bias).mean() / np.abs(usual).mean()),
    )


def _groups(
    share: FloatArray, drawn: FloatArray, unknown: float, rng: np.random.Generator
) -> FloatArray:
    groups = (drawn < share[:, None]).astype(np.float64)
    groups[rng.random(groups.shape) < unknown] = np.nan
    return groups


def settings() -> list[ChangeWorld]:
    """Return the worlds: no change, changes, flips, unknown images on one side, paired seeds."""
    much, some = (0.05, 0.6), (0.0, 0.3)
    found = []
    for unit in ("image", "attribute"):
        found += [
            ChangeWorld("uniform", 4, 30, unit=unit),
            ChangeWorld("all 70 %", 12, 9, unit=unit),
            ChangeWorld("uniform", 8, 9, unit=unit),
            ChangeWorld("uniform", 25, 3, unit=unit),
            ChangeWorld("all 70 %", 25, 3, unit=unit),
            ChangeWorld("50 % or 95 %", 25, 9, unit=unit, worlds=4000),
            ChangeWorld("uniform", 12, 9, alike=0.5, unit=unit),
            ChangeWorld("all 90 %", 25, 9, alike=0.5, unit=unit),
            ChangeWorld("all 70 %", 12, 9, alike=0.5, unit=unit),
            ChangeWorld("all 50 %", 25, 9, unknown=much, unit=unit),
            ChangeWorld("all 70 %", 25, 9, unknown=much, unit=unit),
            ChangeWorld("uniform", 8, 9, unknown=much, unit=unit),
            ChangeWorld("all 70 %", 25, 9, unknown=some, unit=unit),
            ChangeWorld("all 70 %", 12, 9, flipped=True, unit=unit),
            ChangeWorld("all 90 %", 8, 9, flipped=True, unit=unit),
            ChangeWorld("uniform", 12, 9, toward_even=0.5, unit=unit),
            ChangeWorld("uniform", 25, 9, toward_even=0.5, unit=unit),
            ChangeWorld("all 90 %", 12, 9, toward_even=0.75, unit=unit),
            ChangeWorld("all 90 %", 25, 3, toward_even=0.75, unit=unit),
            ChangeWorld("Beta(2, 2)", 12, 30, toward_first=0.15, unit=unit),
            ChangeWorld("all 100 %", 8, 9, toward_even=1.0, unit=unit),
            ChangeWorld("all 95 %", 25, 9, toward_even=1.0, unit=unit),
            ChangeWorld("all 90 %", 25, 30, toward_even=1.0, unit=unit),
            ChangeWorld("all 50 %", 12, 9, toward_first=0.45, unit=unit),
            ChangeWorld("all 50 %", 12, 9, toward_first=0.15, unit=unit),
            ChangeWorld("all 50 %", 12, 9, toward_first=0.2, unit=unit),
            ChangeWorld("all 50 %", 12, 30, toward_first=0.1, unit=unit),
            ChangeWorld("all 60 %", 12, 9, toward_first=0.1, unit=unit),
            ChangeWorld("all 70 %", 12, 9, toward_even=1.0, unit=unit),
            ChangeWorld("all 70 %", 12, 9, toward_even=0.9, unit=unit),
            ChangeWorld("uniform", 62, 12, made_even=6, alike=0.5, unit=unit),
        ]
        for what in ("bias", "leaning"):
            found += [
                ChangeWorld("uniform", 12, 9, unit=unit, what=what),
                ChangeWorld("Beta(2, 2)", 25, 3, unit=unit, what=what),
                ChangeWorld("uniform", 12, 9, unknown=some, unit=unit, what=what),
                ChangeWorld("uniform", 12, 9, toward_even=0.5, alike=0.5, unit=unit, what=what),
                ChangeWorld("all 60 %", 12, 9, toward_first=0.2, unit=unit, what=what),
            ]
    found += [ChangeWorld("all 70 %", 4, 3), ChangeWorld("all 70 %", 4, 9)]
    found += [
        ChangeWorld(kinds, 12, n, cancelling=True, worlds=2000)
        for kinds, n in (
            ("60 % or 75 %", 9), ("75 % or 90 %", 9), ("70 % or 95 %", 9), ("60 % or 90 %", 9),
            ("60 % or 90 %", 30),
        )
    ]  # fmt: skip
    found += [
        ChangeWorld("all 60 %", 1, n, toward_first=by, alike=alike, what="attribute")
        for n in (9, 30) for by in (0.0, 0.2) for alike in (0.0, 0.5)
    ]  # fmt: skip
    return found
