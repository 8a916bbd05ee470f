"""The page of a comparison: what it says, and in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compared_audits import FAST, STUDY, audit_of, share
from portrayal.comparison import compare_audits
from portrayal.report import write_comparison

NASTY = {**STUDY, "template": "<script>document.title = 1</script> {a job}"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    rules = {"old": 0.25, "new": 0.75, "same": 0.25}
    audits = [audit_of(folder / name, share(of), NASTY) for name, of in rules.items()]
    return write_comparison(compare_audits(audits, settings=FAST), folder / "page.html")


def test_the_page_says_what_differs_and_what_does_not(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "More women with new: 75%, not 25%" in text
    assert "old and same cannot be told apart by these images" in text
    assert "&lt;script&gt;document.title" in text
    assert "<script>document.title" not in text
    assert text.count("data:image/webp") > 20


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_is_readable_in_a_browser(
    width: int, scheme: str, chromium: Any, page: Path
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    # axe is injected as a script, which the page itself may not load.
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    shown = context.new_page()
    complaints: list[str] = []
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.goto(page.as_uri())
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    shown.evaluate("document.querySelectorAll('details').forEach(box => { box.open = true; })")
    found = Axe().run(shown).response["violations"]
    sizes = shown.eval_on_selector_all("img", "all => all.map(one => one.naturalWidth)")
    context.close()
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in serious] == []
    assert min(sizes) > 0
    assert complaints == []
