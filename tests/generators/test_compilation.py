"""Compiling changes no image, keeps batches at one size, and is left alone in short runs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipelines
from portrayal.errors import SettingError
from portrayal.generators import compilation, open_generator
from portrayal.generators.compilation import Compilation, repeated_blocks
from portrayal.generators.pipelines import lay_channels_last
from portrayal.loading.attempts import Attempts
from portrayal.records import GeneratedImage, Request

REQUESTS = [Request("a doctor", seed) for seed in range(5)]


class Network:
    """Counts how often it is compiled."""

    def __init__(self) -> None:
        self.compiled = 0

    def compile(self, **options: Any) -> None:
        assert options["dynamic"] is False
        self.compiled += 1


class Pipeline:
    def __init__(self) -> None:
        self.unet = Network()


def pixels(images: Sequence[GeneratedImage]) -> Any:
    return np.stack([np.asarray(image.image, dtype=np.int16) for image in images])


def test_a_compiled_network_makes_the_same_images(
    sd1: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "BACKEND", "eager")  # captured, but not made into machine code
    compiled: Any = open_generator(str(sd1), steps=2, compile="on", batch_size=4)
    plain = open_generator(str(sd1), steps=2, compile="off", batch_size=4)
    assert compiled.identity == plain.identity
    for requests in (REQUESTS[:4], REQUESTS[4:]):
        expected = pixels(plain.generate(requests))
        assert np.abs(pixels(compiled.generate(requests)) - expected).max() <= 2


@pytest.mark.parametrize("family", ["sd3", "flux", "pixart"])
def test_repeated_blocks_are_compiled_once(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from torch._dynamo.testing import CompileCounter

    folder = str(getattr(pipelines, f"build_{family}")(tmp_path / family))
    settings: dict[str, Any] = {"steps": 2, "width": 16, "height": 16, "batch_size": 2}
    plain = open_generator(folder, compile="off", **settings)
    expected = pixels(plain.generate(REQUESTS[:2]))
    torch._dynamo.reset()
    counter = CompileCounter()
    monkeypatch.setattr(compilation, "BACKEND", counter)
    compiled: Any = open_generator(folder, compile="on", **settings)
    denoiser = compiled._pipeline.transformer
    assert np.abs(pixels(compiled.generate(REQUESTS[:2])) - expected).max() <= 2
    blocks = [m for m in denoiser.modules() if type(m).__name__ in repeated_blocks(denoiser)]
    kinds = {type(block).__name__ for block in blocks}
    # Blocks of one kind come in two shapes at most; the decoder is compiled as a whole.
    assert len(kinds) < counter.frame_count <= 2 * len(kinds) + 1
    assert counter.frame_count <= len(blocks)
    before = counter.frame_count
    compiled.generate(REQUESTS[2:4])
    assert counter.frame_count == before, "another batch and further steps compile nothing"


def test_channels_last_makes_the_same_images(sd1: Path) -> None:
    import torch

    plain, laid = (open_generator(str(sd1), steps=2) for _ in range(2))
    lay_channels_last(laid._pipeline)  # type: ignore[attr-defined]
    weight = laid._pipeline.unet.conv_in.weight  # type: ignore[attr-defined]
    assert weight.is_contiguous(memory_format=torch.channels_last)
    assert np.abs(pixels(laid.generate(REQUESTS)) - pixels(plain.generate(REQUESTS))).max() <= 2


@pytest.mark.parametrize(
    ("mode", "device", "left", "expected"),
    [
        ("auto", "cuda", 10**9, 1),
        ("auto", "cuda:1", 10**9, 1),
        ("auto", "cuda", 8, 0),
        ("auto", "cpu", 10**9, 0),
        ("off", "cuda", 10**9, 0),
        ("on", "cpu", 0, 1),
    ],
)
def test_compiling_waits_until_it_pays(
    mode: str, device: str, left: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count()  # every batch takes a second, on any machine
    monkeypatch.setattr(compilation.time, "perf_counter", lambda: float(next(seconds)))
    pipeline = Pipeline()
    found = Compilation(pipeline, mode=mode, device=device)
    found.expect(left)
    for _ in range(3):
        found.run(lambda requests: [GeneratedImage.failed("x")] * len(requests), REQUESTS[:4])
    assert pipeline.unet.compiled == expected


def test_batches_keep_their_size_once_compiled() -> None:
    sizes = []

    def call(requests: Sequence[Request]) -> list[GeneratedImage]:
        sizes.append(len(requests))
        return [GeneratedImage.failed(str(request.seed)) for request in requests]

    found = Compilation(Pipeline(), mode="on", device="cpu")
    seen = [found.run(call, REQUESTS[start : start + 2]) for start in (0, 2, 4)]
    assert sizes == [2, 2, 2]
    reasons = [image.reason for batch in seen for image in batch]
    assert reasons == ["0", "1", "2", "3", "4"], "what was filled up is thrown away"


def test_a_full_memory_makes_compiled_batches_smaller() -> None:
    sizes = []

    def call(requests: Sequence[Request]) -> list[GeneratedImage]:
        sizes.append(len(requests))
        if len(requests) > 2:
            raise RuntimeError("CUDA out of memory")
        return [GeneratedImage.failed("x")] * len(requests)

    found = Compilation(Pipeline(), mode="on", device="cpu")
    attempts: Attempts[Request, GeneratedImage] = Attempts(
        lambda requests: found.run(call, requests), limit=5
    )
    assert len(attempts.run(REQUESTS)) == 5
    assert sizes == [5, 2, 2, 2]


def test_a_bad_mode_is_named(sd1: Path) -> None:
    with pytest.raises(SettingError, match="compile is 'maybe'; allowed: auto, on, off"):
        open_generator(str(sd1), compile="maybe")
