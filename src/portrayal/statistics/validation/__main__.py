"""Print how estimators do in worlds with known truth, as a table in Markdown."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from portrayal.statistics.validation import (
    agreement,
    amplification,
    association,
    correction,
    correlation,
    diversity,
    influence,
    looks,
    reduction,
    shares,
)
from portrayal.statistics.validation.worlds import ValidationRow, binomial_band

WORLDS, QUICK = 1000, 200
COVERAGE = (0.93, 0.97)
MOST_REJECTED = 0.065
COLUMNS = (
    "estimator", "setting", "worlds", "coverage %", "null rejection %", "bias", "power %",
    "width / oracle", "outside the band by",
)  # fmt: skip


class Family(NamedTuple):
    """The worlds of one family of estimators, and how one of them is simulated."""

    settings: Callable[[], Sequence[Any]]
    validate: Callable[..., ValidationRow]


FAMILIES = {
    "agreement": Family(agreement.settings, agreement.validate),
    "amplification": Family(amplification.settings, amplification.validate_amplification),
    "association": Family(association.settings, association.validate),
    "correction": Family(correction.settings, correction.validate),
    "correlation": Family(correlation.settings, correlation.validate_correlation),
    "diversity": Family(diversity.settings, diversity.validate),
    "influence": Family(influence.settings, influence.validate),
    "looks": Family(looks.settings, looks.validate),
    "reduction": Family(reduction.settings, reduction.validate_reduction),
    "shares": Family(shares.settings, shares.validate),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate the families that are asked for and print one row per setting."""
    parser = argparse.ArgumentParser(
        prog="python -m portrayal.statistics.validation", description=__doc__
    )
    parser.add_argument(
        "families", nargs="*", metavar="FAMILY", choices=list(FAMILIES),
        help=f"Families to simulate: {', '.join(FAMILIES)} (default: all).",
    )  # fmt: skip
    parser.add_argument(
        "--worlds", type=int, default=WORLDS, help=f"Worlds per setting (default: {WORLDS})."
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"Simulate {QUICK} worlds per setting."
    )
    parser.add_argument("--seed", type=int, default=0, help="Start of random numbers (default: 0).")
    given = parser.parse_args(arguments)
    print(_line(COLUMNS))
    print(_line(["---"] * len(COLUMNS)))
    worlds = QUICK if given.quick else given.worlds
    for row in validation_rows(given.families or list(FAMILIES), worlds=worlds, seed=given.seed):
        print(_line(_cells(row)))
        sys.stdout.flush()


def validation_rows(
    families: Sequence[str], *, worlds: int, seed: int = 0
) -> Iterator[ValidationRow]:
    """Yield one row per setting of each family.

    Args:
        families: Names of `FAMILIES`.
        worlds: How many to simulate per setting.
        seed: Start of the random numbers; each setting draws its own from it.
    """
    for name in families:
        family = FAMILIES[name]
        for place, setting in enumerate(family.settings()):
            rng = np.random.default_rng([seed, list(FAMILIES).index(name), place])
            yield family.validate(setting, worlds=worlds, rng=rng)


def shortfall(row: ValidationRow) -> float:
    """Return by how much a row misses the bands beyond Monte Carlo error; 0 where it does not."""
    missed = [0.0]
    if not math.isnan(row.coverage):
        low, high = binomial_band(row.coverage, row.worlds)
        missed += [COVERAGE[0] - high, low - COVERAGE[1]]
    if not math.isnan(row.rejection):
        missed.append(binomial_band(row.rejection, row.worlds).low - MOST_REJECTED)
    return max(missed)


def _cells(row: ValidationRow) -> list[str]:
    missed = shortfall(row)
    shares = (row.coverage, row.rejection)
    return [
        row.estimator, row.setting, f"{row.worlds:,}", *(_percent(share) for share in shares),
        _number(row.bias), _percent(row.power), _number(row.width_vs_oracle),
        _percent(missed) if missed > 0 else "",
    ]  # fmt: skip


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}"


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
