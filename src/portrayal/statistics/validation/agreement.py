"""Raters whose agreement is known: coverage of the kappas, alpha, percent agreement and tau."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.agreement import (
    AgreementResult,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from portrayal.statistics.rank_correlation import kendall_tau
from portrayal.statistics.validation.worlds import DISCRETE, Told

_RESAMPLES = 600
_COEFFICIENTS: dict[str, Callable[..., AgreementResult]] = {
    "cohen_kappa": cohen_kappa,
    "fleiss_kappa": fleiss_kappa,
    "krippendorff_alpha": krippendorff_alpha,
    "percent_agreement": percent_agreement,
}


@dataclass(frozen=True, slots=True)
class RaterWorld:
    """Raters who label items.

    Attributes:
        setting: In a few words.
        estimator: Which coefficient.
        items: Per world.
        raters: Who label every item, up to missing answers.
        labels: Frequency of each label.
        agreement: True kappa (and alpha).
        model: `truth`: each rater knows an item's label with a chance of sqrt(agreement) and else
            guesses by frequency; `shared`: items have label distributions of their own, drawn from
            a Dirichlet distribution, and raters draw from these.
        missing: Chance that a rater gives no answer.
    """

    setting: str
    estimator: str
    items: int
    raters: int
    labels: tuple[float, ...]
    agreement: float
    model: Literal["truth", "shared"] = "truth"
    missing: float = 0.0
    worlds: int = 1000
    null: bool = False

    @property
    def reason(self) -> str:
        """Few items, or a rare label in them, leave few values of a coefficient."""
        return DISCRETE if self.items <= 10 or min(self.labels) < 0.1 else ""

    def told(self, rng: np.random.Generator) -> Told | None:
        """Draw items and answers; None where one label is in use and there is no coefficient."""
        coefficient = _COEFFICIENTS[self.estimator]
        found = coefficient(*self.ratings(rng), rng=rng, resamples=_RESAMPLES)
        return None if math.isnan(found.value) else Told(found.value, *found.interval, self.target)

    @property
    def target(self) -> float:
        """What the coefficient of endless items would be."""
        if self.estimator != "percent_agreement":
            return self.agreement
        chance = sum(share**2 for share in self.labels)
        return chance + self.agreement * (1.0 - chance)

    def ratings(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return codes, one row per rater; NaN for no answer."""
        shape = (self.raters, self.items)
        frequencies = np.array(self.labels)
        if self.model == "truth":
            item = rng.choice(len(frequencies), size=self.items, p=frequencies)
            guess = rng.choice(len(frequencies), size=shape, p=frequencies)
            codes = np.where(rng.random(shape) < math.sqrt(self.agreement), item, guess)
        else:
            own = rng.dirichlet(frequencies * (1.0 / self.agreement - 1.0), size=self.items)
            ends = np.cumsum(own, axis=1)
            codes = (rng.random(shape)[..., None] > ends).sum(axis=2).clip(max=len(frequencies) - 1)
        given = codes.astype(np.float64)
        given[rng.random(shape) < self.missing] = np.nan
        return given


@dataclass(frozen=True, slots=True)
class RankWorld:
    """Two measures of the same items, from a copula with a known tau.

    Attributes:
        setting: In a few words.
        items: Per world.
        tau: The truth.
        copula: `normal`, `t` (two degrees of freedom) or `clayton`.
    """

    setting: str
    items: int
    tau: float
    copula: Literal["normal", "t", "clayton"] = "normal"
    worlds: int = 4000
    estimator: str = "kendall_tau"

    @property
    def null(self) -> bool:
        """Whether the measures are independent."""
        return self.tau == 0

    @property
    def reason(self) -> str:
        """Few items have few orders: with four no p is below .083."""
        return DISCRETE if self.items <= 10 else ""

    def told(self, rng: np.random.Generator) -> Told:
        """Draw both measures."""
        found = kendall_tau(*self.measures(rng))
        return Told(found.value, *found.interval, self.tau, found.p_value)

    def measures(self, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both measures of every item."""
        if self.copula == "clayton":
            theta = 2.0 * self.tau / (1.0 - self.tau)
            u, v = rng.random((2, self.items))
            inner = (v ** (-theta / (1.0 + theta)) - 1.0) * u**-theta + 1.0
            return u, np.asarray(inner ** (-1.0 / theta))
        r = math.sin(math.pi * self.tau / 2.0)
        x, noise = rng.normal(size=(2, self.items))
        y = r * x + math.sqrt(1.0 - r**2) * noise
        if self.copula == "t":
            spread = np.sqrt(2.0 / rng.chisquare(2.0, size=self.items))
            return x * spread, y * spread
        return x, y


def settings() -> tuple[RaterWorld | RankWorld, ...]:
    """Return the worlds: few items, rare labels, missing answers, both models of raters."""
    even, three, rare = (0.5, 0.5), (0.2, 0.3, 0.5), (0.05, 0.95)
    return (
        *(RaterWorld(f"10 items, 2 raters, {e}", e, 10, 2, even, 0.36) for e in _COEFFICIENTS),
        *(RaterWorld(f"rare label, 2 raters, {e}", e, 60, 2, rare, 0.5) for e in _COEFFICIENTS),
        RaterWorld("10 items, 3 raters", "krippendorff_alpha", 10, 3, (0.4, 0.6), 0.36),
        RaterWorld("10 items, 3 labels", "krippendorff_alpha", 10, 3, three, 0.5),
        RaterWorld("10 items, 5 raters", "fleiss_kappa", 10, 5, even, 0.5),
        RaterWorld("10 items, own shares", "krippendorff_alpha", 10, 3, even, 0.5, "shared"),
        RaterWorld("25 items, no agreement", "cohen_kappa", 25, 2, even, 0.0),
        RaterWorld("25 items, much agreement", "krippendorff_alpha", 25, 3, (0.4, 0.6), 0.8),
        RaterWorld("25 items, missing", "krippendorff_alpha", 25, 4, three, 0.4, missing=0.25),
        RaterWorld("rare label, 3 raters", "krippendorff_alpha", 60, 3, rare, 0.64),
        RaterWorld("rare label, own shares", "fleiss_kappa", 60, 3, rare, 0.4, "shared"),
        RaterWorld("100 items, own shares", "fleiss_kappa", 100, 5, three, 0.3, "shared"),
        RankWorld("4 items, tau 0", 4, 0.0),
        RankWorld("4 items, tau .5", 4, 0.5),
        RankWorld("10 items, tau 0", 10, 0.0),
        RankWorld("10 items, tau .5", 10, 0.5),
        RankWorld("10 items, tau .8", 10, 0.8),
        RankWorld("25 items, tau .5", 25, 0.5),
        RankWorld("25 items, t copula", 25, 0.5, "t"),
        RankWorld("25 items, Clayton", 25, 0.5, "clayton"),
        RankWorld("100 items, tau .3", 100, 0.3),
    )
