"""A pipeline's output on its way from the device."""

from __future__ import annotations

from typing import Any

from PIL import Image

from portrayal.loading import import_extra
from portrayal.records import GeneratedImage

NOT_A_NUMBER = "the pipeline returned NaN; another dtype may help (float32, bfloat16)"


class SentImages:
    """Images that a device is still making; nobody waits for them until they are asked for.

    Args:
        output: What a pipeline returns for `output_type="pt"`.
    """

    def __init__(self, output: Any) -> None:
        torch = import_extra("torch", extra="models")
        tensor = output.images.float()
        self._flagged = getattr(output, "nsfw_content_detected", None)
        pixels = (tensor.nan_to_num() * 255).round().clamp(0, 255).to(torch.uint8)
        self._finite = _to_host(torch, torch.isfinite(tensor.flatten(1)).all(1))
        self._pixels = _to_host(torch, pixels.permute(0, 2, 3, 1).contiguous())
        self._arrived = None
        if tensor.is_cuda:
            self._arrived = torch.cuda.current_stream(tensor.device).record_event()

    def images(self) -> list[GeneratedImage]:
        """Wait and return them: refused where flagged, failed where not finite."""
        if self._arrived is not None:
            self._arrived.synchronize()
        arrays = self._pixels.numpy()
        flagged = self._flagged or [False] * len(arrays)
        images = []
        for array, is_finite, is_flagged in zip(
            arrays, self._finite.tolist(), flagged, strict=True
        ):
            if is_flagged:
                images.append(GeneratedImage.refused("safety checker"))
            elif not is_finite:
                images.append(GeneratedImage.failed(NOT_A_NUMBER))
            else:
                images.append(GeneratedImage.ok(Image.fromarray(array)))
        return images


def _to_host(torch: Any, tensor: Any) -> Any:
    """Copy a tensor to the host without waiting for it."""
    if not tensor.is_cuda:
        return tensor
    host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    return host.copy_(tensor, non_blocking=True)
