"""Schedulers make the same steps when their timesteps lie on the CPU."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from portrayal.generation.steps import know_timesteps

SCHEDULERS = (
    "DDIMScheduler",
    "PNDMScheduler",
    "DPMSolverMultistepScheduler",
    "EulerDiscreteScheduler",
    "HeunDiscreteScheduler",
    "FlowMatchEulerDiscreteScheduler",
)


def denoise(scheduler: Any, steps: int) -> Any:
    import torch

    generator = torch.Generator().manual_seed(0)
    scheduler.set_timesteps(steps)
    latent = torch.randn(1, 4, 8, 8, generator=generator)
    for t in scheduler.timesteps:
        guess = torch.tanh(latent + t / 1000)
        latent = scheduler.step(guess, t, latent, return_dict=False)[0]
    return latent


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")  # diffusers, with newer numpy
@pytest.mark.parametrize("name", SCHEDULERS)
def test_steps_are_the_same(name: str) -> None:
    import diffusers

    plain, knowing = getattr(diffusers, name)(), getattr(diffusers, name)()
    know_timesteps(knowing)
    for steps in (7, 4):  # the second run begins anew
        assert denoise(knowing, steps).equal(denoise(plain, steps))
    assert inspect.signature(knowing.step) == inspect.signature(plain.step)
    assert inspect.signature(knowing.set_timesteps) == inspect.signature(plain.set_timesteps)


class Remembering:
    """A scheduler that remembers what its step is given."""

    def __init__(self) -> None:
        import torch

        self.timesteps = torch.tensor([])
        self.given: list[Any] = []

    def set_timesteps(self, steps: int) -> None:
        import torch

        self.timesteps = torch.arange(steps, 0, -1)

    def step(self, model_output: Any, timestep: Any, sample: Any) -> Any:
        self.given.append(timestep)
        return sample


def test_what_lies_elsewhere_is_asked_for_once() -> None:
    """A timestep on a GPU has to be waited for; only the first one is looked at."""

    class Elsewhere:
        looked_at = 0

        def __init__(self, value: int) -> None:
            self.value = value

        def __float__(self) -> float:
            Elsewhere.looked_at += 1
            return float(self.value)

    scheduler = Remembering()
    know_timesteps(scheduler)
    scheduler.set_timesteps(5)
    for value in (5, 4, 3, 2, 1):
        scheduler.step(None, Elsewhere(value), None)
    assert [int(t) for t in scheduler.given] == [5, 4, 3, 2, 1]
    assert Elsewhere.looked_at == 1


def test_another_order_is_left_alone() -> None:
    scheduler = Remembering()
    know_timesteps(scheduler)
    scheduler.set_timesteps(4)
    for value in (2, 1):  # as when a picture is only partly made anew
        scheduler.step(None, value, None)
    assert scheduler.given == [2, 1]
