"""Print how every estimator does in worlds with known truth, as a table in Markdown."""

from __future__ import annotations

import argparse
import json
import math
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, replace
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from portrayal.statistics.validation import (
    agreement,
    amplification,
    association,
    change,
    classification,
    correction,
    correlation,
    differences,
    diversity,
    influence,
    levels,
    looks,
    reduction,
    shares,
    targets,
)
from portrayal.statistics.validation.drawn import drawn_settings
from portrayal.statistics.validation.worlds import (
    KnownWorld,
    Told,
    ValidationRow,
    binomial_band,
    validation_row,
)

QUICK = 200
_BRIEF = {"correction": 150}
"""Most worlds per setting where all families are run, which is to take an hour on two cores."""
_CHUNK = 50
COLUMNS = (
    "estimator", "setting", "worlds", "coverage %", "null rejection %", "bias", "power %",
    "plain test %", "width / oracle", "verdict",
)  # fmt: skip

FAMILIES: dict[str, Callable[[], Sequence[KnownWorld]]] = {
    "shares": shares.settings,
    "levels": levels.settings,
    "diversity": diversity.settings,
    "change": change.settings,
    "differences": differences.settings,
    "amplification": amplification.settings,
    "reduction": reduction.settings,
    "association": association.settings,
    "influence": influence.settings,
    "correlation": correlation.settings,
    "agreement": agreement.settings,
    "classification": classification.settings,
    "correction": correction.settings,
    "looks": looks.settings,
    "targets": targets.settings,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate the families that are asked for and print one row per setting."""
    parser = argparse.ArgumentParser(
        prog="python -m portrayal.statistics.validation", description=__doc__
    )
    parser.add_argument(
        "families", nargs="*", metavar="FAMILY",
        help=f"Families to simulate: {', '.join(FAMILIES)} (default: all).",
    )  # fmt: skip
    parser.add_argument(
        "--worlds", type=int, help="Worlds per setting (default: 1,000, or 4,000 where cheap)."
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"Simulate {QUICK} worlds per setting."
    )
    parser.add_argument("--only", default="", help="Text that a setting's name contains.")
    parser.add_argument(
        "--drawn", type=int, metavar="N",
        help="Draw N settings of each family at random in place of those of the documentation.",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, default=1, help="Processes (default: 1).")
    parser.add_argument("--seed", type=int, default=0, help="Start of random numbers (default: 0).")
    parser.add_argument(
        "--rows", type=Path, metavar="FILE",
        help="Append every finished row to this file as JSON; rows that are in it are not "
        "simulated again.",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    unknown = set(given.families) - set(FAMILIES)
    if unknown:
        parser.error(f"FAMILY is {', '.join(sorted(unknown))}; allowed: {', '.join(FAMILIES)}")
    worlds: list[KnownWorld] = []
    for name in given.families or FAMILIES:
        if given.drawn:
            worlds += drawn_settings(name, given.drawn, given.seed)
        else:
            worlds += FAMILIES[name]() if given.families else _brief(name)
    chosen = [one for one in worlds if given.only in f"{one.estimator} {one.setting}"]
    print(_line(COLUMNS))
    print(_line(["---"] * len(COLUMNS)))
    number = QUICK if given.quick else given.worlds
    kept = _kept_rows(given.rows)
    missing = [one for one in chosen if (one.estimator, one.setting) not in kept]
    rows = validation_rows(missing, worlds=number, seed=given.seed, workers=given.workers)
    failed = 0
    for world in chosen:
        row = kept.get((world.estimator, world.setting)) or _kept(next(rows), given.rows)
        print(table_line(row), flush=True)
        failed += row.verdict.startswith("FAILS")
    print(f"\n{len(chosen)} settings, {failed} outside the bands.", file=sys.stderr)


def _kept_rows(file: Path | None) -> dict[tuple[str, str], ValidationRow]:
    """Return the rows of a file by estimator and setting; a line cut short is taken out of it."""
    if file is None or not file.exists():
        return {}
    whole, _, cut = file.read_text().rpartition("\n")
    if cut:
        file.write_text(f"{whole}\n" if whole else "")
    found = [ValidationRow(**json.loads(line)) for line in whole.splitlines()]
    return {(row.estimator, row.setting): row for row in found}


def _kept(row: ValidationRow, file: Path | None) -> ValidationRow:
    if file is not None:
        with file.open("a") as out:
            out.write(json.dumps(asdict(row)) + "\n")
    return row


def _brief(family: str) -> Sequence[KnownWorld]:
    """Return a family's settings with as many worlds as a run of all families has time for."""
    most = _BRIEF.get(family)
    found = FAMILIES[family]()
    if most is None:
        return found
    return [replace(one, worlds=min(one.worlds, most)) for one in found]  # type: ignore[type-var]


class _Task(NamedTuple):
    place: int
    world: KnownWorld
    worlds: int
    seed: tuple[int, ...]


def validation_rows(
    chosen: Sequence[KnownWorld], *, worlds: int | None = None, seed: int = 0, workers: int = 1
) -> Iterator[ValidationRow]:
    """Yield one row per setting.

    Args:
        chosen: Settings.
        worlds: How many to simulate per setting; None: as many as each asks for.
        seed: Start of the random numbers. Each setting draws its own from it and from its name, so
            that neither other settings nor the number of workers matter.
        workers: Processes.
    """
    tasks = [
        _Task(place, world, min(_CHUNK, wanted - start), (seed, _name_code(world), start))
        for place, world in enumerate(chosen)
        for wanted in [worlds or world.worlds]
        for start in range(0, wanted, _CHUNK)
    ]
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        parts = map(_told, tasks) if pool is None else pool.map(_told, tasks)
        done = zip(tasks, parts, strict=True)
        for place, same in groupby(done, key=lambda one: one[0].place):
            told = list(chain.from_iterable(part for _, part in same))
            yield validation_row(chosen[place], told)


def _name_code(world: KnownWorld) -> int:
    return zlib.crc32(f"{world.estimator} {world.setting}".encode())


def _told(task: _Task) -> list[Told]:
    rng = np.random.default_rng(task.seed)
    found = (task.world.told(rng) for _ in range(task.worlds))
    return [one for one in found if one is not None and not math.isnan(one.low)]


def table_line(row: ValidationRow) -> str:
    """Return a row of the table; rates with their 99 % Monte Carlo interval."""
    return _line([
        row.estimator, row.setting, f"{row.worlds:,}", _rate(row.coverage, row.worlds),
        _rate(row.rejection, row.worlds), _number(row.bias), _percent(row.power),
        _percent(row.rival if math.isnan(row.rejection) else row.rival_level),
        _number(row.width_vs_oracle), row.verdict,
    ])  # fmt: skip


def _rate(rate: float, worlds: int) -> str:
    if math.isnan(rate):
        return ""
    low, high = binomial_band(rate, worlds)
    return f"{100 * rate:.1f} ({100 * low:.1f}-{100 * high:.1f})"


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}"


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}" if abs(value) < 0.1 else f"{value:.2f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
