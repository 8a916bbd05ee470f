"""Pipeline folders in the layout of diffusers: what is in them, what they are hashed by, loading.

Only safetensors are read and no code of a model is run: a pickle, or a pipeline that names code of
its own, is an error that says so. So is one that is not whole.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.errors import GenerationError, one_of
from portrayal.loading import (
    DTYPES,
    ModelSource,
    configuration_files,
    configuration_hash,
    first_line,
    import_extra,
    loading,
    quietly,
    require_known_files,
    require_vocabulary,
    weight_files,
    weights_hash,
)

INDEX = "model_index.json"
DEFAULTS = "portrayal.json"
"""Optional file of a pipeline folder: the settings at which the model is meant to be used."""

TEXT_TO_IMAGE = (
    "StableDiffusionPipeline",
    "StableDiffusionXLPipeline",
    "StableDiffusion3Pipeline",
    "FluxPipeline",
    "PixArtAlphaPipeline",
    "PixArtSigmaPipeline",
)
"""Classes that make images from text; the usual ones, others are looked up."""

_DEFAULTABLE: Mapping[str, tuple[tuple[type, ...], str]] = {
    "steps": ((int,), "a whole number"),
    "guidance": ((int, float), "a number"),
    "width": ((int,), "a whole number"),
    "height": ((int,), "a whole number"),
    "scheduler": ((str,), "a text"),
    "negative_prompt": ((str,), "a text"),
    "dtype": ((str,), one_of(DTYPES)),
}
"""What a portrayal.json may hold: of which types, and how to say so."""


@dataclass(frozen=True, slots=True)
class PipelineFiles:
    """The files of a pipeline that loading reads.

    Attributes:
        source: Where they lie.
        class_name: The class of diffusers that the index names.
        components: Names of the parts that have a folder (unet, vae, tokenizer, ...).
        variant: "fp16" where a part has its weights in no other form.
    """

    source: ModelSource
    class_name: str
    components: tuple[str, ...]
    variant: str | None

    @property
    def weights_hash(self) -> str:
        """Hash of every weight file that is loaded."""
        files = [
            file
            for name in self.components
            for file in weight_files(self.source.folder / name, variant=self.variant)
        ]
        return weights_hash(self.source.folder, files)

    @property
    def configuration_hash(self) -> str:
        """Hash of configurations and vocabularies, but the scheduler's, which is spelled out."""
        files = [
            file
            for name in self.components
            if name != "scheduler"
            for file in configuration_files(self.source.folder / name)
        ]
        return configuration_hash(self.source.folder, files)


def read_pipeline_files(source: ModelSource) -> PipelineFiles:
    """Read a pipeline folder's index and check that all of it may be loaded.

    Raises:
        GenerationError: There is no index, a part is a pickle, or a part needs foreign code.
    """
    index = _read_json(source.folder / INDEX, "it is not a diffusers pipeline")
    kinds = {
        name: value
        for name, value in index.items()
        if isinstance(value, list) and len(value) == 2 and value[0] is not None
    }
    for name, (library, _) in kinds.items():
        _refuse_foreign_code(source.folder / INDEX, name, library)
    if not isinstance(index.get("_class_name"), str):
        raise GenerationError(
            f"{source.folder / INDEX}: _class_name is {index.get('_class_name')!r}; "
            "allowed: a pipeline of diffusers (pipelines with code of their own are not run)"
        )
    folders = [source.folder / name for name in sorted(kinds)]
    present = [folder for folder in folders if folder.is_dir()]
    if absent := [folder.name for folder in folders if not folder.is_dir()]:
        raise GenerationError(
            f"{source.folder}: {INDEX} names {one_of(absent)}, but there is no such folder; "
            "get the whole model again"
        )
    for folder in present:
        require_known_files(folder, error=GenerationError)
    only_fp16 = any(weight_files(f, variant="fp16") and not weight_files(f) for f in present)
    variant = "fp16" if only_fp16 else None
    return PipelineFiles(source, index["_class_name"], tuple(f.name for f in present), variant)


def read_defaults(source: ModelSource) -> dict[str, Any]:
    """Return the settings that a pipeline folder asks for in its portrayal.json, if it has one."""
    file = source.folder / DEFAULTS
    if not file.exists():
        return {}
    found = _read_json(file, "its settings cannot be read")
    for name, value in found.items():
        if name not in _DEFAULTABLE:
            names = one_of(list(_DEFAULTABLE))
            raise GenerationError(f"{file}: {name} is unknown; allowed: {names}")
        types, allowed = _DEFAULTABLE[name]
        is_dtype = name != "dtype" or value in DTYPES
        if not isinstance(value, types) or isinstance(value, bool) or not is_dtype:
            raise GenerationError(f"{file}: {name} is {value!r}; allowed: {allowed}")
    return found


def load_pipeline(files: PipelineFiles, *, dtype: str) -> Any:
    """Load a text-to-image pipeline to the CPU, without bars and remarks.

    Raises:
        GenerationError: It cannot be loaded, or it makes no images from text.
    """
    torch = import_extra("torch", extra="models")
    diffusers = import_extra("diffusers", extra="models")
    options = {
        "torch_dtype": getattr(torch, dtype),
        "use_safetensors": True,
        "local_files_only": True,
        "trust_remote_code": False,
        "variant": files.variant,
    }
    folder = files.source.folder
    try:
        with loading(folder, "transformers", "diffusers", error=GenerationError):
            pipeline = _from_pretrained(diffusers, files, options)
            pipeline.set_progress_bar_config(disable=True)
            for name in files.components:
                if name.startswith("tokenizer"):
                    require_vocabulary(
                        getattr(pipeline, name), folder / name, error=GenerationError
                    )
    except GenerationError:
        raise
    except Exception as problem:  # a model folder is foreign input: anything may be wrong
        raise GenerationError(f"{folder}: cannot be loaded: {first_line(problem)}") from problem
    return pipeline


def _from_pretrained(diffusers: Any, files: PipelineFiles, options: Mapping[str, Any]) -> Any:
    """Load by the class that the index names where that makes images from text.

    The automatic class would do the same, after importing every pipeline of diffusers, which takes
    a second. It is for folders that name another task's class, as inpainting models do.
    """
    folder = files.source.folder
    if files.class_name not in TEXT_TO_IMAGE:
        # A pipeline without an automatic class is loaded by its own, below.
        with contextlib.suppress(ValueError):
            return diffusers.AutoPipelineForText2Image.from_pretrained(folder, **options)
    return diffusers.DiffusionPipeline.from_pretrained(folder, **options)


def lay_channels_last(pipeline: Any) -> None:
    """Order the weights of convolutions as tensor cores read them; transformers have none."""
    torch = import_extra("torch", extra="models")
    for name in ("unet", "vae"):
        if (network := getattr(pipeline, name, None)) is not None:
            network.to(memory_format=torch.channels_last)


def use_scheduler(pipeline: Any, name: str) -> None:
    """Give a pipeline another scheduler, configured like its own."""
    diffusers = import_extra("diffusers", extra="models")
    fitting = {kind.__name__ for kind in pipeline.scheduler.compatibles}
    fitting.add(type(pipeline.scheduler).__name__)
    chosen = name if name in fitting else f"{name}Scheduler"
    if chosen not in fitting:
        raise GenerationError(f"scheduler {name!r} is unknown; allowed: {one_of(sorted(fitting))}")
    try:
        with quietly("diffusers"):
            kind = getattr(diffusers, chosen)
            pipeline.scheduler = kind.from_config(pipeline.scheduler.config)
    except Exception as problem:  # of a configuration made for another one; anything may be missing
        raise GenerationError(
            f"scheduler {name!r} cannot be used with this model here: {first_line(problem)}"
        ) from problem


def _read_json(file: Path, what: str) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise GenerationError(f"{file.parent}: {what}: it has no {file.name}") from None
    except (OSError, ValueError) as problem:
        raise GenerationError(f"{file}: {what}: {first_line(problem)}") from problem
    if not isinstance(data, dict):
        raise GenerationError(f"{file}: {what}: not a JSON object")
    return data


def _refuse_foreign_code(file: Path, component: str, library: object) -> None:
    if library in ("diffusers", "transformers"):
        return
    pipelines = import_extra("diffusers.pipelines", extra="models")
    if not isinstance(library, str) or not hasattr(pipelines, library):
        raise GenerationError(
            f"{file}: {component} comes from {library!r}; allowed: diffusers, transformers "
            "(models with code of their own are not run)"
        )
