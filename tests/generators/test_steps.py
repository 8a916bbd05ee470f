"""Schedulers make the same steps when their timesteps lie on the CPU."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import pytest

from portrayal.generators.steps import know_timesteps

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
    for steps in (7, 4):  # the second run begins again
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


def knowing(steps: int) -> Remembering:
    scheduler = Remembering()
    know_timesteps(scheduler)
    scheduler.set_timesteps(steps)
    return scheduler


def test_steps_get_copies_of_timesteps() -> None:
    scheduler = knowing(4)
    views = list(scheduler.timesteps)
    scheduler.timesteps.zero_()  # whoever looks at the originals from now on sees this
    for t in views:
        scheduler.step(None, t, None)
    assert [int(t) for t in scheduler.given] == [4, 3, 2, 1]


def test_a_timestep_may_come_again_or_be_left_out() -> None:
    """Panoramas make one step for every view; others begin in the middle."""
    scheduler = knowing(5)
    scheduler.timesteps, views = scheduler.timesteps[2:], list(scheduler.timesteps[2:])
    for t in (views[0], views[0], views[2], views[1]):
        scheduler.step(None, t, None)
    assert [int(t) for t in scheduler.given] == [3, 3, 1, 2]


def test_whatever_else_is_given_stays_as_it_is() -> None:
    """Some pipelines give one timestep for every image, numbers, or nothing."""
    import torch

    scheduler = knowing(3)
    others = [None, 2, scheduler.timesteps[1].expand(4), torch.tensor(7), scheduler.timesteps]
    for other in others:
        scheduler.step(None, other, other)
    assert all(given is other for given, other in zip(scheduler.given, others, strict=True))
    fresh = Remembering()
    know_timesteps(fresh)
    fresh.step(None, 3, None)  # before there are timesteps
    assert fresh.given == [3]


def test_a_copied_scheduler_stands_for_itself() -> None:
    scheduler = knowing(3)
    other = copy.deepcopy(scheduler)
    other.set_timesteps(6)
    other.step(None, other.timesteps[0], None)
    assert len(scheduler.timesteps) == 3
    assert not scheduler.given
    assert [int(t) for t in other.given] == [6]
