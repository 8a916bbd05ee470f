"""Any text-to-image pipeline that diffusers loads, as a generator.

The noise of every image comes from a generator of its own, on the CPU: an image depends on its
prompt and seed alone, not on the batch that it was made in, nor on the order or the device.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, fields, replace
from typing import Any

from portrayal.errors import GenerationError
from portrayal.generators.adapters import Adapter, find_adapter, fuse_adapters
from portrayal.generators.batches import COMPILED_PIXELS, batch_for_gpu
from portrayal.generators.compilation import Compilation
from portrayal.generators.kept_text import KeptText
from portrayal.generators.pipelines import (
    PipelineFiles,
    lay_channels_last,
    load_pipeline,
    read_defaults,
    read_pipeline_files,
    use_scheduler,
)
from portrayal.generators.placement import move_in_turns, placement_for
from portrayal.generators.registry import GeneratorKind
from portrayal.generators.sent import SentImages
from portrayal.generators.settings import SETTINGS
from portrayal.generators.slices import decode_in_slices
from portrayal.generators.steps import know_timesteps
from portrayal.generators.texts import EMBEDDINGS, FIXED, PromptEmbeddings, TextWindow
from portrayal.loading import (
    ModelSource,
    choose_device,
    choose_dtype,
    find_source,
    import_extra,
    quietly,
)
from portrayal.records import GeneratedImage, Identity, Request, plain

_BATCH = {"cpu": 16, "mps": 8}
_CALL_NAMES = {"steps": "num_inference_steps", "guidance": "guidance_scale"}


@dataclass(frozen=True, slots=True)
class Weights:
    """Which of a model's weights are loaded, and as what.

    Attributes:
        revision: A branch, tag or commit of the Hub.
        dtype: float32, bfloat16 or float16; by default float32 on a CPU, bfloat16 on a GPU.
        lora: Adapters, each a file, a folder or a Hub id, with "@SCALE" behind it or without.
    """

    revision: str | None = None
    dtype: str | None = None
    lora: Sequence[str] = ()

    @classmethod
    def names(cls) -> set[str]:
        """Return the names of the settings."""
        return {one.name for one in fields(cls)}


@dataclass(frozen=True, slots=True)
class Sampling:
    """How images are sampled; None leaves it to the pipeline folder.

    Attributes:
        steps: Denoising steps.
        guidance: Scale of classifier-free guidance.
        width: Pixels.
        height: Pixels.
        scheduler: A scheduler of diffusers that fits the model, e.g. "DPMSolverMultistep".
        negative_prompt: What the images shall not show.
    """

    steps: int | None = None
    guidance: float | None = None
    width: int | None = None
    height: int | None = None
    scheduler: str | None = None
    negative_prompt: str | None = None


class DiffusersGenerator:
    """A loaded pipeline with its settings; made by `open_diffusers`.

    Args:
        pipeline: A text-to-image pipeline of diffusers, on its device.
        name: The name under which people know the model.
        sampling: How to sample; what is None there is the pipeline's own default.
        files: What identifies the model's files, for the identity.
        batch_size: How many images to make at once.
        truncate: Let prompts be cut to the text window.
        compilation: When to compile the network; never where left out.
    """

    def __init__(
        self,
        pipeline: Any,
        name: str,
        sampling: Sampling,
        *,
        files: dict[str, Any],
        batch_size: int,
        truncate: bool = False,
        compilation: Compilation | None = None,
    ) -> None:
        self.batch_size = batch_size
        self._pipeline = pipeline
        self._compilation = compilation or Compilation(pipeline, mode="off", device="cpu")
        parameters = inspect.signature(pipeline.__call__).parameters
        if "prompt" not in parameters:
            raise GenerationError(f"{name}: {type(pipeline).__name__} makes no images from text")
        if sampling.scheduler is not None:
            use_scheduler(pipeline, sampling.scheduler)
        know_timesteps(pipeline.scheduler)
        self._sampling = _complete(name, pipeline, sampling)
        self._call = self._call_arguments(name, parameters)
        self._window = TextWindow(pipeline, truncate=truncate)
        self._texts: PromptEmbeddings | None = None
        if type(pipeline).__name__ in EMBEDDINGS:
            guided = (self._sampling.guidance or 0.0) > 1.0
            negative = self._sampling.negative_prompt
            self._texts = PromptEmbeddings(pipeline, guided=guided, negative_prompt=negative)
        unet = getattr(pipeline, "unet", None)
        can_keep = unet is not None and self._texts is not None and not _moves(pipeline)
        self._kept = KeptText(unet) if can_keep else None
        cut = {"truncate": True} if truncate else {}
        self.identity = Identity("diffusers", name, {**files, **self._settings(), **cut})

    def check(self, prompts: Iterable[str]) -> int:
        """Return how many prompts will be cut; raise where cutting was not allowed."""
        if self._sampling.negative_prompt:
            self._window.check([self._sampling.negative_prompt], what="negative prompt")
        return self._window.check(prompts)

    def expect(self, images: int) -> None:
        """Take note of how many images are to be made: a long run is worth compiling for."""
        self._compilation.expect(images)

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        """Make one image for each request."""
        return self._compilation.run(self._generate, requests)

    @property
    def works_ahead(self) -> bool:
        """Whether `begin` returns before the images are made: on a GPU, with compiled networks.

        Before, the time of a batch decides whether to compile.
        """
        return self._compilation.compiled and self._pipeline.device.type == "cuda"

    def begin(self, requests: Sequence[Request]) -> Callable[[], list[GeneratedImage]]:
        """Send a batch to the GPU; return what waits for its images."""
        with self._compilation.at_one_size(requests) as filled:
            sent = self._send(filled)
        return lambda: sent.images()[: len(requests)]

    def probe(self, requests: Sequence[Request], steps: int) -> list[GeneratedImage]:
        """Make images in a few steps: worthless, but they take as much memory as good ones."""
        return self._generate(requests, {"num_inference_steps": steps})

    def _generate(
        self, requests: Sequence[Request], instead: Mapping[str, Any] | None = None
    ) -> list[GeneratedImage]:
        return self._send(requests, instead).images()

    def _send(
        self, requests: Sequence[Request], instead: Mapping[str, Any] | None = None
    ) -> SentImages:
        torch = import_extra("torch", extra="models")
        noise = [torch.Generator("cpu").manual_seed(request.seed) for request in requests]
        prompts = [request.prompt for request in requests]
        with torch.inference_mode(), quietly("diffusers", "transformers"):
            texts = self._texts_for(prompts)
            with (
                self._reading(texts),
                self._compilation.running(is_guided=self._is_guided(texts)),
            ):
                output = self._pipeline(
                    **texts,
                    **{**self._call, **(instead or {})},
                    generator=noise,
                    output_type="pt",
                )
            return SentImages(output)

    def _reading(self, texts: Mapping[str, Any]) -> contextlib.AbstractContextManager[None]:
        if self._kept is None:
            return contextlib.nullcontext()
        return self._kept.reading(_as_the_unet_gets_it(self._pipeline, texts))

    def _is_guided(self, texts: Mapping[str, Any]) -> bool:
        """Whether the UNet gets every latent twice, for two texts."""
        return self._kept is not None and _has_two_texts(self._pipeline, texts)

    def _texts_for(self, prompts: list[str]) -> dict[str, Any]:
        if self._texts is not None:
            return self._texts.arguments(prompts)
        negative = self._sampling.negative_prompt
        return {"prompt": prompts} | (
            {} if negative is None else {"negative_prompt": [negative] * len(prompts)}
        )

    def _call_arguments(self, name: str, parameters: Any) -> dict[str, Any]:
        """Return the settings under the names that the pipeline's call has for them."""
        call = {name: value for name, value in FIXED.items() if name in parameters}
        for setting in ("steps", "guidance", "width", "height"):
            value = getattr(self._sampling, setting)
            key = _CALL_NAMES.get(setting, setting)
            if value is None:
                continue
            if key not in parameters:
                raise GenerationError(f"{name}: this pipeline has no {setting}; leave it out")
            call[key] = value
        if self._sampling.negative_prompt is not None:
            if "true_cfg_scale" in parameters:
                raise GenerationError(f"{name}: this pipeline's guidance has no negative prompt")
            if self._sampling.guidance is not None and self._sampling.guidance <= 1:
                raise GenerationError(
                    f"{name}: a negative prompt does nothing at guidance "
                    f"{self._sampling.guidance:g}; allowed: guidance above 1, or no negative prompt"
                )
        return call

    def _settings(self) -> dict[str, Any]:
        scheduler = self._pipeline.scheduler
        config = {k: v for k, v in scheduler.config.items() if not k.startswith("_")}
        found = {
            "pipeline": type(self._pipeline).__name__,
            "scheduler": type(scheduler).__name__,
            "scheduler_config": plain(config),
            "steps": self._sampling.steps,
            "guidance": self._sampling.guidance,
            "width": self._sampling.width,
            "height": self._sampling.height,
            "negative_prompt": self._sampling.negative_prompt,
            "dtype": str(self._pipeline.dtype).removeprefix("torch."),
        }
        return {name: value for name, value in found.items() if value is not None}


def open_diffusers(
    model: str,
    *,
    name: str | None = None,
    device: str | None = None,
    batch_size: int | None = None,
    truncate: bool = False,
    compile: str = "auto",
    **settings: Any,
) -> DiffusersGenerator:
    """Load a pipeline by folder or Hub id; where its weights are larger than a GPU, in turns.

    Args:
        model: A folder, or an id such as "owner/name".
        name: The model's name in the identity; its Hub id or the folder's last name if left out.
        device: Where to run; by default a GPU where there is one.
        batch_size: Images at once; where left out, on a GPU the fastest number that fits. Halved
            by the loop where memory runs out.
        truncate: Let prompts be cut to the text window; kept in the identity.
        compile: "auto" compiles the network on a GPU where the run is long enough; "on"; "off".
        settings: The fields of `Weights` and of `Sampling`.

    Raises:
        GenerationError: No such model, or it cannot be loaded safely.
    """
    weights = Weights(**{one: settings.pop(one) for one in Weights.names() & settings.keys()})
    source = find_source(
        model, revision=weights.revision, download=_download, error=GenerationError
    )
    files = read_pipeline_files(source)
    defaults = read_defaults(source)
    place = choose_device(device, error=GenerationError)
    usual = defaults.pop("dtype", None) or ("bfloat16" if place.startswith("cuda") else "float32")
    kind = choose_dtype(weights.dtype, default=usual, error=GenerationError)
    if batch_size is not None and batch_size < 1:
        raise GenerationError(f"batch_size is {batch_size}; allowed: 1 or more")
    sampling = {key: value for key, value in settings.items() if value is not None}
    adapters = [find_adapter(written) for written in weights.lora]  # before gigabytes are loaded
    hashes = ThreadPoolExecutor(1, "portrayal-hash")  # while the weights load
    weights_hash = hashes.submit(copy_context().run, lambda: files.weights_hash)
    hashes.shutdown(wait=False)
    pipeline = load_pipeline(files, dtype=kind)
    placement = placement_for(pipeline, place)
    if placement == "whole":
        pipeline.to(place)
    fuse_adapters(pipeline, adapters)
    if placement != "whole":
        move_in_turns(pipeline, placement, place)
    return generator_of(
        pipeline,
        name or source.name,
        replace(Sampling(**defaults), **sampling),
        files=_files_identity(source, files, weights_hash.result(), adapters),
        batch_size=batch_size,
        truncate=truncate,
        compile=compile if placement == "whole" else "off",
    )


def generator_of(
    pipeline: Any,
    name: str,
    sampling: Sampling,
    *,
    files: dict[str, Any],
    batch_size: int | None = None,
    truncate: bool = False,
    compile: str = "auto",
) -> DiffusersGenerator:
    """Return a generator on a pipeline that is ready to run, at its best on its device.

    Args:
        pipeline: A text-to-image pipeline of diffusers, on its device.
        name: The model's name in the identity.
        sampling: How to sample.
        files: What identifies the model's files, for the identity.
        batch_size: Images at once; where left out, on a GPU the fastest number that fits.
        truncate: Let prompts be cut to the text window.
        compile: See `open_diffusers`.
    """
    device = str(pipeline._execution_device)
    if device.startswith("cuda") and not _moves(pipeline):
        lay_channels_last(pipeline)
    decode_in_slices(pipeline)
    compilation = Compilation(pipeline, mode=compile, device=device)
    generator = DiffusersGenerator(
        pipeline,
        name,
        sampling,
        files=files,
        batch_size=batch_size or _BATCH.get(device.partition(":")[0], 16),
        truncate=truncate,
        compilation=compilation,
    )
    if batch_size is None and device.startswith("cuda"):
        settings = generator.identity.settings
        pixels = settings.get("width", 512) * settings.get("height", 512)
        generator.batch_size = batch_for_gpu(
            generator.probe,
            generator.identity,
            steps=settings.get("steps", 1),
            device=device,
            at_least=COMPILED_PIXELS // pixels if compilation.may_compile_whole else 1,
        )
    return generator


def _files_identity(
    source: ModelSource, files: PipelineFiles, weights_hash: str, adapters: Sequence[Adapter]
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "weights": weights_hash,
        "configuration": files.configuration_hash,
    }
    if source.revision is not None:
        found["revision"] = source.revision
    if adapters:
        found["adapters"] = [adapter.as_dict() for adapter in adapters]
    return found


def _download(model: str, revision: str | None) -> str:
    with quietly("transformers"):  # it is imported by the next line, and remarks on its backends
        pipeline = import_extra("diffusers", extra="models").DiffusionPipeline
    return str(
        pipeline.download(model, revision=revision, use_safetensors=True, trust_remote_code=False)
    )


def _complete(name: str, pipeline: Any, sampling: Sampling) -> Sampling:
    """Fill in what the pipeline would take by itself, so that the identity says it."""
    parameters = inspect.signature(pipeline.__call__).parameters
    found = {}
    for setting, key in _CALL_NAMES.items():
        if getattr(sampling, setting) is None and key in parameters:
            found[setting] = parameters[key].default
    height, width = _own_size(pipeline)
    if sampling.width is None:
        found["width"] = width
    if sampling.height is None:
        found["height"] = height
    complete = replace(sampling, **found)
    for setting, least, step in (("steps", 1, 1), ("width", 8, 8), ("height", 8, 8)):
        value = getattr(complete, setting)
        if value is not None and (value != int(value) or value < least or value % step):
            allowed = "1 or more" if step == 1 else f"a multiple of {step}"
            raise GenerationError(f"{name}: {setting} is {value}; allowed: {allowed}")
    if complete.guidance is not None and not 0 <= complete.guidance < float("inf"):
        raise GenerationError(f"{name}: guidance is {complete.guidance}; allowed: 0 or more")
    _require_steps(name, pipeline.scheduler, complete.steps)
    return complete


def _require_steps(name: str, scheduler: Any, steps: int | None) -> None:
    """Refuse more steps than a scheduler can take, before every image fails for them."""
    most = scheduler.config.get("num_train_timesteps")
    if steps is not None and isinstance(most, int) and steps > most:
        kind = type(scheduler).__name__
        raise GenerationError(f"{name}: steps is {steps}; allowed: 1 to {most} ({kind})")


def _as_the_unet_gets_it(pipeline: Any, texts: Mapping[str, Any]) -> Any:
    """Return the text embeddings of one batch, those without the prompt first under guidance."""
    torch = import_extra("torch", extra="models")
    if not _has_two_texts(pipeline, texts):
        return texts["prompt_embeds"]
    return torch.cat([texts["negative_prompt_embeds"], texts["prompt_embeds"]])


def _has_two_texts(pipeline: Any, texts: Mapping[str, Any]) -> bool:
    """Whether a UNet pipeline works with classifier-free guidance."""
    negative = texts.get("negative_prompt_embeds")
    return negative is not None and pipeline.unet.config.time_cond_proj_dim is None


def _moves(pipeline: Any) -> bool:
    """Whether weights come to the device only when they are needed."""
    return bool(pipeline.device != pipeline._execution_device)


def _own_size(pipeline: Any) -> tuple[int | None, int | None]:
    """Return the height and width that a pipeline takes when it is not told."""
    network = getattr(pipeline, "unet", None) or getattr(pipeline, "transformer", None)
    sample = getattr(pipeline, "default_sample_size", None)
    if sample is None:
        sample = getattr(getattr(network, "config", None), "sample_size", None)
    scale = getattr(pipeline, "vae_scale_factor", None)
    if sample is None or scale is None:
        return None, None
    height, width = sample if isinstance(sample, (list, tuple)) else (sample, sample)
    return int(height * scale), int(width * scale)


KIND = GeneratorKind(
    written="a folder or a Hub id (owner/name)",
    open=open_diffusers,
    settings=SETTINGS,
    general=True,
    identity_kind="diffusers",
)
