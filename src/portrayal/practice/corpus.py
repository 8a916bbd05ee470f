"""The practice corpus: scenes with captions, each a function of (seed, index) alone.

The mix of topics is `topics.TOPIC_SHARES`. Because an item depends on nothing but its seed and its
index, any slice can be made anywhere, in any order, by any number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from portrayal.errors import PracticeError
from portrayal.practice.captions import Caption, write_caption
from portrayal.practice.scene import Scene
from portrayal.practice.topics import Topic, draw_topic
from portrayal.practice.world import World


@dataclass(frozen=True, slots=True)
class CorpusItem:
    """One picture of the corpus before it is painted: `paint(item.scene, item.seed)`."""

    scene: Scene
    caption: Caption
    seed: int
    topic: Topic


def corpus_items(n: int, *, seed: int, start: int = 0) -> Iterator[CorpusItem]:
    """Items start, start + 1, ... start + n - 1 of the corpus with this seed.

    Raises:
        PracticeError: If a number is negative.
    """
    for name, value in (("n", n), ("seed", seed), ("start", start)):
        if value < 0:
            raise PracticeError(f"corpus: {name} is {value}; allowed: 0 or more")
    world = World.load()
    return (_item(world, seed, index) for index in range(start, start + n))


def _item(world: World, seed: int, index: int) -> CorpusItem:
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index))))
    topic = draw_topic(rng)
    scene = world.distribution_of(topic.meaning).sample(rng)
    caption = write_caption(scene, topic, rng=rng)
    return CorpusItem(scene, caption, int(rng.integers(2**31)), topic)
