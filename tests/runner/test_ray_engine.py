"""A real Ray cluster of several nodes on this machine: killed nodes, killed drivers."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from engines import WANTED, assert_all_seen, assert_same, undisturbed
from ray_nodes import Nodes, environment, running_nodes

from command_line import WORK, in_a_process
from portrayal.audit import AuditFolder

pytest.importorskip("ray")
pytestmark = pytest.mark.slow

DRIVER = """
import json, sys
from dataclasses import asdict
from engines import look, opener
from portrayal.audit import AuditFolder
from portrayal.runner.engines import EngineSettings, open_engine
from portrayal.errors import PortrayalError

job = json.loads(sys.argv[1])
settings = EngineSettings("ray", address=job["address"], workers=job.get("workers"))
try:
    with open_engine(opener(**job.get("settings", {})), settings, look=look) as engine:
        audit = AuditFolder.at(job["folder"], engine.identity)
        print(json.dumps("ready"), flush=True)
        made = engine.generate(audit, [tuple(want) for want in job["wanted"]])
    print(json.dumps(asdict(made)), flush=True)
except PortrayalError as error:
    print(json.dumps({"error": str(error)}), flush=True)
"""


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with running_nodes(2) as nodes:
        yield nodes
        for driver in list(Driver.started):  # those of tests that failed
            driver.process.kill()
            driver.close()


class Driver:
    """A process that uses the cluster."""

    started: ClassVar[list[Driver]] = []

    def __init__(self, nodes: Nodes, folder: Path, **job: Any) -> None:
        words = {"address": nodes.address, "folder": str(folder), "wanted": WANTED, **job}
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER, json.dumps(words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment(),
        )
        self.started.append(self)

    def line(self) -> Any:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(('"', "{")):
                return json.loads(line)
        raise AssertionError("the driver has ended")

    def until_parts(self, count: int) -> None:
        """Wait until the workers have stored so many parts."""
        while len(list(self.folder.glob("images/part-*"))) < count:
            assert self.process.poll() is None, "the driver has ended"
            time.sleep(0.01)

    def end(self) -> Any:
        """Return what it says at its end."""
        while (said := self.line()) == "ready":
            pass
        self.close()
        return said

    def close(self) -> None:
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.started.remove(self)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> AuditFolder:
    return undisturbed(tmp_path_factory.mktemp("whole") / "audit")


def test_workers_make_what_one_process_makes(
    nodes: Nodes, tmp_path: Path, whole: AuditFolder
) -> None:
    made = Driver(nodes, tmp_path / "audit").end()
    assert (made["made"], made["refused"], made["lost"]) == (112, 8, 0)
    assert_same(AuditFolder(tmp_path / "audit"), whole)
    assert_all_seen(AuditFolder(tmp_path / "audit"))
    again = Driver(nodes, tmp_path / "audit").end()
    assert (again["made"], again["present"]) == (0, 120)


def test_a_node_is_killed_and_its_batches_run_elsewhere(
    nodes: Nodes, tmp_path: Path, whole: AuditFolder
) -> None:
    driver = Driver(nodes, tmp_path / "audit", settings={"pause": 0.2})
    driver.until_parts(6)
    nodes.tell("kill")
    before = len(AuditFolder(driver.folder).images().fetchall())
    made = driver.end()
    nodes.tell("add")
    assert before < 120, "the node was killed in the middle"
    assert made["lost"] >= 1
    assert made["made"] + made["refused"] + made["present"] == 120
    assert_same(AuditFolder(driver.folder), whole)


def test_a_node_that_comes_later_is_given_work(
    nodes: Nodes, tmp_path: Path, whole: AuditFolder
) -> None:
    driver = Driver(nodes, tmp_path / "audit", settings={"pause": 0.3}, workers=3)
    driver.until_parts(2)
    nodes.tell("kill")
    nodes.tell("add")
    nodes.tell("add")
    made = driver.end()
    nodes.tell("kill")
    assert made["lost"] >= 1
    assert_same(AuditFolder(driver.folder), whole)


def test_the_driver_is_killed_and_a_new_one_continues(
    nodes: Nodes, tmp_path: Path, whole: AuditFolder
) -> None:
    driver = Driver(nodes, tmp_path / "audit", settings={"pause": 0.2})
    driver.until_parts(6)
    driver.process.send_signal(signal.SIGKILL)
    driver.close()
    stored = len(AuditFolder(driver.folder).images().fetchall())
    assert 0 < stored < 120
    made = Driver(nodes, driver.folder).end()
    assert made["present"] >= stored
    assert_same(AuditFolder(driver.folder), whole)


@pytest.mark.parametrize(
    ("accident", "message"),
    [
        ("absent", "device 'absent' cannot be used here"),
        ("broken", "3 batches failed one after another, the last with: RuntimeError: uncorrect"),
        ("fatal", "workers died one after another"),
    ],
)
def test_what_is_hopeless_ends_the_run(
    nodes: Nodes, tmp_path: Path, accident: str, message: str
) -> None:
    settings = {"accident": accident}
    said = Driver(nodes, tmp_path / "audit", wanted=[("a", 400)], settings=settings).end()
    assert message in said["error"]
    assert "\n" not in said["error"]


def test_a_batch_that_kills_every_worker_is_given_up(nodes: Nodes, tmp_path: Path) -> None:
    settings = {"accident": "poisoned", "pause": 0.05}
    made = Driver(nodes, tmp_path / "audit", wanted=[("a", 200)], settings=settings).end()
    rows = AuditFolder(tmp_path / "audit").images().select("seed, status, reason").fetchall()
    assert len(rows) == 200
    failed = {seed for seed, status, _ in rows if status == "failed"}
    assert {4, 5, 6, 7} <= failed
    assert len(failed) == made["failed"] <= 12, "its neighbours may have been under way with it"
    assert {reason for _, _, reason in rows} == {
        None,
        "4 workers died while they made this batch",
    }


def test_no_cluster_there_is_one_line(nodes: Nodes, tmp_path: Path) -> None:
    driver = Driver(nodes, tmp_path / "audit", address="127.0.0.1:1")
    assert "no Ray cluster answers there" in driver.end()["error"]


def test_a_pipeline_runs_on_the_cluster_from_the_command_line(
    nodes: Nodes, tmp_path: Path, sd1: Path
) -> None:
    (tmp_path / "work.toml").write_text(WORK)
    words = ("generate", tmp_path / "work.toml", "--out", tmp_path / "audit", "--model", sd1.name)
    options = ("--steps", "2", "--batch-size", "2")
    engine = ("--engine", "ray", "--address", nodes.address)
    # A relative path, and nodes that were started in another folder.
    made = in_a_process(*words, *options, *engine, cwd=sd1.parent, env=environment())
    assert "12 images generated, 0 reused" in made.err
    here = in_a_process(*words, *options, cwd=sd1.parent)
    assert "0 images generated, 12 reused" in here.err
