"""Every size and setting of the practice model, once in full and once as a smoke test.

Why these sizes. All weights together may weigh 45 MB in fp16 (22 M parameters), and two CPU cores
shall make four images per second with guidance. A latent of 8x8 lets every place attend to every
other one in each layer, which is what makes both eyes and both sides of the hair fit together, and
a training step takes half as long as with 16x16; sixteen channels and a larger decoder keep eyes
and lips, which are one or two pixels. `benchmarks/practice_speed.py` times the whole pipeline.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

IMAGE = 64
CONTEXT = 77
"""Tokens that the encoder's text tower sees, as in CLIP: texts of other studies' length fit."""
WINDOW = 40
"""Tokens of a prompt; the longest of 4,000 captions has 26."""

CLIP_MEAN = (0.5, 0.5, 0.5)
CLIP_STD = (0.25, 0.25, 0.25)


@dataclass(frozen=True)
class AutoencoderShape:
    """`channels` has one entry per level; each level but the last halves the image."""

    channels: tuple[int, ...] = (48, 80, 112, 112)
    latent: int = 16
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

    channels: tuple[int, ...] = (128, 160)
    attention: tuple[bool, ...] = (True, True)
    heads: int = 4


@dataclass(frozen=True)
class Fit:
    """How one part is trained; `steps` are those of the smoke setting."""

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
    first_images: int
    """Images to train the autoencoder on, while the others are still being painted."""
    retouched: int
    """Images that pass through the denoiser, for the encoder to learn from."""
    encoder_minutes: float
    masked_minutes: float
    autoencoder_minutes: float
    denoiser_minutes: float
    decoder_minutes: float
    """The decoder's second part, beside the critic."""
    again_minutes: float
    """The encoder's second part, on images that passed through the denoiser."""
    judge_minutes: float
    clip_words: int = 4096
    masked_words: int = 6000
    projection: int = 192
    autoencoder: AutoencoderShape = field(default_factory=AutoencoderShape)
    vision: TowerShape = TowerShape(192, 7, 4)
    text: TowerShape = TowerShape(192, 4, 4)
    prompt_layers: int = 3
    """Layers of the pipeline's own text tower."""
    masked: TowerShape = TowerShape(192, 4, 4)
    critic: int = 64
    """Channels of the critic's first layer."""
    made: int = 24_000
    """Latents of the denoiser that the decoder learns from."""
    judge: tuple[int, ...] = (24, 40, 64, 80)
    """Channels of the judge's levels."""
    unet: UNetShape = field(default_factory=UNetShape)
    fit_autoencoder: Fit = Fit(256, 1.2e-3, 0.0, 6000)
    fit_decoder: Fit = Fit(64, 3e-4, 0.0, 6000)
    fit_judge: Fit = Fit(1024, 2e-3, 0.02, 2000)
    fit_clip: Fit = Fit(2048, 1e-3, 0.1, 6000)
    fit_masked: Fit = Fit(1024, 1e-3, 0.05, 6000)
    fit_unet: Fit = Fit(3072, 1e-3, 0.01, 12000)

    def as_json(self) -> dict[str, Any]:
        """The recipe as plain data."""
        return asdict(self)


FULL = Recipe(
    name="full",
    images=300_000,
    sentences=600_000,
    first_images=100_000,
    retouched=120_000,
    encoder_minutes=3.0,
    masked_minutes=2.0,
    autoencoder_minutes=3.7,
    denoiser_minutes=8.8,
    decoder_minutes=3.7,
    again_minutes=3.0,
    judge_minutes=1.1,
)

SMOKE = Recipe(
    name="smoke",
    images=192,
    sentences=600,
    first_images=96,
    retouched=32,
    encoder_minutes=0.1,
    masked_minutes=0.1,
    autoencoder_minutes=0.1,
    denoiser_minutes=0.1,
    decoder_minutes=0.1,
    again_minutes=0.1,
    judge_minutes=0.1,
    clip_words=1200,
    masked_words=800,
    projection=32,
    autoencoder=AutoencoderShape((16, 16, 16, 32), 8, 8),
    vision=TowerShape(32, 2, 2),
    text=TowerShape(32, 2, 2),
    prompt_layers=1,
    masked=TowerShape(32, 2, 2),
    judge=(8, 8, 8, 8),
    critic=8,
    made=16,
    unet=UNetShape((32, 32), (True, True), 2),
    fit_autoencoder=Fit(16, 2e-3, 0.0, 12),
    fit_decoder=Fit(8, 1e-3, 0.0, 6),
    fit_judge=Fit(16, 2e-3, 0.02, 6),
    fit_clip=Fit(32, 2e-3, 0.1, 12),
    fit_masked=Fit(32, 2e-3, 0.05, 12),
    fit_unet=Fit(16, 2e-3, 0.01, 12),
)

RECIPES = {recipe.name: recipe for recipe in (FULL, SMOKE)}
