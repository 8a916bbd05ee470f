"""What both halves of classifier-free guidance have in common is computed once.

Under guidance a UNet gets every latent twice, for two texts. Up to its first cross-attention both
rows are the same: the first residual block and the first self-attention, the costliest one.
"""

from __future__ import annotations

import types
from typing import Any

import torch


class SharedStart:
    """Lets the first block of a UNet compute one half of its rows until the texts come in.

    Args:
        unet: A UNet whose first block has cross-attention and knows of texts only through it.
    """

    def __init__(self, unet: Any) -> None:
        self.is_guided = False
        """Whether the second half of the rows repeats the first, but for the texts."""
        self.block = unet.down_blocks[0]
        self.plain = self.block.forward
        self.block.forward = types.MethodType(self._forward, self.block)

    @staticmethod
    def fits(unet: Any) -> bool:
        """Whether the rows of both halves are the same up to the first cross-attention."""
        block = unet.down_blocks[0]
        config = unet.config
        if type(block).__name__ != "CrossAttnDownBlock2D" or config.addition_embed_type is not None:
            return False
        transformer = block.attentions[0]
        first = transformer.transformer_blocks[0]
        return (
            config.class_embed_type is None
            and config.num_class_embeds is None
            and type(transformer).__name__ == "Transformer2DModel"
            and transformer.is_input_continuous
            and first.norm_type == "layer_norm"
            and first.pos_embed is None
            and not first.only_cross_attention
            and first.attn2 is not None
            and getattr(first, "_chunk_size", None) is None
        )

    def undo(self) -> None:
        """Give the block its own way of computing back."""
        del self.block.forward

    def _forward(
        self,
        block: Any,
        hidden_states: Any,
        temb: Any = None,
        encoder_hidden_states: Any = None,
        attention_mask: Any = None,
        cross_attention_kwargs: Any = None,
        encoder_attention_mask: Any = None,
        additional_residuals: Any = None,
    ) -> tuple[Any, tuple[Any, ...]]:
        unusual = (
            attention_mask,
            cross_attention_kwargs,
            encoder_attention_mask,
            additional_residuals,
        )
        if not self.is_guided or any(one is not None for one in unusual):
            return self.plain(hidden_states, temb, encoder_hidden_states, *unusual)  # type: ignore[no-any-return]
        rows = hidden_states.shape[0] // 2
        states = block.resnets[0](hidden_states[:rows], temb[:rows])
        states = _transform(block.attentions[0], states, encoder_hidden_states)
        outputs = [states]
        for resnet, attention in list(zip(block.resnets, block.attentions, strict=True))[1:]:
            states = resnet(states, temb)
            states = attention(
                states, encoder_hidden_states=encoder_hidden_states, return_dict=False
            )[0]
            outputs.append(states)
        for downsampler in block.downsamplers or ():
            states = downsampler(states)
            outputs.append(states)
        return states, tuple(outputs)


def _transform(transformer: Any, states: Any, texts: Any) -> Any:
    """Apply a Transformer2DModel to one half, doubled where its first cross-attention begins."""
    height, width = states.shape[2:]
    residual = torch.cat([states, states])
    states = transformer.norm(states)
    if transformer.use_linear_projection:
        tokens = transformer.proj_in(states.permute(0, 2, 3, 1).flatten(1, 2))
    else:
        tokens = transformer.proj_in(states).permute(0, 2, 3, 1).flatten(1, 2)
    first, *others = transformer.transformer_blocks
    tokens = first.attn1(first.norm1(tokens)) + tokens
    tokens = torch.cat([tokens, tokens])
    tokens = first.attn2(first.norm2(tokens), encoder_hidden_states=texts) + tokens
    tokens = first.ff(first.norm3(tokens)) + tokens
    for block in others:
        tokens = block(tokens, encoder_hidden_states=texts)
    if transformer.use_linear_projection:
        tokens = transformer.proj_out(tokens)
    states = tokens.unflatten(1, (height, width)).permute(0, 3, 1, 2)
    if not transformer.use_linear_projection:
        states = transformer.proj_out(states)
    return states + residual
