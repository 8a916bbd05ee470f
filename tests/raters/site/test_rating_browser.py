"""The rating page in a real browser, against SQLite and PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from rating_server import RatingServer, make_audit

from portrayal.raters import checked_labels, site
from portrayal.raters.site.database import AnswerRow, RatingTask, Revision, open_database
from portrayal.studies.reading import study_from_toml

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
EVIL = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed (Debian: apt-get install chromium)"
    ),
]
Start = Callable[..., RatingServer]


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page on which a script error, a policy violation or a foreign request fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    opened.faults = []
    opened.foreign = []
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    opened.on(
        "console",
        lambda said: "Security Policy" in said.text and opened.faults.append(said.text),
    )
    opened.on("request", lambda request: opened.foreign.append(request.url))
    yield opened
    assert opened.faults == []
    assert {url.split("/")[2].split(":")[0] for url in opened.foreign} <= {"127.0.0.1"}
    context.close()


def ready(page: Any) -> str:
    """Wait until the page takes keys; return the task's code."""
    page.wait_for_selector("html[data-ready]")
    return str(page.url.rsplit("/", 1)[1])


def saved(page: Any) -> None:
    page.wait_for_selector("#status.good", timeout=20_000)


def go_on(page: Any) -> None:
    """Press Enter and wait for the next page."""
    before = page.url
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != before, timeout=20_000)


def stored(folder: Path, database: str | None) -> dict[str, dict[str, str]]:
    """Every answer in the database, by task and question; fails on a doubled one."""
    opened = open_database(folder, database)
    with opened.reading() as connection:
        rows = connection.execute(
            sa.select(RatingTask.code, AnswerRow.question, AnswerRow.answer)
            .join(RatingTask, RatingTask.id == AnswerRow.task_id)
            .where(AnswerRow.answer.is_not(None))
        ).all()
    opened.close()
    found: dict[str, dict[str, str]] = {}
    for code, question, answer in rows:
        assert question not in found.setdefault(code, {})
        found[code][question] = str(answer)
    return found


def revisions(folder: Path, database: str | None) -> int:
    opened = open_database(folder, database)
    with opened.reading() as connection:
        count = connection.execute(sa.select(sa.func.count()).select_from(Revision)).scalar_one()
    opened.close()
    return int(count)


def test_ten_images_by_keyboard_with_reload_and_kill(
    page: Any, serving: Start, tmp_path: Path, database: str | None
) -> None:
    folder = make_audit(tmp_path / "audit", {"a nurse": {"attribute": "nurse"}}, images=10).path
    made = site.prepare(folder, raters=1, per_image=1, checks=0, database=database)
    server = serving(folder, database)
    page.goto(f"{server.base}/enter/{made.tokens['rater 1']}")
    page.keyboard.press("Enter")
    expected: dict[str, dict[str, str]] = {}
    for number in range(10):
        code = ready(page)
        assert code not in expected
        assert f"{number + 1} of 10" in page.inner_text("header")
        keys, answers = _presses(number)
        page.keyboard.press(keys[0])
        if number == 3:  # a reload in the middle of an image
            saved(page)
            page.reload()
            assert ready(page) == code
            assert page.is_checked(f"input[value='{answers['person']}'][name='answer.person']")
        if number == 6:  # the server dies, the rater goes on, the server comes back
            saved(page)
            server.kill()
            page.keyboard.press(keys[1])
            page.wait_for_selector("#status.wrong", timeout=20_000)
            for key in keys[2:]:
                page.keyboard.press(key)
            page.keyboard.press("Enter")  # leaves as soon as everything is saved
            server.start()
            page.wait_for_url(lambda url, code=code: not url.endswith(code), timeout=20_000)
            expected[code] = answers
            continue
        if number == 8:  # killed right after an acknowledged answer, reloaded after the restart
            page.keyboard.press(keys[1])
            page.wait_for_timeout(50)
            saved(page)
            server.kill()
            server.start()
            page.reload()
            ready(page)
            rest = keys[2:]
        else:
            rest = keys[1:]
        for key in rest:
            page.keyboard.press(key)
        go_on(page)
        expected[code] = answers
    page.wait_for_selector("text=Thank you")
    assert stored(folder, database) == expected
    assert revisions(folder, database) == sum(len(answers) for answers in expected.values())


def test_a_reload_while_the_server_is_dead_loses_no_answer(
    page: Any, serving: Start, audit: Any
) -> None:
    made = site.prepare(audit.path, raters=1, per_image=1, checks=0)
    server = serving(audit.path)
    page.on("dialog", lambda dialog: dialog.accept())  # "leave the page?": yes
    page.goto(f"{server.base}/enter/{made.tokens['rater 1']}")
    page.keyboard.press("Enter")
    code = ready(page)
    server.kill()
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.wait_for_selector("#status.wrong")
    with contextlib.suppress(Exception):  # the browser's own "cannot be reached"
        page.reload()
    assert stored(audit.path, None) == {}
    server.start()
    page.goto(f"{server.base}/rate/{code}")
    ready(page)
    saved(page)
    assert stored(audit.path, None) == {code: {"person": "yes", "attribute": "no"}}


def _presses(number: int) -> tuple[list[str], dict[str, str]]:
    """The keys for an image, and what they answer."""
    if number % 5 == 4:  # nobody there: gender and skin are not asked
        return ["2", "2"], {"person": "no", "attribute": "no"}
    gender = ["man", "woman", "poor quality", "both visible"]
    skin = ["light skin", "dark skin", "poor quality", "both visible"]
    i, j = number % 4, (number + 1) % 4
    keys = ["1", "1", str(i + 1), str(j + 1)]
    return keys, {"person": "yes", "attribute": "yes", "gender": gender[i], "skin": skin[j]}


def test_back_corrects_an_answer_and_history_keeps_both(
    page: Any, serving: Start, tmp_path: Path, database: str | None
) -> None:
    folder = make_audit(tmp_path / "audit", {"a nurse": {"attribute": "nurse"}}, images=3).path
    made = site.prepare(folder, raters=1, per_image=1, checks=0, database=database)
    server = serving(folder, database)
    page.goto(f"{server.base}/enter/{made.tokens['rater 1']}")
    page.keyboard.press("Enter")
    first = ready(page)
    for key in "1111":
        page.keyboard.press(key)
    go_on(page)
    second = ready(page)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(lambda url: url.endswith(first))
    ready(page)
    page.keyboard.press("2")  # no person after all: gender and skin are withdrawn
    saved(page)
    page.keyboard.press("c")
    page.keyboard.press("1")  # a key like any other here
    page.keyboard.insert_text(" blurred hand & <b>")  # at once: pauses are saved as revisions
    page.keyboard.press("Escape")
    go_on(page)
    assert ready(page) == second
    assert stored(folder, database) == {
        first: {"person": "no", "attribute": "yes", "comment": "1 blurred hand & <b>"}
    }
    # Four answers, then: person changed, two withdrawn, one comment.
    assert revisions(folder, database) == 4 + 3 + 1


def test_enter_with_an_open_question_stays_and_points_at_it(
    page: Any, serving: Start, audit: Any
) -> None:
    made = site.prepare(audit.path, raters=1, per_image=1, checks=0)
    server = serving(audit.path)
    answers: list[Any] = []  # held back: still on their way when Enter is pressed
    page.route(
        "**/rate/*",
        lambda route: answers.append(route) if route.request.post_data else route.continue_(),
    )
    page.goto(f"{server.base}/enter/{made.tokens['rater 1']}")
    page.keyboard.press("Enter")
    code = ready(page)
    with page.expect_request(lambda request: request.method == "POST"):
        page.keyboard.press("1")
    page.keyboard.press("Enter")
    assert page.inner_text("#status") == "3 answers are missing"
    answers[0].continue_()
    page.unroute("**/rate/*")
    page.wait_for_function("() => sessionStorage.length === 0")  # it has been saved
    assert page.inner_text("#status") == "3 answers are missing"
    assert page.url.endswith(code)
    assert page.get_attribute("fieldset.active", "data-question") == "attribute"
    page.keyboard.press("Space")
    assert page.is_visible("#large")
    page.keyboard.press("Space")
    assert not page.is_visible("#large")
    page.keyboard.press("2")  # a new answer: its being saved is the news
    saved(page)
    assert page.inner_text("#status") == "Saved"


def test_another_link_shows_nothing_of_the_first(
    chromium: Any, page: Any, serving: Start, audit: Any, database: str | None
) -> None:
    made = site.prepare(audit.path, raters=2, per_image=2, checks=0, database=database)
    server = serving(audit.path, database)
    page.goto(f"{server.base}/enter/{made.tokens['rater 1']}")
    page.keyboard.press("Enter")
    mine = ready(page)
    for key in "1122":
        page.keyboard.press(key)
    page.keyboard.press("c")
    page.keyboard.type("only mine")
    page.keyboard.press("Escape")
    go_on(page)
    before = stored(audit.path, database)

    context = chromium.new_context()
    other = context.new_page()
    other.goto(f"{server.base}/enter/{made.tokens['rater 2']}")
    assert "Welcome back" not in other.content()
    other.keyboard.press("Enter")
    for _ in range(12):  # all images of the second rater: no answer and no comment stands there
        ready(other)
        assert other.query_selector("input:checked") is None
        assert "only mine" not in other.content()
        for key in "22":
            other.keyboard.press(key)
        go_on(other)
    other.wait_for_selector("text=Thank you")
    for address in (f"/rate/{mine}", f"/image/{mine}"):
        reply = other.goto(server.base + address)
        assert reply.status == 404
        assert "only mine" not in other.content()
    after = stored(audit.path, database)
    assert after[mine] == before[mine]
    assert len(after) == 13
    context.close()


def test_script_tags_in_prompts_and_attributes_stay_text(
    page: Any, serving: Start, tmp_path: Path
) -> None:
    # Without an attribute raters see the prompt itself.
    folder = make_audit(tmp_path / "audit", {f"a photo of {EVIL}": {}}, images=1).path
    made = site.prepare(folder, raters=[f"Eve {EVIL[:40]}"], per_image=1, checks=0)
    server = serving(folder)
    (token,) = made.tokens.values()
    page.goto(f"{server.base}/enter/{token}")
    page.keyboard.press("Enter")
    ready(page)
    assert EVIL in page.inner_text("fieldset[data-question=attribute] legend")
    page.keyboard.press("c")
    page.keyboard.type(EVIL)
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("2")
    saved(page)
    page.reload()
    ready(page)
    assert page.input_value("textarea") == EVIL
    assert page.evaluate("window.broken") is None
    page.goto(server.admin_link)
    assert EVIL[:40] in page.inner_text("table")
    assert page.evaluate("window.broken") is None


def test_on_a_phone_everything_is_within_reach(chromium: Any, serving: Start, audit: Any) -> None:
    made = site.prepare(audit.path, raters=1, per_image=1, checks=0)
    server = serving(audit.path)
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    )
    phone = context.new_page()
    phone.goto(f"{server.base}/enter/{made.tokens['rater 1']}")
    phone.tap("text=Start")
    first = ready(phone)
    for question, text in (
        ("person", "Yes"), ("attribute", "Yes"), ("gender", "Feminine"), ("skin", "Light skin")
    ):  # fmt: skip
        phone.tap(f"fieldset.active[data-question={question}] label:has-text('{text}')")
    saved(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    height = phone.evaluate(
        "Math.min(...[...document.querySelectorAll('.answers span, .button')]"
        ".map((one) => one.getBoundingClientRect().height))"
    )
    assert height >= 44  # a thumb's width
    phone.tap("#next")
    phone.wait_for_url(lambda url: not url.endswith(first))
    assert stored(audit.path, None)[first]["gender"] == "woman"
    context.close()


def test_without_script_the_form_still_works(chromium: Any, serving: Start, audit: Any) -> None:
    made = site.prepare(audit.path, raters=1, per_image=1, checks=0)
    server = serving(audit.path)
    context = chromium.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{server.base}/enter/{made.tokens['rater 1']}")
    plain.click("text=Start")
    first = plain.url.rsplit("/", 1)[1]
    plain.check("input[name='answer.person'][value=no]", force=True)
    plain.click("#next")  # the second answer is missing: the same image again
    assert plain.url.endswith(first)
    assert plain.is_checked("input[name='answer.person'][value=no]")
    plain.check("input[name='answer.attribute'][value=no]", force=True)
    plain.click("#next")
    assert not plain.url.endswith(first)
    assert stored(audit.path, None)[first] == {"person": "no", "attribute": "no"}
    context.close()


JOBS = """
kind = "composition"
images = 10
template = "a photo of a {job}"
axes = ["perceived gender"]
[factors]
job = ["nurse", "pilot"]
"""


def test_one_person_checks_a_sample_from_the_command_line(page: Any, tmp_path: Path) -> None:
    """The link comes on standard output; images, probabilities and second answers are stored."""
    study = study_from_toml(JOBS, source="jobs.toml", name="jobs")
    texts: dict[str, dict[str, str]] = {prompt.text: {} for prompt in study.prompts()}
    audit = make_audit(tmp_path / "audit", texts, images=10)
    audit.remember_study(study.name, study.as_dict())
    command = [sys.executable, "-m", "portrayal", "annotate", str(audit.path), "--sample", "15"]
    process = subprocess.Popen(
        [*command, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    name, _, link = process.stdout.readline().strip().partition(": ")
    assert name == "rater 1"
    page.goto(link)
    page.keyboard.press("Enter")
    for number in range(18):  # 15 images, and three of them a second time
        ready(page)
        assert f"{number + 1} of 18" in page.inner_text("header")
        assert "nurse" not in page.inner_text("body"), "the prompt might sway who looks"
        assert page.locator("fieldset").count() == 2
        page.keyboard.press("1")
        page.keyboard.press("2")
        go_on(page)
    assert "Thank you" in page.inner_text("body")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "15 votes by 1 rater on 15 images" in said
    assert f"next: portrayal analyze {audit.path}" in said
    found = checked_labels(audit, "perceived gender")
    assert found.labels == ("woman",) * 15
    assert found.probabilities.tolist() == [0.75] * 15
    assert [one.same_rater for one in found.twice] == [True] * 3


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_keeps_people_from_rating(
    width: int, chromium: Any, serving: Start, audit: Any
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    made = site.prepare(audit.path, raters=1, per_image=1, checks=0)
    server = serving(audit.path)
    # axe is injected as a script, which the page's own policy rightly forbids.
    context = chromium.new_context(viewport={"width": width, "height": 844}, bypass_csp=True)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))

    def seen() -> None:
        page.wait_for_load_state("networkidle")
        found = Axe().run(page).response["violations"]
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in serious] == [], page.url

    page.goto(f"{server.base}/enter/{made.tokens['rater 1']}")
    seen()
    page.keyboard.press("Enter")
    ready(page)
    seen()
    page.goto(server.admin_link)
    seen()
    assert said == []
    context.close()
