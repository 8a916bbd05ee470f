"""A pool of measured images: many images a prompt, painted and embedded once.

Small audits are drawn from it with replacement, and its own value is their exact truth, however
many images it holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np

from portrayal.generators import Generator, Pool, Vectors
from portrayal.measurers import Encoder, Reason, open_measurer
from portrayal.progress import OnCount
from portrayal.records import GeneratedImage, Request, digest
from portrayal_practice import NAME
from portrayal_practice.errors import PracticeError
from portrayal_practice.generator import PainterGenerator

BATCH = 64
"""Images that are generated and embedded together."""
BLOCK = 8
"""Images per prompt in one file. A pool grows by files; those it has stay as they are."""


def paint_pool(
    prompts: Iterable[str],
    samples: int,
    *,
    folder: Path | None = None,
    generator: Generator | None = None,
    encoder: Encoder | None = None,
    on_progress: OnCount | None = None,
) -> Pool:
    """Paint and embed images of every prompt.

    Args:
        prompts: The prompts; repeats count once.
        samples: Images per prompt, those with seeds 0 ... samples - 1.
        folder: Where to keep the embeddings. What lies there already, by the same painter and
            encoder, is not made again.
        generator: Who paints; `practice:painter` by default.
        encoder: Who looks; the practice encoder by default.
        on_progress: Called with images done and wanted.

    Raises:
        PracticeError: No prompt, too few samples, or an image that cannot be embedded.
    """
    texts = tuple(dict.fromkeys(prompts))
    if not texts:
        raise PracticeError("a pool needs at least one prompt, got none")
    if samples < 2:
        raise PracticeError(f"samples is {samples}; allowed: 2 or more")
    generator = generator or PainterGenerator()
    if encoder is None:
        opened = open_measurer(NAME)
        assert isinstance(opened, Encoder)
        encoder = opened
    store = None if folder is None else _store(folder, texts, generator, encoder)
    blocks: list[Vectors] = []
    wanted = samples * len(texts)

    def report(before: int, done: int = 0) -> None:
        if on_progress:
            on_progress(min(before + done, wanted), wanted)

    report(0)
    for start in range(0, samples, BLOCK):
        path = None if store is None else store / f"seeds-{start:06d}.npy"
        size = BLOCK if path else min(BLOCK, samples - start)
        if path and path.is_file():
            block = np.load(path, allow_pickle=False)
        else:
            seeds, before = range(start, start + size), start * len(texts)
            block = _block(texts, seeds, generator, encoder, partial(report, before))
            if path:
                _save(path, block)
        blocks.append(block)
        report((start + BLOCK) * len(texts))
    vectors = np.concatenate(blocks, axis=1)[:, :samples]
    return Pool(texts, vectors, generator.identity, encoder.identity)


def _store(folder: Path, texts: tuple[str, ...], generator: Generator, encoder: Encoder) -> Path:
    """Return the folder of exactly this pool, made if it is not there, with a file that says so."""
    header = {
        "generator": generator.identity.as_dict(),
        "encoder": encoder.identity.as_dict(),
        "prompts": list(texts),
    }
    place = folder / f"pool-{digest(header)}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "pool.json").write_text(
        json.dumps(header, indent=1, ensure_ascii=False), encoding="utf-8"
    )
    return place


def _save(path: Path, block: Vectors) -> None:
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.save(file, block, allow_pickle=False)
    unfinished.replace(path)


def _block(
    texts: tuple[str, ...],
    seeds: range,
    generator: Generator,
    encoder: Encoder,
    on_done: Callable[[int], None],
) -> Vectors:
    requests = [Request(text, seed) for text in texts for seed in seeds]
    rows: list[Vectors] = []
    for start in range(0, len(requests), BATCH):
        batch = requests[start : start + BATCH]
        rows += _embedded(batch, generator.generate(batch), encoder)
        on_done(len(rows))
    return np.stack(rows).astype(np.float32).reshape(len(texts), len(seeds), -1)


def _embedded(
    requests: list[Request], generated: list[GeneratedImage], encoder: Encoder
) -> list[Vectors]:
    """Embed images; one without an embedding would make the pool lopsided, so it is an error."""
    images = [one.image for one in generated]
    for request, one in zip(requests, generated, strict=True):
        if one.image is None:
            raise PracticeError(f"{request}: {one.status}: {one.reason}")
    found = encoder.measure([image for image in images if image is not None])
    for request, seen in zip(requests, found, strict=True):
        if isinstance(seen, Reason):
            raise PracticeError(f"{request}: {seen}")
    return [np.asarray(seen["embedding"]) for seen in found if not isinstance(seen, Reason)]
