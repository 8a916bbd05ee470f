"""Sentence encoders: one vector a caption, for finding captions that resemble a prompt.

Any model of sentence-transformers by folder or Hub id (all-MiniLM-L6-v2 in the amplification
paper), or the text tower of a CLIP. The paper prefers an encoder that is not the image model's own,
so that its leanings do not choose the captions.

Captions longer than an encoder's window are cut, as sentence-transformers does; the window is part
of the identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from portrayal.errors import LanguageError
from portrayal.language.registry import LanguageKind, open_text_model
from portrayal.loading import (
    ModelSource,
    choose_device,
    configuration_files,
    configuration_hash,
    find_source,
    first_line,
    import_extra,
    loading,
    quietly,
    require_known_files,
    require_vocabulary,
    weight_files,
    weights_hash,
)
from portrayal.records import Identity

FloatArray = npt.NDArray[np.float32]
_HOME = "sentence-transformers"
"""Where the Hub keeps models that are named without an owner."""
_WANTED = ["*.json", "*.txt", "*.model", "*.safetensors", "*/*.json", "*/*.safetensors"]


class SentenceEncoder(Protocol):
    """Turns texts into vectors; near vectors mean like texts."""

    @property
    def identity(self) -> Identity:
        """Everything that changes a vector, and nothing else."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return one row a text, as the model gives it (not normalised)."""


class SentenceTransformerEncoder:
    """A model of sentence-transformers.

    Args:
        folder: Where it lies.
        identity: What changes its vectors, without the window.
        device: Where to run.
        batch_size: Texts at once.
    """

    def __init__(self, folder: Path, identity: Identity, *, device: str, batch_size: int) -> None:
        library = import_extra("sentence_transformers", extra="corpus")
        with loading(folder, "transformers", error=LanguageError):
            self._model = library.SentenceTransformer(
                str(folder),
                device=device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        self._batch_size = batch_size
        window = {"window": self._model.max_seq_length}
        self.identity = Identity(identity.kind, identity.name, {**identity.settings, **window})

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return one row a text."""
        with quietly("transformers"):
            rows = self._model.encode(
                list(texts),
                batch_size=self._batch_size,
                convert_to_numpy=True,
                normalize_embeddings=False,
                show_progress_bar=False,
            )
        return np.asarray(rows, dtype=np.float32)


class ClipTexts:
    """The text tower of a CLIP in the layout of transformers.

    Args:
        folder: Where it lies.
        identity: What changes its vectors, without the window.
        device: Where to run.
        batch_size: Texts at once.
    """

    def __init__(self, folder: Path, identity: Identity, *, device: str, batch_size: int) -> None:
        self._torch = import_extra("torch", extra="models")
        transformers = import_extra("transformers", extra="models")
        with loading(folder, "transformers", error=LanguageError):
            options = {"local_files_only": True, "trust_remote_code": False}
            self._model = transformers.CLIPTextModelWithProjection.from_pretrained(
                folder, use_safetensors=True, dtype=self._torch.float32, **options
            ).to(device)
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **options)
        require_vocabulary(self._tokenizer, folder, error=LanguageError)
        self._model.eval()
        self._batch_size = batch_size
        window = int(self._model.config.max_position_embeddings)
        self._window = min(window, int(self._tokenizer.model_max_length))
        settings = {**identity.settings, "window": self._window}
        self.identity = Identity(identity.kind, identity.name, settings)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return one row a text."""
        rows = np.zeros((len(texts), int(self._model.config.projection_dim)), np.float32)
        # Short ones beside short ones: nothing is padded to the length of the longest of all.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), self._batch_size):
            own = order[start : start + self._batch_size]
            rows[own] = self._batch([texts[at] for at in own])
        return rows

    def _batch(self, texts: Sequence[str]) -> Any:
        inputs = self._tokenizer(
            list(texts),
            truncation=True,
            max_length=self._window,
            padding="longest",
            return_tensors="pt",
        ).to(self._model.device)
        with self._torch.inference_mode():
            return self._model(**inputs).text_embeds.float().cpu().numpy()


def open_sentence_encoder(name: str, **settings: Any) -> SentenceEncoder:
    """Open a sentence encoder.

    Args:
        name: The name of an installed one, a folder, a Hub id, or the bare name of a model of
            sentence-transformers.
        settings: revision, device, batch_size.

    Raises:
        LanguageError: No such model, or it cannot be loaded safely.
        MissingExtra: A package that it needs is not installed.
    """
    found: SentenceEncoder = open_text_model("sentences", name, **settings)
    return found


def open_clip_texts(
    folder: Path, *, name: str, device: str | None = None, batch_size: int = 128
) -> ClipTexts:
    """Open the text tower of a CLIP as a sentence encoder.

    Args:
        folder: Where the CLIP lies.
        name: Its name in the identity.
        device: Where to run; by default a GPU where there is one.
        batch_size: Texts at once.
    """
    require_known_files(folder, error=LanguageError)
    settings = {
        "weights": weights_hash(folder, weight_files(folder)),
        "configuration": configuration_hash(folder, configuration_files(folder)),
    }
    where = _device(device, batch_size)
    identity = Identity("clip-texts", name, settings)
    return ClipTexts(folder, identity, device=where, batch_size=batch_size)


def open_sentence_transformer(
    name: str, *, revision: str | None = None, device: str | None = None, batch_size: int = 128
) -> SentenceEncoder:
    """Open a model of sentence-transformers.

    Args:
        name: A folder, a Hub id, or the bare name of a model of sentence-transformers.
        revision: A branch, tag or commit of the Hub.
        device: Where to run; by default a GPU where there is one.
        batch_size: Texts at once.

    Raises:
        LanguageError: No such model, or it cannot be loaded safely.
        MissingExtra: sentence-transformers is not installed.
    """
    where = _device(device, batch_size)
    # Before a model is looked for: without the package no model helps.
    import_extra("sentence_transformers", extra="corpus")
    source = _source(name, revision)
    endings = (".json", ".txt", ".model")
    files = [path for path in source.folder.rglob("*.*") if path.suffix in endings]
    settings = {
        "weights": weights_hash(source.folder, source.folder.rglob("*.safetensors")),
        "configuration": configuration_hash(source.folder, files),
        **({} if source.revision is None else {"revision": source.revision}),
    }
    identity = Identity("sentences", source.name, settings)
    try:
        return SentenceTransformerEncoder(
            source.folder, identity, device=where, batch_size=batch_size
        )
    except (LanguageError, ImportError):
        raise
    except Exception as problem:  # a model folder is foreign input: anything may be wrong
        reason = first_line(problem)
        raise LanguageError(f"{source.folder}: cannot be loaded: {reason}") from problem


def _device(device: str | None, batch_size: int) -> str:
    if batch_size < 1:
        raise LanguageError(f"batch_size is {batch_size}; allowed: 1 or more")
    return choose_device(device, error=LanguageError)


def _source(name: str, revision: str | None) -> ModelSource:
    bare = "/" not in name and not Path(name).expanduser().is_dir()
    model = f"{_HOME}/{name}" if bare else name
    source = find_source(model, revision=revision, download=_download, error=LanguageError)
    if (
        not (source.folder / "config.json").is_file()
        and not (source.folder / "modules.json").is_file()
    ):
        raise LanguageError(
            f"{source.folder}: not a model of sentence-transformers: it has neither modules.json "
            "nor config.json"
        )
    inside = [path for path in sorted(source.folder.rglob("*")) if path.is_dir()]
    for folder in (source.folder, *inside):
        require_known_files(folder, error=LanguageError)
    return source


def _download(model: str, revision: str | None) -> str:
    hub = import_extra("huggingface_hub", extra="models")
    return str(hub.snapshot_download(model, revision=revision, allow_patterns=_WANTED))


KIND = LanguageKind(
    role="sentences",
    written="a folder, a Hub id, or a model of sentence-transformers",
    open=open_sentence_transformer,
    general=True,
)
