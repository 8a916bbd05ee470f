"""Images as an encoder wants them, exactly as its processor of transformers prepares them.

Resizing and cropping are done by PIL, without a detour through arrays, so that many threads can
work at once. What follows gives each of 256 levels a number: a table holds these, and is applied to
whole batches where the encoder runs. A processor that does anything else is used as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

_LEVELS = 256
_CHANNELS = 3
_TRIED = ((1.0, 1.0), (1.7, 1.3), (0.6, 0.9), (2.9, 2.1))


@dataclass(frozen=True, slots=True)
class _Plan:
    """Resizing to a size, or by the shorter edge and then cropping the middle.

    Attributes:
        size: (width, height) to resize to; None where the shorter edge decides.
        shorter: Pixels of the shorter edge.
        crop: (width, height) of the middle that is kept; None for all.
        resample: How PIL resizes.
    """

    size: tuple[int, int] | None
    shorter: int
    crop: tuple[int, int] | None
    resample: int

    def apply(self, image: Image.Image) -> npt.NDArray[np.uint8]:
        width, height = image.size
        if self.size is not None:
            wanted = self.size
        elif width <= height:
            wanted = (self.shorter, int(self.shorter * height / width))
        else:
            wanted = (int(self.shorter * width / height), self.shorter)
        if image.mode != "RGB":
            image = image.convert("RGB")
        image = image.resize(wanted, Image.Resampling(self.resample))
        if self.crop is not None:
            left, top = (wanted[0] - self.crop[0]) // 2, (wanted[1] - self.crop[1]) // 2
            image = image.crop((left, top, left + self.crop[0], top + self.crop[1]))
        return np.asarray(image)


class ImagePreparation:
    """Prepares images one by one, and batches of what was prepared.

    Args:
        processor: An image processor of transformers, of its PIL backend.
        torch: The library.
    """

    def __init__(self, processor: Any, torch: Any) -> None:
        self._processor = processor
        self._torch = torch
        self._plan = _plan(processor)
        self._table: npt.NDArray[np.float32] | None = None
        if self._plan is not None and not self._agrees():
            self._plan = None

    @property
    def is_by_table(self) -> bool:
        """Whether images are prepared here rather than by the processor."""
        return self._plan is not None

    def prepare(self, image: Image.Image) -> Any:
        """Return an image as `batch` takes it; any thread may call this."""
        if self._plan is not None:
            return self._plan.apply(image)
        return self._processor([image], return_tensors="pt")

    def batch(self, prepared: Sequence[Any], device: Any) -> dict[str, Any]:
        """Return what a model takes for several images, on a device."""
        torch = self._torch
        if self._table is None:
            joined = {name: torch.cat([one[name] for one in prepared]) for name in prepared[0]}
            return {name: value.to(device) for name, value in joined.items()}
        kind = torch.device(device).type
        shape = (len(prepared), *prepared[0].shape)
        pixels = torch.empty(shape, dtype=torch.uint8, pin_memory=kind == "cuda")
        levels = np.stack(prepared, out=pixels.numpy())
        if kind == "cpu":
            count, height, width, _ = levels.shape
            numbers = np.empty((count, _CHANNELS, height, width), np.float32)
            for channel, row in enumerate(self._table):
                np.take(row, levels[..., channel], out=numbers[:, channel], mode="clip")
            return {"pixel_values": torch.from_numpy(numbers)}
        there = pixels.to(device, non_blocking=True)
        table = torch.from_numpy(self._table).to(device)
        channels = [table[i][there[..., i].int()] for i in range(_CHANNELS)]
        return {"pixel_values": torch.stack(channels, 1)}

    def _agrees(self) -> bool:
        """Make the table; tell whether it gives the processor's own numbers, to the last bit."""
        assert self._plan is not None
        ramp = np.arange(_LEVELS, dtype=np.uint8)[None, :, None].repeat(_CHANNELS, 2)
        options = {"do_resize": False, "do_center_crop": False, "return_tensors": "np"}
        noise = np.random.default_rng(0)
        side = self._plan.shorter if self._plan.size is None else max(self._plan.size)
        try:
            table = self._processor([Image.fromarray(ramp)], **options)["pixel_values"]
            self._table = np.ascontiguousarray(table[0, :, 0, :], np.float32)
            for wide, high in _TRIED:
                shape = (max(2, round(high * side)), max(2, round(wide * side)), _CHANNELS)
                image = Image.fromarray(noise.integers(0, _LEVELS, shape, dtype=np.uint8))
                wanted = self._processor([image], return_tensors="np")
                found = self.batch([self.prepare(image)], "cpu")["pixel_values"].numpy()
                if set(wanted) != {"pixel_values"} or not _same(wanted["pixel_values"], found):
                    raise ValueError
        except Exception:  # another kind of processor: it does its work itself
            self._table = None
            return False
        return True


def _same(wanted: Any, found: Any) -> bool:
    return wanted.dtype == found.dtype and bool(np.array_equal(wanted, found))


def _plan(processor: Any) -> _Plan | None:
    """Return how a processor resizes and crops; None where it does so in another way."""
    size: Mapping[str, int] = dict(getattr(processor, "size", None) or {})
    crop: Mapping[str, int] = dict(getattr(processor, "crop_size", None) or {})
    crops = bool(getattr(processor, "do_center_crop", False))
    if not getattr(processor, "do_resize", False):
        return None
    chosen = {key for key, value in size.items() if value is not None}
    by_edge = chosen == {"shortest_edge"}
    if not by_edge and chosen != {"height", "width"}:
        return None
    if crops and not {"height", "width"} <= crop.keys():
        return None
    cut = (int(crop["width"]), int(crop["height"])) if crops else None
    shorter = int(size["shortest_edge"]) if by_edge else 0
    if (by_edge and cut is None) or (cut is not None and max(cut) > (shorter or max(cut) - 1)):
        return None  # images of several shapes, or a border around them
    whole = None if by_edge else (int(size["width"]), int(size["height"]))
    return _Plan(whole, shorter, cut, int(processor.resample))
