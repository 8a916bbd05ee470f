"""The latent UNet, and the pipeline folder around it.

v-prediction under the cosine schedule, whose last step is all noise: brightness is then free,
which matters when images run from gloomy to bright. A tenth of the captions is left empty for
classifier-free guidance. The text tower starts as CLIP's and is trained along at a lower rate: a
contrastive tower keeps what tells captions apart, and colours and counts get lost; the copy in
`clip/` stays as it was.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F  # noqa: N812

from portrayal_practice.training.autoencoder import latents
from portrayal_practice.training.clip import tokenise
from portrayal_practice.training.device import Machine
from portrayal_practice.training.recipe import IMAGE, Recipe, UNetShape
from portrayal_practice.training.schedule import Budget, WeightAverage
from portrayal_practice.training.storage import declare_single, forget_origin, halved
from portrayal_practice.weights import DEFAULT_GUIDANCE, DEFAULT_STEPS

if TYPE_CHECKING:
    from pathlib import Path

    from diffusers import AutoencoderKL, DPMSolverMultistepScheduler, UNet2DConditionModel
    from transformers import CLIPTextModel, CLIPTokenizer

    from portrayal_practice.training.images import TrainingImages

EMPTY_SHARE = 0.1
TEXT_RATE = 0.25
"""Learning rate of the text tower, as a part of the UNet's."""
SHARD = "15MB"
SAVE_SECONDS = 150.0
TIMESTEPS = 1000


def new_unet(shape: UNetShape, *, latent: int, side: int, text: int) -> UNet2DConditionModel:
    """An untrained UNet."""
    from diffusers import UNet2DConditionModel

    down = ["CrossAttnDownBlock2D" if a else "DownBlock2D" for a in shape.attention]
    up = ["CrossAttnUpBlock2D" if a else "UpBlock2D" for a in reversed(shape.attention)]
    return UNet2DConditionModel(
        sample_size=side,
        in_channels=latent,
        out_channels=latent,
        block_out_channels=shape.channels,
        layers_per_block=1,
        down_block_types=tuple(down),
        up_block_types=tuple(up),
        cross_attention_dim=text,
        attention_head_dim=shape.heads,
    )


def scheduler() -> DPMSolverMultistepScheduler:
    """The sampler that ships with the pipeline: DPM-Solver++ 2M, v-prediction, cosine."""
    from diffusers import DPMSolverMultistepScheduler

    return DPMSolverMultistepScheduler(
        num_train_timesteps=TIMESTEPS,
        beta_schedule="squaredcos_cap_v2",
        prediction_type="v_prediction",
        algorithm_type="dpmsolver++",
        solver_order=2,
        timestep_spacing="trailing",
        steps_offset=1,
    )


@dataclass
class Parts:
    """What the denoiser is trained with and saved with."""

    vae: AutoencoderKL
    text: CLIPTextModel
    tokenizer: CLIPTokenizer
    unet: UNet2DConditionModel


def load_parts(out: Path, recipe: Recipe) -> Parts:
    """The trained encoders of `out`, and its UNet and text tower if a former run left them."""
    from diffusers import AutoencoderKL, UNet2DConditionModel
    from transformers import CLIPTextModel, CLIPTokenizer

    pipeline = out / "pipeline"
    vae = AutoencoderKL.from_pretrained(pipeline / "vae", dtype=torch.float32)
    tokenizer = CLIPTokenizer.from_pretrained(out / "clip")
    if (pipeline / "unet" / "config.json").is_file():
        unet = UNet2DConditionModel.from_pretrained(pipeline / "unet", dtype=torch.float32)
        text = CLIPTextModel.from_pretrained(pipeline / "text_encoder", dtype=torch.float32)
    else:
        levels = len(recipe.autoencoder.channels) - 1
        unet = new_unet(
            recipe.unet,
            latent=recipe.autoencoder.latent,
            side=IMAGE >> levels,
            text=recipe.text.width,
        )
        text = CLIPTextModel.from_pretrained(out / "clip", dtype=torch.float32)
    return Parts(vae, text, tokenizer, unet)


def train_denoiser(
    corpus: TrainingImages,
    parts: Parts,
    out: Path,
    *,
    recipe: Recipe,
    budget: Budget,
    machine: Machine,
) -> None:
    """Train UNet and text tower on the corpus, saving now and then and at the end."""
    vae = parts.vae.to(machine.device)
    mean, deviation = latents(vae, machine.put(corpus.images), machine)
    texts = machine.put(tokenise(parts.tokenizer, corpus.captions))
    said = machine.put(corpus.said)
    empty = machine.put(tokenise(parts.tokenizer, [""]))
    unet = parts.unet.to(machine.device, memory_format=torch.channels_last).train()
    text = parts.text.to(machine.device).train()
    fit = recipe.fit_unet
    optimizer = machine.adamw(
        [
            {"params": unet.parameters(), "lr": fit.rate},
            {"params": text.parameters(), "lr": fit.rate * TEXT_RATE},
        ],
        fit.decay,
    )
    learned = [*unet.parameters(), *text.parameters()]
    average = WeightAverage(learned, decay=0.9995)
    alphas = scheduler().alphas_cumprod.to(machine.device)
    forward = machine.compiled(lambda *given: _forward(unet, text, alphas, *given))
    saved = budget.seconds()
    while not budget.over():
        rows = torch.randint(len(mean), (fit.batch,), device=machine.device)
        clean = mean[rows].float() + deviation[rows].float() * _noise_like(mean[rows])
        caption = said[rows, torch.randint(said.shape[1], rows.shape, device=machine.device)]
        tokens = texts[caption]
        blank = torch.rand(fit.batch, 1, device=machine.device) < EMPTY_SHARE
        tokens = torch.where(blank, empty, tokens).long()
        steps = _spread_steps(fit.batch, machine)
        with machine.autocast():
            loss = forward(clean, _noise_like(clean), tokens, steps)
        machine.descend(loss, learned, optimizer, factor=budget.rate())
        average.update()
        machine.log("denoiser", budget, loss)
        if budget.seconds() - saved > SAVE_SECONDS:
            saved = budget.seconds()
            average.swap()
            save_pipeline(parts, out / "pipeline")
            average.swap()
    average.swap()
    save_pipeline(parts, out / "pipeline")


def _noise_like(values: torch.Tensor) -> torch.Tensor:
    return torch.randn(values.shape, device=values.device)


def _spread_steps(count: int, machine: Machine) -> torch.Tensor:
    """Time steps of one batch, spread evenly: less noise in the loss than free draws."""
    start = torch.rand((), device=machine.device)
    places = (torch.arange(count, device=machine.device) / count + start) % 1.0
    return (places * TIMESTEPS).long().clamp(max=TIMESTEPS - 1)


def _forward(
    unet: UNet2DConditionModel,
    text: CLIPTextModel,
    alphas: torch.Tensor,
    clean: torch.Tensor,
    noise: torch.Tensor,
    tokens: torch.Tensor,
    steps: torch.Tensor,
) -> torch.Tensor:
    signal = alphas[steps].sqrt().view(-1, 1, 1, 1)
    spoil = (1 - alphas[steps]).sqrt().view(-1, 1, 1, 1)
    noisy = signal * clean + spoil * noise
    wanted = signal * noise - spoil * clean
    states = text(input_ids=tokens).last_hidden_state
    return F.mse_loss(unet(noisy, steps, states).sample.float(), wanted)


def save_pipeline(parts: Parts, folder: Path) -> None:
    """Write the whole StableDiffusionPipeline folder in fp16; the live weights stay as they are."""
    from diffusers import StableDiffusionPipeline

    halves: dict[str, Any] = {
        "vae": halved(parts.vae),
        "text_encoder": halved(parts.text),
        "unet": halved(parts.unet),
    }
    pipeline = StableDiffusionPipeline(
        **halves,
        tokenizer=parts.tokenizer,
        scheduler=scheduler(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipeline.save_pretrained(folder, safe_serialization=True, max_shard_size=SHARD)
    settings = {"steps": DEFAULT_STEPS, "guidance": DEFAULT_GUIDANCE}
    settings |= {"width": IMAGE, "height": IMAGE}
    (folder / "portrayal.json").write_text(json.dumps(settings) + "\n", encoding="utf-8")
    declare_single(folder / "text_encoder")
    for part in ("unet", "vae"):
        forget_origin(folder / part)
