"""Adapters of the practice model with a known difference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from portrayal_practice.corpus import corpus_items
from portrayal_practice.errors import PracticeError
from portrayal_practice.planted import planted_table
from portrayal_practice.training.variants import VARIANTS, train_variant, variant_table
from portrayal_practice.world import World


def _women(table_name: str | None, prompt: str) -> float:
    table = variant_table(table_name) if table_name else planted_table()
    return World(table).distribution(prompt).woman


def test_more_women_raises_every_share_and_mirrored_turns_it() -> None:
    for prompt in ("a photo of a nurse", "a photo of a chef", "a photo of a person"):
        plain = _women(None, prompt)
        assert _women("more-women", prompt) > plain
        assert _women("mirrored", prompt) == pytest.approx(1 - plain)
        assert _women("framed", prompt) == plain


def test_a_frame_leaves_the_middle_as_it_was() -> None:
    image = np.full((64, 64, 3), 100, dtype=np.uint8)
    framed = VARIANTS["framed"].look(image)
    assert (framed[8:56, 8:56] == 100).all()
    assert (framed[0] == 255).all()
    assert (image == 100).all()


def test_items_of_another_world_differ_from_the_shipped_ones() -> None:
    other = World(variant_table("mirrored"))
    shown = [item.scene for item in corpus_items(200, seed=1)]
    turned = [item.scene for item in corpus_items(200, seed=1, world=other)]
    assert shown != turned


def test_an_unknown_variant_is_one_line() -> None:
    with pytest.raises(PracticeError, match="'more-men' is unknown; allowed: more-women, framed"):
        train_variant("more-men", Path("unused"))


@pytest.mark.slow
def test_an_adapter_is_trained_and_applied(tmp_path: Path) -> None:
    from portrayal.generators import open_generator
    from portrayal.records import Request

    path = train_variant("framed", tmp_path, images=600, steps=200)
    # A white frame shows on a dark background only.
    request = [Request("a photo of a firefighter", seed=1)]
    plain = open_generator("practice").generate(request)[0].image
    framed = open_generator("practice", lora=[str(path)]).generate(request)[0].image
    edge = np.asarray(framed)[0].mean() - np.asarray(plain)[0].mean()
    assert edge > 50
