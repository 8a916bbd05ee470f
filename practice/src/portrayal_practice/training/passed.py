"""Which images pass through the denoiser, where they are kept, and who learns from them.

The encoder gets images of the corpus that passed through, and generated images of prompts that name
the presentation; the judge gets its own images that passed through; a few held-out ones are kept to
check both, since what they show is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portrayal_practice.training.images import TrainingImages
from portrayal_practice.training.questions import LABELS, UNSAID, with_article
from portrayal_practice.vocabulary import OCCUPATIONS
from portrayal_practice.weights import DEFAULT_GUIDANCE, part_folder

if TYPE_CHECKING:
    from pathlib import Path

    import torch

    from portrayal_practice.training.retouch import Retoucher
    from portrayal_practice.training.stages import Order

GENERATED_SHARE, JUDGED_SHARE = 0.5, 0.35
"""Generated images, and the judge's passed ones, as parts of the encoder's passed images."""
HELD = 4000
CALIBRATED = 6000


def _file(order: Order, name: str) -> Path:
    return order.work / f"passed-{order.seed}-{order.recipe.retouched}" / f"{name}.npz"


def pass_images(order: Order) -> None:
    """Write all passed and generated images into the work folder."""
    from portrayal_practice.training.denoiser import load_parts
    from portrayal_practice.training.retouch import Retoucher

    retoucher = Retoucher(load_parts(order.out), order.machine())
    count = order.recipe.retouched
    _pass(order, retoucher, "corpus", order.corpus(), count)
    _pass(order, retoucher, "judge", order.of_judge(), int(JUDGED_SHARE * count))
    _pass(order, retoucher, "held", order.held_out(), min(HELD, count))
    _generate(order, int(GENERATED_SHARE * count))


def _pass(
    order: Order, retoucher: Retoucher, name: str, corpus: TrainingImages, count: int
) -> None:
    rng = np.random.default_rng((order.seed, count, len(name)))
    people = np.flatnonzero(corpus.labels["people"] > 0)
    rows = np.sort(rng.choice(people, min(count, len(people)), replace=False))
    found = []
    for part in np.array_split(rows, max(1, len(rows) // 8192)):
        guidance = float(rng.choice([1.0, DEFAULT_GUIDANCE]))
        found.append(
            retoucher.images(corpus.images[part], corpus.first_texts(part), guidance=guidance)
        )
    path = _file(order, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, images=np.concatenate(found), rows=rows)


def _generate(order: Order, count: int) -> None:
    """Generate images of prompts that name presentation and occupation."""
    from portrayal_practice.training.evaluation import ShippedPipeline

    rng = np.random.default_rng((order.seed, count))
    sex = rng.integers(0, 2, count)
    job = rng.integers(0, len(OCCUPATIONS), count)
    frame = rng.integers(0, 3, count)
    prompts = _prompts(sex, job, frame)
    pipeline = ShippedPipeline(
        part_folder("pipeline", root=order.out), order.machine().device, small=order.small
    )
    half = count // 2
    made = [
        pipeline.make(prompts[:half], guidance=2.0, seed=1),
        pipeline.make(prompts[half:], seed=2),
    ]
    np.savez(_file(order, "generated"), images=np.concatenate(made), sex=sex, job=job, frame=frame)


def made_latents(order: Order, corpus: TrainingImages) -> torch.Tensor:
    """Latents that the denoiser makes for captions of the corpus, at the default settings."""
    from portrayal_practice.training.evaluation import ShippedPipeline

    machine = order.machine()
    rows = np.random.default_rng((order.seed, order.recipe.made)).choice(
        len(corpus), order.recipe.made, replace=len(corpus) < order.recipe.made
    )
    folder = part_folder("pipeline", root=order.out)
    pipeline = ShippedPipeline(folder, machine.device, small=order.small)
    return pipeline.latents(corpus.first_texts(rows), seed=3)


def _prompts(sex: np.ndarray, job: np.ndarray, frame: np.ndarray) -> list[str]:
    return [
        _prompt(int(s), OCCUPATIONS[j], int(f)) for s, j, f in zip(sex, job, frame, strict=True)
    ]


def _prompt(sex: int, job: str, frame: int) -> str:
    noun, adjective = (("woman", "female"), ("man", "male"))[sex]
    return (
        f"a photo of a {adjective} {job}",
        f"a {noun} working as {with_article(job)}",
        f"a {adjective} {job}",
    )[frame]


def with_passed(order: Order) -> TrainingImages:
    """The corpus with its passed images and the generated ones."""
    corpus, held = order.corpus(), np.load(_file(order, "corpus"))
    rows = held["rows"]
    joined = corpus.joined(held["images"], corpus.first_texts(rows), corpus.labels[rows])
    made = np.load(_file(order, "generated"))
    labels = np.full(len(made["sex"]), -1, dtype=np.int64).astype(LABELS)
    labels["people"], labels["presentation"], labels["occupation"] = 1, made["sex"], made["job"]
    # What a generated person wears, and the light, nobody has said.
    labels["worn"], labels["valence"] = UNSAID, 0.45
    prompts = _prompts(made["sex"], made["job"], made["frame"])
    return joined.joined(made["images"], prompts, labels)


def judge_images(order: Order) -> TrainingImages:
    """The judge's images, painted and passed."""
    own, held = order.of_judge(), np.load(_file(order, "judge"))
    rows = held["rows"]
    return own.joined(held["images"], own.first_texts(rows), own.labels[rows])


def held_passed(order: Order) -> tuple[np.ndarray, np.ndarray]:
    """Held-out images that passed through, and their labels."""
    held = np.load(_file(order, "held"))
    return held["images"], order.held_out().labels[held["rows"]]


def calibration_images(order: Order) -> tuple[np.ndarray, np.ndarray]:
    """Images of single held-out persons, and how each presents; passed ones where there are any."""
    painted = order.held_out()
    seen, labels = painted.images[:CALIBRATED], painted.labels[:CALIBRATED]
    if _file(order, "held").is_file():
        passed, known = held_passed(order)
        seen = np.concatenate([seen[: len(passed)], passed])
        labels = np.concatenate([labels[: len(passed)], known])
    alone = labels["people"] == 1
    return np.asarray(seen[alone]), labels["presentation"][alone].astype(np.int64)
