"""Every size and setting of the practice model, once in full and once as a smoke test.

Why these sizes. All weights together may weigh 48 MiB in fp16 (25 M parameters), and two CPU cores
shall make four images a second with guidance. A latent of 16x16 keeps the fine detail (eyes and
lips are one or two pixels) that a latent of 8x8 would press into channels; eight channels, since a
4x4 patch with two colours and an edge needs about eight numbers. There is no attention at 16x16,
where it costs most. `benchmarks/practice_speed.py` times the whole pipeline.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

IMAGE = 64
CONTEXT = 77
"""Tokens that the text tower sees, as in CLIP: prompts of other studies' length fit."""

CLIP_MEAN = (0.5, 0.5, 0.5)
CLIP_STD = (0.25, 0.25, 0.25)


@dataclass(frozen=True)
class AutoencoderShape:
    """`channels` has one entry per level; each level but the last halves the image."""

    channels: tuple[int, ...] = (48, 96, 128)
    latent: int = 8
    groups: int = 8


@dataclass(frozen=True)
class TowerShape:
    """A transformer tower."""

    width: int
    layers: int
    heads: int


@dataclass(frozen=True)
class UNetShape:
    """`attention` says per level whether it attends to itself and to the text."""

    channels: tuple[int, ...] = (64, 160, 160)
    attention: tuple[bool, ...] = (False, True, True)
    heads: int = 4


@dataclass(frozen=True)
class Fit:
    """How one part is trained. `share` is its part of the minutes given to all."""

    batch: int
    rate: float
    decay: float
    steps: int


@dataclass(frozen=True)
class Recipe:
    """One way to train everything; written to training.json beside the weights."""

    name: str
    images: int
    sentences: int
    encoder_minutes: float
    autoencoder_minutes: float
    denoiser_minutes: float
    clip_words: int = 4096
    masked_words: int = 6000
    projection: int = 192
    autoencoder: AutoencoderShape = field(default_factory=AutoencoderShape)
    vision: TowerShape = TowerShape(192, 8, 4)
    text: TowerShape = TowerShape(192, 4, 4)
    masked: TowerShape = TowerShape(192, 4, 4)
    unet: UNetShape = field(default_factory=UNetShape)
    fit_autoencoder: Fit = Fit(256, 1e-3, 0.0, 6000)
    fit_clip: Fit = Fit(2048, 1e-3, 0.1, 6000)
    fit_masked: Fit = Fit(1024, 1e-3, 0.05, 6000)
    fit_unet: Fit = Fit(1024, 8e-4, 0.01, 12000)

    def as_json(self) -> dict[str, Any]:
        """The recipe as plain data."""
        return asdict(self)


FULL = Recipe(
    name="full",
    images=300_000,
    sentences=600_000,
    encoder_minutes=5.0,
    autoencoder_minutes=5.0,
    denoiser_minutes=11.0,
)

SMOKE = Recipe(
    name="smoke",
    images=192,
    sentences=600,
    encoder_minutes=0.1,
    autoencoder_minutes=0.1,
    denoiser_minutes=0.1,
    clip_words=1200,
    masked_words=800,
    projection=32,
    autoencoder=AutoencoderShape((16, 16, 32), 8, 8),
    vision=TowerShape(32, 2, 2),
    text=TowerShape(32, 2, 2),
    masked=TowerShape(32, 2, 2),
    unet=UNetShape((32, 32, 32), (False, True, True), 2),
    fit_autoencoder=Fit(16, 2e-3, 0.0, 12),
    fit_clip=Fit(32, 2e-3, 0.1, 12),
    fit_masked=Fit(32, 2e-3, 0.05, 12),
    fit_unet=Fit(16, 2e-3, 0.01, 12),
)

RECIPES = {recipe.name: recipe for recipe in (FULL, SMOKE)}
