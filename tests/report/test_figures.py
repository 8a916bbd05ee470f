"""Figures: every role that an analysis gives is drawn, and the files open."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from portrayal import kinds
from portrayal.audit import Audit
from portrayal.errors import AuditError, PortrayalError
from portrayal.kinds.influence import tables as influence_tables
from portrayal.report import write_figures
from portrayal.report.figures import DRAWERS, figure, rows_of
from portrayal.report.sides import ROLE as SIDES

ANALYSIS = Path(kinds.__file__).parent
SHARED = ANALYSIS.parent / "findings"

WORDS: dict[str, Any] = {
    "role": "influence",
    "columns": list(influence_tables.WORDS),
    "rows": [
        ["the", 1, "woman", 0.1, 0.0, 0.2, 0.04, -0.4, 0.6],
        ["nurse", 2, "woman", 0.5, 0.3, 0.7, 0.001, 0.0, 1.0],
        ["the", 3, "woman", None, None, None, None, None, None],
        ["the", 4, "woman", -0.2, -0.4, 0.0, 0.05, -0.7, 0.3],
        ["the", 1, "man", -0.1, -0.2, 0.0, 0.04, -0.6, 0.4],
        ["nurse", 2, "man", -0.5, -0.7, -0.3, 0.001, -1.0, 0.0],
        ["the", 3, "man", None, None, None, None, None, None],
        ["the", 4, "man", 0.2, 0.0, 0.4, 0.05, -0.3, 0.7],
    ],
}


def tables(audit: Path) -> dict[str, dict[str, Any]]:
    """One table of every role that this audit's analysis gives."""
    studies = Audit(audit).results()["studies"]
    return {table["role"]: table for study in studies for table in study["tables"]}


def marks(chart: Any) -> list[str]:
    return [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]


def values(chart: Any, layer: int) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    data = spec["layer"][layer].get("data", spec.get("data"))
    return list(spec["datasets"][data["name"]])


def test_every_role_of_the_analysis_is_drawn() -> None:
    source = "\n".join(path.read_text() for path in (*ANALYSIS.rglob("*.py"), *SHARED.glob("*.py")))
    roles = set(re.findall(r'role="(\w+)"', source))
    assert roles == {*DRAWERS, SIDES}, "both sides are shown on a click"


def test_a_plain_table_has_no_figure(reported: Path) -> None:
    assert figure(tables(reported)["table"]) is None


@pytest.mark.parametrize("role", sorted(set(DRAWERS) - {"influence", "amplification"}))
def test_a_figure_holds_the_rows_of_its_table(reported: Path, role: str) -> None:
    table = tables(reported)[role]
    chart = figure(table)
    assert chart is not None
    column = {"forest": "estimate", "distribution": "value", "arrows": "image", "shares": "share"}
    wanted = sorted(row[column[role]] for row in rows_of(table) if row[column[role]] is not None)
    assert sorted(row[column[role]] for row in values(chart, -1)) == wanted
    assert len(marks(chart)) >= 2


@pytest.mark.parametrize("role", sorted(set(DRAWERS) - {"amplification"}))
def test_no_number_no_figure(reported: Path, role: str) -> None:
    table = WORDS if role == "influence" else tables(reported)[role]
    assert figure({**table, "rows": []}) is None
    column = {"forest": "estimate", "distribution": "value", "arrows": "image", "shares": "share"}
    place = table["columns"].index(column.get(role, "score"))
    empty = [[*row[:place], None, *row[place + 1 :]] for row in table["rows"]]
    assert figure({**table, "rows": empty}) is None


def test_words_of_a_prompt_keep_their_order_and_their_twins() -> None:
    chart = figure(WORDS)
    assert chart is not None
    order = chart.to_dict()["layer"][1]["encoding"]["y"]["sort"]
    assert [word.rstrip("\u200b") for word in order] == ["the", "nurse", "the"]
    assert len(set(order)) == 3
    by_place = {(row["position"], row["group"]): row["label"] for row in values(chart, 1)}
    assert by_place[1, "woman"] == by_place[1, "man"]


def test_averages_are_drawn_by_the_same_function() -> None:
    table = {
        "role": "influence",
        "columns": list(influence_tables.AVERAGES),
        "rows": [
            ["nurse", 1, "woman", 0.4, 0.2, 0.6, 0.01, 9, "occupation"],
            ["chef", 2, "woman", -0.1, -0.3, 0.1, 0.3, 9, "occupation"],
            ["chef", 1, "man", 0.1, -0.1, 0.3, 0.3, 9, "occupation"],
            ["nurse", 2, "man", -0.4, -0.6, -0.2, 0.01, 9, "occupation"],
        ],
    }
    chart = figure(table)
    assert chart is not None
    assert chart.to_dict()["layer"][1]["encoding"]["y"]["sort"] == ["nurse", "chef"]


def test_arrows_of_one_direction_leave_no_empty_layer(reported: Path) -> None:
    table = tables(reported)["arrows"]
    rows = [{**row, "text": row["image"] - 1} for row in rows_of(table)]
    chart = figure({**table, "rows": [[row[c] for c in table["columns"]] for row in rows]})
    assert chart is not None
    assert all("transform" not in layer for layer in chart.to_dict()["layer"])
    assert all(row["grows"] for row in values(chart, -1))


def test_long_labels_are_broken_into_lines() -> None:
    question = "a question that is rather longer than what fits beside a small figure"
    columns = ["question", "estimate", "low", "high", "p", "q", "n"]
    rows = [[question, 0.1, 0.0, 0.2, 0.5, None, 9], ["short", 0.2, 0.1, 0.3, 0.01, 0.02, 9]]
    chart = figure({"role": "forest", "columns": columns, "rows": rows})
    assert chart is not None
    long, short = (row["label"] for row in values(chart, -1))
    assert max(map(len, long.split("\n"))) <= 26
    assert " ".join(long.split("\n")[::2]) == question
    lines = short.split("\n")
    assert len(lines) == len(long.split("\n")), "equally many lines"
    assert lines[len(lines) // 2] == "short", "centred"
    assert all(line.strip() for line in [*lines, *long.split("\n")]), "Vega drops what is blank"


def test_hovering_shows_images_only_where_there_are_some(reported: Path) -> None:
    table = tables(reported)["distribution"]
    key = rows_of(table)[0]["key"]
    chart = figure(table, {key: "data:image/webp;base64,AAAA"})
    assert chart is not None
    shown = {row["key"]: row.get("image") for row in values(chart, -1)}
    assert shown.pop(key) == "data:image/webp;base64,AAAA"
    assert set(shown.values()) == {None}
    plain = figure(table)
    assert plain is not None
    fields = [tip["field"] for tip in plain.to_dict()["layer"][-1]["encoding"]["tooltip"]]
    assert "image" not in fields


def test_a_figure_is_the_same_each_time(reported: Path) -> None:
    for table in tables(reported).values():
        first, second = figure(table), figure(table)
        if first is not None and second is not None:
            assert first.to_dict()["layer"] == second.to_dict()["layer"]


def test_files_open(audit: Audit, tmp_path: Path) -> None:
    files = write_figures(audit, tmp_path / "figures", formats=("svg", "pdf", "png", "svg"))
    drawn = len(files) // 3
    assert len(files) == len(set(files)) == 3 * drawn
    assert drawn == sum(
        figure(table) is not None
        for study in audit.results()["studies"]
        for table in study["tables"]
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


def test_two_tables_of_like_names_get_two_files(audit: Audit, tmp_path: Path) -> None:
    results = audit.results()
    table = tables(audit.path)["shares"]
    results["studies"][0]["tables"] = [{**table, "name": "a b"}, {**table, "name": "a-b"}]
    results["studies"][1:] = []
    audit.write_results(results)
    names = [file.name for file in write_figures(audit, tmp_path / "figures")]
    study = results["studies"][0]["study"]
    assert names == [f"{study}-a-b.svg", f"{study}-a-b-2.svg"]


def test_wrong_formats_and_places(audit: Audit, tmp_path: Path) -> None:
    with pytest.raises(PortrayalError, match="'docx' is unknown; allowed: svg, pdf, png"):
        write_figures(audit, tmp_path / "figures", formats=("svg", "docx"))
    assert not (tmp_path / "figures").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditError, match="cannot write there"):
        write_figures(audit, tmp_path / "file" / "figures")
