"""Words whose influence is known: coverage, level and power of influence estimates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.influence import Subset, all_subsets, word_influence
from portrayal.statistics.influence_average import mean_influence
from portrayal.statistics.influence_sampling import influence_estimate, interaction_estimate
from portrayal.statistics.validation.worlds import Told

FloatArray = NDArray[np.float64]
_WORDS = 3


@dataclass(frozen=True, slots=True)
class InfluenceWorld:
    """A prompt of three words: the first does nothing, the others may.

    Attributes:
        setting: In a few words.
        texts: Replacement texts of each set of words.
        images: Per text.
        alike: Correlation between the images of one text.
        level: Of the scores.
        share: Of the group with the prompt as it is.
        effect: By how much the share grows without the second word; the third does half as much.
        what: The second word's score, the null word's, the interaction of both words (none),
            or the mean score of the second word over several prompts whose effects differ.
        prompts: For the mean.
    """

    setting: str
    texts: int
    images: int
    alike: float = 0.0
    level: int = 1
    share: float = 0.3
    effect: float = 0.3
    what: Literal["word", "null word", "interaction", "mean"] = "word"
    prompts: int = 1
    worlds: int = 2000
    reason: str = ""

    @property
    def estimator(self) -> str:
        """The function that is asked."""
        names = {"mean": "mean_influence", "interaction": "interaction_estimate"}
        return names.get(self.what, "influence_estimate")

    @property
    def null(self) -> bool:
        """Whether there is no influence."""
        return self.truth == 0

    def true_share(self, subset: Subset) -> float:
        """Return the share of the group with a set of words replaced."""
        return self.share + self.effect * (1 in subset) + self.effect / 2.0 * (2 in subset)

    @property
    def truth(self) -> float:
        """What endless texts and images would show."""
        if self.what in ("null word", "interaction"):
            return 0.0
        if self.what == "mean":
            return -self.effect
        shares = {one: self.true_share(one) for one in all_subsets(_WORDS, self.level)}
        return float(word_influence(shares, _WORDS, self.level)[1])

    def counts(self, rng: np.random.Generator) -> dict[Subset, FloatArray]:
        """Return images by text and group, for every set of words that the estimator needs."""
        level = max(self.level, 2 if self.what == "interaction" else 1)
        found = {}
        for subset in all_subsets(_WORDS, level):
            texts, images = (self.texts, self.images) if subset else (1, self.texts * self.images)
            shares = np.full(texts, self.true_share(subset))
            if self.alike and subset:
                scale = 1.0 / self.alike - 1.0
                shares = rng.beta(shares * scale, (1.0 - shares) * scale)
            shown = rng.binomial(images, shares)
            found[subset] = np.stack([shown, images - shown], axis=1).astype(np.float64)
        return found

    def told(self, rng: np.random.Generator) -> Told | None:
        """Draw texts and images."""
        return _ESTIMATORS[self.what](self, rng)


def settings() -> tuple[InfluenceWorld, ...]:
    """Return the worlds: few texts, texts that are alike, rare groups, all estimators."""
    return (
        InfluenceWorld("24 texts", 24, 1),
        InfluenceWorld("8 texts of 3, alike .3", 8, 3, 0.3),
        InfluenceWorld("12 texts of 4, alike .3, level 2", 12, 4, 0.3, level=2),
        InfluenceWorld("12 texts of 4, alike .6", 12, 4, 0.6),
        InfluenceWorld("24 texts, rare group", 24, 1, share=0.05, effect=0.2),
        InfluenceWorld("24 texts, null", 24, 1, what="null word"),
        InfluenceWorld("8 texts of 3, alike .3, null", 8, 3, 0.3, what="null word"),
        InfluenceWorld("12 texts of 4, alike .3, null", 12, 4, 0.3, what="null word"),
        InfluenceWorld("24 texts, interaction", 24, 1, what="interaction"),
        InfluenceWorld("12 texts of 4, alike .3, interaction", 12, 4, 0.3, what="interaction"),
        InfluenceWorld("mean of 3 prompts", 24, 1, what="mean", prompts=3),
        InfluenceWorld("mean of 8 prompts", 24, 1, what="mean", prompts=8),
        InfluenceWorld("mean of 8 prompts, null", 24, 1, effect=0.0, what="mean", prompts=8),
    )


def _word(world: InfluenceWorld, rng: np.random.Generator) -> Told:
    found = influence_estimate(world.counts(rng), _WORDS, world.level, rng=rng, resamples=1)
    at = (0 if world.what == "null word" else 1, 0)
    cells = (found.scores, *found.interval, found.p_value)
    return _in_order(world, *(float(cell[at]) for cell in cells))


def _interaction(world: InfluenceWorld, rng: np.random.Generator) -> Told:
    found = interaction_estimate(world.counts(rng), _WORDS, rng=rng, resamples=1)
    cells = (found.value, *found.interval, found.p_value)
    return _in_order(world, *(float(cell[-1, 0]) for cell in cells))


def _mean(world: InfluenceWorld, rng: np.random.Generator) -> Told:
    """Prompts differ in the share they start from and in what the word does."""
    start = world.share + 0.1 * rng.uniform(-1.0, 1.0, size=world.prompts)
    change = world.effect + 0.1 * rng.uniform(-1.0, 1.0, size=world.prompts)
    n = world.texts * world.images
    before, after = rng.binomial(n, start) / n, rng.binomial(n, start + change) / n
    found = mean_influence(before - after)
    return _in_order(world, found.value, *found.interval, found.p_value)


def _in_order(world: InfluenceWorld, value: float, low: float, high: float, p: float) -> Told:
    return Told(value, low, high, world.truth, p)


_ESTIMATORS: dict[str, Callable[[InfluenceWorld, np.random.Generator], Told]] = {
    "word": _word,
    "null word": _word,
    "interaction": _interaction,
    "mean": _mean,
}
