"""Decoding in slices makes the same images, and never more than a megapixel at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from portrayal.generators import open_generator, slices
from portrayal.generators.slices import images_at_once
from portrayal.records import Request


@pytest.mark.parametrize(
    ("side", "expected"), [(512, 4), (1024, 1), (2048, 1), (768, 1), (256, 16), (720, 2)]
)
def test_a_megapixel_at_once(side: int, expected: int) -> None:
    assert images_at_once(side, side) == expected


def test_slices_make_the_same_images(sd1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [Request("a doctor", seed) for seed in range(5)]
    generator: Any = open_generator(str(sd1), steps=2, batch_size=5)
    whole = [np.asarray(one.image, np.int16) for one in generator.generate(requests)]
    seen = []
    plain = generator._pipeline.vae.decoder.forward

    def counted(latents: Any, *others: Any) -> Any:
        seen.append(len(latents))
        return plain(latents, *others)

    generator._pipeline.vae.decoder.forward = counted
    monkeypatch.setattr(slices, "PIXELS", 2 * 16 * 16)
    sliced = [np.asarray(one.image, np.int16) for one in generator.generate(requests)]
    assert seen == [2, 2, 1]
    assert np.abs(np.stack(sliced) - np.stack(whole)).max() <= 1
