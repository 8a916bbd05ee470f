"""Benchmarks that need other machines run here in small, and have the shapes that they claim."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from benchmarks.gpu_generation import Shapes, build_networks, clip_configuration

ROOT = Path(__file__).parents[1]

PARAMETERS = {"unet": 859_520_964, "vae": 83_653_863, "text_encoder": 123_060_480}
"""Of Stable Diffusion 1.5, as its checkpoints hold them."""

CLIP_PARAMETERS = 427_616_513
"""Of CLIP ViT-L/14."""


def test_the_gpu_benchmark_has_the_shapes_of_stable_diffusion() -> None:
    import torch
    from transformers import CLIPModel

    with torch.device("meta"):
        networks = build_networks(Shapes())
        networks["clip"] = CLIPModel(clip_configuration(Shapes()))
    found = {name: sum(p.numel() for p in one.parameters()) for name, one in networks.items()}
    assert found == {**PARAMETERS, "clip": CLIP_PARAMETERS}


def test_the_gpu_benchmark_runs_in_small() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.gpu_generation", "--tiny", "--compare"],
        capture_output=True, text=True, check=True, cwd=ROOT, timeout=300,
    )  # fmt: skip
    stages = re.findall(r"^  (.*), ms an image +([\d.]+)$", done.stdout, re.MULTILINE)
    assert [stage for stage, _ in stages] == [
        "text", "denoising", "decoding", "PNG (threads)", "writing (thread)", "filter", "embedding",
    ]  # fmt: skip
    assert all(float(seconds) > 0 for _, seconds in stages)
    assert "8 images" in done.stdout
    assert re.search(r"as timed, from diffusers' networks +0\.\d", done.stdout)


def test_the_benchmark_of_large_audits_runs_in_small() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.large_analysis", "744", "8"],
        capture_output=True, text=True, check=True, cwd=ROOT, timeout=300,
    )  # fmt: skip
    assert re.search(r"^composition: report, size +[\d.]+ MB", done.stdout, re.MULTILINE)
    assert re.search(r"^association: analyze, peak memory +\d+ MB", done.stdout, re.MULTILINE)
