"""Every analysis that is shown is a look: stored once, counted in its findings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from invented import WIDTH, direction, fill_audit
from portrayal.audit import AuditFolder, compact
from portrayal.audit.repairing import repair
from portrayal.findings import AnalysisSettings, Finding
from portrayal.records import LookRecord, Prompt
from portrayal.runner.analysis import analyze
from portrayal.runner.looks import Stage, counted_looks
from portrayal.statistics import planned_looks, unplanned_looks
from portrayal.studies import Study
from portrayal.studies.axes import default_axes
from portrayal.studies.reading import study_from_toml

AXIS = default_axes()["perceived gender"]
JOBS = """
kind = "composition"
images = 6
axes = ["perceived gender"]
template = "a photo of {a job}"
[factors]
job = ["nurse", "mechanic", "chef"]
"""
SHARES = {"nurse": 0.9, "mechanic": 0.2, "chef": 0.5}


def study(images: int = 6) -> Study:
    return study_from_toml(JOBS, source="jobs.toml", name="jobs").with_images(images)


def showing(prompt: Prompt, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, *prompt.text.encode()])
    group = "woman" if rng.random() < SHARES[prompt.factors["job"]] else "man"
    vector = direction(AXIS.groups[group][0]) + direction(AXIS.person[0])
    return np.asarray(vector + 0.01 * rng.normal(size=WIDTH))


def look(audit: AuditFolder, images: int, **options: object) -> list[Finding]:
    fill_audit(audit, [study(images)], showing)
    return list(analyze(audit, **options).findings)  # type: ignore[arg-type]


def with_test(findings: list[Finding]) -> Finding:
    (found,) = [one for one in findings if one.p is not None]
    return found


def test_one_look_says_nothing_about_looks(audit: AuditFolder) -> None:
    found = look(audit, 6)
    assert {one.look for one in found} == {1}
    assert all(one.p_looks is None and "look" not in one.sentence for one in found)
    rows = audit.looks().df()
    assert len(rows) == len(found)
    spread = with_test(found)
    (row,) = rows[rows.question == spread.question].to_dict("records")
    assert (row["study"], row["p"], row["n"]) == ("jobs", spread.p, spread.n)
    assert row["estimate"] == pytest.approx(spread.estimate)
    assert row["images"] == 18
    assert rows["maximum"].isna().all()


def test_unchanged_images_are_no_look(audit: AuditFolder) -> None:
    look(audit, 6)
    again = look(audit, 6)
    other = list(analyze(audit, settings=AnalysisSettings(unit="image")).findings)
    assert {one.look for one in (*again, *other)} == {1}
    assert len(audit.looks().df()) == len(again)


def test_more_images_are_a_further_look_that_every_finding_counts(audit: AuditFolder) -> None:
    first = with_test(look(audit, 6))
    found = look(audit, 12)
    assert {one.look for one in found} == {2}
    spread = with_test(found)
    assert first.p is not None
    assert spread.p is not None
    expected = unplanned_looks([first.p, spread.p], [18, 36]).p_value
    assert spread.p_looks == pytest.approx(expected)
    assert spread.p_looks is not None
    assert spread.p_looks > spread.p
    assert spread.q_looks == pytest.approx(spread.p_looks)  # the only test
    assert "This was look 2 at this question; counting all looks, p " in spread.sentence
    assert all("look 2" in one.sentence for one in found)
    third = with_test(look(audit, 20))
    assert third.look == 3
    assert third.p_looks is not None
    assert third.p_looks <= spread.p_looks


def test_another_wording_is_another_question(audit: AuditFolder) -> None:
    look(audit, 6)
    reworded = study_from_toml(
        JOBS.replace("a photo of", "a portrait of"), source="jobs.toml", name="jobs"
    )
    fill_audit(audit, [reworded], showing)
    assert {one.look for one in analyze(audit).findings} == {1}


def test_planned_looks_spend_the_level_and_bring_intervals(audit: AuditFolder) -> None:
    first = look(audit, 6, planned={"jobs": Stage(6, 30)}, bounds=True)
    second = look(audit, 12, planned={"jobs": Stage(12, 30)}, bounds=True)
    a, b = with_test(first), with_test(second)
    assert (a.look, b.look) == (1, 2)
    assert a.p_looks == pytest.approx(planned_looks([a.p], [0.2]).p_value)
    expected = planned_looks([a.p, b.p], [0.2, 0.4])
    assert b.p_looks == pytest.approx(expected.p_value)
    strict = AnalysisSettings(confidence=1 - expected.level)
    for one, wide in zip(second, analyze(audit, settings=strict).findings, strict=True):
        assert (one.low_looks, one.high_looks) == pytest.approx((wide.low, wide.high))
        assert wide.high is not None
        assert wide.low is not None
        assert one.low is not None
        assert one.high is not None
        assert wide.high - wide.low > one.high - one.low
    again = list(analyze(audit).findings)  # not planned, and the same images
    assert [(x.look, x.p_looks, x.low_looks) for x in again] == [
        (x.look, x.p_looks, x.low_looks) for x in second
    ]
    unplanned = with_test(look(audit, 18))
    assert unplanned.p_looks == pytest.approx(
        unplanned_looks([a.p, b.p, unplanned.p], [18, 36, 54]).p_value
    )


def test_a_changed_maximum_and_fewer_images_count_as_unplanned() -> None:
    def at(
        images: int, p: float, stage: int | None = None, maximum: int | None = None
    ) -> LookRecord:
        return LookRecord("s", "w", "q", str(images), 0.1, p, images, images, stage, maximum)

    plan = [at(20, 0.1, 2, 10), at(40, 0.02, 4, 10)]
    assert counted_looks(plan, 0.05).method == "planned"
    assert counted_looks([*plan, at(80, 0.01, 8, 40)], 0.05).method == "unplanned"
    fewer = counted_looks([at(40, 0.02), at(20, 0.3), at(60, math.nan)], 0.05)
    assert fewer.p_value == pytest.approx(unplanned_looks([0.3], [40]).p_value)


def test_an_audit_without_looks_is_read_and_a_damaged_log_is_set_aside(audit: AuditFolder) -> None:
    assert len(audit.looks().df()) == 0
    look(audit, 6)
    compact(audit, many=0)
    (part,) = sorted((audit.path / "looks").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-20])
    report = repair(audit.path)
    assert "looks no longer counted" in report.lines()[0]
    assert {one.look for one in analyze(AuditFolder(audit.path)).findings} == {1}
