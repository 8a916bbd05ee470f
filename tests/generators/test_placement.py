"""Models larger than a GPU are moved there in turns, by diffusers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipelines
from portrayal.generators import diffusers as diffusers_generator
from portrayal.generators import open_generator, placement
from portrayal.generators.placement import choose_placement, placement_for, weight_bytes
from portrayal.records import Request

GB = 10**9
FLUX = {"transformer": 24 * GB, "text_encoder_2": 10 * GB, "vae": GB // 5}
SDXL = {"unet": 5 * GB, "text_encoder_2": 14 * GB // 10, "vae": GB // 5}


@pytest.mark.parametrize(
    ("sizes", "free", "expected"),
    [
        (FLUX, 80, "whole"),
        (FLUX, 40, "by component"),
        (FLUX, 24, "by layer"),
        (SDXL, 12, "whole"),
        (SDXL, 8, "by component"),
        (SDXL, 4, "by layer"),
    ],
)
def test_known_cards(sizes: dict[str, int], free: int, expected: str) -> None:
    assert choose_placement(sizes, free * GB) == expected


def test_a_cpu_holds_everything_and_weights_are_counted(sd1: Path) -> None:
    pipeline: Any = open_generator(str(sd1))._pipeline  # type: ignore[attr-defined]
    assert placement_for(pipeline, "cpu") == "whole"
    sizes = weight_bytes(pipeline)
    assert set(sizes) == {"unet", "vae", "text_encoder"}
    assert sizes["unet"] >= 4 * sum(p.numel() for p in pipeline.unet.parameters())


@pytest.mark.parametrize("family", ["build_sd1", "build_flux"])
def test_networks_moved_by_layer_make_the_same_images(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(getattr(pipelines, family)(tmp_path / family))
    settings: dict[str, Any] = {"steps": 2, "width": 16, "height": 16, "batch_size": 2}
    requests = [Request("a doctor", seed) for seed in range(2)]
    whole = open_generator(folder, **settings)
    monkeypatch.setattr(diffusers_generator, "placement_for", lambda *given: "by layer")
    moved: Any = open_generator(folder, **settings)
    assert moved.identity == whole.identity
    assert moved._pipeline.vae is not None
    hooks = [m for m in moved._pipeline.text_encoder.modules() if hasattr(m, "_diffusers_hook")]
    assert hooks, "diffusers' hooks move the layers"
    pairs = zip(whole.generate(requests), moved.generate(requests), strict=True)
    for one, other in pairs:
        assert np.array_equal(np.asarray(one.image), np.asarray(other.image))


def test_short_memory_is_said(monkeypatch: pytest.MonkeyPatch, sd1: Path) -> None:
    torch = pytest.importorskip("torch")
    pipeline: Any = open_generator(str(sd1))._pipeline  # type: ignore[attr-defined]
    size = sum(weight_bytes(pipeline).values())
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (size, size))
    with pytest.warns(UserWarning, match="diffusers moves them to the GPU by component"):
        assert placement_for(pipeline, "cuda") == "by component"
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (10 * size, 10 * size))
    assert placement.placement_for(pipeline, "cuda") == "whole"
