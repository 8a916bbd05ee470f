"""How the images of a campaign were drawn: strata, and how many of each were in the running."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any


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
