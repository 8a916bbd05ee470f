"""LoRA adapters: small weights that are added to a model's own; fused into them before any image.

They change pixels, so each is in the identity with the hash of its file and its scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.errors import GenerationError, one_of
from portrayal.loading import content_hash, find_source, first_line, import_extra, loading, quietly

USUAL = "pytorch_lora_weights.safetensors"
_ENDING = ".safetensors"


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA file and how strongly it acts.

    Attributes:
        file: The weights.
        scale: 1 is as it was trained, 0 is without it.
    """

    file: Path
    scale: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """Return what the identity says of it; name and place of the file are no part of that."""
        return {"weights": content_hash(self.file)[:32], "scale": self.scale}


def find_adapter(written: str) -> Adapter:
    """Find an adapter: a file, a folder or a Hub id, each with "@SCALE" behind it or without.

    Raises:
        GenerationError: There is no such file, it is a pickle, or there are several to choose from.
    """
    where, scale = _split(written)
    path = Path(where).expanduser()
    if path.is_file():
        if path.suffix != _ENDING:
            raise GenerationError(
                f"`lora` {where}: not loaded, since a pickle can run code; allowed: *{_ENDING}"
            )
        return Adapter(path, scale)
    source = find_source(where, revision=None, download=_download, error=GenerationError)
    found = sorted(source.folder.glob(f"*{_ENDING}"))
    chosen = [file for file in found if file.name == USUAL] or found
    if not found:
        raise GenerationError(f"`lora` {where}: contains no {_ENDING} file; name the file itself")
    if len(chosen) != 1:
        names = one_of([file.name for file in found])
        raise GenerationError(
            f"`lora` {where}: which of its {_ENDING} files? it has: {names}; name the file itself"
        )
    return Adapter(chosen[0], scale)


def absolute(written: str) -> str:
    """Return a model or an adapter as other processes find it, wherever they were started.

    What is no path here, a Hub id or a name of ours, stays as it is.
    """
    where, at, scale = written.rpartition("@")
    for path, rest in ((written, ""), (where, at + scale)):
        if path and Path(path).expanduser().exists():
            return str(Path(path).expanduser().resolve()) + rest
    return written


def _split(written: str) -> tuple[str, float]:
    where, at, number = written.rpartition("@")
    if not at or Path(written).exists():  # a name may hold the sign itself
        return written, 1.0
    try:
        scale = float(number)
    except ValueError:
        scale = math.nan
    if not math.isfinite(scale):
        raise GenerationError(f"`lora` {written}: scale is {number!r}; allowed: a number, as @0.8")
    return where, scale


def _download(model: str, revision: str | None) -> str:
    hub = import_extra("huggingface_hub", extra="models")
    return str(hub.snapshot_download(model, revision=revision, allow_patterns=[f"*{_ENDING}"]))


def fuse_adapters(pipeline: Any, adapters: Sequence[Adapter]) -> None:
    """Add adapters to a pipeline's weights for good; afterwards they cost no time.

    Raises:
        GenerationError: The pipeline takes none, or an adapter is for another model.
    """
    if not adapters:
        return
    import_extra("peft", extra="lora")
    if not hasattr(pipeline, "load_lora_weights"):
        raise GenerationError(f"{type(pipeline).__name__} takes no LoRA; leave `lora` out")
    names = [f"adapter_{i}" for i in range(len(adapters))]
    with quietly("diffusers", "transformers"):
        for name, adapter in zip(names, adapters, strict=True):
            with loading(adapter.file, "diffusers", "transformers", error=GenerationError):
                _load(pipeline, name, adapter)
        pipeline.set_adapters(names, [adapter.scale for adapter in adapters])
        pipeline.fuse_lora(adapter_names=names)
        pipeline.unload_lora_weights()


def _load(pipeline: Any, name: str, adapter: Adapter) -> None:
    try:
        pipeline.load_lora_weights(
            str(adapter.file.parent),
            weight_name=adapter.file.name,
            adapter_name=name,
            local_files_only=True,
            use_safetensors=True,
        )
    except Exception as problem:  # an adapter is foreign input: anything may be wrong
        raise GenerationError(
            f"`lora` {adapter.file}: cannot be loaded into {type(pipeline).__name__}: "
            f"{first_line(problem)}"
        ) from problem
    # Of weights for other layers nothing is loaded and nothing is said.
    if not any(name in found for found in pipeline.get_list_adapters().values()):
        raise GenerationError(
            f"`lora` {adapter.file}: contains nothing for {type(pipeline).__name__}; "
            "it was trained for another model"
        )
