"""How weights are stored: half precision in the file, single precision when loaded plainly."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from pathlib import Path


def halved(model: Any) -> Any:
    """A copy in fp16 on the CPU; the model itself stays as it is."""
    plain = copy.deepcopy(model).to("cpu", memory_format=torch.contiguous_format)
    return plain.half().eval()


def declare_single(folder: Path) -> None:
    """Make transformers load the folder in fp32 unless told otherwise.

    transformers takes the precision of a folder from its config, diffusers takes fp32: without
    this, a pipeline loaded without a dtype would mix the two and fail at its first step.
    """
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["dtype"] = "float32"
    for tower in ("text_config", "vision_config"):
        if tower in config:
            config[tower]["dtype"] = "float32"
    path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def forget_origin(folder: Path) -> None:
    """Take out of a folder's config where its weights were loaded from: a place on one machine."""
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config.pop("_name_or_path", None)
    path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
