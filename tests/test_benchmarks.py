"""Benchmarks that need other machines run here in small, and have the shapes that they claim."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import gpu_generation, gpu_measuring, gpu_opening, grid_costs
from benchmarks.gpu_generation import Looker, clip_configuration
from benchmarks.gpu_models import MODELS

from portrayal.measurers import loop

ROOT = Path(__file__).parents[1]

T5_XXL = 4_762_310_656
PARAMETERS = {
    "sd15": {"unet": 859_520_964, "vae": 83_653_863, "text_encoder": 123_060_480},
    "sdxl": {
        "unet": 2_567_463_684,
        "vae": 83_653_863,
        "text_encoder": 123_060_480,
        "text_encoder_2": 694_659_840,
    },
    "sd3": {
        "transformer": 2_028_328_000,
        "vae": 83_819_683,
        "text_encoder": 123_650_304,
        "text_encoder_2": 694_659_840,
        "text_encoder_3": T5_XXL,
    },
    "flux": {
        "transformer": 11_891_178_560,
        "vae": 83_819_683,
        "text_encoder": 123_060_480,
        "text_encoder_2": T5_XXL,
    },
}
"""Of the models, as their checkpoints hold them."""

CLIP_PARAMETERS = 427_616_513
"""Of CLIP ViT-L/14."""


@pytest.mark.parametrize("model", PARAMETERS)
def test_the_gpu_benchmark_has_the_shapes_of_its_models(model: str) -> None:
    import torch

    with torch.device("meta"):
        pipeline = MODELS[model].build(False)
    found = {
        name: sum(p.numel() for p in one.parameters())
        for name, one in pipeline.components.items()
        if isinstance(one, torch.nn.Module)
    }
    assert found == PARAMETERS[model]


def test_the_gpu_benchmark_measures_with_the_shapes_of_clip() -> None:
    import torch
    from transformers import CLIPModel

    with torch.device("meta"):
        model = CLIPModel(clip_configuration(Looker()))
    assert sum(p.numel() for p in model.parameters()) == CLIP_PARAMETERS


@pytest.mark.parametrize("model", ["sdxl", "flux"])
def test_the_gpu_benchmark_runs_in_small(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    gpu_generation.main(["--tiny", "--model", model])
    shown = capsys.readouterr().out
    stages = re.findall(r"^(.*), ms per image +([\d.]+)$", shown, re.MULTILINE)
    assert [stage for stage, _ in stages] == [
        "text", "denoising", "decoding", "PNG (threads)", "writing (thread)", "filter", "embedding",
    ]  # fmt: skip
    assert all(float(seconds) > 0 for _, seconds in stages)
    assert re.search(r"^images +8$", shown, re.MULTILINE)
    assert re.search(r"^times the plain loop +[\d.]+$", shown, re.MULTILINE)
    assert re.search(r"^pixels: distance of ours +[\d.]+", shown, re.MULTILINE)


def test_the_benchmark_of_measuring_runs_in_small(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(loop, "THREADS", 1)
    gpu_measuring.main(["--tiny", "--threads", "1", "2"])
    shown = capsys.readouterr().out
    rates = dict(re.findall(r"^(.*), images per second +([\d.e+]+)$", shown, re.MULTILINE))
    assert list(rates) == [
        "one thread preparing", "reading", "reading and preparing",
        "bare network, batches of 16", "measure, batches of 16, 1 threads",
        "measure, batches of 16, 2 threads",
    ]  # fmt: skip
    assert all(float(rate) > 0 for rate in rates.values())


def test_the_benchmark_of_opening_runs_in_small(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "set back at the end")
    gpu_opening.main(["--tiny", "--free", "24"])
    shown = re.findall(r"^(.*?) {2,}(-?[\d.]+)$", capsys.readouterr().out, re.MULTILINE)
    found = {what: float(value) for what, value in shown}
    beyond = "second opening beyond from_pretrained, s"
    assert list(found) == [
        "building and writing, s", "GB", "from_pretrained, first, s", "from_pretrained, second, s",
        "ours, first, s", "ours, second, s", beyond, "24 GB: opening, s", "24 GB: batch size",
        "24 GB: first batch, s per image", "24 GB: second batch, s per image",
        "24 GB: peak memory, GB",
    ]  # fmt: skip
    assert all(value > 0 for what, value in found.items() if "beyond" not in what and
               "peak" not in what)  # fmt: skip
    difference = found["ours, second, s"] - found["from_pretrained, second, s"]
    assert found[beyond] == pytest.approx(difference, abs=0.01)


STAGES = {
    "gpu_generation": (gpu_generation, ["run"]),
    "gpu_measuring": (gpu_measuring, ["run"]),
    "gpu_opening": (gpu_opening, ["write_model", "time_openings", "run_with_little_memory"]),
}
"""What takes time in each benchmark that needs a GPU."""


def commands_on_the_page() -> list[str]:
    page = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(gpu_\w+.*?)` \|", page, re.MULTILINE)


def test_the_page_has_a_command_for_every_gpu_benchmark_and_model() -> None:
    found = commands_on_the_page()
    assert {line.split()[0] for line in found} == STAGES.keys()
    models = [line.split()[2] for line in found if line.startswith("gpu_generation --model")]
    assert models == list(MODELS)


@pytest.mark.parametrize("line", commands_on_the_page())
def test_the_pages_gpu_commands_are_understood(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, *options = line.split()
    benchmark, stages = STAGES[name]
    monkeypatch.setenv("XDG_CACHE_HOME", "set back at the end")
    monkeypatch.setattr(loop, "THREADS", loop.THREADS)
    called = []
    for stage in stages:
        monkeypatch.setattr(benchmark, stage, lambda *given, **named: called.append(given))
    benchmark.main(options)
    assert called


def test_what_a_grid_costs_is_never_more_than_all_of_it() -> None:
    found = grid_costs.costs(2)
    assert [one.fixed for one in found] == [8310, 2214, 2214, 2214, 248_000, 115]
    assert all(0 < one.sequential <= one.fixed for one in found)


def test_the_benchmark_of_large_audits_runs_in_small() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.large_analysis", "744", "8"],
        capture_output=True, text=True, check=True, cwd=ROOT, timeout=300,
    )  # fmt: skip
    assert re.search(r"^composition: report, size +[\d.]+ MB", done.stdout, re.MULTILINE)
    assert re.search(r"^association: analyze, peak memory +\d+ MB", done.stdout, re.MULTILINE)
