"""What the training loops share: where tensors live, precision, compilation, one step, the log.

Everything works on a CPU in fp32, which is how the smoke setting runs. On a GPU networks compute
in bf16 throughout (half the traffic of autocast, which keeps norms and their inputs in fp32), while
AdamW moves an fp32 copy of the weights, and a moving average of that copy is what is kept.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from portrayal_practice.training.schedule import WeightAverage

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

    @property
    def dtype(self) -> torch.dtype:
        """What networks compute in."""
        return torch.bfloat16 if self.fast else torch.float32

    def put(self, array: np.ndarray) -> torch.Tensor:
        """The array on the device; images stay uint8 and fit a datacentre GPU whole."""
        return torch.from_numpy(np.array(array)).to(self.device)

    def draw(self, count: int, batch: int) -> torch.Tensor:
        """Row numbers of one batch."""
        return torch.randint(count, (batch,), device=self.device)

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


class Learner:
    """Weights that learn: the live ones compute, exact copies are moved, their average is kept.

    Args:
        groups: Groups of parameters for AdamW, each with its peak rate as `lr`.
        machine: On a GPU the live parameters are bf16; elsewhere live and exact are the same.
        memory: Decay of the moving average.
        betas: How long AdamW remembers.
    """

    def __init__(
        self,
        groups: Sequence[dict[str, Any]],
        machine: Machine,
        *,
        memory: float = 0.999,
        betas: tuple[float, float] = (0.9, 0.98),
    ) -> None:
        self.live: list[torch.nn.Parameter] = []
        moved = []
        for group in groups:
            live = [p for p in group["params"] if p.requires_grad]
            exact = [torch.nn.Parameter(p.detach().float().clone()) for p in live]
            self.live += live
            moved.append({**group, "params": exact if machine.fast else live, "peak": group["lr"]})
        self.exact: list[torch.nn.Parameter] = [p for group in moved for p in group["params"]]
        self.same = not machine.fast
        self.optimizer = torch.optim.AdamW(moved, betas=betas, fused=machine.fast)
        self.average = WeightAverage(self.exact, decay=memory)

    def descend(self, loss: torch.Tensor, *, factor: float) -> None:
        """One step down, with the gradient's norm cut at 1."""
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * factor
        for parameter in self.live:
            parameter.grad = None
        loss.backward()
        if not self.same:
            self._take_gradients()
        torch.nn.utils.clip_grad_norm_(self.exact, 1.0)
        self.optimizer.step()
        if not self.same:
            with torch.no_grad():
                torch._foreach_copy_(self.live, self.exact)
        self.average.update()

    def _take_gradients(self) -> None:
        """Copy the live gradients to the exact parameters, all in one launch."""
        used = [
            (exact, live.grad)
            for exact, live in zip(self.exact, self.live, strict=True)
            if live.grad is not None
        ]
        for exact, _ in used:
            if exact.grad is None:
                exact.grad = torch.empty_like(exact)
        torch._foreach_copy_([exact.grad for exact, _ in used], [grad for _, grad in used])

    def restart(self) -> None:
        """Take exact copies and average again from the live weights, which were just loaded."""
        with torch.no_grad():
            for exact, live, kept in zip(self.exact, self.live, self.average.kept, strict=True):
                exact.copy_(live)
                kept.copy_(live)

    def averaged(self, model: Any) -> Any:
        """A copy of a model in fp32 with the averages of its parameters; the model stays live."""
        kept = {id(p): value for p, value in zip(self.live, self.average.kept, strict=True)}
        found = copy.deepcopy(model).float().eval()
        with torch.no_grad():
            for source, target in zip(model.parameters(), found.parameters(), strict=True):
                if id(source) in kept:
                    target.copy_(kept[id(source)])
        return found


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
            print(f"torch.compile failed, going on without: {error!r:.300}", flush=True)
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
