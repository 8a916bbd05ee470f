"""One process per device: the same audit, whatever happens to the processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from engines import WANTED, assert_all_seen, assert_same, look, opener, undisturbed

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, GenerationError, SettingError
from portrayal.generators import GenerationSummary
from portrayal.measurers import measure
from portrayal.runner.engines import EngineSettings, open_engine
from toy_generators import MeanColour

HERE = Path(__file__).parent


def on(*devices: str) -> EngineSettings:
    return EngineSettings(devices=devices)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"address": "auto"}, "address is for the ray engine"),
        ({"workers": 2}, "workers is for the ray engine"),
        ({"gpus_per_worker": 0.5}, "gpus_per_worker is for the ray engine"),
        ({"engine": "ray", "devices": ("cpu",)}, "devices is for the local engine"),
        ({"engine": "ray", "workers": 0}, "workers is 0; allowed: a whole number"),
        ({"engine": "ray", "gpus_per_worker": -1.0}, "gpus_per_worker is -1"),
    ],
)
def test_settings_of_another_engine_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        EngineSettings(**settings)  # type: ignore[arg-type]


def test_without_devices_the_generator_is_here(tmp_path: Path) -> None:
    with open_engine(opener(), EngineSettings()) as engine:
        audit = AuditFolder.at(tmp_path / "audit", engine.identity)
        assert engine.check(["a"]) == 0
        assert engine.generate(audit, WANTED) == GenerationSummary(made=112, refused=8)
    assert_same(audit, undisturbed(tmp_path / "whole"))


def test_two_processes_make_what_one_makes(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with open_engine(opener(pause=0.01), on("one", "two")) as engine:
        audit = AuditFolder.at(tmp_path / "audit", engine.identity)
        made = engine.generate(audit, WANTED, on_progress=lambda *now: seen.append(now))
        again = engine.generate(audit, [*WANTED, ("a pilot", 3)])
    assert made == GenerationSummary(made=112, refused=8)
    assert again == GenerationSummary(made=3, present=120)
    assert seen == sorted(seen)
    assert seen[0] == (0, 120)
    assert seen[-1] == (120, 120)
    audit_without = AuditFolder(audit.path)
    whole = undisturbed(tmp_path / "whole")
    with open_engine(opener(), EngineSettings()) as engine:
        engine.generate(whole, [("a pilot", 3)])
    assert_same(audit_without, whole)


def test_what_processes_make_they_also_measure(tmp_path: Path) -> None:
    with open_engine(opener(pause=0.01), on("one", "two"), look=look) as engine:
        audit = AuditFolder.at(tmp_path / "audit", engine.identity)
        engine.generate(audit, WANTED)
    measured = len(audit.measurements(MeanColour().identity).fetchall())
    assert measured >= 112 - 2 * 4, "but for the batch in which the two met"
    measure(audit, [MeanColour()])
    assert_all_seen(audit)


@pytest.mark.parametrize("accident", ["deadly", pytest.param("broken", marks=pytest.mark.slow)])
def test_the_work_of_a_lost_process_is_done_by_the_others(tmp_path: Path, accident: str) -> None:
    with open_engine(opener(pause=0.1), on("one", accident)) as engine:
        audit = AuditFolder.at(tmp_path / "audit", engine.identity)
        made = engine.generate(audit, WANTED)
    if accident == "deadly":  # a broken one tries for seconds, and may find all done by then
        assert made.lost == 1
    assert made.failed == 0
    assert_same(audit, undisturbed(tmp_path / "whole"))


@pytest.mark.parametrize(
    ("devices", "message"),
    [
        (("one", "absent"), "device 'absent' cannot be used here"),
        (
            ("one", "other"),
            "the devices one and other have different models: dtype is None or 'bfloat16'",
        ),
        (("deadly",), "process of device deadly ended with code -9"),
        pytest.param(
            ("broken",), "3 batches failed .* uncorrectable error", marks=pytest.mark.slow
        ),
    ],
)
def test_nobody_left_is_an_error(tmp_path: Path, devices: tuple[str, ...], message: str) -> None:
    with (
        pytest.raises(GenerationError, match=message),
        open_engine(opener(), on(*devices)) as engine,
    ):
        engine.generate(AuditFolder.at(tmp_path / "audit", engine.identity), WANTED)


def test_the_generator_must_be_the_audits(tmp_path: Path) -> None:
    from portrayal.records import Identity

    audit = AuditFolder.at(tmp_path / "audit", Identity("colour", "others"))
    with (
        pytest.raises(AuditError, match="this audit is about another generator"),
        open_engine(opener(), on("one")) as engine,
    ):
        engine.generate(audit, WANTED)


SCRIPT = """
import sys
from engines import WANTED, opener
from portrayal.audit import AuditFolder
from portrayal.runner.engines import EngineSettings, open_engine

if __name__ == "__main__":
    with open_engine(opener(pause=0.2), EngineSettings(devices=("one", "two"))) as engine:
        audit = AuditFolder.at(sys.argv[1], engine.identity)
        print("ready", flush=True)
        engine.generate(audit, WANTED)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_first_process_may_die_and_a_new_one_continues(tmp_path: Path, how: int) -> None:
    script = tmp_path / "driver.py"
    script.write_text(SCRIPT)
    paths = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "src")]
    folder = tmp_path / "audit"
    driver = subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    assert driver.stdout is not None
    assert driver.stdout.readline() == b"ready\n"
    while not list(folder.glob("images/part-*")):
        time.sleep(0.01)
    driver.send_signal(how)
    driver.wait(60)
    driver.stdout.read()  # ends only when the last process that holds the other end has ended
    driver.stdout.close()
    assert len(AuditFolder(folder).images().fetchall()) < 120
    with open_engine(opener(), on("one", "two")) as engine:
        audit = AuditFolder.at(folder, engine.identity)
        made = engine.generate(audit, WANTED)
    assert made.present > 0
    assert_same(audit, undisturbed(tmp_path / "whole"))
