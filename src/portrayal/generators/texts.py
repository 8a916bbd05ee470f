"""Prompts on their way into a pipeline: do they fit, and their embeddings, computed once each."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from portrayal.errors import PromptTooLong
from portrayal.loading import import_extra

EMBEDDINGS: Mapping[str, tuple[str, ...]] = {
    "StableDiffusionPipeline": ("prompt_embeds", "negative_prompt_embeds"),
    "StableDiffusionXLPipeline": (
        "prompt_embeds",
        "negative_prompt_embeds",
        "pooled_prompt_embeds",
        "negative_pooled_prompt_embeds",
    ),
    "StableDiffusion3Pipeline": (
        "prompt_embeds",
        "negative_prompt_embeds",
        "pooled_prompt_embeds",
        "negative_pooled_prompt_embeds",
    ),
    "FluxPipeline": ("prompt_embeds", "pooled_prompt_embeds", "text_ids"),
    "PixArtAlphaPipeline": (
        "prompt_embeds",
        "prompt_attention_mask",
        "negative_prompt_embeds",
        "negative_prompt_attention_mask",
    ),
    "PixArtSigmaPipeline": (
        "prompt_embeds",
        "prompt_attention_mask",
        "negative_prompt_embeds",
        "negative_prompt_attention_mask",
    ),
}
"""What `encode_prompt` of a pipeline returns. Pipelines that are not here get plain prompts."""

FIXED: Mapping[str, object] = {"clean_caption": False}
"""Arguments whose defaults would make images depend on which packages happen to be installed."""

_SHARED = "negative_"
_MADE_BY_THE_CALL = frozenset({"text_ids"})
_REMEMBERED_BYTES = 256 * 2**20
_COUNTED_AT_ONCE = 1024
_SHOWN = 120


class PromptEmbeddings:
    """Encodes each distinct prompt once and remembers the latest ones.

    Args:
        pipeline: A pipeline whose class is in `EMBEDDINGS`.
        guided: Whether the pipeline will also need the embedding of the negative prompt.
        negative_prompt: What the images shall not show; None for the pipeline's own default.
    """

    def __init__(self, pipeline: Any, *, guided: bool, negative_prompt: str | None) -> None:
        self._pipeline = pipeline
        self._guided = guided
        self._negative_prompt = negative_prompt
        self._names = EMBEDDINGS[type(pipeline).__name__]
        self._options = _options(pipeline)
        self._known: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._shared: dict[str, Any] = {}
        self._capacity = 0

    def arguments(self, prompts: Sequence[str]) -> dict[str, Any]:
        """Return what the pipeline's call takes in place of these prompts."""
        torch = import_extra("torch", extra="models")
        new = [prompt for prompt in dict.fromkeys(prompts) if prompt not in self._known]
        if new:
            self._encode(new)
        for prompt in prompts:
            self._known.move_to_end(prompt)
        rows = [self._known[prompt] for prompt in prompts]
        found = {name: torch.cat([row[name] for row in rows]) for name in rows[0]}
        shared = {name: torch.cat([row] * len(prompts)) for name, row in self._shared.items()}
        # Some calls have "" as their default negative prompt and then refuse its embedding.
        return {"prompt": None, **found, **shared, **self._no_negative_text()}

    def _no_negative_text(self) -> dict[str, None]:
        takes = "negative_prompt" in inspect.signature(self._pipeline.__call__).parameters
        return {"negative_prompt": None} if takes else {}

    def _encode(self, prompts: list[str]) -> None:
        options = dict(self._options)
        if "do_classifier_free_guidance" in options:
            # The negative prompt is the same for all: encoded with the first, then remembered.
            options["do_classifier_free_guidance"] = self._guided and not self._shared
        if self._negative_prompt is not None and "negative_prompt" in options:
            options["negative_prompt"] = [self._negative_prompt] * len(prompts)
        encoded = self._pipeline.encode_prompt(prompts, **options)
        rows: list[dict[str, Any]] = [{} for _ in prompts]
        for name, tensor in zip(self._names, encoded, strict=True):
            if tensor is None or name in _MADE_BY_THE_CALL:
                continue
            if name.startswith(_SHARED):
                self._shared[name] = tensor[:1].clone()
                continue
            for i, row in enumerate(rows):
                row[name] = tensor[i : i + 1].clone()
        size = sum(tensor.nbytes for tensor in rows[0].values())
        self._capacity = max(len(prompts), _REMEMBERED_BYTES // max(1, size))
        for prompt, row in zip(prompts, rows, strict=True):
            self._known[prompt] = row
        while len(self._known) > max(self._capacity, len(prompts)):
            self._known.popitem(last=False)


class TextWindow:
    """Counts tokens, so that no prompt is cut without anybody noticing.

    Every text encoder of a pipeline must be able to read the whole prompt.
    """

    def __init__(self, pipeline: Any, *, truncate: bool) -> None:
        self._truncate = truncate
        self._readers = list(_readers(pipeline))

    def check(self, prompts: Iterable[str], *, what: str = "prompt") -> int:
        """Return how many prompts will be cut.

        Args:
            prompts: The texts.
            what: What they are, for the message.

        Raises:
            PromptTooLong: One would be, and truncation was not asked for.
        """
        texts = list(prompts)
        cut: dict[str, str] = {}
        for tokenizer, window in self._readers:
            for start in range(0, len(texts), _COUNTED_AT_ONCE):
                some = texts[start : start + _COUNTED_AT_ONCE]
                counted = tokenizer(some, truncation=False, padding=False, verbose=False)
                for prompt, ids in zip(some, counted["input_ids"], strict=True):
                    if len(ids) > window:
                        cut.setdefault(prompt, _too_long(what, prompt, len(ids), window))
        if cut and not self._truncate:
            raise PromptTooLong(next(iter(cut.values())), list(cut))
        return len(cut)


def _too_long(what: str, prompt: str, tokens: int, window: int) -> str:
    shown = prompt if len(prompt) <= _SHOWN else prompt[: _SHOWN - 1] + "…"
    return (
        f"{what} {shown!r} has {tokens} tokens, but the text encoder reads {window}; "
        "shorten it, or let the rest be cut with `truncate`"
    )


def _readers(pipeline: Any) -> Iterable[tuple[Any, int]]:
    """Yield each tokenizer of a pipeline with the number of tokens that reach the model."""
    longest = inspect.signature(pipeline.__call__).parameters.get("max_sequence_length")
    for suffix in ("", "_2", "_3", "_4"):
        tokenizer = getattr(pipeline, f"tokenizer{suffix}", None)
        if tokenizer is None or not hasattr(tokenizer, "model_max_length"):
            continue
        encoder = getattr(pipeline, f"text_encoder{suffix}", None)
        positions = getattr(getattr(encoder, "config", None), "max_position_embeddings", None)
        limits = [int(tokenizer.model_max_length)]
        if isinstance(positions, int):
            limits.append(positions)
        if longest is not None and "CLIP" not in type(tokenizer).__name__:
            limits.append(int(longest.default))
        yield tokenizer, min(limits)


def _options(pipeline: Any) -> dict[str, Any]:
    """Return the arguments with which the pipeline's call would encode prompts."""
    called = inspect.signature(pipeline.__call__).parameters
    options: dict[str, Any] = {"num_images_per_prompt": 1}
    for name, parameter in inspect.signature(pipeline.encode_prompt).parameters.items():
        if name == "prompt" or parameter.kind is parameter.VAR_KEYWORD:
            continue
        if name == "device":
            options[name] = pipeline._execution_device
        elif name in called and name != "num_images_per_prompt":
            options[name] = FIXED.get(name, called[name].default)
        elif name == "do_classifier_free_guidance":
            options[name] = True
    return options
