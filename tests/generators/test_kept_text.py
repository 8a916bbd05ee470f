"""Keys and values of the text, computed once for all steps of a batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pipelines
from portrayal.generators import open_generator
from portrayal.generators.kept_text import KeptText
from portrayal.records import Request

REQUESTS = [Request("a doctor", 0), Request("a nurse", 1)]


def cross_attention(unet: Any) -> list[Any]:
    return [module for name, module in unet.named_modules() if name.endswith("attn2")]


@pytest.mark.parametrize("family", ["sd1", "sd2", "sdxl"])
def test_a_text_is_read_once_a_batch_and_not_once_a_step(family: str, tmp_path: Path) -> None:
    folder = getattr(pipelines, f"build_{family}")(tmp_path / family)
    generator: Any = open_generator(str(folder), steps=4)
    counts = []
    modules = cross_attention(generator._pipeline.unet)
    for module in modules:
        module.to_k.register_forward_hook(lambda *_: counts.append("key"))
        module.to_v.register_forward_hook(lambda *_: counts.append("value"))
    generator.generate(REQUESTS)
    assert len(modules) > 0
    assert len(counts) == 2 * len(modules)


def test_the_next_batch_is_written_where_the_last_one_was(sd1: Path) -> None:
    generator: Any = open_generator(str(sd1), steps=1)
    processor = cross_attention(generator._pipeline.unet)[0].processor
    generator.generate(REQUESTS)
    place, before = processor.key.data_ptr(), processor.key.clone()
    generator.generate([Request("two farmers", 0), Request("a judge", 1)])
    assert processor.key.data_ptr() == place
    assert not processor.key.equal(before)
    generator.generate(REQUESTS[:1])
    assert processor.key.shape[0] == before.shape[0] // 2


def test_outside_of_a_batch_the_unet_reads_what_it_is_given(sd1: Path) -> None:
    import torch
    from diffusers import UNet2DConditionModel

    generator: Any = open_generator(str(sd1), steps=1)
    generator.generate(REQUESTS)
    ours, plain = generator._pipeline.unet, UNet2DConditionModel.from_pretrained(sd1 / "unet")
    latent = torch.randn(1, 4, plain.config.sample_size, plain.config.sample_size)
    texts = torch.randn(1, 7, plain.config.cross_attention_dim)
    with torch.inference_mode():
        wanted = plain(latent, 1, encoder_hidden_states=texts).sample
        assert torch.allclose(ours(latent, 1, encoder_hidden_states=texts).sample, wanted)


def test_texts_that_are_projected_inside_the_unet_are_left_to_it() -> None:
    from diffusers import UNet2DConditionModel

    unet = UNet2DConditionModel(
        block_out_channels=(32, 64), layers_per_block=1, sample_size=8, norm_num_groups=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), attention_head_dim=4,
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), cross_attention_dim=32,
        encoder_hid_dim=32,
    )  # fmt: skip
    KeptText(unet)
    assert {type(p).__name__ for p in unet.attn_processors.values()} == {"AttnProcessor2_0"}


def test_attention_of_another_make_is_left_alone(sd1: Path) -> None:
    from diffusers import UNet2DConditionModel
    from diffusers.models.attention_processor import AttnProcessor

    unet = UNet2DConditionModel.from_pretrained(sd1 / "unet")
    unet.set_attn_processor(AttnProcessor())
    KeptText(unet)
    assert {type(p).__name__ for p in unet.attn_processors.values()} == {"AttnProcessor"}
