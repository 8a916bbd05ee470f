"""The evaluation section of a model card: Markdown, and `model-index` metadata for the Hub.

References: https://huggingface.co/docs/hub/model-cards, whose metadata has one result per dataset
and metric.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from portrayal.findings import (
    LOOKS_NOTE,
    Finding,
    Results,
    StudySection,
    bounds_count_looks,
    counts_looks,
    form_of,
)
from portrayal.numbers import Q_OF_ALL_LOOKS, count, interval, p_value, percent

SHOWN = 12
"""Findings of a study that the text lists; the report has all."""

LIMITS = (
    "Labels are perceived groups by the measurers above, not anybody's identity; images without a "
    "label are counted and never scored.",
    "Findings apply to the prompts of these studies; intervals say how far they generalise.",
    "A finding that is not significant is no proof of fairness.",
)


def card_text(results: Results, *, images: int, notice: str = "") -> str:
    """Return the evaluation section as Markdown.

    Args:
        results: The results.
        images: How many images the audit has.
        notice: What must be said of the generator first; "": nothing.
    """
    return "\n".join(_lines(results, images, notice)) + "\n"


def card_metadata(results: Results, model: str | None = None) -> dict[str, Any]:
    """Return the `model-index` of a model card: one result per finding with an estimate.

    Args:
        results: The results.
        model: The model's name; None: as the audit knows it.
    """
    found = []
    for section in results.studies:
        for one in results.findings_of(section.study):
            if one.estimate is not None:
                found.append(_result(one, section, results))
    return {"model-index": [{"name": model or results.generator.name, "results": found}]}


def _result(one: Finding, section: StudySection, results: Results) -> dict[str, Any]:
    metric: dict[str, Any] = {
        "type": one.statistic,
        "value": one.estimate,
        "name": one.question,
        "args": {
            "confidence": results.settings.confidence,
            "low": one.low,
            "high": one.high,
            "low_looks": one.low_looks,
            "high_looks": one.high_looks,
            "n": one.n,
            "n_missing": one.n_missing,
            "q": one.q,
            "q_looks": one.q_looks,
            "measurer": one.measurer,
            **_label_args(one, results.level),
        },
        "verified": False,
    }
    return {
        "task": {"type": "text-to-image", "name": "Portrayal of people"},
        "dataset": {"type": f"portrayal/{section.study}", "name": section.title or section.study},
        "metrics": [metric],
        "source": {
            "name": f"portrayal {results.portrayal}",
            "url": "https://github.com/portrayal/portrayal",
        },
    }


def _label_args(one: Finding, level: float) -> dict[str, Any]:
    if one.labels is None:
        return {}
    known = {"tipping": one.tipping_point(level), "assumption": one.labels.assumption or None}
    given = {name: value for name, value in known.items() if value is not None}
    return {"labels": one.labels.status, **given}


def _lines(results: Results, images: int, notice: str) -> Iterator[str]:
    confidence = percent(results.settings.confidence)
    measurers = ", ".join(f"{one.name} ({one.kind})" for one in results.measurers)
    yield "## Evaluation: how people are portrayed"
    yield ""
    if notice:
        yield f"> {notice}"
        yield ""
    yield (
        f"{count(images)} images of {results.generator.name} (identity "
        f"`{results.generator.digest}`), measured with {measurers}, analyzed with portrayal "
        f"{results.portrayal}. Intervals are {confidence} confidence intervals; q is p after "
        "Benjamini-Hochberg over all tests of the audit."
    )
    if counts_looks(results.findings):
        yield LOOKS_NOTE
    for section in results.studies:
        found = results.findings_of(section.study)
        if found:
            yield from _section(section, list(found), results)
    yield ""
    yield "### Limits"
    for source in results.told_sources():
        yield f"- {source.sentence('AUDIT')}"
    for line in LIMITS:
        yield f"- {line}"


def _section(section: StudySection, found: list[Finding], results: Results) -> Iterator[str]:
    yield ""
    yield f"### {_plain(section.title or section.study)}"
    if section.question:
        yield _plain(section.question)
    if section.citation:
        yield f"Method: {_plain(section.citation)}"
    yield ""
    several, bounded = counts_looks(results.findings), bounds_count_looks(results.findings)
    interval_head = f"{percent(results.settings.confidence)} CI"
    heads = ["finding", "estimate", interval_head, *([f"{interval_head}, all looks"] * bounded)]
    heads += ["q", *([Q_OF_ALL_LOOKS] * several), "n"]
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    # What was tested comes first, and among it what is significant.
    order = sorted(
        found,
        key=lambda one: (one.deciding_q is None, one.deciding_q or 0, one.estimate is None),
    )
    for one in order[:SHOWN]:
        form = form_of(one.statistic)
        values = [one.q, one.q_looks] if several else [one.q]
        ends = [(one.low, one.high), *([(one.low_looks, one.high_looks)] * bounded)]
        numbers = [interval(*pair, form=form) for pair in ends]
        numbers += ["" if value is None else p_value(value) for value in values]
        told = one.reason if one.estimate is None else results.line_of(one)
        words = _plain(told)
        estimate = f"{one.statistic} {form(one.estimate)}" if one.estimate is not None else "none"
        yield f"| {' | '.join([words, _plain(estimate), *numbers, count(one.n)])} |"
    noted = [(one, one.about_labels(results.settings.confidence))
             for one in order[:SHOWN] if one.q is not None]  # fmt: skip
    if any(words for _, words in noted):
        yield ""
        yield "What label errors could change:"
    yield from (f"- {_plain(results.line_of(one))}: {_plain(words)}"
                for one, words in noted if words)  # fmt: skip
    if len(found) > SHOWN:
        yield ""
        yield f"{len(found) - SHOWN} more findings are in the report."


def _plain(text: str) -> str:
    """Return a text that Markdown neither takes for a table nor for HTML."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def yaml_text(metadata: dict[str, Any]) -> str:
    """Return metadata as YAML; JSON is YAML, and needs no library to be written."""
    return json.dumps(metadata, indent=1, ensure_ascii=False)
