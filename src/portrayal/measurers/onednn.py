"""Encoders on a CPU, with linear layers through oneDNN and batches divided among threads.

torch multiplies float32 matrices through MKL, which on AMD's processors reaches half of what oneDNN
does; torch has both. oneDNN also applies an activation on the way. And a thread per processor, each
with images of its own, wastes less than all threads in every layer.
"""

from __future__ import annotations

import threading
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from portrayal.loading import import_extra

TOLERANCE = 1e-4
"""Largest distance of an embedding from the plain model's, relative to it; rounding makes 1e-6."""

IMAGES_AT_ONCE = 16
"""Images per thread and call; with more, layers do not stay in a processor's cache."""

Part = TypeVar("Part")
Row = TypeVar("Row")

_FUSED: Mapping[str, tuple[str, str, float]] = {
    "QuickGELUActivation": ("swish", "", 1.702),
    "GELUActivation": ("gelu", "none", 1.0),
    "GELUTanh": ("gelu", "tanh", 1.0),
    "PytorchGELUTanh": ("gelu", "tanh", 1.0),
}
"""Activations that oneDNN applies: its name, its kind, and by what the input is multiplied."""


def use_onednn(model: Any, run: Callable[[], Any]) -> bool:
    """Compute a model's linear layers through oneDNN, where that gives the same embeddings.

    Args:
        model: A model of transformers on a CPU, in float32; its weights may be rescaled.
        run: Returns an embedding of the model.

    Returns:
        Whether it is used from now on.
    """
    torch = import_extra("torch", extra="models")
    if not torch.backends.mkldnn.is_available():
        return False
    plain = run()
    state = {name: value.clone() for name, value in model.state_dict().items()}
    changed: list[Any] = []
    try:
        call = torch.ops.mkldnn._linear_pointwise
        for module in model.modules():
            if _is_plain(torch, module):
                _replace(module, _linear, call, changed)
        for module in model.modules():
            if (how := _FUSED.get(type(getattr(module, "activation_fn", None)).__name__)) and all(
                _is_plain(torch, getattr(module, name, None)) for name in ("fc1", "fc2")
            ):
                _fuse(torch, module, how, call, changed)
        distance = float((run() - plain).norm() / plain.norm().clamp_min(1e-9))
        if not distance <= TOLERANCE:
            raise ArithmeticError(f"embeddings are off by {distance:.2g}")
    except Exception as problem:  # a version of torch that has another oneDNN, or none
        for module in changed:
            del module.forward
        model.load_state_dict(state)
        warnings.warn(f"the encoder runs without oneDNN: {problem!r:.200}", stacklevel=2)
        return False
    return bool(changed)


def _is_plain(torch: Any, module: Any) -> bool:
    return type(module) is torch.nn.Linear and module.weight.dtype == torch.float32


def _replace(module: Any, forward: Callable[..., Any], call: Any, changed: list[Any]) -> None:
    module.forward = types.MethodType(lambda self, x: forward(self, x, call), module)
    changed.append(module)


def _linear(module: Any, x: Any, call: Any) -> Any:
    return call(x, module.weight, module.bias, "none", [], "")


def _fuse(
    torch: Any, module: Any, how: tuple[str, str, float], call: Any, changed: list[Any]
) -> None:
    name, kind, scale = how
    with torch.no_grad():  # x * sigmoid(s * x) is swish(s * x) / s: the weights take the s
        module.fc1.weight.mul_(scale)
        if module.fc1.bias is not None:
            module.fc1.bias.mul_(scale)
        module.fc2.weight.div_(scale)

    def forward(self: Any, x: Any, call: Any) -> Any:
        inner = call(x, self.fc1.weight, self.fc1.bias, name, [], kind)
        return call(inner, self.fc2.weight, self.fc2.bias, "none", [], "")

    _replace(module, forward, call, changed)


class OneThreadEach:
    """Runs a call on parts of a batch, a thread per part, each with one thread of torch's."""

    def __init__(self) -> None:
        self._torch = import_extra("torch", extra="models")
        self.threads = int(self._torch.get_num_threads())
        self._pool: ThreadPoolExecutor | None = None

    def map(self, call: Callable[[Sequence[Part]], Row], batch: Sequence[Part]) -> list[Row]:
        """Return what the call gives for each part of a batch, in order."""
        size = max(1, min(IMAGES_AT_ONCE, -(-len(batch) // self.threads)))
        parts = [batch[at : at + size] for at in range(0, len(batch), size)]
        if self.threads == 1 or len(parts) == 1:
            return [call(part) for part in parts]
        return list(self._started().map(call, parts))

    def _started(self) -> ThreadPoolExecutor:
        if self._pool is None:
            pool = ThreadPoolExecutor(self.threads, "portrayal-encode")
            together = threading.Barrier(self.threads)

            def begin(_: int) -> None:
                self._torch.set_num_threads(1)
                self._torch.get_num_threads()  # a thread's number is settled when it is first read
                together.wait()  # so that each thread gets here once

            list(pool.map(begin, range(self.threads)))
            self._torch.set_num_threads(self.threads)  # of the thread that asks
            self._pool = pool
        return self._pool
