"""How the images of a campaign were drawn: strata, and how many of each were in the running."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LEAST_PER_STRATUM = 2


@dataclass(frozen=True, slots=True)
class Design:
    """A random draw of images within strata, every image of a stratum with equal probability.

    Attributes:
        population: By stratum, the number of images to draw from.
        drawn: The stratum of every drawn image, in the order of the draw: whoever stops early has
            rated a smaller draw of the same kind.
        seed: Of the draw.
    """

    population: Mapping[str, int]
    drawn: Mapping[str, str]
    seed: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {"population": dict(self.population), "drawn": dict(self.drawn), "seed": self.seed}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Design:
        """Read what `as_dict` wrote."""
        return cls(dict(data["population"]), dict(data["drawn"]), int(data["seed"]))

    def probabilities(self, answered: Collection[str]) -> dict[str, float]:
        """Return the probability with which each answered image came into the sample.

        That of its stratum: images answered so far over images to draw from. What was drawn and
        not answered yet does not count, because images are shown in the order of the draw.

        Args:
            answered: The images that were answered.
        """
        mine = [image for image in self.drawn if image in answered]
        counts = Counter(self.drawn[image] for image in mine)
        return {
            image: counts[self.drawn[image]] / self.population[self.drawn[image]] for image in mine
        }


def combined(probabilities: Collection[float]) -> float:
    """Return the probability of being in at least one of several independent draws.

    >>> combined([0.5, 0.2])
    0.6
    """
    missed = 1.0
    for one in probabilities:
        missed *= 1.0 - one
    return round(1.0 - missed, 15)


def draw(
    strata: Mapping[str, Sequence[str]],
    prompts: Mapping[str, str],
    sizes: Mapping[str, int],
    *,
    seed: int,
) -> Design:
    """Draw images within strata; the order mixes strata, so that a part of it is a draw as well.

    Args:
        strata: Images by stratum.
        prompts: The prompt of each image: images are spread over prompts.
        sizes: How many to draw of each stratum.
        seed: Of the draw.
    """
    rng = np.random.default_rng([seed, 20])
    places: dict[str, tuple[float, str]] = {}
    for name, mine in sorted(strata.items()):
        chosen = systematic(mine, prompts, sizes[name], rng=rng)
        for rank, image in enumerate(rng.permutation(chosen).tolist()):
            places[image] = ((rank + rng.random()) / len(chosen), name)
    order = sorted(places, key=lambda image: places[image][0])
    population = {name: len(mine) for name, mine in strata.items()}
    return Design(population, {image: places[image][1] for image in order}, seed)


def allocation(population: Mapping[str, int], sample: int) -> dict[str, int]:
    """Share a sample out over strata: two of each at least, the rest by size.

    >>> allocation({"a": 90, "b": 9, "c": 1}, 20)
    {'a': 17, 'b': 2, 'c': 1}
    """
    total = min(sample, sum(population.values()))
    sizes = {name: min(LEAST_PER_STRATUM, n) for name, n in population.items()}
    if sum(sizes.values()) > total:
        sizes = dict.fromkeys(population, 0)
    while (left := total - sum(sizes.values())) > 0:
        open_ = {name: n - sizes[name] for name, n in population.items() if n > sizes[name]}
        ideal = {name: total * population[name] / sum(population.values()) for name in open_}
        name = max(open_, key=lambda one: (ideal[one] - sizes[one], population[one], one))
        step = max(1, min(left, open_[name], math.floor(ideal[name] - sizes[name])))
        sizes[name] += step
    return sizes


def systematic(
    images: Sequence[str], prompts: Mapping[str, str], n: int, *, rng: np.random.Generator
) -> list[str]:
    """Draw n images with equal probabilities, spread evenly over their prompts.

    Images are put in order by prompt, prompts and the images of each in random order, and every
    (N/n)-th is taken from a random start.

    Args:
        images: All images of a stratum.
        prompts: Their prompts.
        n: How many to draw.
        rng: Source of the draw.
    """
    by_prompt: dict[str, list[str]] = defaultdict(list)
    for image in sorted(images):
        by_prompt[prompts[image]].append(image)
    texts = rng.permutation(sorted(by_prompt)).tolist()
    ordered = [image for text in texts for image in rng.permutation(by_prompt[text]).tolist()]
    if not n:
        return []
    step = len(ordered) / n
    start = rng.random() * step
    return [ordered[min(int(start + i * step), len(ordered) - 1)] for i in range(n)]
