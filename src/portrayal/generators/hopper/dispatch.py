"""Whether a kernel of ours runs: where there is a GPU, and enough to do."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import torch

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
"""Whether Triton runs kernels by itself, on any device; tests do so."""

_is_any_size = False


def runs_kernels(x: Any) -> bool:
    """Whether kernels can run where a tensor is."""
    return bool(x.is_cuda) or INTERPRETED


def pays(size: int, fewest: int) -> bool:
    """Whether there is enough to do for a kernel that pays from so much on."""
    return _is_any_size or size >= fewest


@contextlib.contextmanager
def kernels_for_any_size() -> Iterator[None]:
    """Use kernels also where they do not pay, to see that they work."""
    global _is_any_size
    before, _is_any_size = _is_any_size, True
    try:
        yield
    finally:
        _is_any_size = before


def on_device_of(x: Any) -> contextlib.AbstractContextManager[Any]:
    """Launch kernels on the GPU that a tensor is on."""
    return torch.cuda.device(x.device) if x.is_cuda else contextlib.nullcontext()
