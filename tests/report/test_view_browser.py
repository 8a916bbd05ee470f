"""The viewer in a real browser: silent, open to everybody, usable from the keyboard."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from portrayal.audit import AuditFolder
from portrayal.report.view.catalogue import Catalogue
from portrayal.report.view.serving import view_app

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def served(reported: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The link of a viewer over two audits, and their folder."""
    folder = tmp_path_factory.mktemp("viewed")
    for name in ("first", "second"):
        shutil.copytree(reported, folder / name)
    with Catalogue(folder, rater="me") as catalogue, socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        place.listen(128)
        for name in ("first", "second"):
            opened = catalogue.open(name)
            assert opened is not None
            opened.index.wait_for_labels()
        config = uvicorn.Config(view_app(catalogue, token="token"), log_level="warning")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{place.getsockname()[1]}/enter/token", folder
        server.should_exit = True
        thread.join()


@pytest.fixture(params=[1280, 390], ids=["desk", "phone"])
def page(request: pytest.FixtureRequest, chromium: Any, served: tuple[str, Path]) -> Iterator[Any]:
    """A page on which a console message, a script error or a foreign request fails the test."""
    # axe is injected as a script, which the page's own policy rightly forbids.
    context = chromium.new_context(
        viewport={"width": request.param, "height": 844}, bypass_csp=True
    )
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda one: "//127.0.0.1:" in one.url or said.append(one.url))
    page.goto(served[0])
    yield page
    assert said == []
    context.close()


@pytest.mark.parametrize(
    "address",
    ["/", "/images?audit=first&order=certainty", "/image", "/compare?first=first&second=second"],
)
def test_nothing_keeps_people_from_using_it(address: str, page: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    base = page.url.rstrip("/")
    if address == "/image":
        page.goto(f"{base}/images?audit=first")
        page.locator("a.thumb").first.click()
        page.wait_for_url("**/image?**")
    else:
        page.goto(base + address)
    page.wait_for_load_state("networkidle")
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in serious] == []
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("page", [1280], indirect=True)
def test_images_to_a_corrected_label_by_keyboard(page: Any, served: tuple[str, Path]) -> None:
    audit = AuditFolder(served[1] / "first")
    page.goto(page.url + "images?audit=first")
    page.keyboard.press("/")
    page.keyboard.type("chef")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert all("chef" in one for one in page.locator("section.prompt h2").all_inner_texts())
    page.keyboard.press("Escape")
    page.locator("body").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    second = page.locator("a.thumb").nth(1)
    assert second.evaluate("one => one === document.activeElement")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    key = page.url.partition("key=")[2].partition("&")[0]
    button = page.locator("button[data-key='2']").get_attribute("value")
    with page.expect_navigation():
        page.keyboard.press("2")
    votes = audit.votes().filter("question = 'gender'").select("image, answer").fetchall()
    assert votes == [(key, button)]
    assert f"key={key}" not in page.url, "the next image is shown"
