"""Images a second on a GPU, everything included, with Stable Diffusion 1.5's exact shapes.

    python -m benchmarks.gpu_generation [--images N] [--batch N] [--compile auto|on|off]
                                        [--compare] [--tiny]

Random weights do for timing. One image is 512x512 pixels, 50 steps, guidance 7.5, bfloat16. What
is timed is `generate` into a fresh audit folder with two measurers beside it: text encoding,
denoising, decoding, an embedding by CLIP ViT-L/14, a face filter's stand-in (a convolutional
network of about 2 GFLOP an image, what mobile face detectors take), PNG encoding, writing.

The limit is the arithmetic of all networks (counted by torch, not estimated) at the card's peak.
Stages are timed in a second run of one batch with a barrier after each stage; they need not add up
to the first run, where encoding and writing overlap with denoising. The batch size is the one that
`open_generator` finds. Compiling and one batch of warm-up are not timed; their seconds are printed.

--compare also makes a few images as timed, by diffusers' own networks in one batch, and by these
one by one. It prints how far the first and the last are from the second, in levels of 255: what
compiling, our kernels and another batch size change together, and what the batch size changes
alone. The weights are random, so it says how computing differs, not how images of a model do.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.generators import generate, open_generator, writer
from portrayal.loading import quietly
from portrayal.measurers import MeasuresWhileGenerating, Reason, open_measurer
from portrayal.records import Identity, Request
from portrayal_practice.weights import CLIP, PIPELINE, part_folder

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


def build_pipeline(folder: Path, shapes: Shapes, dtype: Any, device: str) -> None:
    """Write a StableDiffusionPipeline of these shapes with random weights."""
    import diffusers
    import torch
    from transformers import CLIPTokenizer

    tokenizer = CLIPTokenizer.from_pretrained(part_folder(PIPELINE) / "tokenizer")
    tokenizer.model_max_length = 77
    with torch.device(device):
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


def build_clip(folder: Path, shapes: Shapes, dtype: Any, device: str) -> None:
    """Write a CLIP of these shapes with random weights."""
    import torch
    from transformers import CLIPImageProcessorPil, CLIPModel, CLIPProcessor, CLIPTokenizer

    size = shapes.image
    tokenizer = CLIPTokenizer.from_pretrained(part_folder(CLIP))
    processor = CLIPImageProcessorPil(
        size={"shortest_edge": size}, crop_size={"height": size, "width": size}
    )
    with torch.device(device):
        model = CLIPModel(clip_configuration(shapes))
    model.to(dtype).save_pretrained(folder)
    CLIPProcessor(processor, tokenizer).save_pretrained(folder)


class FaceFilter:
    """A measurer about as costly as a mobile face detector at 512x512 pixels."""

    identity = Identity("stand-in", "face filter")
    gives = ("numbers",)

    def __init__(self, width: int, batch_size: int, device: str, dtype: Any) -> None:
        from torch import nn

        self.batch_size = batch_size
        widths = (3, width, 2 * width, 4 * width, 4 * width)
        layers: list[Any] = []
        for before, after in itertools.pairwise(widths):
            layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.ReLU()]
        last = nn.Conv2d(widths[-1], 5, 1)
        self._network = nn.Sequential(*layers, last).to(device, dtype).eval()
        self._device, self._dtype = device, dtype

    def measure(self, images: Sequence[Any]) -> list[Mapping[str, Any] | Reason]:
        import numpy as np
        import torch

        pixels = torch.from_numpy(np.stack([np.asarray(image) for image in images]))
        with torch.inference_mode():
            inputs = pixels.to(self._device).permute(0, 3, 1, 2).to(self._dtype) / 255
            scores = self._network(inputs).amax((1, 2, 3)).float().cpu()
        return [{"numbers": {"face": float(score)}} for score in scores]


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


def operations(generator: Any, measurers: Sequence[Any], steps: int) -> float:
    """Count the floating-point operations of one image: two passes a step, decoder, measurers."""
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
    image = generator.probe([Request("a", 0)])[0].image
    step = count(lambda: pipeline.unet(latent, 1, encoder_hidden_states=texts))
    decoder = count(lambda: pipeline.vae.decode(latent))
    looking = sum(count(lambda one=one: one.measure([image])) for one in measurers)
    return float(2 * steps * step + decoder + looking)


def measure_stages(
    folder: Path, generator: Any, measurers: Sequence[Any], images: int, device: str
) -> Counter[str]:
    """Return the seconds of each stage, barriers and all."""
    stages: Counter[str] = Counter()
    audit = AuditFolder.at(folder, generator.identity)
    pipeline = generator._pipeline
    face_filter, encoder = measurers
    compiled = pipeline.unet._compiled_call_impl is not None
    with timed(
        stages,
        device,
        ("text", pipeline, "encode_prompt"),
        ("denoising", pipeline.unet, "_compiled_call_impl" if compiled else "forward"),
        ("decoding", pipeline.vae, "decode"),
        ("filter", face_filter, "measure"),
        ("embedding", encoder, "measure"),
        ("PNG (threads)", writer, "record"),
        ("writing (thread)", audit, "append_counted"),
    ):
        generate_and_look(audit, generator, measurers, [("stages", images)])
    return stages


def generate_and_look(
    audit: AuditFolder, generator: Any, measurers: Sequence[Any], wanted: Sequence[tuple[str, int]]
) -> int:
    """Make images and let measurers look at each as soon as it is stored; return how many."""
    with MeasuresWhileGenerating(audit, measurers) as watching:
        made = generate(audit, generator, wanted, on_stored=watching).made
    for one in measurers:
        assert len(audit.measurements(one.identity, columns=["key"]).fetchall()) == made
    return made


def distances(
    folder: Path, generator: Any, settings: Mapping[str, Any], images: int
) -> dict[str, float]:
    """Return mean distances of pixels from those of diffusers' own networks, and their spread."""
    import numpy as np

    requests = [Request(f"a photo of person {i}", i) for i in range(generator.batch_size)]
    few = requests[:images]
    plain = open_generator(str(folder), compile="off", batch_size=images, **settings)

    def pixels(made: Sequence[Any]) -> Any:
        return np.stack([np.asarray(one.image, np.float64) for one in made[: len(few)]])

    together = pixels(plain.generate(few))
    one_by_one = pixels([plain.generate([request])[0] for request in few])
    ours = pixels(generator.generate(requests))
    return {
        "standard deviation": float(together.std()),
        "one by one, from diffusers' networks": float(np.abs(one_by_one - together).mean()),
        "as timed, from diffusers' networks": float(np.abs(ours - together).mean()),
    }


def main(arguments: Sequence[str] = ()) -> None:
    import torch

    parser = argparse.ArgumentParser(prog="benchmarks.gpu_generation")
    parser.add_argument("--images", type=int, default=512)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--compile", default="on", choices=("auto", "on", "off"))
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args(arguments)
    tiny = given.tiny or not torch.cuda.is_available()
    device, shapes = ("cpu", TINY) if tiny else ("cuda", Shapes())
    images, batch = (8, 4) if tiny else (given.images, given.batch)
    mode = "off" if tiny else given.compile
    with tempfile.TemporaryDirectory() as scratch, quietly("diffusers", "transformers"):
        folder = Path(scratch)
        torch.manual_seed(0)
        build_pipeline(folder / "sd15", shapes, torch.bfloat16, device)
        build_clip(folder / "clip", shapes, torch.bfloat16, device)
        settings = {"steps": shapes.steps, "guidance": 7.5, "dtype": "bfloat16", "device": device}
        generator: Any = open_generator(
            str(folder / "sd15"), batch_size=batch, compile=mode, **settings
        )
        batch = generator.batch_size
        encoder = open_measurer(str(folder / "clip"), device=device, dtype="bfloat16")
        face_filter = FaceFilter(shapes.filter_width, batch, device, torch.bfloat16)
        measurers = (face_filter, encoder)
        cost = operations(generator, measurers, shapes.steps)
        started = time.perf_counter()
        generator.generate([Request("warm", seed) for seed in range(batch)])
        warm_up = time.perf_counter() - started
        audit = AuditFolder.at(folder / "audit", generator.identity)
        wanted = [(f"a photo of person {i}", max(1, images // 8)) for i in range(8)]
        started = time.perf_counter()
        made = generate_and_look(audit, generator, measurers, wanted)
        rate = made / (time.perf_counter() - started)
        name = (
            torch.cuda.get_device_name()
            if not tiny
            else "tiny networks on a CPU: figures mean nothing"
        )
        kernels = "our kernels" if generator._compilation.is_fast else "diffusers' networks"
        print(f"generation, everything included: {name}")
        print(f"{made} images, batch {batch}, {shapes.steps} steps, compile {mode}, {kernels}")
        print(f"{'':44}{'got':>12}  target")
        print(f"{'images a second':44}{rate:>12.2f}  {'' if tiny else f'at least {TARGET:g}'}")
        print(f"{'operations an image, 10^12':44}{cost / 1e12:>12.4g}")
        print(f"{'warm-up and compiling, s':44}{warm_up:>12.1f}")
        if not tiny:
            share = rate / REFERENCE_LIMIT
            print(f"{'share of the limit at peak':44}{rate * cost / PEAK:>12.1%}")
            print(f"{f'share of {REFERENCE_LIMIT:g} a second, the known limit':44}{share:>12.1%}")
            print(f"{f'hours for {PAPER:,} images at this rate':44}{PAPER / rate / 3600:>12.1f}")
        stages = measure_stages(folder / "stages", generator, measurers, batch, device)
        for stage, seconds in stages.items():
            print(f"{f'  {stage}, ms an image':44}{1000 * seconds / batch:>12.2f}")
        if given.compare:
            print("pixels, levels of 255")
            for name, distance in distances(folder / "sd15", generator, settings, 8).items():
                print(f"  {name:42}{distance:>12.3f}")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
