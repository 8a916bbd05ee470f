"""Cross-attention that reads a prompt once for all denoising steps.

A UNet's keys and values of the text are the same in every step. They are computed before the first
one and kept in place, so that a compiled network goes on using the same memory. Attention of any
other make than the usual (adapters with processors of their own, masks, normed texts) is left as it
is; so are transformers, whose text changes from block to block.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from portrayal.loading import import_extra

USUAL = "AttnProcessor2_0"
"""The processor that diffusers gives to attention by default."""

UNUSUAL = ("group_norm", "spatial_norm", "norm_q", "norm_k", "norm_cross", "added_kv_proj_dim")
"""What attention has that works in another way than the usual."""


class KeptText:
    """Keys and values of one batch's texts, in every cross-attention of a UNet.

    Args:
        unet: The UNet; its processors are replaced where they are the usual ones.
    """

    def __init__(self, unet: Any) -> None:
        self._unet = unet
        self._processors: list[_KeptProcessor] = []
        if getattr(unet, "encoder_hid_proj", None) is not None:
            return  # texts are projected inside the network, before they reach attention
        for module in unet.modules():
            if _fits(module):
                processor = _KeptProcessor(module)
                module.set_processor(processor)
                self._processors.append(processor)

    @contextlib.contextmanager
    def reading(self, texts: Any) -> Iterator[None]:
        """Have the UNet read these texts, and no others, until the context ends.

        Outside of it attention works as usual.

        Args:
            texts: What the UNet will get as `encoder_hidden_states`, in this order.
        """
        weight = next(self._unet.parameters())
        texts = texts.to(weight.device, weight.dtype)
        for processor in self._processors:
            processor.read(texts)
        try:
            yield
        finally:
            for processor in self._processors:
                processor.is_reading = False


class _KeptProcessor:
    """Attends to kept keys and values while they hold, else as usual; a processor of diffusers."""

    def __init__(self, attention: Any) -> None:
        self._attention = attention
        self._usual = attention.processor
        self._functional = import_extra("torch.nn.functional", extra="models")
        self.is_reading = False
        self.key: Any = None
        self.value: Any = None

    def read(self, texts: Any) -> None:
        attention = self._attention
        self.key = _replaced(self.key, _heads(attention, attention.to_k(texts)))
        self.value = _replaced(self.value, _heads(attention, attention.to_v(texts)))
        self.is_reading = True

    def __call__(self, attn: Any, hidden_states: Any, *others: Any, **named: Any) -> Any:
        if not self.is_reading:
            return self._usual(attn, hidden_states, *others, **named)
        query = _heads(attn, attn.to_q(hidden_states))
        found = self._functional.scaled_dot_product_attention(query, self.key, self.value)
        batch, heads, tokens, width = found.shape
        joined = found.transpose(1, 2).reshape(batch, tokens, heads * width)
        return attn.to_out[1](attn.to_out[0](joined)) / attn.rescale_output_factor


def _fits(module: Any) -> bool:
    return (
        type(getattr(module, "processor", None)).__name__ == USUAL
        and bool(getattr(module, "is_cross_attention", False))
        and not module.residual_connection
        and not any(getattr(module, name, None) for name in UNUSUAL)
    )


def _heads(attention: Any, rows: Any) -> Any:
    """Split (batch, tokens, width) into heads: (batch, heads, tokens, width of a head)."""
    batch, tokens, width = rows.shape
    return rows.view(batch, tokens, attention.heads, width // attention.heads).transpose(1, 2)


def _replaced(old: Any, new: Any) -> Any:
    """Write the new values where the old ones were, if they fit there."""
    if old is None or old.shape != new.shape or old.dtype != new.dtype:
        return new.clone()
    return old.copy_(new)
