"""A loaded masked language model: the probability of every whole word in a masked place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from portrayal.errors import LanguageError
from portrayal.language.registry import LanguageKind, open_text_model
from portrayal.language.vocabulary import read_vocabulary
from portrayal.loading import (
    ModelSource,
    choose_device,
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
from portrayal.records import Identity

_WANTED = ["*.json", "*.txt", "*.model", "*.safetensors"]


class MaskedPlace(NamedTuple):
    """A text with masks, and which of them is asked about."""

    text: str
    mask: int
    """Number of the mask in the text, from 0."""
    masks: int
    """How many masks the text has."""
    first: bool
    """Whether the mask opens the text."""


class MaskFiller:
    """A masked language model of transformers with its tokenizer.

    Args:
        folder: Where both lie.
        identity: Who it is.
        device: Where to run.
        batch_size: Texts at once.

    Raises:
        LanguageError: The model has no mask token.
    """

    def __init__(self, folder: Path, identity: Identity, *, device: str, batch_size: int) -> None:
        self.identity = identity
        self._torch = import_extra("torch", extra="models")
        transformers = import_extra("transformers", extra="models")
        with loading(folder, "transformers", error=LanguageError):
            options = {"local_files_only": True, "trust_remote_code": False}
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **options)
            if self._tokenizer.mask_token_id is None:
                raise LanguageError(
                    f"{identity.name}: its tokenizer has no mask token; allowed: masked language "
                    "models, such as BERT and RoBERTa"
                )
            self._model = transformers.AutoModelForMaskedLM.from_pretrained(
                folder, use_safetensors=True, dtype=self._torch.float32, **options
            ).to(device)
        require_vocabulary(self._tokenizer, folder, error=LanguageError)
        self._model.eval()
        self._batch_size = batch_size
        self.vocabulary = read_vocabulary(self._tokenizer)
        self.mask = str(self._tokenizer.mask_token)
        self.window = min(
            int(self._tokenizer.model_max_length),
            int(getattr(self._model.config, "max_position_embeddings", 10**9)),
        )

    def fill(
        self, places: Sequence[MaskedPlace], *, temperature: float = 1.0
    ) -> list[npt.NDArray[np.float64]]:
        """Return, for each place, the probability of every word of the vocabulary.

        What the model would give to pieces, punctuation and the like is left out, so a row sums to
        less than 1.

        Raises:
            LanguageError: A text is longer than the model's window, or holds masks of its own.
        """
        rows: list[npt.NDArray[np.float64]] = []
        for start in range(0, len(places), self._batch_size):
            rows += self._batch(places[start : start + self._batch_size], temperature)
        return rows

    def _batch(
        self, places: Sequence[MaskedPlace], temperature: float
    ) -> list[npt.NDArray[np.float64]]:
        torch = self._torch
        inputs = self._tokenizer(
            [place.text for place in places],
            return_tensors="pt",
            padding=True,
            truncation=False,
            verbose=False,
        )
        ids = inputs["input_ids"]
        if ids.shape[1] > self.window:
            raise LanguageError(
                f"{places[0].text!r}: {ids.shape[1]} tokens, {self.identity.name} reads "
                f"{self.window}; shorten the prompt"
            )
        at = [self._mask_place(row, place) for row, place in zip(ids, places, strict=True)]
        with torch.inference_mode():
            logits = self._model(**inputs.to(self._model.device)).logits
        chosen = logits[torch.arange(len(at)), torch.tensor(at)].double().cpu()
        tokens = torch.softmax(chosen / temperature, dim=-1).numpy()
        size = len(self.vocabulary.word_of_inner)
        return [
            # A model may have more rows than its tokenizer has entries: padding for speed.
            self.vocabulary.spread(row[:size], first=place.first)
            for row, place in zip(tokens, places, strict=True)
        ]

    def _mask_place(self, ids: Any, place: MaskedPlace) -> int:
        found = (ids == self._tokenizer.mask_token_id).nonzero().flatten().tolist()
        if len(found) != place.masks:
            raise LanguageError(
                f"{place.text!r}: contains the mask {self.mask} of {self.identity.name} as a word; "
                "write the prompt without it"
            )
        return int(found[place.mask])


def open_filler(model: str, **settings: Any) -> MaskFiller:
    """Open a masked language model.

    Args:
        model: The name of an installed one, a folder, or a Hub id.
        settings: revision, device, batch_size.

    Raises:
        LanguageError: No such model, or it cannot be loaded safely, or it has no mask.
    """
    found: MaskFiller = open_text_model("words", model, **settings)
    return found


def load_filler(
    model: str,
    *,
    name: str | None = None,
    revision: str | None = None,
    device: str | None = None,
    batch_size: int = 64,
) -> MaskFiller:
    """Load a masked language model by folder or Hub id.

    Args:
        model: A folder, or an id such as "owner/name".
        name: Its name in the identity; its Hub id or the folder's last name if left out.
        revision: A branch, tag or commit of the Hub.
        device: Where to run; by default a GPU where there is one.
        batch_size: Texts at once.

    Raises:
        LanguageError: No such model, or it cannot be loaded safely, or it has no mask.
    """
    source = find_source(model, revision=revision, download=_download, error=LanguageError)
    _check(source)
    settings = {
        "weights": weights_hash(source.folder, weight_files(source.folder)),
        "configuration": configuration_hash(source.folder, configuration_files(source.folder)),
        **({} if source.revision is None else {"revision": source.revision}),
    }
    place = choose_device(device, error=LanguageError)
    try:
        return MaskFiller(
            source.folder,
            Identity("masked-words", name or source.name, settings),
            device=place,
            batch_size=batch_size,
        )
    except (LanguageError, ImportError):
        raise
    except Exception as problem:  # a model folder is foreign input: anything may be wrong
        reason = first_line(problem)
        raise LanguageError(f"{source.folder}: cannot be loaded: {reason}") from problem


def _check(source: ModelSource) -> None:
    if not (source.folder / "config.json").is_file():
        raise LanguageError(f"{source.folder}: not a model of transformers: it has no config.json")
    require_known_files(source.folder, error=LanguageError)


def _download(model: str, revision: str | None) -> str:
    hub = import_extra("huggingface_hub", extra="models")
    return str(hub.snapshot_download(model, revision=revision, allow_patterns=_WANTED))


KIND = LanguageKind(
    role="words", written="a folder or a Hub id (owner/name)", open=load_filler, general=True
)
