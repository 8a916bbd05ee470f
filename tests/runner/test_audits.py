"""An audit from Python: what it offers, before and after it was analyzed."""

from __future__ import annotations

from pathlib import Path

import pytest

import portrayal as pt
from command_line import VALENCE, WORK
from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.findings import Results
from portrayal.runner.studies import find_studies
from toy_generators import ColourGenerator


def test_before_an_analysis_a_summary_says_what_to_run(tmp_path: Path) -> None:
    folder = AuditFolder.at(tmp_path / "a&b", ColourGenerator().identity)
    audit = pt.Audit(str(folder.path))
    with pytest.raises(AuditError, match="portrayal analyze"):
        audit.findings  # noqa: B018
    summary = audit._repr_html_()
    assert "a&amp;b" in summary
    assert "<li>0 images</li>" in summary
    assert "portrayal analyze" in summary
    assert "<svg" not in summary
    assert "Open the report" not in summary


def test_what_a_run_gives_and_what_is_opened_again_agree(tmp_path: Path) -> None:
    (tmp_path / "work.toml").write_text(WORK)
    told: list[str] = []
    audit = pt.run(
        tmp_path / "work.toml",
        model="practice:painter",
        out=tmp_path / "audit",
        analysis=pt.AnalysisSettings(confidence=0.9, resamples=99),
        on_progress=lambda what, done, total: told.append(what),
    )
    again = pt.Audit(tmp_path / "audit")
    assert {"images", "measured"} <= set(told)
    assert again.findings == audit.findings == Results.read(audit.path).findings
    assert audit.results.settings.confidence == 0.9
    assert audit.report.is_file()
    labels = again.labels.to_frame()
    assert len(again.labels) == len(labels) == 12
    assert set(labels["key"]) == set(audit.images().df()["key"])
    assert labels["label"].isin(["woman", "man", "unknown", "nobody"]).all()
    assert again.measurements().df().shape[0] == 12
    assert "<svg" in again._repr_html_()


def test_results_and_labels_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "work.toml").write_text(WORK)
    asked = {"model": "practice:painter", "out": tmp_path / "audit"}
    audit = pt.run(tmp_path / "work.toml", **asked)
    labels, results = audit.labels, audit.results
    assert audit.labels is labels
    assert audit.results is results
    more = pt.run(tmp_path / "work.toml", **asked, images=4)
    assert len(audit.labels) == len(labels), "what was read stays"
    assert len(more.labels) > len(labels)
    assert pt.Audit(audit.path).findings == more.findings != audit.findings


def test_studies_in_a_list_are_names_files_and_objects(tmp_path: Path) -> None:
    for name, text in (("work", WORK), ("valence", VALENCE)):
        (tmp_path / f"{name}.toml").write_text(text)
    valence = pt.load_study(tmp_path / "valence.toml")
    asked = ["occupations", str(tmp_path / "work.toml"), valence]
    assert [one.name for one in find_studies(asked)] == ["occupations", "work", "valence"]
    plan = pt.plan(asked, images=2)
    assert plan.to_frame()["study"].tolist() == ["occupations", "work", "valence", "all together"]
