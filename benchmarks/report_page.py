"""The report of an audit of 5,000 images: time and memory to build, size, time to the first view.

    python -m benchmarks.report_page [IMAGES]

The audit is synthetic: who is shown in 62 occupations and 4 wordings, and an association of 31
occupations against 31, half of the images each. Images are JPEGs of 512 x 512 pixels, all
different, with the detail of a blurred photograph. `portrayal report` runs in a process of its own,
with its imports counted. The first view is measured in headless Chromium from the request to the
moment when every image of the cards is decoded; all figures are drawn some time later. The peer is
the same page without images and figures: an HTML file of the same text.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.large_analysis import ENCODER, GENERATOR, STUDIES, run
from portrayal.audit import AuditFolder
from portrayal.records import ImageRecord, Measurement, image_key
from portrayal.studies import study_from_dict

IMAGES, WIDTH, PART = 5_000, 512, 500
READY = "[...document.querySelectorAll('.card img')].every(one => one.complete && one.naturalWidth)"
DRAWN = "[...document.querySelectorAll('[data-spec]')].every(box => box.querySelector('svg.marks'))"


def main() -> None:
    images = int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else IMAGES
    with tempfile.TemporaryDirectory() as scratch:
        where = Path(scratch) / "audit"
        fill(AuditFolder.at(where, GENERATOR), images)
        run("analyze", where)
        started = time.perf_counter()
        seconds, peak = run("report", where)
        built = time.perf_counter() - started
        page = where / "report" / "index.html"
        size = page.stat().st_size / 1e6
        bare = Path(scratch) / "bare.html"
        bare.write_text(without_images(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"the report of {images:,} images")
        print(f"{'':32}{'got':>10}  target at 5,000")
        print(f"{'built in':32}{built:>8.1f} s  20 s")
        print(f"{'built in, CPU':32}{seconds:>8.1f} s")
        print(f"{'peak memory':32}{peak:>7.0f} MB  1,000 MB")
        print(f"{'size':32}{size:>7.1f} MB  25 MB")
        times, plain = first_view(page), first_view(bare)
        print(f"{'first view':32}{times[0]:>8.2f} s  2 s")
        print(f"{'all figures drawn':32}{times[1]:>8.2f} s")
        print(f"{'first view / text alone':32}{times[0] / plain[0]:>9.1f}x")


def fill(audit: AuditFolder, images: int) -> None:
    """Make the audit: every image stored and embedded, every text read."""
    rng = np.random.default_rng(0)
    for kind, make in STUDIES.items():
        study = study_from_dict({**make(images // 2).as_dict(), "name": kind})
        audit.remember_study(study.name, study.as_dict())
        texts = [text for text in study.texts() if text in audit.missing_texts(ENCODER, [text])]
        none: list[None] = [None] * len(texts)
        directions = rng.normal(size=(len(texts), WIDTH)).astype(np.float32)
        audit.append_texts(ENCODER, texts, directions, tokens=none, truncated=none)
        wanted = [(prompt.text, seed) for prompt in study.prompts() for seed in prompt.seeds]
        for start in range(0, len(wanted), PART):
            some = wanted[start : start + PART]
            audit.append_images([ImageRecord(p, s, "ok", None, photo(rng)) for p, s in some])
            vectors = rng.normal(size=(len(some), WIDTH)).astype(np.float32)
            women = np.array(["occupation 0" in prompt for prompt, _ in some])
            vectors += 0.5 * np.where(women[:, None], directions[0], directions[-1])
            keys = [image_key(GENERATOR, prompt, seed) for prompt, seed in some]
            audit.append_measurements(
                ENCODER,
                {"embedding": "vector"},
                [Measurement(k, {"embedding": v}) for k, v in zip(keys, vectors, strict=True)],
            )


def photo(rng: np.random.Generator) -> bytes:
    """Return a JPEG with the detail of a blurred photograph."""
    coarse = Image.fromarray(rng.integers(0, 256, (24, 24, 3), dtype=np.uint8))
    buffer = io.BytesIO()
    coarse.resize((512, 512), Image.Resampling.BICUBIC).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def without_images(html: str) -> str:
    """Return a page's text without its images, figures and scripts."""
    html = re.sub(r"<script.*?</script>", "", html, flags=re.S)
    return re.sub(r"<img [^>]*>", "", html)


def first_view(page: Path) -> tuple[float, float]:
    """Return the seconds until the cards are seen, and until all figures are drawn."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as play:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = play.chromium.launch(executable_path=path, args=options)
        browser.new_page().goto("about:blank")  # the browser's own start does not count
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        started = time.perf_counter()
        tab.goto(page.as_uri(), wait_until="commit")
        tab.wait_for_selector("main", state="attached")
        tab.wait_for_function(READY)
        first = time.perf_counter() - started
        if "data-spec" in page.read_text(encoding="utf-8"):
            tab.wait_for_function(f"!window.vegaEmbed || {DRAWN}", timeout=120_000)
        whole = time.perf_counter() - started
        browser.close()
    return first, whole


if __name__ == "__main__":
    main()
