"""The autoencoder: images of 64x64x3 to latents of 16x16x8 and back.

Loss: absolute error, plus absolute error of the Laplacian bands at three scales, which is what
keeps outlines of faces and tools sharp, plus a small KL term that makes the latents smooth enough
for a denoiser to hit. Errors count more where the image has contrast, since eyes are a few pixels
and backgrounds many; contrast is relative to the brightness around, as eyes see it, or the features
of dark faces would count for little.

After training each latent channel is shifted and scaled to mean 0 and variance 1; the shift is
folded into the 1x1 convolutions on both sides of the latent, since StableDiffusionPipeline knows a
scaling factor only, and no shift.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F  # noqa: N812 (the name everybody uses)

from portrayal_practice.training.device import Machine
from portrayal_practice.training.recipe import IMAGE, AutoencoderShape, Fit
from portrayal_practice.training.schedule import Budget, WeightAverage
from portrayal_practice.training.storage import halved

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from diffusers import AutoencoderKL

KL_WEIGHT = 3e-4
EDGE_WEIGHT = 1.0
DETAIL_WEIGHT = 4.0
"""How much more an error counts at a pixel that stands out fully from its surroundings."""
DARK = 0.1
"""Brightness (0 to 1) under which contrast is no longer relative; keeps noise in black from it."""


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


def loss_of(wanted: torch.Tensor, got: torch.Tensor, posterior: Any) -> torch.Tensor:
    """Error of the image + KL; the posterior's moments are taken in fp32."""
    mean, logvar = posterior.mean.float(), posterior.logvar.float()
    kl = 0.5 * (mean.square() + logvar.exp() - 1.0 - logvar).mean()
    return image_loss(wanted, got) + KL_WEIGHT * kl


def image_loss(wanted: torch.Tensor, got: torch.Tensor) -> torch.Tensor:
    """Absolute error, weighted by contrast, + Laplacian bands."""
    bright = (wanted + 1) / 2
    around = F.avg_pool2d(bright, 5, stride=1, padding=2, count_include_pad=False)
    contrast = (bright - around).abs() / (around + DARK)
    weight = 1 + DETAIL_WEIGHT * contrast.mean(1, keepdim=True).clamp(max=1)
    difference = got.float() - wanted
    return (weight * difference.abs()).mean() + EDGE_WEIGHT * _bands(difference)


def train_autoencoder(
    images: np.ndarray, *, shape: AutoencoderShape, fit: Fit, budget: Budget, machine: Machine
) -> AutoencoderKL:
    """Train on the images and return the averaged, normalised model in fp32 on the device."""
    model = new_autoencoder(shape).to(machine.device, memory_format=torch.channels_last)
    data = machine.put(images)
    optimizer = machine.adamw([{"params": model.parameters(), "lr": fit.rate}], fit.decay)
    average = WeightAverage(model.parameters(), decay=0.998)
    side = IMAGE >> (len(shape.channels) - 1)
    latent = (shape.latent, side, side)
    forward = machine.compiled(lambda x, eps: _forward(model, x, eps))

    while not budget.over():
        rows = torch.randint(len(data), (fit.batch,), device=machine.device)
        batch = as_input(data[rows])
        noise = torch.randn((fit.batch, *latent), device=machine.device)
        with machine.autocast():
            loss = forward(batch, noise)
        machine.descend(loss, model.parameters(), optimizer, factor=budget.rate())
        average.update()
        machine.log("autoencoder", budget, loss)
    average.swap()
    _normalise(model, data, machine)
    return model


def _forward(model: AutoencoderKL, batch: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    posterior = model.encode(batch).latent_dist
    latent = posterior.mean + posterior.std * noise
    return loss_of(batch, model.decode(latent).sample, posterior)


def latents(
    model: AutoencoderKL, data: torch.Tensor, machine: Machine, *, batch: int = 1024
) -> tuple[torch.Tensor, torch.Tensor]:
    """Posterior means and deviations of all images, in half precision on the device."""
    means, deviations = [], []
    half = torch.float16 if machine.fast else torch.float32
    with torch.no_grad():
        for start in range(0, len(data), batch):
            posterior = model.encode(as_input(data[start : start + batch])).latent_dist
            means.append(posterior.mean.to(half))
            deviations.append(posterior.std.to(half))
    return torch.cat(means), torch.cat(deviations)


def _normalise(model: AutoencoderKL, data: torch.Tensor, machine: Machine) -> None:
    """Shift and scale each latent channel to mean 0, variance 1, inside the weights."""
    mean, deviation = latents(model, data[: min(len(data), 20_000)], machine)
    mean, deviation = mean.float(), deviation.float()
    shift = mean.mean((0, 2, 3))
    scale = (mean.var((0, 2, 3)) + deviation.square().mean((0, 2, 3))).sqrt().clamp_min(1e-4)
    inward, outward = model.quant_conv, model.post_quant_conv
    channels = len(shift)
    with torch.no_grad():
        inward.weight[:channels] /= scale.view(-1, 1, 1, 1)
        inward.bias[:channels] = (inward.bias[:channels] - shift) / scale
        inward.bias[channels:] -= 2 * scale.log()
        outward.bias += outward.weight[:, :, 0, 0] @ shift
        outward.weight *= scale.view(1, -1, 1, 1)


def save_autoencoder(model: AutoencoderKL, folder: Path) -> None:
    """Write the model in fp16."""
    halved(model).save_pretrained(folder / "vae", safe_serialization=True)
