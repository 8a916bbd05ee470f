"""Denoising steps that do not wait for the GPU.

Pipelines keep their timesteps on the GPU, and schedulers look constants up by them: every step then
waits until the network is done, and the GPU waits for the next one to be sent. The timesteps are
known before the first step, so schedulers are given the same numbers from the CPU.
"""

from __future__ import annotations

import functools
from typing import Any


def know_timesteps(scheduler: Any) -> None:
    """Give a scheduler's `step` timesteps that lie on the CPU.

    Args:
        scheduler: A scheduler of diffusers; it makes the same steps as before.
    """
    plain_set, plain_step = scheduler.set_timesteps, scheduler.step
    known: list[Any] = []

    @functools.wraps(plain_set)
    def set_timesteps(*given: Any, **named: Any) -> Any:
        answer = plain_set(*given, **named)
        known[:] = reversed(scheduler.timesteps.cpu())
        return answer

    @functools.wraps(plain_step)
    def step(model_output: Any, timestep: Any, *given: Any, **named: Any) -> Any:
        if len(known) == len(scheduler.timesteps) and float(known[-1]) != float(timestep):
            known.clear()  # another order than the scheduler's own: leave it alone
        return plain_step(model_output, known.pop() if known else timestep, *given, **named)

    scheduler.set_timesteps, scheduler.step = set_timesteps, step
