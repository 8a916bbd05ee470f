"""Which engine, and with what."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from portrayal.errors import SettingError, is_number, require_count
from portrayal.runner.engines.local import DeviceProcesses, InProcess
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
        if self.engine not in get_args(EngineName):
            raise SettingError("engine", f"is {self.engine!r}; allowed: local, ray")
        if self.engine == "local":
            for name in ("address", "workers", "gpus_per_worker"):
                if getattr(self, name) is not None:
                    raise SettingError(name, "is for the ray engine; leave it out")
        elif self.devices:
            raise SettingError("devices", "is for the local engine; Ray gives devices to workers")
        if not isinstance(self.devices, tuple | list):
            raise SettingError("devices", f"is {self.devices!r}; allowed: a list of names")
        if self.workers is not None:
            require_count("workers", self.workers)
        share = self.gpus_per_worker
        if share is not None and not (is_number(share) and 0 < share < 1000):
            raise SettingError("gpus_per_worker", f"is {share!r}; allowed: above 0, e.g. 0.5")

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
        yield InProcess(opener(device))
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
