"""Audits in an object store, here that in the memory of this process: as in a folder."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import audit_samples as samples
import numpy as np
import pyarrow as pa
import pytest
from audit_samples import failed, made, refused
from fsspec.implementations.memory import MemoryFileSystem

from portrayal.audit import AuditFolder, compact, compaction, export_images, files, parts, repair
from portrayal.audit.locations import location, object_path
from portrayal.audit.selections import SELECTION, Selection, read_selection, write_selection
from portrayal.errors import AuditError, DamagedPart, NotAnAudit
from portrayal.records import Identity, Measurement

EMBEDDING = {"embedding": "vector"}


@pytest.fixture
def url() -> str:
    return f"memory://{uuid.uuid4().hex}/audit"


@pytest.fixture(autouse=True)
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a listing one look, as it is in a store: fsspec's memory looks at each object again."""
    plain = MemoryFileSystem.ls

    def ls(self: Any, *given: Any, **named: Any) -> Any:
        while True:
            try:
                return plain(self, *given, **named)
            except KeyError:
                continue  # an object went between two looks

    monkeypatch.setattr(MemoryFileSystem, "ls", ls)


@pytest.fixture
def audit(url: str) -> AuditFolder:
    return AuditFolder.at(url, samples.GENERATOR)


def measured(audit: AuditFolder, count: int = 5) -> None:
    rows = [Measurement(f"{i:032x}", {"embedding": [1.0, i]}) for i in range(count)]
    audit.append_measurements(samples.ENCODER, EMBEDDING, rows)  # type: ignore[arg-type]


def raw_keys(audit: AuditFolder) -> list[str]:
    """Return the keys of all rows, doubles and all."""
    found = parts.each_part(audit.path / "images", ["key"])
    return [key for part in found for key in part["key"].to_pylist()]


def rows_of(audit: AuditFolder) -> list[Any]:
    return sorted(audit.images().select("key, prompt, seed, status, reason").fetchall())


def parts_of(audit: AuditFolder) -> list[Path]:
    return parts.part_paths(audit.path / "images")


# --- as in a folder ---------------------------------------------------------------------------


def test_an_audit_is_made_once_and_opened_again(audit: AuditFolder, url: str) -> None:
    header = (audit.path / "audit.json").read_text()
    again = AuditFolder.at(url, samples.GENERATOR)
    assert again.header == AuditFolder(url).header == audit.header
    assert (audit.path / "audit.json").read_text() == header
    assert repr(audit) == f"AuditFolder({url!r})"
    with pytest.raises(AuditError, match="about another generator"):
        AuditFolder.at(url, Identity("other", "model"))


def test_what_is_there_already_is_no_place_for_an_audit(url: str) -> None:
    (location(url) / "holiday.png").write_bytes(b"")
    with pytest.raises(NotAnAudit, match="not empty and not an audit"):
        AuditFolder.at(url, samples.GENERATOR)
    with pytest.raises(NotAnAudit, match="is a file"):
        AuditFolder.at(f"{url}/holiday.png", samples.GENERATOR)


def test_it_holds_what_a_folder_holds(audit: AuditFolder, tmp_path: Path) -> None:
    local = AuditFolder.at(tmp_path / "audit", samples.GENERATOR)
    for one in (audit, local):
        assert one.append_images([made("a", 0), made("a", 1), refused("b", 0)]) == 3
        assert one.append_images([made("a", 1), failed("b", 1)]) == 1
        assert one.append_images([made("b", 1)]) == 0
        assert one.append_images([made("b", 1)], again=True) == 1
        assert one.missing([("a", 3), ("b", 2)]).to_pylist() == [{"prompt": "a", "seed": 2}]
        measured(one)
        one.append_texts(samples.ENCODER, ["t"], samples.vectors(1), tokens=[1], truncated=[False])
        one.remember_study("work", {"kind": "composition"})
        one.write_results({"findings": [], "studies": []})
        one.write_report("<html>")
    assert rows_of(audit) == rows_of(local)
    keys = [row[0] for row in rows_of(audit)]
    assert audit.read_images(keys) == local.read_images(keys)
    select = "key, image.bytes, status"
    images = sorted(audit.images(with_bytes=True).select(select).fetchall(), key=str)
    others = local.images(with_bytes=True).select(select).fetchall()
    assert images == sorted(others, key=str)
    assert audit.measurers() == local.measurers() == [samples.ENCODER]
    for ours, theirs in (
        (audit.measurements(), local.measurements()),
        (audit.texts(samples.ENCODER), local.texts(samples.ENCODER)),
    ):
        assert ours.fetchall() == theirs.fetchall()
    assert np.array_equal(
        audit.embeddings(samples.ENCODER)[1], local.embeddings(samples.ENCODER)[1]
    )
    assert [k for b in audit.unmeasured_images(samples.ENCODER) for k, _ in b] == [
        k for b in local.unmeasured_images(samples.ENCODER) for k, _ in b
    ]
    assert audit.studies() == local.studies()
    assert audit.results() == local.results()
    names = {str(path.relative_to(local.path)) for path in local.path.rglob("*") if path.is_file()}
    ours = {path.relative_to(audit.path).parts[0] for path in audit.path.iterdir()}
    assert ours == {Path(name).parts[0] for name in names}


def test_nothing_but_finished_objects_is_ever_there(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    measured(audit)
    names = {
        path.name
        for folder in ("images", "measurements/*")
        for path in audit.path.glob(f"{folder}/*")
    }
    assert all(name.startswith("part-") or name == "_identity.json" for name in names), names


def test_many_parts_are_read_in_order(audit: AuditFolder) -> None:
    for seed in range(100):
        audit.append_images([made("a", seed)])
    assert audit.images().select("seed").fetchall() == [(seed,) for seed in range(100)]
    fresh = AuditFolder(audit.path)
    assert fresh.append_images([made("a", seed) for seed in range(101)]) == 1
    assert len(fresh.missing([("a", 103)])) == 2


def test_selections_and_exports(audit: AuditFolder, tmp_path: Path) -> None:
    audit.append_images([made("a", 0), failed("a", 1)])
    assert read_selection(audit, "study") is None
    write_selection(audit, "study", Selection(SELECTION.empty_table(), {"corpus": "x"}))
    found = read_selection(audit, "study")
    assert found is not None
    assert found.about == {"corpus": "x"}
    assert export_images(audit, tmp_path / "here").images == 1
    there = f"{audit.path.parent}/images"
    assert export_images(audit, there).not_made == 1
    (image,) = (path for path in location(there).iterdir() if path.suffix == ".png")
    assert image.read_bytes() == samples.image(0)
    with pytest.raises(AuditError, match="not an empty folder"):
        export_images(audit, there)


# --- damage -----------------------------------------------------------------------------------


def test_damage_is_named_and_repaired(audit: AuditFolder, url: str) -> None:
    audit.append_images([made("a", seed) for seed in range(3)])
    audit.append_images([made("b", 0)])
    measured(audit)
    part = parts_of(audit)[0]
    part.write_bytes(part.read_bytes()[:-40])
    with pytest.raises(DamagedPart, match=f"portrayal repair {url}"):
        AuditFolder(url).images()
    (audit.path / "studies" / "odd.json").write_bytes(b"{")
    report = repair(url)
    assert [str(one.path) for one in report.set_aside] == [
        "studies/odd.json",
        f"images/{part.name}",
    ]
    assert (audit.path / "set-aside" / "images" / part.name).exists()
    assert report.leftovers == report.doubled == 0
    assert any(f"portrayal generate --out {url} --model" in line for line in report.lines())
    for one in (audit, AuditFolder(url)):
        assert len(one.missing([("a", 3), ("b", 1)])) == 3
    assert repair(url).lines() == ["nothing to repair"]


def test_measurements_without_an_identity_are_set_aside_together(audit: AuditFolder) -> None:
    measured(audit)
    (folder,) = (audit.path / "measurements").iterdir()
    (folder / "_identity.json").write_bytes(b"nonsense")
    (one,) = repair(audit.path).set_aside
    assert str(one.path) == f"measurements/{folder.name}"
    assert not folder.exists()
    assert len(parts.part_names(audit.path / "set-aside" / "measurements" / folder.name)) == 1


def test_a_flipped_bit_is_never_measured(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    (part,) = parts_of(audit)
    samples.flip_bit_of(part, samples.image(0))
    with pytest.raises(DamagedPart, match="damaged"):
        list(audit.unmeasured_images(samples.ENCODER))


# --- several at once, without locks -----------------------------------------------------------


def test_rows_that_two_stored_are_read_once_and_repaired(audit: AuditFolder, url: str) -> None:
    samples.write_regardless(audit, [made("a", 0, samples.image(1)), made("a", 1)])
    samples.write_regardless(audit, [made("a", 0, samples.image(2)), made("a", 2)])
    before = rows_of(audit)
    assert len(before) == 3
    first = audit.images().filter("seed = 0").select("key").fetchall()[0][0]
    assert repair(url).doubled == 1
    assert len(raw_keys(audit)) == 3
    assert rows_of(AuditFolder(url)) == rows_of(audit) == before
    assert audit.read_images([first]) == {first: samples.image(1)}, "of equals the first"


def test_merging_keeps_every_row_and_its_place(audit: AuditFolder) -> None:
    for i in range(70):
        audit.append_images([made(f"p{i}", seed) for seed in range(2)])
    audit.append_images([failed("p0", 9)])
    before, oldest = rows_of(audit), parts_of(audit)[0]
    assert compact(audit).after == 1
    (merged,) = parts_of(audit)
    assert merged < oldest, "what replaces parts comes before them"
    parts.verify(merged)
    assert rows_of(audit) == rows_of(AuditFolder(audit.path)) == before
    assert audit.append_images([made("p0", 0), made("p0", 2)]) == 1


@pytest.mark.parametrize("other", ["drop", "merge", "both"])
@pytest.mark.parametrize("where", ["store", "folder without locks"])
def test_two_who_merge_at_once_lose_nothing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, where: str
) -> None:
    """The second comes at the worst moment: the merged part is there, its sources are as well."""
    monkeypatch.setattr(files, "_lock", lambda handle, operation: None)
    audit = AuditFolder.at(url if where == "store" else tmp_path / "audit", samples.GENERATOR)
    for i in range(6):
        audit.append_images([made(f"p{i}", 0), failed("again", i)])
    samples.write_regardless(audit, [made("p1", 0), made("again", 2)])
    before = rows_of(audit)
    folder = audit.path / "images"
    came = []

    def second(_: Path) -> None:
        if not came:
            came.append(True)
            if other != "merge":
                compaction.drop_doubled_rows(folder)
            if other != "drop":
                compaction._merge(folder, compaction.TARGET_BYTES)

    monkeypatch.setattr(compaction, "flush_folder", second)
    compaction._merge(folder, compaction.TARGET_BYTES)
    assert came
    assert rows_of(AuditFolder(audit.path)) == before
    repair(audit.path)
    assert rows_of(AuditFolder(audit.path)) == before
    assert len(raw_keys(audit)) == len(before)


def test_many_who_append_merge_and_read_at_once(audit: AuditFolder, url: str) -> None:
    wanted, writers = 40, 4
    stop = threading.Event()

    def write(number: int) -> None:
        own = AuditFolder(url)
        for seed in range(wanted):
            own.append_images([made(f"p{number}", seed), made("shared", seed)])

    def merge() -> None:
        while not stop.is_set():
            compact(AuditFolder(url), many=3)

    def read() -> None:
        seen = 0
        while not stop.is_set():
            now = len(rows_of(AuditFolder(url)))
            assert now >= seen, "a row that was there is gone"
            seen = now

    with ThreadPoolExecutor(writers + 3) as pool:
        others = [pool.submit(one) for one in (merge, merge, read)]
        try:
            list(pool.map(write, range(writers)))
        finally:
            stop.set()
        for one in others:
            one.result()
    keys = [row[0] for row in rows_of(AuditFolder(url))]
    assert len(keys) == len(set(keys)) == wanted * (writers + 1)
    repair(url)
    assert sorted(raw_keys(audit)) == sorted(keys)
    assert len(audit.read_images(keys)) == len(keys)


def test_of_two_generators_that_make_an_audit_one_wins(url: str) -> None:
    names = [f"model {i}" for i in range(8)]

    def make(name: str) -> str | None:
        try:
            return AuditFolder.at(url, Identity("practice", name)).generator.name
        except AuditError:
            return None

    with ThreadPoolExecutor(8) as pool:
        made_by = list(pool.map(make, names))
    assert [name for name in made_by if name] == [AuditFolder(url).generator.name]


def test_an_empty_audit(audit: AuditFolder) -> None:
    assert audit.images().fetchall() == audit.images(with_bytes=True).fetchall() == []
    assert audit.read_images(["0" * 32]) == {}
    assert len(audit.missing([("a", 2)])) == 2
    assert compact(audit).before == 0
    assert isinstance(audit.missing([]), pa.Table)


def test_a_store_that_fails_while_a_part_is_read_is_no_damage(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit.append_images([made("a", 0)])

    def fail(*_: Any, **__: Any) -> bytes:
        raise ConnectionResetError("connection reset by peer")

    stored = object_path(audit.path)
    assert stored is not None
    with monkeypatch.context() as patch:
        patch.setattr(stored.store, "cat_file", fail)
        for read in (
            audit.images,
            lambda: parts.verify(parts_of(audit)[0]),
            lambda: repair(stored),
        ):
            with pytest.raises(AuditError, match="cannot be reached") as caught:
                read()
            assert not isinstance(caught.value, DamagedPart)
    assert len(rows_of(audit)) == 1
