"""Several processes on one folder, a full disk, no permission: the folder stays whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forking import Jobs, forking_process
from portrayal.audit import AuditFolder
from portrayal.audit.parts import each_part

WANTED = [("a", 60), ("b", 60)]


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    with forking_process(with_models=False) as jobs:
        yield jobs


def colours(**options: Any) -> dict[str, Any]:
    return {"model": "colours", "settings": {"batch_size": 4}, "wanted": WANTED, **options}


def raw_keys(folder: Path) -> list[str]:
    return [key for part in each_part(folder, ["key"]) for key in part["key"].to_pylist()]


def said(*files: Path) -> list[dict[str, int]]:
    return [json.loads(file.read_text()) for file in files]


@pytest.mark.parametrize("processes", [2, 4])
def test_processes_share_the_work(jobs: Jobs, tmp_path: Path, processes: int) -> None:
    folder = tmp_path / "audit"
    says = [tmp_path / f"{i}.json" for i in range(processes)]
    pids = [jobs.start("generate", folder, say=str(say), **colours(pause=0.08)) for say in says]
    assert [jobs.wait(pid) for pid in pids] == [0] * processes
    keys = raw_keys(folder / "images")
    assert len(keys) == len(set(keys)) == 120, "nothing is lost or doubled, not even on the disk"
    summaries = said(*says)
    made = [summary["made"] for summary in summaries]
    assert sum(made) == 120
    assert all(summary["made"] + summary["present"] == 120 for summary in summaries)
    if processes == 2:  # they walk towards each other and meet once
        assert min(made) >= 20, "both do a good share"
        assert sum(summary["asked"] for summary in summaries) <= 120 + 8 * 4


def test_two_measure_at_once(jobs: Jobs, tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    assert jobs.run("generate", folder, **colours()) == 0
    job = {"model": "mean colour", "settings": {"batch_size": 4}, "store_every": 0.0}
    pids = [jobs.start("measure", folder, **job) for _ in range(2)]
    assert [jobs.wait(pid) for pid in pids] == [0, 0]
    (measured,) = (folder / "measurements").iterdir()
    keys = raw_keys(measured)
    assert len(keys) == len(set(keys)) == 120


def test_ctrl_c_leaves_a_whole_folder(jobs: Jobs, tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    pid = jobs.start("generate", folder, **colours(pause=0.05))
    while not list((folder / "images").glob("part-*")):
        time.sleep(0.01)
    os.kill(pid, signal.SIGINT)
    assert jobs.wait(pid) == 1
    assert "KeyboardInterrupt" in folder.with_suffix(".error").read_text()
    stored = len(raw_keys(folder / "images"))
    assert 0 < stored < 120
    assert stored % 4 == 0
    assert not list((folder / "images").glob(".writing-*"))
    assert jobs.run("generate", folder, **colours()) == 0
    assert len(raw_keys(folder / "images")) == 120


def test_a_full_disk_is_one_line_and_the_run_continues_later(jobs: Jobs, tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    job = {"model": "practice:painter", "settings": {"batch_size": 16}, "wanted": [("a nurse", 64)]}
    assert jobs.run("generate", folder, **(job | {"wanted": [("a nurse", 16)]})) == 0
    assert jobs.run("generate", folder, file_limit=40_000, **job) == 1
    message = folder.with_suffix(".error").read_text().splitlines()[0]
    assert "cannot write there" in message
    assert str(folder) in message
    assert len(raw_keys(folder / "images")) == 16, "what was there is unharmed"
    assert not list((folder / "images").glob(".writing-*"))
    assert jobs.run("generate", folder, **job) == 0
    assert len(raw_keys(folder / "images")) == 64


def test_no_permission_to_write_is_one_line(jobs: Jobs, tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    assert jobs.run("generate", folder, **colours(wanted=[("a", 4)])) == 0
    with read_only(folder / "images"):
        assert jobs.run("generate", folder, **colours()) == 1
    message = folder.with_suffix(".error").read_text().splitlines()[0]
    assert "no permission to write" in message or "cannot write there" in message
    assert len(raw_keys(folder / "images")) == 4
    assert AuditFolder(folder).images().count("key").fetchall() == [(4,)]


class read_only:
    """Make a folder unwritable: by permissions, or for root, who ignores them, by a mount."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        self._folder.chmod(0o555)
        if os.geteuid() != 0:
            return
        place = str(self._folder)
        commands = (
            ["mount", "--bind", place, place],
            ["mount", "-o", "remount,ro,bind", place],
        )
        try:
            mounted = not any(subprocess.run(c, capture_output=True).returncode for c in commands)
        except FileNotFoundError:
            mounted = False
        if not mounted:
            self.__exit__()
            pytest.skip("root writes everywhere, and nothing may be mounted here")

    def __exit__(self, *_: object) -> None:
        if os.geteuid() == 0:
            subprocess.run(["umount", str(self._folder)], capture_output=True, check=False)
        self._folder.chmod(0o755)
