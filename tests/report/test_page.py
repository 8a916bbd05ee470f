"""The page: whole, self-contained, and every prompt is text in it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from portrayal import runner
from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.findings import FindingLabels, Findings, Headline, LabelScale, Results
from portrayal.findings.parts import Forest
from portrayal.report import write_report
from portrayal.report.first_screen import heading
from portrayal.report.page import script_json
from portrayal.sharing import card_metadata, card_text

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Reader(HTMLParser):
    """Reads a page as a browser does, and notes what does not fit together."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.addresses: list[str] = []
        self.scripts: list[str] = []
        self.text: list[str] = []
        self.images = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")
        self.images += tag == "img"
        self.ids += [values["id"] or ""] if "id" in values else []
        for name in ("src", "href", "action", "data"):
            if values.get(name) is not None:
                self.addresses.append(str(values[name]))
        if "data-spec" in values:
            self.targets.append(str(values["data-spec"]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif "style" not in self.open:
            self.text.append(data)


@pytest.fixture(scope="module")
def html(reported: Path) -> str:
    return (reported / "report" / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def words(page: Reader) -> str:
    return re.sub(r"\s+", " ", " ".join(page.text))


def test_elements_fit_together(html: str, page: Reader) -> None:
    assert html.startswith("<!doctype html>")
    assert page.open == []
    assert len(page.ids) == len(set(page.ids)), "an id stands twice"
    assert set(page.targets) <= set(page.ids)
    assert {a[1:] for a in page.addresses if a.startswith("#")} <= set(page.ids)


def test_questions_in_tables_are_written_as_people_say_them(page: Reader) -> None:
    said = words(page)
    assert re.search(r"share of women \(", said)
    assert not re.search(r"share of (woman|man) \(", said)


def test_nothing_is_fetched_from_anywhere(html: str, page: Reader) -> None:
    assert all(address.startswith(("data:", "#")) for address in page.addresses)
    assert "default-src 'none'" in html
    assert "@import" not in html.split("</style>", maxsplit=1)[0]
    assert "url(" not in html.split("</style>", maxsplit=1)[0]


def test_prompts_and_names_stay_text(html: str, page: Reader) -> None:
    said = words(page)
    assert (
        """<script>document.title = "taken"</script> a "nurse" & 'co' </script><img src=x>"""
        in said
    )
    assert "Prompts with <b>marks</b>" in said
    assert "audit <one> & 'two'" in said
    assert "<script>document" not in html
    specs = [script for script in page.scripts if script.startswith("{")]
    assert len(specs) == len(page.targets)
    for spec in specs:
        assert "<" not in spec
        assert json.loads(spec)["$schema"].startswith("https://vega.github.io/schema/vega-lite")


@pytest.mark.parametrize("text", ["</script>", "<!--", "a\u2028b", "&lt;", "\"'\\"])
def test_json_in_a_script_is_the_same_value_and_no_markup(text: str) -> None:
    written = script_json({"prompt": text})
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written) == {"prompt": text}


def test_every_finding_stands_on_the_page_with_n_and_missing(reported: Path, page: Reader) -> None:
    said = words(page)
    for finding in Results.read(reported).findings:
        assert re.sub(r"\s+", " ", finding.sentence) in said
        assert finding.asked in said


@pytest.mark.parametrize(
    ("clear", "title", "folded"),
    [(0, "No significant difference was found", "No significant difference (12)"),
     (1, "What was found", "No significant difference (11)"),
     (10, "What was found", "More significant differences (7)")],
)  # fmt: skip
def test_the_page_begins_with_up_to_three_findings(
    audit: AuditFolder, clear: int, title: str, folded: str
) -> None:
    results = Results.read(audit)
    some = next(finding for finding in results.findings if finding.estimate is not None)
    answers = [
        replace(some, question=f"{i}?", sentence=f"Answer {i}.", p=0.5).with_headline(
            Headline(f"Claim {i}", f"Null {i}", "share of women", magnitude=i / 12)
        )
        for i in range(12)
    ]
    findings = Findings(replace(one, q=0.04 if i < clear else 0.5) for i, one in enumerate(answers))
    studies = tuple(replace(section, parts=()) for section in results.studies)
    audit.write_results(replace(results, findings=findings, studies=studies).as_dict())
    reader = Reader()
    reader.feed(write_report(audit).read_text(encoding="utf-8"))
    top, _, rest = words(reader).partition("What this audit cannot say")
    cards = re.split("More significant|No significant difference [(]", top)[0]
    assert title in top
    assert folded in top
    largest = [f"Claim {i}" for i in range(clear)][::-1][:3]
    assert re.findall(r"Claim \d+", cards) == largest, "the largest effect comes first"
    assert all(f"Null {i}" in top for i in range(clear, 12))
    assert "Claim" not in rest


@pytest.mark.parametrize(
    ("labels", "told"),
    [(FindingLabels.unchecked(LabelScale(0.5, 1.0), 0.62, 0.9),
      "Labels not checked by people. The conclusion would fall if 12% of them were wrong"),
     (FindingLabels("corrected", LabelScale(), 60, None, 0.6, 0.5, 0.7,
                    assumption="Assumes that the measurer errs alike in all prompts."),
      "Assumes that the measurer errs alike in all prompts.")],
)  # fmt: skip
def test_cards_say_what_label_errors_can_change(
    audit: AuditFolder, labels: FindingLabels, told: str
) -> None:
    results = Results.read(audit)
    some = next(finding for finding in results.findings if finding.estimate is not None)
    headline = Headline("Claim", "Null", "share of women", magnitude=1.0)
    one = replace(some, p=0.01, q=0.01, headline=headline, labels=labels)
    studies = tuple(replace(section, parts=()) for section in results.studies)
    results = replace(results, findings=Findings([one]), studies=studies)
    audit.write_results(results.as_dict())
    reader = Reader()
    reader.feed(write_report(audit).read_text(encoding="utf-8"))
    _, _, card = words(reader).partition("What was found")
    card = card.partition("No significant difference")[0].partition("What this audit")[0]
    assert told in card
    assert told in card_text(results, images=2)
    ((found,),) = [one["metrics"] for one in card_metadata(results)["model-index"][0]["results"]]
    known = {"unchecked": {"tipping": labels.tipping}, "corrected": {"assumption": told}}
    assert found["args"].items() >= {"labels": labels.status, **known[labels.status]}.items()


def test_a_lack_of_data_is_not_told_as_no_difference(audit: AuditFolder) -> None:
    results = Results.read(audit)
    some = next(finding for finding in results.findings if finding.estimate is not None)
    lacking = replace(some, estimate=None, p=None, q=None, headline=None, reason="too few images")
    untested = replace(some, p=None, q=None, headline=None)
    studies = tuple(replace(section, parts=()) for section in results.studies)
    results = replace(results, studies=studies)
    for findings, title in (
        ((lacking, untested), "Not enough data"),
        ((untested,), "Nothing was tested"),
        ((), "Nothing was tested"),
    ):
        assert heading(replace(results, findings=Findings(findings))) == title
    audit.write_results(replace(results, findings=Findings([lacking])).as_dict())
    page = write_report(audit).read_text(encoding="utf-8")
    assert "<h2>Not enough data</h2>" in page
    assert "No significant difference was found" not in page


def test_agreement_of_measurers_is_not_counted_as_a_study(audit: AuditFolder) -> None:
    results = Results.read(audit)
    more = replace(results.studies[0], study="encoders", kind="agreement", parts=())
    audit.write_results(replace(results, studies=(*results.studies, more)).as_dict())
    assert "images · 3 studies ·" in write_report(audit).read_text(encoding="utf-8")


def test_who_is_shown_comes_first(reported: Path) -> None:
    kinds = [section.kind for section in Results.read(reported).studies]
    assert kinds == ["composition", "composition", "association"]


def test_dropped_images_are_accounted_for(page: Reader) -> None:
    said = words(page)
    assert "1 refused, 1 failed of 40" in said
    assert "Of 6 images asked for: 1 refused by the generator 1 failed to generate" in said
    assert "None of the 12 images asked for." in said
    assert "2 in the audit, 1 refused, 1 failed" in said


def test_galleries_show_images(page: Reader) -> None:
    """Of the last three prompts one has no image, one shares its three with "work"."""
    shown = [address for address in page.addresses if address.startswith("data:image/webp;base64,")]
    assert page.images == len(shown) == 4 * 3 + 12 * 2 + 2 + 3


def test_the_practice_world_says_that_it_is_fiction(page: Reader) -> None:
    assert "Practice world. These images were painted by a program" in words(page)


def test_a_report_is_the_same_each_time(audit: AuditFolder) -> None:
    first = write_report(audit).read_bytes()
    assert write_report(audit).read_bytes() == first


def test_an_audit_without_a_single_image_has_a_report(audit: AuditFolder) -> None:
    """Everything refused: estimates are dashes, and the sentences say why."""
    results = Results.read(audit)
    none = {"estimate": None, "low": None, "high": None, "p": None, "q": None, "n": 0}
    findings = Findings(replace(one, **none, reason="no image") for one in results.findings)
    studies = tuple(
        replace(
            section,
            parts=tuple(
                part if isinstance(part, Forest) else replace(part, rows=())
                for part in section.parts
            ),
        )
        for section in results.studies
    )
    audit.write_results(replace(results, findings=findings, studies=studies).as_dict())
    reader = Reader()
    reader.feed(write_report(audit).read_text(encoding="utf-8"))
    assert reader.targets == []
    assert "–" in words(reader)


def test_an_audit_that_lost_its_images_has_a_report(audit: AuditFolder) -> None:
    for part in (audit.path / "images").glob("*.parquet"):
        part.unlink()
    before = audit.results()
    with pytest.raises(AuditError, match=r"lacks \d+ of the images that practice measured"):
        runner.analyze(runner.Session(audit.path))
    assert audit.results() == before
    reader = Reader()
    reader.feed(write_report(AuditFolder(audit.path)).read_text(encoding="utf-8"))
    assert "0 refused, 0 failed of 0" in words(reader)


def test_a_part_that_no_package_knows_is_a_plain_table(audit: AuditFolder) -> None:
    results = audit.results()
    row = {"p": 0.0004, "share": 0.25, "yes": True, "n": 12345, "tiny": 0.00123}
    part = {"type": "hologram", "name": "t", "title": "Of another package", "rows": [row]}
    results["studies"][0]["parts"] = [part]
    audit.write_results(results)
    reader = Reader()
    reader.feed(write_report(audit).read_text(encoding="utf-8"))
    assert "Of another package CSV p share yes n tiny < .001 25% yes 12,345 0.0012" in words(reader)
