"""What a generator that knows itself can state: group shares of any prompt, and many images.

Kinds of study compute from it what they would find with unlimited images (`Kind.truth`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from portrayal.errors import GenerationError
from portrayal.records import Identity

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class StatedShares:
    """What the images of one prompt show.

    Attributes:
        person: Probability that a person is shown.
        shares: Share of each group among the people shown; NaN where nobody ever is.
    """

    person: float
    shares: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Pool:
    """Embeddings of many images of each prompt.

    Attributes:
        prompts: Whose images these are.
        vectors: Prompts x images x width, as the encoder gave them. Image k has seed k.
        generator: The generator's identity.
        encoder: The encoder's identity.
    """

    prompts: tuple[str, ...]
    vectors: Vectors = field(repr=False)
    generator: Identity
    encoder: Identity

    @property
    def samples(self) -> int:
        """Images per prompt."""
        return int(self.vectors.shape[1])

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {prompt: row for row, prompt in enumerate(self.prompts)}

    def row(self, prompt: str) -> int:
        """Return the place of a prompt.

        Raises:
            GenerationError: The pool has no images of it.
        """
        if prompt not in self._rows:
            raise GenerationError(f"the pool has no images of {prompt!r}; make a pool with it")
        return self._rows[prompt]

    def __getitem__(self, prompt: str) -> Vectors:
        """Return the embeddings of one prompt's images."""
        found: Vectors = self.vectors[self.row(prompt)]
        return found


class StatesTruth(Protocol):
    """A generator that can state what unlimited images of it would show."""

    def shares(
        self, prompts: Sequence[str], *, axis: str, groups: Sequence[str]
    ) -> list[StatedShares]:
        """Return the shares of the groups of an axis, one entry per prompt.

        Raises:
            PortrayalError: The generator knows no truth about the axis or a group.
        """

    def pool(self, prompts: Sequence[str]) -> Pool:
        """Return many embedded images per prompt, where only images can tell."""
