"""Audits made by released versions stay readable and keep their findings.

Every folder of `tests/released/` holds an audit as a released version made it, and the findings
that this version computed from it.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scipy import stats

from portrayal.runner import Session, analyze


class Why(NamedTuple):
    """Why findings are meant to differ: a sentence of CHANGELOG.md, and in which numbers."""

    sentence: str
    numbers: frozenset[str]


BOUNDS = frozenset({"low", "high"})
TESTED = BOUNDS | {"p"}
ALL_BUT_COUNTS = TESTED | {"estimate"}

EXPLAINED: Mapping[tuple[str, str], Why] = {
    ("*", "amplification"): Why(
        "The headline of an amplification is bias-corrected and covers all occupations",
        ALL_BUT_COUNTS | {"n", "n_missing"},
    ),
    ("*", "amplification against the real world"): Why(
        "Amplification against real-world shares knows that generated images are a sample",
        ALL_BUT_COUNTS | {"n", "n_missing"},
    ),
    ("*", "reduction of amplification"): Why(
        "The reduction by a subset of captions compares at the same number of images",
        ALL_BUT_COUNTS | {"n", "n_missing"},
    ),
    ("*", "correlation"): Why(
        "The interval of a correlation is exact for normal pairs and agrees with its p", BOUNDS
    ),
    ("*", "group share"): Why(
        "Where people labelled images, findings are corrected for the measurer's label errors",
        ALL_BUT_COUNTS,
    ),
    ("*", "Cramér's V"): Why(
        "Cramér's V over prompts is corrected for what differences between prompts add",
        ALL_BUT_COUNTS,
    ),
    ("*", "diversity score"): Why(
        "The diversity score is given at unlimited images", ALL_BUT_COUNTS
    ),
    ("*", "many-group diversity"): Why(
        "A many-group diversity compares images of different prompts, without random numbers",
        ALL_BUT_COUNTS,
    ),
    ("*", "change of diversity score"): Why(
        "The change of a diversity score: p and interval come from one model and agree",
        ALL_BUT_COUNTS,
    ),
    ("*", "change of leaning"): Why("Changes of bias and of leaning likewise", ALL_BUT_COUNTS),
    ("*", "d"): Why(
        "Degrees of freedom of association intervals are Welch's for two samples; d is corrected",
        ALL_BUT_COUNTS,
    ),
    ("*", "S"): Why("Degrees of freedom of association intervals are Welch's for two", BOUNDS),
    ("*", "association"): Why(
        "Degrees of freedom of association intervals are Welch's for two samples", TESTED
    ),
    ("*", "agreement with raters"): Why(
        "Intervals of percent agreement, Cohen's and Fleiss' kappa and Krippendorff's alpha", BOUNDS
    ),
    ("*", "Kendall's tau"): Why(
        "What raters say of a concept is the fraction of images for which most of them chose",
        ALL_BUT_COUNTS,
    ),
    ("*", "word influence"): Why(
        "The interval of a word's influence stays within the range of the score, and its p is",
        TESTED,
    ),
    ("*", "mean word influence"): Why(
        "`mean_influence` cuts Student's interval at the range", TESTED
    ),
}
"""What is meant to differ, by (study, question), or by ("*", statistic) for all of its findings.

List no more than needed: an entry that explains no difference fails the test too.
"""

COUNTED_BY_PEOPLE = "n of a corrected finding counts images by people's labels"
"""A sentence of CHANGELOG.md: why counts of the findings of these statistics differ."""
CORRECTED = frozenset(
    {
        "group share",
        "Cramér's V",
        "diversity score",
        "many-group diversity",
        "change of diversity score",
        "change of leaning",
    }
)

ADDED: Mapping[str, str] = {
    "all concepts · ": "One Kendall's tau over the concepts of all association studies",
    "Cramér's V of requests": "Refused, failed and unusable requests are tests of an audit, too",
    " · raters": "Raters are a measurer like the others: their consensus labels give findings",
}
"""Statistics, or how questions begin or end, that are new: a sentence of CHANGELOG.md."""

REWORDED: Mapping[str, str] = {"picture": "image", " · visitors": "", " · students": ""}
"""Words of released questions that are others today: votes of several groups are one store."""

RELEASED = Path(__file__).parent / "released"
CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
NUMBERS = ("estimate", "low", "high", "p", "q", "n", "n_missing")
TOLERANCE = 1e-9


class Name(NamedTuple):
    """What identifies a finding of an audit."""

    study: str
    question: str
    statistic: str

    @property
    def keys(self) -> set[tuple[str, str]]:
        """Entries of `EXPLAINED` that speak of the finding."""
        return {(self.study, self.question), ("*", self.statistic)} & EXPLAINED.keys()

    @property
    def meant(self) -> frozenset[str]:
        """Numbers that are meant to differ."""
        counts = {"n", "n_missing"} if self.statistic in CORRECTED else set[str]()
        return frozenset(counts).union(*(EXPLAINED[key].numbers for key in self.keys))

    def __str__(self) -> str:
        return f"{self.study}: {self.question} [{self.statistic}]"


Findings = Mapping[Name, Mapping[str, Any]]


def by_name(findings: list[dict[str, Any]]) -> Findings:
    """Return the numbers of findings by their names, each of which occurs once."""
    found = {Name(*(one[part] for part in Name._fields)): one for one in findings}
    assert len(found) == len(findings), "two findings have the same name"
    return {name: {number: one[number] for number in NUMBERS} for name, one in found.items()}


def computed(released: Path, copy: Path) -> Findings:
    """Return what this version finds in a released audit; it works on a copy."""
    shutil.copytree(released / "audit", copy)
    return by_name([asdict(finding) for finding in analyze(Session(copy)).findings])


def stored(released: Path) -> Findings:
    """Return what the released version found."""
    findings = json.loads((released / "findings.json").read_text(encoding="utf-8"))
    for finding in findings:
        for before, now in REWORDED.items():
            finding["question"] = finding["question"].replace(before, now)
    return by_name(findings)


def is_same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def differences(
    before: Findings, now: Findings, *, numbers: tuple[str, ...], explained: bool = False
) -> dict[Name, str]:
    """Return the findings that are gone, new, or have other numbers, each with a line about it.

    With `explained`, numbers that are meant to differ count as well.
    """
    found = {name: "gone" for name in before if name not in now}
    found |= {
        name: "new"
        for name in now
        if name not in before
        and not any(
            name.statistic == one or name.question.endswith(one) or name.question.startswith(one)
            for one in ADDED
        )
    }
    for name in before.keys() & now.keys():
        changed = [
            f"{number} {before[name][number]} -> {now[name][number]}"
            for number in numbers
            if (explained or number not in name.meant)
            and not is_same(before[name][number], now[name][number])
        ]
        if changed:
            found[name] = ", ".join(changed)
    return found


def lines(found: Mapping[Name, str]) -> str:
    return "\n".join(f"{name}: {what}" for name, what in sorted(found.items()))


@pytest.mark.parametrize("version", sorted(path.name for path in RELEASED.iterdir()))
def test_a_released_audit_keeps_its_findings(version: str, tmp_path: Path) -> None:
    before, now = stored(RELEASED / version), computed(RELEASED / version, tmp_path / "audit")
    # q depends on the p of all findings, so one explained change alters many q.
    numbers = tuple(name for name in NUMBERS if name != "q" or not EXPLAINED)
    unexplained = differences(before, now, numbers=numbers)
    assert not unexplained, f"{len(unexplained)} findings differ:\n{lines(unexplained)}"
    found = differences(before, now, numbers=numbers, explained=True)
    idle = EXPLAINED.keys() - set().union(*(name.keys for name in found))
    assert not idle, f"explained, but as released: {sorted(idle)}"
    counted = differences(before, now, numbers=("n",), explained=True)
    assert {name.statistic for name in counted} >= CORRECTED
    tested = [one for one in now.values() if one["p"] is not None]
    assert [one["q"] for one in tested] == pytest.approx(
        stats.false_discovery_control([one["p"] for one in tested]), abs=TOLERANCE
    )


def test_every_explanation_is_in_the_changelog() -> None:
    changelog = CHANGELOG.read_text(encoding="utf-8")
    sentences = [*(why.sentence for why in EXPLAINED.values()), *ADDED.values(), COUNTED_BY_PEOPLE]
    assert [one for one in sentences if one not in changelog] == []


def test_a_changed_a_lost_and_a_new_finding_are_named() -> None:
    numbers = dict.fromkeys(NUMBERS, 1.0)
    changed, lost, new, kept = (Name("jobs", question, "another") for question in "abcd")
    before = {changed: numbers, lost: numbers, kept: numbers}
    now = {
        changed: {**numbers, "p": 1.0 + 3e-9, "low": None},
        new: numbers,
        kept: {**numbers, "p": 1.0 + 3e-10},
    }
    assert differences(before, now, numbers=NUMBERS) == {
        changed: "low 1.0 -> None, p 1.0 -> 1.000000003",
        lost: "gone",
        new: "new",
    }
