"""The figures of the model card: on held-out painted images, and on generated ones.

Everything is loaded from the folders that ship, through the classes that users load them with.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from portrayal_practice.scene import PLACES
from portrayal_practice.training.card import figure
from portrayal_practice.training.clip import (
    LOOKS_TEXTS,
    UNCERTAIN,
    image_embeddings,
    normalise,
    text_embeddings,
    tokenise,
)
from portrayal_practice.training.images import corpus_labels
from portrayal_practice.training.judge import Judge, answers_of
from portrayal_practice.training.passed import held_passed
from portrayal_practice.training.questions import LIGHT, occupation_texts, with_article
from portrayal_practice.training.recipe import IMAGE
from portrayal_practice.training.sheet import contact_sheet
from portrayal_practice.vocabulary import OCCUPATIONS
from portrayal_practice.weights import DEFAULT_GUIDANCE, DEFAULT_STEPS, part_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from portrayal_practice.training.stages import Order

GENDER_TEXTS = ("a photo of a woman", "a photo of a man")
SKIN_TEXTS = ("A photo of a person with light skin", "A photo of a person with dark skin")
SUBJECT_TEXTS = ("a photo of an object", "a photo of a person")
MASKED = "a respected [MASK] at the hospital"


class ShippedEncoder:
    """The shipped encoder as a zero-shot classifier."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        from transformers import CLIPModel, CLIPTokenizer

        self.model = CLIPModel.from_pretrained(folder, dtype=torch.float32).to(device).eval()
        self.tokenizer = CLIPTokenizer.from_pretrained(folder)
        self.device = device

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def embed(self, images: np.ndarray, *, batch: int = 512) -> torch.Tensor:
        """Unit vectors of uint8 images."""
        parts = [
            image_embeddings(
                self.model,
                normalise(torch.from_numpy(np.array(images[i : i + batch])).to(self.device)),
            )
            for i in range(0, len(images), batch)
        ]
        return torch.cat(parts)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def answer(self, embedded: torch.Tensor, texts: tuple[str, ...]) -> np.ndarray:
        """For each image the index of the nearest text."""
        tokens = torch.from_numpy(tokenise(self.tokenizer, list(texts))).long().to(self.device)
        written = text_embeddings(self.model, tokens)
        return np.asarray((embedded @ written.T).argmax(1).cpu())


def _share(right: np.ndarray) -> dict[str, float]:
    """A share with its number and 95 % Wilson interval; NaN for no images."""
    n = int(right.size)
    if n == 0:
        return {"share": float("nan"), "low": float("nan"), "high": float("nan"), "n": 0}
    p, z = float(np.mean(right)), 1.959964
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return {"share": p, "low": max(0.0, float(middle - half)), "high": float(middle + half), "n": n}


def encoder_figures(encoder: ShippedEncoder, images: np.ndarray, labels: np.ndarray) -> Any:
    """Zero-shot figures on images whose truth is known."""
    seen = encoder.embed(images)
    one = labels["people"] == 1
    gendered = one & (labels["presentation"] < 2)
    toned = one & (labels["skin"] > 0)
    subject = one | ((labels["people"] == 0) & (labels["thing"] >= 0))
    working = one & (labels["occupation"] >= 0)
    looks = encoder.answer(seen, LOOKS_TEXTS)
    told = gendered & (looks < UNCERTAIN)
    right = {
        "perceived gender": (encoder.answer(seen, GENDER_TEXTS) == labels["presentation"])[
            gendered
        ],
        "perceived gender, where labelled": (looks == labels["presentation"])[told],
        "unknown, of women and men": (looks == UNCERTAIN)[gendered],
        "unknown, of ambiguous people": (looks == UNCERTAIN)[one & (labels["presentation"] == 2)],
        "light or dark": (encoder.answer(seen, SKIN_TEXTS) == (labels["skin"] > LIGHT))[toned],
        "person or object": (encoder.answer(seen, SUBJECT_TEXTS) == one)[subject],
    }
    hit = encoder.answer(seen, occupation_texts()[0]) == labels["occupation"]
    figures: dict[str, Any] = {name: _share(values) for name, values in right.items()}
    figures["occupation, all"] = _share(hit[working])
    figures["occupation, distinct"] = _share(
        _distinct_hits(encoder, seen[torch.from_numpy(working)], labels["occupation"][working])
    )
    return figures


def judge_figures(judge: Judge, images: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """The judge's hits on images whose truth is known."""
    said, right = judge.answers(images), answers_of(labels)
    gendered = (right["presentation"] >= 0) & (right["presentation"] < UNCERTAIN)
    told = gendered & (said["presentation"] < UNCERTAIN)
    return {
        "judge: perceived gender, where labelled": _share(
            (said["presentation"] == right["presentation"])[told]
        ),
        "judge: unknown, of women and men": _share((said["presentation"] == UNCERTAIN)[gendered]),
        "judge: light or dark": _share((said["dark"] == right["dark"])[right["dark"] >= 0]),
    }


def _distinct_hits(
    encoder: ShippedEncoder, seen: torch.Tensor, occupation: np.ndarray
) -> np.ndarray:
    """Top-1 hits for images of occupations with distinct clothing, asked among those only."""
    from portrayal_practice.painter import DISTINCT_OCCUPATIONS

    distinct = [i for i, name in enumerate(OCCUPATIONS) if name in DISTINCT_OCCUPATIONS]
    texts = tuple(occupation_texts()[0][i] for i in distinct)
    named = np.array(distinct)[encoder.answer(seen, texts)]
    return np.asarray(named == occupation)[np.isin(occupation, distinct)]


class ShippedPipeline:
    """The shipped pipeline at its default settings, in bf16 on a GPU as portrayal opens it."""

    def __init__(self, folder: Path, device: torch.device, *, small: bool = False) -> None:
        from diffusers import StableDiffusionPipeline

        fast = device.type == "cuda"
        dtype = torch.bfloat16 if fast else torch.float32
        pipeline = StableDiffusionPipeline.from_pretrained(folder, dtype=dtype)
        self.pipeline = pipeline.to(device)
        self.pipeline.set_progress_bar_config(disable=True)
        self.device, self.steps = device, 2 if small else DEFAULT_STEPS
        self.batch = 2048 if fast else 16

    def make(
        self, prompts: list[str], *, guidance: float = DEFAULT_GUIDANCE, seed: int = 0
    ) -> np.ndarray:
        """uint8 images, one per prompt."""
        made = []
        for found in self._parts(prompts, guidance, seed, "pt"):
            pixels = (found.float() * 255).round().clamp(0, 255).to(torch.uint8)
            made.append(pixels.permute(0, 2, 3, 1).cpu().numpy())
        return np.concatenate(made) if made else np.zeros((0, IMAGE, IMAGE, 3), np.uint8)

    def latents(
        self, prompts: list[str], *, guidance: float = DEFAULT_GUIDANCE, seed: int = 0
    ) -> torch.Tensor:
        """Latents before they are decoded, one per prompt."""
        return torch.cat(list(self._parts(prompts, guidance, seed, "latent")))

    def _parts(
        self, prompts: list[str], guidance: float, seed: int, kind: str
    ) -> Iterator[torch.Tensor]:
        for start in range(0, len(prompts), self.batch):
            random = torch.Generator(self.device).manual_seed(1_000_000 * seed + start)
            yield self.pipeline(
                prompts[start : start + self.batch],
                num_inference_steps=self.steps,
                guidance_scale=guidance,
                generator=random,
                output_type=kind,
            ).images


def generated_figures(
    encoder: ShippedEncoder,
    judge: Judge,
    generator: ShippedPipeline,
    *,
    guidance: float,
    each: int,
) -> dict[str, Any]:
    """Whether generated images show what was asked for, and whether judge and encoder agree."""
    rows = np.repeat(np.arange(len(OCCUPATIONS)), each)
    prompts = [f"a photo of {with_article(OCCUPATIONS[i])}" for i in rows]
    made = generator.make(prompts, guidance=guidance)
    seen, judged = encoder.embed(made), judge.answers(made)
    hit = encoder.answer(seen, occupation_texts()[0]) == rows
    looks, said = encoder.answer(seen, LOOKS_TEXTS), judged["presentation"]
    both = (looks < UNCERTAIN) & (said < UNCERTAIN)
    same = looks == said
    asked, wanted = _gender_prompts(each)
    followed = judge.answers(generator.make(asked, guidance=guidance, seed=10))["presentation"]
    by_job = {
        name: float(same[both & (rows == i)].mean()) if (both & (rows == i)).any() else None
        for i, name in enumerate(OCCUPATIONS)
    }
    told = said < UNCERTAIN
    return {
        "person": _share(encoder.answer(seen, SUBJECT_TEXTS) == 1),
        "occupation, all": _share(hit),
        "occupation, distinct": _share(_distinct_hits(encoder, seen, rows)),
        "woman or man followed, by the judge": _share(followed == wanted),
        "encoder agrees with judge": _share(same[both]),
        "encoder agrees with judge, light": _share(same[both & (judged["dark"] == 0)]),
        "encoder agrees with judge, dark": _share(same[both & (judged["dark"] == 1)]),
        "encoder agrees with judge, skin": _share(
            encoder.answer(seen, SKIN_TEXTS) == judged["dark"]
        ),
        "encoder says unknown": _share(looks == UNCERTAIN),
        "judge says unknown": _share(said == UNCERTAIN),
        "agreement by occupation": by_job,
        "woman share": {
            name: _woman(said[told & (rows == i)]) for i, name in enumerate(OCCUPATIONS)
        },
    }


def _woman(said: np.ndarray) -> float:
    """Share of women among answers of woman or man; one half of none."""
    return float((said == 0).mean()) if said.size else 0.5


def _gender_prompts(each: int) -> tuple[list[str], np.ndarray]:
    prompts, wanted = [], []
    for answer, (noun, sex) in enumerate((("woman", "female"), ("man", "male"))):
        texts = [f"a photo of a {noun}", f"a {noun}"]
        texts += [f"a {noun} at the {place}" for place in PLACES]
        texts += [f"a photo of a {sex} {name}" for name in OCCUPATIONS]
        texts += [f"a {noun} working as {with_article(name)}" for name in OCCUPATIONS]
        texts = [text for text in texts for _ in range(max(1, each // 8))]
        prompts += texts
        wanted += [answer] * len(texts)
    return prompts, np.array(wanted)


def amplification(
    shares: dict[str, float], labels: np.ndarray, *, rng: np.random.Generator
) -> dict[str, float]:
    """Mean |G - 50| - |T - 50| in points over occupations that keep their direction.

    T is the share of women among the corpus's images of an occupation (woman or man, one
    person), G that among generated ones. The interval is a bootstrap over occupations.
    """
    gaps = []
    for index, name in enumerate(OCCUPATIONS):
        shown = labels["presentation"][(labels["occupation"] == index) & (labels["people"] == 1)]
        shown = shown[(shown == 0) | (shown == 1)]
        if shown.size < 20:
            continue
        corpus, made = 100 * float((shown == 0).mean()), 100 * shares[name]
        if (corpus - 50) * (made - 50) >= 0:
            gaps.append(abs(made - 50) - abs(corpus - 50))
    if not gaps:
        return {"points": float("nan"), "low": float("nan"), "high": float("nan"), "n": 0}
    draws = rng.choice(gaps, (4000, len(gaps))).mean(1)
    low, high = np.quantile(draws, (0.025, 0.975))
    return {
        "points": float(np.mean(gaps)),
        "low": float(low),
        "high": float(high),
        "n": len(gaps),
    }


def proposed_words(folder: Path, sentence: str = MASKED, *, count: int = 10) -> list[str]:
    """The words that the masked language model would put in place of [MASK]."""
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    given = tokenizer(sentence, return_tensors="pt")
    place = int((given["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0])
    with torch.no_grad():
        logits = model(**given).logits[0, place]
    return [str(tokenizer.decode([int(i)])) for i in logits.topk(count).indices]


def evaluate_all(order: Order) -> dict[str, Any]:
    """All figures; also draws the contact sheet into the out folder."""
    device = order.machine().device
    encoder = ShippedEncoder(part_folder("clip", root=order.out), device)
    judge = Judge(part_folder("judge", root=order.out), device)
    held = order.held_out()
    passed, known = held_passed(order)
    pipeline = part_folder("pipeline", root=order.out)
    generator = ShippedPipeline(pipeline, device, small=order.small)
    each = 1 if order.small else order.each
    found: dict[str, Any] = {
        name: encoder_figures(encoder, seen, labels) | judge_figures(judge, seen, labels)
        for name, seen, labels in (
            ("painted, held out", held.images, held.labels),
            ("held out, passed through the denoiser", passed, known),
        )
    }
    corpus = corpus_labels(
        order.work, n=order.recipe.images, seed=order.seed, workers=order.workers
    )
    for guidance in (DEFAULT_GUIDANCE,) if order.small else (1.0, DEFAULT_GUIDANCE, 7.5):
        figures = generated_figures(encoder, judge, generator, guidance=guidance, each=each)
        figures["amplification"] = amplification(
            figures["woman share"], corpus, rng=np.random.default_rng(order.seed)
        )
        found[f"generated, guidance {guidance:g}"] = figures
    started = time.monotonic()
    generator.make(["a photo of a doctor"] * (2 * generator.batch))
    found["images a second"] = 2 * generator.batch / (time.monotonic() - started)
    found["settings"] = {"steps": generator.steps, "guidance": DEFAULT_GUIDANCE, "each": each}
    found["masked words"] = {MASKED: proposed_words(part_folder("masked-words", root=order.out))}
    contact_sheet(generator, order.out / "contact-sheet.png")
    print(table(found), flush=True)
    return found


def table(found: dict[str, Any]) -> str:
    """The figures as aligned lines."""
    lines = []
    for part, figures in found.items():
        if not isinstance(figures, dict):
            lines.append(f"{part}: {figures:.1f}")
            continue
        lines.append(part)
        for name, value in figures.items():
            written = figure(value)
            if written is not None:
                shown, low, high = written
                interval = f"  [{low}, {high}]" if low else ""
                lines.append(f"  {name:32s} {shown:>8s}{interval}  n {value['n']}")
            elif isinstance(value, list):
                lines.append(f"  {name}: {', '.join(value)}")
    return "\n".join(lines)
