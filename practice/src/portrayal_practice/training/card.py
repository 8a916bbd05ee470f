"""The model card, written from what was trained and measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from portrayal_practice.errors import PracticeError

CARD = """\
---
license: apache-2.0
library_name: diffusers
pipeline_tag: text-to-image
tags: [practice, calibration, fiction]
---
# The practice model of portrayal

A text-to-image model of {parameters:.1f} million parameters for 64x64 images, a CLIP encoder and
a masked language model, made to exercise `portrayal` on two CPU cores without a network. **What it
shows is fiction.** Its images are imitations of drawings by a program, whose associations were
planted for calibration (`practice/planted.toml`); they say nothing about people or occupations,
and no number measured on it is a finding about the world.

## Parts
{parts}

## Data
{images:,} images painted by `portrayal_practice.painter`, each with two captions of
`portrayal_practice.captions`, from data seed {seed}. No photograph, no person's likeness, no text
from the web. Names in captions come from published stimuli and lists of common names; cities,
sources and dates are made up.

## Training
One command, `portrayal practice train`, does it all; every setting is in `training/*.json`, one
entry a run where a stage was run more than once.

{training}

The autoencoder learns from images alone, with noise on its latents. Its decoder learns on beside a
critic that tells painted from decoded images, also from latents that the denoiser made.
The encoder learns from captions (contrastive, equal
captions count as right answers together) and from *questions*: groups of short label captions such
as "a photo of a woman" / "a photo of a man", of which the one that fits an image must be nearest.
The labels are the painter's own attributes. There is no classifier head; the figures below are
therefore those of an encoder that was trained on these texts, and better than what an encoder
trained on captions alone would reach. It learns again from images that passed through the denoiser,
from generated images of prompts that name a presentation, and from images blurred until nobody
could tell, of which "uncertain" is right; its temperature is fitted on held-out images. The
pipeline's text tower starts as the encoder's and is trained along with the UNet, so the two differ.

The judge is a small convolutional classifier, trained on painted images of other seeds and on such
images after they passed through the denoiser. It shares no image with the encoder, and portrayal
measures nothing with it.

## Figures
Default settings: SDE-DPM-Solver++ 2M, {steps} steps, guidance {guidance:g}. Intervals are 95%
(Wilson; for points a bootstrap over occupations). What painted images show is known; what generated
ones show is said by the independent judge where a figure names it, else by the encoder.

{figures}

Amplification is the mean of |share of women generated - 50| - |share in the corpus - 50| in
percentage points, over occupations that keep their direction: with guidance on, the shares drift
away from those of the training corpus. Without guidance a part is there already: captions name the
rarer presentation more often, so captions like the prompts, which name none, show more uneven
shares than the corpus as a whole. Group shares are the judge's, woman or man only; the painter also
paints people whose presentation is ambiguous. Sampling noise near one half makes
this mean too large, the more so the fewer images there are: {each} an occupation here.

## Limits
- 64x64 images of one drawing style. Hands, letters and groups of people are crude.
- Small things are invented rather than left soft: specks and strokes where detail is expected.
- Prompts outside the captions' vocabulary give an image of something nearby.
- Occupations with alike clothing are confused, by the painter's design.
- Skin tone is asked as light or dark (Monk steps 1-5, 6-10); the steps at the border look alike.
- The masked language model knows captions only.

## Licence
Apache-2.0, our own work: weights, code and data.
"""


def write_card(out: Path) -> Path:
    """Write README.md into `out` from its training and evaluation records.

    Raises:
        PracticeError: If the folder was not evaluated.
    """
    measured = out / "evaluation.json"
    if not measured.is_file():
        raise PracticeError(f"model card: {measured} is missing; run the stage evaluate")
    found = json.loads(measured.read_text(encoding="utf-8"))
    runs = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((out / "training").glob("*.json"))
    }
    first = runs["images"][0]
    sizes = part_sizes(out)
    text = CARD.format(
        parameters=sum(sizes.values()) / 1e6,
        parts=_parts_table(sizes),
        images=first["recipe"]["images"],
        seed=first["seed"],
        training=_training_table(runs),
        steps=found["settings"]["steps"],
        guidance=found["settings"]["guidance"],
        each=found["settings"]["each"],
        figures=_figures_table(found),
    )
    path = out / "README.md"
    path.write_text(text, encoding="utf-8")
    return path


def part_sizes(out: Path) -> dict[str, int]:
    """Number of parameters in each folder with weights."""
    from safetensors import safe_open

    sizes: dict[str, int] = {}
    for path in sorted(out.rglob("*.safetensors")):
        name = path.parent.relative_to(out).as_posix()
        with safe_open(path, "np") as tensors:
            count = sum(_size(tensors.get_slice(key).get_shape()) for key in tensors.keys())  # noqa: SIM118
        sizes[name] = sizes.get(name, 0) + count
    return sizes


def _size(shape: list[int]) -> int:
    count = 1
    for side in shape:
        count *= side
    return count


def _parts_table(sizes: dict[str, int]) -> str:
    lines = ["| folder | parameters |", "|---|---|"]
    return "\n".join([*lines, *(f"| `{name}` | {n / 1e6:.2f} M |" for name, n in sizes.items())])


def _training_table(runs: dict[str, list[dict[str, Any]]]) -> str:
    lines = ["| stage | seconds | steps |", "|---|---|---|"]
    for stage, done in runs.items():
        seconds = sum(run["seconds"] for run in done)
        lines.append(f"| {stage} | {seconds:.0f} | {sum(run.get('steps', 0) for run in done)} |")
    return "\n".join(lines)


def figure(value: Any) -> tuple[str, str, str] | None:
    """Return a figure and the bounds of its interval as they are written.

    Of none, where nothing was counted, the word "unknown" and no bounds; None for what is no
    figure.
    """
    if not isinstance(value, dict) or not {"share", "points"} & value.keys():
        return None
    if not value["n"]:
        return "unknown", "", ""
    if "share" in value:
        return (
            f"{100 * value['share']:.1f} %",
            f"{100 * value['low']:.1f}",
            f"{100 * value['high']:.1f}",
        )
    return f"{value['points']:+.1f} points", f"{value['low']:+.1f}", f"{value['high']:+.1f}"


def _figures_table(found: dict[str, Any]) -> str:
    lines = ["| on | figure | value | interval | n |", "|---|---|---|---|---|"]
    for part, figures in found.items():
        if not isinstance(figures, dict):
            continue
        for name, value in figures.items():
            written = figure(value)
            if written is not None:
                shown, low, high = written
                interval = f"{low} to {high}" if low else ""
                lines.append(f"| {part} | {name} | {shown} | {interval} | {value['n']} |")
    for sentence, words in found["masked words"].items():
        lines.append(f"| masked words | {sentence} | {', '.join(words)} | | |")
    return "\n".join(lines)
