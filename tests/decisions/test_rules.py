"""Rules files: what they may say, and the one line about what they may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from portrayal.decisions import read_rules
from portrayal.errors import RuleError

GOOD: dict[str, Any] = {"name": "a", "statistic": "group share", "between": [0.2, 0.8]}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"statistc": "d"}, r"rules\[0\].statistc is unknown \(did you mean statistic\?\)"),
        ({"statistic": None}, "has none of statistic, change_of, requests"),
        ({"requests": "refused"}, "give one of them"),
        ({"between": None}, "has the limits none"),
        ({"at_most": 0.5}, "give one of between"),
        ({"between": [0.8, 0.2]}, "the lower one first"),
        ({"between": [20, 80]}, "write 0.2 for 20%"),
        ({"between": [0.2, float("nan")]}, "finite"),
        ({"by": "perceived gender"}, "belong together"),
        ({"statistic": None, "change_of": "group share"}, "needs at_most, above 0"),
        ({"statistic": None, "requests": "slow", "between": None, "at_most": 0.1}, "allowed: ref"),
        ({"name": ""}, r"rules\[0\].name"),
    ],
)
def test_wrong_rules_are_one_line(changed: dict[str, Any], said: str) -> None:
    rule = {key: value for key, value in {**GOOD, **changed}.items() if value is not None}
    with pytest.raises(RuleError, match=said) as caught:
        read_rules({"rules": [rule]})
    assert "\n" not in str(caught.value)


def test_files_that_are_no_rules(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    with pytest.raises(RuleError, match="--init"):
        read_rules(file)
    file.write_text("rules = [")
    with pytest.raises(RuleError, match="cannot be read as TOML"):
        read_rules(file)
    file.write_text("")
    with pytest.raises(RuleError, match="rules is missing"):
        read_rules(file)
    with pytest.raises(RuleError, match="two rules are called 'a'"):
        read_rules({"rules": [GOOD, GOOD]})


def test_limits_of_a_change_are_in_both_directions() -> None:
    (rule,) = read_rules(
        {"rules": [{"name": "moved", "change_of": "group share", "at_most": 0.05}]}
    ).rules
    assert (rule.low, rule.high) == (-0.05, 0.05)
