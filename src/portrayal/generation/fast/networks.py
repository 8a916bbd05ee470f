"""Which modules of a pipeline's networks are computed another way, and whether that agrees.

Every change is an instance's own `forward` or processor; `undo` takes all of them away again.
Modules of another make than expected are left alone.
"""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as functional

from portrayal.generation.fast.attention import SelfAttention
from portrayal.generation.fast.gates import can_gate, geglu, interleave
from portrayal.generation.fast.norms import can_normalise, group_norm
from portrayal.generation.fast.sharing import SharedStart
from portrayal.generation.fast.upsampling import double_and_convolve, doubling_weight

TOLERANCE = 0.05
"""Largest distance to the plain network's answer, relative to it; half precision alone makes 0.015
in a UNet and 0.033 in a decoder."""

_USUAL_PROCESSOR = "AttnProcessor2_0"


class FastNetworks:
    """A pipeline's UNet and decoder, computed faster until `undo`.

    Args:
        unet: A UNet2DConditionModel of diffusers.
        decoder: The decoder of its autoencoder.
    """

    @torch.no_grad()
    def __init__(self, unet: Any, decoder: Any) -> None:
        self._undo: list[Callable[[], None]] = []
        self._start = SharedStart(unet) if SharedStart.fits(unet) else None
        if self._start is not None:
            self._undo.append(self._start.undo)
        try:
            for network in (unet, decoder):
                self._change(network)
        except BaseException:
            self.undo()
            raise

    @property
    def is_guided(self) -> bool:
        """Whether the UNet gets every latent twice, for two texts."""
        return self._start is not None and self._start.is_guided

    @is_guided.setter
    def is_guided(self, is_guided: bool) -> None:
        if self._start is not None:
            self._start.is_guided = is_guided

    def undo(self) -> None:
        """Compute as diffusers does."""
        while self._undo:
            self._undo.pop()()

    def _change(self, network: Any) -> None:
        network.to(memory_format=torch.channels_last)
        if _is_plain_norm(network.conv_norm_out) and type(network.conv_act) is torch.nn.SiLU:
            self._replace(network.conv_norm_out, _norm_and_silu)
            self._replace(network.conv_act, _nothing)
        for module in list(network.modules()):
            kind = type(module).__name__
            if kind == "ResnetBlock2D" and _is_plain_resnet(module):
                self._replace(module, _resnet)
            elif kind == "Upsample2D" and _is_plain_upsampler(module):
                self._keep(module, "doubling", doubling_weight(module.conv.weight))
                self._replace(module, _upsample)
            elif kind == "GEGLU" and _is_plain_gate(module):
                self._keep(module, "interleaved", interleave(module.proj.weight))
                self._keep(module, "interleaved_bias", interleave(module.proj.bias))
                self._replace(module, _gate)
            elif kind == "Transformer2DModel" and _is_plain_norm(getattr(module, "norm", None)):
                self._replace(module.norm, _norm)
            elif kind == "Attention" and _is_plain_self_attention(module):
                self._undo.append(functools.partial(module.set_processor, module.processor))
                module.set_processor(SelfAttention(module.processor))

    def _replace(self, module: Any, forward: Callable[..., Any]) -> None:
        plain = module.forward
        module.forward = types.MethodType(forward, module)
        module.plain_forward = plain

        def give_back() -> None:
            del module.forward, module.plain_forward

        self._undo.append(give_back)

    def _keep(self, module: Any, name: str, tensor: Any) -> None:
        module.register_buffer(name, tensor, persistent=False)
        self._undo.append(lambda: delattr(module, name))


@torch.no_grad()
def speed_up(pipeline: Any) -> FastNetworks | None:
    """Compute a pipeline's networks faster; None where they do not fit or would not agree.

    Args:
        pipeline: A pipeline of diffusers, on a GPU, in half precision.
    """
    unet, decoder = getattr(pipeline, "unet", None), getattr(pipeline.vae, "decoder", None)
    if type(unet).__name__ != "UNet2DConditionModel" or type(decoder).__name__ != "Decoder":
        return None
    calls = [_one_step(unet), _one_decoding(decoder)]
    plain = [call() for call in calls]
    fast: FastNetworks | None = None
    try:
        fast = FastNetworks(unet, decoder)
        fast.is_guided = True
        distance = max(_distance(call(), wanted) for call, wanted in zip(calls, plain, strict=True))
    except Exception as error:  # a version of diffusers or triton that we do not know
        if fast is not None:
            fast.undo()
        warnings.warn(f"the networks run as diffusers has them: {error!r:.200}", stacklevel=2)
        return None
    if not distance <= TOLERANCE:
        fast.undo()
        warnings.warn(
            f"the networks run as diffusers has them: ours are off by {distance:.3f}", stacklevel=2
        )
        return None
    fast.is_guided = False
    return fast


def _one_step(unet: Any) -> Callable[[], Any]:
    """Return a call of the UNet with noise, twice the same latent with two texts."""
    weight = next(unet.parameters())
    noise = torch.Generator("cpu").manual_seed(0)
    size = unet.config.sample_size
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    latent = torch.randn(1, unet.config.in_channels, height, width, generator=noise).to(weight)
    texts = torch.randn(2, 77, unet.config.cross_attention_dim, generator=noise).to(weight)
    added = {}
    if unet.config.addition_embed_type == "text_time":
        of_text = unet.add_embedding.linear_1.in_features
        of_text -= 6 * unet.config.addition_time_embed_dim
        added = {
            "text_embeds": torch.randn(2, of_text, generator=noise).to(weight),
            "time_ids": torch.tensor([[512, 512, 0, 0, 512, 512]] * 2).to(weight),
        }
    step = torch.tensor(500, device=weight.device)
    return lambda: unet(
        torch.cat([latent, latent]),
        step,
        encoder_hidden_states=texts,
        added_cond_kwargs=added or None,
        return_dict=False,
    )[0]


def _one_decoding(decoder: Any) -> Callable[[], Any]:
    weight = next(decoder.parameters())
    noise = torch.Generator("cpu").manual_seed(0)
    latent = torch.randn(1, decoder.conv_in.in_channels, 32, 32, generator=noise).to(weight)
    return lambda: decoder(latent)


def _distance(answer: Any, wanted: Any) -> float:
    answer, wanted = answer.float(), wanted.float()
    return float((answer - wanted).norm() / wanted.norm().clamp_min(1e-9))


def _is_plain_norm(norm: Any) -> bool:
    return type(norm) is torch.nn.GroupNorm and norm.affine


def _is_plain_resnet(resnet: Any) -> bool:
    return (
        resnet.upsample is None
        and resnet.downsample is None
        and (resnet.time_embedding_norm == "default" or resnet.time_emb_proj is None)
        and not resnet.skip_time_act
        and type(resnet.nonlinearity) is torch.nn.SiLU
        and _is_plain_norm(resnet.norm1)
        and _is_plain_norm(resnet.norm2)
        and resnet.conv1.bias is not None
    )


def _is_plain_upsampler(upsampler: Any) -> bool:
    conv: Any = getattr(upsampler, "conv", None)
    return (
        type(conv) is torch.nn.Conv2d
        and not upsampler.use_conv_transpose
        and upsampler.use_conv
        and upsampler.interpolate
        and upsampler.norm is None
        and conv.kernel_size == (3, 3)
        and conv.stride == (1, 1)
        and conv.padding == (1, 1)
        and conv.groups == 1
    )


def _is_plain_gate(gate: Any) -> bool:
    return (
        type(gate.proj) is torch.nn.Linear
        and gate.proj.bias is not None
        and can_gate(gate.proj.in_features, gate.proj.out_features // 2)
    )


def _is_plain_self_attention(attention: Any) -> bool:
    unusual = ("group_norm", "spatial_norm", "norm_q", "norm_k", "added_kv_proj_dim")
    return (
        type(attention.processor).__name__ == _USUAL_PROCESSOR
        and not attention.is_cross_attention
        and not attention.residual_connection
        and attention.rescale_output_factor == 1
        and attention.inner_kv_dim == attention.inner_dim
        and not any(getattr(attention, name, None) for name in unusual)
    )


def _norm(self: Any, x: Any) -> Any:
    if not can_normalise(x.shape[1], x.shape[2] * x.shape[3]):
        return self.plain_forward(x)
    return group_norm(x, self, silu=False)


def _norm_and_silu(self: Any, x: Any) -> Any:
    if not can_normalise(x.shape[1], x.shape[2] * x.shape[3]):
        return functional.silu(self.plain_forward(x))
    return group_norm(x, self, silu=True)


def _nothing(self: Any, x: Any) -> Any:
    return x


def _resnet(self: Any, input_tensor: Any, temb: Any = None, *others: Any, **named: Any) -> Any:
    pixels = input_tensor.shape[2] * input_tensor.shape[3]
    fits = all(can_normalise(norm.num_channels, pixels) for norm in (self.norm1, self.norm2))
    if not fits or (temb is None) != (self.time_emb_proj is None):
        return self.plain_forward(input_tensor, temb, *others, **named)
    states = group_norm(input_tensor, self.norm1, silu=True)
    states = functional.conv2d(states, self.conv1.weight, None, padding=1)
    if temb is None:
        added = self.conv1.bias.expand(len(states), -1).contiguous()
    else:
        added = self.time_emb_proj(functional.silu(temb)) + self.conv1.bias
    states = self.conv2(group_norm(states, self.norm2, silu=True, added=added))
    if self.conv_shortcut is not None:
        input_tensor = self.conv_shortcut(input_tensor)
    return (input_tensor + states) / self.output_scale_factor


def _upsample(self: Any, hidden_states: Any, output_size: Any = None, *others: Any) -> Any:
    if output_size is not None:
        return self.plain_forward(hidden_states, output_size, *others)
    return double_and_convolve(hidden_states, self.doubling, self.conv.bias)


def _gate(self: Any, hidden_states: Any, *others: Any, **named: Any) -> Any:
    return geglu(hidden_states, self.interleaved, self.interleaved_bias)
