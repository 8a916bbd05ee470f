"""The latent UNet, and the pipeline folder around it.

v-prediction under the cosine schedule, whose last step is all noise: brightness is then free,
which matters when images run from gloomy to bright. A tenth of the captions is left empty for
classifier-free guidance. The text tower starts as CLIP's and is trained along at a lower rate: a
contrastive tower keeps what tells captions apart, and colours and counts get lost; the copy in
`clip/` stays as it was. Its window is short, since captions are: padding is work in every step.

Length decides how good the images are, so nothing waits: latents and tokens lie on the device, the
step is compiled, and it is compiled before there are latents (`Denoising.warm_up`), while the
autoencoder still trains.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from portrayal_practice.training.autoencoder import face_weight, latents
from portrayal_practice.training.clip import tokenise
from portrayal_practice.training.device import Learner, Machine
from portrayal_practice.training.recipe import IMAGE, WINDOW, Recipe, UNetShape
from portrayal_practice.training.schedule import Budget
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
SAVE_SECONDS = 120.0
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


def new_text(recipe: Recipe, tokenizer: CLIPTokenizer) -> CLIPTextModel:
    """An untrained text tower with the pipeline's window."""
    from transformers import CLIPTextConfig, CLIPTextModel

    return CLIPTextModel(
        CLIPTextConfig(
            vocab_size=len(tokenizer),
            hidden_size=recipe.text.width,
            intermediate_size=4 * recipe.text.width,
            num_hidden_layers=recipe.prompt_layers,
            num_attention_heads=recipe.text.heads,
            max_position_embeddings=WINDOW,
            projection_dim=recipe.projection,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def take_tower(text: CLIPTextModel, clip: dict[str, torch.Tensor]) -> None:
    """Start a text tower as CLIP's: its first layers, and as many places as the window has."""
    own = text.state_dict()
    found = {}
    for name, value in own.items():
        source = clip[name if name in clip else f"text_model.{name.removeprefix('text_model.')}"]
        found[name] = source[: len(value)] if "position" in name else source
    text.load_state_dict(found)


def scheduler() -> DPMSolverMultistepScheduler:
    """The sampler that ships with the pipeline: SDE-DPM-Solver++ 2M, v-prediction, cosine."""
    from diffusers import DPMSolverMultistepScheduler

    return DPMSolverMultistepScheduler(
        num_train_timesteps=TIMESTEPS,
        beta_schedule="squaredcos_cap_v2",
        prediction_type="v_prediction",
        algorithm_type="sde-dpmsolver++",
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


def load_parts(out: Path) -> Parts:
    """The parts of the pipeline in `out`, in fp32."""
    from diffusers import AutoencoderKL, UNet2DConditionModel
    from transformers import CLIPTextModel, CLIPTokenizer

    pipeline = out / "pipeline"
    single = {"dtype": torch.float32}
    return Parts(
        AutoencoderKL.from_pretrained(pipeline / "vae", dtype=torch.float32),
        CLIPTextModel.from_pretrained(pipeline / "text_encoder", **single),
        CLIPTokenizer.from_pretrained(pipeline / "tokenizer"),
        UNet2DConditionModel.from_pretrained(pipeline / "unet", dtype=torch.float32),
    )


def prompt_tokenizer(out: Path) -> CLIPTokenizer:
    """CLIP's tokenizer with the pipeline's window."""
    from transformers import CLIPTokenizer

    tokenizer = CLIPTokenizer.from_pretrained(out / "clip")
    tokenizer.model_max_length = WINDOW
    return tokenizer


class Denoising:
    """UNet and text tower in training; weights of a former run in `out` are gone on from."""

    def __init__(self, out: Path, recipe: Recipe, machine: Machine) -> None:
        self.out, self.recipe, self.machine = out, recipe, machine
        self.tokenizer = prompt_tokenizer(out)
        levels = len(recipe.autoencoder.channels) - 1
        self.latent = (recipe.autoencoder.latent, IMAGE >> levels, IMAGE >> levels)
        unet = new_unet(
            recipe.unet, latent=self.latent[0], side=self.latent[1], text=recipe.text.width
        )
        self.unet = unet.to(machine.device, machine.dtype).to(memory_format=torch.channels_last)
        self.text = new_text(recipe, self.tokenizer).to(machine.device, machine.dtype)
        fit = recipe.fit_unet
        decay = {"weight_decay": fit.decay}
        self.learner = Learner(
            [
                {"params": list(self.unet.parameters()), "lr": fit.rate, **decay},
                {"params": list(self.text.parameters()), "lr": fit.rate * TEXT_RATE, **decay},
            ],
            machine,
            memory=0.9995,
        )
        alphas = scheduler().alphas_cumprod.to(machine.device)
        self.clean = self.texts = self.said = self.empty = torch.empty(0)
        self._forward = machine.compiled(
            lambda *given: denoising_loss(self.unet, self.text, alphas, *given)
        )

    def warm_up(self) -> None:
        """Compile the step on made-up data; nothing is learnt from it."""
        count, device = self.recipe.fit_unet.batch, self.machine.device
        clean = torch.randn(count, *self.latent, device=device, dtype=self.machine.dtype)
        tokens = torch.zeros(count, WINDOW, dtype=torch.long, device=device)
        for _ in range(2):
            self._forward(clean, torch.randn_like(clean), tokens, self._times()).backward()
        for parameter in self.learner.live:
            parameter.grad = None
        print("denoiser: compiled", flush=True)

    def load(self) -> None:
        """Take the weights of a former run, or CLIP's text tower, there by now.

        AdamW's moments need not come along: they remember 10 and 50 steps, the warm-up is 100.
        """
        from safetensors.torch import load_file

        pipeline = self.out / "pipeline"
        name = "diffusion_pytorch_model"
        if (pipeline / "unet" / "config.json").is_file():
            held: dict[str, torch.Tensor] = {}
            for path in sorted((pipeline / "unet").glob(f"{name}*.safetensors")):
                held |= load_file(path)
            self.unet.load_state_dict({key: value.float() for key, value in held.items()})
        tower = pipeline / "text_encoder" / "model.safetensors"
        source = tower if tower.is_file() else self.out / "clip" / "model.safetensors"
        take_tower(self.text, load_file(source))
        self.learner.restart()

    def read(self, corpus: TrainingImages, vae: AutoencoderKL) -> None:
        """Put latents and tokens of the corpus on the device."""
        machine = self.machine
        seeing = copy.deepcopy(vae).to(machine.device, machine.dtype)
        self.clean = latents(seeing, machine.put(corpus.images), machine).to(machine.dtype)
        self.texts = machine.put(tokenise(self.tokenizer, corpus.captions))
        self.said = machine.put(corpus.said)
        self.empty = machine.put(tokenise(self.tokenizer, [""]))

    def train(self, vae: AutoencoderKL, budget: Budget) -> None:
        """Train on the corpus that was read, saving now and then and at the end."""
        machine, fit, said = self.machine, self.recipe.fit_unet, self.said
        saved = budget.seconds()
        while not budget.over():
            rows = machine.draw(len(self.clean), fit.batch)
            caption = said[rows, torch.randint(said.shape[1], rows.shape, device=machine.device)]
            blank = torch.rand(fit.batch, 1, device=machine.device) < EMPTY_SHARE
            tokens = torch.where(blank, self.empty, self.texts[caption]).long()
            batch = self.clean[rows]
            loss = self._forward(batch, torch.randn_like(batch), tokens, self._times())
            self.learner.descend(loss, factor=budget.rate())
            machine.log("denoiser", budget, loss)
            if budget.seconds() - saved > SAVE_SECONDS:
                saved = budget.seconds()
                self.save(vae)
        self.save(vae)

    def save(self, vae: AutoencoderKL) -> None:
        """Write the pipeline with the averages."""
        text, unet = self.learner.averaged(self.text), self.learner.averaged(self.unet)
        save_pipeline(Parts(vae, text, self.tokenizer, unet), self.out / "pipeline")

    def _times(self) -> torch.Tensor:
        """Time steps of one batch, spread evenly: less noise in the loss than free draws."""
        count, device = self.recipe.fit_unet.batch, self.machine.device
        start = torch.rand((), device=device)
        places = (torch.arange(count, device=device) / count + start) % 1.0
        return (places * TIMESTEPS).long().clamp(max=TIMESTEPS - 1)


def denoising_loss(
    unet: UNet2DConditionModel,
    text: CLIPTextModel,
    alphas: torch.Tensor,
    clean: torch.Tensor,
    noise: torch.Tensor,
    tokens: torch.Tensor,
    steps: torch.Tensor,
) -> torch.Tensor:
    """Squared error of the predicted v, for latents with noise at the given time steps.

    Errors where most faces are count more, alike for every image: what is learnt in the end is the
    same without that weight, which says where a small network should be right first.
    """
    signal = alphas[steps].sqrt().view(-1, 1, 1, 1)
    spoil = (1 - alphas[steps]).sqrt().view(-1, 1, 1, 1)
    noisy = (signal * clean + spoil * noise).to(clean.dtype)
    wanted = signal * noise - spoil * clean
    states = text(input_ids=tokens).last_hidden_state
    error = (unet(noisy, steps, states).sample.float() - wanted).square()
    return (face_weight(clean.shape[-1], clean.device) * error).mean()


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
