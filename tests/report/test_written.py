"""Figures and tables of earlier results go with the next report; nobody else's files do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from invented import fill_audit, leaning
from portrayal.audit import AuditFolder
from portrayal.report.written import LIST
from portrayal.runner import Session, verbs
from portrayal.runner.analysis import analyze
from portrayal.studies.reading import study_from_toml

STUDY = """
kind = "association"
images = 6
x = ["rose", "aster"]
y = ["bee", "wasp"]
a = ["love"]
b = ["death"]
"""


@pytest.fixture
def analyzed(audit: AuditFolder) -> AuditFolder:
    fill_audit(audit, [study()], leaning({"rose": 0.4}))
    analyze(audit)
    return audit


def study(name: str = "s") -> object:
    return study_from_toml(STUDY, source=f"{name}.toml", name=name)


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()} - {LIST}


def test_tables_of_the_same_results_stay_in_all_formats(analyzed: AuditFolder) -> None:
    session = Session(analyzed.path)
    csv = verbs.tables(session, ["csv"])
    markdown = verbs.tables(session, ["markdown"])
    verbs.report(session)
    assert names(analyzed.tables_folder) == {one.name for one in [*csv, *markdown]}


def test_tables_of_earlier_results_go_and_what_is_not_ours_stays(analyzed: AuditFolder) -> None:
    session, folder = Session(analyzed.path), analyzed.tables_folder
    first, second, *_ = verbs.tables(session, ["csv", "markdown"])
    second.write_text("edited by hand")
    (folder / "notes.csv").write_text("mine")
    fill_audit(analyzed, [study("another")], leaning({"rose": 0.4}))
    analyze(analyzed)
    verbs.report(session)
    assert names(folder) == {second.name, "notes.csv"}
    assert second.read_text() == "edited by hand"
    again = verbs.tables(session, ["csv"])
    assert names(folder) == {"notes.csv", second.name, *(one.name for one in again)}
    assert first.name in names(folder)


def test_a_list_that_is_damaged_or_names_other_places_removes_nothing(
    analyzed: AuditFolder,
) -> None:
    session, folder = Session(analyzed.path), analyzed.tables_folder
    (first, *_) = verbs.tables(session, ["csv"])
    listed = json.loads((folder / LIST).read_text())
    outside = analyzed.path / "outside.csv"
    outside.write_bytes(first.read_bytes())
    files = {"../../outside.csv": listed["files"][first.name]}
    for text in ("{", "[]", json.dumps({"results": "", "files": files})):
        (folder / LIST).write_text(text)
        verbs.report(session)
        assert outside.exists()
        assert first.exists()
