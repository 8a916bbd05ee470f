"""Every reader of files that others wrote: whatever is in them, one line or an answer.

Files are valid ones, changed at random, or random altogether. The slow run takes more than 10,000.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from label_measurers import png
from portrayal.audit import AuditFolder
from portrayal.audit.parts import read_part
from portrayal.errors import PortrayalError
from portrayal.findings import Results
from portrayal.generators.service_answers import image_in
from portrayal.importers import import_images, manifest_prompts, read_labels
from portrayal.raters.mapping import read_map
from portrayal.raters.reading import read_votes
from portrayal.studies import load_study, study_from_dict

RELEASED = Path(__file__).parent / "released" / "0.1" / "audit"
FEW, MANY = 12, 1100

MANIFEST = b'image,prompt,seed,job\na.png,a nurse,1,nurse\nb.png,"a, chef",2,chef\n'
STUDY = b"""kind = "composition"
images = 4
axes = ["perceived gender"]
template = "a photo of {a job}"
[factors]
job = ["nurse", "chef"]
"""
MAP = b"""image = "key"
rater = "rater"
[[questions]]
id = "gender"
text = "Who?"
column = "answer"
values = { woman = "woman", man = "man" }
"""
VOTES = b"key,rater,answer\nk1,r1,woman\nk2,r1,man\nk1,r2,woman\n"
LABELS = b"key,axis,label,probability\nk1,perceived gender,woman,0.9\nk2,perceived gender,man,1\n"
ANSWER = json.dumps({"created": 1, "data": [{"b64_json": "aGk=", "url": None}]}).encode()


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, data in {"a.png": png("man"), "a.txt": b"a nurse", "a.json": b"{}"}.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def _import(folder: Path, file: Path) -> None:
    out = folder / "audit"
    shutil.rmtree(out, ignore_errors=True)
    import_images(file, out) if file.suffix == ".tar" else import_images(
        folder, out, manifest=file, skip_broken=True
    )


def _document(name: str) -> Callable[[Path], Any]:
    """Open a copy of the released audit in which one document is the given file."""

    def read(file: Path) -> None:
        audit = file.parent / "released"
        if not audit.exists():
            shutil.copytree(RELEASED, audit)
        place = next(iter(sorted(audit.glob(name))), audit / name)
        kept = place.read_bytes() if place.exists() else None
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())
        try:
            opened = AuditFolder(audit)
            opened.measurers()
            for data in opened.studies().values():
                study_from_dict(data, source=name)
            opened.campaigns()
            opened.retired("study")
            Results.read(audit)
        finally:
            place.unlink() if kept is None else place.write_bytes(kept)

    return read


def _base(name: str) -> bytes:
    found = sorted(RELEASED.glob(name))
    return found[0].read_bytes() if found else b'{"act": "retire", "thing": "study", "name": "x"}'


def _part(file: Path) -> None:
    read_part(file, ["key", "prompt", "seed", "status", "factors"])


READERS: dict[str, tuple[str, bytes, Callable[[Path], Any]]] = {
    "manifest": ("m.csv", MANIFEST, lambda file: _import(file.parent, file)),
    "manifest prompts": ("m.csv", MANIFEST, manifest_prompts),
    "tar": ("m.tar", _tar(), lambda file: _import(file.parent, file)),
    "study": ("s.toml", STUDY, load_study),
    "map": ("map.toml", MAP, read_map),
    "labels": ("l.csv", LABELS, read_labels),
    "answer": ("a.json", ANSWER, lambda file: image_in(file.read_bytes())),
    "header": ("h.json", _base("audit.json"), _document("audit.json")),
    "stored study": ("h.json", _base("studies/*.json"), _document("studies/*.json")),
    "identity": (
        "h.json",
        _base("measurements/*/_identity.json"),
        _document("measurements/*/_identity.json"),
    ),
    "act": ("h.json", _base("acts/*.json"), _document("acts/x.json")),
    "part": ("part-1-0.parquet", _base("images/*.parquet"), _part),
}


def changed(base: bytes) -> st.SearchStrategy[bytes]:
    """Return valid files with a few changes, and files of anything."""
    place = st.integers(0, max(len(base), 1))
    edit = st.tuples(place, st.integers(0, 12), st.binary(max_size=8) | st.sampled_from(
        [b"\0", b"\xff\xfe", b'"', b"\n", b",", b"{", b"[" * 40, b"null", b"-1", b"1e999",
         b"\x1b[2J", b"../../", "\ud7ff\u202e".encode(), b"'''", b"key"]
    ))  # fmt: skip

    def apply(edits: list[tuple[int, int, bytes]]) -> bytes:
        data = base
        for start, length, new in edits:
            data = data[:start] + new + data[start + length :]
        return data

    return st.lists(edit, min_size=1, max_size=5).map(apply) | st.binary(max_size=200)


def read_all(reader: str, folder: Path, examples: int) -> None:
    name, base, read = READERS[reader]
    (folder / "a.png").write_bytes(png("woman"))
    file = folder / name

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(changed(base))
    def check(data: bytes) -> None:
        file.write_bytes(data)
        with contextlib.suppress(PortrayalError):
            read(file)

    file.write_bytes(base)
    with contextlib.suppress(PortrayalError):
        read(file)
    check()


@pytest.mark.parametrize("reader", READERS)
def test_no_file_of_others_ends_in_a_traceback(reader: str, tmp_path: Path) -> None:
    read_all(reader, tmp_path, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_no_file_of_others_ends_in_a_traceback_in_ten_thousand(reader: str, tmp_path: Path) -> None:
    assert len(READERS) * MANY > 10_000
    read_all(reader, tmp_path, MANY)


@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_no_votes_of_others_end_in_a_traceback(tmp_path: Path, examples: int) -> None:
    (tmp_path / "map.toml").write_bytes(MAP)
    try:
        found = read_map(tmp_path / "map.toml")
    except PortrayalError as error:
        pytest.fail(str(error))
    READERS["votes"] = ("v.csv", VOTES, lambda file: read_votes(file, found))
    try:
        read_all("votes", tmp_path, examples)
    finally:
        del READERS["votes"]
