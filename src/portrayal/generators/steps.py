"""Denoising steps that do not wait for the GPU.

Pipelines keep their timesteps on the GPU, and most schedulers look constants up by them: every step
then waits until the network is done, and the GPU waits for the next one to be sent. The timesteps
are known before the first step, so schedulers are given the same numbers from the CPU.
"""

from __future__ import annotations

import functools
import types
from typing import Any


def know_timesteps(scheduler: Any) -> None:
    """Give a scheduler's `step` timesteps that lie on the CPU.

    A timestep is recognised by its place in the scheduler's own list, whose numbers are copied when
    the list is made; whatever else `step` is called with stays as it is.

    Args:
        scheduler: A scheduler of diffusers; it makes the same steps as before.
    """
    plain_set, plain_step = type(scheduler).set_timesteps, type(scheduler).step

    @functools.wraps(plain_set)
    def set_timesteps(self: Any, *given: Any, **named: Any) -> Any:
        answer = plain_set(self, *given, **named)
        self.timesteps_known = (self.timesteps, self.timesteps.to("cpu", copy=True))
        return answer

    @functools.wraps(plain_step)
    def step(self: Any, *given: Any, **named: Any) -> Any:
        known = getattr(self, "timesteps_known", None)
        if known is not None:
            given = tuple(_from_the_cpu(value, *known) for value in given)
            named = {name: _from_the_cpu(value, *known) for name, value in named.items()}
        return plain_step(self, *given, **named)

    scheduler.set_timesteps = types.MethodType(set_timesteps, scheduler)
    scheduler.step = types.MethodType(step, scheduler)


def _from_the_cpu(value: Any, timesteps: Any, copy: Any) -> Any:
    """Return the copy of a value that is one of the timesteps, else the value itself."""
    if type(value) is not type(timesteps) or value.dim() != 0 or timesteps.dim() != 1:
        return value
    if value.untyped_storage().data_ptr() != timesteps.untyped_storage().data_ptr():
        return value
    place, left = divmod(value.storage_offset() - timesteps.storage_offset(), timesteps.stride(0))
    return copy[place] if left == 0 and 0 <= place < len(copy) else value
