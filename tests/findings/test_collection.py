"""Findings: chosen by their fields, as a frame, as a figure."""

from __future__ import annotations

import pytest

from portrayal.errors import PortrayalError
from portrayal.findings import Asked, Finding, Findings


def finding(question: str, statistic: str = "d", p: float | None = None, **details: str) -> Finding:
    asked = Asked("jobs", "association", question, statistic, "prompt", "clip", details)
    return asked.answered(0.5, (0.2, 0.9), p=p, n=9, n_missing=1, sentence="Found.")


NONE = Asked("words", "influence", "why?", "word influence", "text", "clip").unanswered(
    "no image", n=0, n_missing=4
)
FOUND = Findings(
    [
        finding("a", p=0.01, axis="gender", level="nurse"),
        finding("b", "S", axis="gender"),
        finding("c", axis="skin tone"),
        NONE,
    ]
)


def questions(found: Findings) -> list[str]:
    return [one.question for one in found]


def test_findings_are_chosen_by_fields_and_details() -> None:
    assert questions(FOUND.filter(statistic="d")) == ["a", "c"]
    assert questions(FOUND.filter(statistic=["S", "word influence"])) == ["b", "why?"]
    assert questions(FOUND.filter(statistic="d", axis="gender")) == ["a"]
    assert questions(FOUND.filter(estimate=None)) == ["why?"]
    assert questions(FOUND.filter(level=None)) == ["b", "c", "why?"]
    assert questions(FOUND.filter(n=9, p=0.01)) == ["a"]
    assert questions(FOUND.filter(n=10)) == [], "a number that could be, and is not"
    assert questions(FOUND.filter()) == questions(FOUND)
    assert isinstance(FOUND.filter(study="jobs").filter(axis="skin tone"), Findings)
    assert Findings().filter(study="jobs") == ()


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        ({"statstic": "d"}, "findings have no field 'statstic' (did you mean statistic?); allowed: "
                            "study, kind, question"),
        ({"axes": "gender"}, "findings have no field 'axes' (did you mean axis?)"),
        ({"details": {}}, "findings have no field 'details'"),
        ({"axis": "gendr"}, "no finding has axis = 'gendr' (did you mean gender?); "
                            "allowed: gender, skin tone"),
        ({"statistic": 3}, "no finding has statistic = 3; allowed: d, S, word influence"),
        ({"n": "many"}, "no finding has n = 'many'; allowed: a number"),
    ],
)  # fmt: skip
def test_what_no_finding_has_is_named(wanted: dict[str, object], line: str) -> None:
    with pytest.raises(PortrayalError) as caught:
        FOUND.filter(**wanted)
    assert str(caught.value).startswith(line)


def test_a_frame_has_one_row_per_finding() -> None:
    frame = FOUND.to_frame()
    assert frame["question"].tolist() == ["a", "b", "c", "why?"]
    assert frame["n_missing"].tolist() == [1, 1, 1, 4]
    assert frame["reason"].tolist() == ["", "", "", "no image"]
    assert frame["estimate"].isna().tolist() == [False, False, False, True]
    assert frame["details"][2] == {"axis": "skin tone"}
    assert list(Findings().to_frame()) == list(frame), "columns without rows"


def test_a_plot_has_a_figure_for_every_statistic() -> None:
    one = FOUND.filter(statistic="d").plot().to_dict()
    data = one["layer"][-1].get("data", one.get("data"))
    drawn = one["datasets"][data["name"]]
    assert [(row["question"], row["low"], row["high"]) for row in drawn] == [
        ("a", 0.2, 0.9), ("c", 0.2, 0.9),
    ]  # fmt: skip
    assert one["layer"][1]["encoding"]["x"]["title"] == "d"
    several = FOUND.plot().to_dict()["vconcat"]
    assert [each["layer"][1]["encoding"]["x"]["title"] for each in several] == ["d", "S"]
    with pytest.raises(PortrayalError, match="none of 1 findings has an estimate to plot"):
        FOUND.filter(study="words").plot()


def test_raters_are_set_beside_any_measurer() -> None:
    asked = finding("perceived gender: does the encoder say what raters say? · faces").asked
    assert asked == "perceived gender: does the measurer say what raters say? · faces"
