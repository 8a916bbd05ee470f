"""The stages of training, in order, and what each reads and writes.

first         paints the images that the autoencoder is trained on
images        paints the corpus, the held-out images and the judge's
tokenizers    learns both vocabularies                             -> clip/, masked-words/
masked-words  the masked language model                            -> masked-words/
clip          the encoder, on painted images                       -> clip/
autoencoder   images to latents and back                           -> pipeline/vae
denoiser      UNet and text tower                                  -> pipeline/
decoder       the decoder again, beside a critic                   -> pipeline/vae
retouch       images that pass through the denoiser                -> work folder
again         the encoder again, on those as well; its temperature -> clip/
judge         the independent judge                                -> judge/
evaluate      the figures, the contact sheet, the model card
shares        group shares of the model's own images               -> shares.json
all           everything, and how long each stage took

A stage goes on from weights that are there already; `all` leaves tokenizers and masked-words alone
where they are. Stages leave a note in `training/`, one entry per run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from portrayal.records import plain
from portrayal_practice.errors import PracticeError
from portrayal_practice.training.images import HELD_OUT, TrainingImages, images, sentences
from portrayal_practice.training.recipe import Recipe
from portrayal_practice.training.schedule import Budget

if TYPE_CHECKING:
    from portrayal_practice.training.device import Machine

TOKENIZER_TEXTS = 100_000
HELD_IMAGES, JUDGE_SHARE = 10_000, 0.25
"""Held-out images, and the judge's as a part of the corpus."""
PATIENCE = 30 * 60.0
"""Seconds that a denoiser started ahead waits for the autoencoder."""


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
    each: int = 48
    """Images of each occupation in the evaluation."""
    ahead: bool = False
    """The denoiser compiles first, then waits for the autoencoder and the images."""
    prompts: Path | None = None
    """A file with one prompt per line, whose group shares are counted; else those of studies."""

    @property
    def small(self) -> bool:
        """Whether this is the smoke setting."""
        return self.recipe.name == "smoke"

    def corpus(self) -> TrainingImages:
        """The images to train on."""
        return images(self.work, n=self.recipe.images, seed=self.seed, workers=self.workers)

    def held_out(self) -> TrainingImages:
        """Images that nothing is trained on."""
        n = 64 if self.small else HELD_IMAGES
        return images(self.work, n=n, seed=self.seed + HELD_OUT, workers=self.workers)

    def of_judge(self) -> TrainingImages:
        """The judge's own images."""
        from portrayal_practice.training.judge import JUDGE_SEED

        n = int(JUDGE_SHARE * self.recipe.images)
        return images(self.work, n=n, seed=self.seed + JUDGE_SEED, workers=self.workers)

    def texts(self) -> list[str]:
        """The captions for the masked language model."""
        return sentences(self.work, n=self.recipe.sentences, seed=self.seed, workers=self.workers)

    def machine(self) -> Machine:
        """The device, seeded."""
        from portrayal_practice.training.device import pick

        return pick(self.device, compile=self.compile, seed=self.seed)

    def budget(self, minutes: float, steps: int) -> Budget:
        """Minutes or steps as given; else the recipe's minutes.

        The smoke recipe counts steps, so that its length does not hang on the machine's load.
        """
        if self.minutes is None and self.steps is None:
            if self.small:
                return Budget(steps=steps, span=self.span)
            return Budget(minutes, span=self.span)
        return Budget(self.minutes, self.steps, self.span)

    def noted(self, stage: str) -> bool:
        """Whether a stage has been run."""
        return (self.out / "training" / f"{stage}.json").is_file()


def first(order: Order) -> None:
    """Paint the first images."""
    started = time.monotonic()
    images(order.work, n=order.recipe.first_images, seed=order.seed, workers=order.workers)
    _note(order, "first", started)


def paint(order: Order) -> None:
    """Paint all images, unless they are there."""
    started = time.monotonic()
    order.corpus()
    # The denoiser waits for this note; the other images are wanted later.
    _note(order, "images", started)
    order.held_out()
    order.of_judge()


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


def masked_words(order: Order) -> None:
    """Train the masked language model."""
    from transformers import BertTokenizer

    from portrayal_practice.training.masked_words import save_masked, train_masked

    recipe, started = order.recipe, time.monotonic()
    tokenizer = BertTokenizer.from_pretrained(order.out / "masked-words")
    budget = order.budget(recipe.masked_minutes, recipe.fit_masked.steps)
    model = train_masked(
        order.texts(), tokenizer, recipe=recipe, machine=order.machine(), budget=budget
    )
    save_masked(model, tokenizer, order.out / "masked-words")
    _note(order, "masked-words", started, budget)


def autoencoder(order: Order) -> None:
    """Train the autoencoder."""
    from diffusers import AutoencoderKL

    from portrayal_practice.training.autoencoder import save_autoencoder, train_autoencoder

    recipe, started = order.recipe, time.monotonic()
    found = images(order.work, n=recipe.first_images, seed=order.seed, workers=order.workers)
    budget = order.budget(recipe.autoencoder_minutes, recipe.fit_autoencoder.steps)
    folder, start = order.out / "pipeline" / "vae", None
    if (folder / "config.json").is_file():
        start = AutoencoderKL.from_pretrained(folder)
    model = train_autoencoder(
        found.images,
        start=start,
        shape=recipe.autoencoder,
        fit=recipe.fit_autoencoder,
        machine=order.machine(),
        budget=budget,
    )
    save_autoencoder(model, order.out / "pipeline")
    _note(order, "autoencoder", started, budget)


def clip(order: Order) -> None:
    """Train the encoder on painted images."""
    recipe = order.recipe
    budget = order.budget(recipe.encoder_minutes, recipe.fit_clip.steps)
    _train_encoder(order, order.corpus(), "clip", budget)


def again(order: Order) -> None:
    """Train the encoder on painted images and on those that passed through the denoiser."""
    from portrayal_practice.training.passed import with_passed

    recipe = order.recipe
    budget = order.budget(recipe.again_minutes, recipe.fit_clip.steps)
    _train_encoder(order, with_passed(order), "again", budget)


def _train_encoder(order: Order, corpus: TrainingImages, stage: str, budget: Budget) -> None:
    from transformers import CLIPModel, CLIPTokenizer

    from portrayal_practice.training.clip import calibrate, save_clip, train_clip
    from portrayal_practice.training.passed import calibration_images

    started, folder, machine = time.monotonic(), order.out / "clip", order.machine()
    tokenizer = CLIPTokenizer.from_pretrained(folder)
    start = None
    if (folder / "config.json").is_file():
        start = CLIPModel.from_pretrained(folder, dtype="float32")
    model = train_clip(
        corpus, tokenizer, recipe=order.recipe, machine=machine, budget=budget, start=start
    )
    seen, presentation = calibration_images(order)
    factor = calibrate(model, tokenizer, machine.put(seen), machine.put(presentation))
    save_clip(model, tokenizer, folder)
    _note(order, stage, started, budget, factor=round(factor, 2))


def denoiser(order: Order) -> None:
    """Train the UNet on the latents of the images."""
    from diffusers import AutoencoderKL

    from portrayal_practice.training.denoiser import Denoising

    recipe, started = order.recipe, time.monotonic()
    if not (order.ahead or (order.out / "pipeline" / "vae" / "config.json").is_file()):
        raise PracticeError(
            f"training: {order.out} contains no autoencoder; run the stage autoencoder"
        )
    training = Denoising(order.out, recipe, order.machine())
    training.warm_up()
    if order.ahead:
        _wait(order, ("autoencoder", "clip", "images"))
    training.load()
    vae = AutoencoderKL.from_pretrained(order.out / "pipeline" / "vae")
    training.read(order.corpus(), vae)
    budget = order.budget(recipe.denoiser_minutes, recipe.fit_unet.steps)
    training.train(vae, budget)
    _note(order, "denoiser", started, budget, images=budget.done * recipe.fit_unet.batch)


def decoder(order: Order) -> None:
    """Train the decoder beside a critic, on images and on latents that the denoiser makes."""
    from diffusers import AutoencoderKL

    from portrayal_practice.training.autoencoder import save_autoencoder
    from portrayal_practice.training.critic import train_decoder
    from portrayal_practice.training.passed import made_latents

    recipe, started = order.recipe, time.monotonic()
    painted = images(order.work, n=recipe.first_images, seed=order.seed, workers=order.workers)
    budget = order.budget(recipe.decoder_minutes, recipe.fit_decoder.steps)
    model = train_decoder(
        painted.images,
        made_latents(order, painted),
        AutoencoderKL.from_pretrained(order.out / "pipeline" / "vae"),
        width=recipe.critic,
        fit=recipe.fit_decoder,
        budget=budget,
        machine=order.machine(),
    )
    save_autoencoder(model, order.out / "pipeline")
    _note(order, "decoder", started, budget)


def _wait(order: Order, stages: tuple[str, ...]) -> None:
    parent, end = os.getppid(), time.monotonic() + PATIENCE
    while not all(order.noted(stage) for stage in stages):
        if os.getppid() != parent or time.monotonic() > end:
            raise PracticeError(f"training: the denoiser waited in vain for {', '.join(stages)}")
        time.sleep(0.5)


def retouch(order: Order) -> None:
    """Let images pass through the denoiser, and generate some."""
    from portrayal_practice.training.passed import pass_images

    started = time.monotonic()
    pass_images(order)
    _note(order, "retouch", started)


def judge(order: Order) -> None:
    """Train the independent judge."""
    from portrayal_practice.training.judge import save_judge, train_judge
    from portrayal_practice.training.passed import judge_images

    recipe, started = order.recipe, time.monotonic()
    found = judge_images(order)
    budget = order.budget(recipe.judge_minutes, recipe.fit_judge.steps)
    net = train_judge(
        found.images,
        found.labels,
        channels=recipe.judge,
        fit=recipe.fit_judge,
        budget=budget,
        machine=order.machine(),
    )
    save_judge(net, recipe.judge, order.out / "judge")
    _note(order, "judge", started, budget)


def shares(order: Order) -> None:
    """Count the group shares of the model's own images with the judge."""
    from portrayal_practice.training.counting import count_shares

    started = time.monotonic()
    count_shares(order)
    _note(order, "shares", started)


def evaluate(order: Order) -> None:
    """Measure the trained parts, draw the contact sheet, write the card."""
    from portrayal_practice.training.card import write_card
    from portrayal_practice.training.evaluation import evaluate_all

    started = time.monotonic()
    found = evaluate_all(order)
    path = order.out / "evaluation.json"
    path.write_text(json.dumps(plain(found), indent=1) + "\n", encoding="utf-8")
    _note(order, "evaluate", started)
    write_card(order.out)


def everything(order: Order) -> None:
    """All stages, each with its time; `minutes`, if given, are those of the denoiser."""
    fast, took = order.machine().fast, {}
    started = time.monotonic()

    def timed(stage: str) -> None:
        began = time.monotonic()
        _child(order, stage) if fast else STAGES[stage](order)
        took[stage] = time.monotonic() - began

    timed("first")
    painting = _start(order, "images") if fast else None
    if painting is None:
        paint(order)
    if not (order.out / "clip" / "tokenizer.json").is_file():
        timed("tokenizers")
    ahead = _start(order, "denoiser", "--ahead") if fast else None
    timed("autoencoder")
    _end(painting, "images")
    if not (order.out / "masked-words" / "model.safetensors").is_file():
        timed("masked-words")
    if not order.noted("clip"):
        timed("clip")
    timed("denoiser") if ahead is None else _end(ahead, "denoiser")
    timed("decoder")
    timed("retouch")
    judging = _start(order, "judge") if fast else None
    timed("again")
    timed("judge") if judging is None else _end(judging, "judge")
    timed("evaluate")
    timed("shares")
    for stage, seconds in took.items():
        print(f"{stage:14s} {seconds:7.1f} s", flush=True)
    print(f"{'all':14s} {time.monotonic() - started:7.1f} s", flush=True)


STAGES: dict[str, Callable[[Order], None]] = {
    "first": first,
    "images": paint,
    "tokenizers": tokenizers,
    "masked-words": masked_words,
    "clip": clip,
    "autoencoder": autoencoder,
    "denoiser": denoiser,
    "decoder": decoder,
    "retouch": retouch,
    "again": again,
    "judge": judge,
    "shares": shares,
    "evaluate": evaluate,
    "all": everything,
}


def _start(order: Order, stage: str, *more: str) -> subprocess.Popen[bytes]:
    """A stage in a process of its own: memory of the GPU is free again when it ends."""
    command = [sys.executable, "-m", "portrayal_practice.training", stage, *_arguments(order)]
    if stage != "denoiser" and "--minutes" in command:
        at = command.index("--minutes")
        del command[at : at + 2]
    return subprocess.Popen([*command, *more], env={**os.environ, "PYTHONUNBUFFERED": "1"})


def _end(process: subprocess.Popen[bytes] | None, stage: str) -> None:
    if process is not None and process.wait() != 0:
        raise PracticeError(f"training: {stage} failed; see the lines above")


def _child(order: Order, stage: str) -> None:
    _end(_start(order, stage), stage)


def _arguments(order: Order) -> list[str]:
    """The order as command line arguments for a stage in a process of its own."""
    given: dict[str, Any] = {
        "--recipe": order.recipe.name,
        "--n": order.recipe.images,
        "--out": order.out,
        "--work": order.work,
        "--data-seed": order.seed,
        "--device": order.device,
        "--minutes": order.minutes,
        "--steps": order.steps,
        "--each": order.each,
        "--workers": order.workers,
        "--prompts": order.prompts,
    }
    flat = [str(x) for key, value in given.items() if value is not None for x in (key, value)]
    return [*flat, "--compile"] if order.compile else flat


def _note(
    order: Order, stage: str, started: float, budget: Budget | None = None, **more: Any
) -> None:
    """Add to the stage's note what was done; the card reads the notes."""
    folder = order.out / "training"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stage}.json"
    runs = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    run: dict[str, Any] = {
        "recipe": order.recipe.as_json(),
        "seed": order.seed,
        "seconds": round(time.monotonic() - started, 1),
        "device": order.device,
        **more,
    }
    if budget is not None:
        run |= {"steps": budget.done, "span": list(budget.span)}
        run |= {"trained seconds": round(budget.seconds(), 1)}
    path.write_text(json.dumps([*runs, run], indent=1) + "\n", encoding="utf-8")
    print(f"{stage}: done in {run['seconds']} s", flush=True)
