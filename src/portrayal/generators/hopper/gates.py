"""A gated linear layer (GEGLU) in one kernel: values meet their gates before they leave the chip.

The two halves of the weights are interleaved, so that a value and its gate lie in one thread. The
erf of GELU is a tanh of an odd polynomial fitted to it. GELU is off by 3e-5 at most, besides the
2 ** -11 of the hardware's tanh; half precision keeps 2 ** -11 at most.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as functional
import triton
import triton.language as tl

from portrayal.generators.hopper.dispatch import INTERPRETED, on_device_of, pays, runs_kernels
from portrayal.generators.hopper.scratch import allow_descriptors

_ROWS, _COLUMNS, _INNER, _WARPS, _STAGES, _GROUP = 128, 256, 64, 8, 4, 8
_FEWEST_ROWS = 8192


@triton.jit
def _tanh(x, FAST: tl.constexpr):
    if FAST:
        return tl.inline_asm_elementwise(
            "tanh.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
        )
    grown = tl.exp(2.0 * x)
    return (grown - 1.0) / (grown + 1.0)


@triton.jit
def _gelu(x, FAST: tl.constexpr):
    square = tl.minimum(x * x, 36.0)
    inner = x * (0.797513423 + square * (0.0370015117 - square * 0.000350960749))
    return 0.5 * x * (1.0 + _tanh(inner, FAST))


@triton.jit
def _gated(
    X, WEIGHT, BIAS, OUT, rows, inner, outer,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, INNER: tl.constexpr,
    GROUP: tl.constexpr, PROGRAMS: tl.constexpr, FAST: tl.constexpr,
):  # fmt: skip
    inputs = tl.make_tensor_descriptor(X, [rows, inner], [inner, 1], [ROWS, INNER])
    weights = tl.make_tensor_descriptor(WEIGHT, [2 * outer, inner], [inner, 1], [COLUMNS, INNER])
    outputs = tl.make_tensor_descriptor(OUT, [rows, outer], [outer, 1], [ROWS, COLUMNS // 2])
    across = 2 * outer // COLUMNS
    down = tl.cdiv(rows, ROWS)
    for tile in tl.range(tl.program_id(0), across * down, PROGRAMS, flatten=True):
        # Tiles of a group of rows come one after another, so that their inputs stay in the cache.
        first = tile // (GROUP * across) * GROUP
        size = tl.minimum(down - first, GROUP)
        row = (first + tile % (GROUP * across) % size) * ROWS
        column = tile % (GROUP * across) // size * COLUMNS
        both = tl.zeros((ROWS, COLUMNS), tl.float32)
        for at in range(0, inner, INNER):
            both = tl.dot(inputs.load([row, at]), weights.load([column, at]).T, both)
        both += tl.load(BIAS + column + tl.arange(0, COLUMNS)).to(tl.float32)[None, :]
        values, gates = tl.split(tl.reshape(both, (ROWS, COLUMNS // 2, 2)))
        gated = values * _gelu(gates, FAST)
        outputs.store([row, column // 2], gated.to(OUT.dtype.element_ty))


def interleave(values_then_gates: Any) -> Any:
    """Return rows in the order value, gate, value, gate ..."""
    values, gates = values_then_gates.chunk(2)
    return torch.stack([values, gates], 1).flatten(0, 1).contiguous()


def can_gate(inner: int, outer: int) -> bool:
    """Whether the kernel takes a layer of this size."""
    return inner % _INNER == 0 and 2 * outer % _COLUMNS == 0


def gate(x: Any, weight: Any, bias: Any, *, programs: int) -> Any:
    """Run the kernel.

    Args:
        x: Rows by inner width, contiguous.
        weight: Interleaved weights, twice the outer width by the inner one.
        bias: Interleaved.
        programs: How many programs share the work: one for each multiprocessor.
    """
    allow_descriptors()
    rows, inner = x.shape
    outer = weight.shape[0] // 2
    out = torch.empty((rows, outer), device=x.device, dtype=x.dtype)
    _gated[(programs,)](
        x, weight, bias, out, rows, inner, outer, ROWS=_ROWS, COLUMNS=_COLUMNS, INNER=_INNER,
        GROUP=_GROUP, PROGRAMS=programs, FAST=not INTERPRETED, num_warps=_WARPS,
        num_stages=_STAGES, enable_fp_fusion=True,
    )  # fmt: skip
    return out


@torch.library.custom_op("portrayal::geglu", mutates_args=())
def _geglu(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    if runs_kernels(x) and pays(len(x), _FEWEST_ROWS):
        with on_device_of(x):
            return gate(x.contiguous(), weight, bias, programs=_multiprocessors(x))
    both = functional.linear(x, weight, bias)
    return both[:, 0::2] * functional.gelu(both[:, 1::2])


def _multiprocessors(x: Any) -> int:
    if not x.is_cuda:
        return 1
    return int(torch.cuda.get_device_properties(x.device).multi_processor_count)


@_geglu.register_fake
def _(x, weight, bias):
    return x.new_empty(x.shape[0], weight.shape[0] // 2)


def geglu(x: Any, weight: Any, bias: Any) -> Any:
    """Apply a GEGLU layer with interleaved weights to the last dimension, on any device."""
    return _geglu(x.flatten(0, -2), weight, bias).unflatten(0, x.shape[:-1])
