"""Which engine, and with what."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from portrayal.errors import GenerationError
from portrayal.runner.engines.local import DeviceProcesses, Here
from portrayal.runner.engines.protocol import Engine, MeasurersOpener, Opener
from portrayal.runner.engines.ray import RayWorkers

EngineName = Literal["local", "ray"]


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Where batches shall run; changes no image.

    Attributes:
        engine: "local" or "ray".
        devices: Local: one process for each of these; in this process where there is none.
        address: Ray: the cluster's address; where left out, that of the environment (RAY_ADDRESS)
            or a cluster of this machine alone.
        workers: Ray: how many generators; as many as the cluster has room for where left out.
        gpus_per_worker: Ray: the share of a GPU that a generator takes, e.g. 0.5; one GPU where
            the cluster has any.
    """

    engine: EngineName = "local"
    devices: tuple[str, ...] = ()
    address: str | None = None
    workers: int | None = None
    gpus_per_worker: float | None = None

    def __post_init__(self) -> None:
        ray = {
            "--address": self.address,
            "--workers": self.workers,
            "--gpus-per-worker": self.gpus_per_worker,
        }
        if self.engine == "local":
            for name, value in ray.items():
                if value is not None:
                    raise GenerationError(f"{name} is for --engine ray; leave it out")
        elif self.devices:
            raise GenerationError("--devices is for --engine local; Ray gives devices to workers")
        if self.workers is not None and self.workers < 1:
            raise GenerationError(f"--workers is {self.workers}; allowed: 1 or more")
        if self.gpus_per_worker is not None and not 0 < self.gpus_per_worker < 1000:
            raise GenerationError(
                f"--gpus-per-worker is {self.gpus_per_worker}; allowed: more than 0, e.g. 0.5"
            )

    @property
    def is_here(self) -> bool:
        """Whether images are made in this process."""
        return self.engine == "local" and not self.devices


@contextlib.contextmanager
def open_engine(
    opener: Opener,
    settings: EngineSettings,
    *,
    device: str | None = None,
    look: MeasurersOpener | None = None,
) -> Iterator[Engine]:
    """Start an engine; its processes end with the block.

    Args:
        opener: Opens the generator on a device.
        settings: Where.
        device: The device in this process, where there is no other.
        look: Opens measurers in every other process; what is made there is measured there.

    Raises:
        GenerationError: The generator cannot be opened there.
    """
    if settings.is_here:
        yield Here(opener(device))
    elif settings.engine == "local":
        with DeviceProcesses(opener, settings.devices, look=look) as local:
            yield local
    else:
        with RayWorkers(
            opener,
            look=look,
            address=settings.address,
            workers=settings.workers,
            gpus_per_worker=settings.gpus_per_worker,
        ) as cluster:
            yield cluster
