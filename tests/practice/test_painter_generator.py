from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from portrayal.audit import AuditFolder
from portrayal.errors import GenerationError
from portrayal.generators import generate, open_generator
from portrayal.records import Request
from portrayal_practice.generator import PainterGenerator, stable_seed
from portrayal_practice.world import World


def test_images_depend_on_prompt_and_seed_alone() -> None:
    requests = [Request(prompt, seed) for prompt in ("a nurse", "a tulip") for seed in range(4)]
    together = open_generator("practice:painter").generate(requests)
    alone = [open_generator("practice:painter").generate([r])[0] for r in requests[::-1]][::-1]
    arrays = [np.asarray(image.image) for image in together]
    assert all(np.array_equal(a, np.asarray(b.image)) for a, b in zip(arrays, alone, strict=True))
    assert len({array.tobytes() for array in arrays}) == 8
    assert arrays[0].shape == (64, 64, 3)


def test_seeds_are_the_same_in_every_process() -> None:
    assert stable_seed(Request("a nurse", 3)) == 523644914452981671
    assert stable_seed(Request("\ud800", -1)) != stable_seed(Request("", -1))


def test_scenes_follow_the_planted_distribution() -> None:
    prompt = "a photo of a nurse"
    world = World.load()
    shares = world.distribution(prompt).group_share("perceived gender")
    n = 2000
    drawn = Counter(
        world.sample(prompt, np.random.default_rng([stable_seed(Request(prompt, seed)), 0]))
        .people[0]
        .presentation
        for seed in range(n)
    )
    for group, share in shares.items():
        spread = (share * (1 - share) / n) ** 0.5
        assert abs(drawn[group] / n - share) < 4.5 * spread + 1e-9, group


def test_the_identity_holds_table_and_size() -> None:
    small, large = open_generator("practice:painter"), open_generator("practice:painter", width=96)
    assert set(small.identity.differences(large.identity)) == {"size"}
    assert small.identity.name == "practice:painter"
    again = PainterGenerator(batch_size=3)
    assert again.identity == small.identity


def test_settings_that_it_does_not_have_are_named() -> None:
    with pytest.raises(GenerationError, match="knows no `steps`; allowed: `width`, `height`"):
        open_generator("practice:painter", steps=3)
    with pytest.raises(GenerationError, match="square"):
        open_generator("practice:painter", width=64, height=32)


def test_it_makes_an_audit(tmp_path: Path) -> None:
    generator = open_generator("practice:painter", batch_size=8)
    audit = AuditFolder.at(tmp_path / "audit", generator.identity)
    assert generate(audit, generator, [("a nurse", 10), ("anything at all", 10)]).made == 20
