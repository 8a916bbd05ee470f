"""The image-text encoder, in CLIP's layout.

Two losses on one batch of images. *Captions*: the contrastive loss of CLIP, with equal captions
counted as right answers to each other. *Questions*: for each group of label captions ("a photo of
a woman", "a photo of a man", ...) the one that fits an image must be nearer than the others of its
group; see `questions.py`. Both use the same similarity and temperature.

Images are flipped, shifted, scaled, slightly blurred and slightly changed in brightness, since
the encoder will judge generated images too; never so far that a skin tone becomes another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from portrayal_practice.training.device import Machine
from portrayal_practice.training.questions import ProbeQuestion, questions
from portrayal_practice.training.recipe import CLIP_MEAN, CLIP_STD, CONTEXT, IMAGE, Recipe
from portrayal_practice.training.schedule import Budget, WeightAverage
from portrayal_practice.training.storage import declare_single, halved

if TYPE_CHECKING:
    from pathlib import Path

    from transformers import CLIPModel, CLIPTokenizer

    from portrayal_practice.training.images import TrainingImages

QUESTION_WEIGHT = {"perceived gender": 0.3, "skin tone": 0.3, "person": 0.15, "occupation": 0.3}
OTHER_WEIGHT = 0.08


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
    """Token numbers (n, 77), cut and padded as the pipeline does it."""
    table = np.full((len(texts), CONTEXT), tokenizer.pad_token_id, dtype=np.int32)
    # The library below transformers' tokenizer: ten times faster on a million captions.
    encode = tokenizer.backend_tokenizer.encode_batch_fast
    for start in range(0, len(texts), 20_000):
        for row, encoded in enumerate(encode(texts[start : start + 20_000]), start):
            ids = encoded.ids[:CONTEXT]
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


@dataclass(frozen=True)
class _AskedOnDevice:
    """A question on the device: tokens (ways, answers, length) and the right answers."""

    weight: float
    tokens: torch.Tensor
    answers: torch.Tensor


def _ask(question: ProbeQuestion, tokenizer: CLIPTokenizer, machine: Machine) -> _AskedOnDevice:
    flat = tokenise(tokenizer, [text for way in question.texts for text in way])
    shape = (len(question.texts), len(question.texts[0]), CONTEXT)
    return _AskedOnDevice(
        QUESTION_WEIGHT.get(question.name, OTHER_WEIGHT),
        machine.put(flat).view(shape),
        machine.put(question.answers),
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
) -> CLIPModel:
    """Train on images, captions and questions; returns the averaged model on the device."""
    model = new_clip(recipe, tokenizer).to(machine.device)
    table = tokenise(tokenizer, corpus.captions)
    texts = machine.put(trimmed(table, tokenizer.eos_token_id))
    said = machine.put(corpus.said)
    images = machine.put(corpus.images)
    asked = [_ask(q, tokenizer, machine) for q in questions(corpus.labels)]
    fit = recipe.fit_clip
    optimizer = machine.adamw(_groups(model, fit.rate, fit.decay), 0.0)
    average = WeightAverage(model.parameters())

    def see(pixels: torch.Tensor) -> torch.Tensor:
        return image_embeddings(model, pixels)

    seeing = machine.compiled(see)
    while not budget.over():
        rows = torch.randint(len(images), (fit.batch,), device=machine.device)
        caption = said[rows, torch.randint(said.shape[1], rows.shape, device=machine.device)]
        pixels = augment(normalise(images[rows]))
        with machine.autocast():
            image = seeing(pixels)
            scale = model.logit_scale.exp().clamp(max=100.0)
            written = text_embeddings(model, texts[caption].long())
            loss = contrast(scale * image @ written.T, caption)
            loss = loss + _answer_loss(model, asked, image, rows, scale, texts.shape[1])
        machine.descend(loss, model.parameters(), optimizer, factor=budget.rate())
        average.update()
        machine.log("clip", budget, loss)
    average.swap()
    return model.eval()


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
    rows: torch.Tensor,
    scale: torch.Tensor,
    length: int,
) -> torch.Tensor:
    ways = [int(torch.randint(len(q.tokens), ())) for q in asked]
    length = max(length, 24)
    tokens = torch.cat([q.tokens[way] for q, way in zip(asked, ways, strict=True)]).long()
    written = text_embeddings(model, tokens[:, :length])
    total, start = image.new_zeros(()), 0
    for question in asked:
        count = question.tokens.shape[1]
        logits = scale * image @ written[start : start + count].T
        start += count
        answer = question.answers[rows]
        known = (answer >= 0).float()
        each = F.cross_entropy(logits.float(), answer.clamp_min(0), reduction="none")
        total = total + question.weight * (each * known).sum() / known.sum().clamp_min(1.0)
    return total


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
