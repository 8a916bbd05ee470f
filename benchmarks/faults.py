"""Faults drawn at random over all verbs; afterwards nothing is lost, doubled or different.

    python -m benchmarks.faults [FAULTS] [SEED]

Each fault gets an audit of its own (48 generated or imported images, one measurer, one study). One
verb of generate, import, measure, analyze, report and compact meets one fault: it is killed, its
disk is full, one of the parts is damaged afterwards, its clock is wrong by years, or a second
process does the same at the same time. Then the user does what messages say: run the verb again,
or `repair` and run again. Printed by fault and verb: findings that differ from an undisturbed
run, images and measurements lost and doubled.
"""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from portrayal import GeneratedImage, Identity
from portrayal.audit import AuditFolder, Wanted, compact, export_images, part_paths, repair
from portrayal.audit import files as audit_files
from portrayal.audit import parts as audit_parts
from portrayal.errors import PortrayalError
from portrayal.generators import generate
from portrayal.importers import import_images
from portrayal.measurers import measure
from portrayal.records import Request
from portrayal.report import write_report
from portrayal.runner.analysis import analyze
from portrayal.studies import Study, study_from_dict

FAULTS = ("kill", "full disk", "damaged part", "clock", "second process")
GENERATING = ("generate", "measure", "analyze", "report", "compact")
IMPORTING = ("import", "measure", "analyze", "report", "compact")
YEARS = 10 * 365 * 86_400 * 10**9
FORK = multiprocessing.get_context("fork")


def study() -> Study:
    return study_from_dict(
        {
            "name": "jobs", "kind": "composition", "images": 12, "axes": ["perceived gender"],
            "template": "a photo of {a job}",
            "factors": {"job": ["nurse", "chef", "pilot", "baker"]},
        }
    )  # fmt: skip


class Colours:
    """Makes an image from prompt and seed alone."""

    identity = Identity("toy", "colours", {"version": 1})
    batch_size = 4

    def check(self, prompts: Any) -> int:
        """Cut no prompt."""
        return 0

    def generate(self, requests: list[Request]) -> list[GeneratedImage]:
        """Return one image for each request."""
        found = []
        for one in requests:
            rng = np.random.default_rng([one.seed, len(one.prompt)])
            pixels = rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)
            found.append(GeneratedImage.ok(Image.fromarray(pixels)))
        return found


class Brightness:
    """Labels an image by its first pixel."""

    identity = Identity("classifier", "brightness", {"version": 1})
    gives = ("labels",)
    axes: ClassVar = {"perceived gender": ("woman", "man")}
    batch_size = 4

    def measure(self, images: list[Any]) -> list[Any]:
        """Return the labels of each image."""
        shares = [np.asarray(image)[0, 0, 0] / 255 for image in images]
        return [{"labels": {"perceived gender": {"woman": one, "man": 1 - one}}} for one in shares]


def do(verb: str, place: Path) -> None:
    """Run one verb as a user would."""
    out, asked = place / "audit", study()
    if verb == "generate":
        audit = AuditFolder.at(out, Colours.identity)
        generate(audit, Colours(), Wanted.by(asked.prompts()))
    elif verb == "import":
        import_images(place.parent / "files", out, name="files")
    audit = AuditFolder(out)
    audit.remember_study(asked.name, asked.as_dict())
    if verb == "measure":
        measure(audit, [Brightness()])
    elif verb == "analyze":
        analyze(audit)
    elif verb == "report":
        write_report(audit)
    elif verb == "compact":
        compact(audit, many=1)
    elif verb == "repair":
        repair(out)
    elif verb == "export":
        export_images(audit, place.parent / "files")


def child(verb: str, place: Path, before: Callable[[], None] | None = None) -> Any:
    """Start a verb in a process of its own."""

    def run() -> None:
        try:
            if before is not None:
                before()
            do(verb, place)
        except PortrayalError as error:
            (place / "said.txt").write_text(str(error))
            os._exit(3)
        except BaseException:
            (place / "traceback.txt").write_text(traceback.format_exc())
            os._exit(4)
        os._exit(0)

    started = FORK.Process(target=run)
    started.start()
    return started


def finished(one: Any) -> int:
    one.join(120)
    return int(one.exitcode) if one.exitcode is not None else -1


def full_disk(after: int) -> Callable[[], None]:
    """Let the n-th flush find the disk full."""
    left = [after]

    def patch() -> None:
        real = audit_files.flush

        def flush(path: Path) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            real(path)

        audit_files.flush = flush
        audit_parts.flush = flush

    return patch


def wrong_clock(offset: int) -> Callable[[], None]:
    """Move the clock by years."""

    def patch() -> None:
        now_ns, now = time.time_ns, time.time
        time.time_ns = lambda: now_ns() + offset
        time.time = lambda: now() + offset / 1e9

    return patch


def damage(place: Path, rng: random.Random) -> None:
    """Flip a byte of a random part, cut it, or empty it."""
    paths = sorted(place.rglob("part-*.parquet"))
    if not paths:
        return
    path = rng.choice(paths)
    data = bytearray(path.read_bytes())
    how = rng.choice(("flip", "cut", "empty"))
    if how == "flip":
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    length = {"flip": len(data), "cut": len(data) // 2, "empty": 0}[how]
    path.write_bytes(bytes(data[:length]))


def disturbed(
    place: Path, verbs: tuple[str, ...], verb: str, fault: str, rng: random.Random
) -> None:
    """Run all verbs; one of them meets a fault. A report that is not the point is left out."""
    verbs = tuple(one for one in verbs if one != "report" or one == verb)
    for one in verbs:
        if one == verb and fault == "kill":
            running = child(one, place)
            time.sleep(rng.uniform(0, 0.4))
            if running.is_alive():
                os.kill(running.pid, signal.SIGKILL)
            running.join()
        elif one == verb and fault == "full disk":
            finished(child(one, place, full_disk(rng.randrange(6))))
        elif one == verb and fault == "clock":
            finished(child(one, place, wrong_clock(rng.choice((-YEARS, YEARS)))))
        elif one == verb and fault == "second process":
            both = [child(one, place), child(one, place)]
            for running in both:
                finished(running)
        settled(place, verbs[: verbs.index(one) + 1])
        if one == verb and fault == "damaged part":
            damage(place, rng)
    if fault == "damaged part":
        settled(place, ("repair", *verbs))


def settled(place: Path, verbs: tuple[str, ...]) -> None:
    """Run the last of some verbs; where it ends in an error, repair and run all of them again."""
    if finished(child(verbs[-1], place)) == 0 and verbs[0] != "repair":
        return
    for one in ("repair", *(one for one in verbs if one != "repair")):
        finished(child(one, place))


def counted(place: Path, wanted: int) -> Counter[str]:
    """Count images and measurements lost and doubled, on the disk."""

    def count(queue: Any) -> None:
        found: Counter[str] = Counter()
        folders = [place / "audit" / "images", *(place / "audit" / "measurements").iterdir()]
        for folder in folders:
            keys = [
                key
                for path in part_paths(folder)
                for key in audit_parts.read_part(path, ["key"])["key"].to_pylist()
            ]
            found["lost"] += wanted - len(set(keys))
            found["doubled"] += len(keys) - len(set(keys))
        queue.put(found)

    queue = FORK.Queue()
    one = FORK.Process(target=count, args=(queue,))
    one.start()
    found: Counter[str] = queue.get(timeout=120)
    one.join()
    return found


def findings(place: Path) -> str:
    data = json.loads((place / "audit" / "results.json").read_text())
    return json.dumps(data["findings"], sort_keys=True)


def main() -> None:
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    table: dict[tuple[str, str], Counter[str]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        wanted = sum(prompt.images for prompt in study().prompts())
        whole = {}
        for verbs in (GENERATING, IMPORTING):
            place = root / verbs[0]
            place.mkdir()
            for verb in verbs:
                assert finished(child(verb, place)) == 0, (place / "traceback.txt").read_text()
            if verbs is GENERATING:
                finished(child("export", place))
            whole[verbs] = findings(place)
        for number in range(total):
            verbs = rng.choice((GENERATING, IMPORTING))
            fault, verb = FAULTS[number % len(FAULTS)], rng.choice(verbs)
            place = root / f"fault-{number}"
            place.mkdir()
            disturbed(place, verbs, verb, fault, rng)
            told = table.setdefault((fault, verb), Counter())
            told["faults"] += 1
            told["findings differ"] += findings(place) != whole[verbs]
            told["tracebacks"] += (place / "traceback.txt").exists()
            told.update(counted(place, wanted))
            if (place / "traceback.txt").exists():
                print((place / "traceback.txt").read_text(), file=sys.stderr)
    heads = ("faults", "findings differ", "lost", "doubled", "tracebacks")
    print(f"{'fault':16}{'verb':10}" + "".join(f"{head:>17}" for head in heads))
    every: Counter[str] = Counter()
    for (fault, verb), told in sorted(table.items()):
        every.update(told)
        print(f"{fault:16}{verb:10}" + "".join(f"{told[head]:17}" for head in heads))
    print(f"{'all':26}" + "".join(f"{every[head]:17}" for head in heads))


if __name__ == "__main__":
    main()
