"""Which files of a model's folder the loading libraries open, and which ones make us refuse it.

transformers and diffusers follow more than the usual names: an index may name any shards, a
configuration any file of weights, and an adapter beside the weights is applied without a word. What
is opened is hashed; what could bring in weights or code from elsewhere is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from portrayal.errors import PortrayalError

_PICKLES = (".bin", ".ckpt", ".pt", ".pth", ".pkl", ".pickle")
_WEIGHTS = re.compile(
    r"(?:diffusion_pytorch_model|pytorch_model|model)"
    r"(?P<variant>\.fp16)?(?:-\d+-of-\d+)?\.safetensors"
)
_INDEX = re.compile(r".+\.safetensors\.index(?P<variant>\.fp16)?\.json")
_CONFIGURATION = frozenset(
    {
        "added_tokens.json",
        "config.json",
        "merges.txt",
        "preprocessor_config.json",
        "processor_config.json",
        "special_tokens_map.json",
        "spiece.model",
        "tokenizer.json",
        "tokenizer.model",
        "tokenizer_config.json",
        "vocab.json",
        "vocab.txt",
        # Vocabularies under the names that single tokenizers of transformers have for them.
        "bpe.codes",
        "byte_maps.json",
        "dict.txt",
        "emoji.json",
        "entity_vocab.json",
        "normalizer.json",
        "prophetnet.tokenizer",
        "sentencepiece.bpe.model",
        "sentencepiece.model",
        "spm.model",
        "spm_char.model",
        "target_vocab.json",
        "vocab-src.json",
        "vocab-tgt.json",
        "word_pronunciation.json",
        "word_shape.json",
    }
)


def weight_files(folder: Path, *, variant: str | None = None) -> list[Path]:
    """Return the files that decide the weights: safetensors, and indexes that name unusual ones.

    Args:
        folder: A folder that `require_known_files` took.
        variant: Take this variant's files where there are some, else the plain ones.
    """
    found = [(_WEIGHTS.fullmatch(path.name), path) for path in sorted(folder.iterdir())]
    plain = [path for match, path in found if match and match["variant"] is None]
    special = [path for match, path in found if match and match["variant"] is not None]
    chosen = (special or plain) if variant else plain
    return sorted({*chosen, *_by_unusual_indexes(folder, chosen)})


def configuration_files(folder: Path) -> list[Path]:
    """Return the configurations and vocabularies that loading a folder reads."""
    return [path for path in sorted(folder.iterdir()) if path.name in _CONFIGURATION]


def pickled_weights(folder: Path) -> Path | None:
    """Return a weight file that only unpickling could read, where a folder has no safetensors."""
    if any(folder.glob("*.safetensors")):
        return None
    return next((path for path in sorted(folder.iterdir()) if path.suffix in _PICKLES), None)


def require_known_files(folder: Path, *, error: type[PortrayalError]) -> None:
    """Refuse a folder from which a library would load what no hash of ours covers.

    Args:
        folder: A folder that transformers or diffusers loads a model from.
        error: What to raise.
    """
    if (pickled := pickled_weights(folder)) is not None:
        raise error(
            f"{pickled}: weights in a pickle are not loaded, since a pickle can run code; "
            "allowed: safetensors; convert them, or take a revision that has them"
        )
    for adapter in sorted(folder.glob("adapter_*")):
        raise error(
            f"{adapter}: an adapter beside the weights is applied unseen by transformers; merge it "
            "into the weights, or move it away (adapters of pipelines are given with `lora`)"
        )
    if _read(folder / "config.json").get("transformers_weights") is not None:
        raise error(
            f"{folder / 'config.json'}: transformers_weights names a weight file of its own; "
            "allowed: the usual names, such as model.safetensors; rename the file"
        )
    for index, shards in _indexes(folder):
        for shard in sorted(shards):
            if shard != Path(shard).name or not shard.endswith(".safetensors"):
                raise error(
                    f"{index}: names the shard {shard!r}; allowed: safetensors in the same folder"
                )


def _by_unusual_indexes(folder: Path, chosen: list[Path]) -> Iterator[Path]:
    """Yield unusual shards with their index, and an index that competes with a single file.

    Shards with the usual names are known without their index, and keep the hash that they always
    had.
    """
    single = any("-of-" not in path.name for path in chosen)
    for index, shards in _indexes(folder):
        unusual = [shard for shard in shards if not _WEIGHTS.fullmatch(shard)]
        yield from (folder / shard for shard in unusual if (folder / shard).is_file())
        if unusual or (single and any(folder / shard in chosen for shard in shards)):
            yield index


def _indexes(folder: Path) -> Iterator[tuple[Path, set[str]]]:
    for path in sorted(folder.iterdir()):
        if _INDEX.fullmatch(path.name):
            shards = _read(path).get("weight_map")
            yield path, set(map(str, shards.values())) if isinstance(shards, dict) else set()


def _read(file: Path) -> dict[str, Any]:
    """Return a JSON object; empty where there is none, about which the library will complain."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
