"""Fifty times SIGKILL at random moments: afterwards nothing is lost, doubled or different."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from forking import Jobs, forking_process
from portrayal.audit import AuditFolder
from portrayal.audit.parts import each_part

KILLS = {"painter": 10, "colours": 16, "mean colour": 12, "diffusers": 7, "clip": 5}
PROMPTS = ("a photo of a nurse", "a photo of a pilot", "a tulip")


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    with forking_process(with_models=True) as jobs:
        yield jobs


def kill_until_done(
    jobs: Jobs, kills: int, longest: float, folder: Path, *, batches: int, seed: int, **job: Any
) -> None:
    """Kill a job at random moments, start it again each time, and let it finish in the end.

    While it is to be killed every batch takes so long that it cannot be done before the last kill.
    """
    rng = np.random.default_rng(seed)
    rows, parts = 0, len(list(folder.rglob("part-*")))
    for kill in range(kills):
        delay = float(rng.uniform(0.0, longest))
        at_work = bool(rng.random() < 0.8)  # else while it starts and loads
        slow = {"pause": 2 * longest * kills / batches, "store_every": 0.0}
        if kill == kills - 1:  # however slow the machine is, one kill comes after a new part
            slow["parts"] = parts + 1
        killed = jobs.kill_after(delay, at_work=at_work, folder=folder, **job, **slow)
        assert killed, f"done after {kill} kills"
        if (folder / "audit.json").exists():
            now = len(AuditFolder(folder).images().select("key").fetchall())
            assert now >= rows, "an image that was there is gone"
            rows = now
    assert len(list(folder.rglob("part-*"))) > parts, "no kill came after the first part"
    assert jobs.run(folder=folder, **job) == 0, folder.with_suffix(".error").read_text()


def raw_keys(folder: Path) -> list[str]:
    """Return the keys of all rows of all parts, as they lie on the disk."""
    return [key for part in each_part(folder, ["key"]) for key in part["key"].to_pylist()]


def images(audit: AuditFolder) -> dict[str, npt.NDArray[np.int16]]:
    keys = [row[0] for row in audit.images().select("key").fetchall()]
    return {
        key: np.asarray(Image.open(io.BytesIO(data)), dtype=np.int16)
        for key, data in audit.read_images(keys).items()
    }


def assert_same_images(disturbed: Path, undisturbed: Path, *, wanted: int, tolerance: int) -> None:
    keys = raw_keys(disturbed / "images")
    assert len(keys) == len(set(keys)) == wanted, "none doubled, none lost"
    ours, theirs = images(AuditFolder(disturbed)), images(AuditFolder(undisturbed))
    assert set(ours) == set(theirs) == set(keys)
    assert max(int(np.abs(ours[key] - theirs[key]).max()) for key in keys) <= tolerance


def assert_same_measurements(disturbed: Path, undisturbed: Path, *, wanted: int) -> None:
    (folder,) = (disturbed / "measurements").iterdir()
    keys = raw_keys(folder)
    assert len(keys) == len(set(keys)) == wanted, "none doubled, none lost"
    ours, theirs = AuditFolder(disturbed), AuditFolder(undisturbed)
    keys_of, vectors = ours.embeddings(ours.measurer())
    other_keys, others = theirs.embeddings(theirs.measurer())
    assert keys_of == other_keys
    assert len(keys_of) == wanted
    assert vectors == pytest.approx(others, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "model", "each", "batch"),
    [("painter", "practice:painter", 120, 4), ("colours", "colours", 100, 3)],
)
def test_generate_survives_sigkill(
    jobs: Jobs, tmp_path: Path, name: str, model: str, each: int, batch: int
) -> None:
    job = {"verb": "generate", "model": model, "settings": {"batch_size": batch}}
    job["wanted"] = [(prompt, each) for prompt in PROMPTS]
    batches, seed = 3 * each // batch, len(name)
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    kill_until_done(jobs, KILLS[name], 0.25, killed, batches=batches, seed=seed, **job)
    assert jobs.run(folder=whole, **job) == 0
    assert_same_images(killed, whole, wanted=3 * each, tolerance=0)


def test_measure_survives_sigkill(jobs: Jobs, tmp_path: Path) -> None:
    generating = {"model": "colours", "settings": {"batch_size": 50}, "wanted": [("a", 600)]}
    measuring = {"verb": "measure", "model": "mean colour", "settings": {"batch_size": 4}}
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for folder in (killed, whole):
        assert jobs.run("generate", folder, **generating) == 0
    kill_until_done(jobs, KILLS["mean colour"], 0.25, killed, batches=150, seed=2, **measuring)
    assert jobs.run(folder=whole, **measuring) == 0
    assert_same_measurements(killed, whole, wanted=600)


def test_a_pipeline_and_an_encoder_survive_sigkill(
    jobs: Jobs, tmp_path: Path, sd1: Path, clip: Path
) -> None:
    generating = {
        "verb": "generate",
        "model": str(sd1),
        "settings": {"steps": 2, "batch_size": 2},
        "wanted": [(prompt, 40) for prompt in PROMPTS],
    }
    measuring = {
        "verb": "measure",
        "model": str(clip),
        "settings": {"batch_size": 2},
        "texts": ["a woman", "a man"],
    }
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    kill_until_done(jobs, KILLS["diffusers"], 0.4, killed, batches=60, seed=3, **generating)
    kill_until_done(jobs, KILLS["clip"], 0.4, killed, batches=60, seed=4, **measuring)
    for job in (generating, measuring):
        assert jobs.run(folder=whole, **job) == 0
    assert_same_images(killed, whole, wanted=120, tolerance=2)
    assert_same_measurements(killed, whole, wanted=120)


def test_there_are_fifty_kills() -> None:
    assert sum(KILLS.values()) >= 50
