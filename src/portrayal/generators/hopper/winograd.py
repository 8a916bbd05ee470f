"""3 x 3 convolutions of many channels by Winograd's method, with 4/9 of the multiplications.

Every 2 x 2 pixels of the answer are a tile. What its 4 x 4 inputs contribute is spread over 16
sums and differences; each of the 16 is one matrix product over channels, with weights spread
likewise; four sums over the products give the tile (Lavin and Gray, "Fast algorithms for
convolutional neural networks", 2016, F(2 x 2, 3 x 3)). Spread inputs, spread weights and products
are rounded: in bfloat16 an answer is off by 0.5% of its size, where the plain convolution makes
0.17% (0.06 and 0.02% in float16). While it works it needs four times the memory of its inputs and
of its answer.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as functional
import triton
import triton.language as tl

from portrayal.generators.hopper.dispatch import on_device_of, pays, runs_kernels

_ROWS, _COLUMNS, _WARPS = 8, 128, 4
_FEWEST_TILES = 1024
_FEWEST_CHANNELS = 600


@triton.jit
def _spread_column(X, at, row, inside, has_top, has_bottom):
    """Load four pixels, one below the other, and transform them."""
    first = tl.load(X + at, mask=inside & has_top, other=0.0).to(tl.float32)
    second = tl.load(X + at + row, mask=inside, other=0.0).to(tl.float32)
    third = tl.load(X + at + 2 * row, mask=inside, other=0.0).to(tl.float32)
    fourth = tl.load(X + at + 3 * row, mask=inside & has_bottom, other=0.0).to(tl.float32)
    return first - third, second + third, third - second, second - fourth


@triton.jit
def _spread_row(OUT, at, step, FIRST: tl.constexpr, first, second, third, fourth, inside):
    """Transform four columns and store them as four of the sixteen."""
    kind = OUT.dtype.element_ty
    tl.store(OUT + at + FIRST * step, (first - third).to(kind), mask=inside)
    tl.store(OUT + at + (FIRST + 1) * step, (second + third).to(kind), mask=inside)
    tl.store(OUT + at + (FIRST + 2) * step, (third - second).to(kind), mask=inside)
    tl.store(OUT + at + (FIRST + 3) * step, (second - fourth).to(kind), mask=inside)


@triton.jit
def _spread(
    X, OUT, height, width, channels, tiles, step, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    tile = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (tile < tiles)[:, None] & (column < channels)
    across = width // 2
    each = height // 2 * across
    top = tile % each // across * 2 - 1
    side = tile % across * 2 - 1
    # The first pixel of a patch may lie outside of its image; then it is not loaded.
    pixel = (tile // each).to(tl.int64) * height * width + top * width + side
    at = pixel[:, None] * channels + column
    row = width * channels
    has_top = (top >= 0)[:, None]
    has_bottom = (top + 3 < height)[:, None]
    has_left = inside & (side >= 0)[:, None]
    has_right = inside & (side + 3 < width)[:, None]
    a0, b0, c0, d0 = _spread_column(X, at, row, has_left, has_top, has_bottom)
    a1, b1, c1, d1 = _spread_column(X, at + channels, row, inside, has_top, has_bottom)
    a2, b2, c2, d2 = _spread_column(X, at + 2 * channels, row, inside, has_top, has_bottom)
    a3, b3, c3, d3 = _spread_column(X, at + 3 * channels, row, has_right, has_top, has_bottom)
    to = tile[:, None].to(tl.int64) * channels + column
    long = step.to(tl.int64)
    _spread_row(OUT, to, long, 0, a0, a1, a2, a3, inside)
    _spread_row(OUT, to, long, 4, b0, b1, b2, b3, inside)
    _spread_row(OUT, to, long, 8, c0, c1, c2, c3, inside)
    _spread_row(OUT, to, long, 12, d0, d1, d2, d3, inside)


@triton.jit
def _gather_row(PRODUCTS, at, step, FIRST: tl.constexpr, inside):
    """Load four of the sixteen products and return what they give to the left and the right."""
    first = tl.load(PRODUCTS + at + FIRST * step, mask=inside, other=0.0).to(tl.float32)
    second = tl.load(PRODUCTS + at + (FIRST + 1) * step, mask=inside, other=0.0).to(tl.float32)
    third = tl.load(PRODUCTS + at + (FIRST + 2) * step, mask=inside, other=0.0).to(tl.float32)
    fourth = tl.load(PRODUCTS + at + (FIRST + 3) * step, mask=inside, other=0.0).to(tl.float32)
    return first + second + third, second - third - fourth


@triton.jit
def _finish(OUT, RESIDUAL, at, value, inside, HAS_RESIDUAL: tl.constexpr):
    if HAS_RESIDUAL:
        value += tl.load(RESIDUAL + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(OUT + at, value.to(OUT.dtype.element_ty), mask=inside)


@triton.jit
def _gather(
    PRODUCTS, BIAS, RESIDUAL, OUT, height, width, channels, tiles, step,
    HAS_BIAS: tl.constexpr, HAS_RESIDUAL: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (tile < tiles)[:, None] & (column < channels)
    of = tile[:, None].to(tl.int64) * channels + column
    long = step.to(tl.int64)
    left_a, right_a = _gather_row(PRODUCTS, of, long, 0, inside)
    left_b, right_b = _gather_row(PRODUCTS, of, long, 4, inside)
    left_c, right_c = _gather_row(PRODUCTS, of, long, 8, inside)
    left_d, right_d = _gather_row(PRODUCTS, of, long, 12, inside)
    bias = 0.0
    if HAS_BIAS:
        bias = tl.load(BIAS + column, mask=column < channels, other=0.0).to(tl.float32)
    across = width // 2
    each = height // 2 * across
    pixel = (tile // each).to(tl.int64) * height * width
    pixel += tile % each // across * 2 * width + tile % across * 2
    at = pixel[:, None] * channels + column
    below = at + width * channels
    top_left, top_right = left_a + left_b + left_c + bias, right_a + right_b + right_c + bias
    low_left, low_right = left_b - left_c - left_d + bias, right_b - right_c - right_d + bias
    _finish(OUT, RESIDUAL, at, top_left, inside, HAS_RESIDUAL)
    _finish(OUT, RESIDUAL, at + channels, top_right, inside, HAS_RESIDUAL)
    _finish(OUT, RESIDUAL, below, low_left, inside, HAS_RESIDUAL)
    _finish(OUT, RESIDUAL, below + channels, low_right, inside, HAS_RESIDUAL)


def gains(inputs: int, outputs: int) -> bool:
    """Whether so many channels save more time in arithmetic than they cost in moving memory.

    Arithmetic grows with the product of inputs and outputs, memory with their sum; so their
    harmonic mean decides.
    """
    return 2 * inputs * outputs >= _FEWEST_CHANNELS * (inputs + outputs)


def spread_weight(weight: Any) -> Any:
    """Return the weights of the sixteen matrix products, 16 by outputs by inputs.

    Args:
        weight: Outputs by inputs by 3 by 3.
    """
    rows = torch.tensor(
        [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]], device=weight.device
    )
    spread = torch.einsum("ai,bj,ocij->aboc", rows, rows, weight.float())
    return spread.flatten(0, 1).to(weight.dtype).contiguous()


def convolve_tiles(x: Any, weight: Any, bias: Any = None, residual: Any = None) -> Any:
    """Run the kernels.

    Args:
        x: Images by channels by height by width, both even, channels last in memory.
        weight: What `spread_weight` returned.
        bias: One summand a channel, or None.
        residual: What is added to the answer, of its shape, channels last in memory, or None.
    """
    images, channels, height, width = x.shape
    tiles = images * height * width // 4
    outputs = weight.shape[1]
    spread = torch.empty((16, tiles, channels), device=x.device, dtype=x.dtype)
    _spread[(triton.cdiv(tiles, _ROWS), triton.cdiv(channels, _COLUMNS))](
        x, spread, height, width, channels, tiles, tiles * channels, ROWS=_ROWS, COLUMNS=_COLUMNS,
        num_warps=_WARPS, enable_fp_fusion=True,
    )  # fmt: skip
    products = torch.bmm(spread, weight.transpose(1, 2))
    out = _empty(x, outputs)
    _gather[(triton.cdiv(tiles, _ROWS), triton.cdiv(outputs, _COLUMNS))](
        products, products if bias is None else bias, products if residual is None else residual,
        out, height, width, outputs, tiles, tiles * outputs, HAS_BIAS=bias is not None,
        HAS_RESIDUAL=residual is not None, ROWS=_ROWS, COLUMNS=_COLUMNS, num_warps=_WARPS,
        enable_fp_fusion=True,
    )  # fmt: skip
    return out


def _empty(x: Any, channels: int) -> Any:
    """Return memory for images of the same size with so many channels, channels last."""
    images, _, height, width = x.shape
    return torch.empty(
        (images, channels, height, width),
        device=x.device, dtype=x.dtype, memory_format=torch.channels_last,
    )  # fmt: skip


@torch.library.custom_op("portrayal::convolve", mutates_args=())
def _convolve(
    x: torch.Tensor,
    plain: torch.Tensor,
    spread: torch.Tensor,
    bias: torch.Tensor | None,
    residual: torch.Tensor | None,
) -> torch.Tensor:
    x = x.contiguous(memory_format=torch.channels_last)
    images, _, height, width = x.shape
    is_even = height % 2 == width % 2 == 0
    if runs_kernels(x) and is_even and pays(images * height * width // 4, _FEWEST_TILES):
        if residual is not None:
            residual = residual.contiguous(memory_format=torch.channels_last)
        with on_device_of(x):
            return convolve_tiles(x, spread, bias, residual)
    out = functional.conv2d(x, plain, bias, padding=1)
    out = out if residual is None else out + residual
    return out.contiguous(memory_format=torch.channels_last)


@_convolve.register_fake
def _(x, plain, spread, bias, residual):
    return _empty(x, spread.shape[1])


def convolve(x: Any, plain: Any, spread: Any, *, bias: Any = None, residual: Any = None) -> Any:
    """Convolve with a 3 x 3 kernel, padded by zeros, on any device and for any size.

    Args:
        x: Images by channels by height by width.
        plain: The weight of the convolution, for sizes where Winograd's method does not pay.
        spread: What `spread_weight` makes of it.
        bias: One summand a channel.
        residual: What is added to the answer.
    """
    return _convolve(x, plain, spread, bias, residual)
