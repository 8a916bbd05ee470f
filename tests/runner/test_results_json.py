"""results.json is a promise to other tools: its layout is docs/results.schema.json."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from invented import fill_audit, leaning
from portrayal.audit import AuditFolder
from portrayal.errors import StudyError
from portrayal.findings import AnalysisSettings, Asked, Finding, Headline, Results, StudyResult
from portrayal.findings.parts import Forest
from portrayal.kinds import Kind
from portrayal.runner.analysis import analyze, corrected
from portrayal.studies import load_studies, load_study, registered_kinds

SCHEMA = Path(__file__).parents[2] / "docs" / "results.schema.json"


def test_results_json_follows_its_schema(audit: AuditFolder) -> None:
    study = load_study("demo-flowers-insects")
    fill_audit(audit, [study], leaning({"flowers": 0.2}))
    results = analyze(audit)
    stored = json.loads((audit.path / "results.json").read_text(encoding="utf-8"))
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(stored, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**stored, "findings": [{"study": "s"}]}, schema)
    assert list(stored) == [
        "format", "portrayal", "generator", "measurers", "settings", "findings", "studies",
        "labels",
        "sources",
    ]  # fmt: skip
    assert stored["format"] == 2
    assert stored["generator"]["name"] == "invented"
    assert [one["name"] for one in stored["measurers"]] == ["invented-encoder"]
    assert stored["settings"] == AnalysisSettings().as_dict()
    assert {one["type"] for one in stored["studies"][0]["parts"]} == {
        "forest", "distribution", "arrows", "table", "robustness",
    }  # fmt: skip
    assert stored["studies"][0]["citation"] == study.citation
    assert Results.read(audit) == results


def test_every_kind_is_one_and_goes_by_the_name_of_its_schema() -> None:
    kinds = registered_kinds()
    assert list(kinds) == [
        "composition",
        "association",
        "intervention",
        "influence",
        "amplification",
    ]
    for name, kind in kinds.items():
        assert isinstance(kind, Kind)
        assert kind.study.model_fields["kind"].annotation.__args__ == (name,)  # type: ignore[union-attr]


def test_only_some_studies(audit: AuditFolder) -> None:
    studies = [load_study(name).with_images(2) for name in ("straight-gay", "light-dark-skin")]
    fill_audit(audit, studies, leaning({}))
    found = analyze(audit, studies=studies[:1])
    assert {one.study for one in found.findings} == {"straight-gay"}


def test_a_broken_study_of_the_audit_is_named(audit: AuditFolder) -> None:
    audit.remember_study("mine", {"kind": "association", "name": "mine", "colour": 1})
    with pytest.raises(StudyError, match=r"mine\.json: colour is unknown"):
        analyze(audit)


def test_unused_images_are_said(audit: AuditFolder) -> None:
    study = load_study("demo-flowers-insects")
    fill_audit(audit, [study.with_images(6)], leaning({}))
    found = analyze(audit, studies=[study])
    assert any("96 more images of these prompts" in note for note in found.studies[0].notes)
    assert found.as_dict()["studies"][0]["unused"] == 96


def test_eight_tests_take_under_five_seconds(audit: AuditFolder) -> None:
    """10,000 resamples and all intervals, 8,310 embeddings of 512 numbers."""
    rng = np.random.default_rng(0)
    studies = [one for one in load_studies("t2iat") if one.name != "occupations-gender"]
    fill_audit(audit, studies, lambda prompt, seed: rng.normal(size=512), texts=None)
    start = time.process_time()
    found = analyze(audit, settings=AnalysisSettings(resamples=10_000))
    assert time.process_time() - start < 5
    assert len([one for one in found.findings if one.p is not None]) == 8


def test_a_finding_that_correction_takes_away_says_so() -> None:
    def finding(question: str, p: float) -> Finding:
        asked = Asked("s", "association", question, "d", "prompt")
        return asked.answered(1.0, (0.1, 2.0), p=p, n=9, n_missing=0, sentence="Found.")

    headline = Headline("It differs", "No significant difference", "share of women", 0.5)
    findings = [finding("a", 0.03).with_headline(headline), finding("b", 0.5)]
    forest = Forest.of("t", "t", findings)
    result = StudyResult("s", "association", "s", findings, [forest])
    (done,) = corrected([result])
    assert [one.q for one in done.findings] == pytest.approx([0.06, 0.5])
    assert done.findings[0].verdict(0.05) == "no significant difference"
    assert done.findings[0].conclusion(0.05) == "No significant difference"
    assert done.findings[0].in_numbers(0.95) == "d 1.0, 95% CI 0.10 to 2.0, q = .060; 9 images"
    assert [row[5] for row in forest.as_table(done.findings).rows] == pytest.approx([0.06, 0.5])
    (alone,) = corrected([StudyResult("s", "association", "s", findings[:1])])
    assert alone.findings[0].verdict(0.05) == "significant"
    assert alone.findings[0].conclusion(0.05) == "It differs"
