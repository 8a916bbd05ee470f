"""Images are prepared to the last bit as the processor of transformers would."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import ExifTags, Image, ImageOps

from portrayal.measurers.decoding import decode
from portrayal.measurers.preparation import ImagePreparation

SIZES = [(512, 512), (300, 200), (200, 300), (48, 48), (65, 64), (1000, 70)]


def processors() -> dict[str, Any]:
    from transformers import CLIPImageProcessorPil, SiglipImageProcessorPil

    def clip(size: int, **options: Any) -> Any:
        crop = {"height": size, "width": size}
        return CLIPImageProcessorPil(size={"shortest_edge": size}, crop_size=crop, **options)

    return {
        "clip": clip(64),
        "siglip": SiglipImageProcessorPil(size={"height": 64, "width": 64}),
        "not normalised": clip(64, do_normalize=False),
        "bilinear": clip(64, resample=2),
    }


def noise(size: tuple[int, int], seed: int = 0, mode: str = "RGB") -> Image.Image:
    width, height = size
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels).convert(mode)


@pytest.mark.parametrize("name", ["clip", "siglip", "not normalised", "bilinear"])
def test_the_processors_own_numbers(name: str) -> None:
    import torch

    processor = processors()[name]
    found = ImagePreparation(processor, torch)
    assert found.is_by_table
    images = [noise(size, seed) for seed, size in enumerate(SIZES)]
    images.append(noise((90, 80), 9, "L").convert("RGB"))
    batch = found.batch([found.prepare(image) for image in images], "cpu")
    expected = processor(images, return_tensors="pt")["pixel_values"]
    assert set(batch) == {"pixel_values"}
    assert torch.equal(batch["pixel_values"], expected)


@pytest.mark.parametrize(
    ("kind", "mode", "orientation"),
    [("PNG", "RGB", 1), ("PNG", "RGBA", 1), ("PNG", "L", 1), ("JPEG", "RGB", 1),
     ("JPEG", "RGB", 6), ("PNG", "RGB", 3), ("WEBP", "RGB", 8)],
)  # fmt: skip
def test_stored_images_give_the_numbers_of_pillow_and_the_processor_alone(
    kind: str, mode: str, orientation: int
) -> None:
    import torch

    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    buffer = io.BytesIO()
    image = noise((90, 70), mode=mode)
    if mode == "RGBA":
        image.putalpha(noise((90, 70), 1, "L"))
    image.save(buffer, kind, exif=exif)
    processor = processors()["clip"]
    found = ImagePreparation(processor, torch)
    decoded = decode(buffer.getvalue())
    assert isinstance(decoded, Image.Image)
    batch = found.batch([found.prepare(decoded)], "cpu")

    upright = ImageOps.exif_transpose(Image.open(buffer))
    if mode == "RGBA":
        upright = Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright)
    expected = processor([upright.convert("RGB")], return_tensors="pt")["pixel_values"]
    assert torch.equal(batch["pixel_values"], expected)


def test_other_processors_do_their_work_themselves() -> None:
    import torch
    from transformers import CLIPImageProcessorPil

    others = {
        "whole images": CLIPImageProcessorPil(do_center_crop=False, size={"shortest_edge": 64}),
        "with a border": CLIPImageProcessorPil(
            size={"shortest_edge": 32}, crop_size={"height": 64, "width": 64}
        ),
        "not resized": CLIPImageProcessorPil(
            do_resize=False, crop_size={"height": 64, "width": 64}
        ),
    }
    for name, processor in others.items():
        found = ImagePreparation(processor, torch)
        assert not found.is_by_table, name
        images = [noise((100, 100), seed) for seed in range(3)]
        batch = found.batch([found.prepare(image) for image in images], "cpu")
        expected = processor(images, return_tensors="pt")["pixel_values"]
        assert torch.equal(batch["pixel_values"], expected), name


def test_a_processor_that_disagrees_is_used_as_it_is() -> None:
    import torch

    processor = processors()["clip"]

    class Sharpening:
        """Looks like CLIP's processor and does one thing more."""

        def __getattr__(self, name: str) -> Any:
            return getattr(processor, name)

        def __call__(self, images: Any, **options: Any) -> Any:
            found = processor(images, **options)
            found["pixel_values"] = found["pixel_values"] * 1.5
            found["pixel_values"][..., 0, 0] += 1e-3
            return found

    assert not ImagePreparation(Sharpening(), torch).is_by_table
