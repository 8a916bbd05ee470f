"""Latents are decoded a megapixel at a time.

Decoding takes most memory of a batch: a decoder's layers are as large as the image. A megapixel
already fills a large GPU, so decoding more at once is no faster.
"""

from __future__ import annotations

import functools
from typing import Any

from portrayal.loading import import_extra

PIXELS = 1024 * 1024


def decode_in_slices(pipeline: Any) -> None:
    """Have a pipeline's autoencoder decode batches in slices; images are the same as before.

    Args:
        pipeline: A pipeline of diffusers; one without an autoencoder is left as it is.
    """
    vae: Any = getattr(pipeline, "vae", None)
    scale = getattr(pipeline, "vae_scale_factor", None)
    if not hasattr(vae, "decode") or not isinstance(scale, int):
        return
    torch = import_extra("torch", extra="models")
    whole = vae.decode

    @functools.wraps(whole)
    def decode(z: Any, return_dict: bool = True, **named: Any) -> Any:
        size = images_at_once(z.shape[-2] * scale, z.shape[-1] * scale)
        if z.dim() != 4 or len(z) <= size:
            return whole(z, return_dict=return_dict, **named)
        slices = [whole(one, return_dict=False, **named)[0] for one in z.split(size)]
        decoded = torch.cat(slices)
        if not return_dict:
            return (decoded,)
        return import_extra("diffusers.models.autoencoders.vae", extra="models").DecoderOutput(
            sample=decoded
        )

    vae.decode = decode


def images_at_once(height: int, width: int) -> int:
    """Return how many images of a size are decoded together: a power of two, 1 or more."""
    return 1 << max(0, (PIXELS // (height * width)).bit_length() - 1)
