"""Images per second on a GPU, everything included, beside the plain loop of a user's script.

    python -m benchmarks.gpu_generation [--model sd15|sdxl|sd3|flux] [--images N] [--batch N]
                                        [--compile auto|on|off] [--tiny]

Exact shapes of a model with random weights, in bfloat16, at the model's usual settings
(`gpu_models`). In one run, on one card:

- the plain loop: diffusers' pipeline called for one image after another, each saved as PNG;
- ours: `generate` into a fresh audit folder with two measurers beside it (CLIP ViT-L/14, and a
  convolutional network of about 2 GFLOP per image, what mobile face detectors take), in the batch
  size that was found fastest. Compiling and one batch of warm-up are timed apart.

Printed are both rates, their ratio, the share of the card's arithmetic that ours uses (operations
counted by torch on diffusers' own networks, at the rate that a large matrix product reaches on this
card), where the time goes in one batch with a barrier after each stage, and how far pixels are from
those of the plain loop, in levels of 255, beside the distance that another batch size alone makes.
The weights are random, so this says how computing differs, not how images of a model do.

--tiny makes the same run with small networks on any machine, to see that it works; its figures mean
nothing. Without a GPU that is what happens.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.gpu_models import MODELS, build, settings_of
from portrayal.audit import AuditFolder
from portrayal.generators import Sampling, generate, generator_of, writer
from portrayal.loading import quietly
from portrayal.measurers import MeasuresWhileGenerating, Reason, open_measurer
from portrayal.records import Identity, Request
from portrayal_practice.weights import CLIP, part_folder

CALLED = {"steps": "num_inference_steps", "guidance": "guidance_scale"}
PLAIN = {"sd15": 4, "sdxl": 3, "sd3": 3, "flux": 6}
IMAGES = {"sd15": 512, "sdxl": 96, "sd3": 64, "flux": 96}
AIMS = {"sd15": "at least 6 images per second", "sdxl": "at least 3.0 times the plain loop",
        "flux": "at least 1.3 times the plain loop"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Looker:
    """Sizes of the measurers' networks."""

    text: tuple[int, int, int] = (768, 12, 12)
    vision: tuple[int, int, int] = (1024, 24, 16)
    patch: int = 14
    image: int = 224
    filter_width: int = 32


TINY_LOOKER = Looker((32, 2, 2), (32, 2, 2), 8, 16, 4)


def clip_configuration(shapes: Looker) -> Any:
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


def build_clip(folder: Path, shapes: Looker, dtype: Any, device: str) -> None:
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


def plain_loop(pipeline: Any, settings: Mapping[str, Any], images: int) -> tuple[float, list[Any]]:
    """Return images per second of a user's own loop, and the images, after one to warm up."""
    import torch

    call = {CALLED.get(name, name): value for name, value in settings.items()}

    def one(seed: int) -> Any:
        noise = torch.Generator("cpu").manual_seed(seed)
        image = pipeline("a photo of a person", generator=noise, **call).images[0]
        image.save(io.BytesIO(), "PNG")
        return image

    one(0)
    started = time.perf_counter()
    made = [one(seed) for seed in range(images)]
    return images / (time.perf_counter() - started), made


def operations(generator: Any, measurers: Sequence[Any], steps: int) -> float:
    """Count the floating-point operations of one image by diffusers' networks and the measurers.

    Texts are not counted: they are encoded once per prompt.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    def count(call: Callable[[], Any]) -> int:
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            call()
        return int(counter.get_total_flops())

    texts = generator._texts_for(["a"])
    noise = torch.Generator("cpu").manual_seed(0)

    def some(steps: int) -> Any:
        call = {**texts, **generator._call, "num_inference_steps": steps}
        return generator._pipeline(**call, generator=noise).images[0]

    image = some(2)
    few, more = (count(lambda steps=steps: some(steps)) for steps in (2, 4))
    looking = sum(count(lambda one=one: one.measure([image])) for one in measurers)
    return float(few + (steps - 2) * (more - few) / 2 + looking)


def matrix_rate(device: str) -> float:
    """Return the operations per second of a large matrix product in bfloat16."""
    import torch

    a, b = (torch.randn(8192, 8192, device=device, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        a @ b
    torch.cuda.synchronize(device)
    started = time.perf_counter()
    for _ in range(20):
        a @ b
    torch.cuda.synchronize(device)
    return 20 * 2 * 8192**3 / (time.perf_counter() - started)


def measure_stages(
    folder: Path, generator: Any, measurers: Sequence[Any], images: int, device: str
) -> Counter[str]:
    """Return the seconds of each stage, barriers and all."""
    stages: Counter[str] = Counter()
    audit = AuditFolder.at(folder, generator.identity)
    pipeline = generator._pipeline
    denoiser = getattr(pipeline, "unet", None) or pipeline.transformer
    # What a network compiled as a whole calls; a clock inside would be compiled along.
    forward = "forward" if denoiser._compiled_call_impl is None else "_compiled_call_impl"
    face_filter, encoder = measurers
    with timed(
        stages,
        device,
        ("text", pipeline, "encode_prompt"),
        ("denoising", denoiser, forward),
        ("decoding", pipeline.vae, "decode"),
        ("filter", face_filter, "measure"),
        ("embedding", encoder, "measure_prepared"),
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


def distance(images: Sequence[Any], others: Sequence[Any]) -> float:
    """Return the mean distance of pixels in levels of 255."""
    import numpy as np

    pairs = zip(images, others, strict=False)
    return float(np.mean([np.abs(np.float64(a) - np.float64(b)).mean() for a, b in pairs]))


class Figures(dict[str, Any]):
    """Figures by name, each printed as soon as it is known: a run takes minutes."""

    def __setitem__(self, what: str, value: Any) -> None:
        super().__setitem__(what, value)
        shown = f"{value:>12.4g}" if isinstance(value, float) else f"{value:>12}"
        print(f"{what:44}{shown}", flush=True)


def run(name: str, *, images: int, batch: int | None, mode: str, tiny: bool, folder: Path) -> None:
    """Run the benchmark of one model."""
    import torch

    device = "cpu" if tiny else "cuda"
    settings = settings_of(name, tiny=tiny)
    looker = TINY_LOOKER if tiny else Looker()
    started = time.perf_counter()
    pipeline = build(name, tiny=tiny, device=device)
    found = Figures()
    found["building, s"] = time.perf_counter() - started
    found["plain loop, images per second"], plain = plain_loop(
        pipeline, settings, 2 if tiny else PLAIN[name]
    )
    started = time.perf_counter()
    generator: Any = generator_of(
        pipeline, name, Sampling(**settings), files={}, batch_size=batch,
        compile=mode,
    )  # fmt: skip
    found["finding the batch size, s"] = time.perf_counter() - started
    found["batch size"] = batch = generator.batch_size
    build_clip(folder / "clip", looker, torch.bfloat16, device)
    encoder = open_measurer(str(folder / "clip"), device=device, dtype="bfloat16")
    face_filter = FaceFilter(looker.filter_width, batch, device, torch.bfloat16)
    measurers = (face_filter, encoder)
    cost = operations(generator, measurers, settings["steps"])
    few = [Request("a photo of a person", seed) for seed in range(len(plain))]
    found["pixels: standard deviation"] = float(torch.tensor(
        [list(image.tobytes()[::97]) for image in plain], dtype=torch.float32).std())  # fmt: skip
    together = [one.image for one in generator._generate(few)]
    found["pixels: distance by batch size alone"] = distance(together, plain)
    started = time.perf_counter()
    warm = [Request("a photo of a person", seed) for seed in range(batch)]
    ours = [one.image for one in generator.generate(warm)]
    found["compiling and one batch, s"] = time.perf_counter() - started
    found["pixels: distance of ours"] = distance(ours, plain)
    audit = AuditFolder.at(folder / "audit", generator.identity)
    wanted = [(f"a photo of person {i}", max(1, images // 8)) for i in range(8)]
    started = time.perf_counter()
    found["images"] = generate_and_look(audit, generator, measurers, wanted)
    rate = found["images"] / (time.perf_counter() - started)
    found["ours, images per second"] = rate
    found["times the plain loop"] = rate / found["plain loop, images per second"]
    found["operations per image, 10^12"] = cost / 1e12
    if not tiny:
        found["matrix product, 10^12 per second"] = matrix_rate(device) / 1e12
        found["share of the counted arithmetic"] = (
            rate * cost / (1e12 * found["matrix product, 10^12 per second"])
        )
        found["peak memory, GB"] = torch.cuda.max_memory_allocated() / 1e9
    stages = measure_stages(folder / "stages", generator, measurers, batch, device)
    for stage, seconds in stages.items():
        found[f"{stage}, ms per image"] = 1e3 * seconds / batch


def main(arguments: Sequence[str] = ()) -> None:
    import torch

    parser = argparse.ArgumentParser(prog="benchmarks.gpu_generation")
    parser.add_argument("--model", default="sd15", choices=tuple(MODELS))
    parser.add_argument("--images", type=int)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--compile", default="on", choices=("auto", "on", "off"))
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args(arguments)
    tiny = given.tiny or not torch.cuda.is_available()
    images, batch = (8, 4) if tiny else (given.images or IMAGES[given.model], given.batch)
    mode = "off" if tiny else given.compile
    settings = settings_of(given.model, tiny=tiny)
    card = "tiny networks on a CPU: figures mean nothing" if tiny else torch.cuda.get_device_name()
    print(f"{MODELS[given.model].name}, {settings}: {card}", flush=True)
    with tempfile.TemporaryDirectory() as scratch, quietly("diffusers", "transformers"):
        run(given.model, images=images, batch=batch, mode=mode, tiny=tiny, folder=Path(scratch))
    if given.model in AIMS:
        print(f"aim on an NVIDIA H200: {AIMS[given.model]}")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
