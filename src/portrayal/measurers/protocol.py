"""What a measurer and an encoder are, and what a run of the loop says at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.audit import ColumnType
from portrayal.records import Identity


@dataclass(frozen=True, slots=True)
class Reason:
    """Why nothing was measured in an image."""

    text: str


class Measurer(Protocol):
    """Looks at images one by one: what it sees in one does not depend on the others."""

    @property
    def identity(self) -> Identity:
        """Everything that changes what is seen, and nothing else."""

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """Names and types of the values that a measurement has."""

    @property
    def batch_size(self) -> int:
        """How many images to give at once."""

    def measure(self, images: Sequence[Image.Image]) -> list[Mapping[str, Any] | Reason]:
        """Return the values of every column, or the reason why not, for each RGB image."""


@dataclass(frozen=True, slots=True)
class TextEmbeddings:
    """What an encoder makes of texts.

    Attributes:
        vectors: One row a text, as the encoder gives them (not normalised).
        tokens: How many tokens each text has before any cut.
        truncated: Whether a text was cut to the encoder's window.
    """

    vectors: npt.NDArray[np.float32]
    tokens: Sequence[int]
    truncated: Sequence[bool]


@runtime_checkable
class Encoder(Measurer, Protocol):
    """A measurer with the one column `embedding`, which also embeds texts into the same space.

    Its identity's settings carry `logit_scale`, the factor on cosines before a softmax.
    """

    def embed_texts(self, texts: Sequence[str]) -> TextEmbeddings:
        """Return the embeddings of texts.

        Raises:
            MeasurementError: A text is longer than the window, and cutting was not allowed.
        """


@dataclass(frozen=True, slots=True)
class MeasurementSummary:
    """How a run of the loop ended.

    Attributes:
        measured: Images measured by this run, over all measurers.
        present: Images that had been measured before.
        reasons: Images in which nothing was measured by this run, by reason.
        texts: Texts embedded by this run.
        truncated: Of these, texts that were cut to the encoder's window.
    """

    measured: int = 0
    present: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    texts: int = 0
    truncated: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)

    def sentence(self) -> str:
        """Say it in one line; what did not happen is not mentioned."""
        parts = [f"{self.measured:,} images measured", f"{self.present:,} were before"]
        parts += [f"{count:,} not: {reason}" for reason, count in self.reasons.items()]
        if self.texts:
            cut = f" ({self.truncated:,} of them cut)" if self.truncated else ""
            parts.append(f"{self.texts:,} texts embedded{cut}")
        return ", ".join(parts)
