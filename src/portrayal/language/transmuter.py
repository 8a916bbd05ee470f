"""What a transmuter is: it writes a prompt again with other words in some places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from portrayal.records import Identity, digest


@dataclass(frozen=True, slots=True)
class Draw:
    """A prompt with some words replaced, and with what probability the transmuter says so.

    For several words the probability is that of filling the places in the order that was drawn.
    """

    text: str
    probability: float


class Transmuter(Protocol):
    """Replaces words of a prompt; the same question has the same answer."""

    @property
    def identity(self) -> Identity:
        """Everything that changes the texts, and nothing else; the study's seed is not in it."""

    def replaceable(self, prompt: str) -> tuple[int, ...]:
        """Return the positions of the words that it can replace, counted from 0."""

    def draw(self, prompt: str, positions: Sequence[int], draws: range, *, seed: int) -> list[Draw]:
        """Return some draws of an unlimited series of texts with these words replaced.

        Draw number n is the same whichever others are asked for, so a longer series begins with
        the shorter one.

        Args:
            prompt: The prompt.
            positions: Which of its words are replaced, all of them in every text.
            draws: Numbers of the draws, from 0.
            seed: Start of the random numbers.

        Raises:
            LanguageError: A word cannot be replaced, or there are no more texts.
        """


def draw_rng(prompt: str, positions: Sequence[int], draw: int, *, seed: int) -> np.random.Generator:
    """Return the random numbers of one draw, which depend on nothing else."""
    name = digest(["transmuted text", seed, prompt, sorted(positions), draw])
    return np.random.default_rng(int(name, 16))
