"""Group normalisation of channels-last tensors, with what comes before and after it.

Three kernels: sums of every channel, from them scale and shift of every channel, and one pass that
applies these with SiLU. What a convolution adds to whole channels (its bias, the time embedding)
needs no pass of its own: the sums are corrected for it.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as functional
import triton
import triton.language as tl

from portrayal.generators.hopper.dispatch import on_device_of, runs_kernels

_WIDEST = 128
_ELEMENTS = 2048
_PROGRAMS = 132 * 8
_WARPS = 4


@triton.jit
def _sum_channels(X, SUMS, pixels, channels, each, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    image = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    columns = tl.program_id(2) * COLUMNS + tl.arange(0, COLUMNS)
    rows = tl.arange(0, ROWS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    square = tl.zeros((ROWS, COLUMNS), tl.float32)
    at = X + (image * pixels + part * each + rows[:, None]) * channels + columns[None, :]
    for row in range(0, each, ROWS):
        values = tl.load(at + row * channels).to(tl.float32)
        total += values
        square += values * values
    where = SUMS + ((image * tl.num_programs(1) + part) * 2) * channels + columns
    tl.store(where, tl.sum(total, 0))
    tl.store(where + channels, tl.sum(square, 0))


@triton.jit
def _scale_and_shift(
    SUMS, ADDED, WEIGHT, BIAS, TABLE, pixels, channels, parts, width, eps,
    HAS_ADDED: tl.constexpr, PARTS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    image = tl.program_id(0)
    inside = tl.arange(0, WIDTH)
    is_channel = inside < width
    channel = tl.program_id(1) * width + inside
    part = tl.arange(0, PARTS)
    at = SUMS + (image * parts + part[:, None]) * 2 * channels + channel[None, :]
    both = (part < parts)[:, None] & is_channel[None, :]
    total = tl.sum(tl.load(at, mask=both, other=0.0), 0)
    square = tl.sum(tl.load(at + channels, mask=both, other=0.0), 0)
    if HAS_ADDED:
        added = tl.load(ADDED + image * channels + channel, mask=is_channel, other=0.0)
        added = added.to(tl.float32)
        square += 2.0 * added * total + pixels * added * added
        total += pixels * added
    count = pixels * width
    mean = tl.sum(total, 0) / count
    variance = tl.maximum(tl.sum(square, 0) / count - mean * mean, 0.0)
    scale = tl.load(WEIGHT + channel, mask=is_channel, other=0.0).to(tl.float32)
    scale *= tl.rsqrt(variance + eps)
    shift = tl.load(BIAS + channel, mask=is_channel, other=0.0).to(tl.float32) - mean * scale
    if HAS_ADDED:
        shift += added * scale
    tl.store(TABLE + image * 2 * channels + channel, scale, mask=is_channel)
    tl.store(TABLE + (image * 2 + 1) * channels + channel, shift, mask=is_channel)


@triton.jit
def _apply(
    X, TABLE, OUT, pixels, channels, each,
    SILU: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    image = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    columns = tl.program_id(2) * COLUMNS + tl.arange(0, COLUMNS)
    rows = tl.arange(0, ROWS)
    scale = tl.load(TABLE + image * 2 * channels + columns)[None, :]
    shift = tl.load(TABLE + (image * 2 + 1) * channels + columns)[None, :]
    at = (image * pixels + part * each + rows[:, None]) * channels + columns[None, :]
    for row in range(0, each, ROWS):
        values = tl.load(X + at + row * channels).to(tl.float32) * scale + shift
        if SILU:
            values = values * tl.sigmoid(values)
        tl.store(OUT + at + row * channels, values.to(OUT.dtype.element_ty))


def can_normalise(channels: int, pixels: int) -> bool:
    """Whether the kernels take a tensor of this size: blocks of a power of two must fill it."""
    return channels % 8 == 0 and pixels % 16 == 0


def normalise(
    x: Any, groups: int, weight: Any, bias: Any, eps: float, *, silu: bool, added: Any = None
) -> Any:
    """Run the kernels.

    Args:
        x: Images by channels by height by width, channels last in memory.
        groups: How many groups the channels make.
        weight: One factor a channel.
        bias: One summand a channel.
        eps: What keeps the variance from 0.
        silu: Whether SiLU follows.
        added: What is added to whole channels before, images by channels.
    """
    images, channels, height, width = x.shape
    pixels = height * width
    columns = min(_WIDEST, _power_of_two_in(channels))
    rows = min(max(1, _ELEMENTS // columns), _power_of_two_in(pixels))
    strips = images * (channels // columns)

    def parts_for(programs: int) -> int:
        wished = triton.next_power_of_2(max(1, -(-programs // strips)))
        return int(min(wished, _power_of_two_in(pixels // rows)))

    parts = parts_for(_PROGRAMS)
    sums = torch.empty((images, parts, 2, channels), device=x.device, dtype=torch.float32)
    table = torch.empty((images, 2, channels), device=x.device, dtype=torch.float32)
    out = torch.empty_like(x)
    _sum_channels[(images, parts, channels // columns)](
        x,
        sums,
        pixels,
        channels,
        pixels // parts,
        ROWS=rows,
        COLUMNS=columns,
        num_warps=_WARPS,
        enable_fp_fusion=True,
    )
    _scale_and_shift[(images, groups)](
        sums, x if added is None else added, weight, bias, table, pixels, channels, parts,
        channels // groups, eps, HAS_ADDED=added is not None,
        PARTS=triton.next_power_of_2(parts), WIDTH=triton.next_power_of_2(channels // groups),
        num_warps=1, enable_fp_fusion=True,
    )  # fmt: skip
    parts = parts_for(4 * _PROGRAMS)
    _apply[(images, parts, channels // columns)](
        x, table, out, pixels, channels, pixels // parts, SILU=silu, ROWS=rows, COLUMNS=columns,
        num_warps=_WARPS, enable_fp_fusion=True,
    )  # fmt: skip
    return out


def _power_of_two_in(number: int) -> int:
    """Return the largest power of two that divides a number."""
    return number & -number


@torch.library.custom_op("portrayal::group_norm", mutates_args=())
def _group_norm(
    x: torch.Tensor,
    groups: int,
    weight: torch.Tensor,
    bias: torch.Tensor,
    eps: float,
    silu: bool,
    added: torch.Tensor | None,
) -> torch.Tensor:
    x = x.contiguous(memory_format=torch.channels_last)
    if runs_kernels(x):
        with on_device_of(x):
            return normalise(x, groups, weight, bias, eps, silu=silu, added=added)
    full = x if added is None else x + added[:, :, None, None]
    out = functional.group_norm(full, groups, weight, bias, eps)
    out = functional.silu(out) if silu else out
    return out.clone(memory_format=torch.channels_last)


@_group_norm.register_fake
def _(x, groups, weight, bias, eps, silu, added):
    return torch.empty_like(x, memory_format=torch.channels_last)


def group_norm(x: Any, norm: Any, *, silu: bool, added: Any = None) -> Any:
    """Apply a GroupNorm module, with SiLU or without, on any device; see `normalise`."""
    return _group_norm(x, norm.num_groups, norm.weight, norm.bias, norm.eps, silu, added)
