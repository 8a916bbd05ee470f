"""Fifty raters at once: `benchmarks/raters.py` measures, these tests look at what it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


def fifty_raters(database: str | None) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.raters", "--json"]
    if database is not None:
        command += ["--database", database]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_fifty_raters_lose_and_double_nothing_and_see_nothing_of_each_other(
    database: str | None,
) -> None:
    found = fifty_raters(database)
    assert found["sent"] == 1000
    assert found["stored"] == 1000
    assert found["doubled"] == 0
    assert found["in_audit"] == 1000
    assert found["own_seen"] == 1000, "a page shows what its rater said"
    assert found["foreign_seen"] == 0, "and nothing that others said of the same image"


@pytest.mark.slow
def test_median_answer_takes_less_than_a_tenth_of_a_second(database: str | None) -> None:
    assert fifty_raters(database)["median_ms"] < 100
