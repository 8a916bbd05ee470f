"""Figures: every part that has one is drawn, and the files open."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, PortrayalError
from portrayal.findings import Asked, Results, StudySection
from portrayal.findings.charts import MOST_POINTS, distribution, forest
from portrayal.findings.parts import (
    DataTable,
    Distribution,
    Forest,
    ImageValue,
    Part,
    RowsPart,
    Share,
    Shares,
    Sides,
)
from portrayal.findings.results import part_types
from portrayal.kinds import Kind
from portrayal.kinds.association.parts import Arrows
from portrayal.kinds.influence.charts import influence
from portrayal.kinds.influence.parts import (
    InfluenceAverage,
    InfluenceAverages,
    InfluenceScore,
    InfluenceScores,
)
from portrayal.report import write_figures
from portrayal.report.figures import figure

WORDS = InfluenceScores(
    "words",
    "Words",
    [
        InfluenceScore("the", 1, "woman", 0.1, 0.0, 0.2, 0.04, -0.4, 0.6),
        InfluenceScore("nurse", 2, "woman", 0.5, 0.3, 0.7, 0.001, 0.0, 1.0),
        InfluenceScore("the", 3, "woman", None, None, None, None, None, None),
        InfluenceScore("the", 4, "woman", -0.2, -0.4, 0.0, 0.05, -0.7, 0.3),
        InfluenceScore("the", 1, "man", -0.1, -0.2, 0.0, 0.04, -0.6, 0.4),
        InfluenceScore("nurse", 2, "man", -0.5, -0.7, -0.3, 0.001, -1.0, 0.0),
        InfluenceScore("the", 3, "man", None, None, None, None, None, None),
        InfluenceScore("the", 4, "man", 0.2, 0.0, 0.4, 0.05, -0.3, 0.7),
    ],
)

DRAWN: dict[type[Part], str] = {Distribution: "value", Arrows: "image", Shares: "share"}
"""The parts of the reported audit with rows that are drawn, and what is drawn."""


def found(results: Results, kind: type[Part]) -> tuple[Any, StudySection]:
    """The last part of a type, and its study."""
    return next(
        (part, section)
        for section in reversed(results.studies)
        for part in reversed(section.parts)
        if isinstance(part, kind)
    )


@pytest.fixture(scope="module")
def results(reported: Path) -> Results:
    return Results.read(reported)


def marks(chart: Any) -> list[str]:
    return [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]


def values(chart: Any, layer: int) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    data = spec["layer"][layer].get("data", spec.get("data"))
    return list(spec["datasets"][data["name"]])


def test_every_type_of_part_has_its_place_on_the_page() -> None:
    """A table is a table, images of both sides are shown on a click; all others are drawn."""
    own = {"influence-scores", "influence-averages", "arrows", "amplification-scatter", "bias"}
    assert set(part_types()) == {
        "table",
        "sides",
        "forest",
        "shares",
        "distribution",
        "robustness",
        "published",
        *own,
    }


def test_a_plain_table_has_no_figure(results: Results) -> None:
    table, section = found(results, DataTable)
    assert figure(table, section, results) is None
    assert figure(Sides("s", "s", []), section, results) is None


@pytest.mark.parametrize("kind", DRAWN)
def test_a_figure_holds_the_rows_of_its_part(results: Results, kind: type[Part]) -> None:
    part, section = found(results, kind)
    chart = figure(part, section, results)
    assert chart is not None
    column = DRAWN[kind]
    numbers = [getattr(row, column) for row in part.rows]
    assert sorted(row[column] for row in values(chart, -1)) == sorted(
        number for number in numbers if number is not None
    )
    assert len(marks(chart)) >= 2


def test_a_forest_holds_its_findings(results: Results) -> None:
    part, section = found(results, Forest)
    chart = figure(part, section, results)
    assert chart is not None
    shown = {row["question"]: (row["estimate"], row["q"]) for row in values(chart, -1)}
    findings = part.among(results.findings_of(section.study))
    assert shown == {f.question: (f.estimate, f.q) for f in findings if f.estimate is not None}


@pytest.mark.parametrize("kind", DRAWN)
def test_no_number_no_figure(results: Results, kind: type[Part]) -> None:
    part, section = found(results, kind)
    assert figure(replace(part, rows=[]), section, results) is None
    empty = [replace(row, **{DRAWN[kind]: None}) for row in part.rows]
    assert figure(replace(part, rows=empty), section, results) is None


def test_no_estimate_no_forest_and_no_bars() -> None:
    none = Asked("s", "association", "q", "d", "prompt").unanswered("no image", n=0, n_missing=1)
    assert forest([none], level=0.05) is None
    assert influence(replace(WORDS, rows=[replace(row, score=None) for row in WORDS.rows])) is None


def test_words_of_a_prompt_keep_their_order_and_their_twins() -> None:
    chart = influence(WORDS)
    order = chart.to_dict()["layer"][1]["encoding"]["y"]["sort"]
    assert [word.rstrip("\u200b") for word in order] == ["the", "nurse", "the"]
    assert len(set(order)) == 3
    by_place = {(row["position"], row["group"]): row["label"] for row in values(chart, 1)}
    assert by_place[1, "woman"] == by_place[1, "man"]


def test_averages_are_drawn_by_the_same_function() -> None:
    part = InfluenceAverages(
        "averages",
        "Averages",
        [
            InfluenceAverage("nurse", 1, "woman", 0.4, 0.2, 0.6, 0.01, 9, "occupation"),
            InfluenceAverage("chef", 2, "woman", -0.1, -0.3, 0.1, 0.3, 9, "occupation"),
            InfluenceAverage("chef", 1, "man", 0.1, -0.1, 0.3, 0.3, 9, "occupation"),
            InfluenceAverage("nurse", 2, "man", -0.4, -0.6, -0.2, 0.01, 9, "occupation"),
        ],
    )
    assert influence(part).to_dict()["layer"][1]["encoding"]["y"]["sort"] == ["nurse", "chef"]


def test_arrows_of_one_direction_leave_no_empty_layer(results: Results) -> None:
    part, section = found(results, Arrows)
    grown = replace(part, rows=[replace(row, text=row.image - 1) for row in part.rows])
    chart = figure(grown, section, results)
    assert chart is not None
    assert all("transform" not in layer for layer in chart.to_dict()["layer"])
    assert all(row["grows"] for row in values(chart, -1))


def test_long_labels_are_broken_into_lines() -> None:
    question = "a question that is rather longer than what fits beside a small figure"
    asked = (Asked("s", "association", one, "d", "prompt") for one in (question, "short"))
    findings = [one.answered(0.1, (0.0, 0.2), n=9, n_missing=0, sentence="") for one in asked]
    chart = forest(findings, level=0.05)
    long, short = (row["label"] for row in values(chart, -1))
    assert max(map(len, long.split("\n"))) <= 26
    assert " ".join(long.split("\n")[::2]) == question
    lines = short.split("\n")
    assert len(lines) == len(long.split("\n")), "equally many lines"
    assert lines[len(lines) // 2] == "short", "centred"
    assert all(line.strip() for line in [*lines, *long.split("\n")]), "Vega drops what is blank"


def test_hovering_shows_images_only_where_there_are_some(results: Results) -> None:
    part, section = found(results, Distribution)
    key = part.rows[0].key
    chart = figure(part, section, results, images={key: "data:image/webp;base64,AAAA"})
    assert chart is not None
    shown = {row["key"]: row.get("image") for row in values(chart, -1)}
    assert shown.pop(key) == "data:image/webp;base64,AAAA"
    assert set(shown.values()) == {None}
    plain = figure(part, section, results)
    assert plain is not None
    fields = [tip["field"] for tip in plain.to_dict()["layer"][-1]["encoding"]["tooltip"]]
    assert "image" not in fields


def test_a_figure_is_the_same_each_time(results: Results) -> None:
    for kind in (Forest, *DRAWN):
        part, section = found(results, kind)
        first, second = (figure(part, section, results) for _ in range(2))
        assert first is not None
        assert second is not None
        assert first.to_dict()["layer"] == second.to_dict()["layer"]


def test_files_open(audit: AuditFolder, tmp_path: Path) -> None:
    files = write_figures(audit, tmp_path / "figures", formats=("svg", "pdf", "png", "svg"))
    drawn = len(files) // 3
    assert len(files) == len(set(files)) == 3 * drawn
    results = Results.read(audit)
    assert drawn == sum(
        figure(part, section, results) is not None
        for section in results.studies
        for part in section.parts
    )
    for file in files:
        data = file.read_bytes()
        if file.suffix == ".png":
            with Image.open(io.BytesIO(data)) as image:
                image.load()
                assert image.width > 1500
                assert len(image.convert("L").getcolors()) > 2, "a blank figure"
        elif file.suffix == ".pdf":
            assert data.startswith(b"%PDF-")
            assert b"%%EOF" in data[-32:]
        else:
            assert data.startswith(b"<svg")
            assert data.rstrip().endswith(b"</svg>")


def test_two_parts_of_like_names_get_two_files(audit: AuditFolder, tmp_path: Path) -> None:
    results = Results.read(audit)
    part, section = found(results, Shares)
    twins = (replace(part, name="a b"), replace(part, name="a-b"))
    audit.write_results(replace(results, studies=(replace(section, parts=twins),)).as_dict())
    names = [file.name for file in write_figures(audit, tmp_path / "figures")]
    assert names == [f"{section.study}-a-b.svg", f"{section.study}-a-b-2.svg"]


def test_wrong_formats_and_places(audit: AuditFolder, tmp_path: Path) -> None:
    with pytest.raises(PortrayalError, match="'docx' is unknown; allowed: svg, pdf, png"):
        write_figures(audit, tmp_path / "figures", formats=("svg", "docx"))
    assert not (tmp_path / "figures").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditError, match="cannot write there"):
        write_figures(audit, tmp_path / "file" / "figures")


@dataclass(frozen=True, slots=True)
class Dots(RowsPart):
    """A part of a kind of another package."""

    type: Literal["dots"] = field(default="dots", kw_only=True)
    rows: Sequence[Share]


class DotsKind(Kind[Any]):
    name = "dots"
    parts = (Dots,)

    def analyze(self, study: Any, data: Any, settings: Any) -> Any:
        raise NotImplementedError

    def chart(self, part: Part) -> Any:
        import altair as alt

        return alt.layer(alt.Chart(alt.InlineData([]))) if isinstance(part, Dots) else None


def test_a_kind_reads_and_draws_a_part_of_its_own(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares, section = found(results, Shares)
    own = Dots("dots", "Dots", shares.rows)
    theirs = replace(section, kind="dots", parts=(own, shares))
    changed = replace(results, studies=(theirs,))
    for module in ("portrayal.findings.results", "portrayal.report.figures"):
        monkeypatch.setattr(f"{module}.registered_kinds", lambda: {"dots": DotsKind()})
    assert Results.from_dict(changed.as_dict()) == changed
    assert figure(own, theirs, changed) is not None
    assert figure(shares, theirs, changed) is not None, "drawn as for all kinds"
    assert figure(own, section, changed) is None, "another kind does not know it"


def test_of_very_many_images_a_sample_is_drawn_and_counted() -> None:
    rows = [ImageValue(f"key {i}", "x", "a photo", i, i / 1000) for i in range(MOST_POINTS + 700)]
    chart = distribution(Distribution("images", "Images", rows), {})
    shown = values(chart, -1)
    assert len(shown) == len({row["key"] for row in shown}) == MOST_POINTS
    # By chance, not the first ones: all parts of the range are drawn about equally often.
    middle = np.mean([row["value"] for row in shown])
    assert middle == pytest.approx((MOST_POINTS + 700) / 2000, abs=0.1)
    title = chart.to_dict()["layer"][-1]["encoding"]["x"]["title"]
    assert title == "association of each image (5,000 of 5,700 images)"
