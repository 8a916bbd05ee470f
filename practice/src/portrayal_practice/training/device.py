"""What the training loops share: where tensors live, precision, compilation, one step, the log.

Everything works on a CPU in fp32, which is how the smoke setting runs; a GPU gets bf16 autocast,
fused AdamW and, when it pays and works, torch.compile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from portrayal_practice.training.schedule import Budget

LOG_SECONDS = 20.0


@dataclass
class Machine:
    """One device and how it is used."""

    device: torch.device
    compile: bool = False
    _logged: float = field(default_factory=time.monotonic)

    @property
    def fast(self) -> bool:
        """Whether this is a GPU."""
        return bool(self.device.type == "cuda")

    def put(self, array: np.ndarray) -> torch.Tensor:
        """The array on the device; images stay uint8 and fit a datacentre GPU whole."""
        return torch.from_numpy(np.array(array)).to(self.device)

    def autocast(self) -> Any:
        """A context: bf16 on a GPU, nothing on a CPU."""
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.fast)

    def adamw(self, groups: list[dict[str, Any]], decay: float) -> torch.optim.AdamW:
        """AdamW whose groups remember their own peak rate as `peak`."""
        for group in groups:
            group["params"] = list(group["params"])
            group["peak"] = group["lr"]
        return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=decay, fused=self.fast)

    def descend(
        self,
        loss: torch.Tensor,
        parameters: Iterable[torch.nn.Parameter],
        optimizer: torch.optim.Optimizer,
        *,
        factor: float,
    ) -> None:
        """One step down, with the gradient's norm cut at 1."""
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * factor
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()

    def compiled(self, function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        """The function compiled where asked for; the plain one if compiling it fails."""
        if not (self.compile and self.fast):
            return function
        return _Guarded(function)

    def log(self, name: str, budget: Budget, loss: torch.Tensor) -> None:
        """Count the step, and print a line now and then."""
        budget.done += 1
        if budget.done == 1 or time.monotonic() - self._logged > LOG_SECONDS or budget.over():
            self._logged = time.monotonic()
            print(
                f"{name}: step {budget.done}, {budget.seconds():.0f} s, "
                f"{100 * budget.used():.0f} %, loss {loss.item():.4f}",
                flush=True,
            )


class _Guarded:
    """A compiled function that falls back to the plain one when its first calls fail."""

    def __init__(self, function: Callable[..., torch.Tensor]) -> None:
        self.plain = function
        self.call: Callable[..., torch.Tensor] = torch.compile(function)
        self.trusted = False

    def __call__(self, *arguments: Any) -> torch.Tensor:
        if self.trusted:
            return self.call(*arguments)
        try:
            result = self.call(*arguments)
            # The backward pass is compiled on first use: try it here, where it can be caught.
            if result.requires_grad:
                result.float().mean().backward(retain_graph=False)
                result = self.call(*arguments)
        except Exception as error:  # compilers fail in many ways, and none may stop the training
            print(f"torch.compile failed, going on without: {type(error).__name__}", flush=True)
            self.call = self.plain
            result = self.plain(*arguments)
        self.trusted = True
        return result


def pick(name: str, *, compile: bool, seed: int) -> Machine:
    """The device called `auto`, `cpu` or `cuda`, with torch seeded and tuned for it."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    quiet()
    if name == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
    return Machine(torch.device(name), compile=compile)


def quiet() -> None:
    """Keep the libraries' progress bars and load reports out of the training's log."""
    from diffusers.utils import logging as diffusers_logging
    from transformers.utils import logging as transformers_logging

    for logging in (diffusers_logging, transformers_logging):
        logging.set_verbosity_error()
        logging.disable_progress_bar()
