"""Embeddings with known properties, for tests of association statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics import ConceptEmbeddings, Embeddings

Array = NDArray[np.float64]

A = np.array([[1.0, 0.0]])
B = np.array([[0.0, 1.0]])
SETS = ("x", "y", "x_a", "x_b", "y_a", "y_b")


def leaning(scores: Array) -> Array:
    """Return plane vectors whose association with A rather than B is exactly `scores`."""
    angles = np.arccos(np.asarray(scores) / np.sqrt(2)) - np.pi / 4
    return np.column_stack([np.cos(angles), np.sin(angles)])


def directions(values: Array) -> Array:
    return np.asarray(values / np.linalg.norm(values, axis=-1, keepdims=True))


@dataclass
class World:
    """Prompts scatter around their concept, images around their prompt, then all are normalised.

    A stimulus displaces its neutral and its attribute prompts alike. `lean` moves X to A and Y to
    B; with equal concepts and lean 0 the null is true: X and Y are the same.
    """

    rng: np.random.Generator
    prompts: int
    lean: float
    attribute: float = 0.25
    between: float = 0.4
    within: float = 0.7
    width: int = 48
    concept: float = 0.3

    def __post_init__(self) -> None:
        spectrum = 0.97 ** np.arange(self.width)
        turned = np.linalg.qr(self.rng.normal(size=(self.width, self.width)))[0]
        self.mixing = (spectrum / np.linalg.norm(spectrum))[:, None] * turned
        self.base, self.axis = directions(self.rng.normal(size=(2, self.width)))
        self.offsets = self.concept * self.scatter(2)
        self.new_prompts()

    def scatter(self, *shape: int) -> Array:
        return np.asarray(self.rng.normal(size=(*shape, self.width)) @ self.mixing)

    def new_prompts(self, count: int | None = None) -> None:
        count = count or self.prompts
        self.means = {}
        for side, offset, sign in zip("xy", self.offsets, (1.0, -1.0), strict=True):
            stimuli = self.base + offset + self.between * self.scatter(count)
            self.means[side] = stimuli + sign * self.lean * self.axis
            for name, leaning_to in (("a", 1.0), ("b", -1.0)):
                wording = 0.5 * self.between * self.scatter(count)
                shift = leaning_to * self.attribute * self.axis
                self.means[f"{side}_{name}"] = stimuli + shift + wording

    def images(self, per_prompt: int) -> dict[str, Array]:
        """Return images of every set, (prompts, images, width)."""
        return {
            name: directions(means[:, None] + self.within * self.scatter(len(means), per_prompt))
            for name, means in self.means.items()
        }


def flat(images: dict[str, Array], *, units: bool = True) -> dict[str, Any]:
    """Turn a world's images into arguments of `pair`, units labelled by stimulus."""
    result: dict[str, Any] = {
        name: rows.reshape(-1, rows.shape[-1]) for name, rows in images.items()
    }
    if units:
        for name, rows in images.items():
            result[f"{name}_units"] = np.repeat(np.arange(rows.shape[0]), rows.shape[1])
    return result


def pair(**given: Any) -> tuple[ConceptEmbeddings, ConceptEmbeddings]:
    """Return concepts X and Y; `x_a` are X's images under A, `x_a_units` their units."""
    x, y = (
        ConceptEmbeddings(
            *(
                Embeddings(given[name], given.get(f"{name}_units"))
                for name in (side, f"{side}_a", f"{side}_b")
            )
        )
        for side in "xy"
    )
    return x, y


def truth(images: dict[str, Array]) -> tuple[float, float]:
    """Return S and d of a large sample, straight from the definition."""
    means = {name: rows.mean(axis=(0, 1)) for name, rows in images.items()}
    x = images["x"] @ (means["x_a"] - means["x_b"])
    y = images["y"] @ (means["y_a"] - means["y_b"])
    score = x.mean() - y.mean()
    return float(score), float(score / np.sqrt((x.var() + y.var()) / 2))
