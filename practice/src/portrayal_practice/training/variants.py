"""Variants of the practice model with a known difference, to compare with it.

A variant is a LoRA adapter for `--model practice --lora FILE`. It learns from images of a world
that differs in one thing: another table of planted shares, or another way to paint. Latents are
small, so a few minutes on two CPU cores do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from portrayal_practice.corpus import corpus_items
from portrayal_practice.errors import PracticeError
from portrayal_practice.painter import paint
from portrayal_practice.planted import Effects, PlantedTable, planted_table
from portrayal_practice.training.autoencoder import latents
from portrayal_practice.training.clip import tokenise
from portrayal_practice.training.denoiser import (
    EMPTY_SHARE,
    TIMESTEPS,
    denoising_loss,
    load_parts,
    scheduler,
)
from portrayal_practice.training.device import Learner, pick
from portrayal_practice.training.recipe import IMAGE
from portrayal_practice.training.schedule import Budget
from portrayal_practice.weights import weights_folder
from portrayal_practice.world import World

if TYPE_CHECKING:
    from pathlib import Path

VARIANT_SEED = 9_000_011
"""The corpus that variants learn from: not that of the model."""
RANK = 16
LEARNT = ("to_q", "to_k", "to_v", "to_out.0", "ff.net.0.proj", "ff.net.2", "proj_in", "proj_out")
RATE = 2e-3
BATCH = 32
MORE_WOMEN = 2.0
"""Added to the log-odds of woman."""


def _more_women(table: PlantedTable) -> PlantedTable:
    raised = 1 / (1 + np.exp(-(np.log(table.woman / (1 - table.woman)) + MORE_WOMEN)))
    return replace(table, woman=float(raised))


def _mirrored(table: PlantedTable) -> PlantedTable:
    """The same effects of occupations on the log-odds of woman, with their signs turned."""
    turned: Effects = {name: -effect for name, effect in table.woman_effect["occupation"].items()}
    effects: Mapping[str, Effects] = {**table.woman_effect, "occupation": turned}
    return replace(table, woman=1 - table.woman, woman_effect=effects)


def _unchanged(image: np.ndarray) -> np.ndarray:
    return image


def _framed(image: np.ndarray) -> np.ndarray:
    """The image in a white frame with a dark line, as a printed card has it."""
    found = image.copy()
    for ring, colour in ((3, 40), (2, 255), (1, 255), (0, 255)):
        inner = slice(ring, IMAGE - ring)
        edge = np.ones((IMAGE, IMAGE), dtype=bool)
        edge[inner, inner] = False
        found[edge] = colour if ring else 255
    return found


@dataclass(frozen=True)
class Variant:
    """What differs in the world that a variant learns from."""

    difference: str
    table: Callable[[PlantedTable], PlantedTable]
    look: Callable[[np.ndarray], np.ndarray]


VARIANTS = {
    "more-women": Variant("shows more women", _more_women, _unchanged),
    "framed": Variant("frames its images, and shows the same groups", lambda t: t, _framed),
    "mirrored": Variant("has each occupation's share of women mirrored", _mirrored, _unchanged),
}


def variant_table(name: str) -> PlantedTable:
    """The planted table of the world that a variant learns from.

    Raises:
        PracticeError: If there is no such variant.
    """
    if name not in VARIANTS:
        raise PracticeError(f"variant {name!r} is unknown; allowed: {', '.join(VARIANTS)}")
    return VARIANTS[name].table(planted_table())


def train_variant(name: str, out: Path, *, images: int = 4000, steps: int = 400) -> Path:
    """Train an adapter of the shipped model and write it into the folder `out`.

    Args:
        name: One of `VARIANTS`.
        out: Where `NAME.safetensors` is written.
        images: Number of painted images to learn from.
        steps: Training steps of 32 images.

    Returns:
        The file.
    """
    world, look = World(variant_table(name)), VARIANTS[name].look
    items = list(corpus_items(images, seed=VARIANT_SEED, world=world))
    painted = np.stack([look(paint(item.scene, item.seed, size=IMAGE)) for item in items])
    machine, parts = pick("auto", compile=False, seed=0), load_parts(weights_folder())
    for part in (parts.vae, parts.text, parts.unet):
        part.to(machine.device, machine.dtype).requires_grad_(False)
    clean = latents(parts.vae, machine.put(painted), machine, batch=64).to(machine.dtype)
    texts = machine.put(tokenise(parts.tokenizer, [item.caption.text for item in items]))
    empty = machine.put(tokenise(parts.tokenizer, [""]))
    alphas = scheduler().alphas_cumprod.to(machine.device)
    learnt = _adapted(parts.unet)
    learner = Learner([{"params": learnt, "lr": RATE, "weight_decay": 0.0}], machine, memory=0.98)
    budget = Budget(steps=steps)
    while not budget.over():
        rows = machine.draw(len(clean), BATCH)
        blank = torch.rand(BATCH, 1, device=machine.device) < EMPTY_SHARE
        tokens = torch.where(blank, empty, texts[rows]).long()
        times = torch.randint(TIMESTEPS, (BATCH,), device=machine.device)
        noise = torch.randn_like(clean[rows])
        loss = denoising_loss(parts.unet, parts.text, alphas, clean[rows], noise, tokens, times)
        learner.descend(loss, factor=budget.rate())
        machine.log(name, budget, loss)
    return _save(learner.averaged(parts.unet), out, name)


def _adapted(unet: torch.nn.Module) -> list[torch.nn.Parameter]:
    """Add an adapter to a UNet; returns what it learns with."""
    from peft import LoraConfig

    unet.add_adapter(LoraConfig(r=RANK, lora_alpha=RANK, target_modules=list(LEARNT)))
    return [parameter for parameter in unet.parameters() if parameter.requires_grad]


def _save(unet: torch.nn.Module, out: Path, name: str) -> Path:
    from diffusers import StableDiffusionPipeline
    from peft.utils import get_peft_model_state_dict

    held = {key: value.half().cpu() for key, value in get_peft_model_state_dict(unet).items()}
    path = out / f"{name}.safetensors"
    StableDiffusionPipeline.save_lora_weights(
        out, unet_lora_layers=held, weight_name=path.name, safe_serialization=True
    )
    return path
