"""Tables as files: every table of the page, exact as CSV, escaped and rounded for papers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from portrayal.audit import AuditFolder
from portrayal.errors import PortrayalError
from portrayal.findings import DataTable, Results, Sides
from portrayal.report import tables, write_tables


def test_every_table_is_written_in_every_format(audit: AuditFolder, tmp_path: Path) -> None:
    results = Results.read(audit)
    parts = [part for one in results.studies for part in one.parts if not isinstance(part, Sides)]
    files = write_tables(audit, tmp_path / "t", formats=("csv", "latex", "markdown", "csv"))
    assert len(files) == len(set(files)) == 3 * (1 + len(parts))
    assert {file.suffix for file in files} == {".csv", ".tex", ".md"}
    frame = pd.read_csv(tmp_path / "t" / "findings.csv")
    known = [one.estimate for one in results.findings if one.estimate is not None]
    assert frame["estimate"].dropna().tolist() == pytest.approx(known), "all digits"
    named = [(one.study, one.question, one.measurer, one.look) for one in results.findings]
    told = frame.fillna({"measurer": ""})[["study", "question", "measurer", "look"]]
    assert list(told.itertuples(index=False, name=None)) == named
    assert "p, all looks" in frame
    shares = (tmp_path / "t" / "work-shares-perceived-gender-by-occupation.md").read_text()
    assert "| perceived gender | " in shares
    assert "%" in shares


def test_what_a_level_contains_stays_text(audit: AuditFolder, tmp_path: Path) -> None:
    write_tables(audit, tmp_path, formats=("latex", "markdown"))
    text = "".join(file.read_text() for file in tmp_path.glob("odd-*.tex"))
    assert r"some \\textless{}i\\textgreater{}".replace("\\\\", "\\") in text
    for file in tmp_path.glob("*.tex"):
        body = [line for line in file.read_text().splitlines() if " & " in line]
        assert len({line.replace("\\&", "").count("&") for line in body}) <= 1, file


def test_an_unknown_format_is_one_line_and_writes_nothing(
    audit: AuditFolder, tmp_path: Path
) -> None:
    with pytest.raises(PortrayalError, match="'docx' is unknown; allowed: csv, latex, markdown"):
        write_tables(audit, tmp_path / "t", formats=("csv", "docx"))
    assert not (tmp_path / "t").exists()


def test_latex_compiles(reported: Path, tmp_path: Path) -> None:
    """Prompts of this audit have quotes, tags and ampersands; symbols are those of our texts."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed; on Debian: apt-get install texlive-latex-base")
    files = write_tables(AuditFolder(reported), tmp_path, formats=("latex",))
    odd = DataTable("s", "−1 → ±2 × ≤ ≥ ∞ Δ α κ τ “x” – …", ("-1", "_"), [[1, ""]])
    symbols = tables._latex(odd)
    (tmp_path / "symbols.tex").write_text(symbols, encoding="utf-8")
    body = "\n".join(rf"\input{{{one.name}}}\clearpage" for one in [*files, Path("symbols.tex")])
    head = r"\documentclass{article}\usepackage{booktabs}"
    text = rf"{head}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "all.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
