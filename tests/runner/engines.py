"""Generators for other processes, and what must be equal in two audits."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.audit.parts import each_part
from portrayal.errors import GenerationError
from portrayal.generators import GenerationSummary, generate
from portrayal.measurers import measure
from portrayal.records import Identity, Request
from portrayal.runner.engines.protocol import Opener
from toy_generators import ColourGenerator, MeanColour

WANTED = [("refuse this", 8), ("a doctor", 60), ("a nurse", 52)]


class Device(ColourGenerator):
    """A generator on an invented device, some of which have accidents.

    Args:
        device: "absent" cannot be opened, "broken" fails always, "deadly" kills its process in
            the third batch, "fatal" in the first, "poisoned" in that of seed 5 of "a", "other" has
            another model.
        settings: Those of `ColourGenerator`.
    """

    def __init__(self, device: str | None, **settings: Any) -> None:
        super().__init__(before=self._accident, **settings)
        if device == "absent":
            raise GenerationError("device 'absent' cannot be used here")
        if device == "other":
            self.identity = Identity("colour", "colours", {"size": 8, "dtype": "bfloat16"})
        self._device = device

    def _accident(self, requests: Sequence[Request]) -> None:
        if self._device == "broken":
            raise RuntimeError("uncorrectable error")
        if self._device == "poisoned" and Request("a", 5) in requests:
            os.kill(os.getpid(), signal.SIGKILL)
        if len(self.batches) == {"deadly": 3, "fatal": 1}.get(str(self._device)):
            os.kill(os.getpid(), signal.SIGKILL)


def open_device(device: str | None, *, accident: str | None = None, **settings: Any) -> Device:
    return Device(accident or device, **settings)


def opener(**settings: Any) -> Opener:
    return partial(open_device, **settings)


def look(device: str | None) -> list[MeanColour]:
    """Open a measurer beside the generator."""
    return [MeanColour()]


def assert_all_seen(audit: AuditFolder) -> None:
    """Compare what was seen in memory with what is seen in the stored images."""
    seen = sorted(audit.measurements(MeanColour().identity).fetchall())
    assert len(seen) == 112
    again = MeanColour(name="again")
    measure(audit, [again])
    assert seen == sorted(audit.measurements(again.identity).fetchall())


def undisturbed(folder: Path) -> AuditFolder:
    """An audit of what is wanted, made by one process alone."""
    generator = ColourGenerator()
    audit = AuditFolder.at(folder, generator.identity)
    assert generate(audit, generator, WANTED) == GenerationSummary(made=112, refused=8)
    return audit


def assert_same(ours: AuditFolder, theirs: AuditFolder) -> None:
    """Compare key by key, pixel by pixel; and nothing lies on the disk twice."""
    raw = [k for part in each_part(ours.path / "images", ["key"]) for k in part["key"].to_pylist()]
    assert len(raw) == len(set(raw))
    columns = "key, prompt, seed, status, reason"
    rows = sorted(ours.images().select(columns).fetchall())
    assert rows == sorted(theirs.images().select(columns).fetchall())
    keys = [row[0] for row in rows if row[3] == "ok"]
    images, others = ours.read_images(keys), theirs.read_images(keys)
    assert set(images) == set(others) == set(keys)
    for key in keys:
        pair = [np.asarray(Image.open(io.BytesIO(of[key]))) for of in (images, others)]
        assert np.array_equal(*pair)
