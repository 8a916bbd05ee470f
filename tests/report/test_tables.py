"""Tables as files: every table of the page, exact as CSV, escaped and rounded for papers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from portrayal.audit import AuditFolder
from portrayal.errors import PortrayalError
from portrayal.findings import Results, Sides
from portrayal.report import write_tables


def test_every_table_is_written_in_every_format(audit: AuditFolder, tmp_path: Path) -> None:
    results = Results.read(audit)
    parts = [part for one in results.studies for part in one.parts if not isinstance(part, Sides)]
    files = write_tables(audit, tmp_path / "t", formats=("csv", "latex", "markdown", "csv"))
    assert len(files) == len(set(files)) == 3 * (1 + len(parts))
    assert {file.suffix for file in files} == {".csv", ".tex", ".md"}
    frame = pd.read_csv(tmp_path / "t" / "findings.csv")
    known = [one.estimate for one in results.findings if one.estimate is not None]
    assert frame["estimate"].dropna().tolist() == pytest.approx(known), "all digits"
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
