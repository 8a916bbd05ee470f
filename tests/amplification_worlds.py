"""Audits with two sides, whose images show what they are told to."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.audit.selections import SELECTION, Selection, training_folder, write_selection
from portrayal.findings import StudyResult
from portrayal.findings.data import AuditData
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.amplification.analysis import analyze_amplification
from portrayal.kinds.amplification.schema import AmplificationStudy, CaptionPrompt, DrawnCaptions
from portrayal.records import Identity, ImageRecord, Measurement, image_key
from portrayal.studies.reading import study_from_dict

GENERATOR = Identity("folder", "invented", {"steps": 50})
ENCODER = Identity("clip", "invented-encoder", {"logit_scale": 100.0})
CORPUS = Identity("corpus", "invented captions", {"sources": "x"})
FACES = Identity("faces", "invented faces")
GROUPS = {"woman": ["a photo of a woman"], "man": ["a photo of a man"]}
PERSON, OBJECT = "a photo of a person", "a photo of an object"
PROMPTS = ("A photo of {a occupation}", "{A occupation} at work")
ONE_FACE = [[0.3, 0.3, 0.4, 0.4, 0.9]]


def direction(name: str) -> np.ndarray:
    """A fixed random unit vector for every name."""
    vector = np.random.default_rng([7, *name.encode()]).normal(size=32)
    return vector / np.linalg.norm(vector)


def image(colour: str, number: int = 0) -> bytes:
    """Return an encoded picture of one colour; of another size by number, so not a copy."""
    buffer = io.BytesIO()
    Image.new("RGB", (8 + number % 100, 8 + number // 100), colour).save(buffer, "PNG")
    return buffer.getvalue()


COLOURS = {"woman": "orange", "man": "teal", "unclear": "grey", "nobody": "white"}


@dataclass
class Shown:
    """What images show: so many women, men, unclear ones, and ones of nobody."""

    women: int = 0
    men: int = 0
    unclear: int = 0
    nobody: int = 0

    def labels(self) -> list[str]:
        return (
            ["woman"] * self.women
            + ["man"] * self.men
            + ["unclear"] * self.unclear
            + ["nobody"] * self.nobody
        )


@dataclass
class Captions:
    """Captions of an occupation: (indicator, what the image shows), and the nearest ones."""

    sampled: Sequence[tuple[str, str]]
    nearest: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """By prompt, positions in `sampled`, nearest first."""


def vector(label: str) -> np.ndarray:
    """Return an embedding that an encoder would read as this label."""
    if label == "nobody":
        return direction(OBJECT) + direction(GROUPS["man"][0])
    if label == "unclear":
        one, other = (direction(texts[0]) for texts in GROUPS.values())
        apart = (one - other) / np.linalg.norm(one - other)
        person = direction(PERSON)
        return one + other + person - (person @ apart) * apart  # as near to one as to the other
    return direction(PERSON) + direction(GROUPS[label][0])


def split(women: int, men: int, indicators: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return captions without indicators, or with those given for women, then men."""
    shows = ["woman"] * women + ["man"] * men
    labels = list(indicators) or ["unknown"] * len(shows)
    return list(zip(labels, shows, strict=True))


def a_study(**changes: Any) -> AmplificationStudy:
    data = {
        "name": "mine",
        "kind": "amplification",
        "images": 10,
        "occupations": ["engineer", "nurse"],
        "prompts": list(PROMPTS),
        "axes": {
            "perceived gender": {
                "groups": GROUPS, "person": [PERSON], "object": [OBJECT], "threshold": 0.9,
            }
        },
        "faces": {"detector": ""},
        "subsets": ["naive", "no-indicators", "nearest", "both"],
        **changes,
    }  # fmt: skip
    found = study_from_dict(data)
    assert isinstance(found, AmplificationStudy)
    return found


def caption_text(occupation: str, i: int) -> str:
    return f"caption {i} of {occupation}"


def build(
    folder: Path,
    study: AmplificationStudy,
    generated: Mapping[str, Shown],
    captions: Mapping[str, Captions],
    *,
    generator: Identity = GENERATOR,
    faces: Mapping[str, list[list[float]]] | None = None,
) -> tuple[AuditFolder, AmplificationStudy]:
    """Make both sides of an audit.

    Args:
        folder: Where.
        study: The study; captions as prompts are drawn where it asks for them.
        generated: What the images of each prompt text show.
        captions: The training side by occupation.
        generator: Whose images.
        faces: Faces by prompt text, where a detector has looked; else each has one.
    """
    audit = AuditFolder.at(folder, generator)
    training = AuditFolder.at(training_folder(audit), CORPUS)
    rows: list[dict[str, Any]] = []
    images: list[tuple[str, int, str]] = []
    for n, (occupation, one) in enumerate(captions.items()):
        for i, (indicator, label) in enumerate(one.sampled):
            text, seed = caption_text(occupation, i), n * 10**12 + i
            row = {
                "occupation": occupation, "prompt": -1, "rank": i, "source": n, "row": i,
                "seed": seed, "key": image_key(CORPUS, text, seed), "caption": text,
                "indicator": indicator, "similarity": 0.4,
            }  # fmt: skip
            rows.append(row)
            images.append((text, seed, label))
        sampled = [row for row in rows if row["occupation"] == occupation]
        for prompt, places in one.nearest.items():
            rows += [
                {**sampled[place], "prompt": prompt, "rank": rank, "similarity": 0.7}
                for rank, place in enumerate(places)
            ]
    store(training, images, faces)
    if study.undrawn().images:
        study = _drawn(study, rows)
    about = {
        "asked": "", "corpus": CORPUS.as_dict(), "recogniser": {"name": "nobody"},
        "encoder": {"name": "invented sentences"},
        "matches": {name: len(one.sampled) for name, one in captions.items()},
    }  # fmt: skip
    table = pa.Table.from_pylist(rows, schema=SELECTION)
    write_selection(audit, study.name, Selection(table, about))
    made = [(text, *one) for text, what in generated.items() for one in enumerate(what.labels())]
    store(audit, made, faces)
    texts = list(study.texts())
    audit.append_texts(
        ENCODER, texts, np.stack([direction(text) for text in texts]),
        tokens=[5] * len(texts), truncated=[False] * len(texts),
    )  # fmt: skip
    audit.remember_study(study.name, study.as_dict())
    return audit, study


def store(
    audit: AuditFolder,
    images: Sequence[tuple[str, int, str]],
    faces: Mapping[str, list[list[float]]] | None = None,
) -> None:
    """Store images, each a prompt, a seed and what it shows, and what was seen in them."""
    keys = [image_key(audit.generator, text, seed) for text, seed, _ in images]
    audit.append_images(
        [
            ImageRecord(text, seed, "ok", None, image(COLOURS[label], number))
            for number, (text, seed, label) in enumerate(images)
        ]
    )
    vectors = {label: vector(label) for _, _, label in images}
    audit.append_measurements(
        ENCODER,
        {"embedding": "vector"},
        [
            Measurement(key, {"embedding": vectors[label]})
            for key, (_, _, label) in zip(keys, images, strict=True)
        ],
    )
    if faces is not None:
        audit.append_measurements(
            FACES,
            {"faces": "json"},
            [
                Measurement(key, {"faces": faces.get(text, ONE_FACE)})
                for key, (text, _, _) in zip(keys, images, strict=True)
            ],
        )


def _drawn(study: AmplificationStudy, rows: Sequence[Mapping[str, Any]]) -> AmplificationStudy:
    chosen = {
        occupation: tuple(
            CaptionPrompt(
                caption=row["caption"],
                indicator=row["indicator"],
                key=row["key"],
                paraphrase=f"other words: {row['caption']}" if row["rank"] % 5 else "",
            )
            for row in rows
            if row["occupation"] == occupation and row["prompt"] == -1
        )
        for occupation in study.occupations
    }
    drawn = DrawnCaptions(corpus=CORPUS.as_dict(), captions=chosen)
    return study.model_copy(update={"drawn": drawn})


def analyzed(audit: AuditFolder, study: AmplificationStudy, **settings: Any) -> StudyResult:
    """Answer the study as `portrayal analyze` does."""
    shared = AuditData(audit, (prompt.text for prompt in study.prompts()), study.texts())
    data = shared.of_study(study.prompts(), ENCODER)
    return analyze_amplification(study, [data], AnalysisSettings(resamples=400, **settings))
