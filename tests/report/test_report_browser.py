"""The page in a real browser: drawn, silent, without a request, readable on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser


class Visit:
    """A page that is open, with everything that it asked for and complained of."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(file.as_uri())
        page.wait_for_function(
            "[...document.querySelectorAll('[data-spec]')]"
            ".every(box => box.querySelector('svg.marks') || box.textContent.includes('could not'))"
        )


@pytest.fixture(scope="module", params=[1100, 390], ids=["desk", "phone"])
def visit(request: pytest.FixtureRequest, chromium: Any, reported: Path) -> Iterator[Visit]:
    page = chromium.new_page(viewport={"width": request.param, "height": 844})
    yield Visit(page, reported / "report" / "index.html")
    page.close()


def test_every_figure_is_drawn_without_a_complaint(visit: Visit) -> None:
    boxes = visit.page.locator("[data-spec]")
    assert boxes.count() >= 5
    assert visit.page.locator("[data-spec] svg.marks").count() == boxes.count()
    assert visit.complaints == []
    assert visit.page.title() == "How practice:painter portrays people · portrayal", (
        "a prompt's script did not run"
    )


def test_nothing_but_the_file_is_asked_for(visit: Visit) -> None:
    assert [url[:60] for url in visit.requests if not url.startswith(("data:", "file:"))] == []
    assert len([url for url in visit.requests if url.startswith("file:")]) == 1


def test_images_are_seen(visit: Visit) -> None:
    sizes = visit.page.eval_on_selector_all(
        "figure img", "images => images.map(image => image.naturalWidth)"
    )
    assert len(sizes) == 41
    assert min(sizes) > 0


def test_the_page_is_no_wider_than_the_screen(visit: Visit) -> None:
    width = visit.page.viewport_size["width"]
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    for box in visit.page.locator("[data-spec]").all():
        drawn = box.locator("svg.marks").bounding_box()
        assert drawn["x"] + drawn["width"] <= width
        assert drawn["width"] > 0.6 * min(width, 990), "a figure uses the room there is"


def test_text_is_large_enough_to_read(visit: Visit) -> None:
    sizes = visit.page.eval_on_selector_all(
        "p, td, th, figcaption, summary",
        "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))",
    )
    assert min(sizes) >= 12


def test_hovering_over_a_point_shows_its_image(visit: Visit) -> None:
    point = visit.page.locator("[data-spec^=valence] svg.marks .mark-symbol path").last
    figure = visit.page.locator("[data-spec^=valence]", has=visit.page.locator(".mark-symbol path"))
    figure.last.scroll_into_view_if_needed()
    point.hover(force=True)
    image = visit.page.locator("#vg-tooltip-element.visible img")
    image.wait_for(state="visible", timeout=5000)
    assert image.get_attribute("src").startswith("data:image/webp;base64,")
    assert image.evaluate("image => image.naturalWidth") > 0
    assert visit.complaints == []


def test_folded_tables_open(visit: Visit) -> None:
    folded = visit.page.locator("#work > details > summary").first
    folded.click()
    table = visit.page.locator("#work > details[open] table").first
    assert table.is_visible()
    assert "%" in table.inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "light"), (1280, "dark")])
def test_nothing_keeps_people_from_reading_it(
    width: int, scheme: str, chromium: Any, reported: Path
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    # axe is injected as a script, which the page's own policy rightly forbids.
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    page = Visit(context.new_page(), reported / "report" / "index.html").page
    page.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true; })")
    found = Axe().run(page).response["violations"]
    context.close()
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in serious] == []


def test_a_bar_opens_its_images_and_a_filter_leaves_those_with_a_label(
    chromium: Any, reported: Path
) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto((reported / "report" / "index.html").as_uri())
    tools = page.locator("form.tools").first
    gallery = page.locator(f"#{tools.get_attribute('data-gallery')}")
    everything = gallery.locator("li").count()
    label = tools.locator("select[name=label] option").nth(1).inner_text()
    tools.locator("select[name=label]").select_option(label)
    shown = gallery.locator("li:not([hidden])")
    assert 0 < shown.count() < everything
    told = shown.evaluate_all("all => all.map(one => one.dataset.labels)")
    assert all(label.split(": ")[1] in one for one in told)
    assert tools.locator("output").inner_text().startswith(str(shown.count()))
    tools.locator("input[name=least]").fill("100.1")
    assert shown.count() == 0, "no probability is above 100%"
    tools.locator("input[name=least]").fill("0")
    tools.locator("select[name=measurer]").select_option("practice")
    assert shown.count() > 0
    page.close()


def test_rows_points_and_images_open_by_mouse_and_keyboard(chromium: Any, reported: Path) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto((reported / "report" / "index.html").as_uri())
    page.wait_for_selector("#work svg.marks")
    opened = page.locator(".opened")
    page.locator("#work svg.marks .mark-symbol.role-mark path").first.click(force=True)
    assert opened.count() == 1, "a point"
    levels = opened.get_attribute("aria-label").removeprefix("Images: ").split(", ")
    prompts = opened.locator("li").evaluate_all("all => all.map(one => one.dataset.prompt)")
    assert prompts
    assert all(any(level in prompt for level in levels) for prompt in prompts)
    text = opened.locator("li").first.inner_text()
    assert "%" in text
    assert "seed" in text
    assert prompts[0] in text
    opened.locator("button").click()
    page.locator("#work > details > summary").first.click()
    row = page.locator("#work .row-images").first
    level = row.inner_text()
    row.focus()
    page.keyboard.press("Enter")
    assert level in opened.inner_text(), "a row"
    page.keyboard.press("Tab")  # to Close
    page.keyboard.press("Tab")  # to the first image
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    shown = page.locator("dialog[open]").inner_text()
    second = opened.locator("li").nth(1)
    assert second.get_attribute("data-seed") in shown
    assert second.get_attribute("data-key") in shown
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert said == []
    page.close()


def test_a_printed_page_opens_what_is_folded(chromium: Any, reported: Path) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto((reported / "report" / "index.html").as_uri())
    assert page.locator("details:not([open])").count() > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0
    page.close()


def test_figures_drawn_for_a_screen_fit_on_paper(chromium: Any, reported: Path) -> None:
    page = Visit(
        chromium.new_page(viewport={"width": 1280, "height": 900}),
        reported / "report" / "index.html",
    ).page
    page.emulate_media(media="print")
    page.evaluate("document.body.style.width = '700px'")  # paper, without a window's resizing
    ends = page.locator("svg.marks").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().right)"
    )
    assert ends
    assert max(ends) <= 700
    page.close()
