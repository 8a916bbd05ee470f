"""Small pipelines and encoders with random weights, in the layouts that real models have.

Weights from a hub cannot be downloaded on development machines; the loading and calling code is
the same for these, which are built in a second.
"""

from __future__ import annotations

import contextlib
import io
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WINDOW = 77
"""Tokens that the text towers read, as in CLIP: 75 letters and two marks."""


def build_tokenizer() -> Any:
    """Return a CLIP tokenizer that reads one letter a token."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import CLIPTokenizer

    letters = sorted({*ByteLevel.alphabet(), *string.printable.strip()})
    words = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {word: i for i, word in enumerate(words)}
    return CLIPTokenizer(vocabulary, [], model_max_length=WINDOW)


def build_text_encoder(
    tokenizer: Any,
    *,
    width: int = 32,
    seed: int = 0,
    pooled: bool = False,
    activation: str = "quick_gelu",
) -> Any:
    """Return a CLIP text tower of two layers."""
    import torch
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    torch.manual_seed(seed)
    config = CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=2 * width,
        projection_dim=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        hidden_act=activation,
        max_position_embeddings=WINDOW,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return (CLIPTextModelWithProjection if pooled else CLIPTextModel)(config).eval()


def build_vae(*, channels: tuple[int, ...] = (16, 32), latent: int = 4, **extra: Any) -> Any:
    """Return a small autoencoder; every level but the last halves the image."""
    from diffusers import AutoencoderKL

    n = len(channels)
    return AutoencoderKL(
        in_channels=3,
        out_channels=3,
        block_out_channels=channels,
        down_block_types=("DownEncoderBlock2D",) * n,
        up_block_types=("UpDecoderBlock2D",) * n,
        layers_per_block=1,
        latent_channels=latent,
        norm_num_groups=8,
        sample_size=32,
        **extra,
    ).eval()


def build_sd1(
    folder: Path,
    *,
    seed: int = 0,
    channels: tuple[int, ...] = (16, 32),
    vae_channels: tuple[int, ...] = (16, 32),
    text_width: int = 32,
    sample: int = 8,
    safety: bool = False,
) -> Path:
    """Write a StableDiffusionPipeline whose images are 16x16 at the default sizes."""
    import torch
    from diffusers import DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel

    tokenizer = build_tokenizer()
    text_encoder = build_text_encoder(tokenizer, width=text_width, seed=seed)
    torch.manual_seed(seed)
    n = len(channels)
    unet = UNet2DConditionModel(
        sample_size=sample,
        block_out_channels=channels,
        layers_per_block=1,
        down_block_types=("DownBlock2D",) + ("CrossAttnDownBlock2D",) * (n - 1),
        up_block_types=("CrossAttnUpBlock2D",) * (n - 1) + ("UpBlock2D",),
        cross_attention_dim=text_width,
        attention_head_dim=4,
        norm_num_groups=8,
    ).eval()
    pipeline = StableDiffusionPipeline(
        vae=build_vae(channels=vae_channels),
        text_encoder=text_encoder,
        tokenizer=tokenizer,
        unet=unet,
        scheduler=DDIMScheduler(
            beta_start=0.00085,
            beta_end=0.012,
            beta_schedule="scaled_linear",
            clip_sample=False,
            set_alpha_to_one=False,
            steps_offset=1,
        ),
        safety_checker=build_safety_checker() if safety else None,
        feature_extractor=build_feature_extractor() if safety else None,
        requires_safety_checker=safety,
    )
    return save(pipeline, folder)


def build_sd2(folder: Path, *, seed: int = 0, safety: bool = False) -> Path:
    """Write a pipeline as Stable Diffusion 2's: OpenCLIP's tower, heads by level, v-prediction."""
    import torch
    from diffusers import DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel

    tokenizer = build_tokenizer()
    text_encoder = build_text_encoder(tokenizer, seed=seed, activation="gelu")
    torch.manual_seed(seed)
    unet = UNet2DConditionModel(
        sample_size=8,
        block_out_channels=(16, 32),
        layers_per_block=1,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        cross_attention_dim=32,
        attention_head_dim=(2, 4),
        use_linear_projection=True,
        norm_num_groups=8,
    ).eval()
    pipeline = StableDiffusionPipeline(
        vae=build_vae(),
        text_encoder=text_encoder,
        tokenizer=tokenizer,
        unet=unet,
        scheduler=DDIMScheduler(
            beta_start=0.00085,
            beta_end=0.012,
            beta_schedule="scaled_linear",
            clip_sample=False,
            set_alpha_to_one=False,
            steps_offset=1,
            prediction_type="v_prediction",
        ),
        safety_checker=build_safety_checker() if safety else None,
        feature_extractor=build_feature_extractor() if safety else None,
        requires_safety_checker=safety,
    )
    return save(pipeline, folder)


def build_lora(folder: Path, base: Path, *, seed: int = 0, rank: int = 2) -> Path:
    """Write a LoRA of all attention layers of a pipeline's UNet, strong enough to be seen."""
    import torch
    from diffusers import StableDiffusionPipeline, UNet2DConditionModel
    from peft import LoraConfig
    from peft.utils import get_peft_model_state_dict

    with quiet():
        unet = UNet2DConditionModel.from_pretrained(base / "unet")
        unet.add_adapter(
            LoraConfig(
                r=rank, lora_alpha=rank, init_lora_weights="gaussian",
                target_modules=["to_q", "to_k", "to_v", "to_out.0"],
            )
        )  # fmt: skip
        torch.manual_seed(seed)
        with torch.no_grad():
            for name, weight in unet.named_parameters():
                if "lora" in name:
                    weight.normal_(0.0, 0.5)
        StableDiffusionPipeline.save_lora_weights(
            folder, unet_lora_layers=get_peft_model_state_dict(unet)
        )
    return folder / "pytorch_lora_weights.safetensors"


def build_sdxl(folder: Path, *, seed: int = 0) -> Path:
    """Write a StableDiffusionXLPipeline whose images are 16x16."""
    import torch
    from diffusers import EulerDiscreteScheduler, StableDiffusionXLPipeline, UNet2DConditionModel

    tokenizer = build_tokenizer()
    towers = [build_text_encoder(tokenizer, seed=seed + i, pooled=i == 1) for i in range(2)]
    torch.manual_seed(seed)
    unet = UNet2DConditionModel(
        sample_size=8,
        block_out_channels=(16, 32),
        layers_per_block=1,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=64,
        attention_head_dim=4,
        norm_num_groups=8,
        use_linear_projection=True,
        addition_embed_type="text_time",
        addition_time_embed_dim=8,
        projection_class_embeddings_input_dim=32 + 6 * 8,
    ).eval()
    pipeline = StableDiffusionXLPipeline(
        vae=build_vae(),
        text_encoder=towers[0],
        text_encoder_2=towers[1],
        tokenizer=tokenizer,
        tokenizer_2=build_tokenizer(),
        unet=unet,
        scheduler=EulerDiscreteScheduler(beta_start=0.00085, beta_end=0.012, steps_offset=1),
    )
    return save(pipeline, folder)


def build_sd3(folder: Path, *, seed: int = 0) -> Path:
    """Write a StableDiffusion3Pipeline whose images are 16x16."""
    import torch
    from diffusers import (
        FlowMatchEulerDiscreteScheduler,
        SD3Transformer2DModel,
        StableDiffusion3Pipeline,
    )

    tokenizer = build_tokenizer()
    towers = [build_text_encoder(tokenizer, seed=seed + i, pooled=True) for i in range(2)]
    t5, t5_tokenizer = build_t5(width=64, seed=seed)
    torch.manual_seed(seed)
    transformer = SD3Transformer2DModel(
        sample_size=8,
        patch_size=1,
        in_channels=16,
        num_layers=4,  # the last one is of another shape
        attention_head_dim=8,
        num_attention_heads=4,
        caption_projection_dim=32,
        joint_attention_dim=64,
        pooled_projection_dim=64,
        out_channels=16,
    ).eval()
    pipeline = StableDiffusion3Pipeline(
        transformer=transformer,
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=build_vae(latent=16, shift_factor=0.06, scaling_factor=1.5),
        text_encoder=towers[0],
        tokenizer=tokenizer,
        text_encoder_2=towers[1],
        tokenizer_2=build_tokenizer(),
        text_encoder_3=t5,
        tokenizer_3=t5_tokenizer,
    )
    return save(pipeline, folder)


def build_flux(folder: Path, *, seed: int = 0) -> Path:
    """Write a FluxPipeline; ask it for 16x16, its own size is that of the large model."""
    import torch
    from diffusers import FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel

    tokenizer = build_tokenizer()
    t5, t5_tokenizer = build_t5(width=32, seed=seed)
    tower = build_text_encoder(tokenizer, seed=seed)
    torch.manual_seed(seed)
    transformer = FluxTransformer2DModel(
        patch_size=1,
        in_channels=16,
        num_layers=4,
        num_single_layers=4,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=32,
        pooled_projection_dim=32,
        axes_dims_rope=(4, 4, 8),
        guidance_embeds=True,
    ).eval()
    pipeline = FluxPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=build_vae(latent=4, shift_factor=0.06, scaling_factor=1.5),
        text_encoder=tower,
        tokenizer=tokenizer,
        text_encoder_2=t5,
        tokenizer_2=t5_tokenizer,
        transformer=transformer,
    )
    return save(pipeline, folder)


def build_pixart(folder: Path, *, seed: int = 0) -> Path:
    """Write a PixArtAlphaPipeline; it makes 256x256 inside, whatever size it is asked for."""
    import torch
    from diffusers import DPMSolverMultistepScheduler, PixArtAlphaPipeline, PixArtTransformer2DModel

    t5, t5_tokenizer = build_t5(width=32, seed=seed)
    torch.manual_seed(seed)
    transformer = PixArtTransformer2DModel(
        sample_size=32,
        num_layers=4,
        patch_size=2,
        attention_head_dim=8,
        num_attention_heads=2,
        in_channels=4,
        out_channels=8,
        cross_attention_dim=16,
        caption_channels=32,
        use_additional_conditions=False,
    ).eval()
    pipeline = PixArtAlphaPipeline(
        tokenizer=t5_tokenizer,
        text_encoder=t5,
        vae=build_vae(channels=(8, 8, 8, 8)),
        transformer=transformer,
        scheduler=DPMSolverMultistepScheduler(),
    )
    return save(pipeline, folder)


def build_t5(*, width: int, seed: int) -> tuple[Any, Any]:
    """Return a T5 encoder of one layer and a tokenizer that reads one letter a token."""
    import torch
    from transformers import T5Config, T5EncoderModel, T5Tokenizer

    pieces = ["<pad>", "</s>", "<unk>", "▁", *sorted(set(string.printable.strip()))]
    tokenizer = T5Tokenizer([(piece, 0.0 if i < 3 else -2.0) for i, piece in enumerate(pieces)])
    torch.manual_seed(seed)
    config = T5Config(
        vocab_size=len(tokenizer), d_model=width, d_kv=8, d_ff=32, num_layers=1, num_heads=2
    )
    return T5EncoderModel(config).eval(), tokenizer


def save(pipeline: Any, folder: Path) -> Path:
    """Write a pipeline as safetensors."""
    with quiet():
        pipeline.save_pretrained(folder)
    return folder


def build_feature_extractor(*, size: int = 16) -> Any:
    """Return CLIP's image preparation at a small size."""
    from transformers import CLIPImageProcessorPil

    return CLIPImageProcessorPil(
        size={"shortest_edge": size}, crop_size={"height": size, "width": size}
    )


def build_safety_checker() -> Any:
    """Return a safety checker that flags every image: its threshold is below any cosine."""
    import torch
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
    from transformers import CLIPConfig

    vision = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 16,
        "patch_size": 8,
        "projection_dim": 16,
    }
    checker = StableDiffusionSafetyChecker(CLIPConfig(vision_config=vision, projection_dim=16))
    with torch.no_grad():
        checker.concept_embeds_weights.fill_(-2.0)
        checker.special_care_embeds_weights.fill_(2.0)
    return checker.eval()


def build_clip(folder: Path, *, seed: int = 0, width: int = 32, image: int = 16) -> Path:
    """Write a CLIPModel with its processor."""
    import torch
    from transformers import CLIPConfig, CLIPModel, CLIPProcessor

    tokenizer = build_tokenizer()
    tower = {
        "hidden_size": width,
        "intermediate_size": 2 * width,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    text = tower | {
        "vocab_size": len(tokenizer),
        "max_position_embeddings": WINDOW,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    torch.manual_seed(seed)
    config = CLIPConfig(
        text_config=text,
        vision_config=tower | {"image_size": image, "patch_size": 8},
        projection_dim=24,
    )
    model = CLIPModel(config).eval()
    processor = CLIPProcessor(build_feature_extractor(size=image), tokenizer)
    with quiet():
        model.save_pretrained(folder)
        processor.save_pretrained(folder)
    return folder


def build_siglip(folder: Path, *, seed: int = 0) -> Path:
    """Write a SiglipModel that reads 64 tokens, with its image preparation and a tokenizer."""
    import torch
    from transformers import SiglipConfig, SiglipImageProcessorPil, SiglipModel

    tokenizer = build_t5(width=8, seed=seed)[1]
    tower = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    text = tower | {"vocab_size": len(tokenizer), "max_position_embeddings": 64}
    torch.manual_seed(seed)
    model = SiglipModel(
        SiglipConfig(text_config=text, vision_config=tower | {"image_size": 16, "patch_size": 8})
    ).eval()
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        SiglipImageProcessorPil(size={"height": 16, "width": 16}).save_pretrained(folder)
    return folder


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Swallow the progress bars that saving prints."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        yield
