"""Take the screenshots of the documentation: `python docs/take_screenshots.py AUDIT [OTHER]`.

AUDIT is the practice model's: `make demo` writes audits/demo. Its report is written again first.
OTHER is compared with it: `portrayal run demo-occupations --guidance 1 --out audits/guidance-1`.
Needs Chromium and the extras `web` and `dev`. Screenshots are PNGs of 256 colours below 300 KB.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

IMAGES = Path(__file__).parent / "images"
LARGEST = 300_000
COLOURS = 256
CLI = [sys.executable, "-c", "from portrayal.cli import main; main()"]


def main(audit: Path, other: Path | None = None) -> None:
    """Take all screenshots of an audit, and of a comparison with another one."""
    from playwright.sync_api import sync_playwright

    subprocess.run([*CLI, "report", str(audit)], check=True)
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as play:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = play.chromium.launch(executable_path=path, args=options)
        report = (audit / "report" / "index.html").resolve().as_uri()
        of_report(browser, report)
        with viewer(audit) as link:
            of_viewer(browser, link, audit.resolve().name)
        if other is not None:
            of_comparison(browser, audit, other)
        browser.close()


def of_report(browser: Any, address: str) -> None:
    """Take the screenshots of the report."""

    def opened(width: int, height: int, scheme: str = "light") -> Any:
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(address)
        page.wait_for_function(
            "[...document.querySelectorAll('[data-spec]')].every(box => box.querySelector('svg'))"
        )
        page.evaluate("document.querySelector('nav').style.position = 'static'")
        return page

    save("report", opened(1280, 1290))
    save("report-dark", opened(1280, 900, "dark"))
    save("report-phone", opened(390, 844))
    page = opened(1280, 1000)
    card = page.locator(".card", has=page.locator(".bars small")).first
    card.locator(".bars summary").first.click()
    card.locator(".bars summary").last.click()
    page.mouse.move(0, 0)  # what the mouse is on is shown larger
    save("report-evidence", card)
    tools = page.locator("form.tools").first
    tools.locator("select[name=label]").select_option(index=1)
    tools.locator("select[name=order]").select_option("certainty")
    tools.evaluate("one => scrollTo(0, scrollY + one.getBoundingClientRect().y - 12)")
    write("report-gallery", page.screenshot(clip={"x": 68, "y": 0, "width": 1144, "height": 760}))
    seeds = page.locator("details.same-seeds[open]").first
    save("report-seeds", seeds)
    page = opened(794, 1123)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    save("report-print", page)


def of_viewer(browser: Any, link: str, name: str) -> None:
    """Take the screenshot of the viewer."""
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.goto(link)
    page.goto(f"{link.partition('/enter')[0]}/images?audit={name}&order=certainty")
    page.wait_for_selector("form[data-filter]")
    page.wait_for_function("!document.querySelector('[data-pending]')")
    page.wait_for_load_state("networkidle")
    save("view", page)


def of_comparison(browser: Any, audit: Path, other: Path) -> None:
    """Take the screenshot of a comparison."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "comparison.html"
        subprocess.run([*CLI, "compare", str(audit), str(other), "--out", str(file)], check=True)
        page = browser.new_page(viewport={"width": 1280, "height": 1100})
        page.goto(file.as_uri())
        page.evaluate("document.querySelector('nav').style.position = 'static'")
        save("comparison", page)


@contextlib.contextmanager
def viewer(audit: Path) -> Iterator[str]:
    """Run the viewer; give its link."""
    command = [*CLI, "view", str(audit), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        try:
            yield found.group() if found else ""
        finally:
            process.terminate()


def save(name: str, shown: Any) -> None:
    """Save what a page or an element shows."""
    write(name, shown.screenshot())


def write(name: str, png: bytes) -> None:
    """Write a screenshot with few colours, and smaller where it would be too large."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    for colours in (COLOURS, 128, 64):
        buffer = io.BytesIO()
        image.quantize(colours).save(buffer, "PNG", optimize=True)
        if buffer.tell() <= LARGEST:
            break
    (IMAGES / f"{name}.png").write_bytes(buffer.getvalue())
    print(f"{name}.png: {image.width} x {image.height}, {buffer.tell() / 1000:.0f} KB")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python docs/take_screenshots.py AUDIT [OTHER]")
    main(*map(Path, sys.argv[1:]))
