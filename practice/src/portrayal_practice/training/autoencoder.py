"""The autoencoder: images of 64x64x3 to latents of 8x8x16 and back.

Loss: absolute error, plus absolute error of the Laplacian bands at three scales, which is what
keeps outlines of faces and tools sharp. Errors count more where the image has contrast, since eyes
are a few pixels and backgrounds many; contrast is relative to the brightness around, as eyes see
it, or the features of dark faces would count for little. Errors where most faces are count more.

A denoiser never hits a latent exactly. So the decoder learns from latents with noise, up to three
tenths of their spread, and the encoder learns latents that bear it: what matters is written large,
and near latents mean alike images. The noise takes the place of a learnt posterior, whose deviation
shrank to .007 here; the file states a fixed one.

After training each latent channel is shifted and scaled to mean 0 and variance 1; the shift is
folded into the 1x1 convolutions on both sides of the latent, since StableDiffusionPipeline knows a
scaling factor only, and no shift.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 (the name everybody uses)

from portrayal_practice.training.device import Learner, Machine
from portrayal_practice.training.recipe import IMAGE, AutoencoderShape, Fit
from portrayal_practice.training.schedule import Budget
from portrayal_practice.training.storage import forget_origin, halved

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from diffusers import AutoencoderKL

SIZE_WEIGHT = 1e-4
"""On the square of latents: noise is relative to their spread, so something holds their size."""
NOISE = 0.3
"""Most noise on a latent while training, as a part of its channel's spread."""
DEVIATION = 0.05
"""Deviation of the posterior as stored, as a part of the spread."""
EDGE_WEIGHT = 1.0
DETAIL_WEIGHT = 4.0
"""How much more an error counts at a pixel that stands out fully from its surroundings."""
DARK = 0.1
"""Brightness (0 to 1) under which contrast is no longer relative; keeps noise in black from it."""
FACE_WEIGHT, FACE_ROWS, FACE_COLUMNS = 3.0, (1, 5), (2, 6)
"""How much more an error counts in the eighths of an image where most faces are."""


def new_autoencoder(shape: AutoencoderShape) -> AutoencoderKL:
    """An untrained autoencoder."""
    from diffusers import AutoencoderKL

    levels = len(shape.channels)
    return AutoencoderKL(
        block_out_channels=shape.channels,
        down_block_types=("DownEncoderBlock2D",) * levels,
        up_block_types=("UpDecoderBlock2D",) * levels,
        layers_per_block=1,
        latent_channels=shape.latent,
        norm_num_groups=shape.groups,
        sample_size=IMAGE,
        scaling_factor=1.0,
        # Half precision cannot overflow in a model this small.
        force_upcast=False,
    )


def as_input(images: torch.Tensor) -> torch.Tensor:
    """uint8 images (n, h, w, 3) as floats -1 ... 1 (n, 3, h, w)."""
    return images.permute(0, 3, 1, 2).float() / 127.5 - 1.0


def _bands(difference: torch.Tensor) -> torch.Tensor:
    """Sum over three scales of the absolute Laplacian band of a difference of images."""
    total = difference.new_zeros(())
    for _ in range(3):
        small = F.avg_pool2d(difference, 2)
        total = total + (difference - F.interpolate(small, scale_factor=2.0)).abs().mean()
        difference = small
    return total


def face_weight(side: int, device: torch.device | None = None) -> torch.Tensor:
    """Weight (side, side) of each place of an image or a latent, 1 on average."""
    weight = torch.ones(side, side, device=device)
    (top, bottom), (left, right) = (
        [round(edge * side / 8) for edge in edges] for edges in (FACE_ROWS, FACE_COLUMNS)
    )
    weight[top:bottom, left:right] = FACE_WEIGHT
    return weight / weight.mean()


def image_loss(
    wanted: torch.Tensor, got: torch.Tensor, *, places: torch.Tensor | float = 1.0
) -> torch.Tensor:
    """Absolute error, weighted by contrast, + Laplacian bands; `places` weighs each pixel."""
    bright = (wanted + 1) / 2
    around = F.avg_pool2d(bright, 5, stride=1, padding=2, count_include_pad=False)
    contrast = (bright - around).abs() / (around + DARK)
    weight = 1 + DETAIL_WEIGHT * contrast.mean(1, keepdim=True).clamp(max=1)
    difference = places * (got.float() - wanted)
    return (weight * difference.abs()).mean() + EDGE_WEIGHT * _bands(difference)


def train_autoencoder(
    images: np.ndarray,
    *,
    shape: AutoencoderShape,
    fit: Fit,
    budget: Budget,
    machine: Machine,
    start: AutoencoderKL | None = None,
) -> AutoencoderKL:
    """Train on the images and return the averaged, normalised model in fp32 on the device.

    With `start`, training goes on from that model.
    """
    model = start or new_autoencoder(shape)
    model = model.to(machine.device, machine.dtype).to(memory_format=torch.channels_last)
    data = machine.put(images)
    learner = Learner([{"params": model.parameters(), "lr": fit.rate, "weight_decay": fit.decay}],
                      machine, memory=0.998)  # fmt: skip
    forward = machine.compiled(lambda x, eps, level: _forward(model, x, eps, level))
    side = IMAGE >> (len(shape.channels) - 1)
    latent = (fit.batch, shape.latent, side, side)

    def step() -> torch.Tensor:
        batch = as_input(data[machine.draw(len(data), fit.batch)]).to(machine.dtype)
        noise = torch.randn(latent, device=machine.device, dtype=machine.dtype)
        # Little noise is the rule, since much of it blurs.
        level = NOISE * torch.rand((fit.batch, 1, 1, 1), device=machine.device).square()
        return forward(batch, noise, level.to(machine.dtype))

    if machine.compile:
        step()  # compiled before the clock starts
    while not budget.over():
        loss = step()
        learner.descend(loss, factor=budget.rate())
        machine.log("autoencoder", budget, loss)
    found: AutoencoderKL = learner.averaged(model)
    _normalise(found, data, machine)
    return found


def _forward(
    model: AutoencoderKL, batch: torch.Tensor, noise: torch.Tensor, level: torch.Tensor
) -> torch.Tensor:
    mean = model.encode(batch).latent_dist.mean
    spread = mean.detach().float().std((0, 2, 3), keepdim=True).to(mean.dtype)
    got = model.decode(mean + level * spread * noise).sample
    loss = image_loss(batch.float(), got, places=face_weight(IMAGE, batch.device))
    return loss + SIZE_WEIGHT * mean.float().square().mean()


def latents(
    model: AutoencoderKL, data: torch.Tensor, machine: Machine, *, batch: int = 1024
) -> torch.Tensor:
    """Posterior means of all images, in half precision on the device."""
    half = torch.float16 if machine.fast else torch.float32
    kept = next(model.parameters()).dtype
    with torch.no_grad():
        means = [
            model.encode(as_input(data[start : start + batch]).to(kept)).latent_dist.mean.to(half)
            for start in range(0, len(data), batch)
        ]
    return torch.cat(means)


def _normalise(model: AutoencoderKL, data: torch.Tensor, machine: Machine) -> None:
    """Shift and scale each latent channel to mean 0, variance 1, inside the weights."""
    mean = latents(model, data[: min(len(data), 20_000)], machine).float()
    shift = mean.mean((0, 2, 3))
    scale = mean.std((0, 2, 3)).clamp_min(1e-4)
    inward, outward = model.quant_conv, model.post_quant_conv
    channels = len(shift)
    with torch.no_grad():
        inward.weight[:channels] /= scale.view(-1, 1, 1, 1)
        inward.bias[:channels] = (inward.bias[:channels] - shift) / scale
        inward.weight[channels:] = 0.0
        inward.bias[channels:] = 2 * math.log(DEVIATION)
        outward.bias += outward.weight[:, :, 0, 0] @ shift
        outward.weight *= scale.view(1, -1, 1, 1)


def save_autoencoder(model: AutoencoderKL, folder: Path) -> None:
    """Write the model in fp16."""
    halved(model).save_pretrained(folder / "vae", safe_serialization=True)
    forget_origin(folder / "vae")
