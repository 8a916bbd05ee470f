"""Which modules of a pipeline's networks are computed another way, and whether that agrees.

Every change is an instance's own `forward` or processor, with weights in another order beside it;
`undo` takes all of them away again (only the weights' layout in memory stays channels last).
Modules of another make than expected are left alone. Weights must not change until `undo`: what was
made of them beforehand would not follow.
"""

from __future__ import annotations

import contextlib
import functools
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as functional

from portrayal.generators.hopper.attention import SelfAttention
from portrayal.generators.hopper.dispatch import kernels_for_any_size
from portrayal.generators.hopper.gates import can_gate, geglu, interleave
from portrayal.generators.hopper.norms import can_normalise, group_norm
from portrayal.generators.hopper.sharing import SharedStart
from portrayal.generators.hopper.upsampling import double_and_convolve, doubling_weight
from portrayal.generators.hopper.winograd import convolve, gains, spread_weight
from portrayal.generators.kept_text import UNUSUAL, USUAL

TOLERANCE = 0.05
"""Largest distance to the plain network's answer, relative to it; half precision alone makes 0.015
in a UNet and 0.033 in a decoder."""

PART_TOLERANCE = 0.03
"""The same for one module; half precision alone makes 0.004, in trained decoders up to 0.011."""


class FastNetworks:
    """A pipeline's UNet and decoder, computed faster until `undo`.

    Args:
        unet: A UNet2DConditionModel of diffusers; None where the denoiser is of another make.
        decoder: The decoder of its autoencoder; None leaves it alone.
    """

    @torch.no_grad()
    def __init__(self, unet: Any, decoder: Any = None) -> None:
        self._undo: list[Callable[[], None]] = []
        self._plain: list[tuple[Any, Callable[..., Any]]] = []
        self._spread: list[Any] = []
        can_share = unet is not None and SharedStart.fits(unet)
        self._start = SharedStart(unet) if can_share else None
        if self._start is not None:
            self._undo.append(self._start.undo)
            self._plain.append((self._start.block, self._start.plain))
        try:
            for network in (unet, decoder):
                if network is not None:
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

    @contextlib.contextmanager
    def compared(self) -> Iterator[list[str]]:
        """Yield a list that grows by every changed module whose answer is not the plain one's."""
        wrong: list[str] = []

        def compare(wanted: Callable[..., Any]) -> Callable[..., None]:
            def look(module: Any, given: Any, named: Any, answer: Any) -> None:
                distance = _distance(_first(answer), _first(wanted(*given, **named)))
                if not distance <= PART_TOLERANCE:
                    wrong.append(f"{type(module).__name__} is off by {distance:.3f}")

            return look

        hooks = [
            module.register_forward_hook(compare(wanted), with_kwargs=True)
            for module, wanted in self._plain
        ]
        try:
            with kernels_for_any_size():
                # A residual can be so much larger than a convolution that it hides a wrong one.
                for conv in self._spread:
                    distance = _distance_of_convolution(conv)
                    if not distance <= PART_TOLERANCE:
                        wrong.append(f"a convolution is off by {distance:.3f}")
                yield wrong
        finally:
            for hook in hooks:
                hook.remove()

    def _change(self, network: Any) -> None:
        network.to(memory_format=torch.channels_last)
        norm = network.conv_norm_out
        if _is_plain_norm(norm) and type(network.conv_act) is torch.nn.SiLU:
            plain = norm.forward
            self._replace(norm, _norm_and_silu, lambda x: functional.silu(plain(x)))
            self._replace(network.conv_act, _nothing, _identity)
        for module in list(network.modules()):
            kind = type(module).__name__
            if kind == "ResnetBlock2D" and _is_plain_resnet(module):
                for conv in (module.conv1, module.conv2):
                    if _is_plain_convolution(conv) and gains(conv.in_channels, conv.out_channels):
                        self._keep(conv, "spread", spread_weight(conv.weight))
                        self._spread.append(conv)
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
                self._attend(module)

    def _attend(self, attention: Any) -> None:
        usual = attention.processor
        attention.set_processor(SelfAttention(usual))
        self._undo.append(functools.partial(attention.set_processor, usual))
        self._plain.append((attention, functools.partial(usual, attention)))

    def _replace(
        self, module: Any, forward: Callable[..., Any], wanted: Callable[..., Any] | None = None
    ) -> None:
        module.plain_forward = module.forward
        self._plain.append((module, wanted or module.forward))
        module.forward = types.MethodType(forward, module)

        def give_back() -> None:
            del module.forward, module.plain_forward

        self._undo.append(give_back)

    def _keep(self, module: Any, name: str, tensor: Any) -> None:
        module.register_buffer(name, tensor, persistent=False)
        self._undo.append(lambda: delattr(module, name))


@torch.no_grad()
def speed_up(pipeline: Any) -> FastNetworks | None:
    """Compute a pipeline's networks faster; None where they do not fit or would not agree.

    Every changed module is compared with the plain one on its own input, and the networks as a
    whole, for one step and one decoding.

    Args:
        pipeline: A pipeline of diffusers, on a GPU, in half precision.
    """
    unet = getattr(pipeline, "unet", None)
    if type(unet).__name__ != "UNet2DConditionModel":
        unet = None
    decoder = _half_decoder(pipeline)
    known = [network for network in (unet, decoder) if network is not None]
    if not known or any(map(_is_changed, known)):
        return None
    fast: FastNetworks | None = None
    try:
        calls = [] if unet is None else [_one_step(unet)]
        calls += [] if decoder is None else [_one_decoding(decoder)]
        plain = [call() for call in calls]
        fast = FastNetworks(unet, decoder)
        fast.is_guided = True
        with fast.compared() as wrong:
            distances = [_distance(call(), one) for call, one in zip(calls, plain, strict=True)]
        if wrong:
            raise ArithmeticError(wrong[0])
        for distance in distances:
            if not distance <= TOLERANCE:
                raise ArithmeticError(f"ours are off by {distance:.3f}")
    except BaseException as error:
        if fast is not None:
            fast.undo()
        if not isinstance(error, Exception):
            raise
        # Another kind of network, or a version of diffusers or triton that we do not know.
        warnings.warn(f"the networks run as diffusers has them: {error!r:.200}", stacklevel=2)
        return None
    fast.is_guided = False
    return fast


def _is_changed(network: Any) -> bool:
    return any(hasattr(module, "plain_forward") for module in network.modules())


def _half_decoder(pipeline: Any) -> Any:
    """Return the decoder of a pipeline, unless it is of another make or works in full precision."""
    vae: Any = getattr(pipeline, "vae", None)
    decoder: Any = getattr(vae, "decoder", None)
    if type(decoder).__name__ != "Decoder":
        return None
    is_float16 = next(decoder.parameters()).dtype == torch.float16
    return None if is_float16 and getattr(vae.config, "force_upcast", False) else decoder


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


def _first(answer: Any) -> Any:
    return answer[0] if isinstance(answer, tuple) else answer


def _distance(answer: Any, wanted: Any) -> float:
    answer, wanted = answer.float(), wanted.float()
    return float((answer - wanted).norm() / wanted.norm().clamp_min(1e-9))


@torch.no_grad()
def _distance_of_convolution(conv: Any) -> float:
    """Return how far one of ours is from the plain one on noise, with bias and a residual."""
    noise = torch.Generator("cpu").manual_seed(0)
    x = torch.randn(1, conv.in_channels, 8, 8, generator=noise).to(conv.weight)
    residual = torch.randn(1, conv.out_channels, 8, 8, generator=noise).to(conv.weight)
    found = convolve(x, conv.weight, conv.spread, bias=conv.bias, residual=residual)
    return _distance(found, functional.conv2d(x, conv.weight, conv.bias, padding=1) + residual)


def _is_plain_norm(norm: Any) -> bool:
    return type(norm) is torch.nn.GroupNorm and norm.affine


def _is_plain_convolution(conv: Any) -> bool:
    """Whether this is torch's own 3 x 3 convolution; adapters put others in its place."""
    return (
        type(conv) is torch.nn.Conv2d
        and conv.kernel_size == (3, 3)
        and conv.stride == conv.padding == conv.dilation == (1, 1)
        and conv.padding_mode == "zeros"
        and conv.groups == 1
    )


def _is_plain_resnet(resnet: Any) -> bool:
    return (
        resnet.upsample is None
        and resnet.downsample is None
        and (resnet.time_embedding_norm == "default" or resnet.time_emb_proj is None)
        and not resnet.skip_time_act
        and type(resnet.nonlinearity) is torch.nn.SiLU
        and _is_plain_norm(resnet.norm1)
        and _is_plain_norm(resnet.norm2)
        and _is_plain_convolution(resnet.conv1)
        and resnet.conv1.bias is not None
    )


def _is_plain_upsampler(upsampler: Any) -> bool:
    conv = getattr(upsampler, "conv", None)
    return (
        _is_plain_convolution(conv)
        and not upsampler.use_conv_transpose
        and upsampler.use_conv
        and upsampler.interpolate
        and upsampler.norm is None
    )


def _is_plain_gate(gate: Any) -> bool:
    return (
        type(gate.proj) is torch.nn.Linear
        and gate.proj.bias is not None
        and can_gate(gate.proj.in_features, gate.proj.out_features // 2)
    )


def _is_plain_self_attention(attention: Any) -> bool:
    return (
        type(attention.processor).__name__ == USUAL
        and not attention.is_cross_attention
        and not attention.residual_connection
        and attention.rescale_output_factor == 1
        and attention.inner_kv_dim == attention.inner_dim
        and not any(getattr(attention, name, None) for name in UNUSUAL)
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


def _identity(x: Any) -> Any:
    return x


def _resnet(self: Any, input_tensor: Any, temb: Any = None, *others: Any, **named: Any) -> Any:
    pixels = input_tensor.shape[2] * input_tensor.shape[3]
    fits = all(can_normalise(norm.num_channels, pixels) for norm in (self.norm1, self.norm2))
    is_adapted = type(self.conv1) is not torch.nn.Conv2d  # by now; it was not before
    if is_adapted or not fits or (temb is None) != (self.time_emb_proj is None):
        return self.plain_forward(input_tensor, temb, *others, **named)
    states = group_norm(input_tensor, self.norm1, silu=True)
    states = _without_bias(self.conv1, states)
    if temb is None:
        added = self.conv1.bias.expand(len(states), -1).contiguous()
    else:
        added = self.time_emb_proj(functional.silu(temb)) + self.conv1.bias
    states = group_norm(states, self.norm2, silu=True, added=added)
    if self.conv_shortcut is not None:
        input_tensor = self.conv_shortcut(input_tensor)
    if hasattr(self.conv2, "spread"):
        weight, spread, bias = self.conv2.weight, self.conv2.spread, self.conv2.bias
        sums = convolve(states, weight, spread, bias=bias, residual=input_tensor)
    else:
        sums = input_tensor + self.conv2(states)
    return sums if self.output_scale_factor == 1 else sums / self.output_scale_factor


def _without_bias(conv: Any, states: Any) -> Any:
    """Apply a plain 3 x 3 convolution, but for its bias."""
    if hasattr(conv, "spread"):
        return convolve(states, conv.weight, conv.spread)
    return functional.conv2d(states, conv.weight, None, padding=1)


def _upsample(self: Any, hidden_states: Any, output_size: Any = None, *others: Any) -> Any:
    if output_size is not None:
        return self.plain_forward(hidden_states, output_size, *others)
    return double_and_convolve(hidden_states, self.doubling, self.conv.bias)


def _gate(self: Any, hidden_states: Any, *others: Any, **named: Any) -> Any:
    return geglu(hidden_states, self.interleaved, self.interleaved_bias)
