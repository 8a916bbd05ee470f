"""Self-attention for heads whose width is no power of two, as Stable Diffusion 1's are (40, 80).

Other kernels lose much on such heads. Here keys and values are fetched by the tensor memory engine
straight into shared memory; a head of 40 is computed as one of 64, whose rest meets zeros, and one
of 80 as 64 + 16. Scores are shifted by the largest one among the first keys rather than by a
running maximum. That is exact as long as no later score exceeds it by 120; beyond that the answer
is not a number, which the generator records as a failed image. It needs the range of exponents
that float32 and bfloat16 have; float16 is left to other kernels.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as functional
import triton
import triton.language as tl

from portrayal.generators.hopper.dispatch import on_device_of, runs_kernels
from portrayal.generators.hopper.scratch import allow_descriptors

_LOG2_E = 1.4426950408889634
_QUERIES, _KEYS, _WARPS, _STAGES = 128, 64, 4, 3
_FEWEST_TOKENS = 1024


@triton.jit
def _attend(
    Q, K, V, OUT, tokens, heads, images, scale,
    D: tl.constexpr, LEFT: tl.constexpr, RIGHT: tl.constexpr,
    QUERIES: tl.constexpr, KEYS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    # The shift lies this far above the largest score of the first keys: half of float's range is
    # left for larger ones, and what is lost below is less than 2 ** -60 of the sum.
    MARGIN: tl.constexpr = 60.0
    width = heads * D
    image = tl.program_id(1) // heads
    column = tl.program_id(1) % heads * D
    rows = image * tokens + tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    at = rows[:, None].to(tl.int64) * width + column
    left = tl.arange(0, LEFT)
    in_left = (left < D)[None, :]
    all_tokens = images * tokens
    keys = tl.make_tensor_descriptor(K, [all_tokens, width], [width, 1], [KEYS, LEFT])
    values = tl.make_tensor_descriptor(V, [all_tokens, width], [width, 1], [KEYS, LEFT])
    # What lies beyond a head in keys meets these zeros; in values, it is never stored.
    q_left = tl.load(Q + at + left[None, :], mask=in_left, other=0.0)
    first = image * tokens
    scores = tl.dot(q_left, keys.load([first, column]).T)
    out_left = tl.zeros((QUERIES, LEFT), tl.float32)
    if RIGHT > 0:
        right = LEFT + tl.arange(0, RIGHT)
        in_right = (right < D)[None, :]
        keys_right = tl.make_tensor_descriptor(K, [all_tokens, width], [width, 1], [KEYS, RIGHT])
        values_right = tl.make_tensor_descriptor(V, [all_tokens, width], [width, 1], [KEYS, RIGHT])
        q_right = tl.load(Q + at + right[None, :], mask=in_right, other=0.0)
        scores = tl.dot(q_right, keys_right.load([first, column + LEFT]).T, scores)
        out_right = tl.zeros((QUERIES, RIGHT), tl.float32)
    shift = tl.max(scores, 1) * scale + MARGIN
    total = tl.zeros((QUERIES,), tl.float32)
    for key in tl.range(first, first + tokens, KEYS, num_stages=STAGES):
        scores = tl.dot(q_left, keys.load([key, column]).T)
        if RIGHT > 0:
            scores = tl.dot(q_right, keys_right.load([key, column + LEFT]).T, scores)
        weights = tl.math.exp2(scores * scale - shift[:, None])
        total += tl.sum(weights, 1)
        rounded = weights.to(Q.dtype.element_ty)
        out_left = tl.dot(rounded, values.load([key, column]), out_left)
        if RIGHT > 0:
            out_right = tl.dot(rounded, values_right.load([key, column + LEFT]), out_right)
    total += total * 0.0  # a sum that ran over would make zeros, which nobody would notice
    kind = OUT.dtype.element_ty
    tl.store(OUT + at + left[None, :], (out_left / total[:, None]).to(kind), mask=in_left)
    if RIGHT > 0:
        tl.store(OUT + at + right[None, :], (out_right / total[:, None]).to(kind), mask=in_right)


def gains(width: int, tokens: int, dtype: Any) -> bool:
    """Whether heads of this width gain from our kernel, and it takes so many tokens."""
    is_slow_elsewhere = width % 8 == 0 and (32 < width < 64 or 64 < width <= 80)
    is_long = tokens >= _FEWEST_TOKENS and tokens % _QUERIES == 0
    return is_slow_elsewhere and is_long and dtype != torch.float16


def attend(q: Any, k: Any, v: Any, heads: int) -> Any:
    """Run the kernel.

    Args:
        q: Queries, images by tokens by heads times width, contiguous.
        k: Keys, of the same make.
        v: Values, of the same make.
        heads: How many heads.
    """
    allow_descriptors()
    images, tokens, width = q.shape
    each = width // heads
    left = min(64, triton.next_power_of_2(each))
    right = 0 if each <= left else max(16, triton.next_power_of_2(each - left))
    out = torch.empty_like(q)
    _attend[(tokens // _QUERIES, images * heads)](
        q, k, v, out, tokens, heads, images, each**-0.5 * _LOG2_E, D=each, LEFT=left,
        RIGHT=right, QUERIES=_QUERIES, KEYS=_KEYS, STAGES=_STAGES, num_warps=_WARPS,
        num_stages=_STAGES, enable_fp_fusion=True,
    )  # fmt: skip
    return out


@torch.library.custom_op("portrayal::attend", mutates_args=())
def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, heads: int) -> torch.Tensor:
    if runs_kernels(q):
        with on_device_of(q):
            return attend(q.contiguous(), k.contiguous(), v.contiguous(), heads)
    q, k, v = (t.unflatten(2, (heads, -1)).transpose(1, 2) for t in (q, k, v))
    return functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)


@_attention.register_fake
def _(q, k, v, heads):
    return q.new_empty(q.shape)


class SelfAttention:
    """Self-attention through our kernel where it gains; a processor of diffusers.

    Args:
        usual: The processor that does the rest.
    """

    def __init__(self, usual: Any) -> None:
        self.usual = usual

    def __call__(self, attn: Any, hidden_states: Any, *others: Any, **named: Any) -> Any:
        _, tokens, width = hidden_states.shape
        if not gains(width // attn.heads, tokens, hidden_states.dtype):
            return self.usual(attn, hidden_states, *others, **named)
        q, k, v = (part(hidden_states) for part in (attn.to_q, attn.to_k, attn.to_v))
        return attn.to_out[0](_attention(q, k, v, attn.heads))
