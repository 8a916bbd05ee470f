"""Doubling an image and convolving it, as one transposed convolution.

After doubling, a kernel of 3 x 3 sees every pixel of the small image several times. Adding the
weights that meet the same pixel gives a transposed convolution of 4 x 4 with stride 2: 4/9 of the
arithmetic, and the doubled image is never written.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as functional


def doubling_weight(weight: Any) -> Any:
    """Return the transposed convolution's weight for that of a 3 x 3 convolution after doubling.

    Args:
        weight: Outputs by inputs by 3 by 3.
    """
    outputs, inputs = weight.shape[:2]
    sums = torch.zeros((outputs, inputs, 4, 4), device=weight.device, dtype=torch.float32)
    flipped = weight.float().flip(2, 3)
    for down in range(2):
        for across in range(2):
            sums[:, :, down : down + 3, across : across + 3] += flipped
    rounded = sums.transpose(0, 1).to(weight.dtype)
    return rounded.contiguous(memory_format=torch.channels_last)


def double_and_convolve(x: Any, weight: Any, bias: Any) -> Any:
    """Double height and width by repetition and convolve, given `doubling_weight`."""
    return functional.conv_transpose2d(x, weight, bias, stride=2, padding=1)
