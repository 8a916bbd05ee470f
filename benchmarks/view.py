"""The viewer over a large audit: how long does a filter take?

    python -m benchmarks.view [IMAGES] [WIDTH]

The audit is that of `large_analysis` (62 occupations in 4 wordings, one embedding of `WIDTH`
numbers per image, labels on two axes), and a second measurer labels every image on one axis, so
that measurers can disagree. `portrayal view` runs in a process of its own. A filter is timed as a
browser sees it: from the request to the last byte of the page, the median and the longest of five,
each time with another page of results, with the CPU seconds of the server beside it. Opening an
audit lists its images; its labels are computed once, beside that. The first filter on labels is
asked at once and answers from the labels that are there. The peer is computing all labels: what
each filter would cost without the index.
"""

from __future__ import annotations

import http.cookiejar
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from benchmarks.large_analysis import fill
from portrayal.audit import AuditFolder
from portrayal.records import Identity, Measurement

IMAGES, WIDTH, PART = 250_000, 512, 10_000
TARGET_S = 1.0
CLASSIFIER = Identity("classifier", "second opinion", {})
FILTERS = {
    "all images": {},
    "prompt contains": {"words": "occupation 17"},
    "label": {"label": "perceived gender: woman"},
    "label and measurer": {"label": "perceived gender: man", "measurer": "second opinion"},
    "probability": {"measurer": "second opinion", "least": "50", "most": "60"},
    "measurers disagree": {"disagree": "1"},
    "least certain first": {"order": "certainty"},
    "all at once": {
        "words": "portrait", "label": "perceived gender: woman", "measurer": "second opinion",
        "least": "60", "disagree": "1", "order": "certainty",
    },
}  # fmt: skip


def main() -> None:
    numbers = [int(word.replace(",", "")) for word in sys.argv[1:]]
    images, width = (*numbers, *(IMAGES, WIDTH)[len(numbers) :])
    with tempfile.TemporaryDirectory() as scratch:
        where = Path(scratch) / "audits" / "large"
        fill(where, "composition", images, width)
        second_opinion(AuditFolder(where))
        with Viewer(where.parent) as viewer:
            report(viewer, images)


def report(viewer: Viewer, images: int) -> None:
    listing, _ = viewer.ask("/", {})
    opening, page = viewer.ask("/images", {"audit": "large"})
    first, told = viewer.ask("/images", {"audit": "large", "disagree": "1"})
    begun = viewer.cpu_seconds()
    while "data-pending" in told:
        time.sleep(0.5)
        told = viewer.ask("/images", {"audit": "large"})[1]
    labelling = viewer.cpu_seconds() - begun
    print(f"view over {images:,} images: target for a filter {TARGET_S:.0f} s")
    print(f"{'':28}{'median':>10}{'longest':>10}{'CPU':>10}{'times less than labelling':>28}")
    print(f"{'list of audits':28}{listing:>8.2f} s")
    print(f"{'open the audit, once':28}{opening:>8.2f} s")
    print(f"{'first filter, asked at once':28}{first:>8.2f} s")
    print(f"{'label all, once, beside that':28}{'':20}{labelling:>8.2f} s")
    for name, fields in FILTERS.items():
        begun = viewer.cpu_seconds()
        taken = [
            viewer.ask("/images", {"audit": "large", **fields, "start": str(60 * i)})[0]
            for i in range(5)
        ]
        cpu = (viewer.cpu_seconds() - begun) / 5
        middle, longest = statistics.median(taken), max(taken)
        numbers = f"{middle:>8.2f} s{longest:>8.2f} s{cpu:>8.2f} s"
        print(f"{name:28}{numbers}{labelling / cpu:>27.0f}x", flush=True)
    files = re.findall(r'src="(/file[^"]+)"', page)
    started = time.perf_counter()
    for one in files:
        viewer.get(one.replace("&amp;", "&"))
    print(f"{f'{len(files)} images of a page':28}{time.perf_counter() - started:>8.2f} s")
    print(f"{'peak memory':28}{viewer.peak_megabytes():>7.0f} MB")


class Viewer:
    """`portrayal view` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        run = "from portrayal.cli import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", run, "view", str(folder), "--port", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        link = self._process.stdout.readline().split()[-1]
        self._base = link.partition("/enter")[0]
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._browser = urllib.request.build_opener(cookies)
        self._browser.open(link).close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *problem: object) -> None:
        self._process.terminate()
        self._process.communicate()

    def ask(self, path: str, fields: dict[str, str]) -> tuple[float, str]:
        """Return the seconds a page took, and the page."""
        started = time.perf_counter()
        page = self.get(f"{path}?{urlencode(fields)}")
        return time.perf_counter() - started, page.decode()

    def get(self, address: str) -> bytes:
        with self._browser.open(self._base + address) as reply:
            data: bytes = reply.read()
            return data

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").split(") ")[1]
        ticks = sum(int(one) for one in fields.split()[11:13])
        return ticks / os.sysconf("SC_CLK_TCK")

    def peak_megabytes(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


def second_opinion(audit: AuditFolder) -> None:
    """Let a second measurer label every image on one axis."""
    rng = np.random.default_rng(1)
    keys = [key for (key,) in audit.images(columns=("key",)).fetchall()]
    for start in range(0, len(keys), PART):
        some = keys[start : start + PART]
        women = rng.uniform(size=len(some)).tolist()
        audit.append_measurements(
            CLASSIFIER,
            {"labels": "labels"},
            [
                Measurement(key, {"labels": {"perceived gender": {"woman": p, "man": 1 - p}}})
                for key, p in zip(some, women, strict=True)
            ],
        )


if __name__ == "__main__":
    main()
