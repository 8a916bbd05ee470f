"""compare, and run with several models: words, JSON, a page, one line where it cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import CommandLine
from compared_audits import STUDY, audit_of, share


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    audits = [audit_of(tmp_path / name, share(of)) for name, of in (("old", 0.25), ("new", 0.75))]
    return audits[0].path, audits[1].path


def test_a_difference_is_told_in_words_and_on_a_page(
    portrayal: CommandLine, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    page = tmp_path / "pages" / "old-new.html"
    answer = portrayal("compare", *folders, "--out", page, "--resamples", "299")
    assert answer.code == 0
    assert answer.out.startswith("old and new differ in ")
    words = " ".join(answer.out.split())
    assert "share of women: 25% with old, 75% with new (+50 points)" in words
    assert "No conclusion: neither a difference nor equivalence is shown (2)" in words
    assert f"page: {page}" in answer.err.replace("\n", "")
    text = page.read_text(encoding="utf-8")
    assert "More women with new: 75%, not 25%" in text
    assert "man → woman" in text
    assert str(tmp_path) not in text.replace(str(folders[0]), "").replace(str(folders[1]), "")


def test_json_has_every_question_and_writes_no_page(
    portrayal: CommandLine,
    folders: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = portrayal("compare", *folders, "--json", "--unit", "image", "--margin", "90")
    found = json.loads(answer.out)
    whole = found["differences"][0]
    assert (whole["unit"], whole["margin"]) == ("image", 0.9)
    assert whole["value"] == pytest.approx(0.5)
    assert whole["verdict"] == "differ slightly"
    assert not (tmp_path / "comparison.html").exists()


def test_what_cannot_be_compared_is_one_line(
    portrayal: CommandLine, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    assert portrayal("compare", folders[0]).usage.startswith("AUDIT has 1 audit; allowed: two")
    other = audit_of(tmp_path / "other", share(0.5), {**STUDY, "name": "others"})
    line = portrayal("compare", folders[0], other.path).error
    assert f"portrayal run others --out {folders[0]}" in line
    assert not (tmp_path / "comparison.html").exists()
    answer = portrayal("compare", *folders, "--margin", "0")
    assert "--margin" in answer.usage


def test_run_with_two_models_makes_two_audits_and_compares_them(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "both"
    models = ("--model", "practice:painter", "--model", "practice")
    answer = portrayal("run", work, *models, "--images", "1", "--out", out)
    assert answer.code == 0
    assert "practice-painter and practice cannot be told apart" in " ".join(answer.out.split())
    made = sorted(one.name for one in out.iterdir())
    assert made == ["comparison.html", "practice", "practice-painter"]
    twice = portrayal("run", work, "--model", "practice", "--model", "practice", "--out", out)
    assert twice.usage.startswith("--model names a model twice")
