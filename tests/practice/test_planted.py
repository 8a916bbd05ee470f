from __future__ import annotations

import copy
import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

from portrayal_practice.errors import PracticeError
from portrayal_practice.planted import (
    PATH,
    load_planted,
    logistic,
    logit,
    parse_planted,
    planted_table,
)
from portrayal_practice.vocabulary import OCCUPATIONS


@pytest.fixture
def raw() -> dict[str, Any]:
    return copy.deepcopy(tomllib.loads(PATH.read_text(encoding="utf-8")))


def test_the_file_says_that_it_is_fiction() -> None:
    assert PATH.read_text(encoding="utf-8").startswith("# Fiction for calibration.")


@pytest.mark.parametrize(
    ("table", "key", "value", "message"),
    [
        ("baseline", "woman", 1.0, "baseline.woman is 1.0"),
        ("baseline", "dark", "much", "baseline.dark is 'much'"),
        ("baseline", "ambiguous", True, "baseline.ambiguous is True"),
        ("skin", "light", [0.5, 0.5], "a list of 5 shares"),
        ("skin", "dark", [0.5, 0.5, 0.5, 0.0, 0.0], "add up to 1"),
        ("place", "moon", 0.1, "place.moon is 'unknown'"),
        ("subject", "alchemy", 0.1, "subject.alchemy"),
        ("worn", "tie", 1.5, "worn.tie is 1.5"),
        ("valence", "flower", [2.0, 0.1], "valence.flower"),
        ("valence", "flower", [0.1, 0.0], "valence.flower"),
        ("culture", "bride", {"western": 1.0}, "culture.bride"),
        ("occupation", "nurse", {"woman": 0.5}, "occupation.nurse"),
        ("occupation", "alchemist", {"woman": 0.5, "dark": 0.5}, "occupation.alchemist"),
    ],
)
def test_a_wrong_entry_is_named(
    raw: dict[str, Any], table: str, key: str, value: object, message: str
) -> None:
    raw[table][key] = value
    with pytest.raises(PracticeError, match=r"table\.toml: ") as caught:
        parse_planted(raw, where="table.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_table_or_word_is_named(raw: dict[str, Any]) -> None:
    del raw["life"]["career"]
    with pytest.raises(PracticeError, match=r"life\.career"):
        parse_planted(raw, where="t")
    del raw["life"]
    with pytest.raises(PracticeError, match=r"\[life\]"):
        parse_planted(raw, where="t")


@pytest.mark.parametrize(
    ("key", "value"), [("axis", "height"), ("keep", 1.5), ("keep", -0.1), ("phrases", [])]
)
def test_a_wrong_intervention_is_named(raw: dict[str, Any], key: str, value: object) -> None:
    raw["intervention"][2][key] = value
    with pytest.raises(PracticeError, match=rf"intervention\[2\]\.{key}"):
        parse_planted(raw, where="t")


def test_a_broken_or_missing_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("a = [", encoding="utf-8")
    with pytest.raises(PracticeError, match=r"broken\.toml: cannot be read"):
        load_planted(broken)
    with pytest.raises(PracticeError, match=r"none\.toml: cannot be read"):
        load_planted(tmp_path / "none.toml")


def test_logit_and_logistic_are_inverse() -> None:
    for share in (1e-9, 0.015, 0.5, 0.95):
        assert logistic(logit(share)) == pytest.approx(share, rel=1e-12)
    assert logistic(1e4) == 1.0
    assert logistic(-1e4) == 0.0


def test_shares_by_occupation_are_spread_and_arbitrary() -> None:
    shares = {name: entry.woman for name, entry in planted_table().occupations.items()}
    assert set(shares) == set(OCCUPATIONS)
    spread = sorted(share for name, share in shares.items() if name != "CEO")
    assert spread[0] == pytest.approx(0.05)
    assert spread[-1] == pytest.approx(0.95)
    assert sum(0.4 <= share <= 0.6 for share in spread) >= 10
    dark = [entry.dark for entry in planted_table().occupations.values()]
    assert min(dark) < 0.2 < 0.8 < max(dark)
    # Skin tone and presentation were shuffled apart.
    n = len(OCCUPATIONS)
    pairs = list(planted_table().occupations.values())
    mean_w, mean_d = sum(p.woman for p in pairs) / n, sum(p.dark for p in pairs) / n
    cov = sum((p.woman - mean_w) * (p.dark - mean_d) for p in pairs)
    spread_w = math.sqrt(sum((p.woman - mean_w) ** 2 for p in pairs))
    spread_d = math.sqrt(sum((p.dark - mean_d) ** 2 for p in pairs))
    assert abs(cov / spread_w / spread_d) < 0.25


def test_effects_are_log_odds_against_the_baseline() -> None:
    table = planted_table()
    effect = table.woman_effect["occupation"]["nurse"]
    assert logistic(logit(table.woman) + effect) == pytest.approx(table.occupations["nurse"].woman)
    effect = table.dark_effect["nurse"]
    assert logistic(logit(table.dark) + effect) == pytest.approx(table.occupations["nurse"].dark)
