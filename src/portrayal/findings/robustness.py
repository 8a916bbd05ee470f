"""Does a finding hold up? Its range over measurers, thresholds, wordings and seeds.

Everything is computed again from stored measurements. A finding that changes sign, or that another
measurer or threshold makes or unmakes significant, says so in its sentence. Halves of the seeds and
single wordings have fewer images, so there a lost significance alone is no sign of anything, and
only the table tells it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from portrayal.findings.data import StudyData
from portrayal.findings.finding import Finding
from portrayal.findings.parts import Robustness, RobustnessRow
from portrayal.studies import Study

MEASURERS, THRESHOLDS, WORDINGS, SEEDS = "measurers", "thresholds", "wordings", "seeds"
SAME_IMAGES = (MEASURERS, THRESHOLDS)
"""Variations that keep the images: a change of significance is not for want of them."""

OTHER_THRESHOLDS = (0.5, 0.7, 0.9)
WORDING_FACTORS = ("template", "wording")
LEFT_OUT = "left out for the robustness table"
MOST_IMAGES = 200_000
"""Studies of more images are not computed again: so many hardly depend on halves."""

NOTE = (
    "Estimates when measurers, thresholds, wordings or seeds (two halves) are others. Significant "
    "counts variants with p below the level, uncorrected; unanswered, those without enough data. "
    "Halves and single wordings have fewer images, so they are significant less often. Where the "
    "finding is corrected by people's labels, all variants are."
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
    yield from _wordings(study, data)
    for half in (0, 1):
        left = [
            one.without(
                {key for found in one.usable.values() for key in found.keys[half::2]}, LEFT_OUT
            )
            for one in data
        ]
        yield Variation(SEEDS, f"half {half + 1}", left, data)


def _wordings(study: Study, data: Sequence[StudyData]) -> Iterator[Variation]:
    prompts = {prompt.text: prompt.factors for prompt in study.prompts()}
    for factor in WORDING_FACTORS:
        levels = {text: one[factor] for text, one in prompts.items() if factor in one}
        names = list(dict.fromkeys(levels.values()))
        for name in names if len(names) > 1 else ():
            left = [
                one.without(
                    {
                        key
                        for text, found in one.usable.items()
                        if levels.get(text) != name
                        for key in found.keys
                    },
                    LEFT_OUT,
                )
                for one in data
            ]
            yield Variation(WORDINGS, f"{factor} {name}", left, data)


def robustness(
    findings: Sequence[Finding],
    varied: Mapping[str, Sequence[Sequence[Finding]]],
    *,
    alpha: float,
) -> tuple[Robustness | None, dict[str, str]]:
    """Return the table of a study's tested findings, and remarks for those that change.

    Args:
        findings: The study's findings.
        varied: Findings under each variant, by what was varied.
        alpha: Level of the tests.

    Returns:
        None where nothing was varied; remarks by question.
    """
    rows = []
    for finding in findings:
        if finding.p is None or finding.estimate is None:
            continue
        others = {over: _same(finding, variants) for over, variants in varied.items()}
        others[MEASURERS] = _other_measurers(finding, findings)
        rows += [_row(finding, over, found, alpha) for over, found in others.items() if found]
    if not rows:
        return None, {}
    remarks: dict[str, list[str]] = {}
    for row in rows:
        if row.changes:
            remarks.setdefault(row.question, []).append(f"{row.changes} over {row.over}")
    told = {
        question: f"Not robust: {' and '.join(changes)}." for question, changes in remarks.items()
    }
    return Robustness("robustness", "Does each finding hold up?", rows, note=NOTE), told


def _same(finding: Finding, variants: Sequence[Sequence[Finding]]) -> list[Finding]:
    return [one for found in variants for one in found if one.question == finding.question]


def _other_measurers(finding: Finding, findings: Sequence[Finding]) -> list[Finding]:
    return [
        one
        for one in findings
        if one.measurer != finding.measurer
        and one.statistic == finding.statistic
        and one.topic == finding.topic
    ]


def _row(finding: Finding, over: str, others: Sequence[Finding], alpha: float) -> RobustnessRow:
    every = [finding, *others]
    estimates = [one.estimate for one in every if one.estimate is not None]
    clear = [one.p is not None and one.p < alpha for one in every if one.estimate is not None]
    changes = []
    if min(estimates) < 0 < max(estimates):
        changes.append("sign changes")
    if over in SAME_IMAGES and len(set(clear)) > 1:
        changes.append("significance changes")
    return RobustnessRow(
        finding.question, over, len(others), len(every) - len(estimates), estimates[0],
        min(estimates), max(estimates), sum(clear[1:]), " and ".join(changes),
    )  # fmt: skip
