"""Networks that are computed another way give the same answers, and can be given back."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

import pipelines

pytest.importorskip("triton", reason="triton has no build for this platform")

KINDS: dict[str, dict[str, Any]] = {
    "sd1": {},
    "sd2": {"use_linear_projection": True},
    "sdxl": {
        "transformer_layers_per_block": 2,
        "addition_embed_type": "text_time",
        "addition_time_embed_dim": 8,
        "projection_class_embeddings_input_dim": 80,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
    },
    "two layers": {"transformer_layers_per_block": 2},
    "heads of 40": {
        "block_out_channels": (80, 160), "attention_head_dim": 2, "sample_size": 32,
        "norm_num_groups": 16,
    },
    "not square": {"sample_size": (24, 16)},
    "odd size": {"sample_size": 6},
    "scaled residuals": {"resnet_out_scale_factor": 1.4},
}  # fmt: skip


def build_unet(**settings: Any) -> Any:
    import torch
    from diffusers import UNet2DConditionModel

    torch.manual_seed(0)
    return UNet2DConditionModel(
        **{
            "block_out_channels": (64, 128), "layers_per_block": 1, "sample_size": 16,
            "norm_num_groups": 8, "attention_head_dim": 4, "cross_attention_dim": 32,
            "down_block_types": ("CrossAttnDownBlock2D",) * 2,
            "up_block_types": ("CrossAttnUpBlock2D",) * 2, **settings,
        }
    ).eval()  # fmt: skip


def build(**settings: Any) -> Any:
    vae = pipelines.build_vae(channels=(16, 32))
    return types.SimpleNamespace(unet=build_unet(**settings), vae=vae)


def own_forwards(network: Any) -> list[str]:
    return [name for name, module in network.named_modules() if "forward" in vars(module)]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_the_plain_networks(kind: str) -> None:
    import torch

    from portrayal.generators.hopper.networks import (
        FastNetworks,
        _distance,
        _one_decoding,
        _one_step,
    )

    pipeline = build(**KINDS[kind])
    step, decoding = _one_step(pipeline.unet), _one_decoding(pipeline.vae.decoder)
    with torch.no_grad():
        plain, image = step(), decoding()
        fast = FastNetworks(pipeline.unet, pipeline.vae.decoder)
        for is_guided in (False, True):
            fast.is_guided = is_guided
            assert _distance(step(), plain) < 1e-5
        assert _distance(decoding(), image) < 1e-5
        with fast.compared() as wrong:
            step()
            decoding()
        assert not wrong
        assert own_forwards(pipeline.unet)
        fast.undo()
        assert not own_forwards(pipeline.unet)
        assert not own_forwards(pipeline.vae.decoder)
        assert not dict(pipeline.unet.named_buffers())
        assert _distance(step(), plain) < 1e-5


def test_both_halves_share_what_comes_before_the_texts() -> None:
    import torch

    from portrayal.generators.hopper.networks import FastNetworks, _one_step

    pipeline = build()
    fast = FastNetworks(pipeline.unet, pipeline.vae.decoder)
    rows: list[int] = []
    first = pipeline.unet.down_blocks[0].attentions[0].transformer_blocks[0]
    first.attn1.register_forward_pre_hook(lambda _, inputs: rows.append(len(inputs[0])))
    step = _one_step(pipeline.unet)
    with torch.no_grad():
        step()
        fast.is_guided = True
        step()
    assert rows == [2, 1]


def test_texts_that_enter_before_are_not_shared() -> None:
    from portrayal.generators.hopper.sharing import SharedStart

    assert SharedStart.fits(build_unet())
    assert not SharedStart.fits(build_unet(**KINDS["sdxl"]))
    assert not SharedStart.fits(build_unet(class_embed_type="identity"))


def test_every_part_is_used() -> None:
    """No part is left out unnoticed when diffusers renames something."""
    from portrayal.generators.hopper.attention import SelfAttention
    from portrayal.generators.hopper.networks import FastNetworks

    pipeline = build()
    FastNetworks(pipeline.unet, pipeline.vae.decoder)
    names = set(own_forwards(pipeline.unet))
    for module, count in (("ResnetBlock2D", 8), ("Upsample2D", 1), ("GEGLU", 7)):
        found = [n for n, m in pipeline.unet.named_modules() if type(m).__name__ == module]
        assert len(names.intersection(found)) == len(found) == count, module
    norms = [n for n in names if n.endswith(".norm")]
    assert len(norms) == 7
    assert {"conv_norm_out", "conv_act", "down_blocks.0"} <= names
    processors = [type(p) for n, p in pipeline.unet.attn_processors.items() if "attn1" in n]
    assert set(processors) == {SelfAttention}
    decoder = own_forwards(pipeline.vae.decoder)
    assert sum("resnets" in name for name in decoder) == 6
    assert sum("upsamplers" in name for name in decoder) == 1


def test_networks_of_another_make_are_left_alone() -> None:
    from portrayal.generators.hopper.networks import FastNetworks, _is_plain_gate, speed_up

    pipeline = build(resnet_time_scale_shift="scale_shift")
    fast = FastNetworks(pipeline.unet, pipeline.vae.decoder)
    kinds = {type(pipeline.unet.get_submodule(n)).__name__ for n in own_forwards(pipeline.unet)}
    assert "ResnetBlock2D" not in kinds
    fast.undo()
    small = build_unet(block_out_channels=(32, 48))
    gates = [m for m in small.modules() if type(m).__name__ == "GEGLU"]
    assert not any(_is_plain_gate(gate) for gate in gates)
    assert speed_up(types.SimpleNamespace(transformer=None, vae=None)) is None


def test_a_transformers_decoder_is_changed_alone() -> None:
    from portrayal.generators.hopper.networks import speed_up

    vae = build().vae
    fast = speed_up(types.SimpleNamespace(transformer=None, vae=vae))
    assert fast is not None
    assert not fast.is_guided
    assert sum("resnets" in name for name in own_forwards(vae.decoder)) == 6
    fast.undo()
    assert not own_forwards(vae.decoder)


def test_a_network_that_disagrees_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from portrayal.generators.hopper import networks

    for name in ("geglu", "double_and_convolve", "group_norm"):
        plain = getattr(networks, name)
        for wrong in (0.9, float("nan")):
            with monkeypatch.context() as patch:
                patch.setattr(
                    networks, name, lambda *a, plain=plain, wrong=wrong, **k: wrong * plain(*a, **k)
                )
                pipeline = build()
                with pytest.warns(UserWarning, match=r"is off by (0\.\d|nan)"):
                    assert networks.speed_up(pipeline) is None
            assert not own_forwards(pipeline.unet)
            assert not own_forwards(pipeline.vae.decoder)


def test_a_network_is_changed_once() -> None:
    from portrayal.generators.hopper.networks import speed_up

    pipeline = build()
    fast = speed_up(pipeline)
    assert fast is not None
    assert not fast.is_guided
    assert speed_up(pipeline) is None
    fast.undo()
    assert not own_forwards(pipeline.unet)


def test_an_interrupted_check_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    from portrayal.generators.hopper import networks

    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(networks, "group_norm", interrupt)
    pipeline = build()
    with pytest.raises(KeyboardInterrupt):
        networks.speed_up(pipeline)
    assert not own_forwards(pipeline.unet)


@pytest.mark.parametrize(
    "settings",
    [
        {"encoder_hid_dim": 24, "encoder_hid_dim_type": "text_proj"},
        {"class_embed_type": "projection", "projection_class_embeddings_input_dim": 16},
    ],
    ids=["projected texts", "classes"],
)
def test_networks_that_cannot_be_checked_run_as_they_are(settings: dict[str, Any]) -> None:
    from portrayal.generators.hopper.networks import speed_up

    pipeline = build(**settings)
    with pytest.warns(UserWarning, match="run as diffusers has them"):
        assert speed_up(pipeline) is None
    assert not own_forwards(pipeline.unet)


def test_a_decoder_that_is_not_there_or_works_in_full_precision_is_left_alone() -> None:
    from portrayal.generators.hopper.networks import _half_decoder, speed_up

    alone = types.SimpleNamespace(unet=build_unet())
    assert speed_up(alone) is not None
    vae = pipelines.build_vae(channels=(16, 32), force_upcast=True)
    assert _half_decoder(types.SimpleNamespace(vae=vae)) is vae.decoder
    assert _half_decoder(types.SimpleNamespace(vae=vae.half())) is None


def test_adapters_and_other_padding_are_left_alone() -> None:
    import torch

    from portrayal.generators.hopper.networks import _is_plain_resnet, _is_plain_upsampler

    class Adapted(torch.nn.Conv2d):
        """Stands for an adapter's layer around a convolution."""

    unet = build_unet()
    resnet, upsampler = unet.down_blocks[0].resnets[0], unet.up_blocks[0].upsamplers[0]
    assert _is_plain_resnet(resnet)
    assert _is_plain_upsampler(upsampler)
    resnet.conv1 = Adapted(64, 64, 3, padding=1)
    upsampler.conv.padding_mode = "circular"
    assert not _is_plain_resnet(resnet)
    assert not _is_plain_upsampler(upsampler)


def test_a_run_uses_them_once_it_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    from portrayal.generators import compilation, open_generator
    from portrayal.records import Request

    monkeypatch.setattr(compilation, "BACKEND", "eager")
    folder = pipelines.build_sd1(tmp_path / "sd1")
    build_unet(sample_size=8).save_pretrained(folder / "unet")  # its first block reads the text
    requests = [Request("a doctor", 0), Request("a nurse", 1)]

    def images(generator: Any) -> Any:
        made = generator.generate(requests)
        return np.stack([np.asarray(one.image, dtype=np.int16) for one in made])

    for guidance, rows in ((7.5, 2), (1.0, 2)):
        wanted = images(
            open_generator(str(folder), steps=2, guidance=guidance, compile="off", batch_size=2)
        )
        with monkeypatch.context() as patch:
            patch.setattr(compilation, "_has_kernels", lambda *_: True)
            fast: Any = open_generator(
                str(folder), steps=2, guidance=guidance, compile="on", batch_size=2
            )
            fast._compilation._networks.clear()  # captured networks call no hooks
            first = fast._pipeline.unet.down_blocks[0].attentions[0].transformer_blocks[0]
            seen: list[int] = []
            first.attn1.register_forward_pre_hook(
                lambda _, inputs, seen=seen: seen.append(len(inputs[0]))
            )
            found = images(fast)
        assert fast._compilation.is_fast
        assert np.abs(found - wanted).max() <= 1
        assert seen[-2:] == [rows, rows]  # under guidance half of four
        assert not fast._compilation._fast.is_guided


def test_what_cannot_be_imported_is_no_reason_not_to_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from portrayal.generators import compilation

    monkeypatch.setitem(sys.modules, "portrayal.generators.hopper.networks", None)
    with pytest.warns(UserWarning, match="run as diffusers has them"):
        assert compilation._speed_up(build()) is None


def test_a_part_that_fails_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from portrayal.generators.hopper import networks

    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no such kernel")

    for name in ("group_norm", "doubling_weight"):
        with monkeypatch.context() as patch:
            patch.setattr(networks, name, fail)
            pipeline = build()
            with pytest.warns(UserWarning, match="no such kernel"):
                assert networks.speed_up(pipeline) is None
            assert not own_forwards(pipeline.unet)
            assert not own_forwards(pipeline.vae.decoder)


def test_fast_networks_can_be_captured_whole() -> None:
    """A compiler that meets a break would lose what lies around it."""
    import torch

    from portrayal.generators.hopper.networks import FastNetworks, _distance, _one_step

    pipeline = build()
    step = _one_step(pipeline.unet)
    with torch.no_grad():
        plain = step()
        fast = FastNetworks(pipeline.unet, pipeline.vae.decoder)
        fast.is_guided = True
        pipeline.unet.compile(backend="eager", fullgraph=True, dynamic=False)
        assert _distance(step(), plain) < 1e-5


def test_doubling_before_a_convolution_is_one_transposed_convolution() -> None:
    import torch
    import torch.nn.functional as functional

    from portrayal.generators.hopper.upsampling import double_and_convolve, doubling_weight

    torch.manual_seed(0)
    x, weight, bias = torch.randn(2, 8, 5, 6), torch.randn(12, 8, 3, 3), torch.randn(12)
    doubled = functional.interpolate(x, scale_factor=2.0, mode="nearest")
    wanted = functional.conv2d(doubled, weight, bias, padding=1)
    found = double_and_convolve(x, doubling_weight(weight), bias)
    assert torch.allclose(found, wanted, atol=1e-4)


@pytest.fixture
def many_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every convolution for one of many channels."""
    from portrayal.generators.hopper import winograd

    monkeypatch.setattr(winograd, "_FEWEST_CHANNELS", 1)


@pytest.mark.usefixtures("many_channels")
@pytest.mark.parametrize("kind", ["sd1", "sdxl", "not square", "scaled residuals"])
def test_convolutions_of_many_channels_give_the_same_answers(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from portrayal.generators.hopper import networks

    calls: list[Any] = []
    plain = networks.convolve
    monkeypatch.setattr(networks, "convolve", lambda *a, **k: (calls.append(a), plain(*a, **k))[1])
    pipeline = build(**KINDS[kind])
    step = networks._one_step(pipeline.unet)
    with torch.no_grad():
        wanted = step()
        fast = networks.FastNetworks(pipeline.unet)
        assert networks._distance(step(), wanted) < 1e-5
        resnets = [m for m in pipeline.unet.modules() if type(m).__name__ == "ResnetBlock2D"]
        assert len(calls) == 2 * len(resnets)
        fast.undo()
        assert not any(hasattr(m, "spread") for m in pipeline.unet.modules())
        assert networks._distance(step(), wanted) < 1e-5


@pytest.mark.usefixtures("many_channels")
def test_a_wrong_convolution_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from portrayal.generators.hopper import networks

    plain = networks.convolve
    monkeypatch.setattr(networks, "convolve", lambda *a, **k: 0.9 * plain(*a, **k))
    pipeline = build()
    with pytest.warns(UserWarning, match="a convolution is off by"):
        assert networks.speed_up(pipeline) is None
    assert not any(hasattr(m, "spread") for m in pipeline.unet.modules())


@pytest.mark.usefixtures("many_channels")
def test_networks_with_many_channels_can_be_captured_whole() -> None:
    import torch

    from portrayal.generators.hopper.networks import FastNetworks, _distance, _one_step

    unet = build_unet()
    step = _one_step(unet)
    with torch.no_grad():
        plain = step()
        FastNetworks(unet)
        unet.compile(backend="aot_eager", fullgraph=True, dynamic=False)
        assert _distance(step(), plain) < 1e-5


def test_few_channels_are_convolved_directly() -> None:
    from portrayal.generators.hopper.winograd import gains

    assert gains(640, 640)
    assert gains(960, 640)
    assert not gains(320, 640)
    assert not gains(960, 320)


def test_kernels_run_on_any_size_only_while_they_are_checked() -> None:
    from portrayal.generators.hopper.dispatch import pays
    from portrayal.generators.hopper.networks import FastNetworks

    assert pays(8, fewest=8)
    assert not pays(7, fewest=8)
    with FastNetworks(build_unet()).compared():
        assert pays(1, fewest=8)
    assert not pays(7, fewest=8)


def test_the_operator_is_what_the_compiler_takes_it_for() -> None:
    import torch

    from portrayal.generators.hopper.winograd import _convolve, spread_weight

    x, weight = torch.randn(2, 8, 4, 6), torch.randn(16, 8, 3, 3)
    for bias, residual in ((None, None), (torch.randn(16), torch.randn(2, 16, 4, 6))):
        for given in (x, x.contiguous(memory_format=torch.channels_last)):
            torch.library.opcheck(
                _convolve,
                (given, weight, spread_weight(weight), bias, residual),
                test_utils=("test_schema", "test_faketensor"),
            )


@pytest.mark.usefixtures("many_channels")
def test_a_convolution_that_a_residual_would_hide_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from portrayal.generators.hopper import networks

    def forget(x: Any, plain: Any, spread: Any, *, bias: Any = None, residual: Any = None) -> Any:
        return torch.zeros_like(residual) + residual

    fast = networks.FastNetworks(build_unet())
    with fast.compared() as wrong:
        assert not wrong
    monkeypatch.setattr(networks, "convolve", forget)
    with fast.compared() as wrong:
        assert len(wrong) == len(fast._spread) > 0


@pytest.mark.usefixtures("many_channels")
@pytest.mark.parametrize("name", ["conv1", "conv2"])
def test_adapters_that_come_later_are_heard(name: str) -> None:
    import torch
    from peft import LoraConfig

    from portrayal.generators.hopper.networks import FastNetworks, _distance, _one_step

    config = LoraConfig(r=4, target_modules=[name], init_lora_weights=False)
    unet = build_unet()
    step = _one_step(unet)
    with torch.no_grad():
        without = step()
        FastNetworks(unet)
        torch.manual_seed(0)
        unet.add_adapter(config)
        found = step()
        fresh = build_unet()
        torch.manual_seed(0)
        fresh.add_adapter(config)
        assert _distance(found, _one_step(fresh)()) < 1e-5
        assert _distance(found, without) > 1e-3
