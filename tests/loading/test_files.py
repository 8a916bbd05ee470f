from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from portrayal.errors import GenerationError
from portrayal.loading import files
from portrayal.loading.files import (
    configuration_hash,
    content_hash,
    find_source,
    reading_contents,
    weights_hash,
)


def never(model: str, revision: str | None) -> str:
    raise AssertionError("nothing is to be downloaded")


def test_a_folder_is_known_by_its_last_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "owner" / "name").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    source = find_source("owner/name", revision=None, download=never, error=GenerationError)
    assert (source.name, source.revision) == ("name", None)


def test_a_hub_id_is_downloaded_and_known_by_its_commit(tmp_path: Path) -> None:
    commit = tmp_path / "snapshots" / "0123abcd"
    source = find_source(
        "owner/name", revision="main", download=lambda *_: str(commit), error=GenerationError
    )
    assert (source.name, source.folder, source.revision) == ("owner/name", commit, "0123abcd")


def test_what_is_neither_folder_nor_id_is_an_error(tmp_path: Path) -> None:
    for model in ("nowhere", str(tmp_path / "nowhere"), "a/b/c", "../x", ""):
        with pytest.raises(GenerationError, match="no such folder"):
            find_source(model, revision=None, download=never, error=GenerationError)


def test_an_unreachable_hub_is_one_line() -> None:
    def unreachable(model: str, revision: str | None) -> str:
        raise OSError("Couldn't connect\nto https://hub")

    with pytest.raises(GenerationError, match="Couldn't connect") as caught:
        find_source("owner/name", revision=None, download=unreachable, error=GenerationError)
    assert "\n" not in str(caught.value)


def test_a_folder_has_no_revision(tmp_path: Path) -> None:
    with pytest.raises(GenerationError, match="revision"):
        find_source(str(tmp_path), revision="main", download=never, error=GenerationError)


def test_content_hash_is_sha256_and_follows_changes(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"one")
    assert content_hash(file) == hashlib.sha256(b"one").hexdigest()
    file.write_bytes(b"two")
    os.utime(file, ns=(1, 1))
    assert content_hash(file) == hashlib.sha256(b"two").hexdigest()


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file large enough to be remembered, by a machine that remembers nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "_SETTLED_NS", -(10**18))
    file = tmp_path / "model.safetensors"
    file.write_bytes(bytes(2**20))
    return file


def read_anew(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Forget what this process knows; return a list that grows by every file that is read."""
    files._known_hash.cache_clear()
    read: list[Path] = []
    plain = files._read_hash
    monkeypatch.setattr(files, "_read_hash", lambda path: read.append(path) or plain(path))
    return read


def test_a_large_file_is_hashed_once_per_machine(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = read_anew(monkeypatch)
    expected = hashlib.sha256(bytes(2**20)).hexdigest()
    assert [content_hash(large), read] == [expected, [large]]
    files._known_hash.cache_clear()  # as in the next process
    assert [content_hash(large), read] == [expected, [large]]
    with reading_contents():
        assert content_hash(large) == expected
    assert read == [large, large], "verify reads what is there"


@pytest.mark.parametrize("way", ["written in place", "replaced", "mtime set back"])
def test_a_changed_file_is_hashed_again(
    way: str, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content_hash(large)
    before = large.stat()
    data = b"1" + bytes(2**20 - 1)
    if way == "replaced":
        other = large.with_suffix(".new")
        other.write_bytes(data)
        other.replace(large)
    else:
        large.write_bytes(data)
    os.utime(large, ns=(before.st_atime_ns, before.st_mtime_ns if "back" in way else 1))
    files._known_hash.cache_clear()
    assert content_hash(large) == hashlib.sha256(data).hexdigest()


def test_a_forged_note_does_not_reach_verify(large: Path, tmp_path: Path) -> None:
    real = content_hash(large)
    notes = tmp_path / "cache" / "portrayal" / "weights.jsonl"
    notes.write_text(notes.read_text().replace(real, "ab" * 32) + "half a li")
    files._known_hash.cache_clear()
    assert content_hash(large) == "ab" * 32, "whoever writes to the cache is believed"
    with reading_contents():
        assert content_hash(large) == real


def test_a_file_just_written_is_not_remembered(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_SETTLED_NS", 10**18)
    read = read_anew(monkeypatch)
    for _ in range(2):
        content_hash(large)
        files._known_hash.cache_clear()
    assert len(read) == 2


def test_a_cache_that_cannot_be_written_costs_time_only(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert content_hash(large) == hashlib.sha256(bytes(2**20)).hexdigest()


def test_a_blob_is_known_by_its_name_in_the_hubs_own_cache_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    real, said = hashlib.sha256(b"content").hexdigest(), "ab" * 32
    found = {}
    for place in ("hub/models--owner--name", "forged/models--owner--name", "model"):
        blob = tmp_path / place / "blobs" / said
        blob.parent.mkdir(parents=True)
        blob.write_bytes(b"content")
        link = tmp_path / place / "model.safetensors"
        link.symlink_to(blob)
        found[place.partition("/")[0]] = content_hash(link)
    assert found == {"hub": said, "forged": real, "model": real}
    with reading_contents():  # on request the cache is not believed either
        cached = tmp_path / "hub/models--owner--name/model.safetensors"
        assert content_hash(cached) == real
        assert weights_hash(cached.parent, [cached]) != weights_hash(tmp_path, [cached])


def test_weights_hash_sees_names_and_every_byte(tmp_path: Path) -> None:
    folder = tmp_path / "unet"
    folder.mkdir()
    file = folder / "model.safetensors"
    file.write_bytes(bytes(5_000_000))
    before = weights_hash(tmp_path, [file])
    data = bytearray(5_000_000)
    data[2_500_000] = 1
    file.write_bytes(data)
    os.utime(file, ns=(1, 1))
    in_the_middle = weights_hash(tmp_path, [file])
    moved = file.rename(folder / "model-00001-of-00001.safetensors")
    assert len({before, in_the_middle, weights_hash(tmp_path, [moved])}) == 3


def test_weights_hash_does_not_depend_on_where_the_folder_lies(tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "model.safetensors").write_bytes(b"same")
    hashes = {weights_hash(tmp_path / p, [tmp_path / p / "model.safetensors"]) for p in "ab"}
    assert len(hashes) == 1


def test_configuration_hash_ignores_versions_and_private_keys(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    hashes = []
    for config in (
        {"scaling_factor": 0.18, "transformers_version": "5.0", "_name_or_path": "/a"},
        {"_name_or_path": "/b", "transformers_version": "5.22", "scaling_factor": 0.18},
        {"scaling_factor": 0.19},
    ):
        file.write_text(json.dumps(config))
        hashes.append(configuration_hash(tmp_path, [file]))
    assert hashes[0] == hashes[1] != hashes[2]
