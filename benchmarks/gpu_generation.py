"""Pictures a second on a GPU, everything included, with Stable Diffusion 1.5's exact shapes.

    python -m benchmarks.gpu_generation [--pictures N] [--batch N] [--compile auto|on|off] [--tiny]

Random weights do for timing. One picture is 512x512 pixels, 50 steps, guidance 7.5, bfloat16. What
is timed is `generate` into a fresh audit folder with a measurer beside it: text encoding,
denoising, decoding, an embedding by CLIP ViT-L/14, a face filter's stand-in (a convolutional
network of about 2 GFLOP a picture, what mobile face detectors take), PNG encoding, writing.

The limit is the arithmetic of all networks (counted by torch, not estimated) at the card's peak.
Stages are timed in a second, shorter run with a barrier after each stage; they need not add up to
the first run, where encoding and writing overlap with denoising.

--tiny makes the same run with small networks on any machine, to see that it works; its figures mean
nothing. Without a GPU that is what happens.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import Audit
from portrayal.generation import generate, open_generator, writer
from portrayal.measurement import open_encoder
from portrayal.models.devices import quietly
from portrayal.practice.weights import CLIP, PIPELINE, part_folder
from portrayal.records import Measurement, Picture, Request, image_key

PEAK = 989e12
"""Dense bfloat16 operations a second of an NVIDIA H200, as its data sheet says."""

PAPER = 248_000
"""Pictures of the amplification paper's grid; it took 240 hours on its card."""

TARGET = 6.0
REFERENCE_LIMIT = 9.6


@dataclass(frozen=True, slots=True)
class Shapes:
    """Sizes of all networks."""

    unet: tuple[int, ...] = (320, 640, 1280, 1280)
    vae: tuple[int, ...] = (128, 256, 512, 512)
    layers: int = 2
    groups: int = 32
    text: tuple[int, int, int] = (768, 12, 12)
    vision: tuple[int, int, int] = (1024, 24, 16)
    patch: int = 14
    image: int = 224
    latent: int = 64
    steps: int = 50
    filter_width: int = 32


TINY = Shapes((32, 64), (16, 32), 1, 8, (32, 2, 2), (32, 2, 2), 8, 16, 8, 2, 4)


def build_networks(shapes: Shapes, bos: int = 49406, eos: int = 49407) -> dict[str, Any]:
    """Return UNet, autoencoder and text tower with random weights."""
    import diffusers
    from transformers import CLIPTextConfig, CLIPTextModel

    width, layers, heads = shapes.text
    n, m = len(shapes.unet), len(shapes.vae)
    unet = diffusers.UNet2DConditionModel(
        sample_size=shapes.latent,
        block_out_channels=shapes.unet,
        layers_per_block=shapes.layers,
        down_block_types=("CrossAttnDownBlock2D",) * (n - 1) + ("DownBlock2D",),
        up_block_types=("UpBlock2D",) + ("CrossAttnUpBlock2D",) * (n - 1),
        cross_attention_dim=width,
        attention_head_dim=8,
        norm_num_groups=shapes.groups,
    )
    vae = diffusers.AutoencoderKL(
        block_out_channels=shapes.vae,
        down_block_types=("DownEncoderBlock2D",) * m,
        up_block_types=("UpDecoderBlock2D",) * m,
        layers_per_block=shapes.layers,
        latent_channels=4,
        norm_num_groups=shapes.groups,
    )
    text = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=49408, hidden_size=width, intermediate_size=4 * width, projection_dim=width,
            num_hidden_layers=layers, num_attention_heads=heads, max_position_embeddings=77,
            bos_token_id=bos, eos_token_id=eos,
        )
    )  # fmt: skip
    return {"unet": unet, "vae": vae, "text_encoder": text}


def build_pipeline(folder: Path, shapes: Shapes, dtype: Any) -> None:
    """Write a StableDiffusionPipeline of these shapes with random weights."""
    import diffusers
    from transformers import CLIPTokenizer

    tokenizer = CLIPTokenizer.from_pretrained(part_folder(PIPELINE) / "tokenizer")
    tokenizer.model_max_length = 77
    networks = build_networks(shapes, tokenizer.bos_token_id, tokenizer.eos_token_id)
    diffusers.StableDiffusionPipeline(
        **networks, tokenizer=tokenizer,
        scheduler=diffusers.DDIMScheduler(clip_sample=False, steps_offset=1),
        safety_checker=None, feature_extractor=None, requires_safety_checker=False,
    ).to(dtype).save_pretrained(folder)  # fmt: skip


def clip_configuration(shapes: Shapes) -> Any:
    """Return the configuration of a CLIP of these shapes."""
    from transformers import CLIPConfig

    def tower(width: int, layers: int, heads: int) -> dict[str, int]:
        return {
            "hidden_size": width, "intermediate_size": 4 * width, "num_hidden_layers": layers,
            "num_attention_heads": heads,
        }  # fmt: skip

    vision = {"image_size": shapes.image, "patch_size": shapes.patch}
    return CLIPConfig(
        text_config={**tower(*shapes.text), "max_position_embeddings": 77},
        vision_config={**tower(*shapes.vision), **vision},
        projection_dim=shapes.text[0],
    )


def build_clip(folder: Path, shapes: Shapes, dtype: Any) -> None:
    """Write a CLIP of these shapes with random weights."""
    from transformers import CLIPImageProcessorPil, CLIPModel, CLIPProcessor, CLIPTokenizer

    size = shapes.image
    tokenizer = CLIPTokenizer.from_pretrained(part_folder(CLIP))
    processor = CLIPImageProcessorPil(
        size={"shortest_edge": size}, crop_size={"height": size, "width": size}
    )
    CLIPModel(clip_configuration(shapes)).to(dtype).save_pretrained(folder)
    CLIPProcessor(processor, tokenizer).save_pretrained(folder)


def build_filter(width: int, device: str, dtype: Any) -> Any:
    """Return a network about as costly as a mobile face detector at 512x512 pixels."""
    from torch import nn

    widths = (3, width, 2 * width, 4 * width, 4 * width)
    layers: list[Any] = []
    for before, after in itertools.pairwise(widths):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.ReLU()]
    return nn.Sequential(*layers, nn.Conv2d(widths[-1], 5, 1)).to(device, dtype).eval()


class Watching:
    """Embeds and filters pictures as they leave the generator, beside the next batch."""

    def __init__(self, audit: Audit, encoder: Any, network: Any) -> None:
        self._audit, self._encoder, self._network = audit, encoder, network
        self._pool = ThreadPoolExecutor(1)
        self._waiting: list[Future[None]] = []

    def __call__(self, batch: Sequence[tuple[Request, Picture]]) -> None:
        self._waiting.append(self._pool.submit(self.look, list(batch)))

    def look(self, batch: Sequence[tuple[Request, Picture]]) -> None:
        seen = [(request, p.image) for request, p in batch if p.image is not None]
        self.filter([image for _, image in seen])
        values = self.embed([image for _, image in seen])
        rows = [
            Measurement(image_key(self._audit.generator, request.prompt, request.seed), value)
            for (request, _), value in zip(seen, values, strict=True)
        ]
        self._audit.append_measurements(self._encoder.identity, self._encoder.columns, rows)

    def embed(self, images: Sequence[Any]) -> Any:
        return self._encoder.measure(images)

    def filter(self, images: Sequence[Any]) -> Any:
        import numpy as np
        import torch

        weight = next(self._network.parameters())
        pixels = torch.from_numpy(np.stack([np.asarray(image) for image in images]))
        with torch.inference_mode():
            inputs = pixels.to(weight.device).permute(0, 3, 1, 2).to(weight.dtype) / 255
            return self._network(inputs).amax((2, 3)).float().cpu()

    def finish(self) -> None:
        for one in self._waiting:
            one.result()
        self._pool.shutdown()


@contextlib.contextmanager
def timed(stages: Counter[str], device: str, *places: tuple[str, Any, str]) -> Iterator[None]:
    """Time calls, with a barrier before and after each: (stage, object, name of its method)."""
    import torch

    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None

    def timing(stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def around(*arguments: Any, **options: Any) -> Any:
            wait()
            started = time.perf_counter()
            answer = call(*arguments, **options)
            wait()
            stages[stage] += time.perf_counter() - started
            return answer

        return around

    before = [(thing, name, getattr(thing, name)) for _, thing, name in places]
    for stage, thing, name in places:
        setattr(thing, name, timing(stage, getattr(thing, name)))
    try:
        yield
    finally:
        for thing, name, call in before:
            setattr(thing, name, call)


def operations(generator: Any, encoder: Any, network: Any, steps: int) -> float:
    """Count the floating-point operations of one picture: two passes a step, decoder, measurers."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    pipeline = generator._pipeline
    weight = next(pipeline.unet.parameters())

    def count(call: Callable[[], Any]) -> int:
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            call()
        return int(counter.get_total_flops())

    size = pipeline.unet.config.sample_size
    latent = torch.zeros(1, 4, size, size, device=weight.device, dtype=weight.dtype)
    texts = torch.zeros(1, 77, pipeline.unet.config.cross_attention_dim).to(latent)
    picture = generator.generate([Request("a", 0)])[0].image
    watching = Watching.__new__(Watching)
    watching._encoder, watching._network = encoder, network
    step = count(lambda: pipeline.unet(latent, 1, encoder_hidden_states=texts))
    decoder = count(lambda: pipeline.vae.decode(latent))
    return float(
        2 * steps * step
        + decoder
        + count(lambda: watching.embed([picture]))
        + count(lambda: watching.filter([picture]))
    )


def measure_stages(
    folder: Path, generator: Any, encoder: Any, network: Any, pictures: int, device: str
) -> Counter[str]:
    """Return the seconds of each stage, barriers and all."""
    stages: Counter[str] = Counter()
    audit = Audit.at(folder, generator.identity)
    watching = Watching(audit, encoder, network)
    pipeline = generator._pipeline
    with timed(
        stages,
        device,
        ("text", pipeline, "encode_prompt"),
        ("denoising", pipeline.unet, "forward"),
        ("decoding", pipeline.vae, "decode"),
        ("embedding", watching, "embed"),
        ("filter", watching, "filter"),
        ("PNG (threads)", writer, "record"),
        ("writing (thread)", audit, "append_images"),
    ):
        generate(audit, generator, [("stages", pictures)], on_pictures=watching.look)
    return stages


def main(arguments: Sequence[str] = ()) -> None:
    import torch

    parser = argparse.ArgumentParser(prog="benchmarks.gpu_generation")
    parser.add_argument("--pictures", type=int, default=512)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--compile", default="on", choices=("auto", "on", "off"))
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args(arguments)
    tiny = given.tiny or not torch.cuda.is_available()
    device, shapes = ("cpu", TINY) if tiny else ("cuda", Shapes())
    pictures, batch = (8, 4) if tiny else (given.pictures, given.batch)
    mode = "off" if tiny else given.compile
    with tempfile.TemporaryDirectory() as scratch, quietly("diffusers", "transformers"):
        folder = Path(scratch)
        torch.manual_seed(0)
        build_pipeline(folder / "sd15", shapes, torch.bfloat16)
        build_clip(folder / "clip", shapes, torch.bfloat16)
        settings = {"steps": shapes.steps, "guidance": 7.5, "dtype": "bfloat16", "device": device}
        plain = open_generator(str(folder / "sd15"), batch_size=batch, compile="off", **settings)
        encoder = open_encoder(str(folder / "clip"), device=device, dtype="bfloat16")
        network = build_filter(shapes.filter_width, device, torch.bfloat16)
        cost = operations(plain, encoder, network, shapes.steps)
        stages = measure_stages(folder / "stages", plain, encoder, network, batch, device)
        generator = plain
        if mode != "off":
            generator = open_generator(
                str(folder / "sd15"), batch_size=batch, compile=mode, **settings
            )
        generator.generate([Request("warm", seed) for seed in range(batch)])
        audit = Audit.at(folder / "audit", generator.identity)
        watching = Watching(audit, encoder, network)
        wanted = [(f"a photo of person {i}", max(1, pictures // 8)) for i in range(8)]
        started = time.perf_counter()
        made = generate(audit, generator, wanted, on_pictures=watching).made
        watching.finish()
        rate = made / (time.perf_counter() - started)
    name = "tiny networks on a CPU: figures mean nothing" if tiny else torch.cuda.get_device_name()
    print(f"generation, everything included: {name}")
    print(f"{made} pictures, batch {batch}, {shapes.steps} steps, compile {mode}")
    print(f"{'':44}{'got':>12}  target")
    print(f"{'pictures a second':44}{rate:>12.2f}  {'' if tiny else f'at least {TARGET:g}'}")
    print(f"{'operations a picture, 10^12':44}{cost / 1e12:>12.4g}")
    if not tiny:
        share = rate / REFERENCE_LIMIT
        print(f"{'share of the limit at peak':44}{rate * cost / PEAK:>12.1%}")
        print(f"{f'share of {REFERENCE_LIMIT:g} a second, the known limit':44}{share:>12.1%}")
        print(f"{f'hours for {PAPER:,} pictures at this rate':44}{PAPER / rate / 3600:>12.1f}")
    for stage, seconds in stages.items():
        print(f"{f'  {stage}, ms a picture':44}{1000 * seconds / batch:>12.2f}")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
