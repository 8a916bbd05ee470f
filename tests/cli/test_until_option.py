from __future__ import annotations

import json
from pathlib import Path

from command_line import CommandLine
from portrayal.numbers import percent


def test_a_run_stops_when_everything_is_decided(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    command = ("run", work, "--model", "practice:painter", "--out", tmp_path / "a")
    rule = ("--images", "20", "--until", "decided", "--max-images", "72")
    answer = portrayal(*command, *rule, "--json")
    assert answer.code == 0, answer.err
    ended = json.loads(answer.out)["until"]
    assert ended["maximum"] == 72
    assert ended["images"] + ended["saved"] == 72
    assert len(ended["answered"]) + len(ended["open"]) == 1
    again = portrayal(*command, *rule)
    assert "counting all looks" in " ".join(again.out.split())
    assert "of at most 72 images" in again.err
    assert all(len(line) <= 80 for line in again.out.splitlines())


def test_a_run_until_a_width_lists_the_intervals_that_decide(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "a"
    command = ("run", work, "--model", "practice:painter", "--out", out, "--images", "8")
    answer = portrayal(*command, "--until", "width=0.9")
    assert answer.code == 0, answer.err
    assert "Intervals count all looks." in answer.out
    found = json.loads((out / "results.json").read_text())["findings"]
    share = next(one for one in found if one["statistic"] == "group share" and one["estimate"])
    assert (share["low"], share["high"]) != (share["low_looks"], share["high_looks"])
    ends = f"{percent(share['low_looks'])} to {percent(share['high_looks'])}"
    assert ends in " ".join(answer.out.split())


def test_a_wrong_rule_is_one_line(portrayal: CommandLine, work: Path, tmp_path: Path) -> None:
    command = ("run", work, "--model", "practice:painter", "--out", tmp_path / "a")
    said = portrayal(*command, "--until", "never").usage
    assert said.startswith("--until is 'never'; allowed: decided, or width=W")
