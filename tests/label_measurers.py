"""A measurer of a user's own, which gives labels and no embeddings, and images for it to label."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.records import Identity, ImageRecord, Prompt
from portrayal.studies.schema import Study

COLOURS = {
    "woman": (255, 165, 0),
    "man": (0, 128, 128),
    "unclear": (128, 128, 128),
    "nobody": (255, 255, 255),
}
"""What images show, by their colour; the worlds of amplification studies use the same."""

GENDER = "perceived gender"


class ColourJudge:
    """Tells a woman from a man by the colour of an image."""

    identity = Identity("judge", "colours")
    gives = ("labels",)
    axes: Mapping[str, Sequence[str]] = {GENDER: ("woman", "man")}

    def measure(self, images: Sequence[Image.Image]) -> list[dict[str, object]]:
        sure = {
            "woman": {"woman": 0.95, "man": 0.05},
            "man": {"man": 0.97},
            "nobody": {"nobody": 1},
        }
        return [{"labels": {GENDER: sure.get(shown(image), {"man": 0.3})}} for image in images]


def shown(image: Image.Image) -> str:
    """Say which colour an image is nearest to."""
    mean = np.asarray(image, dtype=np.float64).mean(axis=(0, 1))
    return min(COLOURS, key=lambda name: float(np.abs(mean - COLOURS[name]).sum()))


def png(what: str, number: int = 0) -> bytes:
    """Return an encoded image that shows this; of another size by number, so not a copy."""
    buffer = io.BytesIO()
    Image.new("RGB", (8 + number % 100, 8 + number // 100), COLOURS[what]).save(buffer, "PNG")
    return buffer.getvalue()


def store_images(audit: AuditFolder, study: Study, what: Callable[[Prompt, int], str]) -> None:
    """Store the images of a study, each showing what a rule says, and the study."""
    audit.remember_study(study.name, study.as_dict())
    audit.append_images(
        [
            ImageRecord(prompt.text, seed, "ok", None, png(what(prompt, seed), number))
            for number, (prompt, seed) in enumerate(
                (prompt, seed) for prompt in study.prompts() for seed in prompt.seeds
            )
        ]
    )
