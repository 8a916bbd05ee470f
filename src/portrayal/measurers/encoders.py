"""What all encoders of images and texts do alike: checks before and after a pair of towers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.errors import MeasurementError
from portrayal.measurers.protocol import Answer, Given, Reason, TextEmbeddings
from portrayal.records import Identity

NOT_A_NUMBER = "encoder returned NaN"
_SHOWN = 120


class Towers(Protocol):
    """An image tower and a text tower that embed into one space."""

    window: int
    """Tokens that the text tower reads."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's length in tokens, uncut, with its marks of begin and end."""

    def embed_texts(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one row a text, cut to the window where necessary."""

    def prepare(self, image: Image.Image) -> Any:
        """Return an image as `embed_images` takes it; any thread may call this."""

    def embed_images(self, prepared: Sequence[Any]) -> npt.NDArray[np.float32]:
        """Return one row per image."""


class TowerEncoder:
    """An `Encoder` on a pair of towers.

    Args:
        towers: The model.
        identity: What changes its embeddings.
        batch_size: Images at once.
        truncate: Let long texts be cut; they are counted then.
    """

    gives: Sequence[Given] = ("embedding",)

    def __init__(
        self, towers: Towers, identity: Identity, *, batch_size: int = 64, truncate: bool = False
    ) -> None:
        if batch_size < 1:
            raise MeasurementError(f"batch_size is {batch_size}; allowed: 1 or more")
        self.identity = identity
        self.batch_size = batch_size
        self._towers = towers
        self._truncate = truncate

    def measure(self, images: Sequence[Image.Image]) -> list[Answer | Reason]:
        """Return the embedding of each image as the encoder gives it (not normalised)."""
        return self.measure_prepared([self.prepare(image) for image in images])

    def prepare(self, image: Image.Image) -> Any:
        """Return an image as `measure_prepared` takes it; any thread may call this."""
        return self._towers.prepare(image)

    def measure_prepared(self, prepared: Sequence[Any]) -> list[Answer | Reason]:
        """Return the embedding of each image that was prepared."""
        if not prepared:
            return []
        vectors = self._towers.embed_images(prepared)
        return [
            Answer(embedding=row) if np.isfinite(row).all() else Reason(NOT_A_NUMBER)
            for row in vectors
        ]

    def embed_texts(self, texts: Sequence[str]) -> TextEmbeddings:
        """Return the embeddings of texts.

        Raises:
            MeasurementError: A text is too long, or the encoder has no number for it.
        """
        tokens = self._towers.count_tokens(texts)
        window = self._towers.window
        truncated = [count > window for count in tokens]
        if any(truncated) and not self._truncate:
            place = truncated.index(True)
            raise MeasurementError(
                f"text {_shown(texts[place])} has {tokens[place]} tokens, but the encoder "
                f"{self.identity.name} reads {window}; shorten it, or let the rest be cut with "
                "`truncate`"
            )
        vectors = self._towers.embed_texts(texts)
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            text = texts[int(np.argmin(finite))]
            raise MeasurementError(
                f"text {_shown(text)}: {self.identity.name}: {NOT_A_NUMBER}; "
                "another dtype may help (float32)"
            )
        return TextEmbeddings(vectors, tokens, truncated)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def settled(scalar: Any) -> float:
    """Return a scalar tensor to six digits, for an identity: the last ones differ by machine."""
    return float(f"{float(scalar.detach().float().cpu()):.6g}")
