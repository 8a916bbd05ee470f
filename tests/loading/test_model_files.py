from __future__ import annotations

import json
from pathlib import Path

import pytest

from portrayal.errors import GenerationError
from portrayal.loading.model_files import (
    configuration_files,
    pickled_weights,
    require_known_files,
    weight_files,
)


def write_index(folder: Path, *shards: str, name: str = "model.safetensors.index.json") -> Path:
    file = folder / name
    file.write_text(json.dumps({"weight_map": {f"w{i}": one for i, one in enumerate(shards)}}))
    return file


def test_weight_files_are_those_that_loading_reads(tmp_path: Path) -> None:
    for name in (
        "model.safetensors",
        "model.fp16.safetensors",
        "model.non_ema.safetensors",
        "model.bin",
        "model.safetensors.index.json",
    ):
        (tmp_path / name).write_bytes(b"")
    assert [path.name for path in weight_files(tmp_path)] == ["model.safetensors"]
    special = weight_files(tmp_path, variant="fp16")
    assert [path.name for path in special] == ["model.fp16.safetensors"]


def test_pickles_count_only_where_nothing_else_is(tmp_path: Path) -> None:
    assert pickled_weights(tmp_path) is None
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    assert pickled_weights(tmp_path) == tmp_path / "pytorch_model.bin"
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert pickled_weights(tmp_path) is None


def test_shards_under_any_name_are_weight_files_with_their_index(tmp_path: Path) -> None:
    for name in ("odd-a.safetensors", "odd-b.safetensors", "left-alone.safetensors"):
        (tmp_path / name).write_bytes(b"")
    index = write_index(tmp_path, "odd-a.safetensors", "odd-b.safetensors")
    names = {path.name for path in weight_files(tmp_path)}
    assert names == {"odd-a.safetensors", "odd-b.safetensors", index.name}


def test_usual_shards_keep_the_hash_they_always_had(tmp_path: Path) -> None:
    shards = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    for name in shards:
        (tmp_path / name).write_bytes(b"")
    index = write_index(tmp_path, *shards)
    assert [path.name for path in weight_files(tmp_path)] == shards
    # Beside a single file the index decides which of both is loaded.
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert index in weight_files(tmp_path)


def test_vocabularies_of_all_tokenizers_are_configuration(tmp_path: Path) -> None:
    for name in ("vocab.json", "sentencepiece.bpe.model", "README.md", "model.safetensors"):
        (tmp_path / name).write_bytes(b"")
    names = [path.name for path in configuration_files(tmp_path)]
    assert names == ["sentencepiece.bpe.model", "vocab.json"]


@pytest.mark.parametrize("name", ["adapter_config.json", "adapter_model.safetensors"])
def test_an_adapter_beside_the_weights_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    require_known_files(tmp_path, error=GenerationError)
    (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(GenerationError, match=f"{name}: an adapter .* applied unseen"):
        require_known_files(tmp_path, error=GenerationError)


def test_a_configuration_that_names_its_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"transformers_weights": "other.safetensors"}')
    with pytest.raises(GenerationError, match="transformers_weights"):
        require_known_files(tmp_path, error=GenerationError)


@pytest.mark.parametrize("shard", ["../other/model.safetensors", "/model.safetensors", "a.bin"])
def test_a_shard_elsewhere_is_refused(tmp_path: Path, shard: str) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    write_index(tmp_path, shard)
    with pytest.raises(GenerationError, match="names the shard"):
        require_known_files(tmp_path, error=GenerationError)
