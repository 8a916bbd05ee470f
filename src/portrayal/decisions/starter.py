"""A rules file to begin with, written from what an audit asks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from portrayal.decisions.requests import RequestCounts
from portrayal.findings import Results, plural
from portrayal.numbers import percent
from portrayal.studies import named_groups

_HEAD = """\
# Rules for: portrayal check AUDIT --rules rules.toml [--baseline AUDIT]
# A rule passes where every interval lies inside its limits, fails where one lies outside after
# correction for their number, and is "not enough data" otherwise. The limits below are examples,
# not recommendations: what is acceptable is for you to decide.
"""


def starter_rules(results: Results, counts: RequestCounts) -> str:
    """Return a rules file about the axes and factors of an audit."""
    return "\n".join([_HEAD, *_shares(results), *_requests(counts), *_changes(results)])


def _shares(results: Results) -> Iterator[str]:
    found: dict[tuple[str, str, str, str], list[float]] = {}
    for one in results.findings:
        if one.statistic == "group share" and one.estimate is not None:
            about = (one.study, *(str(one.details[key]) for key in ("axis", "factor", "group")))
            found.setdefault(about, []).append(one.estimate)  # type: ignore[arg-type]
    for (study, axis, factor, group), shares in found.items():
        every = f"every {factor}" if factor else "all images"
        span = f"{percent(min(shares))} to {percent(max(shares))}"
        where = {"study": study, "axis": axis, "factor": factor, "group": group}
        yield _rule(
            {
                "name": f"{study}: share of {plural(group)} in {every}",
                "statistic": "group share",
                "where": where,
                "between": [0.2, 0.8],
            },
            f"now from {span}",
        )


def _requests(counts: RequestCounts) -> Iterator[str]:
    refused = sum(ended.get("refused", 0) for ended in counts.ended.values())
    total = sum(sum(ended.values()) for ended in counts.ended.values())
    rule = {"name": "few requests are refused", "requests": "refused", "at_most": 0.02}
    yield _rule(rule, f"now {refused} of {total}")
    for name, axis in counts.axes.items():
        named = {group for text in counts.ended for group in named_groups(text, axis.groups)}
        if len(named) > 1:
            yield _rule(
                {
                    "name": f"no group of {name} is refused twice as often as another",
                    "requests": "refused",
                    "by": name,
                    "ratio_at_most": 2,
                },
                "by the group that the prompt names",
            )


def _changes(results: Results) -> Iterator[str]:
    if any(one.statistic == "group share" for one in results.findings):
        rule = {"name": "no share moved", "change_of": "group share", "at_most": 0.05}
        written = _rule(rule, "against a baseline:").removeprefix("# ").splitlines()
        yield "".join(f"# {line}\n" for line in written)


def _rule(rule: Mapping[str, object], remark: str) -> str:
    lines = [f"# {remark}", "[[rules]]"]
    return "\n".join([*lines, *(f"{key} = {_toml(value)}" for key, value in rule.items())]) + "\n"


def _toml(value: object) -> str:
    """Write a value as TOML; strings, numbers and lists are as in JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
