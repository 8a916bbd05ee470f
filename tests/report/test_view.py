"""The viewer: filters agree with the labels, only the link opens it, corrections become votes."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from starlette.testclient import TestClient

from portrayal import runner
from portrayal.audit import AuditFolder
from portrayal.errors import NotAnAudit
from portrayal.findings import label_rows, label_tables
from portrayal.raters import has_votes
from portrayal.records import Identity, Measurement
from portrayal.report.view import index
from portrayal.report.view.catalogue import Catalogue
from portrayal.report.view.filters import ImageFilter
from portrayal.report.view.serving import serve_view, view_app

TOKEN = "the-token"
GENDER = "perceived gender"
SECOND = Identity("classifier", "second opinion", {})


@pytest.fixture(scope="module")
def folder(reported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two audits, one in a folder of its own; a second measurer calls everybody a woman at 70%."""
    folder = tmp_path_factory.mktemp("audits")
    for name in ("first", "more/second"):
        audit = AuditFolder(shutil.copytree(reported, folder / name))
        keys = audit.images().filter("status = 'ok'").select("key").fetchall()
        said = {"labels": {GENDER: {"woman": 0.7, "man": 0.3}}}
        audit.append_measurements(
            SECOND, {"labels": "labels"}, [Measurement(key, said) for (key,) in keys]
        )
    return folder


@pytest.fixture
def catalogue(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalogue]:
    monkeypatch.setattr(index, "PATIENCE_S", 60.0)  # a busy machine is no fault
    with Catalogue(shutil.copytree(folder, tmp_path / "audits"), rater="me") as found:
        yield found


@pytest.fixture
def browser(catalogue: Catalogue) -> TestClient:
    browser = TestClient(view_app(catalogue, token=TOKEN), base_url="http://127.0.0.1")
    assert browser.get(f"/enter/{TOKEN}").status_code == 200
    return browser


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotAnAudit, match="no such folder; name a folder of audits"):
        serve_view(tmp_path / "absent", port=0)


def test_audits_are_found_listed_and_searched(browser: TestClient, catalogue: Catalogue) -> None:
    assert [row.name for row in catalogue.rows()] == ["first", "more/second"]
    assert [row.name for row in catalogue.rows("painter MORE")] == ["more/second"]
    (catalogue.folder / "first" / "audit.json").write_text("{")
    page = browser.get("/").text
    assert "more/second" in page
    assert "audit.json" in page, "a damaged audit is in the list, with what is wrong"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"words": "CHEF"},
        {"words": "chef", "label": f"{GENDER}: man", "measurer": "practice"},
        {"label": f"{GENDER}: woman", "measurer": "second opinion"},
        {"measurer": "practice", "least": "50", "most": "97.5"},
        {"measurer": "second opinion", "least": "71"},
        {"disagree": "1"},
        {"disagree": "1", "label": f"{GENDER}: man", "order": "certainty"},
        {"order": "seed"},
    ],
)
def test_a_filter_finds_what_the_labels_say(fields: dict[str, str], catalogue: Catalogue) -> None:
    opened = catalogue.open("first")
    assert opened is not None
    asked = ImageFilter.read(fields)
    opened.index.wait_for_labels()
    found = opened.index.find(asked, most=10_000)
    images = opened.audit.images().filter("status = 'ok'").select("key, prompt, seed").fetchall()
    said: dict[str, list[dict[str, Any]]] = {key: [] for key, _, _ in images}
    for row in label_rows(opened.audit):
        if row["person"] is None:
            said[row["key"]].append(row)

    def met(row: dict[str, Any]) -> bool:
        p = row["probability"]
        return (
            asked.axis in ("", row["axis"])
            and asked.label in ("", row["label"])
            and asked.measurer in ("", row["measurer"])
            and (asked.least is None or (p is not None and p >= asked.least))
            and (asked.most is None or (p is not None and p <= asked.most))
        )

    def differ(rows: list[dict[str, Any]]) -> bool:
        axes = {row["axis"] for row in rows} & ({asked.axis} if asked.axis else {GENDER})
        return any(len({row["label"] for row in rows if row["axis"] == one}) > 1 for one in axes)

    expected = {
        key
        for key, prompt, _ in images
        if asked.words.lower() in prompt.lower()
        and (asked.on_labels() is None or any(met(row) for row in said[key]))
        and (not asked.disagree or differ(said[key]))
    }
    assert {one.key for one in found.images} == expected
    assert found.total == len(expected)
    if asked.order == "certainty":
        sure = [
            min(row["probability"] for row in said[one.key] if met(row)) for one in found.images
        ]
        assert sure == sorted(sure)
    if asked.order == "seed":
        seeds = [one.seed for one in found.images]
        assert seeds == sorted(seeds)
    for one in found.images[:3]:
        labels = {(label.measurer, label.axis): label.label for label in one.labels}
        assert labels == {(row["measurer"], row["axis"]): row["label"] for row in said[one.key]}


def test_only_the_link_opens_anything(catalogue: Catalogue) -> None:
    stranger = TestClient(view_app(catalogue, token=TOKEN), base_url="http://127.0.0.1")
    answers = {
        (reply.status_code, reply.text)
        for reply in (
            stranger.get("/"),
            stranger.get("/images?audit=first"),
            stranger.get("/images?audit=absent"),
            stranger.get("/enter/another-token"),
            stranger.post("/correct", data={"audit": "first"}),
        )
    }
    assert [status for status, _ in answers] == [403], "one answer, whatever was asked for"
    assert stranger.get("/", headers={"host": "elsewhere.example"}).status_code == 400


def test_pages_of_what_is_not_there_say_so(browser: TestClient) -> None:
    for address in (
        "/images?audit=../first",
        "/image?audit=first&key=x",
        "/file?audit=first&key=x",
    ):
        assert browser.get(address).status_code == 404


def test_a_damaged_audit_is_one_line_on_its_page(browser: TestClient, tmp_path: Path) -> None:
    for part in (tmp_path / "audits" / "first" / "images").glob("*.parquet"):
        part.write_bytes(part.read_bytes()[:600])
    answer = browser.get("/images?audit=first")
    assert answer.status_code == 422
    assert "damaged" in answer.text
    assert "portrayal repair" in answer.text


def test_an_image_has_its_bytes_and_a_small_copy(browser: TestClient, catalogue: Catalogue) -> None:
    page = browser.get("/images?audit=first").text
    small = re.findall(r'src="(/file[^"]+)"', page)
    assert len(small) == catalogue.opened("first").index.counts[0]  # type: ignore[union-attr]
    reply = browser.get(small[0].replace("&amp;", "&"))
    assert reply.headers["content-type"] == "image/webp"
    key = re.search(r"key=(\w+)", small[0])[1]  # type: ignore[index]
    whole = browser.get(f"/file?audit=first&key={key}")
    opened = catalogue.opened("first")
    assert opened is not None
    assert whole.content == opened.audit.read_images([key])[key]


def test_a_prompt_stays_text(browser: TestClient) -> None:
    page = browser.get("/images?audit=first&words=script").text
    assert "&lt;script&gt;document.title" in page
    assert "<script>document" not in page


def _corrected(browser: TestClient, key: str, choice: str, *, form: str | None = None) -> Any:
    page = browser.get(f"/image?audit=first&key={key}").text
    token = re.search(r'name="form" value="(\w+)"', page)[1]  # type: ignore[index]
    given = {"audit": "first", "key": key, "axis": GENDER, "choice": choice, "form": form or token}
    return browser.post("/correct", data=given)


def test_a_correction_is_a_vote_that_no_analysis_counts(
    browser: TestClient, catalogue: Catalogue
) -> None:
    opened = catalogue.open("first")
    assert opened is not None
    folder = opened.audit.path
    before = runner.analyze(runner.Session(folder)).as_dict()["findings"]
    key = (
        opened.index.find(ImageFilter(measurer="practice", axis=GENDER, label="man")).images[0].key
    )
    for choice in ("nobody", "woman"):  # within one second: the later one counts
        assert _corrected(browser, key, choice).status_code == 200
    assert _corrected(browser, key, "duke").status_code == 422
    assert _corrected(browser, key, "man", form="0").status_code == 403
    shown = opened.index.image(key)
    assert shown is not None
    assert ("corrected by hand", "woman") in {(one.measurer, one.label) for one in shown.labels}
    with Catalogue(catalogue.folder, rater="somebody else") as again:  # it is in the audit
        reopened = again.open("first")
        assert reopened is not None
        found = reopened.index.find(ImageFilter(measurer="corrected by hand"))
        assert [(one.key, found.total) for one in found.images] == [(key, 1)]
    votes = AuditFolder(folder).votes().select("image, answer, source").fetchall()
    assert {image for image, _, _ in votes} == {key}
    assert {"woman"} <= {answer for _, answer, _ in votes}
    assert {source for _, _, source in votes} == {"corrections"}
    assert not has_votes(AuditFolder(folder))
    assert runner.analyze(runner.Session(folder)).as_dict()["findings"] == before


def test_images_that_are_added_are_found_without_a_restart(
    catalogue: Catalogue, folder: Path
) -> None:
    opened = catalogue.open("first")
    assert opened is not None
    assert catalogue.open("first") is opened, "an audit is read once"
    labelled = opened.index.find(ImageFilter(measurer="practice", axis=GENDER)).images[0]
    third = Identity("classifier", "third opinion", {})
    said = Measurement(labelled.key, {"labels": {GENDER: {"man": 0.99}}})
    opened.audit.append_measurements(third, {"labels": "labels"}, [said])
    again = catalogue.open("first")
    assert again is not None
    assert again.index.find(ImageFilter(measurer="third opinion")).total == 1


def test_a_filter_answers_from_the_labels_that_are_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = threading.Event()

    def slowly(audit: AuditFolder) -> Iterator[pa.Table]:
        tables = label_tables(audit)
        yield next(tables)
        rest.wait()
        yield from tables

    monkeypatch.setattr(index, "label_tables", slowly)
    with Catalogue(folder) as catalogue:
        browser = TestClient(view_app(catalogue, token=TOKEN), base_url="http://127.0.0.1")
        browser.get(f"/enter/{TOKEN}")
        filtered = "/images?audit=first&measurer=practice"
        assert "0 images so far" in browser.get(filtered).text, "its labels are not there yet"
        assert "data-pending" in browser.get(filtered).text, "the page loads again"
        rest.set()
        opened = catalogue.opened("first")
        assert opened is not None
        opened.index.wait_for_labels()
        page = browser.get(filtered).text
        assert "so far" not in page
        assert "0 images" not in page


def test_two_audits_side_by_side_pair_prompts_and_seeds(
    browser: TestClient, catalogue: Catalogue
) -> None:
    pairs = "/compare?first=first&second=more/second&words=chef"
    for name in ("first", "more/second"):
        opened = catalogue.open(name)
        assert opened is not None
        opened.index.wait_for_labels()
    page = browser.get(pairs).text
    first, second = (re.findall(rf"/image\?audit={name}", page) for name in ("first", "more"))
    assert len(first) == len(second) == 3
    assert page.count(", unchanged</small>") == len(first)
    assert "not generated" not in page
    found = catalogue.opened("first")
    assert found is not None
    chef = found.index.find(ImageFilter(words="chef")).images[0]
    found.correct(chef.key, GENDER, "unknown")
    page = browser.get(pairs).text
    assert page.count('class="changed"') == 1, "a label that differs is marked"


def test_two_audits_are_compared_as_the_command_compares_them(browser: TestClient) -> None:
    reply = browser.get("/comparison?first=first&second=more/second")
    assert "first and more/second compared" in reply.text
    assert reply.headers["content-security-policy"].startswith("sandbox allow-scripts")
    reply = browser.get("/comparison?first=first&second=first")
    assert reply.status_code == 422
    assert "first" in reply.text


def test_a_report_gets_no_cookie_and_no_network(browser: TestClient) -> None:
    reply = browser.get("/report?audit=first")
    assert "portrays people" in reply.text
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
