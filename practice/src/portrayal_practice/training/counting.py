"""Group shares of the model's own images, counted once with very many of them by the judge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from portrayal_practice.training.evaluation import ShippedPipeline
from portrayal_practice.training.judge import Judge
from portrayal_practice.training.questions import with_article
from portrayal_practice.vocabulary import OCCUPATIONS
from portrayal_practice.weights import DEFAULT_GUIDANCE, DEFAULT_STEPS, SHARES, part_folder

if TYPE_CHECKING:
    from portrayal_practice.training.stages import Order

IMAGES = 400
"""Per prompt."""
TOGETHER = 32
"""Prompts whose images are generated together."""
STUDIES = ("occupations", "demo", "entigen")


def prompts_of_studies() -> list[str]:
    """Prompts whose shares are counted: every occupation, and those of the studies named above."""
    from portrayal.studies import load_studies

    found = [f"a photo of {with_article(name)}" for name in OCCUPATIONS]
    for name in STUDIES:
        for study in load_studies(name):
            if {"perceived gender", "skin tone"} & set(study.asked_axes()):
                found += [prompt.text for prompt in study.prompts()]
    return list(dict.fromkeys(found))


def count_shares(order: Order) -> None:
    """Generate images of every prompt, let the judge count, write the table."""
    device = order.machine().device
    judge = Judge(part_folder("judge", root=order.out), device)
    pipeline = part_folder("pipeline", root=order.out)
    generator = ShippedPipeline(pipeline, device, small=order.small)
    if order.prompts is not None:
        prompts = order.prompts.read_text(encoding="utf-8").splitlines()
    else:
        prompts = prompts_of_studies()
    each = 1 if order.small else IMAGES
    rows = []
    prompts = prompts[:3] if order.small else prompts
    for start in range(0, len(prompts), TOGETHER):
        some = prompts[start : start + TOGETHER]
        asked = [prompt for prompt in some for _ in range(each)]
        said = judge.answers(generator.make(asked, seed=1000 + start))
        for number, prompt in enumerate(some):
            own = slice(number * each, (number + 1) * each)
            shown = np.bincount(said["presentation"][own], minlength=3).tolist()
            tone = np.bincount(said["dark"][own], minlength=2).tolist()
            rows.append({"prompt": prompt, "presentation": shown, "tone": tone})
    settings = {
        "steps": DEFAULT_STEPS,
        "guidance": DEFAULT_GUIDANCE,
        "sampler": generator.pipeline.scheduler.config.algorithm_type,
        "images": each,
    }
    text = ",\n".join(json.dumps(row) for row in rows)
    path = order.out / SHARES
    path.write_text(
        f'{{"settings": {json.dumps(settings)},\n"order": '
        f'{{"presentation": ["woman", "man", "ambiguous"], "tone": ["light", "dark"]}},\n'
        f'"rows": [\n{text}\n]}}\n',
        encoding="utf-8",
    )
