"""The robustness table: ranges over variants, and which changes a finding has to own up to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from portrayal.audit import AuditFolder
from portrayal.findings import (
    REFUSED,
    AnalysisSettings,
    Asked,
    Finding,
    Results,
    StudyData,
    robustness,
    variations,
)
from portrayal.findings.data import _Usable
from portrayal.findings.label_checks import LabelScale
from portrayal.findings.parts import Robustness
from portrayal.raters import RatedImage, Vote, Votes, chosen_questions, store_votes
from portrayal.records import Identity, ImageRecord, Measurement, image_key
from portrayal.runner.analysis import analyze
from portrayal.studies import study_from_dict

GENDER = "perceived gender"


MAJORITY = LabelScale(0.5, 1.0, 0.0, 1.0)


def finding(
    estimate: float, p: float | None, *, question: str = "q", measurer: str = "a"
) -> Finding:
    asked = Asked("s", "composition", question, "leaning", "prompt", measurer)
    return asked.answered(estimate, p=p, n=20, n_missing=0, sentence="It leans.")


def share(estimate: float, scale: LabelScale = MAJORITY) -> Finding:
    return finding(estimate, None).on_labels(scale)


def named(answer: str, statistic: str) -> Finding:
    asked = Asked("s", "composition", "q", statistic, "prompt", "a", {"answer": answer})
    return asked.answered(0.4, n=20, n_missing=0, sentence="It is this one.")


def row(main: Finding, over: str, *others: Finding) -> Any:
    (table,), remarks = robustness([main], {over: [[one] for one in others]}, alpha=0.05)
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
    (table,), remarks = robustness(both, {}, alpha=0.05)
    assert [one.over for one in table.rows] == ["measurers", "measurers"]
    assert set(remarks) == {"q · a", "q · b"}


def test_without_variants_there_is_no_table() -> None:
    assert robustness([finding(0.5, 0.01), share(0.5)], {}, alpha=0.05) == ([], {})


@pytest.mark.parametrize("over", ["thresholds", "wordings", "seeds"])
def test_a_majority_that_flips_is_said(over: str) -> None:
    found, remark = row(share(0.6), over, share(0.55), share(0.45))
    assert remark == f"Not robust: majority flips over {over}."
    assert (found.lowest, found.highest, found.significant) == (0.45, 0.6, None)
    _, mirrored = row(share(0.4), over, share(0.45), share(0.55))
    assert mirrored == remark


def test_half_is_no_majority_and_one_of_three_groups_needs_none() -> None:
    assert row(share(0.5), "seeds", share(0.6), share(0.7))[1] == ""
    assert row(share(0.6, LabelScale()), "seeds", share(0.4, LabelScale()))[1] == ""


def test_an_untested_estimate_has_no_significance_to_lose() -> None:
    found, remark = row(finding(0.5, None), "thresholds", finding(0.4, None))
    assert (found.significant, remark) == (None, "")
    _, other_sign = row(finding(0.5, None), "thresholds", finding(-0.4, None))
    assert other_sign == "Not robust: sign changes over thresholds."


def test_another_largest_group_is_said_and_more_empty_cells_of_fewer_images_are_not() -> None:
    other = row(named("woman", "largest share"), "seeds", named("man", "largest share"))
    assert other[1] == "Not robust: answer changes over seeds."
    cells = [named("none", "cells without an image"), named("old woman", "cells without an image")]
    assert row(cells[0], "seeds", cells[1])[1] == ""
    assert row(cells[0], "thresholds", cells[1])[1] == "Not robust: answer changes over thresholds."


def test_what_changes_over_several_is_said_once() -> None:
    varied = {over: [[share(0.4)]] for over in ("thresholds", "wordings", "seeds")}
    _, remarks = robustness([share(0.6)], varied, alpha=0.05)
    assert remarks["q"] == "Not robust: majority flips over thresholds, wordings and seeds."


def test_untested_estimates_have_a_table_of_their_own_those_that_flip_first() -> None:
    tested = finding(0.5, 0.01, question="tested")
    same, flips = (replace(share(0.6), question=name) for name in ("same", "flips"))
    findings = [same, tested, flips]
    varied = {"seeds": [[same, tested, replace(flips, estimate=0.4)]]}
    tables, _ = robustness(findings, varied, alpha=0.05)
    assert [(one.name, [r.question for r in one.rows]) for one in tables] == [
        ("robustness", ["tested"]), ("robustness-untested", ["flips", "same"]),
    ]  # fmt: skip


def labelled(folder: Path, *, sure: float, usual: float = 0.9) -> AuditFolder:
    """Return an audit in which most nurses are women and most pilots men, as sure as this."""
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
            as_usual = rng.random() < usual
            woman = (prompt.factors["job"] == "nurse") == as_usual
            shares = {"woman": sure, "man": 1 - sure} if woman else {"man": sure, "woman": 1 - sure}
            key = image_key(audit.generator, prompt.text, seed)
            labels.append(Measurement(key, {"labels": {GENDER: shares}}))
    audit.append_images(images)
    audit.append_measurements(Identity("judge", "toy"), {"labels": "labels"}, labels)
    return audit


def test_a_threshold_that_leaves_nothing_known_is_counted(tmp_path: Path) -> None:
    results = analyze(labelled(tmp_path / "a", sure=0.6))
    for name in ("robustness", "robustness-untested"):
        rows = table_of(results, name).rows
        assert {one.unanswered for one in rows if one.over == "thresholds"} == {2}
        assert {one.unanswered for one in rows if one.over == "seeds"} == {0}


def table_of(results: Results, name: str = "robustness") -> Robustness:
    parts = [part for section in results.studies for part in section.parts]
    (found,) = [one for one in parts if isinstance(one, Robustness) and one.name == name]
    return found


def test_every_estimate_has_rows_and_shares_that_flip_say_so(tmp_path: Path) -> None:
    audit = labelled(tmp_path / "a", sure=0.97, usual=0.55)
    results = analyze(audit)
    untested = table_of(results, "robustness-untested")
    rows = [*table_of(results).rows, *untested.rows]
    for one in results.findings:
        assert {row.over for row in rows if row.question == one.question} == {
            "thresholds", "wordings", "seeds",
        }  # fmt: skip
    flips = [row for row in rows if row.changes == "majority flips"]
    assert flips
    assert all(row.lowest < 0.5 < row.highest for row in flips)
    said = {one.question for one in results.findings if "majority flips over" in one.sentence}
    assert said == {row.question for row in flips}
    # As it is stored, it comes back.
    assert table_of(Results.read(audit), untested.name) == untested
    assert {row.significant for row in untested.rows} == {None}


def test_halves_have_the_same_seeds_for_every_prompt_whatever_was_refused() -> None:
    asked = study_from_dict(
        {"name": "jobs", "kind": "composition", "images": 6, "axes": [GENDER],
         "template": "a photo of {a job}", "factors": {"job": ["nurse", "pilot"]}}
    )  # fmt: skip
    nurse, pilot = (prompt.text for prompt in asked.prompts())
    usable = {nurse: _usable(0, 1, 2, 3, 4, 5), pilot: _usable(0, 2, 3, 4, 5)}
    judge = Identity("judge", "toy")
    data = StudyData(
        Identity("toy", "generator"), judge, "toy", 12, {REFUSED: 1}, 0,
        vectors=None, usable=usable, texts={}, ended={nurse: {}, pilot: {1: REFUSED}},
    )  # fmt: skip
    halves = [one.data[0] for one in variations(asked, [data]) if one.over == "seeds"]
    seeds = [{text: half.usable[text].seeds for text in (nurse, pilot)} for half in halves]
    assert seeds == [
        {nurse: [1, 3, 5], pilot: [3, 5]}, {nurse: [0, 2, 4], pilot: [0, 2, 4]},
    ]  # fmt: skip
    assert [half.ended[pilot] for half in halves] == [{1: REFUSED}, {}]


def _usable(*seeds: int) -> _Usable:
    return _Usable([str(seed) for seed in seeds], list(seeds), list(seeds))


def test_refusals_are_varied_over_wordings_and_seeds(tmp_path: Path) -> None:
    asked = study_from_dict(
        {
            "name": "words",
            "kind": "composition",
            "images": 8,
            "axes": [GENDER],
            "templates": {"photo": "a photo of {a word}", "face": "the face of {a word}"},
            "factors": {"word": ["woman", "man"]},
        }
    )
    audit = AuditFolder.at(tmp_path / "a", Identity("toy", "generator"))
    audit.remember_study(asked.name, asked.as_dict())
    images, labels = [], []
    for prompt in asked.prompts():
        word = prompt.factors["word"]
        for seed in prompt.seeds:
            key = image_key(audit.generator, prompt.text, seed)
            if word == "woman" and seed % 2:
                images.append(ImageRecord(prompt.text, seed, "refused", "rule", None))
                continue
            images.append(ImageRecord(prompt.text, seed, "ok", None, b"x"))
            labels.append(Measurement(key, {"labels": {GENDER: {word: 1.0}}}))
    audit.append_images(images)
    audit.append_measurements(Identity("judge", "toy"), {"labels": "labels"}, labels)
    results = analyze(audit)
    (refused,) = [one for one in results.findings if one.details.get("outcome") == "refused"]
    rows = {row.over: row for row in table_of(results).rows if row.question == refused.question}
    # Labels have no part in it, so thresholds do not vary it.
    assert {over: one.variants for over, one in rows.items()} == {"wordings": 2, "seeds": 2}
    # One half of the seeds has every refusal, and the other none: nothing to compare there.
    assert rows["seeds"].unanswered == 1
    assert rows["seeds"].highest > rows["seeds"].estimate > 0
    assert rows["wordings"].unanswered == 0


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
