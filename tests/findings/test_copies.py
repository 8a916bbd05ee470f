"""Identical images count once in every statistic; near copies are reported and kept."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.findings.copies import near_rows
from portrayal.findings.data import COPY
from portrayal.importers import import_images, import_labels
from portrayal.runner.analysis import analyze
from portrayal.studies import study_from_dict

PROMPTS = ("a photo of a nurse", "a photo of a chef")
STUDY = study_from_dict(
    {
        "kind": "composition",
        "name": "who",
        "images": 30,
        "prompts": [{"text": text, "factors": {"occupation": text[-5:]}} for text in PROMPTS],
        "axes": ["perceived gender"],
    },
    source="who.toml",
)


def noise(number: int) -> Image.Image:
    rng = np.random.default_rng(number)
    coarse = Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8))
    return coarse.resize((64, 64), Image.Resampling.BICUBIC)


def encoded(image: Image.Image, form: str = "PNG", **settings: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **settings)
    return buffer.getvalue()


def audit_of(tmp_path: Path, images: list[list[bytes]]) -> AuditFolder:
    """Import images, so many per prompt; all of them are labelled as women."""
    rows, files_at = [], tmp_path / "files"
    files_at.mkdir()
    for place, files in enumerate(images):
        for number, data in enumerate(files):
            name = f"{place}-{number}.{'png' if data.startswith(bytes([137])) else 'jpg'}"
            (files_at / name).write_bytes(data)
            rows.append(f"{name},{PROMPTS[place]},{number}\n")
    (files_at / "manifest.csv").write_text("image,prompt,seed\n" + "".join(rows))
    import_images(files_at, tmp_path / "audit")
    labels = tmp_path / "labels.csv"
    labels.write_text("image,label\n" + "".join(f"{row.split(',')[0]},woman\n" for row in rows))
    import_labels(tmp_path / "audit", labels, measurer="somebody", axis="perceived gender")
    audit = AuditFolder(tmp_path / "audit")
    audit.remember_study("who", STUDY.as_dict())
    return audit


def test_thirty_copies_count_once(tmp_path: Path) -> None:
    other = [encoded(noise(number)) for number in range(30)]
    copied = [encoded(noise(99), "JPEG")] * 30
    results = analyze(audit_of(tmp_path, [copied, other]))
    nurse, chef = (
        next(one for one in results.findings if f"{level}: share of woman" in one.question)
        for level in ("nurse", "chef")
    )
    assert (nurse.n, nurse.n_missing, chef.n) == (1, 29, 30)
    section = results.studies[0]
    assert section.dropped == {COPY: 29}
    assert any("29 of 60 images (48%) are identical" in note for note in section.notes)
    (table,) = (part for part in section.parts if part.name == "copies")
    assert table.rows == (("a photo of a nurse", 30, 29, 0, 0.0),)


def test_the_same_pixels_in_another_file_are_a_copy_also_under_another_prompt(
    tmp_path: Path,
) -> None:
    first, second = encoded(noise(1)), encoded(noise(1), compress_level=1)
    assert first != second
    results = analyze(audit_of(tmp_path, [[first, encoded(noise(2))], [second]]))
    assert results.studies[0].dropped[COPY] == 1


def test_near_copies_are_kept_and_reported_by_prompt(tmp_path: Path) -> None:
    nurse = [encoded(noise(1)), encoded(noise(1), "JPEG", quality=70), encoded(noise(2))]
    chef = [encoded(noise(number)) for number in range(5, 9)]
    results = analyze(audit_of(tmp_path, [nurse, chef]))
    assert COPY not in results.studies[0].dropped
    (table,) = (part for part in results.studies[0].parts if part.name == "copies")
    assert table.rows == (("a photo of a nurse", 3, 0, 1, pytest.approx(1 / 3)),)
    near = next(one for one in results.findings if "nearly the same" in one.statistic)
    assert (near.estimate, near.n) == (pytest.approx(1 / 7), 7)


def test_a_version_without_fingerprints_is_counted_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("portrayal.audit.tables.fingerprints", lambda records: [None] * len(records))
        audit = audit_of(tmp_path, [[encoded(noise(1))] * 4, [encoded(noise(2))]])
    assert audit.images(columns=["pixel_hash"]).distinct().fetchall() == [(None,)]
    assert analyze(audit).studies[0].dropped[COPY] == 3


def test_images_that_a_seed_decides_are_all_counted() -> None:
    """A model that makes the same image from two seeds does so; nothing was copied."""
    from portrayal.records import Identity

    class Folder(AuditFolder):
        def __init__(self, generator: Identity) -> None:
            self.header = type("Header", (), {"generator": generator})()  # type: ignore[assignment]

    assert Folder(Identity("diffusers", "sd")).seeds_decide
    assert not Folder(Identity("folder", "files")).seeds_decide
    assert not Folder(Identity("api", "m", {"seeds": "none: numbers"})).seeds_decide


def test_near_rows_agree_with_a_loop() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 256, (40, 192), dtype=np.uint8)
    rows[7] = np.clip(rows[3].astype(int) + rng.integers(-4, 5, 192), 0, 255)
    rows[20] = rows[7]
    apart = [
        [float(np.sqrt(((a.astype(float) - b) ** 2).mean())) for b in rows[:i]]
        for i, a in enumerate(rows)
    ]
    assert near_rows(rows) == [i for i, own in enumerate(apart) if min(own, default=9) <= 4]
