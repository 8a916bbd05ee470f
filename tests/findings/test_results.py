"""The typed results: the same before and after JSON, and clear about what cannot be read."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portrayal.errors import AuditError, NewerFormat
from portrayal.findings import (
    AnalysisSettings,
    Asked,
    Findings,
    LabelRule,
    Results,
    StudySection,
)
from portrayal.findings.parts import (
    DataTable,
    Distribution,
    Forest,
    ImageValue,
    Share,
    Shares,
    SideImage,
    Sides,
    UnknownPart,
)
from portrayal.kinds.amplification.parts import AmplificationScatter, OccupationShares
from portrayal.kinds.association.parts import Arrow, Arrows
from portrayal.kinds.influence.parts import (
    InfluenceAverage,
    InfluenceAverages,
    InfluenceScore,
    InfluenceScores,
)
from portrayal.records import Identity

TEXT = st.text(max_size=8)
NUMBER = st.none() | st.floats()
COUNT = st.integers(0, 10**6)
CELL = TEXT | NUMBER | COUNT | st.booleans()
DETAILS = st.dictionaries(TEXT, st.recursive(CELL, lambda one: st.lists(one, max_size=2)))


def rows(row: Any, **given_fields: Any) -> Any:
    return st.lists(st.builds(row, **given_fields), max_size=3)


def named(part: Any, rows: Any, **more: Any) -> Any:
    return st.builds(part, TEXT, TEXT, rows, note=TEXT, **more)


PARTS = st.one_of(
    st.lists(TEXT, min_size=2, max_size=2).flatmap(
        lambda columns: named(
            lambda name, title, rows, note: DataTable(name, title, columns, rows, note=note),
            st.lists(st.lists(CELL, min_size=2, max_size=2), max_size=3),
        )
    ),
    named(Shares, rows(Share, share=NUMBER, low=NUMBER, high=NUMBER)),
    named(Distribution, rows(ImageValue, value=NUMBER), measurer=TEXT, first=TEXT, second=TEXT),
    named(Sides, rows(SideImage)),
    named(Arrows, rows(Arrow)),
    named(InfluenceScores, rows(InfluenceScore)),
    named(InfluenceAverages, rows(InfluenceAverage)),
    named(AmplificationScatter, rows(OccupationShares)),
)

RULES = st.builds(
    LabelRule,
    axis=TEXT,
    threshold=st.sampled_from([0.0, 0.5, 0.9]),
    answers=st.dictionaries(TEXT, st.tuples(TEXT), max_size=2),
    person=st.tuples(TEXT),
)


@st.composite
def results(draw: Any) -> Results:
    study = draw(TEXT)
    questions = draw(st.lists(TEXT, unique=True, max_size=3))
    findings = []
    for question in questions:
        asked = Asked(study, "kind", question, draw(TEXT), "prompt", draw(TEXT), draw(DETAILS))
        used = {"n": draw(COUNT), "n_missing": draw(COUNT)}
        if draw(st.booleans()):
            estimate = draw(st.floats(allow_nan=False, allow_infinity=False))
            interval = (draw(NUMBER), draw(NUMBER))
            found = asked.answered(estimate, interval, p=draw(NUMBER), sentence="x", **used)
            findings.append(replace(found, q=draw(NUMBER)))
        else:
            findings.append(asked.unanswered("too few", **used))
    forest = Forest.of("forest", draw(TEXT), findings, note=draw(TEXT))
    section = StudySection(
        study, "kind", draw(TEXT), draw(TEXT), draw(TEXT), draw(st.dictionaries(TEXT, COUNT)),
        draw(COUNT), tuple(draw(st.lists(TEXT, max_size=2))),
        (forest, *draw(st.lists(PARTS, max_size=4))),
        tuple(draw(st.lists(RULES, max_size=2))),
    )  # fmt: skip
    settings = AnalysisSettings(
        unit=draw(st.sampled_from(["prompt", "image"])),
        confidence=draw(st.sampled_from([0.9, 0.95])),
        seed=draw(COUNT),
    )
    measurers = (Identity("clip", draw(TEXT), {"scale": 100.0, "list": [1, "a", None]}),)
    who = Identity("kind", draw(TEXT))
    return Results("0.2", who, measurers, settings, Findings(findings), (section,))


@given(results())
def test_results_are_the_same_after_json(found: Results) -> None:
    written = found.as_dict()
    text = json.dumps(written, allow_nan=False)
    assert json.loads(text) == written, "JSON-ready as it is"
    read = Results.from_dict(json.loads(text))
    assert read == found
    assert read.as_dict() == written


def one_finding(**details: Any) -> Results:
    asked = Asked("jobs", "composition", "who?", "share", "image", "clip", details)
    finding = asked.answered(0.5, (0.25, math.nan), p=math.inf, n=8, n_missing=1, sentence="Half.")
    forest = Forest.of("forest", "Shares", [finding])
    section = StudySection("jobs", "composition", "Jobs", "", "", {}, 0, (), (forest,))
    who = Identity("folder", "mine")
    return Results("0.2", who, (), AnalysisSettings(), Findings([finding]), (section,))


def test_nan_and_infinity_are_none_from_the_start() -> None:
    (finding,) = one_finding(t=np.float64("nan"), flips=np.array([1.0, np.inf])).findings
    assert (finding.low, finding.high, finding.p) == (0.25, None, None)
    assert finding.details == {"t": None, "flips": [1.0, None]}
    table = DataTable("t", "t", ["a", "b"], [[np.int64(3), -math.inf]])
    assert table.rows == ((3, None),)
    assert type(table.rows[0][0]) is int


def test_a_finding_has_an_estimate_or_a_reason_why_not() -> None:
    asked = Asked("jobs", "composition", "who?", "share", "image")
    none = asked.unanswered("2 images", n=2, n_missing=3, dropped={"refused": 3}, wanted=5)
    assert (none.estimate, none.low, none.high, none.p, none.q) == (None,) * 5
    assert (none.reason, none.n, none.n_missing) == ("2 images", 2, 3)
    assert none.sentence == "not enough data: 2 images (of 5 images wanted: 3 refused)"
    same = asked.unanswered("all show one", n=9, n_missing=0, sentence="All show one.")
    assert (same.reason, same.sentence) == ("all show one", "All show one.")
    with pytest.raises(ValueError, match="either an estimate or a reason"):
        asked.answered(math.nan, n=0, n_missing=0, sentence="")
    with pytest.raises(ValueError, match="either an estimate or a reason"):
        replace(none, estimate=0.5)


def test_a_forest_shows_findings_that_are_there() -> None:
    found = one_finding()
    with pytest.raises(ValueError, match="jobs: forest shows no finding: 'who\\?'"):
        replace(found, findings=Findings())
    broken = found.as_dict()
    broken["studies"][0]["parts"][0]["questions"] = ["what?"]
    with pytest.raises(AuditError, match=r"jobs: forest shows no finding: 'what\?'"):
        Results.from_dict(broken)


def test_a_row_has_a_cell_for_every_column() -> None:
    with pytest.raises(ValueError, match="t: 1 cells for 2 columns"):
        DataTable("t", "t", ["a", "b"], [[1]])


def test_the_level_of_tests_belongs_to_the_confidence() -> None:
    assert one_finding().level == 0.05
    assert replace(one_finding(), settings=AnalysisSettings(confidence=0.9)).level == 0.1


def test_findings_of_two_studies_that_read_the_same_name_their_study() -> None:
    alone = one_finding()
    (one,), (section,) = alone.findings, alone.studies
    assert alone.line_of(one) == one.conclusion(alone.level)
    more, apart = replace(one, study="two"), replace(one, study="two", question="another?")
    sections = (section, replace(section, study="two", parts=()))
    both = replace(alone, findings=Findings([one, more]), studies=sections)
    assert both.line_of(more) == f"{one.conclusion(both.level)} (two)"
    assert both.line_of(one, asked=True) == f"{one.asked} ({one.study})"
    other = replace(both, findings=Findings([one, apart]))
    assert other.line_of(apart) == apart.conclusion(other.level)


def test_a_part_that_no_package_knows_is_kept_and_shown_as_a_table() -> None:
    data = one_finding().as_dict()
    odd = {"type": "hologram", "name": "h", "title": "H", "depth": 3, "note": "Look.",
           "rows": [{"a": 1}, {"a": 2, "b": "x"}]}  # fmt: skip
    data["studies"][0]["parts"].append(odd)
    read = Results.from_dict(data)
    part = read.studies[0].parts[-1]
    assert isinstance(part, UnknownPart)
    assert part.as_table() == DataTable("h", "H", ["a", "b"], [[1, None], [2, "x"]], note="Look.")
    assert read.as_dict() == data


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 1}, "its format is 1, this portrayal reads 2"),
        ({"format": None}, "its format is None"),
        ({"findings": [{}]}, r"it is not whole: findings\[0\]\.study: Field required"),
        ({"settings": {"unit": "word"}}, "it is not whole: settings.unit: Input should be"),
        ({"studies": [{"parts": [{"name": "x"}]}]}, "it is not whole: "),
    ],
)
def test_what_cannot_be_read_says_how_to_make_it_again(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    file = tmp_path / "results.json"
    file.write_text(json.dumps({**one_finding().as_dict(), **change}))
    with pytest.raises(AuditError, match=said) as caught:
        Results.read(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert str(caught.value).endswith("; run: portrayal analyze AUDIT")
    assert "\n" not in str(caught.value)


def test_later_formats_are_named() -> None:
    with pytest.raises(NewerFormat, match=r"format 3 is newer than this portrayal reads \(2\)"):
        Results.from_dict({"format": 3})


def test_a_file_of_its_own(tmp_path: Path) -> None:
    found = one_finding(axis="perceived gender")
    found.write(tmp_path / "mine.json")
    assert Results.read(str(tmp_path / "mine.json")) == found
