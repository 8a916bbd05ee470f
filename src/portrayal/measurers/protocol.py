"""What a measurer is, and what a run of the loop says at its end.

A measurer of your own is any object with `identity`, `gives` and `measure`:

    class Glasses:
        identity = Identity("classifier", "glasses", {"version": 1})
        gives = ("labels",)
        axes = {"glasses": ("with", "without")}

        def measure(self, images):
            return [{"labels": {"glasses": {"with": my_model(image)}}} for image in images]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.audit import ColumnType
from portrayal.records import Identity

Given = Literal["embedding", "labels", "numbers", "people", "transcript"]
"""What a measurer may say of an image."""

COLUMNS: Mapping[Given, ColumnType] = {
    "embedding": "vector",
    "labels": "labels",
    "numbers": "numbers",
    "people": "json",
    "transcript": "json",
}
"""How the audit stores it."""

BATCH_SIZE = 16
"""Images at once for a measurer that does not say."""

Labels = Mapping[str, Mapping[str, float]]
"""The probability of each answer, by axis: its groups, "unknown" and "nobody"."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why nothing was measured in an image."""

    text: str


@dataclass(frozen=True, slots=True)
class Unanswered(Reason):
    """Why there is no answer this time; nothing is stored, and the next run asks again."""


class FoundPerson(TypedDict, total=False):
    """A person found in an image.

    Attributes:
        box: Left, top, right and bottom as shares of the image's width and height.
        confidence: How sure the measurer is that this is a person, 0 to 1.
        embedding: Of the person alone.
        labels: As of an image.
        numbers: As of an image.
    """

    box: Sequence[float]
    confidence: float
    embedding: npt.ArrayLike
    labels: Labels
    numbers: Mapping[str, float]


class Answer(TypedDict, total=False):
    """What a measurer says of one image: everything that it gives, and nothing else.

    Attributes:
        embedding: A vector, the same length for every image.
        labels: Probabilities of answers by axis; they need not add up to 1.
        numbers: Numbers by name.
        people: Everybody who was found; nobody is an answer too. Where people have labels, most of
            them decide what the image counts as; without people its own labels do, and without
            these it shows nobody.
        transcript: What was asked and answered, word for word.
    """

    embedding: npt.ArrayLike
    labels: Labels
    numbers: Mapping[str, float]
    people: Sequence[FoundPerson]
    transcript: Sequence[Mapping[str, str | None]]


class Measurer(Protocol):
    """Looks at images one by one: what it says of one does not depend on the others.

    It may also have `batch_size`, how many images to give it at once (default: 16), and must have
    `axes` where it gives labels: its answers on each axis that it labels, `{axis: (answer, ...)}`.
    Where it has `prepare(image)` and `measure_prepared(prepared)`, the loop prepares the next
    images in other threads while it measures, and does not call `measure`.
    """

    @property
    def identity(self) -> Identity:
        """Everything that changes what it says, and nothing else."""

    @property
    def gives(self) -> Sequence[str]:
        """What it says of an image; each one a `Given`."""

    def measure(self, images: Sequence[Image.Image]) -> Sequence[Answer | Reason]:
        """Return what it says, or the reason why nothing, of each RGB image."""


@dataclass(frozen=True, slots=True)
class TextEmbeddings:
    """What an encoder makes of texts.

    Attributes:
        vectors: One row per text, as the encoder gives them (not normalised).
        tokens: How many tokens each text has before any cut.
        truncated: Whether a text was cut to the encoder's window.
    """

    vectors: npt.NDArray[np.float32]
    tokens: Sequence[int]
    truncated: Sequence[bool]


@runtime_checkable
class Encoder(Measurer, Protocol):
    """A measurer that also embeds texts, into the space of its images' embeddings.

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

    def common_reasons(self) -> dict[str, int]:
        """Return the images in which nothing was measured by reason, rare reasons as one."""
        first, rest = (ranked := Counter(self.reasons).most_common())[:3], ranked[3:]
        other = sum(count for _, count in rest)
        return {**dict(first), **({f"{len(rest)} other reasons": other} if rest else {})}

    def sentence(self) -> str:
        """Say it in one line; what did not happen is not mentioned."""
        parts = [f"{self.measured:,} images measured", f"{self.present:,} measured before"]
        parts += [f"{count:,} not: {reason}" for reason, count in self.common_reasons().items()]
        if self.texts:
            cut = f" ({self.truncated:,} of them cut)" if self.truncated else ""
            parts.append(f"{self.texts:,} texts embedded{cut}")
        return ", ".join(parts)
