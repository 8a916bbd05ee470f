"""Painted images that pass through the denoiser: what they show is known, how they look is not.

An image's latent gets noise, and the denoiser takes it out again, guided by the image's own
caption. With little noise everything stays where it was and only the denoiser's handwriting is
added. The encoder and the judge learn to read such images.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from portrayal_practice.training.autoencoder import latents
from portrayal_practice.training.clip import tokenise
from portrayal_practice.training.denoiser import TIMESTEPS, Parts, scheduler
from portrayal_practice.training.device import Machine
from portrayal_practice.weights import DEFAULT_STEPS

DEPTHS = (0.15, 0.55)
"""How far toward all noise an image is taken, as a part of the schedule; drawn for each batch."""
STRIDE = 1 / DEFAULT_STEPS
"""One denoising step, as a part of the schedule: that of the pipeline at its default."""


class Retoucher:
    """A trained pipeline that denoises latents from any depth on."""

    def __init__(self, parts: Parts, machine: Machine) -> None:
        self.parts, self.machine = parts, machine
        for part in (parts.vae, parts.text, parts.unet):
            part.to(machine.device, machine.dtype).eval()
        self._alphas = scheduler().alphas_cumprod.to(machine.device)
        self._empty = machine.put(tokenise(parts.tokenizer, [""])).long()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def resume(
        self, clean: torch.Tensor, tokens: torch.Tensor, *, depth: float, guidance: float
    ) -> torch.Tensor:
        """Take latents to a depth of noise and back, with DDIM's steps."""
        count = max(1, round(depth / STRIDE))
        times = [round(depth * (count - i) / count * (TIMESTEPS - 1)) for i in range(count)]
        states = self.parts.text(input_ids=tokens).last_hidden_state
        if guidance != 1.0:
            none = self.parts.text(input_ids=self._empty).last_hidden_state
            states = torch.cat([none.expand_as(states), states])
        signal, spoil = self._share(times[0])
        x = signal * clean + spoil * torch.randn_like(clean)
        for time, after in zip(times, [*times[1:], -1], strict=True):
            signal, spoil = self._share(time)
            given = x if guidance == 1.0 else torch.cat([x, x])
            v = self.parts.unet(given.to(self.machine.dtype), time, states).sample
            if guidance != 1.0:
                without, with_text = v.chunk(2)
                v = without + guidance * (with_text - without)
            image, noise = signal * x - spoil * v, spoil * x + signal * v
            signal, spoil = self._share(after)
            x = signal * image + spoil * noise
        return x

    def _share(self, time: int) -> tuple[float, float]:
        """Shares of signal and noise at a time step; before the first there is no noise."""
        if time < 0:
            return 1.0, 0.0
        alpha = float(self._alphas[time])
        return math.sqrt(alpha), math.sqrt(1 - alpha)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def images(
        self, images: np.ndarray, texts: list[str], *, guidance: float, batch: int = 1024
    ) -> np.ndarray:
        """The images after passing through, each guided by its text."""
        rng = np.random.default_rng(len(images))
        found = []
        for start in range(0, len(images), batch):
            rows = slice(start, start + batch)
            clean = latents(self.parts.vae, self.machine.put(images[rows]), self.machine)
            tokens = self.machine.put(tokenise(self.parts.tokenizer, texts[rows])).long()
            depth = float(rng.uniform(*DEPTHS))
            passed = self.resume(
                clean.to(self.machine.dtype), tokens, depth=depth, guidance=guidance
            )
            shown = self.parts.vae.decode(passed.to(self.machine.dtype)).sample.float()
            pixels = ((shown + 1) * 127.5).round().clamp(0, 255).to(torch.uint8)
            found.append(pixels.permute(0, 2, 3, 1).cpu().numpy())
        return np.concatenate(found)
