"""Run our kernels in Triton's interpreter and print how far they are from torch, as JSON.

Started by `test_fast_kernels.py` with TRITON_INTERPRET=1, which must be set before triton is
imported.
"""

from __future__ import annotations

import json
import types
from typing import Any

import torch
import torch.nn.functional as functional

from portrayal.generators.hopper import winograd
from portrayal.generators.hopper.attention import attend
from portrayal.generators.hopper.dispatch import kernels_for_any_size
from portrayal.generators.hopper.gates import gate, interleave
from portrayal.generators.hopper.networks import FastNetworks, _distance, _one_step, speed_up
from portrayal.generators.hopper.norms import normalise
from portrayal.generators.hopper.winograd import convolve_tiles, spread_weight


def attention(width: int, *, scale: float = 1.0, apart: float = 0.0) -> float:
    """Return the largest error; `apart` lifts the scores of late keys above those of the first."""
    heads, tokens = 2, 256
    q, k, v = (torch.randn(2, tokens, heads * width) for _ in range(3))
    q, k = q * scale, k * scale
    if apart:
        q[..., ::width] = 1.0
        k[:, 128:, ::width] += apart * width**0.5
    split = [t.unflatten(2, (heads, width)).transpose(1, 2) for t in (q, k, v)]
    wanted = functional.scaled_dot_product_attention(*split).transpose(1, 2).flatten(2)
    found = attend(q, k, v, heads)
    return float((found - wanted).abs().max()) if found.isfinite().all() else float("nan")


def gated(rows: int, inner: int) -> float:
    x, weight, bias = (
        torch.randn(rows, inner),
        torch.randn(8 * inner, inner),
        torch.randn(8 * inner),
    )
    weight *= 2 * inner**-0.5
    values, gates = functional.linear(x, weight, bias).chunk(2, -1)
    found = gate(x, interleave(weight), interleave(bias), programs=3)
    return float((found - values * functional.gelu(gates)).abs().max())


def norm(
    channels: int, groups: int, size: tuple[int, int], *, silu: bool, added: bool, mean: float = 1.0
) -> float:
    x: Any = torch.randn(2, channels, *size) * 3 + mean
    x = x.contiguous(memory_format=torch.channels_last)
    weight, bias = torch.randn(channels), torch.randn(channels)
    more = torch.randn(2, channels) if added else None
    full = x if more is None else x + more[:, :, None, None]
    wanted = functional.group_norm(full, groups, weight, bias, 1e-5)
    wanted = functional.silu(wanted) if silu else wanted
    found = normalise(x, groups, weight, bias, 1e-5, silu=silu, added=more)
    assert found.is_contiguous(memory_format=torch.channels_last)
    return float((found - wanted).abs().max())


def convolution(
    inputs: int, outputs: int, size: tuple[int, int], *, bias: bool = False, residual: bool = False
) -> float:
    x: Any = torch.randn(3, inputs, *size)
    x = x.contiguous(memory_format=torch.channels_last)
    weight = torch.randn(outputs, inputs, 3, 3) * (9 * inputs) ** -0.5
    added = torch.randn(outputs) if bias else None
    wanted = functional.conv2d(x, weight, added, padding=1)
    more: Any = torch.randn_like(wanted) if residual else None
    found = convolve_tiles(x, spread_weight(weight), added, more)
    assert found.is_contiguous(memory_format=torch.channels_last)
    wanted = wanted if more is None else wanted + more
    return float((found - wanted).abs().max())


def dispatched(size: tuple[int, int], *, is_any_size: bool, is_last: bool = True) -> float:
    """Return the error of the operator, which chooses between the kernels and torch."""
    x: Any = torch.randn(2, 16, *size)
    residual: Any = torch.randn(2, 24, *size)
    if is_last:
        x, residual = (t.contiguous(memory_format=torch.channels_last) for t in (x, residual))
    weight, bias = torch.randn(24, 16, 3, 3) / 12, torch.randn(24)
    wanted = functional.conv2d(x, weight, bias, padding=1) + residual
    # Where the kernels run, these weights are used; else the plain ones, which are wrong here.
    spread, wrong = spread_weight(weight), torch.zeros_like(weight)
    uses_kernels = is_any_size and size[0] % 2 == size[1] % 2 == 0
    plain, spread = (wrong, spread) if uses_kernels else (weight, torch.zeros_like(spread))
    if is_any_size:
        with kernels_for_any_size():
            found = winograd.convolve(x, plain, spread, bias=bias, residual=residual)
    else:
        found = winograd.convolve(x, plain, spread, bias=bias, residual=residual)
    assert found.is_contiguous(memory_format=torch.channels_last)
    return float((found - wanted).abs().max())


def build_unet(*channels: int) -> Any:
    from diffusers import UNet2DConditionModel

    levels = len(channels)
    return UNet2DConditionModel(
        sample_size=8, block_out_channels=channels, layers_per_block=1, norm_num_groups=8,
        attention_head_dim=4, cross_attention_dim=32,
        down_block_types=("CrossAttnDownBlock2D",) * levels,
        up_block_types=("CrossAttnUpBlock2D",) * levels,
    ).eval()  # fmt: skip


@torch.no_grad()
def network(*channels: int, spoiled: str = "") -> float:
    """Return the distance of a whole network's answer; `spoiled` halves one kind of weights."""
    unet = build_unet(*channels)
    step = _one_step(unet)
    wanted = step()
    fast = FastNetworks(unet)
    fast.is_guided = True
    for module in unet.modules():
        if hasattr(module, spoiled or "nothing of this name"):
            getattr(module, spoiled).mul_(0.5)
    with kernels_for_any_size():
        return _distance(step(), wanted)


def accepted() -> float:
    """Return 1 where a network with all kernels passes the check of every part, else 0."""
    return float(speed_up(types.SimpleNamespace(unet=build_unet(64, 128))) is not None)


def main() -> None:
    torch.manual_seed(0)
    winograd._FEWEST_CHANNELS = 1
    print(
        json.dumps(
            {
                "heads of 40": attention(40),
                "heads of 80": attention(80),
                "heads of 48, steep": attention(48, scale=3.0),
                "late keys 100 higher": attention(40, apart=100.0),
                "late keys 100 lower": attention(40, apart=-100.0),
                "late keys too high": attention(40, apart=127.0),
                "a gate": gated(300, 64),
                "a gate of many tiles": gated(1200, 128),
                "norm": norm(320, 32, (8, 8), silu=False, added=False),
                "norm, SiLU": norm(64, 32, (16, 16), silu=True, added=False),
                "norm, SiLU, added": norm(96, 8, (4, 12), silu=True, added=True),
                "a convolution": convolution(16, 24, (8, 8)),
                "a convolution of one tile": convolution(8, 8, (2, 2)),
                "a convolution, not square": convolution(136, 8, (4, 10), bias=True),
                "a convolution and a residual": convolution(
                    40, 152, (6, 4), bias=True, residual=True
                ),
                "an even size, however small": dispatched((4, 6), is_any_size=True),
                "an odd size": dispatched((5, 4), is_any_size=True),
                "too few tiles": dispatched((4, 6), is_any_size=False),
                "channels first": dispatched((4, 6), is_any_size=True, is_last=False),
                "a whole network": network(64, 128),
                "a network with wrong convolutions": network(64, spoiled="spread"),
                "a network with wrong gates": network(64, spoiled="interleaved"),
                "the check accepts a network": accepted(),
                "norm far from 0": norm(64, 8, (16, 16), silu=False, added=False, mean=30.0),
            }
        )
    )


if __name__ == "__main__":
    main()
