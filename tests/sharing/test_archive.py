"""An archive in which every changed byte is noticed, and from which nothing gets out."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from portrayal.errors import BundleError
from portrayal.sharing import pack, unpack


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    (folder / "inside").mkdir(parents=True)
    (folder / "a.json").write_text("{}" * 500)
    (folder / "inside" / "b.parquet").write_bytes(bytes(range(256)) * 4)
    pack(folder, tmp_path / "packed.zip")
    return tmp_path / "packed.zip"


def test_what_was_packed_comes_back_and_the_same_files_give_the_same_bytes(
    packed: Path, tmp_path: Path
) -> None:
    unpack(packed, tmp_path / "out")
    assert (tmp_path / "out/inside/b.parquet").read_bytes() == bytes(range(256)) * 4
    pack(tmp_path / "out", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == packed.read_bytes()
    with pytest.raises(BundleError, match="there already"):
        pack(tmp_path / "out", packed)


def test_any_changed_byte_is_noticed(packed: Path, tmp_path: Path) -> None:
    data = packed.read_bytes()
    rng = np.random.default_rng(0)
    places = {0, len(data) - 1, *rng.integers(0, len(data), 300).tolist()}
    changed = tmp_path / "changed.zip"
    for place in sorted(places):
        forged = bytearray(data)
        forged[place] ^= 1 << int(rng.integers(8))
        changed.write_bytes(forged)
        with pytest.raises(BundleError) as caught:
            unpack(changed, tmp_path / "forged")
        assert "\n" not in str(caught.value)
    changed.write_bytes(data[:-200])
    with pytest.raises(BundleError):
        unpack(changed, tmp_path / "forged")


def test_foreign_archives_are_refused(packed: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.zip"
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("../outside.txt", "x")
    with pytest.raises(BundleError, match="not those that were written"):
        unpack(foreign, tmp_path / "forged")
    foreign.write_text("no archive at all")
    with pytest.raises(BundleError, match="not a bundle"):
        unpack(foreign, tmp_path / "forged")
    assert not (tmp_path / "outside.txt").exists()
