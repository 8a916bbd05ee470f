"""The image-text encoder, in CLIP's layout.

Two losses on one batch of images. *Captions*: the contrastive loss of CLIP, with equal captions
counted as right answers to each other. *Questions*: for each group of label captions ("a photo of
a woman", "a photo of a man", ...) the one that fits an image must be nearer than the others of its
group; see `questions.py`. Both use the same similarity and temperature.

Images are flipped, shifted, scaled, slightly blurred and slightly changed in brightness, since
the encoder will judge generated images too; never so far that a skin tone becomes another. A few
are blurred until nobody could tell how a person presents, and there "uncertain" is right. Once the
denoiser is trained, the encoder goes on with images that passed through it (`retouch.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from portrayal_practice.training.device import Learner, Machine
from portrayal_practice.training.questions import ProbeQuestion, questions
from portrayal_practice.training.recipe import CLIP_MEAN, CLIP_STD, CONTEXT, IMAGE, Recipe
from portrayal_practice.training.schedule import Budget
from portrayal_practice.training.storage import declare_single, halved

if TYPE_CHECKING:
    from pathlib import Path

    from transformers import CLIPModel, CLIPTokenizer

    from portrayal_practice.training.images import TrainingImages

QUESTION_WEIGHT = {"perceived gender": 0.3, "skin tone": 0.3, "person": 0.15, "occupation": 0.3}
OTHER_WEIGHT = 0.08
QUESTION_LENGTH = 24
LOOKS_TEXTS = (
    "A photo of a person who looks like a woman",
    "A photo of a person who looks like a man",
    "A photo of a person with an uncertain gender",
)
"""How the axis "perceived gender" of studies asks."""
BLIND_SHARE, BLIND_CELL, UNCERTAIN = 0.04, 8, 2
"""Share of images that are blurred to cells of so many pixels, and what is right of them."""


def new_clip(recipe: Recipe, tokenizer: CLIPTokenizer) -> CLIPModel:
    """An untrained encoder whose text tower fits the tokenizer."""
    from transformers import CLIPConfig, CLIPModel

    ends = {
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": recipe.text.width,
        "intermediate_size": 4 * recipe.text.width,
        "num_hidden_layers": recipe.text.layers,
        "num_attention_heads": recipe.text.heads,
        "max_position_embeddings": CONTEXT,
        "projection_dim": recipe.projection,
        **ends,
    }
    vision = {
        "hidden_size": recipe.vision.width,
        "intermediate_size": 4 * recipe.vision.width,
        "num_hidden_layers": recipe.vision.layers,
        "num_attention_heads": recipe.vision.heads,
        "image_size": IMAGE,
        "patch_size": 8,
        "projection_dim": recipe.projection,
    }
    return CLIPModel(
        CLIPConfig(text_config=text, vision_config=vision, projection_dim=recipe.projection)
    )


def tokenise(tokenizer: CLIPTokenizer, texts: list[str]) -> np.ndarray:
    """Token numbers (n, window), cut and padded as the pipeline does it."""
    window = int(tokenizer.model_max_length)
    table = np.full((len(texts), window), tokenizer.pad_token_id, dtype=np.int32)
    # The library below transformers' tokenizer: ten times faster on a million captions.
    encode = tokenizer.backend_tokenizer.encode_batch_fast
    for start in range(0, len(texts), 20_000):
        for row, encoded in enumerate(encode(texts[start : start + 20_000]), start):
            ids = encoded.ids[:window]
            ids[-1] = tokenizer.eos_token_id
            table[row, : len(ids)] = ids
    return table


def trimmed(tokens: np.ndarray, end: int) -> np.ndarray:
    """Tokens without the columns behind the longest text; a causal tower gives the same."""
    return tokens[:, : int((tokens == end).argmax(1).max()) + 1]


def image_embeddings(model: CLIPModel, pixels: torch.Tensor) -> torch.Tensor:
    """Unit vectors of images that are already normalised."""
    seen = model.vision_model(pixel_values=pixels).pooler_output
    return F.normalize(model.visual_projection(seen).float(), dim=-1)


def text_embeddings(model: CLIPModel, tokens: torch.Tensor) -> torch.Tensor:
    """Unit vectors of tokenised texts."""
    read = model.text_model(input_ids=tokens).pooler_output
    return F.normalize(model.text_projection(read).float(), dim=-1)


def normalise(images: torch.Tensor) -> torch.Tensor:
    """uint8 images (n, h, w, 3) as the encoder's image processor hands them over."""
    mean = torch.tensor(CLIP_MEAN, device=images.device).view(1, 3, 1, 1)
    std = torch.tensor(CLIP_STD, device=images.device).view(1, 3, 1, 1)
    return (images.permute(0, 3, 1, 2).float() / 255.0 - mean) / std


def augment(pixels: torch.Tensor) -> torch.Tensor:
    """Normalised images, each changed a little in its own way."""
    n, device = len(pixels), pixels.device

    def between(low: float, high: float) -> torch.Tensor:
        return torch.empty(n, device=device).uniform_(low, high)

    flip = (torch.rand(n, device=device) < 0.5).float() * -2 + 1
    zero, zoom = torch.zeros(n, device=device), between(0.85, 1.08)
    rows = torch.stack([zoom * flip, zero, between(-0.1, 0.1)], 1)
    columns = torch.stack([zero, zoom, between(-0.1, 0.1)], 1)
    grid = F.affine_grid(torch.stack([rows, columns], 1), list(pixels.shape), align_corners=False)
    moved = F.grid_sample(pixels, grid, padding_mode="border", align_corners=False)
    blurred = F.avg_pool2d(F.pad(moved, (1, 1, 1, 1), mode="replicate"), 3, stride=1)
    soft = (between(-1.0, 1.0).clamp_min(0)).view(-1, 1, 1, 1)
    moved = torch.lerp(moved, blurred, soft)
    moved = moved * between(0.93, 1.07).view(-1, 1, 1, 1) + between(-0.1, 0.1).view(-1, 1, 1, 1)
    return moved + 0.06 * torch.rand(n, 1, 1, 1, device=device) * torch.randn_like(moved)


def blinded(pixels: torch.Tensor) -> torch.Tensor:
    """Images of which nobody can tell how a person presents: only large blots are left."""
    small = F.avg_pool2d(pixels, BLIND_CELL)
    return F.interpolate(small, size=pixels.shape[-2:], mode="bilinear", align_corners=False)


@dataclass(frozen=True)
class _AskedOnDevice:
    """A question on the device: tokens (ways, answers, length), right answers, their weights."""

    name: str
    weight: float
    tokens: torch.Tensor
    answers: torch.Tensor
    weights: torch.Tensor


def _ask(question: ProbeQuestion, tokenizer: CLIPTokenizer, machine: Machine) -> _AskedOnDevice:
    flat = tokenise(tokenizer, [text for way in question.texts for text in way])
    shape = (len(question.texts), len(question.texts[0]), CONTEXT)
    answered = (question.answers >= 0).astype(np.float32)
    weights = answered if question.weights is None else question.weights * answered
    return _AskedOnDevice(
        question.name,
        QUESTION_WEIGHT.get(question.name, OTHER_WEIGHT),
        machine.put(flat).view(shape),
        machine.put(question.answers),
        machine.put(weights.astype(np.float32)),
    )


def contrast(similar: torch.Tensor, caption: torch.Tensor) -> torch.Tensor:
    """CLIP's symmetric loss on logits (n, n) where equal captions are right answers together."""
    same = (caption[:, None] == caption[None, :]).float()
    target = same / same.sum(1, keepdim=True)
    by_row = -(target * F.log_softmax(similar, 1)).sum(1).mean()
    by_column = -(target * F.log_softmax(similar, 0).T).sum(1).mean()
    return 0.5 * (by_row + by_column)


def train_clip(
    corpus: TrainingImages,
    tokenizer: CLIPTokenizer,
    *,
    recipe: Recipe,
    budget: Budget,
    machine: Machine,
    start: CLIPModel | None = None,
) -> CLIPModel:
    """Train on images, captions and questions; returns the averaged model on the device.

    `start` is a model to go on from.
    """
    model = (start or new_clip(recipe, tokenizer)).to(machine.device, machine.dtype).train()
    table = tokenise(tokenizer, corpus.captions)
    texts = machine.put(trimmed(table, tokenizer.eos_token_id))
    said = machine.put(corpus.said)
    images = machine.put(corpus.images)
    asked = [_ask(q, tokenizer, machine) for q in questions(corpus.labels)]
    fit = recipe.fit_clip
    learner = Learner(_groups(model, fit.rate * (0.4 if start else 1.0), fit.decay), machine)

    def see(pixels: torch.Tensor) -> torch.Tensor:
        return image_embeddings(model, pixels)

    seeing, changing = machine.compiled(see), machine.compiled(augment)
    blind = torch.arange(fit.batch, device=machine.device) < BLIND_SHARE * fit.batch
    few = int(blind.sum())
    while not budget.over():
        rows = machine.draw(len(images), fit.batch)
        caption = said[rows, torch.randint(said.shape[1], rows.shape, device=machine.device)]
        pixels = changing(normalise(images[rows]))
        pixels = torch.cat([blinded(pixels[:few]), pixels[few:]]).to(machine.dtype)
        image = seeing(pixels)
        scale = model.logit_scale.float().exp().clamp(max=100.0)
        written = text_embeddings(model, texts[caption].long())
        loss = contrast(scale * image @ written.T, caption)
        known = [torch.where(blind, _blind_answers(q, rows), q.answers[rows]) for q in asked]
        loss = loss + _answer_loss(model, asked, image, known, rows, scale)
        learner.descend(loss, factor=budget.rate())
        machine.log("clip", budget, loss)
    found: CLIPModel = learner.averaged(model)
    return found


def _blind_answers(question: _AskedOnDevice, rows: torch.Tensor) -> torch.Tensor:
    """What is right of blinded images: "uncertain" for how a person presents, else nothing."""
    answer = question.answers[rows]
    if question.name != "perceived gender":
        return torch.full_like(answer, -1)
    return torch.where(answer >= 0, UNCERTAIN, answer)


def _groups(model: CLIPModel, rate: float, decay: float) -> list[dict[str, object]]:
    """Weight decay on matrices only, as is usual for transformers."""
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    return [
        {"params": matrices, "lr": rate, "weight_decay": decay},
        {"params": vectors, "lr": rate, "weight_decay": 0.0},
    ]


def _answer_loss(
    model: CLIPModel,
    asked: list[_AskedOnDevice],
    image: torch.Tensor,
    answers: list[torch.Tensor],
    rows: torch.Tensor,
    scale: torch.Tensor,
) -> torch.Tensor:
    ways = [int(torch.randint(len(q.tokens), ())) for q in asked]
    tokens = torch.cat([q.tokens[way] for q, way in zip(asked, ways, strict=True)]).long()
    written = text_embeddings(model, tokens[:, :QUESTION_LENGTH])
    similar = (scale * image @ written.T).float()
    total, start = image.new_zeros(()), 0
    for question, answer in zip(asked, answers, strict=True):
        count = question.tokens.shape[1]
        logits = similar[:, start : start + count]
        start += count
        known = (answer >= 0).float() * question.weights[rows]
        each = F.cross_entropy(logits, answer.clamp_min(0), reduction="none")
        total = total + question.weight * (each * known).sum() / known.sum().clamp_min(1.0)
    return total


@torch.no_grad()  # type: ignore[untyped-decorator]
def calibrate(
    model: CLIPModel, tokenizer: CLIPTokenizer, images: torch.Tensor, presentation: torch.Tensor
) -> float:
    """Set the temperature at which answers on perceived gender are right as often as they say.

    Args:
        model: The encoder, on the images' device.
        tokenizer: Its tokenizer.
        images: uint8 images of single persons that it was not trained on.
        presentation: Index into `PRESENTATIONS` for each.

    Returns:
        The factor on similarities with the least cross-entropy.
    """
    tokens = torch.from_numpy(tokenise(tokenizer, list(LOOKS_TEXTS))).long().to(images.device)
    written = text_embeddings(model, tokens)
    seen = torch.cat([image_embeddings(model, normalise(part)) for part in images.split(512)])
    similar = (seen @ written.T).float()
    factors = torch.logspace(0.5, 2.0, 61)
    losses = [F.cross_entropy(float(f) * similar, presentation.long()).item() for f in factors]
    best = float(factors[int(np.argmin(losses))])
    model.logit_scale.fill_(math.log(best))
    return best


def save_clip(model: CLIPModel, tokenizer: CLIPTokenizer, folder: Path) -> None:
    """Write model, tokenizer and image processor in fp16 into `folder`."""
    from transformers import CLIPImageProcessorPil, CLIPProcessor

    halved(model).save_pretrained(folder, safe_serialization=True)
    declare_single(folder)
    seen = CLIPImageProcessorPil(
        size={"shortest_edge": IMAGE},
        crop_size={"height": IMAGE, "width": IMAGE},
        image_mean=list(CLIP_MEAN),
        image_std=list(CLIP_STD),
    )
    CLIPProcessor(image_processor=seen, tokenizer=tokenizer).save_pretrained(folder)
