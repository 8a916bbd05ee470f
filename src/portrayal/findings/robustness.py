"""Does a finding hold up? Its range over measurers, thresholds, wordings and seeds.

Everything is computed again from stored measurements. A finding that flips says so in its sentence:
its sign changes, the majority of a share flips, it names another answer, or another measurer or
threshold makes or unmakes it significant. Halves of the seeds and single wordings have fewer
images, so there a lost significance alone is no sign of anything, and only the table tells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from portrayal.findings.data import StudyData
from portrayal.findings.finding import Finding
from portrayal.findings.parts import Robustness, RobustnessRow
from portrayal.findings.scales import is_within_one
from portrayal.studies import Study

MEASURERS, THRESHOLDS, WORDINGS, SEEDS = "measurers", "thresholds", "wordings", "seeds"
SAME_IMAGES = (MEASURERS, THRESHOLDS)
"""Variations that keep the images: a change of significance is not for want of them."""

OTHER_THRESHOLDS = (0.5, 0.7, 0.9)
WORDING_FACTORS = ("template", "wording")
LEFT_OUT = "left out for the robustness table"
MOST_IMAGES = 200_000
"""Studies of more images are not computed again: so many hardly depend on halves."""

ANSWER = "answer"
"""In a finding's details: what it names, where the question is which one."""

NOTE = (
    "Estimates with other measurers, thresholds and wordings, and with either half of the seeds. "
    "Significant: how many variants have an uncorrected p below the level. Unanswered: how many "
    "lack data. Changes is empty where nothing flips. Halves and single wordings have fewer "
    "images, so they are significant less often. Where people's labels correct the finding, they "
    "correct every variant."
)
UNTESTED_NOTE = (
    "Estimates that are not tested, with other measurers, thresholds and wordings, and with either "
    "half of the seeds; those that flip come first. The majority flips where the share of one of "
    "two groups is above 50% in one variant and below it in another."
)


class Variation(NamedTuple):
    """A study's images with one thing changed.

    Attributes:
        over: What is varied.
        name: How: "threshold 0.9".
        data: The images, once for each measurer.
        together: Likewise, with the images that are left out: label errors are estimated from all.
    """

    over: str
    name: str
    data: Sequence[StudyData]
    together: Sequence[StudyData]


def variations(study: Study, data: Sequence[StudyData]) -> Iterator[Variation]:
    """Yield the study's images with other thresholds, single wordings, and halves of the seeds."""
    if sum(len(found.keys) for found in data[0].usable.values()) > MOST_IMAGES:
        return
    given = {axis.threshold for axis in study.asked_axes().values()}
    for threshold in OTHER_THRESHOLDS if given else ():
        if given != {threshold}:
            varied = [replace(one, threshold=threshold) for one in data]
            yield Variation(THRESHOLDS, f"threshold {threshold:g}", varied, varied)
    seeds = {text: data[0].requests(text) for text in data[0].usable}
    for name, texts in _wordings(study):
        yield _left(WORDINGS, name, data, {text: frozenset(seeds[text]) for text in texts})
    for half in (0, 1):
        kept = {text: frozenset(own[1 - half :: 2]) for text, own in seeds.items()}
        yield _left(SEEDS, f"half {half + 1}", data, kept)


def _left(
    over: str, name: str, data: Sequence[StudyData], seeds: Mapping[str, frozenset[int]]
) -> Variation:
    return Variation(over, name, [one.of_requests(seeds, LEFT_OUT) for one in data], data)


def _wordings(study: Study) -> Iterator[tuple[str, list[str]]]:
    """Yield each wording's name and prompts, where there are several."""
    prompts = {prompt.text: prompt.factors for prompt in study.prompts()}
    for factor in WORDING_FACTORS:
        texts: dict[str, list[str]] = {}
        for text, factors in prompts.items():
            if factor in factors:
                texts.setdefault(factors[factor], []).append(text)
        for name in texts if len(texts) > 1 else ():
            yield f"{factor} {name}", texts[name]


def robustness(
    findings: Sequence[Finding],
    varied: Mapping[str, Sequence[Sequence[Finding]]],
    *,
    alpha: float,
) -> tuple[list[Robustness], dict[str, str]]:
    """Return the tables of a study's findings, and remarks for those that flip.

    Args:
        findings: The study's findings.
        varied: Findings under each variant, by what was varied.
        alpha: Level of the tests.

    Returns:
        A table of tested findings and one of the others, where they have variants; remarks by
        question.
    """
    others = {over: [_by_question(found) for found in each] for over, each in varied.items()}
    alike = _by_topic(findings)
    tested: list[RobustnessRow] = []
    untested: list[RobustnessRow] = []
    for finding in findings:
        if finding.estimate is None:
            continue
        found = {
            over: [variant.get(finding.question) for variant in each]
            for over, each in others.items()
        }
        found[MEASURERS] = [
            one for one in alike[_topic(finding)] if one.measurer != finding.measurer
        ]
        rows = [_row(finding, over, some, alpha) for over, some in found.items() if any(some)]
        (untested if finding.p is None else tested).extend(rows)
    untested.sort(key=lambda row: not row.changes)
    tables = [
        Robustness("robustness", "Does each finding hold up?", tested, note=NOTE),
        Robustness(
            "robustness-untested", "Do untested estimates hold up?", untested, note=UNTESTED_NOTE
        ),
    ]
    return [table for table in tables if table.rows], _remarks([*tested, *untested])


def _remarks(rows: Iterable[RobustnessRow]) -> dict[str, str]:
    """Say what changes over what, by question."""
    changes: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        if row.changes:
            changes.setdefault(row.question, {}).setdefault(row.changes, []).append(row.over)
    return {question: _remark(found) for question, found in changes.items()}


def _remark(changes: Mapping[str, Sequence[str]]) -> str:
    told = []
    for what, (*others, last) in changes.items():
        earlier = f"{', '.join(others)} and " if others else ""
        told.append(f"{what} over {earlier}{last}")
    return f"Not robust: {'; '.join(told)}."


def _by_question(findings: Sequence[Finding]) -> dict[str, Finding]:
    return {one.question: one for one in findings}


def _by_topic(findings: Sequence[Finding]) -> dict[tuple[str, str], list[Finding]]:
    found: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        found.setdefault(_topic(one), []).append(one)
    return found


def _topic(finding: Finding) -> tuple[str, str]:
    return finding.statistic, finding.topic


def _row(
    finding: Finding, over: str, others: Sequence[Finding | None], alpha: float
) -> RobustnessRow:
    every = [one for one in (finding, *others) if one is not None and one.estimate is not None]
    estimates = [one.estimate for one in every if one.estimate is not None]
    clear = [one.p is not None and one.p < alpha for one in every]
    changes = [_flip(finding, over, every)]
    if finding.p is not None and over in SAME_IMAGES and len(set(clear)) > 1:
        changes.append("significance changes")
    return RobustnessRow(
        finding.question, over, len(others), 1 + len(others) - len(every), estimates[0],
        min(estimates), max(estimates), None if finding.p is None else sum(clear[1:]),
        " and ".join(one for one in changes if one),
    )  # fmt: skip


def _flip(finding: Finding, over: str, every: Sequence[Finding]) -> str:
    """Say which conclusion is not the same for all; "" where none is, or none is drawn."""
    if ANSWER in finding.details:
        # With fewer images, more cells are empty; the largest share needs no more of them.
        comparable = over in SAME_IMAGES or is_within_one(finding.statistic)
        answers = {one.details.get(ANSWER) for one in every}
        return "answer changes" if comparable and len(answers) > 1 else ""
    estimates = [one.estimate for one in every if one.estimate is not None]
    if finding.null is None or not min(estimates) < finding.null < max(estimates):
        return ""
    return "majority flips" if finding.null else "sign changes"
