"""Where a pipeline's networks lie: on the device, or, where memory is short, moved there in turns.

Moving is diffusers' own. By component, each network is on the GPU while it works, which costs a
second or so per batch. By layer, a network larger than the GPU runs too, at the speed at which its
weights are sent. Networks that move are neither compiled nor changed in any other way.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal

from portrayal.loading import import_extra

Placement = Literal["whole", "by component", "by layer"]

WEIGHTS_AT_MOST = 0.8
"""Part of the free memory that weights may take; the rest is for the images being made."""

_GB = 1e9


def choose_placement(sizes: Mapping[str, int], free: int) -> Placement:
    """Return how networks fit into memory.

    Args:
        sizes: Bytes of weights by component.
        free: Bytes that are free on the device.
    """
    room = WEIGHTS_AT_MOST * free
    if sum(sizes.values()) <= room:
        return "whole"
    return "by component" if max(sizes.values()) <= room else "by layer"


def placement_for(pipeline: Any, device: str) -> Placement:
    """Return how a pipeline, still on the CPU, fits on a device; say so where it does not."""
    if not device.startswith("cuda"):
        return "whole"
    torch = import_extra("torch", extra="models")
    sizes = weight_bytes(pipeline)
    free = int(torch.cuda.mem_get_info(device)[0])
    placement = choose_placement(sizes, free)
    if placement != "whole":
        needed, largest = sum(sizes.values()) / _GB, max(sizes.values()) / _GB
        warnings.warn(
            f"the weights take {needed:.1f} GB (largest network: {largest:.1f} GB) and {device} "
            f"has {free / _GB:.1f} GB free: diffusers moves them to the GPU {placement}, which is "
            "slower",
            stacklevel=2,
        )
    return placement


def weight_bytes(pipeline: Any) -> dict[str, int]:
    """Return the bytes of weights of each network of a pipeline."""
    torch = import_extra("torch", extra="models")
    return {
        name: sum(one.nbytes for one in [*network.parameters(), *network.buffers()])
        for name, network in pipeline.components.items()
        if isinstance(network, torch.nn.Module)
    }


def move_in_turns(pipeline: Any, placement: Placement, device: str) -> None:
    """Let diffusers move networks to a device while they work.

    Args:
        pipeline: On the CPU, ready but for that.
        placement: "by component" or "by layer".
        device: Where the networks work.
    """
    torch = import_extra("torch", extra="models")
    if placement == "by component":
        pipeline.enable_model_cpu_offload(device=device)
        return
    pipeline.enable_group_offload(
        onload_device=torch.device(device),
        offload_type="leaf_level",
        use_stream=torch.device(device).type == "cuda",
        exclude_modules=[name for name in ("vae",) if hasattr(pipeline, name)],
    )
