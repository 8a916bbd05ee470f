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
    tokenizer: Any, *, width: int = 32, seed: int = 0, pooled: bool = False
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
        max_position_embeddings=WINDOW,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return (CLIPTextModelWithProjection if pooled else CLIPTextModel)(config).eval()


def build_vae(*, channels: tuple[int, ...] = (16, 32), latent: int = 4, **extra: Any) -> Any:
    """Return a small autoencoder; every level but the last halves the picture."""
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
    """Write a StableDiffusionPipeline whose pictures are 16x16 at the default sizes."""
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
    """Return a safety checker that flags every picture: its threshold is below any cosine."""
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


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Swallow the progress bars that saving prints."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        yield
