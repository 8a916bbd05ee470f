"""A study that changes under its name: said, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import CommandLine

PAINTER = ("--model", "practice:painter")


def test_a_study_that_takes_anothers_place_is_said(
    portrayal: CommandLine, work: Path, audit: Path
) -> None:
    same = portrayal("analyze", work, "--out", audit)
    assert "another study of this name" not in same.err
    more = portrayal("run", work, "--out", audit, *PAINTER, "--images", "4")
    assert "another study of this name" not in more.err, "more images are no other study"
    work.write_text(work.read_text().replace("a photo of", "a picture of"))
    other = portrayal("analyze", work, "--out", audit)
    assert other.code == 0, other.err
    assert "the audit contains another study of this name" in other.err.replace("\n", " ")
    assert "not enough data" in (audit / "results.json").read_text(), "none of these is made"


@pytest.mark.parametrize("lost", ["images", "measurements"])
def test_an_audit_that_lost_its_images_says_not_enough_data(
    portrayal: CommandLine, audit: Path, lost: str
) -> None:
    for part in (audit / lost).rglob("part-*"):
        part.unlink()
    answer = portrayal("analyze", audit)
    assert answer.code in (0, 1)
    assert "Traceback" not in answer.err
    assert answer.code == 1 or "not enough data" in (audit / "results.json").read_text()


@pytest.mark.parametrize("content", ["{}", '{"images": "x"}'])
def test_a_remembered_study_that_is_none_is_one_line(
    portrayal: CommandLine, work: Path, audit: Path, content: str
) -> None:
    (audit / "studies" / "work.json").write_text(content)
    answer = portrayal("analyze", work, "--out", audit)
    assert answer.code == 0, answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan", "demo", "-n", "9" * 24), "images per prompt is 9999"),
        (("studies", "new", "../../x"), "no folder"),
        (("studies", "new", "x y"), "letters, digits"),
        (("run", "demo", "--out", "/proc/nowhere", *PAINTER), "choose another --out"),
    ],
)
def test_odd_options_are_one_line(
    portrayal: CommandLine, words: tuple[str, ...], said: str
) -> None:
    failed = portrayal(*words)
    assert failed.code == 1
    assert said in failed.err
    assert failed.err.count("\n") <= 2


@pytest.mark.parametrize("rate", ["0", "nan"])
def test_a_rate_that_is_none_is_wrong_usage(portrayal: CommandLine, rate: str) -> None:
    assert "--rate is " in portrayal("plan", "demo", "--rate", rate).usage


def test_repair_sets_a_link_to_nothing_aside(portrayal: CommandLine, audit: Path) -> None:
    link = audit / "images" / f"part-{0:020d}-{'0' * 16}.parquet"
    link.symlink_to("/nonexistent")
    repaired = portrayal("repair", audit)
    assert repaired.code == 0, repaired.err
    assert not link.is_symlink()
    assert portrayal("analyze", audit).code == 0
