from __future__ import annotations

import io
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.audit.parts import each_part
from portrayal.errors import AuditError, DamagedPart, MeasurementError
from portrayal.generators import generate
from portrayal.loading.attempts import Patience
from portrayal.measurers import MeasurementSummary, Measurer, loop, measure
from portrayal.measurers.decoding import decode
from portrayal.records import Identity, ImageRecord, image_key
from toy_generators import ColourGenerator, MeanColour

PATIENT = Patience(sleep=lambda seconds: None)


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    generator = ColourGenerator(batch_size=5)
    audit = AuditFolder.at(tmp_path / "audit", generator.identity)
    generate(audit, generator, [("a", 7), ("refuse", 2), ("b", 4)])
    return audit


def rows(audit: AuditFolder, measurer: Measurer) -> dict[str, tuple[object, str | None]]:
    found = audit.measurements(measurer.identity).select("key, embedding, reason").fetchall()
    return {key: (vector, reason) for key, vector, reason in found}


def test_every_image_is_measured_once(audit: AuditFolder) -> None:
    measurer = MeanColour(batch_size=4)
    assert measure(audit, [measurer]) == MeasurementSummary(measured=11)
    assert measurer.batches == [4, 4, 3], "refused images are not shown"
    assert measure(audit, [measurer]) == MeasurementSummary(present=11)
    assert measurer.batches == [4, 4, 3]


def test_measurements_are_those_of_the_images(audit: AuditFolder) -> None:
    measurer = MeanColour()
    measure(audit, [measurer])
    for key, data in audit.read_images(list(rows(audit, measurer))).items():
        mean = np.asarray(Image.open(io.BytesIO(data)), dtype=np.float64).mean(axis=(0, 1))
        assert rows(audit, measurer)[key][0] == pytest.approx(mean, abs=1e-3)


def test_only_images_of_the_prompts_asked_for(audit: AuditFolder) -> None:
    measurer = MeanColour()
    assert measure(audit, [measurer], prompts=["b", "refuse"]) == MeasurementSummary(measured=4)
    assert measure(audit, [measurer]) == MeasurementSummary(measured=7, present=4)


def test_several_measurers_look_side_by_side(audit: AuditFolder) -> None:
    seen: list[tuple[int, int]] = []
    first, second = MeanColour(), MeanColour(name="again")
    measure(audit, [first], prompts=["b"])
    summary = measure(audit, [first, second], on_progress=lambda *now: seen.append(now))
    assert summary == MeasurementSummary(measured=18, present=4)
    assert seen[0] == (4, 22)
    assert seen[-1] == (22, 22)
    assert seen == sorted(seen)


def test_an_image_is_decoded_once_for_all_measurers(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = []
    monkeypatch.setattr(loop, "decode", lambda data: decoded.append(data) or decode(data))
    first, second, third = (MeanColour(name=name, batch_size=n) for name, n in
                            (("a", 2), ("b", 5), ("c", 3)))  # fmt: skip
    measure(audit, [first], prompts=["b"])
    assert len(decoded) == 4
    assert measure(audit, [first, second, third]) == MeasurementSummary(measured=29, present=4)
    assert len(decoded) == 4 + 11
    alone = MeanColour(name="alone")
    measure(audit, [alone])
    for one in (first, second, third):
        assert rows(audit, one) == rows(audit, alone)


def test_a_measurer_is_given_what_it_prepared(audit: AuditFolder) -> None:
    class Prepared(MeanColour):
        def prepare(self, image: Image.Image) -> object:
            if np.asarray(image).mean() < darkest:
                raise ValueError("too dark to prepare")
            return np.asarray(image)

        def measure_prepared(self, prepared: Sequence[Any]) -> Any:
            return super().measure([Image.fromarray(one) for one in prepared])

        def measure(self, images: Sequence[Image.Image]) -> Any:
            raise AssertionError("not asked for")

    plain, darkest = MeanColour(), 0.0
    measure(audit, [plain, Prepared(name="prepared")])
    assert rows(audit, Prepared(name="prepared")) == rows(audit, plain)
    brightness = sorted(float(np.mean(row[0])) for row in rows(audit, plain).values())  # type: ignore[arg-type]
    darkest = (brightness[2] + brightness[3]) / 2
    summary = measure(audit, [Prepared(name="picky")], patience=PATIENT)
    reason = "measuring failed: ValueError: too dark to prepare"
    assert summary == MeasurementSummary(measured=8, reasons={reason: 3})


def test_a_broken_measurer_stops_alone(audit: AuditFolder) -> None:
    def breaks(images: Sequence[Image.Image]) -> None:
        raise RuntimeError("device lost")

    broken, well = MeanColour(name="broken", batch_size=2, before=breaks), MeanColour(batch_size=2)
    with pytest.raises(MeasurementError, match=r"broken: 3 batches .* device lost"):
        measure(audit, [broken, well], patience=PATIENT)
    assert len(rows(audit, well)) == 11
    assert audit.measurements(broken.identity, columns=["key"]).fetchall() == []


def test_nothing_seen_has_its_reason(audit: AuditFolder) -> None:
    measurer = MeanColour(darkest=128.0)
    summary = measure(audit, [measurer])
    assert set(summary.reasons) == {"too dark"}
    assert summary.measured + summary.reasons["too dark"] == 11
    stored = rows(audit, measurer).values()
    assert (
        sum(vector is None and reason == "too dark" for vector, reason in stored)
        == (summary.reasons["too dark"])
    )
    assert measure(audit, [measurer]).present == 11, "a reason is an answer"


def test_corrupt_images_have_a_reason_and_are_not_shown(tmp_path: Path) -> None:
    generator = ColourGenerator()
    audit = AuditFolder.at(tmp_path / "audit", generator.identity)
    audit.append_images([ImageRecord("x", 0, "ok", data=b"junk", width=1, height=1)])
    generate(audit, generator, [("a", 2)])
    measurer = MeanColour()
    summary = measure(audit, [measurer])
    assert summary == MeasurementSummary(measured=2, reasons={"corrupt image": 1})
    key = image_key(generator.identity, "x", 0)
    assert rows(audit, measurer)[key] == (None, "corrupt image")


def test_only_the_guilty_image_is_not_measured(audit: AuditFolder) -> None:
    poison = audit.read_images([image_key(audit.generator, "a", 3)]).popitem()[1]
    pixels = np.asarray(Image.open(io.BytesIO(poison)))

    def fail(images: Sequence[Image.Image]) -> None:
        if any(np.array_equal(np.asarray(image), pixels) for image in images):
            raise ZeroDivisionError("no face")

    summary = measure(audit, [MeanColour(before=fail)], patience=PATIENT)
    reason = "measuring failed: ZeroDivisionError: no face"
    assert summary == MeasurementSummary(measured=10, reasons={reason: 1})


def test_a_full_memory_makes_batches_smaller(audit: AuditFolder) -> None:
    def fits_two(images: Sequence[Image.Image]) -> None:
        if len(images) > 2:
            raise RuntimeError("CUDA out of memory")

    measurer = MeanColour(batch_size=8, before=fits_two)
    assert measure(audit, [measurer]).measured == 11
    assert max(measurer.batches[2:]) == 2


def test_a_broken_measurer_stops_the_run_and_blames_no_image(audit: AuditFolder) -> None:
    shown = []

    def breaks(images: Sequence[Image.Image]) -> None:
        shown.extend(images)
        if len(shown) > 2:
            raise RuntimeError("device lost")

    measurer = MeanColour(batch_size=2, before=breaks)
    with pytest.raises(MeasurementError, match=r"3 batches .* device lost"):
        measure(audit, [measurer], patience=PATIENT)
    assert len(rows(audit, measurer)) == 2, "what was measured before is kept"
    assert measure(audit, [MeanColour()]) == MeasurementSummary(measured=9, present=2)


def test_ctrl_c_stores_what_is_done(audit: AuditFolder) -> None:
    shown = []

    def interrupt(images: Sequence[Image.Image]) -> None:
        shown.extend(images)
        if len(shown) > 4:
            raise KeyboardInterrupt

    measurer = MeanColour(batch_size=2, before=interrupt)
    with pytest.raises(KeyboardInterrupt):
        measure(audit, [measurer])
    assert len(rows(audit, measurer)) == 4
    keys = [
        key
        for folder in (audit.path / "measurements").iterdir()
        for part in each_part(folder, ["key"])
        for key in part["key"]
    ]
    assert len(keys) == 4


def test_the_next_images_are_measured_while_others_are_stored(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = threading.Event()
    waited: list[bool] = []
    append = audit.append_measurements

    def slow(*arguments: Any) -> int:
        waited.append(later.wait(10))
        return append(*arguments)

    def before(images: Sequence[Image.Image]) -> None:
        if len(measurer.batches) > 1:
            later.set()

    measurer = MeanColour(batch_size=2, before=before)
    monkeypatch.setattr(loop, "_STORE_EVERY_S", 0.0)
    monkeypatch.setattr(audit, "append_measurements", slow)
    assert measure(audit, [measurer]) == MeasurementSummary(measured=11)
    assert waited[0], "the first rows are stored while the second batch is measured"
    assert len(rows(audit, measurer)) == 11


@pytest.mark.parametrize(("every", "batches"), [(0.0, 2), (60.0, 6)])
def test_a_disk_that_was_full_for_one_measurer_costs_the_other_nothing(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch, every: float, batches: int
) -> None:
    """It was full at the first rows, or at all of them at the end."""
    first, second = MeanColour(name="first", batch_size=2), MeanColour(batch_size=2)
    append = audit.append_measurements
    asked: list[Identity] = []

    def append_unless_full(measurer: Identity, *arguments: Any) -> int:
        asked.append(measurer)
        if measurer == first.identity and asked.count(measurer) == 1:
            raise AuditError("no space left")
        return append(measurer, *arguments)

    monkeypatch.setattr(loop, "_STORE_EVERY_S", every)
    monkeypatch.setattr(audit, "append_measurements", append_unless_full)
    with pytest.raises(AuditError, match="no space left"):
        measure(audit, [first, second])
    assert len(first.batches) == batches, "it stops as soon as its rows could not be stored"
    assert len(rows(audit, second)) == 11


def test_a_tampered_part_is_named_and_nothing_is_measured_in_it(audit: AuditFolder) -> None:
    part = sorted((audit.path / "images").glob("part-*.parquet"))[0]
    data = bytearray(part.read_bytes())
    data[len(data) // 3] ^= 0xFF
    part.write_bytes(data)
    with pytest.raises(DamagedPart, match=part.name):
        measure(AuditFolder(audit.path), [MeanColour()])


def test_no_images(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", ColourGenerator().identity)
    assert measure(audit, [MeanColour()]) == MeasurementSummary()
    assert measure(audit, []) == MeasurementSummary()


def test_summaries_say_what_happened() -> None:
    summary = MeasurementSummary(1500, 3, {"no face": 2}, texts=4, truncated=1)
    assert summary.sentence() == (
        "1,500 images measured, 3 measured before, 2 not: no face, 4 texts embedded (1 of them cut)"
    )
    assert summary.as_dict()["reasons"] == {"no face": 2}
