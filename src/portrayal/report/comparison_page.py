"""The page of a comparison: what differs between models, with images of the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from portrayal.audit import AuditFolder, location, write_text
from portrayal.comparison import (
    ComparedAudit,
    DifferenceVerdict,
    ImagePair,
    ModelComparison,
    ModelDifference,
    changed_pairs,
    open_audits,
)
from portrayal.findings import counted, plural
from portrayal.generators import notice
from portrayal.numbers import count, number, percent
from portrayal.report.page import csv_uri, environment
from portrayal.report.pair_images import PairShelf, ShownPair, shown_pairs

CARDS = 3
CARD_PAIRS = 4
LEVEL_PAIRS = 8
MOST_LEVELS = 12
SHELF_PAIRS = 6
SHELVES = 24

VERDICTS: dict[DifferenceVerdict, str] = {
    "differ": "Different",
    "differ slightly": "Different by less than the margin",
    "equivalent": "Equivalent: shown to differ by less than the margin",
    "undecided": "No conclusion: neither a difference nor equivalence is shown",
    "no data": "Not enough data",
}


@dataclass(frozen=True, slots=True)
class ShownLevel:
    """One level of a card's question, with pairs of images."""

    difference: ModelDifference
    clear: bool
    pairs: Sequence[ShownPair]


@dataclass(frozen=True, slots=True)
class ComparisonCard:
    """A question on the first screen.

    Attributes:
        difference: About all prompts of the study.
        title: What it comes to.
        levels: The levels that differ most.
        hidden: Levels that are left out.
        pairs: Pairs of images, those whose label changed first.
    """

    difference: ModelDifference
    title: str
    levels: Sequence[ShownLevel]
    hidden: int
    pairs: Sequence[ShownPair]


def write_comparison(comparison: ModelComparison, file: Path | str) -> Path:
    """Write the page of a comparison: one HTML file that opens without a network.

    Args:
        comparison: The comparison; its audits must still be there, for their images.
        file: Where.
    """
    where = location(file)
    where.parent.mkdir(parents=True, exist_ok=True)
    write_text(where, comparison_page(comparison))
    return where


def comparison_page(comparison: ModelComparison) -> str:
    """Return the page of a comparison."""
    folders = [AuditFolder(location(model.audit)) for model in comparison.models]
    names = [model.name for model in comparison.models]
    audits = open_audits(folders, comparison.settings, names)
    cards = [_card(one, comparison, audits) for one in _chosen(comparison)]
    text: str = (
        environment()
        .get_template("comparison.html.j2")
        .render(
            comparison=comparison,
            names=names,
            level=comparison.level,
            confidence=comparison.settings.confidence,
            margin=number(100 * comparison.margin).removesuffix(".0"),
            conclusions=list(comparison.conclusions()),
            together=comparison.together(),
            cards=cards,
            differing=_differing(comparison, cards),
            worse=comparison.side_effects(),
            judged=list(
                dict.fromkeys(
                    one.question if one.measure != "estimate" else one.statistic
                    for one in comparison.differences
                    if one.better and not one.level and not one.group
                )
            ),
            equivalent=comparison.of_verdict("equivalent"),
            undecided=len(comparison.of_verdict("undecided")),
            utility=comparison.utility(),
            groups={title: comparison.of_verdict(name) for name, title in VERDICTS.items()},
            table=[row for row in comparison.table() if not row.question.level],
            trust=list(_trust(comparison, audits)),
            notices=sorted({said for one in folders if (said := notice(one.generator))}),
            shelves=_shelves(comparison, audits),
            csv=csv_uri(comparison.to_frame()),
        )
    )
    return text


def _differing(
    comparison: ModelComparison, cards: Sequence[ComparisonCard]
) -> list[ModelDifference]:
    """Return what differs and is on no card."""
    shown = [card.difference for card in cards]
    found = (*comparison.of_verdict("differ"), *comparison.of_verdict("differ slightly"))
    return [one for one in found if not any(one is other for other in shown)]


def _chosen(comparison: ModelComparison) -> list[ModelDifference]:
    """Return the questions of the first screen: shares of whole studies, the clearest first."""
    whole = [
        one
        for one in comparison.differences
        if one.measure == "group share" and not one.level and one.value is not None
    ]
    order = list(VERDICTS)
    whole.sort(key=lambda one: (order.index(one.verdict(comparison.level)), -abs(one.value or 0.0)))
    return whole[:CARDS]


def _title(one: ModelDifference, level: float, margin: str) -> str:
    """Return what a share comes to, in a few words."""
    group, verdict = plural(one.group), one.verdict(level)
    if verdict in ("differ", "differ slightly"):
        more = "More" if (one.value or 0.0) > 0 else "Fewer"
        slightly = "Slightly " + more.lower() if verdict == "differ slightly" else more
        return (
            f"{slightly} {group} with {one.second}: {percent(one.after)}, not {percent(one.before)}"
        )
    if verdict == "equivalent":
        return f"The share of {group} is the same within {margin} points"
    return f"No conclusion about the share of {group}"


def _card(
    one: ModelDifference, comparison: ModelComparison, audits: Sequence[ComparedAudit]
) -> ComparisonCard:
    levels = [
        other
        for other in comparison.between(one.first, one.second)
        if other.level
        and other.value is not None
        and (other.study, other.measure, other.axis, other.group, other.measurer)
        == (one.study, one.measure, one.axis, one.group, one.measurer)
    ]
    levels.sort(key=lambda other: -abs(other.value or 0.0))
    apart = ("differ", "differ slightly")
    margin = number(100 * comparison.margin).removesuffix(".0")
    return ComparisonCard(
        one,
        _title(one, comparison.level, margin),
        [
            ShownLevel(
                other,
                other.verdict(comparison.level) in apart,
                _pairs(other, audits, at_most=LEVEL_PAIRS),
            )
            for other in levels[:MOST_LEVELS]
        ],
        max(len(levels) - MOST_LEVELS, 0),
        _pairs(one, audits, at_most=CARD_PAIRS),
    )


def _sides(
    one: ModelDifference, audits: Sequence[ComparedAudit]
) -> tuple[ComparedAudit, ComparedAudit]:
    named = {audit.name: audit for audit in audits}
    return named[one.first], named[one.second]


def _pairs(
    one: ModelDifference, audits: Sequence[ComparedAudit], *, at_most: int
) -> list[ShownPair]:
    first, second = _sides(one, audits)
    return shown_pairs(first, second, _changed(one, first, second)[:at_most])


def _changed(one: ModelDifference, first: ComparedAudit, second: ComparedAudit) -> list[ImagePair]:
    prompts = [
        prompt.text
        for prompt in first.studies[one.study].prompts()
        if not one.level or prompt.factors.get(one.factor) == one.level
    ]
    return changed_pairs(
        first, second, study=one.study, axis=one.axis, measurer=one.measurer, prompts=prompts,
        group=one.group,
    )  # fmt: skip


def _shelves(comparison: ModelComparison, audits: Sequence[ComparedAudit]) -> list[PairShelf]:
    """Return pairs of images by prompt, on the first card's axis, most changed labels first."""
    one = next(iter(_chosen(comparison)), None)
    if one is None:
        return []
    first, second = _sides(one, audits)
    by_prompt: dict[str, list[ImagePair]] = {}
    for pair in _changed(one, first, second):
        by_prompt.setdefault(pair.prompt, []).append(pair)
    changed = {text: sum(pair.changed for pair in own) for text, own in by_prompt.items()}
    return [
        PairShelf(
            text, f"{count(changed[text])} of {count(len(by_prompt[text]))} labels changed",
            shown_pairs(first, second, by_prompt[text][:SHELF_PAIRS]),
        )
        for text in sorted(by_prompt, key=lambda text: -changed[text])[:SHELVES]
    ]  # fmt: skip


def _trust(
    comparison: ModelComparison, audits: Sequence[ComparedAudit]
) -> Iterator[tuple[str, str]]:
    """Yield what a reader must know before the differences: a name and a few words each."""
    yield "Labelled by", ", ".join(comparison.measurers)
    results = [audit.results for audit in audits]
    rated = [0 if one is None else one.labels.rated for one in results]
    checked = " and ".join(f"{count(n)}" for n in rated)
    yield "Checked by people", f"{checked} images" if any(rated) else "no"
    yield "Images", " and ".join(count(model.images) for model in comparison.models)
    whole = next(iter(_chosen(comparison)), None)
    if whole is not None:
        pairs = f"{count(whole.n_pairs)} pairs" if whole.n_pairs else "none"
        yield "Same prompt and seed", f"{pairs} in the first question"
    tested = [one for one in comparison.differences if one.q is not None]
    yield "Questions", f"{counted(len(tested), 'test')}, corrected together"
    yield "Margin", f"{number(100 * comparison.margin).removesuffix('.0')} points"
    if len(audits) == 2:
        refused = [one for one in comparison.missing() if one.measure == "refused"]
        lost = refused[0] if refused and not refused[0].level else None
        yield (
            "Refused",
            ("none" if lost is None else f"{percent(lost.before)} and {percent(lost.after)}"),
        )
