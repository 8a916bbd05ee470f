"""The pipelines that `gpu_generation` times: exact shapes of four models, with random weights.

Random weights do for timing. Each model has its usual settings; `tiny` gives the same structure in
small, to see on any machine that all of it works.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from portrayal.loading import quietly
from portrayal_practice.weights import PIPELINE, part_folder

CLIP_L = (768, 12, 12)
CLIP_G = (1280, 32, 20)
T5_XXL = (4096, 24, 64, 10240)
TINY_CLIP = (32, 2, 2)
TINY_T5 = (32, 1, 2, 32)


@dataclass(frozen=True, slots=True)
class Model:
    """One model.

    Attributes:
        name: As people write it.
        build: Returns its pipeline, small if asked for, on torch's default device.
        settings: How images are sampled: steps, guidance, width, height.
    """

    name: str
    build: Callable[[bool], Any]
    settings: Mapping[str, Any]


def tokenizer() -> Any:
    """Return a tokenizer of CLIP's make that reads 77 tokens."""
    from transformers import CLIPTokenizer

    found = CLIPTokenizer.from_pretrained(part_folder(PIPELINE) / "tokenizer")
    found.model_max_length = 77
    return found


def text_tower(shape: tuple[int, int, int], *, projected: bool = False) -> Any:
    """Return a text tower of CLIP's make: (width, layers, heads)."""
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    width, layers, heads = shape
    words = tokenizer()
    config = CLIPTextConfig(
        vocab_size=49408, hidden_size=width, intermediate_size=4 * width, projection_dim=width,
        num_hidden_layers=layers, num_attention_heads=heads, max_position_embeddings=77,
        bos_token_id=words.bos_token_id, eos_token_id=words.eos_token_id,
    )  # fmt: skip
    return (CLIPTextModelWithProjection if projected else CLIPTextModel)(config).eval()


def t5(shape: tuple[int, int, int, int]) -> dict[str, Any]:
    """Return a T5 encoder, (width, layers, heads, inner width), and a tokenizer of letters."""
    from transformers import T5Config, T5EncoderModel, T5Tokenizer

    width, layers, heads, inner = shape
    pieces = ["<pad>", "</s>", "<unk>", "▁", *sorted(set(string.printable.strip()))]
    letters = T5Tokenizer([(piece, 0.0 if i < 3 else -2.0) for i, piece in enumerate(pieces)])
    config = T5Config(
        vocab_size=32128, d_model=width, d_kv=64, d_ff=inner, num_layers=layers,
        num_heads=heads, feed_forward_proj="gated-gelu",
    )  # fmt: skip
    return {"encoder": T5EncoderModel(config).eval(), "tokenizer": letters}


def autoencoder(tiny: bool, *, latent: int = 4, **options: Any) -> Any:
    """Return the autoencoder that all four models have, but for the width of its latents."""
    import diffusers

    channels = (16, 32) if tiny else (128, 256, 512, 512)
    return diffusers.AutoencoderKL(
        block_out_channels=channels,
        down_block_types=("DownEncoderBlock2D",) * len(channels),
        up_block_types=("UpDecoderBlock2D",) * len(channels),
        layers_per_block=1 if tiny else 2,
        latent_channels=latent,
        norm_num_groups=8 if tiny else 32,
        **options,
    ).eval()


def scheduler(kind: str, **options: Any) -> Any:
    """Return a scheduler; its numbers are float32 on the CPU, whatever torch's defaults are."""
    import diffusers
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        with torch.device("cpu"):
            return getattr(diffusers, kind)(**options)
    finally:
        torch.set_default_dtype(before)


def sd15(tiny: bool) -> Any:
    """Return Stable Diffusion 1.5."""
    import diffusers

    channels = (32, 64) if tiny else (320, 640, 1280, 1280)
    clip = TINY_CLIP if tiny else CLIP_L
    unet = diffusers.UNet2DConditionModel(
        sample_size=8 if tiny else 64,
        block_out_channels=channels,
        layers_per_block=1 if tiny else 2,
        down_block_types=("CrossAttnDownBlock2D",) * (len(channels) - 1) + ("DownBlock2D",),
        up_block_types=("UpBlock2D",) + ("CrossAttnUpBlock2D",) * (len(channels) - 1),
        cross_attention_dim=clip[0],
        attention_head_dim=8,
        norm_num_groups=8 if tiny else 32,
    ).eval()
    return diffusers.StableDiffusionPipeline(
        unet=unet, vae=autoencoder(tiny), text_encoder=text_tower(clip), tokenizer=tokenizer(),
        scheduler=scheduler("DDIMScheduler", clip_sample=False, steps_offset=1),
        safety_checker=None, feature_extractor=None, requires_safety_checker=False,
    )  # fmt: skip


def sdxl(tiny: bool) -> Any:
    """Return Stable Diffusion XL's base."""
    import diffusers

    clips = (TINY_CLIP, TINY_CLIP) if tiny else (CLIP_L, CLIP_G)
    times = 8 if tiny else 256
    unet = diffusers.UNet2DConditionModel(
        sample_size=8 if tiny else 128,
        block_out_channels=(16, 32, 32) if tiny else (320, 640, 1280),
        layers_per_block=1 if tiny else 2,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
        transformer_layers_per_block=(1, 2, 2) if tiny else (1, 2, 10),
        attention_head_dim=(1, 2, 2) if tiny else (5, 10, 20),
        cross_attention_dim=clips[0][0] + clips[1][0],
        norm_num_groups=8 if tiny else 32,
        use_linear_projection=True,
        addition_embed_type="text_time",
        addition_time_embed_dim=times,
        projection_class_embeddings_input_dim=clips[1][0] + 6 * times,
    ).eval()
    return diffusers.StableDiffusionXLPipeline(
        unet=unet, vae=autoencoder(tiny, scaling_factor=0.13025),
        text_encoder=text_tower(clips[0]), text_encoder_2=text_tower(clips[1], projected=True),
        tokenizer=tokenizer(), tokenizer_2=tokenizer(),
        scheduler=scheduler(
            "EulerDiscreteScheduler", beta_start=0.00085, beta_end=0.012,
            beta_schedule="scaled_linear", steps_offset=1,
        ),
        add_watermarker=False,
    )  # fmt: skip


def sd3(tiny: bool) -> Any:
    """Return Stable Diffusion 3 medium."""
    import diffusers

    clips = (TINY_CLIP, TINY_CLIP) if tiny else (CLIP_L, CLIP_G)
    long = t5((64, 1, 2, 32) if tiny else T5_XXL)
    transformer = diffusers.SD3Transformer2DModel(
        sample_size=8 if tiny else 128,
        patch_size=1 if tiny else 2,
        in_channels=16,
        num_layers=3 if tiny else 24,
        attention_head_dim=8 if tiny else 64,
        num_attention_heads=4 if tiny else 24,
        caption_projection_dim=32 if tiny else 1536,
        joint_attention_dim=64 if tiny else 4096,
        pooled_projection_dim=clips[0][0] + clips[1][0],
        out_channels=16,
        pos_embed_max_size=96 if tiny else 192,
    ).eval()
    return diffusers.StableDiffusion3Pipeline(
        transformer=transformer,
        vae=autoencoder(tiny, latent=16, shift_factor=0.0609, scaling_factor=1.5305,
                        use_quant_conv=False, use_post_quant_conv=False),
        text_encoder=text_tower(clips[0], projected=True), tokenizer=tokenizer(),
        text_encoder_2=text_tower(clips[1], projected=True), tokenizer_2=tokenizer(),
        text_encoder_3=long["encoder"], tokenizer_3=long["tokenizer"],
        scheduler=scheduler("FlowMatchEulerDiscreteScheduler", shift=3.0),
    )  # fmt: skip


def flux(tiny: bool) -> Any:
    """Return FLUX.1-schnell."""
    import diffusers

    clip = TINY_CLIP if tiny else CLIP_L
    long = t5(TINY_T5 if tiny else T5_XXL)
    transformer = diffusers.FluxTransformer2DModel(
        patch_size=1,
        in_channels=16 if tiny else 64,
        num_layers=2 if tiny else 19,
        num_single_layers=3 if tiny else 38,
        attention_head_dim=16 if tiny else 128,
        num_attention_heads=2 if tiny else 24,
        joint_attention_dim=32 if tiny else 4096,
        pooled_projection_dim=clip[0],
        axes_dims_rope=(4, 4, 8) if tiny else (16, 56, 56),
        guidance_embeds=False,
    ).eval()
    return diffusers.FluxPipeline(
        transformer=transformer,
        vae=autoencoder(tiny, latent=4 if tiny else 16, shift_factor=0.1159,
                        scaling_factor=0.3611, use_quant_conv=False, use_post_quant_conv=False),
        text_encoder=text_tower(clip), tokenizer=tokenizer(),
        text_encoder_2=long["encoder"], tokenizer_2=long["tokenizer"],
        scheduler=scheduler("FlowMatchEulerDiscreteScheduler"),
    )  # fmt: skip


def _settings(steps: int, guidance: float, size: int) -> Mapping[str, Any]:
    return {"steps": steps, "guidance": guidance, "width": size, "height": size}


MODELS: Mapping[str, Model] = {
    "sd15": Model("Stable Diffusion 1.5", sd15, _settings(50, 7.5, 512)),
    "sdxl": Model("Stable Diffusion XL", sdxl, _settings(30, 5.0, 1024)),
    "sd3": Model("Stable Diffusion 3 medium", sd3, _settings(28, 7.0, 1024)),
    "flux": Model("FLUX.1-schnell", flux, _settings(4, 0.0, 1024)),
}


def build(name: str, *, tiny: bool, device: str) -> Any:
    """Return a model's pipeline with random weights, in bfloat16, without bars."""
    import torch

    torch.manual_seed(0)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)  # never twice the memory that the model takes
    try:
        with torch.device(device), quietly("diffusers", "transformers"):
            pipeline = MODELS[name].build(tiny).to(device, torch.bfloat16)
    finally:
        torch.set_default_dtype(before)
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def settings_of(name: str, *, tiny: bool) -> dict[str, Any]:
    """Return how a model's images are sampled; tiny models make small images in two steps."""
    found = dict(MODELS[name].settings)
    return found | {"steps": 2, "width": 16, "height": 16} if tiny else found
