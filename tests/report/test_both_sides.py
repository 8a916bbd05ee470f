"""An amplification study on the page: shaded scatter, intervals on hover, images on a click."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from amplification_worlds import Captions, Shown, a_study, build, caption_text, split
from portrayal.audit import AuditFolder
from portrayal.findings import AnalysisSettings, Results
from portrayal.kinds.amplification import charts
from portrayal.report import write_figures, write_report
from portrayal.report.figures import figure
from portrayal.report.sides import side_images
from portrayal.runner.analysis import analyze

NASTY = "</script><script>document.title = 'taken'</script>"


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> AuditFolder:
    study = a_study(subsets=["naive", "nearest", "captions"], caption_images=1)
    captions = {
        "engineer": Captions(split(6, 14), {0: range(10), 1: range(4, 12)}),
        "nurse": Captions(split(14, 6), {0: range(10), 1: range(4, 12)}),
    }
    generated = {
        "A photo of an engineer": Shown(1, 9),
        "An engineer at work": Shown(2, 8),
        "A photo of a nurse": Shown(9, 1),
        "A nurse at work": Shown(3, 7),
    }
    for name, one in captions.items():
        for i, (_, label) in enumerate(one.sampled):
            generated[caption_text(name, i)] = Shown(label == "woman", label == "man")
    built, _ = build(tmp_path_factory.mktemp("sides") / "audit", study, generated, captions)
    analyze(built, settings=AnalysisSettings(resamples=200))
    write_report(built)
    return built


def part(audit: AuditFolder, name: str) -> Any:
    (study,) = Results.read(audit).studies
    return next(part for part in study.parts if part.name == name)


def test_the_scatter_has_its_ground_points_and_intervals(audit: AuditFolder) -> None:
    results = Results.read(audit)
    chart = figure(part(audit, "scatter-naive"), results.studies[0], results)
    assert chart is not None
    spec = chart.to_dict()
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["area"] * 4 + ["line", "rule", "rule", "circle", "text"]
    names = {param["name"] for param in spec["params"]}
    assert {"prompt_shown", "hovered"} <= names
    (choice,) = (param for param in spec["params"] if param["name"] == "prompt_shown")
    assert choice["bind"]["options"] == ["all prompts", "#1", "#2"]
    captions = charts.scatter(part(audit, "scatter-captions"))
    (alone,) = (p for p in captions.to_dict()["params"] if p["name"] == "prompt_shown")
    assert "bind" not in alone, "one row of points needs no choice"


def test_shading_is_right_on_both_sides_of_one_half(audit: AuditFolder) -> None:
    """Amplified is further from 50: below the diagonal left of 50, above it right of 50."""
    spec = charts.scatter(part(audit, "scatter-naive")).to_dict()

    def shade(x: float, y: float) -> str | None:
        for layer in spec["layer"][:4]:
            corners = spec["datasets"][layer["data"]["name"]]
            (x0, low0, high0), (x1, low1, high1) = (tuple(c.values()) for c in corners)
            if x0 <= x <= x1:
                part = (x - x0) / (x1 - x0)
                if low0 + part * (low1 - low0) < y < high0 + part * (high1 - high0):
                    return str(layer["mark"]["color"])
        return None

    for x in (5, 20, 45, 55, 80, 95):
        for y in (2, 30, 48, 52, 70, 98):
            switches = (x - 50) * (y - 50) < 0
            gap = abs(y - 50) - abs(x - 50)
            expected = None if switches else charts.AMPLIFIED if gap > 0 else charts.REDUCED
            assert shade(x, y) == expected, (x, y)


def test_names_of_many_occupations_are_shown_on_hovering_alone(audit: AuditFolder) -> None:
    found = part(audit, "scatter-naive")

    def filters(rows: list[Any]) -> list[Any]:
        chart = charts.scatter(replace(found, rows=rows))
        return list(chart.to_dict()["layer"][-1]["transform"])

    many = [
        replace(row, occupation=f"{row.occupation} {i}") for row in found.rows for i in range(15)
    ]
    assert len(filters(found.rows)) == 1, "the prompt alone"
    assert filters(many)[-1] == {"filter": {"param": "hovered", "empty": False}}


def test_no_number_no_scatter(audit: AuditFolder) -> None:
    found = part(audit, "scatter-naive")
    assert charts.scatter(replace(found, rows=[])) is None
    empty = [replace(row, training=None) for row in found.rows]
    assert charts.scatter(replace(found, rows=empty)) is None


def test_figures_are_files_too(audit: AuditFolder, tmp_path: Path) -> None:
    files = write_figures(audit, tmp_path, formats=["svg"])
    names = {file.name for file in files}
    assert {"mine-scatter-naive.svg", "mine-scatter-captions.svg"} <= names
    text = (tmp_path / "mine-scatter-naive.svg").read_text(encoding="utf-8")
    assert "engineer" in text
    assert "% in training images" in text


def test_images_come_from_both_sides_and_fewer_where_there_are_many(audit: AuditFolder) -> None:
    rows = part(audit, "sides").rows
    found = side_images(audit, rows, at_most=1000)
    assert set(found) == {"naive", "nearest", "captions"}
    nurse = found["naive"]["nurse"]
    assert len(nurse["training"]) == len(nurse["generated"]) == 4
    assert nurse["training"][0]["text"].startswith("caption")
    assert nurse["training"][0]["src"].startswith("data:image/webp;base64,")
    assert {one["group"] for one in nurse["generated"]} <= {"woman", "man"}
    few = side_images(audit, rows, at_most=12)
    assert len(few["naive"]["nurse"]["training"]) == 1
    assert side_images(audit, rows, at_most=3) == {}


def test_the_page_holds_the_images_once_and_no_raw_table_of_keys(audit: AuditFolder) -> None:
    page = (audit.path / "report" / "index.html").read_text(encoding="utf-8")
    (text,) = re.findall(r'id="sides-mine">(.*?)</script>', page, flags=re.DOTALL)
    assert set(json.loads(text)) == {"naive", "nearest", "captions"}
    assert page.count('class="sides"') == 3
    assert "Images of both sides" not in page


def test_a_caption_is_text_whatever_it_holds(audit: AuditFolder) -> None:
    from portrayal.report.page import script_json

    rows = [replace(row, text=NASTY) for row in part(audit, "sides").rows]
    assert "</script" not in script_json(side_images(audit, rows, at_most=1000))


@pytest.fixture(scope="module")
def page(chromium: Any, audit: AuditFolder) -> Iterator[Any]:
    page = chromium.new_page(viewport={"width": 1100, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((audit.path / "report" / "index.html").as_uri())
    page.wait_for_function(
        "[...document.querySelectorAll('[data-spec]')]"
        ".every(box => box.querySelector('svg.marks') || box.textContent.includes('could not'))"
    )
    yield page
    assert complaints == []
    page.close()


@pytest.mark.browser
def test_a_click_shows_images_of_both_sides(page: Any) -> None:
    box = page.locator("[data-spec]").filter(has=page.locator("select")).first
    panel = page.locator(".sides").first
    assert panel.inner_text() == ""
    box.locator("svg .mark-symbol path").first.click()
    panel.locator("img").first.wait_for()
    assert "engineer: training, 30%" in panel.inner_text()
    assert "engineer: generated, 15%" in panel.inner_text()
    widths = panel.locator("img").evaluate_all("images => images.map(i => i.naturalWidth)")
    assert len(widths) == 8
    assert min(widths) > 0


@pytest.mark.browser
def test_hovering_shows_intervals_and_another_prompt_can_be_chosen(page: Any) -> None:
    box = page.locator("[data-spec]").filter(has=page.locator("select")).first
    page.mouse.move(1, 1)
    page.wait_for_timeout(200)
    lines = box.locator("svg .mark-rule line")
    axes = lines.count()
    box.locator("svg .mark-symbol path").first.hover()
    page.wait_for_timeout(500)
    assert lines.count() == axes + 2, "one interval for each side"
    before = box.locator("svg .mark-symbol path").first.get_attribute("transform")
    box.locator("select").select_option("#2")
    after = box.locator("svg .mark-symbol path").first.get_attribute("transform")
    assert before != after


def test_labels_of_points_that_lie_together_are_kept_apart() -> None:
    rows: list[dict[str, Any]] = [
        {"occupation": name, "prompt": "p", "training": share, "generated": 0.0}
        for name, share in (("engineer", 10.0), ("mechanic", 12.0), ("assistant", 14.0))
    ]
    rows.append({"occupation": "far away", "prompt": "p", "training": 90.0, "generated": 0.0})
    rows.append({"occupation": "engineer", "prompt": "q", "training": 10.0, "generated": 100.0})
    charts._place_labels(rows)
    heights = [row["label"] for row in rows]
    together = sorted(heights[:3])
    assert all(b - a >= charts.LINE - 1e-9 for a, b in itertools.pairwise(together))
    assert heights[0] == heights[3] == charts.LINE  # nothing in the way: right above the point
    assert heights[4] == 100 - charts.LINE  # below, since above there is no room
    assert all(0 < height < 100 for height in heights)
