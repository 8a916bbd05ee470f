"""The audit folder against plain pyarrow: speed of appending, time and memory of "what is missing".

    python -m benchmarks.audit_folder

Appending: 10,000 records with images of 50 kB in batches of 64, from Python records to parts that
are hashed and flushed to disk (fsync) one by one, 157 of them; by one thread, which waits for the
disk 157 times, and by two, of which one encodes while the other one waits. The peer writes the same
bytes once, from a table that is ready, by a plain `pyarrow.parquet.write_table(table, path)`, and
flushes the one file to disk as well; for the eye also without compression, dictionaries and
statistics, its fastest way with such bytes. All are run in turn; of each the best round counts,
because whatever else the machine does can only slow a round down. It must be a quiet machine all
the same: 157 times waiting for a disk is 157 times waiting for a processor that others use.

Missing: 1,000,000 wanted, 500,000 of them present, in a fresh process whose peak memory is read
from the operating system: once as 10,000 prompts of 100 images, once as 1,000,000 prompts of one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit import AuditFolder, images_table
from portrayal.records import Identity, ImageRecord

RECORDS, IMAGE, BATCH, ROUNDS = 10_000, 50_000, 64, 7
WANTED = 1_000_000
GENERATOR = Identity("benchmark", "noise", {"size": 512})


def main() -> None:
    print(f"audit folder ({os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start)")
    print(f"{'':44}{'got':>12}  target")
    with tempfile.TemporaryDirectory(dir=os.environ.get("PORTRAYAL_BENCH_DIR")) as scratch:
        for row in [*appending(Path(scratch)), *missing(Path(scratch))]:
            print(f"{row[0]:44}{row[1]:>12}  {row[2]}")


def appending(scratch: Path) -> list[tuple[str, str, str]]:
    images = np.random.default_rng(0).bytes(RECORDS * IMAGE)
    records = [
        ImageRecord(
            prompt=f"a photo of the face of person {i // 100}",
            seed=i % 100,
            status="ok",
            data=images[i * IMAGE : (i + 1) * IMAGE],
            width=512,
            height=512,
        )
        for i in range(RECORDS)
    ]
    table = images_table(GENERATOR, records)
    fastest = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    ways: dict[str, Callable[[Path], None]] = {
        "two": lambda where: _append_by_two(where, records),
        "alone": lambda where: _append(where, records),
        "plain": lambda where: _write_plain(where, table, {}),
        "fastest": lambda where: _write_plain(where, table, fastest),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for round_ in range(ROUNDS):
        for name, way in ways.items():
            where = scratch / f"{name}-{round_}"
            os.sync()  # what the way before left to the disk is not this one's to pay
            start = time.perf_counter()
            way(where)
            seconds[name].append(time.perf_counter() - start)
            shutil.rmtree(where)
    rate = {name: RECORDS * IMAGE / 1e6 / min(rounds) for name, rounds in seconds.items()}
    return [
        ("append from two threads, flushed", f"{rate['two']:.0f} MB/s", ""),
        ("append from one thread, flushed", f"{rate['alone']:.0f} MB/s", ""),
        ("one plain pyarrow write, flushed", f"{rate['plain']:.0f} MB/s", ""),
        ("the same in its fastest way, flushed", f"{rate['fastest']:.0f} MB/s", ""),
        ("two threads / plain", f"{rate['two'] / rate['plain']:.2f}", "at least 0.5"),
        ("one thread / plain", f"{rate['alone'] / rate['plain']:.2f}", ""),
        ("two threads / fastest", f"{rate['two'] / rate['fastest']:.2f}", ""),
    ]


def missing(scratch: Path) -> list[tuple[str, str, str]]:
    rows = []
    for prompts in (10_000, 1_000_000):
        where = scratch / f"wanted-{prompts}"
        _fill(where, prompts)
        command = [sys.executable, "-m", "benchmarks.audit_folder", str(where), str(prompts)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, megabytes, found = output.split()
        assert int(found) == WANTED // 2, found
        name = f"missing of 1,000,000 ({prompts:,} prompts)"
        rows += [
            (name + ", time", f"{float(seconds):.2f} s", "under 5 s"),
            (name + ", memory", f"{float(megabytes):.0f} MB", "under 500 MB, peak of the process"),
        ]
        shutil.rmtree(where)
    return rows


def list_missing(where: str, prompts: int) -> None:
    """Run in a fresh process: print seconds, peak megabytes and how many are missing."""
    wanted = ((_prompt(i), WANTED // prompts) for i in range(prompts))
    audit = AuditFolder(where)
    start = time.perf_counter()
    found = len(audit.missing(wanted))
    seconds = time.perf_counter() - start
    print(seconds, _peak_megabytes(), found)


def _peak_megabytes() -> float:
    """Return the most memory this process has held.

    Not `ru_maxrss`: a child of a large process inherits its parent's peak there.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


def _fill(where: Path, prompts: int) -> None:
    """Make an audit in which every second wanted image is present, in parts of 1,000."""
    audit = AuditFolder.at(where, GENERATOR)
    each = WANTED // prompts
    pairs = [(_prompt(i), seed) for i in range(prompts) for seed in range(each)][::2]
    for start in range(0, len(pairs), 1_000):
        audit.append_images(
            [ImageRecord(p, s, "ok", data=b"image") for p, s in pairs[start : start + 1_000]]
        )


def _prompt(number: int) -> str:
    return f"a photo of the face of a person at work, in style {number}"


def _append(where: Path, records: list[ImageRecord]) -> None:
    audit = AuditFolder.at(where, GENERATOR)
    for start in range(0, len(records), BATCH):
        audit.append_images(records[start : start + BATCH])


def _append_by_two(where: Path, records: list[ImageRecord]) -> None:
    audit = AuditFolder.at(where, GENERATOR)
    batches = [records[start : start + BATCH] for start in range(0, len(records), BATCH)]
    with ThreadPoolExecutor(2) as threads:
        stored = sum(threads.map(audit.append_images, batches))
    assert stored == len(records), stored


def _write_plain(where: Path, table: pa.Table, options: dict[str, object]) -> None:
    where.mkdir()
    pq.write_table(table, where / "all.parquet", **options)
    handle = os.open(where / "all.parquet", os.O_RDWR)
    os.fsync(handle)
    os.close(handle)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        list_missing(sys.argv[1], int(sys.argv[2]))
    else:
        main()
