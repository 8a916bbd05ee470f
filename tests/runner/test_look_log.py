"""Every analysis that is shown is a look: stored once, counted in its findings."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from invented import ENCODER, GENERATOR, OTHER_ENCODER, WIDTH, direction, fill_audit
from portrayal.audit import AuditFolder, compact
from portrayal.audit.repairing import repair
from portrayal.findings import AnalysisSettings, Asked, Finding, Results, form_of, one_sided
from portrayal.numbers import bound
from portrayal.records import Identity, LookRecord, Prompt, digest
from portrayal.report import write_report, write_tables
from portrayal.report.first_screen import chosen
from portrayal.runner import rename, retire
from portrayal.runner.analysis import analyze
from portrayal.runner.looks import Stage, agreeing_bounds, counted_looks, similar_levels
from portrayal.runner.recomputation import verify_results
from portrayal.sharing import card_metadata, card_text
from portrayal.statistics import Interval, benjamini_hochberg, planned_looks, unplanned_looks
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
LASTING = f" · {ENCODER.name} {ENCODER.digest[:6]}"
SHARES = {"nurse": 0.9, "mechanic": 0.2, "chef": 0.5}


def study(images: int = 6) -> Study:
    return study_from_toml(JOBS, source="jobs.toml", name="jobs").with_images(images)


def showing(prompt: Prompt, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, *prompt.text.encode()])
    group = "woman" if rng.random() < SHARES[prompt.factors["job"]] else "man"
    vector = direction(AXIS.groups[group][0]) + direction(AXIS.person[0])
    return np.asarray(vector + 0.01 * rng.normal(size=WIDTH))


def other_showing(prompt: Prompt, seed: int) -> np.ndarray:
    return showing(prompt, seed + 1000)


def look(audit: AuditFolder, images: int, **options: object) -> list[Finding]:
    fill_audit(audit, [study(images)], showing)
    return list(analyze(audit, **options).findings)  # type: ignore[arg-type]


def look_by(
    audit: AuditFolder, images: int, *encoders: Identity, **options: object
) -> list[Finding]:
    for encoder in encoders:
        seen = showing if encoder is ENCODER else other_showing
        fill_audit(audit, [study(images)], seen, encoder=encoder)
    return list(analyze(audit, **options).findings)  # type: ignore[arg-type]


def with_test(findings: list[Finding], measurer: str = "") -> Finding:
    (found,) = [one for one in findings if one.p is not None and measurer in (one.measurer, "")]
    return found


def looks_of(findings: list[Finding], measurer: Identity = ENCODER) -> set[int]:
    found = {one.look for one in findings if one.measurer.startswith(measurer.name)}
    assert found
    return found


def test_one_look_says_nothing_about_looks(audit: AuditFolder) -> None:
    found = look(audit, 6)
    assert {one.look for one in found} == {1}
    assert all(one.p_looks is None and "look" not in one.sentence for one in found)
    rows = audit.looks().df()
    assert len(rows) == len(found)
    spread = with_test(found)
    (row,) = rows[rows.question == spread.question + LASTING].to_dict("records")
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
    assert "This was look 2: images were added since the one before; counting all looks, p " in (
        spread.sentence
    )
    assert all("look 2" in one.sentence for one in found)
    third = with_test(look(audit, 20))
    assert third.look == 3
    assert third.p_looks is not None
    assert third.p_looks <= spread.p_looks


def test_what_is_significant_at_one_look_and_not_over_all_is_nowhere_called_significant(
    audit: AuditFolder,
) -> None:
    look(audit, 6)
    found = with_test(look(audit, 8))
    assert found.q is not None
    assert found.q_looks is not None
    assert found.q < 0.05 < found.q_looks
    results = Results.read(audit)
    assert found.verdict(results.level) == "no significant difference"
    assert chosen(results) == []
    page = write_report(audit).read_text()
    assert "<h2>No significant difference was found</h2>" in page
    assert "verdicts count all looks" in page
    assert found.headline is not None
    assert found.headline.claim not in page
    card = card_text(results, images=24)
    assert found.headline.otherwise in card
    assert "| q | q, all looks |" in card
    (table,) = [one for one in write_tables(audit, audit.tables_folder) if "findings" in one.name]
    rows = pd.read_csv(table).set_index("question")
    row = rows.loc[found.question]
    assert row["verdict"] == "no significant difference"
    assert row["q, all looks"] == pytest.approx(found.q_looks)


def test_a_first_look_beside_second_ones_is_corrected_with_them(audit: AuditFolder) -> None:
    look(audit, 6)
    look(audit, 8)
    other = study_from_toml(JOBS.replace("photo", "drawing"), source="o.toml", name="other")
    fill_audit(audit, [other.with_images(12)], showing)
    second, first = (one for one in analyze(audit).findings if one.p is not None)
    if second.study == "other":
        second, first = first, second
    assert (second.look, first.look, first.p_looks) == (2, 1, None)
    assert first.p is not None
    assert second.p_looks is not None
    both = benjamini_hochberg([second.p_looks, first.p])
    assert [second.q_looks, first.q_looks] == pytest.approx(both.tolist())


def test_a_further_measurer_begins_no_new_count(audit: AuditFolder) -> None:
    first = with_test(look_by(audit, 6, ENCODER))
    rows = len(audit.looks().df())
    both = look_by(audit, 6, OTHER_ENCODER)
    assert with_test(both, ENCODER.name).question == f"{first.question} · {ENCODER.name}"
    assert {one.look for one in both} == {1}
    assert len(audit.looks().df()) == 2 * rows  # of the other measurer's questions, no others
    second = look_by(audit, 12, ENCODER, OTHER_ENCODER)
    assert {one.look for one in second} == {2}
    spread = with_test(second, ENCODER.name)
    assert spread.p_looks == pytest.approx(unplanned_looks([first.p, spread.p], [18, 36]).p_value)
    retire(audit, "measurer", OTHER_ENCODER.name, reason="not needed")
    alone = list(analyze(audit).findings)
    assert with_test(alone).question == first.question
    assert {one.look for one in alone} == {2}
    assert {one.look for one in look_by(audit, 20, ENCODER)} == {3}


def test_a_measurer_of_the_same_name_begins_no_new_count(audit: AuditFolder) -> None:
    look_by(audit, 6, ENCODER)
    namesake = Identity("clip", ENCODER.name, {"logit_scale": 50.0})
    found = look_by(audit, 12, ENCODER, namesake)
    by_label = {one.measurer: one.look for one in found}
    assert by_label == {f"{ENCODER.name} {ENCODER.digest[:6]}": 2,
                        f"{ENCODER.name} {namesake.digest[:6]}": 1}  # fmt: skip


def test_another_title_or_name_of_a_study_begins_no_new_count(audit: AuditFolder) -> None:
    look(audit, 6)
    titled = study(12).model_copy(update={"title": "Jobs", "question": "Who is shown?"})
    fill_audit(audit, [titled], showing)
    assert {one.look for one in analyze(audit).findings} == {2}
    rename(audit, "jobs", "occupations", reason="a clearer name")
    assert {one.look for one in analyze(audit).findings} == {2}


def test_other_settings_on_the_same_images_are_no_look_and_give_their_own_p(
    audit: AuditFolder,
) -> None:
    look(audit, 6)
    first = with_test(look(audit, 12))
    other = list(analyze(audit, settings=AnalysisSettings(resamples=99)).findings)
    assert {one.look for one in other} == {2}
    spread = with_test(other)
    assert first.p is not None
    assert spread.p is not None
    assert spread.p > first.p
    earlier = audit.looks().df().p.dropna().iloc[0]
    assert spread.p_looks == pytest.approx(unplanned_looks([earlier, spread.p], [18, 36]).p_value)


def with_looks_of_version_0_1(audit: AuditFolder, *shown: dict[int, str]) -> AuditFolder:
    """Return an audit with its looks alone, by number of images named as findings were shown."""
    old = AuditFolder.at(audit.path.parent / "old", GENERATOR)
    titled = {name: study().as_dict()[name] for name in ("name", "title", "question")}
    asked = digest({**study().wording(), **titled})
    names = list(LookRecord.__dataclass_fields__)
    rows = audit.looks().select(", ".join(names)).fetchall()
    looks = [LookRecord(**dict(zip(names, row, strict=True))) for row in rows]
    for endings in shown:
        old.append_looks(
            [
                replace(one, asked=asked, question=one.question.replace(LASTING, ending))
                for one in looks
                for images, ending in endings.items()
                if one.images == 3 * images
            ]
        )
    return old


@pytest.mark.parametrize("measurers", [(ENCODER,), (ENCODER, OTHER_ENCODER)])
def test_looks_stored_under_the_names_of_version_0_1_count(
    audit: AuditFolder, measurers: tuple[Identity, ...]
) -> None:
    first = with_test(look_by(audit, 6, ENCODER))
    old = with_looks_of_version_0_1(audit, {6: ""})
    assert looks_of(look_by(old, 6, *measurers)) == {1}
    found = look_by(old, 12, *measurers)
    assert looks_of(found) == {2}
    spread = with_test(found, ENCODER.name)
    assert spread.p_looks == pytest.approx(unplanned_looks([first.p, spread.p], [18, 36]).p_value)
    third = look_by(old, 20, ENCODER, OTHER_ENCODER)
    assert looks_of(third) == {3}
    assert looks_of(third, OTHER_ENCODER) == {3 if OTHER_ENCODER in measurers else 1}


def test_looks_of_version_0_1_before_and_after_a_further_measurer_are_one_count(
    audit: AuditFolder,
) -> None:
    look_by(audit, 6, ENCODER)
    look_by(audit, 12, ENCODER)
    named = f" · {ENCODER.name}"
    old = with_looks_of_version_0_1(audit, {6: ""}, {6: named, 12: named})
    found = look_by(old, 20, ENCODER, OTHER_ENCODER)
    assert looks_of(found) == {3}
    assert looks_of(found, OTHER_ENCODER) == {1}


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


def test_bounds_wanted_of_stored_looks_are_kept_by_later_analyses(audit: AuditFolder) -> None:
    """They were shown once, and gone from the next analysis: that look is not new."""
    look(audit, 6, planned={"jobs": Stage(6, 30)})
    decided = look(audit, 12, planned={"jobs": Stage(12, 30)})
    assert {one.low_looks for one in decided} == {None}
    wide = list(analyze(audit, planned={"jobs": Stage(12, 30)}, bounds=True).findings)
    assert all(one.low_looks is not None for one in wide)
    assert list(analyze(audit).findings) == wide
    assert verify_results(audit).problems == []


def test_looks_that_were_not_planned_bring_intervals_unasked(audit: AuditFolder) -> None:
    first = look(audit, 6)
    assert {one.low_looks for one in first} == {None}
    second = look(audit, 12)
    level = unplanned_looks([math.nan] * 2, [18, 36]).level
    assert level < 0.005
    strict = analyze(audit, settings=AnalysisSettings(confidence=1 - level), keep=False)
    for one, wide in zip(second, strict.findings, strict=True):
        assert (one.low_looks, one.high_looks) == pytest.approx((wide.low, wide.high), abs=1e-6)
        assert one.low is not None
        assert one.low_looks is not None
        assert one.low_looks <= one.low
        assert "; counting all looks 95% CI " in one.in_numbers(0.95)
    assert list(analyze(audit).findings) == second
    assert verify_results(audit).problems == []


def test_planned_looks_without_a_width_bring_none(audit: AuditFolder) -> None:
    look(audit, 6, planned={"jobs": Stage(6, 30)})
    decided = look(audit, 12, planned={"jobs": Stage(12, 30)})
    assert {one.low_looks for one in decided} == {None}
    unplanned = look(audit, 18)
    assert None not in {one.low_looks for one in unplanned}


def test_interval_and_p_of_all_looks_never_contradict_each_other(audit: AuditFolder) -> None:
    sides = set()
    for images in (4, 6, 8, 12, 16):
        one = with_test(look(audit, images))
        if one.low_looks is not None and one.p_looks is not None:
            assert (one.low_looks > 0) == (one.p_looks <= 0.05)
            sides.add(one.low_looks > 0)
    assert sides == {False, True}


@pytest.mark.parametrize("sign", [1, -1])
def test_what_an_earlier_look_left_out_stays_out(sign: int) -> None:
    """The combined p never rises: an interval with 0 in it would contradict a p below .05."""
    asked = Asked("s", "association", "q", "d", "prompt")
    found = asked.answered(0.1 * sign, p=0.3, n=40, n_missing=0, sentence="It leans.")

    def at(images: int, estimate: float, p: float) -> LookRecord:
        return LookRecord("s", "w", "q", str(images), sign * estimate, p, images, images)

    ends = Interval(-0.2, 0.4) if sign > 0 else Interval(-0.4, 0.2)
    seen = [at(20, 0.8, 1e-6), at(40, 0.1, 0.3)]
    assert counted_looks(seen, 0.05).p_value < 0.05
    low, high = agreeing_bounds(ends, found, seen, 0.05)
    assert (low > 0 and high == 0.4) if sign > 0 else (high < 0 and low == -0.4)
    # Without that look, an interval that leaves out 0 would claim more than p does.
    beside = Interval(0.1, 0.4) if sign > 0 else Interval(-0.4, -0.1)
    low, high = agreeing_bounds(beside, found, [at(20, 0.1, 0.3), seen[1]], 0.05)
    assert low <= 0 <= high
    # A test that looks one way only and the interval, which looks both ways, answer two questions.
    one_way = replace(found, details=one_sided("greater"))
    assert agreeing_bounds(ends, one_way, seen, 0.05) == ends


def test_levels_that_are_nearly_the_same_are_computed_once(audit: AuditFolder) -> None:
    look_by(audit, 6, ENCODER, OTHER_ENCODER)
    both = look_by(audit, 12, ENCODER, OTHER_ENCODER)
    assert {one.low_looks is None for one in both} == {False}
    alike = similar_levels({"a": 0.0024, "b": 0.0022, "c": 0.001})
    assert alike == [(0.0024, {"a": 0.0024, "b": 0.0022}), (0.001, {"c": 0.001})]


def test_bounds_that_count_looks_are_in_tables_and_the_model_card(
    audit: AuditFolder, tmp_path: Path
) -> None:
    look(audit, 6, planned={"jobs": Stage(6, 30)})
    found = look(audit, 12, planned={"jobs": Stage(12, 30)}, bounds=True)
    results = Results.read(audit)
    first, *_ = write_tables(audit, tmp_path, formats=["csv"])
    row = pd.read_csv(first).iloc[0]
    one = found[0]
    assert [row["low, all looks"], row["high, all looks"]] == pytest.approx(
        list(one.deciding_interval)
    )
    markdown = write_tables(audit, tmp_path, formats=["markdown"])[0].read_text()
    ends = [bound(end, form=form_of(one.statistic)) for end in one.deciding_interval]
    assert f"| {' | '.join(ends)} |" in markdown
    card = card_text(results, images=36)
    assert "| 95% CI | 95% CI, all looks | q | q, all looks | n |" in card
    assert " to ".join(ends) in card
    (study_results,) = card_metadata(results)["model-index"]
    told = study_results["results"][0]["metrics"][0]["args"]
    assert (told["low_looks"], told["high_looks"]) == one.deciding_interval


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


def test_intervals_of_very_strict_looks_stay_in_the_possible_range(audit: AuditFolder) -> None:
    strict = AnalysisSettings(confidence=0.999)
    look(audit, 6)
    found = look(audit, 8, settings=strict, bounds=True)
    shares = [one for one in found if one.statistic == "group share"]
    assert {one.look for one in shares} == {2}
    for one in shares:
        assert one.low_looks is not None
        assert one.high_looks is not None
        assert 0 <= one.low_looks < one.high_looks <= 1


def test_an_audit_without_looks_is_read_and_a_damaged_log_is_set_aside(audit: AuditFolder) -> None:
    assert len(audit.looks().df()) == 0
    look(audit, 6)
    compact(audit, many=0)
    (part,) = sorted((audit.path / "looks").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-20])
    report = repair(audit.path)
    assert "looks no longer counted" in report.lines()[0]
    assert {one.look for one in analyze(AuditFolder(audit.path)).findings} == {1}
