"""The practice model's measured truth: what the table says, and how sure it is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta

from portrayal_practice.calibration.measured import MeasuredTruth, counted_shares
from portrayal_practice.errors import PracticeError


@pytest.fixture
def table(tmp_path: Path):
    rows = [
        {"prompt": "a photo of a nurse", "presentation": [30, 60, 10], "tone": [25, 75]},
        {"prompt": "a photo of a chef", "presentation": [0, 100, 0], "tone": [100, 0]},
    ]
    settings = {"images": 100, "steps": 14, "guidance": 4.0}
    (tmp_path / "shares.json").write_text(json.dumps({"settings": settings, "rows": rows}))
    return counted_shares(tmp_path)


def test_the_shipped_shares_were_counted_at_the_settings_that_ship() -> None:
    """Another sampler, guidance or number of steps has other shares: count them again."""
    from portrayal_practice.weights import weights_folder

    pipeline = weights_folder() / "pipeline"
    used = json.loads((pipeline / "portrayal.json").read_text())
    sampler = json.loads((pipeline / "scheduler" / "scheduler_config.json").read_text())
    counted = json.loads((weights_folder() / "shares.json").read_text())["settings"]
    assert (counted["steps"], counted["guidance"]) == (used["steps"], used["guidance"])
    assert counted["sampler"] == sampler["algorithm_type"]


def test_what_was_not_measured_is_named(table, tmp_path: Path) -> None:
    world = MeasuredTruth("who", table)
    with pytest.raises(PracticeError, match="'a photo of a cook' were not measured"):
        world.shares(["a photo of a cook"], axis="perceived gender", groups=["woman"])
    with pytest.raises(PracticeError, match="'culture' were not measured; allowed"):
        world.shares(["a photo of a chef"], axis="culture", groups=["indian"])
    with pytest.raises(PracticeError, match="group 'green' of skin tone was not measured"):
        world.shares(["a photo of a chef"], axis="skin tone", groups=["green"])
    with pytest.raises(PracticeError, match="--of painter"):
        world.pool(["a photo of a chef"])
    with pytest.raises(PracticeError, match=r"shares\.json is missing, these weights"):
        counted_shares(tmp_path / "nowhere")


def test_shares_are_those_counted(table) -> None:
    nurse, chef = MeasuredTruth("who", table).shares(
        ["a photo of a nurse", "a photo of a chef"],
        axis="perceived gender",
        groups=["woman", "man"],
    )
    assert nurse.shares == pytest.approx({"woman": 0.3, "man": 0.6})
    assert chef.shares == pytest.approx({"woman": 0.0, "man": 1.0})
    (tone,) = MeasuredTruth("who", table).shares(
        ["a photo of a nurse"], axis="skin tone", groups=["dark skin", "light skin"]
    )
    assert tone.shares == pytest.approx({"dark skin": 0.75, "light skin": 0.25})


def test_drawn_shares_agree_with_jeffreys_interval(table) -> None:
    world = MeasuredTruth("who", table, np.random.default_rng(0))
    drawn = [
        world.shares(["a photo of a nurse"], axis="skin tone", groups=["dark skin"])[0].shares[
            "dark skin"
        ]
        for _ in range(4000)
    ]
    found = np.quantile(drawn, (0.025, 0.975))
    assert found == pytest.approx(beta.ppf((0.025, 0.975), 75.5, 25.5), abs=0.006)
