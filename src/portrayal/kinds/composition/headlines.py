"""What a composition study says in a line: who is shown, level by level, in counts."""

from __future__ import annotations

from collections.abc import Sequence

from portrayal.findings import Bar, Headline, capital, in_words, listed, plural
from portrayal.numbers import percent


def spread_headline(bars: Sequence[Bar], group: str, factor: str, v: float) -> Headline:
    """Return the headline of how shares differ by a factor.

    Args:
        bars: The group's share at every level.
        group: The group.
        factor: What the levels are: "occupation".
        v: Cramér's V.
    """
    who = plural(group)
    return Headline(
        claim=_claim([bar for bar in bars if bar.value is not None], who, factor),
        otherwise=f"No significant difference between {factor}s in the share of {who}",
        measure=f"share of {who}",
        magnitude=min(1.0, v),
        bars=sorted(bars, key=lambda bar: (bar.value is None, bar.value or 0.0)),
        reading=f"between {factor}s; 0: none, 1: complete",
    )


def _claim(bars: Sequence[Bar], who: str, factor: str) -> str:
    none, all_ = ([bar for bar in bars if bar.value == whole] for whole in (0.0, 1.0))
    if len(none) > 1 and len(none) >= len(all_):
        return capital(f"{in_words(len(none))} of {in_words(len(bars))} {factor}s show no {who}")
    if len(all_) > 1:
        return capital(f"{in_words(len(all_))} of {in_words(len(bars))} {factor}s show only {who}")
    least, most = _ends(bars)
    return (
        f"Share of {who}: {percent(least.value)} for {least.label}, {percent(most.value)} for "
        f"{most.label}"
    )


def spread_sentence(bars: Sequence[Bar], group: str) -> str:
    """Return who is shown least and most often, in counts; levels that tie are all named."""
    valued = [bar for bar in bars if bar.value is not None]
    if len(valued) < 2:
        return f"Only {valued[0].label} has enough labelled images." if valued else ""
    least, most = _ends(valued)
    if least.value == most.value:
        shown = listed([bar.label for bar in valued])
        return f"Share of {plural(group)}: {percent(least.value)} for {shown}."
    ends = []
    for word, end in (("Fewest", least), ("Most", most)):
        tied = [bar for bar in valued if bar.value == end.value]
        word = {0.0: "No", 1.0: "Only"}.get(end.value or 0.0, word)
        total = Bar.share("", sum(bar.hits or 0 for bar in tied), sum(bar.n for bar in tied))
        shown = listed([bar.label for bar in tied], at_most=8)
        ends.append(f"{word} {plural(group)}: {shown} ({total.counts}).")
    return " ".join(ends)


def _ends(bars: Sequence[Bar]) -> tuple[Bar, Bar]:
    by_share = sorted(bars, key=lambda bar: bar.value or 0.0)
    return by_share[0], by_share[-1]
