"""Fifty raters at once on loopback: are all answers stored, and how long does one take?

    python -m benchmarks.raters [--raters 50] [--answers 20] [--database URL] [--json]

The rating page's own server runs in a process of its own, with SQLite in the audit folder (or the
database given), flushed to disk before every reply. Each rater opens the personal link and sends
one answer after the other without pausing, as the page's script does at every key: far more than
fifty people press. All raters share one more process, so that two cores carry both sides. A
latency is the time from sending an answer to the reply that it is stored.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import multiprocessing
import re
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.raters import AnswerRow, Revision, open_database, site
from portrayal.records import Identity, ImageRecord

ANSWERS = ("yes", "yes", "man", "light+skin")
QUESTIONS = ("person", "attribute", "gender", "skin")
TARGET_MS = 100.0
CHOSEN = " checked>"
"""How a page marks an answer that was given."""


def main(arguments: Sequence[str] = ()) -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--raters", type=int, default=50)
    options.add_argument("--answers", type=int, default=20)
    options.add_argument("--database")
    options.add_argument("--json", action="store_true")
    asked = options.parse_args(arguments)
    found = measure(asked.raters, asked.answers, asked.database)
    if asked.json:
        print(json.dumps(found))
        return
    print(
        f"{asked.raters} raters at once, {asked.answers} answers each: "
        f"{found['stored']} of {found['sent']} stored, {found['doubled']} doubled, "
        f"{found['in_audit']} in the audit; answers of others seen: {found['foreign_seen']}\n"
        f"answer until stored: median {found['median_ms']:.0f} ms (target {TARGET_MS:.0f}), "
        f"95 % {found['p95_ms']:.0f} ms, longest {found['longest_ms']:.0f} ms; "
        f"{found['per_second']:.0f} answers a second"
    )


def measure(raters: int, answers: int, database: str | None) -> dict[str, Any]:
    """Rate a small audit; return what was stored and how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        audit = Path(folder) / "audit"
        images = -(-answers // len(ANSWERS))
        _make_audit(audit, images)
        made = site.prepare(audit, raters=raters, per_image=raters, checks=0, database=database)
        methods = multiprocessing.get_context("spawn")
        said: Any = methods.Queue()
        server = methods.Process(target=_serve, args=(str(audit), database, said), daemon=True)
        server.start()
        base = said.get(timeout=120)
        try:
            started = time.perf_counter()
            done = asyncio.run(_rate_all(base, list(made.tokens.values()), answers))
            took = time.perf_counter() - started
        finally:
            server.terminate()
            server.join()
        stored, revisions = _count(audit, database)
        in_audit = len(AuditFolder(audit).votes().filter("answer IS NOT NULL").fetchall())
    times = sorted(time for one in done for time in one.times)
    return {
        "sent": raters * answers,
        "stored": stored,
        "doubled": revisions - stored,
        "in_audit": in_audit,
        "own_seen": sum(one.own for one in done),
        "foreign_seen": sum(one.foreign for one in done),
        "median_ms": statistics.median(times) * 1e3,
        "p95_ms": times[int(0.95 * len(times))] * 1e3,
        "longest_ms": times[-1] * 1e3,
        "per_second": len(times) / took,
    }


def _make_audit(folder: Path, images: int) -> None:
    audit = AuditFolder.at(folder, Identity("benchmark", "noise", {}))
    rng = np.random.default_rng(0)
    records = []
    for seed in range(images):
        written = io.BytesIO()
        Image.fromarray(rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)).save(written, "PNG")
        records.append(ImageRecord("a photo of a doctor", seed, "ok", data=written.getvalue()))
    audit.append_images(records)


def _serve(audit: str, database: str | None, said: Any) -> None:
    site.serve(audit, database=database, port=0, on_ready=lambda site: said.put(site.base))


class Line:
    """One rater's connection. A few lines of HTTP, because the usual clients cost more than what
    is measured.
    """

    def __init__(self, base: str) -> None:
        self._host = base.removeprefix("http://")
        self._cookie = ""

    async def open(self) -> None:
        name, _, port = self._host.partition(":")
        self._reader, self._writer = await asyncio.open_connection(name, int(port))

    async def ask(self, method: str, address: str, body: str = "") -> str:
        """Send a request; return the body of the reply, whatever its status."""
        lines = [
            f"{method} {address} HTTP/1.1",
            f"host: {self._host}",
            f"cookie: {self._cookie}",
            "accept: application/json",
            "content-type: application/x-www-form-urlencoded",
            f"content-length: {len(body)}",
        ]
        self._writer.write("\r\n".join([*lines, "", body]).encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"content-length: (\d+)", head)
        text = await self._reader.readexactly(int(length[1]) if length else 0)
        cookie = re.search(r"set-cookie: ([^;]+)", head)
        if cookie:
            # Names and values are letters, digits, - and _; only the value's case matters.
            self._cookie = f"{cookie[1].partition('=')[0]}={address.rsplit('/', 1)[1]}"
        return text.decode()

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


@dataclass
class Done:
    """What one rater did and saw.

    Attributes:
        times: Seconds until each answer was stored.
        own: Answers that pages showed of the rater's own, after they were given.
        foreign: Answers that pages showed before the rater gave any; all rate the same images.
    """

    times: list[float] = field(default_factory=list)
    own: int = 0
    foreign: int = 0


async def _rate_all(base: str, tokens: Sequence[str], answers: int) -> list[Done]:
    ready = asyncio.Barrier(len(tokens))
    return await asyncio.gather(*(_rate(base, token, answers, ready) for token in tokens))


async def _rate(base: str, token: str, answers: int, ready: asyncio.Barrier) -> Done:
    line = Line(base)
    await line.open()
    await line.ask("GET", f"/enter/{token}")
    address = _found(r'href="(/rate/[\w-]+)"', await line.ask("GET", "/"))
    done = Done()
    times = done.times
    await ready.wait()
    while len(times) < answers:
        page = await line.ask("GET", address)
        done.foreign += page.count(CHOSEN)
        body = "form=" + _found(r'name="form" value="(\w+)"', page)
        for question, answer in zip(QUESTIONS, ANSWERS, strict=True):
            if len(times) == answers:
                break
            body += f"&answer.{question}={answer}"
            started = time.perf_counter()
            reply = await line.ask("POST", address, body)
            times.append(time.perf_counter() - started)
            assert json.loads(reply)["saved"] is True, reply
        done.own += (await line.ask("GET", address)).count(CHOSEN)
        address = _found(r'data-following="([^"]+)"', page)
    await line.close()
    return done


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, text
    return found[1]


def _count(audit: Path, database: str | None) -> tuple[int, int]:
    opened = open_database(audit, database)
    with opened.reading() as connection:
        stored = sa.select(sa.func.count()).where(AnswerRow.answer.is_not(None))
        found = connection.execute(stored).scalar_one()
        changes = connection.execute(sa.select(sa.func.count()).select_from(Revision)).scalar_one()
    opened.close()
    return found, changes


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
