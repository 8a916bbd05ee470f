"""The robustness table: ranges over variants, and which changes a finding has to own up to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from portrayal.audit import AuditFolder
from portrayal.findings import AnalysisSettings, Asked, Finding, Results, robustness
from portrayal.findings.parts import Robustness
from portrayal.raters import RatedImage, Vote, Votes, chosen_questions, store_votes
from portrayal.records import Identity, ImageRecord, Measurement, image_key
from portrayal.runner.analysis import analyze
from portrayal.studies import study_from_dict

GENDER = "perceived gender"


def finding(estimate: float, p: float, *, question: str = "q", measurer: str = "a") -> Finding:
    asked = Asked("s", "composition", question, "leaning", "prompt", measurer)
    return asked.answered(estimate, p=p, n=20, n_missing=0, sentence="It leans.")


def row(main: Finding, over: str, *others: Finding) -> Any:
    table, remarks = robustness([main], {over: [[one] for one in others]}, alpha=0.05)
    assert table is not None
    (found,) = table.rows
    return found, remarks.get("q", "")


def test_the_range_covers_the_finding_and_its_variants() -> None:
    found, remark = row(finding(0.5, 0.01), "seeds", finding(0.4, 0.2), finding(0.7, 0.03))
    assert (found.estimate, found.lowest, found.highest) == (0.5, 0.4, 0.7)
    assert (found.variants, found.significant) == (2, 1)
    # Half of the images lose significance without anything being wrong.
    assert remark == found.changes == ""


@pytest.mark.parametrize("over", ["seeds", "wordings", "thresholds"])
def test_another_sign_is_always_said(over: str) -> None:
    _, remark = row(finding(0.5, 0.01), over, finding(-0.1, 0.8))
    assert remark.startswith("Not robust: sign changes")
    assert remark.endswith(f"over {over}.")
    _, mirrored = row(finding(-0.5, 0.01), over, finding(0.1, 0.8))
    assert mirrored == remark


def test_what_is_left_of_sums_that_cancel_is_zero_and_has_no_sign() -> None:
    noise = finding(-4.9e-17, 1.0)
    assert noise.estimate == 0
    assert noise.in_numbers(0.95).startswith("leaning 0;")
    found, remark = row(noise, "seeds", finding(0.3, 0.2), finding(2.8e-17, 1.0))
    assert (found.lowest, remark) == (0, "")


def test_another_threshold_that_undoes_significance_is_said() -> None:
    _, remark = row(finding(0.5, 0.01), "thresholds", finding(0.4, 0.2))
    assert remark == "Not robust: significance changes over thresholds."
    _, either_way = row(finding(0.4, 0.2), "thresholds", finding(0.5, 0.01))
    assert either_way == remark


def test_measurers_are_set_side_by_side() -> None:
    both = [
        finding(0.5, 0.01, question="q · a", measurer="a"),
        finding(-0.5, 0.01, question="q · b", measurer="b"),
    ]
    table, remarks = robustness(both, {}, alpha=0.05)
    assert table is not None
    assert [one.over for one in table.rows] == ["measurers", "measurers"]
    assert set(remarks) == {"q · a", "q · b"}


def test_without_variants_or_tests_there_is_no_table() -> None:
    assert robustness([finding(0.5, 0.01)], {}, alpha=0.05) == (None, {})
    untested = replace(finding(0.5, 0.01), p=None)
    assert robustness([untested], {"seeds": [[untested]]}, alpha=0.05) == (None, {})


def labelled(folder: Path, *, sure: float) -> AuditFolder:
    """Return an audit in which nurses are women and pilots men, as sure as this."""
    asked = study_from_dict(
        {
            "name": "jobs",
            "kind": "composition",
            "images": 24,
            "axes": [GENDER],
            "templates": {"photo": "a photo of {a job}", "face": "the face of {a job}"},
            "factors": {"job": ["nurse", "pilot"]},
        }
    )
    rng = np.random.default_rng(5)
    audit = AuditFolder.at(folder, Identity("toy", "generator"))
    audit.remember_study(asked.name, asked.as_dict())
    images, labels = [], []
    for prompt in asked.prompts():
        for seed in prompt.seeds:
            images.append(ImageRecord(prompt.text, seed, "ok", None, b"x"))
            as_usual = rng.random() < 0.9
            woman = (prompt.factors["job"] == "nurse") == as_usual
            shares = {"woman": sure, "man": 1 - sure} if woman else {"man": sure, "woman": 1 - sure}
            key = image_key(audit.generator, prompt.text, seed)
            labels.append(Measurement(key, {"labels": {GENDER: shares}}))
    audit.append_images(images)
    audit.append_measurements(Identity("judge", "toy"), {"labels": "labels"}, labels)
    return audit


def test_a_threshold_that_leaves_nothing_known_is_counted(tmp_path: Path) -> None:
    rows = table_of(analyze(labelled(tmp_path / "a", sure=0.6))).rows
    assert {one.unanswered for one in rows if one.over == "thresholds"} == {2}
    assert {one.unanswered for one in rows if one.over == "seeds"} == {0}


def table_of(results: Results) -> Robustness:
    (found,) = [p for s in results.studies for p in s.parts if isinstance(p, Robustness)]
    return found


def test_a_strong_finding_holds_over_all_of_them(tmp_path: Path) -> None:
    audit = labelled(tmp_path / "a", sure=0.97)
    results = analyze(audit)
    question = f"{GENDER}: do group shares differ by job?"
    rows = {one.over: one for one in table_of(results).rows if one.question == question}
    assert {over: one.variants for over, one in rows.items()} == {
        "thresholds": 2, "wordings": 2, "seeds": 2,
    }  # fmt: skip
    assert all(one.lowest > 0.5 and one.changes == "" for one in rows.values())
    assert not [one for one in results.findings if "Not robust" in one.sentence]
    # As it is stored, it comes back.
    assert table_of(Results.read(audit)) == table_of(results)


def test_variants_of_a_corrected_finding_are_corrected(tmp_path: Path) -> None:
    audit = labelled(tmp_path / "a", sure=0.6)
    (data,) = audit.studies().values()
    study = study_from_dict(data)
    asked, about, votes = chosen_questions(study, None), {}, []
    for prompt in study.prompts():
        group = "woman" if prompt.factors["job"] == "nurse" else "man"
        for seed in prompt.seeds[::2]:
            key = image_key(audit.generator, prompt.text, seed)
            about[key] = RatedImage(prompt.text, prompt.factors, seed)
            answers = {"person": "yes", "attribute": "yes", asked.axes[0].id: group}
            votes.append(Vote(key, "rater", answers))
    store_votes(audit, Votes(asked, about, votes))
    results = analyze(audit, settings=AnalysisSettings(resamples=199))
    question = f"{GENDER}: do group shares differ by job? · toy"
    (finding,) = [one for one in results.findings if one.question == question]
    assert finding.estimate is not None
    assert finding.labels is not None
    assert finding.labels.status == "corrected"
    assert finding.labels.estimate is not None
    assert finding.labels.estimate < finding.estimate - 0.1
    rows = {one.over: one for one in table_of(results).rows if one.question == question}
    # Uncorrected, nothing is known at the other thresholds, and all halves are as wrong.
    assert all(one.lowest > finding.labels.estimate + 0.05 for one in rows.values())
    assert {one.unanswered for one in rows.values()} == {0}
    assert "Not robust" not in finding.sentence
