"""The model that ships with the package, through the code that real models use."""

from __future__ import annotations

import numpy as np
import pytest

from portrayal.generators import Generator, open_generator
from portrayal.measurers import open_measurer
from portrayal.records import Request
from portrayal_practice.training.recipe import WINDOW
from portrayal_practice.weights import DEFAULT_GUIDANCE, DEFAULT_STEPS

REQUESTS = [Request(("a photo of a doctor", "a tulip")[i % 2], i // 2) for i in range(8)]


@pytest.fixture(scope="module")
def generator() -> Generator:
    return open_generator("practice", steps=4)


def test_it_is_known_by_its_name_and_its_own_settings() -> None:
    identity = open_generator("practice").identity
    assert (identity.kind, identity.name) == ("diffusers", "practice")
    assert {name: identity.settings[name] for name in ("steps", "guidance", "width", "height")} == {
        "steps": DEFAULT_STEPS,
        "guidance": DEFAULT_GUIDANCE,
        "width": 64,
        "height": 64,
    }


@pytest.mark.parametrize(("dtype", "rounding"), [("float32", 1), ("bfloat16", 4)])
def test_an_image_does_not_depend_on_its_batch(dtype: str, rounding: int) -> None:
    generator = open_generator("practice", steps=4, dtype=dtype)
    together = generator.generate(REQUESTS)
    alone = [generator.generate([request])[0] for request in REQUESTS]
    for one, other in zip(together, alone, strict=True):
        difference = np.asarray(one.image, dtype=int) - np.asarray(other.image, dtype=int)
        assert np.abs(difference).max() <= rounding
        assert np.abs(difference).mean() < 0.25


def test_its_encoder_tells_its_images_apart(generator: Generator) -> None:
    encoder = open_measurer("practice")
    measured = encoder.measure([p.image for p in generator.generate(REQUESTS) if p.image])
    images = np.stack([np.asarray(values["embedding"]) for values in measured])  # type: ignore[call-overload]
    texts = encoder.embed_texts(["a photo of a doctor", "a tulip"]).vectors
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    cosines = images @ (texts / np.linalg.norm(texts, axis=1, keepdims=True)).T
    assert list(cosines.argmax(axis=1)) == [0, 1] * 4


def test_a_long_prompt_is_noticed(generator: Generator) -> None:
    from portrayal.errors import PromptTooLong

    with pytest.raises(PromptTooLong, match=f"reads {WINDOW}"):
        generator.check(["doctor " * 90])
