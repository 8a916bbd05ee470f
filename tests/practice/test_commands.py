"""The commands of the practice world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import CommandLine, in_a_process


def test_truth_is_readable_in_a_narrow_terminal() -> None:
    said = in_a_process("practice", "truth", "demo-interventions", env={"COLUMNS": "80"})
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "Truth of practice:painter, as planted. The model's own: --of model."
    assert lines[1].split() == ["question", "truth", "95%", "interval", "how"]
    assert lines[2].strip() == "demo-interventions · change of leaning"
    assert lines[3].split()[-3:] == ["-0.75", "–", "exact"]


def test_truth_for_machines_has_every_digit(portrayal: CommandLine) -> None:
    rows = json.loads(portrayal("practice", "truth", "demo-interventions", "--json").out)
    assert rows[0]["truth"] == rows[0]["low"] == rows[0]["high"] == pytest.approx(-0.748, abs=5e-4)
    assert set(rows[0]) == {"study", "question", "statistic", "truth", "low", "high", "how"}


def test_a_kind_without_a_truth_is_one_line(portrayal: CommandLine) -> None:
    said = portrayal("practice", "truth", "demo-amplification")
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert (
        "demo-amplification is of kind amplification, of which no truth can be computed" in said.err
    )


def test_corpus_says_what_it_wrote(portrayal: CommandLine, tmp_path: Path) -> None:
    said = portrayal("practice", "corpus", "--n", "3", "--out", tmp_path / "corpus")
    assert said.code == 0
    assert "wrote 3 captions and images in 1 file to" in said.out + said.err


def test_a_corpus_is_never_made_smaller(portrayal: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    portrayal("practice", "corpus", "--n", "4", "--out", out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    said = portrayal("practice", "corpus", "--n", "3", "--out", out)
    assert said.code == 1
    assert "holds 4 items already, more than the 3 wanted" in said.err
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
