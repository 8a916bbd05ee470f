"""Looking at images in memory gives what looking at the stored ones gives, and never less."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from PIL import Image

from command_line import WORK
from portrayal import runner
from portrayal.audit import AuditFolder
from portrayal.errors import MeasurementError
from portrayal.generators import generate
from portrayal.loading.attempts import Patience
from portrayal.measurers import measure
from portrayal.measurers.while_generating import MeasuresWhileGenerating
from portrayal.records import GeneratedImage, Request
from toy_generators import ColourGenerator, MeanColour

WANTED = [("a", 9), ("refuse this", 2), ("b", 5)]


def watched(folder: Path, *measurers: MeanColour) -> AuditFolder:
    generator = ColourGenerator()
    audit = AuditFolder.at(folder, generator.identity)
    with MeasuresWhileGenerating(audit, measurers) as watching:
        generate(audit, generator, WANTED, on_stored=watching)
    return audit


def seen(audit: AuditFolder, measurer: MeanColour) -> list[Any]:
    return sorted(audit.measurements(measurer.identity).fetchall())


def test_what_is_seen_in_memory_is_what_is_seen_in_files(tmp_path: Path) -> None:
    measurers = MeanColour(), MeanColour(name="half", darkest=127.0)
    audit = watched(tmp_path / "watched", *measurers)
    later = AuditFolder.at(tmp_path / "later", ColourGenerator().identity)
    generate(later, ColourGenerator(), WANTED)
    measure(later, measurers)
    for measurer in measurers:
        assert seen(audit, measurer) == seen(later, measurer)
        assert len(seen(audit, measurer)) == 14
    assert {row[-1] for row in seen(audit, measurers[1])} > {"too dark"}
    assert measure(audit, measurers).measured == 0, "nothing is left to do"


def test_a_measurer_that_draws_on_its_images_does_not_change_the_generators() -> None:
    audit, one = Mock(generator=ColourGenerator().identity), MeanColour(before=blacken)
    image = Image.new("RGB", (2, 2), "red")
    with MeasuresWhileGenerating(audit, [one]) as watching:
        watching([(Request("a", 0), GeneratedImage.ok(image))])
    assert one.batches == [1]
    assert image.getpixel((0, 0)) == (255, 0, 0)


def blacken(images: Sequence[Image.Image]) -> None:
    for image in images:
        image.paste("black", (0, 0, *image.size))


def test_what_fails_in_memory_is_left_to_measure(tmp_path: Path) -> None:
    broken = threading.Event()
    broken.set()

    def fail(images: Sequence[Image.Image]) -> None:
        if broken.is_set():
            raise RuntimeError("not now")

    measurer = MeanColour(before=fail)
    audit = watched(tmp_path / "audit", measurer)
    assert len(audit.images().fetchall()) == 16, "making goes on"
    assert seen(audit, measurer) == []
    assert len(measurer.batches) <= 5, "and is not held up by trying again and again"
    broken.clear()
    assert measure(audit, [measurer], patience=Patience(pause=0)).measured == 14


def test_an_error_of_ours_is_left_to_measure(tmp_path: Path) -> None:
    def fail(images: Sequence[Image.Image]) -> None:
        raise MeasurementError("no")

    audit = watched(tmp_path / "audit", MeanColour(before=fail))
    assert len(audit.images().fetchall()) == 16
    with pytest.raises(MeasurementError, match="no"):
        measure(audit, [MeanColour(before=fail)])


def test_slow_measurers_hold_the_model_back(tmp_path: Path) -> None:
    generator = ColourGenerator()
    ahead = []

    def slow(images: Sequence[Image.Image]) -> None:
        threading.Event().wait(0.05)
        ahead.append(len(generator.batches))

    audit = AuditFolder.at(tmp_path / "audit", generator.identity)
    with MeasuresWhileGenerating(audit, [MeanColour(before=slow)]) as watching:
        generate(audit, generator, [("a", 60)], on_stored=watching)
    assert max(made - looked for looked, made in enumerate(ahead)) <= 8
    assert len(seen(audit, MeanColour())) == 60


def test_a_run_on_a_gpu_looks_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work.toml").write_text(WORK)
    done = {}
    for name in ("plain", "gpu"):
        session = runner.Session(tmp_path / name, models=runner.Models("practice:painter"))
        session.ask(tmp_path / "work.toml")
        done[name] = runner.run(session)
        monkeypatch.setattr(runner.Models, "is_on_gpu", lambda self: True)
    assert [done[name].measured[0].measured for name in done] == [12, 0]
    assert [done[name].measured[0].present for name in done] == [0, 12]
    findings = [[f["estimate"] for f in one.results.as_dict()["findings"]] for one in done.values()]
    assert findings[0] == pytest.approx(findings[1])
