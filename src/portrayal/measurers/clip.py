"""CLIP, SigLIP and their kin in the layout of transformers, by folder or Hub id."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.errors import MeasurementError
from portrayal.loading import (
    ModelSource,
    choose_device,
    choose_dtype,
    configuration_files,
    configuration_hash,
    find_source,
    first_line,
    import_extra,
    loading,
    require_known_files,
    require_vocabulary,
    weight_files,
    weights_hash,
)
from portrayal.measurers.encoders import TowerEncoder, settled
from portrayal.measurers.onednn import OneThreadEach, use_onednn
from portrayal.measurers.preparation import ImagePreparation
from portrayal.measurers.registry import ENCODER_SETTINGS, MeasurerKind
from portrayal.records import Identity, plain

_WANTED = ["*.json", "*.txt", "*.model", "*.safetensors"]


class TransformersTowers:
    """The two towers of a model of transformers.

    Args:
        folder: Where model, tokenizer and image preparation lie.
        device: Where to run.
        dtype: Name of the dtype to run in.
    """

    def __init__(self, folder: Path, *, device: str, dtype: str) -> None:
        self._torch = import_extra("torch", extra="models")
        transformers = import_extra("transformers", extra="models")
        options = {"local_files_only": True, "trust_remote_code": False}
        with loading(folder, "transformers", error=MeasurementError):
            self._model = transformers.AutoModel.from_pretrained(
                folder, use_safetensors=True, dtype=getattr(self._torch, dtype), **options
            ).to(device)
            # PIL resizes alike on every machine; the other backend needs torchvision.
            self._prepare = transformers.AutoImageProcessor.from_pretrained(
                folder, backend="pil", **options
            )
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **options)
        require_vocabulary(self._tokenizer, folder, error=MeasurementError)
        self._model.eval()
        for needed in ("get_image_features", "get_text_features", "logit_scale"):
            if not hasattr(self._model, needed):
                raise MeasurementError(
                    f"{folder}: {type(self._model).__name__} does not embed images and texts into "
                    "one space; allowed: CLIP, SigLIP and their kin"
                )
        config = self._model.config
        self.window = min(
            int(self._tokenizer.model_max_length), int(config.text_config.max_position_embeddings)
        )
        # SigLIP was trained on full windows and reads shorter ones differently.
        self._padding = "max_length" if config.model_type.startswith("siglip") else "longest"
        self._preparation = ImagePreparation(self._prepare, self._torch)
        self._each: OneThreadEach | None = None
        if self._model.device.type == "cpu":
            self._each = OneThreadEach()
            if self._model.dtype == self._torch.float32:
                use_onednn(self._model, self._one_of_each)

    @property
    def kind(self) -> str:
        """The model's type: clip, siglip, ..."""
        return str(self._model.config.model_type)

    def settings(self) -> dict[str, Any]:
        """Return what, besides the files, changes embeddings or what is made of them."""
        preparation = self._prepare.to_dict()
        hidden = ("processor_class", "image_processor_type")
        found: dict[str, Any] = {
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "preprocessing": plain(
                {k: v for k, v in preparation.items() if k[0] != "_" and k not in hidden}
            ),
            "logit_scale": settled(self._model.logit_scale.exp()),
        }
        if getattr(self._model, "logit_bias", None) is not None:
            found["logit_bias"] = settled(self._model.logit_bias)
        return found

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's length in tokens, uncut."""
        counted = self._tokenizer(list(texts), truncation=False, padding=False, verbose=False)
        return [len(ids) for ids in counted["input_ids"]]

    def embed_texts(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one row a text."""
        inputs = self._tokenizer(
            list(texts),
            truncation=True,
            max_length=self.window,
            padding=self._padding,
            return_tensors="pt",
        )
        return self._rows(self._model.get_text_features, inputs)

    def prepare(self, image: Image.Image) -> Any:
        """Return an image as `embed_images` takes it; any thread may call this."""
        return self._preparation.prepare(image)

    def embed_images(self, prepared: Sequence[Any]) -> npt.NDArray[np.float32]:
        """Return one row per image."""
        if self._each is None:
            return self._embed(prepared)
        return np.concatenate(self._each.map(self._embed, prepared))

    def _embed(self, prepared: Sequence[Any]) -> npt.NDArray[np.float32]:
        inputs = self._preparation.batch(prepared, self._model.device)
        return self._rows(self._model.get_image_features, inputs)

    def _one_of_each(self) -> Any:
        """Return the embeddings of an image and of a text, one after the other."""
        noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
        image = self._embed([self.prepare(Image.fromarray(noise))])
        return self._torch.from_numpy(np.concatenate([image, self.embed_texts(["a photo"])]))

    def _rows(self, tower: Any, inputs: Any) -> npt.NDArray[np.float32]:
        moved = {
            name: value.to(self._model.device, self._model.dtype)
            if value.is_floating_point()
            else value.to(self._model.device)
            for name, value in inputs.items()
        }
        with self._torch.inference_mode():
            output = tower(**moved)
        vectors = getattr(output, "pooler_output", output)
        rows: npt.NDArray[np.float32] = vectors.float().cpu().numpy()
        return rows


def open_clip_model(
    model: str,
    *,
    name: str | None = None,
    revision: str | None = None,
    dtype: str | None = None,
    device: str | None = None,
    batch_size: int = 64,
    truncate: bool = False,
) -> TowerEncoder:
    """Load an encoder in the layout of transformers.

    Args:
        model: A folder, or an id such as "owner/name".
        name: The encoder's name in the identity; its Hub id or the folder's name if left out.
        revision: A branch, tag or commit of the Hub.
        dtype: float32 by default, on every device, so that numbers do not depend on where.
        device: Where to run; by default a GPU where there is one.
        batch_size: Images at once; halved where memory runs out.
        truncate: Let long texts be cut; they are counted.

    Raises:
        MeasurementError: No such encoder, or it cannot be loaded safely.
    """
    source = find_source(model, revision=revision, download=download, error=MeasurementError)
    check_source(source)
    kind = choose_dtype(dtype, default="float32", error=MeasurementError)
    place = choose_device(device, error=MeasurementError)
    try:
        towers = TransformersTowers(source.folder, device=place, dtype=kind)
    except (MeasurementError, ImportError):
        raise
    except Exception as problem:  # a model folder is foreign input: anything may be wrong
        raise MeasurementError(
            f"{source.folder}: cannot be loaded: {first_line(problem)}"
        ) from problem
    settings = {
        "weights": weights_hash(source.folder, weight_files(source.folder)),
        "configuration": configuration_hash(source.folder, configuration_files(source.folder)),
        **({} if source.revision is None else {"revision": source.revision}),
        **towers.settings(),
    }
    identity = Identity(towers.kind, name or source.name, settings)
    return TowerEncoder(towers, identity, batch_size=batch_size, truncate=truncate)


def check_source(source: ModelSource) -> None:
    """Raise MeasurementError where a folder is no model of transformers, or not a safe one."""
    if not (source.folder / "config.json").is_file():
        raise MeasurementError(
            f"{source.folder}: not a model of transformers: it has no config.json"
        )
    require_known_files(source.folder, error=MeasurementError)


def download(model: str, revision: str | None) -> str:
    """Fetch a model from the Hub and return its folder."""
    hub = import_extra("huggingface_hub", extra="models")
    return str(hub.snapshot_download(model, revision=revision, allow_patterns=_WANTED))


KIND = MeasurerKind(
    written="a folder or a Hub id (owner/name)",
    open=open_clip_model,
    settings=(*ENCODER_SETTINGS, "revision"),
    general=True,
)
