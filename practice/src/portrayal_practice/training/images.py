"""The corpus as arrays: painted images, their captions and their labels.

Images are painted by a pool of processes into one uint8 file that every later stage maps into
memory; 300,000 images are 3.7 GB. The folder is keyed by seed and number and is used again when
it is complete, so that the stages of one training paint once.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from portrayal_practice.errors import PracticeError
from portrayal_practice.training.questions import LABELS, labels_of
from portrayal_practice.training.recipe import IMAGE

Done = TypeVar("Done")

CHUNK = 500
CAPTIONS = 2
"""Captions per image: the corpus's own, and others written for the same scene and topic."""
HELD_OUT = 1_000_003
"""Added to the data seed for images that no part is trained on."""


@dataclass(frozen=True)
class TrainingImages:
    """Row i of all is one image; `said` holds, per image, indices into the unique captions."""

    images: np.ndarray
    captions: list[str]
    said: np.ndarray
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    def first_texts(self, rows: np.ndarray) -> list[str]:
        """The first caption of each of the rows."""
        return [self.captions[number] for number in self.said[rows, 0]]

    def joined(self, images: np.ndarray, texts: list[str], labels: np.ndarray) -> TrainingImages:
        """These images and others, whose one text each stands for all captions."""
        start = len(self.captions)
        said = np.repeat(np.arange(start, start + len(texts))[:, None], self.said.shape[1], 1)
        return TrainingImages(
            np.concatenate([self.images, images]),
            [*self.captions, *texts],
            np.concatenate([self.said, said]),
            np.concatenate([self.labels, labels]),
        )


@dataclass(frozen=True)
class _Job:
    folder: str
    seed: int
    start: int
    count: int
    total: int


def _image_file(folder: str, total: int, mode: str) -> np.memmap[tuple[int, ...], np.dtype]:
    shape = (total, IMAGE, IMAGE, 3)
    return np.memmap(Path(folder) / "images.u8", np.uint8, mode, shape=shape)  # type: ignore[call-overload,no-any-return]


def _paint_chunk(job: _Job) -> tuple[list[list[str]], bytes]:
    from portrayal_practice.captions import write_caption
    from portrayal_practice.corpus import corpus_items
    from portrayal_practice.painter import paint

    images = _image_file(job.folder, job.total, "r+")
    texts, scenes = [], []
    for row, item in enumerate(corpus_items(job.count, seed=job.seed, start=job.start)):
        images[job.start + row] = paint(item.scene, item.seed, size=IMAGE)
        rng = np.random.default_rng((item.seed, CAPTIONS))
        more = [write_caption(item.scene, item.topic, rng=rng).text for _ in range(CAPTIONS - 1)]
        texts.append([item.caption.text, *more])
        scenes.append(item.scene)
    if len(texts) != job.count:
        raise PracticeError(
            f"practice corpus: {len(texts)} items from {job.start}; expected {job.count}"
        )
    images.flush()
    return texts, labels_of(scenes).tobytes()


def _label_chunk(job: _Job) -> bytes:
    from portrayal_practice.corpus import corpus_items

    items = corpus_items(job.count, seed=job.seed, start=job.start)
    return labels_of([item.scene for item in items]).tobytes()


def _text_chunk(job: _Job) -> list[str]:
    from portrayal_practice.corpus import corpus_items

    return [i.caption.text for i in corpus_items(job.count, seed=job.seed, start=job.start)]


def _jobs(folder: Path, seed: int, total: int) -> list[_Job]:
    return [
        _Job(str(folder), seed, start, min(CHUNK, total - start), total)
        for start in range(0, total, CHUNK)
    ]


def images(work: Path, *, n: int, seed: int, workers: int | None = None) -> TrainingImages:
    """The first `n` images of the corpus with this seed, painted unless they are there."""
    folder = work / f"pictures-{seed}-{n}"
    if not (folder / "captions.json").is_file():
        _paint_all(folder, n=n, seed=seed, workers=workers)
    captions = json.loads((folder / "captions.json").read_text(encoding="utf-8"))
    said, labels = np.load(folder / "said.npy"), np.load(folder / "labels.npy")
    return TrainingImages(_image_file(str(folder), n, "r"), captions, said, labels)


def corpus_labels(work: Path, *, n: int, seed: int, workers: int | None = None) -> np.ndarray:
    """What the first `n` images of the corpus show; nothing is painted for it."""
    painted = work / f"pictures-{seed}-{n}" / "labels.npy"
    if painted.is_file():
        return np.asarray(np.load(painted))
    return np.concatenate(
        [np.frombuffer(rows, LABELS) for rows in _each(_label_chunk, _jobs(work, seed, n), workers)]
    )


def _paint_all(folder: Path, *, n: int, seed: int, workers: int | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _image_file(str(folder), n, "w+").flush()
    started = time.monotonic()
    captions: list[list[str]] = []
    labels: list[np.ndarray] = []
    for texts, rows in _each(_paint_chunk, _jobs(folder, seed, n), workers):
        captions += texts
        labels.append(np.frombuffer(rows, LABELS))
        if len(captions) % (80 * CHUNK) == 0:
            pace = len(captions) / (time.monotonic() - started)
            print(f"painted {len(captions):,} of {n:,} ({pace:,.0f} a second)", flush=True)
    np.save(folder / "labels.npy", np.concatenate(labels))
    number: dict[str, int] = {}
    said = [[number.setdefault(text, len(number)) for text in texts] for texts in captions]
    np.save(folder / "said.npy", np.array(said, dtype=np.int64))
    # Captions come last: their file says that the folder is complete.
    partial = folder / "captions.json.part"
    partial.write_text(json.dumps(list(number)), encoding="utf-8")
    partial.rename(folder / "captions.json")


def sentences(work: Path, *, n: int, seed: int, workers: int | None = None) -> list[str]:
    """The first `n` captions of the corpus with this seed, without painting."""
    path = work / f"captions-{seed}-{n}.json"
    if not path.is_file():
        work.mkdir(parents=True, exist_ok=True)
        chunks = _each(_text_chunk, _jobs(work, seed, n), workers)
        texts = [text for chunk in chunks for text in chunk]
        partial = path.with_suffix(".part")
        partial.write_text(json.dumps(texts), encoding="utf-8")
        partial.rename(path)
    texts = json.loads(path.read_text(encoding="utf-8"))
    return [str(text) for text in texts]


def _each(work: Callable[[_Job], Done], jobs: list[_Job], workers: int | None) -> Iterator[Done]:
    workers = workers if workers is not None else len(os.sched_getaffinity(0))
    if workers <= 1 or len(jobs) == 1:
        yield from map(work, jobs)
        return
    # Not fork: the parent may hold torch's threads.
    context = multiprocessing.get_context("spawn")
    with _single_threaded(), ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(work, jobs)


@contextlib.contextmanager
def _single_threaded() -> Iterator[None]:
    """Child processes started here compute with one thread each: there is one per core."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before
