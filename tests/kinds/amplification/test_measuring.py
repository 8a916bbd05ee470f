"""Photographs on both sides: the face detector, not the person question, decides what counts."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from portrayal import runner
from portrayal.audit import AuditFolder
from portrayal.audit.selections import training_audit
from portrayal.importers import import_images
from portrayal.studies.reading import study_from_toml
from portrayal_practice.weights import CLIP, part_folder

STUDY = """\
name = "photographs"
kind = "amplification"
images = 3
captions = 10
sentences = "practice"
names = "none"
prompts = ["A photo of {a occupation}"]
occupations = ["astronaut"]
subsets = ["naive", "no-indicators"]
[axes."perceived gender".groups]
woman = ["A photo of a woman"]
man = ["A photo of a man"]
"""


def encoded(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def astronaut() -> Image.Image:
    """Eileen Collins, a photograph by NASA in the public domain, from scikit-image."""
    from skimage import data

    return Image.fromarray(data.astronaut())


def test_faces_are_looked_for_on_both_sides(
    tmp_path: Path, astronaut: Image.Image, practice_clip_for_all: None
) -> None:
    close = astronaut.crop((100, 0, 400, 300))
    twice = Image.new("RGB", (600, 300))
    twice.paste(close, (0, 0))
    twice.paste(close, (300, 0))
    nobody = Image.new("RGB", (256, 256), "grey")
    captions = {
        "the astronaut Eileen Collins": astronaut,
        "an astronaut smiles at the camera": close,
        "astronauts on their way": twice,
        "the helmet of an astronaut": nobody,
        "a cat": nobody,
    }
    rows = [{"caption": text, "image": encoded(image)} for text, image in captions.items()]
    (tmp_path / "data").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "data" / "part.parquet")
    folder = tmp_path / "made"
    folder.mkdir()
    lines = ["image,prompt,seed"]
    for seed, image in enumerate((astronaut, nobody, astronaut.resize((700, 700)))):
        (folder / f"{seed}.jpg").write_bytes(encoded(image))
        lines.append(f"{seed}.jpg,A photo of an astronaut,{seed}")
    (folder / "manifest.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = tmp_path / "audit"
    import_images(folder, out, name="a model")

    study = study_from_toml(STUDY, source="photographs.toml", name="photographs")
    clip = str(part_folder(CLIP))  # chosen by its folder, it is taken for any images
    models = runner.Models(measurers=(clip,))
    session = runner.Session(out, models=models, corpus=tmp_path / "data")
    session.ask(study)  # type: ignore[arg-type]
    runner.generate(session)
    runner.measure(session)
    for side in (AuditFolder(out), training_audit(AuditFolder(out))):
        assert side is not None
        assert "faces" in {measurer.kind for measurer in side.measurers()}
    (result,) = runner.analyze(session).studies
    dropped = next(table for table in result.parts if table.name == "dropped")
    seen = {(row[0], row[2]): (row[3], row[6]) for row in dropped.rows}
    training, reasons = seen["naive", "training"]
    assert training == 4, "a cat is no astronaut"
    assert "1 more than one face" in reasons
    assert "1 no face" in reasons
    made, why = seen["naive", "generated"]
    assert made == 3
    assert "1 no face" in why
    assert "shows nobody" not in why + reasons
    assert any("centerface finds exactly one face" in note for note in result.notes)
