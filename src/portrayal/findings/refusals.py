"""Refusals are findings: requests without a usable image, by what the prompt asks for.

A request may be refused, may fail, or may give an image that a measurer cannot use. The rates are
compared between prompts that name different groups, and between prompt additions; prompts are the
units, as elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from portrayal.findings.data import COPY, FAILED, REFUSED, StudyData
from portrayal.findings.finding import Asked, Finding
from portrayal.findings.headline import Bar, Headline, plural
from portrayal.findings.measured import NOT_MEASURED, NOT_RATED
from portrayal.findings.parts import DataTable
from portrayal.findings.sentences import capital, counted
from portrayal.findings.settings import AnalysisSettings
from portrayal.findings.vectors import IntArray
from portrayal.numbers import percent
from portrayal.records import Prompt
from portrayal.statistics import level_test, prompts_share_interval
from portrayal.studies import Axis, Study, default_axes, named_groups

REQUESTS = "Cramér's V of requests"
NO_GROUP, SEVERAL = "no group", "several groups"
COLUMNS = ("by", "level", "outcome", "images", "requests", "share", "low", "high")

_VERBS = {REFUSED: "refused", FAILED: "failed"}


@dataclass(frozen=True, slots=True)
class _Levels:
    """A way to sort a study's prompts.

    Attributes:
        by: What they are sorted by, in words.
        asks: How a question names it.
        levels: The level of each prompt, by text.
        compared: Levels that are tested against each other.
        without: The level of prompts without an addition; None: levels are groups.
    """

    by: str
    asks: str
    levels: Mapping[str, str]
    compared: frozenset[str]
    without: str | None = None

    def prompts(self, level: str) -> str:
        """Say which prompts are of a level."""
        if self.without is not None:
            return "without an addition" if level == self.without else f"with “{level}”"
        return f"for prompts that name {level if level == NO_GROUP else plural(level)}"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A way in which requests end without a usable image.

    Attributes:
        name: In words: refused, failed, unusable.
        hits: Requests that ended so, by prompt text.
        totals: Requests that might have.
        measurer: Who could not use them; "" where that is not the point.
    """

    name: str
    hits: Mapping[str, int]
    totals: Mapping[str, int]
    measurer: str = ""


def study_axes(study: Study) -> Mapping[str, Axis]:
    """Return the axes that a study asks about; those of people where it asks about none."""
    return study.asked_axes() or default_axes()


def refusal_findings(
    study: Study, data: Sequence[StudyData], settings: AnalysisSettings
) -> tuple[list[Finding], list[DataTable]]:
    """Return whether requests end without a usable image more often for some prompts than others.

    Args:
        study: The study.
        data: Its images, once for each measurer.
        settings: How.

    Returns:
        Findings, and the rates as a table; none of either where every request gave a usable image.
    """
    prompts = {prompt.text: prompt for prompt in study.prompts()}
    outcomes = [one for one in _outcomes(data) if any(one.hits.values())]
    sorted_by = list(_sortings(study, prompts)) if outcomes else []
    findings: list[Finding] = []
    rows: list[list[Any]] = []
    for levels in sorted_by:
        for outcome in outcomes:
            found = _finding(study, levels, outcome, settings)
            findings += [] if found is None else [found]
            rows += _rows(levels, outcome, settings)
    note = "Of all requests that were answered; unusable: of all images. Prompts are the units."
    title = "Requests without a usable image"
    return findings, [DataTable("outcomes", title, COLUMNS, rows, note=note)] if rows else []


def _outcomes(data: Sequence[StudyData]) -> Iterator[_Outcome]:
    first = data[0]
    requests = {text: len(first.requests(text)) for text in first.ended}
    for reason, verb in _VERBS.items():
        hits = {text: list(why.values()).count(reason) for text, why in first.ended.items()}
        yield _Outcome(verb, hits, requests)
    for one in data:
        # An image that was never measured, or is a copy, is no image that cannot be used.
        skipped = {NOT_MEASURED, NOT_RATED, COPY, *_VERBS}
        hits = {
            text: sum(reason not in skipped for reason in why.values())
            for text, why in one.ended.items()
        }
        totals = {text: hits[text] + len(one.usable[text].keys) for text in hits}
        yield _Outcome("unusable", hits, totals, one.label)


def _sortings(study: Study, prompts: Mapping[str, Prompt]) -> Iterator[_Levels]:
    for name, axis in study_axes(study).items():
        levels = {text: _named(text, axis) for text in prompts}
        groups = frozenset(levels.values()) & frozenset(axis.groups)
        compared = groups if len(groups) > 1 else groups | {NO_GROUP}
        if groups and len(compared & frozenset(levels.values())) > 1:
            yield _Levels(f"{name} that the prompt names", name, levels, compared)
    factor, without = _added_by(prompts)
    if factor:
        levels = {text: prompt.factors[factor] for text, prompt in prompts.items()}
        yield _Levels(
            f"prompt addition ({factor})", "prompt addition", levels, frozenset(levels.values()),
            without=without,
        )  # fmt: skip


def _named(text: str, axis: Axis) -> str:
    named = sorted(named_groups(text, axis.groups))
    return NO_GROUP if not named else named[0] if len(named) == 1 else SEVERAL


def _added_by(prompts: Mapping[str, Prompt]) -> tuple[str, str]:
    """Return the factor that tells a prompt from the one that it adds to, and the latter's level.

    Both are "" where none does.
    """
    for prompt in prompts.values():
        original = prompts.get(prompt.seeds_of)
        if original is not None and original is not prompt:
            plain = original.factors
            factor = next((one for one, at in prompt.factors.items() if plain[one] != at), "")
            return factor, plain.get(factor, "")
    return "", ""


def _finding(
    study: Study, levels: _Levels, outcome: _Outcome, settings: AnalysisSettings
) -> Finding | None:
    texts = [
        text
        for text, total in outcome.totals.items()
        if total and levels.levels[text] in levels.compared
    ]
    hits = np.array([outcome.hits[text] for text in texts], dtype=np.int64)
    totals = np.array([outcome.totals[text] for text in texts], dtype=np.int64)
    names = [levels.levels[text] for text in texts]
    test = level_test(
        np.column_stack([hits, totals - hits]).reshape(-1, 2),
        names,
        by_prompt=settings.unit == "prompt",
        resamples=settings.resamples,
        confidence=settings.confidence,
        rng=settings.rng(study.name, "outcomes", levels.by, outcome.name, outcome.measurer),
    )
    if test is None:
        return None
    rates = _rates(names, hits, totals)
    by_whom = f" · {outcome.measurer}" if outcome.measurer else ""
    asked = Asked.of(
        study,
        f"is a request {outcome.name} equally often, whatever the {levels.by}?{by_whom}",
        REQUESTS,
        unit=test.unit,
        measurer=outcome.measurer,
        n_of="request",
        details={
            "outcome": outcome.name,
            "by": levels.asks,
            "rates": {level: {"hits": k, "requests": n} for level, (k, n) in rates.items()},
        },
    )
    return asked.answered(
        test.v,
        test.interval,
        p=test.p_value,
        n=test.n,
        n_missing=0,
        sentence=_sentence(outcome, rates),
    ).with_headline(
        Headline(
            claim=f"Requests are {outcome.name} more often {levels.prompts(next(iter(rates)))}",
            otherwise=f"No significant difference in how often requests are {outcome.name}",
            measure=f"share {outcome.name}",
            magnitude=test.v,
            bars=[Bar.share(level, k, n) for level, (k, n) in rates.items()],
        )
    )


def _rates(names: Sequence[str], hits: IntArray, totals: IntArray) -> dict[str, tuple[int, int]]:
    """Return hits and requests of each level, the highest rate first."""
    of_level = {name: [i for i, one in enumerate(names) if one == name] for name in names}
    found = {name: (int(hits[i].sum()), int(totals[i].sum())) for name, i in of_level.items()}
    return dict(sorted(found.items(), key=lambda item: -item[1][0] / item[1][1]))


def _sentence(outcome: _Outcome, rates: Mapping[str, tuple[int, int]]) -> str:
    """Write the highest and the lowest rate in counts."""
    told = {
        name: f"{name}: {k} of {counted(n, 'request')} {outcome.name} ({percent(k / n)})"
        for name, (k, n) in rates.items()
    }
    most, *_, least = told.values()
    return f"{capital(most)}; {least}."


def _rows(levels: _Levels, outcome: _Outcome, settings: AnalysisSettings) -> Iterator[list[Any]]:
    name = f"{outcome.name} · {outcome.measurer}" if outcome.measurer else outcome.name
    for level in dict.fromkeys(levels.levels[text] for text in outcome.totals):
        texts = [text for text in outcome.totals if levels.levels[text] == level]
        hits = [outcome.hits[text] for text in texts]
        totals = [outcome.totals[text] for text in texts]
        clustered = settings.unit == "prompt" and settings.resample == "units"
        low, high = prompts_share_interval(
            hits, totals, confidence=settings.confidence, clustered=clustered
        )
        share = sum(hits) / sum(totals) if sum(totals) else None
        yield [levels.by, level, name, sum(hits), sum(totals), share, low, high]
