"""Is it the model or the encoder? Agreement of findings between encoders.

T2IAT names it as its limitation that one encoder judges all. Where several encoders looked at the
same images, two are compared by the signs and the ranks of their answers: Kendall's tau over the
images of a study (prompts as units), and over all contrasts and concepts of the audit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from portrayal.findings.finding import Asked, Finding
from portrayal.findings.parts import DataTable, Distribution
from portrayal.findings.results import StudyResult
from portrayal.findings.sentences import counted
from portrayal.findings.settings import AnalysisSettings
from portrayal.findings.vectors import FloatArray
from portrayal.numbers import between
from portrayal.statistics import Interval
from portrayal.studies import Study

TAU = "Kendall's tau"
STUDY = "encoders"
KIND = "agreement"

SIGNS = ("statistic", "first", "second", "answers", "same sign", "share of same sign", "tau")


def tau_over_images(
    first: FloatArray, second: FloatArray, units: Sequence[str], *, confidence: float
) -> tuple[float, Interval]:
    """Return Kendall's tau of two encoders' values of the same images, and its interval.

    The interval leaves out one unit (prompt) at a time (the jackknife) and uses Student's t; it is
    cut at -1 and 1. NaN with fewer than three units, or where all values are equal.
    """
    tau = float(stats.kendalltau(first, second).statistic)
    names, codes = np.unique(np.asarray(units), return_inverse=True)
    if names.size < 3 or not math.isfinite(tau):
        return tau, Interval(math.nan, math.nan)
    left_out = np.array(
        [
            float(stats.kendalltau(first[codes != i], second[codes != i]).statistic)
            for i in range(names.size)
        ]
    )
    k = names.size
    error = math.sqrt((k - 1) / k * float(((left_out - left_out.mean()) ** 2).sum()))
    half = float(stats.t.ppf(0.5 + confidence / 2, k - 1)) * error
    return tau, Interval(max(-1.0, tau - half), min(1.0, tau + half))


def image_agreement(
    study: Study, distributions: Mapping[str, Distribution], settings: AnalysisSettings
) -> list[Finding]:
    """Compare every two encoders over the images of one study.

    Args:
        study: The study.
        distributions: The association of every image, by encoder.
        settings: How.
    """
    return [
        _pair_finding(study, names, [distributions[name] for name in names], settings)
        for names in itertools.combinations(distributions, 2)
    ]


def _pair_finding(
    study: Study, names: Sequence[str], seen: Sequence[Distribution], settings: AnalysisSettings
) -> Finding:
    values = [
        {row.key: (row.value, row.prompt) for row in one.rows if row.value is not None}
        for one in seen
    ]
    shared = [key for key in values[0] if key in values[1]]
    first, second = (np.array([one[key][0] for key in shared]) for one in values)
    units = [values[0][key][1] for key in shared]
    tau, interval = math.nan, Interval(math.nan, math.nan)
    if len(shared) >= 3:
        tau, interval = tau_over_images(first, second, units, confidence=settings.confidence)
    same = int((np.sign(first) == np.sign(second)).sum())
    asked = Asked.of(
        study, f"do {names[0]} and {names[1]} agree on the images?", TAU,
        unit="prompt", details={"encoders": list(names), "same_sign": same},
    )  # fmt: skip
    missing = max(len(one) for one in values) - len(shared)
    if not math.isfinite(tau):
        why = (
            f"{counted(len(shared), 'image')} with different values were seen by both {names[0]} "
            f"and {names[1]}"
        )
        return asked.unanswered(why, n=0, n_missing=missing)
    return asked.answered(
        tau,
        interval,
        n=len(shared),
        n_missing=missing,
        sentence=f"{names[0]} and {names[1]} order the images alike by tau = {tau:.2f} "
        f"({between(*interval, settings.confidence)}); same sign for {same} of "
        f"{counted(len(shared), 'image')}.",
    )


def audit_agreement(results: Sequence[StudyResult], encoders: Sequence[str]) -> StudyResult | None:
    """Compare every two encoders over all findings of an audit; None with one encoder."""
    if len(encoders) < 2:
        return None
    answers: dict[str, dict[str, dict[str, float]]] = {}
    for finding in (finding for result in results for finding in result.findings):
        encoder = finding.measurer
        if not encoder or finding.estimate is None:
            continue
        question = f"{finding.study}: {finding.topic}"
        by_encoder = answers.setdefault(finding.statistic, {}).setdefault(encoder, {})
        by_encoder[question] = finding.estimate
    rows = [
        row
        for statistic, by_encoder in answers.items()
        for names in itertools.combinations(encoders, 2)
        if all(name in by_encoder for name in names)
        if (row := _row(statistic, names, by_encoder)) is not None
    ]
    table = DataTable(
        "agreement",
        "Agreement of measurers over all findings",
        SIGNS,
        rows,
        note="Where measurers disagree, a finding may be about the measurer, not about the model.",
    )
    return StudyResult(STUDY, KIND, "Agreement of measurers", [], [table] if rows else [])


def _row(
    statistic: str, names: tuple[str, str], by_encoder: Mapping[str, Mapping[str, float]]
) -> list[Any] | None:
    """Return how alike two encoders answer; None where they answer no question in common."""
    first, second = by_encoder[names[0]], by_encoder[names[1]]
    shared = [question for question in first if question in second]
    if not shared:
        return None
    x = np.array([first[question] for question in shared])
    y = np.array([second[question] for question in shared])
    same = int((np.sign(x) == np.sign(y)).sum())
    tau = float(stats.kendalltau(x, y).statistic) if len(shared) > 2 else math.nan
    return [statistic, *names, len(shared), same, same / len(shared), tau]
