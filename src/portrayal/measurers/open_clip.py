"""Encoders of open_clip: "open_clip:ViT-B-32/laion2b_s34b_b79k", or a local safetensors file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.errors import MeasurementError, one_of
from portrayal.loading import choose_device, choose_dtype, first_line, import_extra, weights_hash
from portrayal.measurers.encoders import TowerEncoder, settled
from portrayal.measurers.registry import ENCODER_SETTINGS, MeasurerKind
from portrayal.records import Identity, plain

PREFIX = "open_clip:"


class OpenClipTowers:
    """The two towers of a model of open_clip.

    Args:
        architecture: One of open_clip's model names.
        weights: A safetensors file.
        device: Where to run.
        dtype: Name of the dtype to run in.
    """

    def __init__(self, architecture: str, weights: Path, *, device: str, dtype: str) -> None:
        self._torch = import_extra("torch", extra="models")
        library = import_extra("open_clip", extra="openclip")
        self._model, _, self._prepare = library.create_model_and_transforms(
            architecture, pretrained=str(weights), device=device
        )
        self._preprocessing = library.get_model_preprocess_cfg(self._model)
        self._model.to(getattr(self._torch, dtype)).eval()
        self._tokenizer = library.get_tokenizer(architecture)
        self._device = device
        self._dtype = getattr(self._torch, dtype)
        self.window = int(self._tokenizer.context_length)

    def settings(self) -> dict[str, Any]:
        """Return what, besides the weights, changes embeddings or what is made of them."""
        found: dict[str, Any] = {
            "dtype": str(self._dtype).removeprefix("torch."),
            "preprocessing": plain(self._preprocessing),
            "logit_scale": settled(self._model.logit_scale.exp()),
        }
        if getattr(self._model, "logit_bias", None) is not None:
            found["logit_bias"] = settled(self._model.logit_bias)
        return found

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's length in tokens, uncut, with its marks of begin and end."""
        if hasattr(self._tokenizer, "encode"):
            return [len(self._tokenizer.encode(text)) + 2 for text in texts]
        counted = self._tokenizer.tokenizer(list(texts), truncation=False, padding=False)
        return [len(ids) for ids in counted["input_ids"]]

    def embed_texts(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one row a text."""
        with self._torch.inference_mode():
            return self._rows(
                self._model.encode_text(self._tokenizer(list(texts)).to(self._device))
            )

    def prepare(self, image: Image.Image) -> Any:
        """Return an image as `embed_images` takes it; any thread may call this."""
        return self._prepare(image)

    def embed_images(self, prepared: Sequence[Any]) -> npt.NDArray[np.float32]:
        """Return one row per image."""
        pixels = self._torch.stack(list(prepared))
        with self._torch.inference_mode():
            return self._rows(self._model.encode_image(pixels.to(self._device, self._dtype)))

    def _rows(self, vectors: Any) -> npt.NDArray[np.float32]:
        rows: npt.NDArray[np.float32] = vectors.float().cpu().numpy()
        return rows


def open_open_clip(
    model: str,
    *,
    dtype: str | None = None,
    device: str | None = None,
    batch_size: int = 64,
    truncate: bool = False,
) -> TowerEncoder:
    """Load an encoder of open_clip.

    Args:
        model: "open_clip:ARCHITECTURE/WEIGHTS", the weights a tag of open_clip or a file.
        dtype: float32 by default.
        device: Where to run; by default a GPU where there is one.
        batch_size: Images at once; halved where memory runs out.
        truncate: Let long texts be cut; they are counted.

    Raises:
        MeasurementError: No such encoder, or its weights are no safetensors.
        MissingExtra: open_clip is not installed.
    """
    architecture, _, tag = model.removeprefix(PREFIX).partition("/")
    library = _library()
    if architecture not in library.list_models() or not tag:
        raise MeasurementError(
            f"{model}: write {PREFIX}ARCHITECTURE/WEIGHTS with an architecture of open_clip, "
            f"e.g. {one_of(('ViT-B-32', 'ViT-L-14', 'ViT-B-16-SigLIP'))}"
        )
    weights = _weights(library, model, architecture, tag)
    kind = choose_dtype(dtype, default="float32", error=MeasurementError)
    place = choose_device(device, error=MeasurementError)
    try:
        towers = OpenClipTowers(architecture, weights, device=place, dtype=kind)
    except Exception as problem:  # a weight file is foreign input: anything may be wrong
        raise MeasurementError(f"{model}: cannot be loaded: {first_line(problem)}") from problem
    settings = {
        "architecture": architecture,
        "weights": weights_hash(weights.parent, [weights]),
        **towers.settings(),
    }
    name = f"{architecture}/{Path(tag).name}"
    identity = Identity("open_clip", name, settings)
    return TowerEncoder(towers, identity, batch_size=batch_size, truncate=truncate)


def _library() -> Any:
    try:
        return import_extra("open_clip", extra="openclip")
    except ImportError:
        raise
    except Exception as problem:  # a torchvision built for another torch
        raise MeasurementError(
            f"open_clip cannot be imported ({first_line(problem)}); "
            "install the torchvision that belongs to your torch"
        ) from problem


def _weights(library: Any, model: str, architecture: str, tag: str) -> Path:
    """Return the safetensors file that is meant; downloaded where it is a tag."""
    path = Path(tag).expanduser()
    if not path.is_file():
        config = library.get_pretrained_cfg(architecture, tag)
        if not config:
            tags = one_of(library.list_pretrained_tags_by_model(architecture)) or "none"
            raise MeasurementError(
                f"{model}: {tag!r} is no file and no weights of {architecture}; allowed: {tags}"
            )
        try:
            path = Path(library.download_pretrained(config, prefer_hf_hub=True))
        except Exception as problem:  # the Hub's client raises many kinds
            raise MeasurementError(
                f"{model}: its weights could not be fetched ({first_line(problem)}); "
                "name a safetensors file, or check the network"
            ) from problem
    if path.suffix != ".safetensors":
        raise MeasurementError(
            f"{path}: weights in a pickle are not loaded, since a pickle can run code; "
            "allowed: a safetensors file"
        )
    return path


KIND = MeasurerKind(
    written=f"{PREFIX}ARCHITECTURE/WEIGHTS",
    open=open_open_clip,
    settings=ENCODER_SETTINGS,
    is_meant=lambda name: name.startswith(PREFIX),
    identity_kind="open_clip",
)
