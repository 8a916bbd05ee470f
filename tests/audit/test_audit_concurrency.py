"""Several processes on one folder: nothing lost, nothing doubled, no reader disturbed."""

from __future__ import annotations

import os
import time
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import audit_samples as samples
import pytest
from audit_samples import failed, made

from portrayal.audit import AuditFolder, compact, parts
from portrayal.records import ImageRecord, Measurement

PROCESSES = 4
SPAWN = get_context("spawn")


def append(path: Path, start: int, step: int) -> int:
    """Append what four processes append too, in steps, each beginning elsewhere."""
    audit = AuditFolder(path)
    stored = 0
    for i in range(0, 120, step):
        seeds = [(start * 30 + i + k) % 120 for k in range(step)]
        stored += audit.append_images([made("shared", seed) for seed in seeds])
        stored += audit.append_images([made(f"own {start}", i)])
    return stored


def test_appenders_lose_and_double_nothing(audit: AuditFolder) -> None:
    with ProcessPoolExecutor(PROCESSES, SPAWN) as pool:
        stored = list(pool.map(append, [audit.path] * PROCESSES, range(PROCESSES), (5, 6, 8, 10)))
    rows = samples.raw_rows(audit)
    shared = [seed for prompt, seed, _ in rows if prompt == "shared"]
    assert sorted(shared) == list(range(120))
    assert Counter(prompt for prompt, _, _ in rows) == {
        "shared": 120, "own 0": 24, "own 1": 20, "own 2": 15, "own 3": 12,
    }  # fmt: skip
    assert sum(stored) == len(rows)
    for path in samples.image_parts(audit):
        parts.verify(path)


def retry(path: Path) -> int:
    audit = AuditFolder(path)
    return sum(audit.append_images([made("a", seed)], again=True) for seed in range(30))


def test_failed_images_are_made_again_once(audit: AuditFolder) -> None:
    audit.append_images([failed("a", seed) for seed in range(30)])
    with ProcessPoolExecutor(3, SPAWN) as pool:
        assert sum(pool.map(retry, [audit.path] * 3)) == 30
    assert Counter(status for _, _, status in samples.raw_rows(audit)) == {"failed": 30, "ok": 30}


def measure(path: Path) -> tuple[int, int]:
    audit = AuditFolder(path)
    stored = 0
    for i in range(0, 60, 4):
        rows = [Measurement(f"{i + k:032x}", {"embedding": [1.0, i]}) for k in range(4)]
        stored += audit.append_measurements(samples.ENCODER, {"embedding": "vector"}, rows)
    texts = [f"text {i}" for i in range(20)]
    return stored, audit.append_texts(
        samples.ENCODER, texts, samples.vectors(20), tokens=[1] * 20, truncated=[False] * 20
    )


def test_measurers_and_encoders_lose_and_double_nothing(audit: AuditFolder) -> None:
    with ProcessPoolExecutor(3, SPAWN) as pool:
        stored = list(pool.map(measure, [audit.path] * 3))
    assert [sum(column) for column in zip(*stored, strict=True)] == [60, 20]
    for kind, count in (("measurements", 60), ("texts", 20)):
        folder = next((audit.path / kind).iterdir())
        tables = parts.read_parts(folder, ["key"]).values()
        keys = [key for table in tables for key in table["key"].to_pylist()]
        assert len(keys) == len(set(keys)) == count


def grow_and_shrink(path: Path, seconds: float, rounds: int) -> int:
    """Append and merge, over and over: for a while, and on a busy machine until it is enough."""
    audit = AuditFolder(path)
    until = time.monotonic() + seconds
    seed = 1000
    while time.monotonic() < until or seed < 1000 + 5 * rounds:
        for _ in range(5):
            audit.append_images([made("growing", seed)])
            seed += 1
        compact(audit, many=3, target_bytes=20_000)
    return seed - 1000


def test_readers_are_not_disturbed_while_parts_are_merged(audit: AuditFolder) -> None:
    audit.append_images([made("still", seed) for seed in range(40)])
    with ProcessPoolExecutor(2, SPAWN) as pool:
        writers: list[Future[int]] = [pool.submit(grow_and_shrink, audit.path, 4.0, 6)]
        reads = before = 0
        keys = [row[0] for row in audit.images().select("key").fetchall()]
        while not writers[0].done():
            reader = audit if reads % 2 else AuditFolder(audit.path)
            rows = reader.images().select("prompt, seed").fetchall()
            assert len(rows) == len(set(rows))
            assert sum(prompt == "still" for prompt, _ in rows) == 40
            growing = sorted(seed - 1000 for prompt, seed in rows if prompt == "growing")
            assert growing == list(range(len(growing)))  # none missing in between
            assert len(growing) >= before
            before = len(growing)
            assert reader.missing([("still", 40)]).num_rows == 0
            assert len(reader.read_images(keys)) == 40
            seen = sum(len(b) for b in reader.unmeasured_images(samples.ENCODER, prompts=["still"]))
            assert seen == 40
            reads += 1
        made_in_all = writers[0].result()
    assert reads > 0
    assert made_in_all >= 30
    assert len(samples.raw_rows(audit)) == 40 + made_in_all
    assert audit.append_images([made("still", 0), made("growing", 1000), made("new", 0)]) == 1


def test_merging_and_appending_at_once_loses_and_doubles_nothing(audit: AuditFolder) -> None:
    with ProcessPoolExecutor(3, SPAWN) as pool:
        merging = pool.submit(grow_and_shrink, audit.path, 3.0, 6)
        others = [pool.submit(append, audit.path, start, 8) for start in range(2)]
        stored = merging.result() + sum(other.result() for other in others)
    rows = samples.raw_rows(audit)
    assert len(rows) == len(set(rows)) == stored


def test_a_forked_child_does_not_keep_the_lock(audit: AuditFolder) -> None:
    folder = audit.path / "images"
    ours, theirs = os.pipe()
    from portrayal.audit.files import appending

    with appending(folder):
        child = os.fork()
        if child == 0:
            os.read(ours, 1)  # holds its copy of the handle until it is told to go
            os._exit(0)
    try:
        assert audit.append_images([made("a", 0)]) == 1  # would wait for ever
    finally:
        os.write(theirs, b"x")
        os.waitpid(child, 0)
        os.close(ours)
        os.close(theirs)


def test_where_nothing_can_be_locked_a_doubled_row_is_read_once(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def refuse(handle: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    record: ImageRecord = made("a", 0)
    assert audit.append_images([record]) == 1
    samples.write_regardless(audit, [record])
    assert len(samples.raw_rows(audit)) == 2
    assert len(audit.images().fetchall()) == 1
    assert len(audit.images(with_bytes=True).fetchall()) == 1
    assert AuditFolder(audit.path).append_images([record]) == 0
