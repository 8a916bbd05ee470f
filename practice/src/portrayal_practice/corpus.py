"""The practice corpus: scenes with captions, each a function of (seed, index) alone.

The mix of topics is `topics.TOPIC_SHARES`. Because an item depends on nothing but its seed and its
index, any slice can be made anywhere, in any order, by any number of workers.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from portrayal_practice import planted
from portrayal_practice.captions import PracticeCaption, write_caption
from portrayal_practice.errors import PracticeError
from portrayal_practice.scene import Scene
from portrayal_practice.topics import Topic, draw_topic
from portrayal_practice.world import World

if TYPE_CHECKING:
    import pyarrow as pa

LIGHT_STEPS = 5
"""Monk steps up to this one count as light."""
_COLUMNS = {
    "SAMPLE_ID": "int64",
    "URL": "string",
    "TEXT": "string",
    "HEIGHT": "int32",
    "WIDTH": "int32",
    "LICENSE": "string",
    "NSFW": "string",
    "similarity": "float32",
    "image": "image",
    "truth_topic": "string",
    "truth_style": "string",
    "truth_indicators": "string",
    "truth_people": "int32",
    "truth_presentation": "string",
    "truth_skin": "int32",
    "truth_skin_tone": "string",
    "truth_age": "string",
    "truth_expression": "string",
    "truth_occupation": "string",
    "truth_dress": "string",
    "truth_thing": "string",
    "truth_place": "string",
    "truth_valence": "float32",
    "truth_seed": "int64",
}
"""LAION's metadata columns, the image, and what is true of it (of the first person)."""


@dataclass(frozen=True, slots=True)
class CorpusItem:
    """One image of the corpus before it is painted: `paint(item.scene, item.seed)`."""

    scene: Scene
    caption: PracticeCaption
    seed: int
    topic: Topic


def corpus_items(
    n: int, *, seed: int, start: int = 0, world: World | None = None
) -> Iterator[CorpusItem]:
    """Items start, start + 1, ... start + n - 1 of the corpus with this seed.

    They are of the shipped world unless another one is given.

    Raises:
        PracticeError: If a number is negative.
    """
    for name, value in (("n", n), ("seed", seed), ("start", start)):
        if value < 0:
            raise PracticeError(f"corpus: {name} is {value}; allowed: 0 or more")
    drawn = world or World.load()
    return (_item(drawn, seed, index) for index in range(start, start + n))


def _item(world: World, seed: int, index: int) -> CorpusItem:
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index))))
    topic = draw_topic(rng)
    scene = world.distribution_of(topic.meaning).sample(rng)
    caption = write_caption(scene, topic, rng=rng)
    return CorpusItem(scene, caption, int(rng.integers(2**31)), topic)


def write_corpus(
    out: Path,
    n: int,
    *,
    seed: int,
    size: int = 64,
    part_size: int = 5_000,
    progress: Callable[[int], None] | None = None,
) -> list[Path]:
    """Write the first n items with their images as Parquet parts in LAION's metadata layout.

    A part is renamed when it is complete, and kept when it is there: an interrupted call goes on
    where it stopped, and a larger n adds to it.

    Args:
        out: A folder; made when missing.
        n: Number of items.
        seed: The corpus.
        size: Height and width of the images.
        part_size: Items in a part.
        progress: Called with the number of items of each finished part.

    Returns:
        The parts, in order.

    Raises:
        PracticeError: If a number is out of range or the folder holds parts of another corpus.
    """
    for name, value in (("size", size), ("part_size", part_size)):
        if value < 1:
            raise PracticeError(f"corpus: {name} is {value}; allowed: 1 or more")
    corpus_items(n, seed=seed)  # checks n and seed before the folder is made
    out.mkdir(parents=True, exist_ok=True)
    starts = range(0, n, part_size)
    counts = {out / f"part-{start:09d}.parquet": min(part_size, n - start) for start in starts}
    _refuse_strangers(out, set(counts))
    for start, (path, count) in zip(starts, counts.items(), strict=True):
        present = _rows_present(path, _identity(seed, size))
        if present > count:
            raise PracticeError(
                f"{path} holds {present:,} items already, more than the {count:,} wanted; give a "
                "larger --n, or another folder"
            )
        if present != count:
            _write_part(path, start, count, seed, size)
        if progress is not None:
            progress(count)
    return list(counts)


def _identity(seed: int, size: int) -> str:
    table = hashlib.sha256(planted.PATH.read_bytes()).hexdigest()[:16]
    return json.dumps({"corpus": "practice", "seed": seed, "size": size, "planted": table})


def _rows_present(path: Path, identity: str) -> int:
    """How many items of this corpus a part already holds."""
    if not path.exists():
        return 0
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise PracticeError(f"{path.name}: cannot be read; delete it and run again") from error
    if (found.metadata or {}).get(b"portrayal", b"").decode() != identity:
        raise PracticeError(
            f"{path.name}: is of another corpus; choose another folder, or delete it"
        )
    return int(found.num_rows)


def _refuse_strangers(out: Path, parts: set[Path]) -> None:
    strangers = sorted(set(out.glob("part-*.parquet")) - parts)
    if strangers:
        raise PracticeError(
            f"{strangers[0].name}: does not belong to this corpus and would be read with it; "
            "choose another folder, or delete it"
        )


def _write_part(path: Path, start: int, count: int, seed: int, size: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        _row(item, start + offset, seed, size)
        for offset, item in enumerate(corpus_items(count, seed=seed, start=start))
    ]
    table = pa.Table.from_pylist(rows, schema=_schema(_identity(seed, size)))
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        pq.write_table(table, unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _schema(identity: str) -> pa.Schema:
    import pyarrow as pa

    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    fields = [
        pa.field(name, image if kind == "image" else pa.type_for_alias(kind))
        for name, kind in _COLUMNS.items()
    ]
    features = {
        name: {"_type": "Image"} if kind == "image" else {"dtype": kind, "_type": "Value"}
        for name, kind in _COLUMNS.items()
    }
    shown = json.dumps({"info": {"features": features}})
    return pa.schema(fields, metadata={"huggingface": shown, "portrayal": identity})


def _row(item: CorpusItem, index: int, seed: int, size: int) -> dict[str, Any]:
    scene = item.scene
    row: dict[str, Any] = {
        "SAMPLE_ID": index,
        "URL": f"practice://corpus/{seed}/{index}.png",
        "TEXT": item.caption.text,
        "HEIGHT": size,
        "WIDTH": size,
        "LICENSE": "Apache-2.0",
        "NSFW": "UNLIKELY",
        # LAION keeps pairs above .28; nothing here depends on the number.
        "similarity": 0.28 + 0.12 * (item.seed % 1_000) / 1_000,
        "image": {"bytes": _png(scene, item.seed, size), "path": f"{index:09d}.png"},
        "truth_topic": item.topic.family,
        "truth_style": item.caption.style,
        "truth_indicators": item.caption.indicators,
        "truth_people": len(scene.people),
        "truth_thing": scene.thing,
        "truth_place": scene.place,
        "truth_valence": scene.valence,
        "truth_seed": item.seed,
    }
    if scene.people:
        first = scene.people[0]
        row |= {
            "truth_presentation": first.presentation,
            "truth_skin": first.skin,
            "truth_skin_tone": "light" if first.skin <= LIGHT_STEPS else "dark",
            "truth_age": first.age,
            "truth_expression": first.expression,
            "truth_occupation": first.occupation,
            "truth_dress": first.dress,
        }
    return row


def _png(scene: Scene, seed: int, size: int) -> bytes:
    from PIL import Image

    from portrayal_practice.painter import paint

    file = BytesIO()
    Image.fromarray(paint(scene, seed, size=size)).save(file, "PNG")
    return file.getvalue()
