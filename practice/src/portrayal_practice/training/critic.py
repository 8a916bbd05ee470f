"""The decoder learns on beside a critic; the encoder, and so the latents, stay as they are.

Where several images fit one latent, absolute error asks for their average: a smear where a mouth
is. A critic that tells painted from decoded images asks for one of them (Esser et al. 2021, "Taming
Transformers"; as there, the weight of its word follows how strongly the other errors pull, here at
the pixels).
Latents that the denoiser made are decoded too: nobody knows which image they stand for, only that
it should look painted, and like the former decoder's at a quarter of the size.

The critic judges patches of about 28 pixels, faces before the rest, and sees roots of brightness:
what a dark face shows is small in plain numbers.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 (the name everybody uses)
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

from portrayal_practice.training.autoencoder import (
    NOISE,
    as_input,
    face_weight,
    image_loss,
    latents,
)
from portrayal_practice.training.device import Learner, Machine
from portrayal_practice.training.recipe import IMAGE, Fit

if TYPE_CHECKING:
    import numpy as np
    from diffusers import AutoencoderKL

    from portrayal_practice.training.schedule import Budget

STRENGTH = 0.5
"""Of the critic's word, where 1 is as strong as the other errors."""
ALIKE = 2.0
"""Weight of the distance between painted and decoded images in the critic's own features."""
ANCHOR = 1.0
"""Weight of the distance to the former decoder's images, for latents that the denoiser made."""
SMALLER = 4
OFTEN = 8
"""Steps after which the weight of the critic's word is found again."""
ALONE = 0.04
"""Part of the run in which the critic learns alone."""
BETAS = (0.5, 0.95)


class Critic(nn.Module):  # type: ignore[misc]
    """Says of each patch whether it was painted (above 0) or decoded (below)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        sizes = ((3, width, 3, 1), (width, 2 * width, 4, 2), (2 * width, 3 * width, 4, 2),
                 (3 * width, 4 * width, 3, 1))  # fmt: skip
        self.layers = nn.ModuleList(
            spectral_norm(nn.Conv2d(before, after, kernel, stride, 1))
            for before, after, kernel, stride in sizes
        )
        self.last = spectral_norm(nn.Conv2d(4 * width, 1, 3, 1, 1))

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """The verdict on each patch (n, h, w), and the features of each layer."""
        seen = (((images.float() + 1) / 2).clamp(min=0) + 0.01).sqrt() * 2 - 1
        features = []
        for layer in self.layers:
            seen = F.leaky_relu(layer(seen), 0.2)
            features.append(seen)
        return self.last(seen)[:, 0], features


def train_decoder(
    images: np.ndarray,
    made: torch.Tensor,
    vae: AutoencoderKL,
    *,
    width: int,
    fit: Fit,
    budget: Budget,
    machine: Machine,
) -> AutoencoderKL:
    """Train the decoder on painted images and on latents that the denoiser made.

    Returns the whole autoencoder with the averaged decoder, in fp32.
    """
    training = _Sharpening(images, made, vae, width=width, fit=fit, machine=machine)
    while not budget.over():
        loss = training.step(budget)
        machine.log("decoder", budget, loss)
    return training.result()


class _Sharpening:
    def __init__(
        self,
        images: np.ndarray,
        made: torch.Tensor,
        vae: AutoencoderKL,
        *,
        width: int,
        fit: Fit,
        machine: Machine,
    ) -> None:
        self.machine, self.batch = machine, fit.batch
        self.whole = copy.deepcopy(vae).float()
        self.vae = vae.to(machine.device, machine.dtype).to(memory_format=torch.channels_last)
        self.images, self.made = machine.put(images), made.to(machine.device, machine.dtype)
        self.clean = latents(self.vae, self.images, machine).to(machine.dtype)
        self.former = copy.deepcopy(self.vae).requires_grad_(False)
        self.vae.requires_grad_(False)
        learning = [self.vae.decoder, self.vae.post_quant_conv]
        for part in learning:
            part.requires_grad_(True)
        critic = Critic(width).to(machine.device)
        self.critic = critic.to(memory_format=torch.channels_last)
        self.decode = machine.compiled(lambda given: self.vae.decode(given).sample)
        self.painter = Learner(
            [{"params": [p for part in learning for p in part.parameters()], "lr": fit.rate,
              "weight_decay": fit.decay}], machine, memory=0.998, betas=BETAS)  # fmt: skip
        self.judge = Learner(
            [{"params": critic.parameters(), "lr": 2 * fit.rate, "weight_decay": 0.0}],
            machine, betas=BETAS)  # fmt: skip
        self.faces = face_weight(IMAGE, machine.device)
        self.patches = face_weight(IMAGE // 4, machine.device)
        self.weight = torch.zeros((), device=machine.device)

    def step(self, budget: Budget) -> torch.Tensor:
        """One step of the critic, and one of the decoder."""
        machine, batch = self.machine, self.batch
        rows = machine.draw(len(self.clean), batch)
        painted = as_input(self.images[rows])
        level = NOISE * torch.rand((batch, 1, 1, 1), device=machine.device).square()
        clean = self.clean[rows]
        spoilt = clean + level.to(clean.dtype) * torch.randn_like(clean)
        made = self.made[machine.draw(len(self.made), batch)]
        shown = self.decode(torch.cat([spoilt, made]))
        doubt = self._teach(painted, shown.detach(), budget.rate())
        with torch.no_grad():
            former = self.former.decode(made).sample
        return self._follow(painted, shown, former, budget) + 0 * doubt

    def _teach(self, painted: torch.Tensor, shown: torch.Tensor, rate: float) -> torch.Tensor:
        self.critic.requires_grad_(True)
        verdict, _ = self.critic(torch.cat([painted, shown.float()]))
        right, wrong = verdict[: len(painted)], verdict[len(painted) :]
        loss = (self.patches * F.relu(1 - right)).mean() + (self.patches * F.relu(1 + wrong)).mean()
        self.judge.descend(loss, factor=rate)
        self.critic.requires_grad_(False)
        return loss.detach()

    def _follow(
        self, painted: torch.Tensor, shown: torch.Tensor, former: torch.Tensor, budget: Budget
    ) -> torch.Tensor:
        count = len(painted)
        verdict, features = self.critic(shown)
        with torch.no_grad():
            _, wanted = self.critic(painted)
        alike = sum(
            (got[:count] - want).abs().mean() for got, want in zip(features, wanted, strict=True)
        )
        error = image_loss(painted, shown[:count], places=self.faces)
        away = F.avg_pool2d(shown[count:].float() - former.float(), SMALLER).abs().mean()
        known = error + ALIKE * alike / len(features) + ANCHOR * away
        word = -(self.patches * verdict).mean()
        if budget.done % OFTEN == 0:
            self._weigh(known, word, shown)
        strength = STRENGTH * self.weight if budget.used() > ALONE else 0.0 * self.weight
        self.painter.descend(known + strength * word, factor=budget.rate())
        return error.detach()

    def _weigh(self, known: torch.Tensor, word: torch.Tensor, shown: torch.Tensor) -> None:
        """Find how strong the critic's word must be to pull at pixels like the other errors."""
        one, other = (
            torch.autograd.grad(loss, shown, retain_graph=True)[0].float().norm()
            for loss in (known, word)
        )
        self.weight = (one / (other + 1e-6)).clamp(max=1e3).detach()

    def result(self) -> AutoencoderKL:
        """The autoencoder with the averaged decoder."""
        found = self.painter.averaged(self.vae).cpu()
        # The encoder is taken from before: what computed here was rounded to half precision.
        for part in ("decoder", "post_quant_conv"):
            getattr(self.whole, part).load_state_dict(getattr(found, part).state_dict())
        return self.whole
