"""An independent judge: a small convolutional classifier that checks the encoder.

It shares nothing with the encoder: another architecture, another loss (two plain classifiers),
and images of other seeds. Nothing in portrayal measures with it; it says how often the encoder is
right about generated images, and it counted the model's own group shares (`shares.json`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from portrayal_practice.training.clip import UNCERTAIN, augment, blinded, normalise
from portrayal_practice.training.device import Learner, Machine
from portrayal_practice.training.questions import LIGHT, even_weights

if TYPE_CHECKING:
    from pathlib import Path

    from portrayal_practice.training.recipe import Fit
    from portrayal_practice.training.schedule import Budget

JUDGE_SEED = 7_000_003
"""Added to the data seed for the judge's own images."""
HEADS = {"presentation": 3, "dark": 2}
BLIND_SHARE = 0.04


class JudgeNet(torch.nn.Module):  # type: ignore[misc]
    """Residual convolutions and, for each name in `heads`, a classifier of so many classes."""

    def __init__(self, channels: tuple[int, ...], heads: Mapping[str, int] = HEADS) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(3, channels[0], 3, padding=1)
        wide = [channels[0], *channels]
        self.down = torch.nn.ModuleList(
            torch.nn.Conv2d(wide[i], wide[i + 1], 3, stride=2, padding=1)
            for i in range(len(channels))
        )
        self.same = torch.nn.ModuleList(torch.nn.Conv2d(c, c, 3, padding=1) for c in channels)
        self.norms = torch.nn.ModuleList(torch.nn.GroupNorm(8, c) for c in channels)
        side = 64 >> len(channels)
        self.heads = torch.nn.ModuleDict(
            {n: torch.nn.Linear(channels[-1] * side * side, k) for n, k in heads.items()}
        )

    def forward(self, pixels: torch.Tensor) -> dict[str, torch.Tensor]:
        """Logits of each head for normalised images."""
        x = self.first(pixels)
        for down, same, norm in zip(self.down, self.same, self.norms, strict=True):
            x = F.silu(norm(down(x)))
            x = x + F.silu(same(x))
        flat = x.flatten(1)
        return {name: head(flat) for name, head in self.heads.items()}


def answers_of(labels: np.ndarray) -> dict[str, np.ndarray]:
    """What each head should say; -1 where nobody is shown, or people who differ."""
    shown = labels["people"] > 0
    return {
        "presentation": np.where(shown, labels["presentation"], -1).astype(np.int64),
        "dark": np.where(shown & (labels["skin"] > 0), labels["skin"] > LIGHT, -1).astype(np.int64),
    }


def train_judge(
    images: np.ndarray,
    labels: np.ndarray,
    *,
    channels: tuple[int, ...],
    fit: Fit,
    budget: Budget,
    machine: Machine,
) -> JudgeNet:
    """Train on images of people; returns the averaged judge in fp32."""
    net = JudgeNet(channels).to(machine.device, machine.dtype)
    rows_of = machine.put(np.flatnonzero(labels["people"] > 0))
    data = machine.put(images)
    right = {name: machine.put(values) for name, values in answers_of(labels).items()}
    weights = machine.put(even_weights(labels).astype(np.float32))
    learner = Learner(
        [{"params": net.parameters(), "lr": fit.rate, "weight_decay": fit.decay}], machine
    )
    blind = torch.arange(fit.batch, device=machine.device) < BLIND_SHARE * fit.batch
    few = int(blind.sum())
    changing = machine.compiled(augment)
    while not budget.over():
        rows = rows_of[machine.draw(len(rows_of), fit.batch)]
        pixels = changing(normalise(data[rows]))
        pixels = torch.cat([blinded(pixels[:few]), pixels[few:]]).to(machine.dtype)
        said = net(pixels)
        loss = data.new_zeros((), dtype=torch.float32)
        for name, values in right.items():
            unseen = UNCERTAIN if name == "presentation" else -1
            answer = torch.where(blind, unseen, values[rows])
            each = F.cross_entropy(said[name].float(), answer, ignore_index=-1, reduction="none")
            loss = loss + (weights[rows] * each).mean()
        learner.descend(loss, factor=budget.rate())
        machine.log("judge", budget, loss)
    found: JudgeNet = learner.averaged(net)
    return found


class Judge:
    """A trained judge, read from its folder."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        from safetensors.torch import load_file

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.net = JudgeNet(tuple(config["channels"]), config["heads"])
        held = load_file(folder / "model.safetensors")
        self.net.load_state_dict({name: value.float() for name, value in held.items()})
        self.net.to(device).eval()
        self.device = device

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def answers(self, images: np.ndarray, *, batch: int = 512) -> dict[str, np.ndarray]:
        """For each head the index of its answer for every uint8 image."""
        found: dict[str, list[np.ndarray]] = {name: [] for name in self.net.heads}
        for start in range(0, len(images), batch):
            part = torch.from_numpy(np.array(images[start : start + batch])).to(self.device)
            for name, logits in self.net(normalise(part)).items():
                found[name].append(logits.argmax(1).cpu().numpy())
        return {name: np.concatenate(parts) for name, parts in found.items()}


def save_judge(net: JudgeNet, channels: tuple[int, ...], folder: Path) -> None:
    """Write the judge in fp16."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    held: dict[str, Any] = {
        name: value.detach().half().contiguous().cpu() for name, value in net.state_dict().items()
    }
    save_file(held, folder / "model.safetensors")
    config = {"channels": list(channels), "heads": HEADS}
    (folder / "config.json").write_text(json.dumps(config) + "\n", encoding="utf-8")
