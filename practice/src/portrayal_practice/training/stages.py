"""The stages of training, in order, and what each reads and writes.

images      paints the corpus into the work folder
tokenizers    learns both vocabularies                  -> clip/, masked-words/
clip, masked-words, autoencoder                         -> clip/, masked-words/, pipeline/vae
encoders      all of the above; on a GPU the first two run side by side, as they are small
denoiser      the UNet, from the encoders in the out folder; goes on from one that is there
evaluate      the figures, the contact sheet, the model card
all           everything
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from portrayal.records import plain
from portrayal_practice.errors import PracticeError
from portrayal_practice.training.images import TrainingImages, images, sentences
from portrayal_practice.training.recipe import Recipe
from portrayal_practice.training.schedule import Budget

if TYPE_CHECKING:
    from portrayal_practice.training.device import Machine

SIDE_BY_SIDE = ("clip", "masked-words")
TOKENIZER_TEXTS = 100_000
RESERVE = 0.4
"""Minutes kept of a command's total for saving."""
MASKED_SHARE = 0.5
"""The masked language model learns fast and shares the GPU: half of the time is enough."""


@dataclass(frozen=True)
class Order:
    """One training as asked for on the command line."""

    recipe: Recipe
    out: Path
    work: Path
    seed: int = 0
    minutes: float | None = None
    steps: int | None = None
    span: tuple[float, float] = (0.0, 1.0)
    device: str = "auto"
    compile: bool = False
    workers: int | None = None
    each: int = 96
    """Pictures of each occupation in the evaluation."""
    total: float | None = None
    """Minutes in which the whole command must end; the stage gets what is left of them."""
    started: float = field(default_factory=time.monotonic)

    def remaining(self) -> float | None:
        """Minutes left of `total`, if there is one."""
        if self.total is None:
            return None
        left = self.total - (time.monotonic() - self.started) / 60
        if left <= RESERVE:
            raise PracticeError(
                f"training: nothing is left of {self.total:g} minutes; give a larger --total"
            )
        return left

    def corpus(self) -> TrainingImages:
        """The images to train on."""
        return images(self.work, n=self.recipe.images, seed=self.seed, workers=self.workers)

    def texts(self) -> list[str]:
        """The captions for the masked language model."""
        return sentences(self.work, n=self.recipe.sentences, seed=self.seed, workers=self.workers)

    def machine(self) -> Machine:
        """The device, seeded."""
        from portrayal_practice.training.device import pick

        return pick(self.device, compile=self.compile, seed=self.seed)

    def budget(self, minutes: float, steps: int, *, share: float = 1.0) -> Budget:
        """What is left of the total; else minutes or steps as given; else the recipe's minutes.

        The smoke recipe counts steps, so that its length does not hang on the machine's load.
        `share` is the part of the time that this model takes.
        """
        left = self.remaining()
        if left is not None:
            return Budget(share * (left - RESERVE), self.steps, self.span)
        if self.minutes is None and self.steps is None:
            if self.recipe.name == "smoke":
                return Budget(steps=steps, span=self.span)
            return Budget(share * minutes, span=self.span)
        given = None if self.minutes is None else share * self.minutes
        return Budget(given, self.steps, self.span)


def paint(order: Order) -> None:
    """Paint the images and write the captions, unless they are there."""
    started = time.monotonic()
    order.corpus()
    order.texts()
    _note(order, "images", started)


def tokenizers(order: Order) -> None:
    """Learn both vocabularies from captions and label captions."""
    from portrayal_practice.training.questions import labels_of, questions
    from portrayal_practice.training.vocabularies import clip_tokenizer, masked_tokenizer

    started = time.monotonic()
    texts = order.texts()
    asked = [t for q in questions(labels_of([])) for way in q.texts for t in way]
    few = texts[:TOKENIZER_TEXTS] + asked * 3
    clip_tokenizer(few, size=order.recipe.clip_words).save_pretrained(order.out / "clip")
    masked = masked_tokenizer(texts + asked, size=order.recipe.masked_words)
    masked.save_pretrained(order.out / "masked-words")
    _note(order, "tokenizers", started)


def autoencoder(order: Order) -> None:
    """Train the autoencoder."""
    from portrayal_practice.training.autoencoder import save_autoencoder, train_autoencoder

    recipe, started = order.recipe, time.monotonic()
    model = train_autoencoder(
        order.corpus().images,
        shape=recipe.autoencoder,
        fit=recipe.fit_autoencoder,
        machine=order.machine(),
        budget=(budget := order.budget(recipe.autoencoder_minutes, recipe.fit_autoencoder.steps)),
    )
    save_autoencoder(model, order.out / "pipeline")
    _note(order, "autoencoder", started, budget)


def clip(order: Order) -> None:
    """Train the image-text encoder."""
    from transformers import CLIPTokenizer

    from portrayal_practice.training.clip import save_clip, train_clip

    recipe, started = order.recipe, time.monotonic()
    tokenizer = CLIPTokenizer.from_pretrained(order.out / "clip")
    model = train_clip(
        order.corpus(),
        tokenizer,
        recipe=recipe,
        machine=order.machine(),
        budget=(budget := order.budget(recipe.encoder_minutes, recipe.fit_clip.steps)),
    )
    save_clip(model, tokenizer, order.out / "clip")
    _note(order, "clip", started, budget)


def masked_words(order: Order) -> None:
    """Train the masked language model."""
    from transformers import BertTokenizer

    from portrayal_practice.training.masked_words import save_masked, train_masked

    recipe, started = order.recipe, time.monotonic()
    tokenizer = BertTokenizer.from_pretrained(order.out / "masked-words")
    model = train_masked(
        order.texts(),
        tokenizer,
        recipe=recipe,
        machine=order.machine(),
        budget=(
            budget := order.budget(
                recipe.encoder_minutes, recipe.fit_masked.steps, share=MASKED_SHARE
            )
        ),
    )
    save_masked(model, tokenizer, order.out / "masked-words")
    _note(order, "masked-words", started, budget)


def encoders(order: Order) -> None:
    """Everything but the denoiser."""
    paint(order)
    tokenizers(order)
    if not order.machine().fast:
        for stage in (clip, masked_words, autoencoder):
            stage(order)
        return
    first = _first_half(order)
    running = {
        name: subprocess.Popen(
            [sys.executable, "-m", "portrayal_practice.training", name, *_arguments(first)],
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        for name in SIDE_BY_SIDE
    }
    failed = [name for name, process in running.items() if process.wait() != 0]
    if failed:
        raise PracticeError(f"training: {', '.join(failed)} failed; see the lines above")
    # Alone: while it shared the GPU it made a third of the steps, and eyes stayed blurred.
    autoencoder(order)


def _first_half(order: Order) -> Order:
    left = order.remaining()
    return order if left is None else replace(order, total=(order.total or 0.0) - left / 2)


def denoiser(order: Order) -> None:
    """Train the UNet on the latents of the images."""
    from portrayal_practice.training.denoiser import load_parts, train_denoiser

    recipe, started = order.recipe, time.monotonic()
    if not (order.out / "pipeline" / "vae" / "config.json").is_file():
        raise PracticeError(f"training: {order.out} holds no autoencoder; run the stage encoders")
    budget = order.budget(recipe.denoiser_minutes, recipe.fit_unet.steps)
    train_denoiser(
        order.corpus(),
        load_parts(order.out, recipe),
        order.out,
        recipe=recipe,
        budget=budget,
        machine=order.machine(),
    )
    _note(order, "denoiser", started, budget)


def evaluate(order: Order) -> None:
    """Measure the trained parts, draw the contact sheet, write the card."""
    from portrayal_practice.training.card import write_card
    from portrayal_practice.training.evaluation import evaluate_all

    found = evaluate_all(order)
    path = order.out / "evaluation.json"
    path.write_text(json.dumps(plain(found), indent=1) + "\n", encoding="utf-8")
    write_card(order.out)


def everything(order: Order) -> None:
    """All stages; `minutes`, if given, are those of the denoiser."""
    encoders(replace(order, minutes=None))
    denoiser(order)
    evaluate(order)


STAGES = {
    "images": paint,
    "tokenizers": tokenizers,
    "autoencoder": autoencoder,
    "clip": clip,
    "masked-words": masked_words,
    "encoders": encoders,
    "denoiser": denoiser,
    "evaluate": evaluate,
    "all": everything,
}


def _arguments(order: Order) -> list[str]:
    """The order as command line arguments for a stage in a process of its own."""
    given: dict[str, Any] = {
        "--recipe": order.recipe.name,
        "--n": order.recipe.images,
        "--sentences": order.recipe.sentences,
        "--out": order.out,
        "--work": order.work,
        "--data-seed": order.seed,
        "--device": order.device,
        "--minutes": order.minutes,
        "--total": order.remaining(),
        "--steps": order.steps,
    }
    flat = [str(x) for key, value in given.items() if value is not None for x in (key, value)]
    return [*flat, "--compile"] if order.compile else flat


def _note(order: Order, stage: str, started: float, budget: Budget | None = None) -> None:
    """Add to training.json what was done; one file per stage until the card joins them."""
    folder = order.out / "training"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stage}.json"
    runs = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    run: dict[str, Any] = {
        "recipe": order.recipe.as_json(),
        "seed": order.seed,
        "seconds": round(time.monotonic() - started, 1),
        "device": order.device,
    }
    if budget is not None:
        run |= {"steps": budget.done, "span": list(budget.span)}
    path.write_text(json.dumps([*runs, run], indent=1) + "\n", encoding="utf-8")
