"""What a prompt addition does, in a line and in counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from portrayal.findings import Bar, Headline, capital, plural
from portrayal.numbers import percent

if TYPE_CHECKING:
    from portrayal.kinds.intervention.arms import Arm, CategoryArms
    from portrayal.kinds.intervention.changes import Comparison

WITHOUT, WITH = "without", "with"
UNEVEN = 0.5
"""Shares after an addition that differ by more than this between attributes are uneven."""
STEADY = 0.05
"""A share that moves by less than this stays about the same."""


def addition_headline(parts: Sequence[Comparison], magnitude: float) -> Headline:
    """Return the headline of what an addition does to who is shown, over all its attributes.

    Args:
        parts: Its comparison in each category.
        magnitude: How much changes, from 0 to 1.
    """
    arms, name = parts[0].arms, f"“{capital(parts[0].after.name)}”"
    bars = [bar for one in parts for bar in _bars(one)]
    group = plural(arms.first)
    return Headline(
        claim=_claim(name, group, bars),
        otherwise=f"{name}: no significant change in who is shown",
        measure=f"share of {group}",
        magnitude=min(1.0, magnitude),
        bars=bars,
    )


def addition_sentence(parts: Sequence[Comparison]) -> str:
    """Return the counts before and after, and the attribute that changes most."""
    group = plural(parts[0].arms.first)
    bars = [bar for one in parts for bar in _bars(one)]
    before, after = (_total(bars, side) for side in (WITHOUT, WITH))
    told = f"Images of {group}: {before.short} without it, {after.short} with it."
    pairs = [
        (a, b)
        for a, b in zip(bars[::2], bars[1::2], strict=True)
        if a.value is not None and b.value is not None
    ]
    if len(pairs) < 2:
        return told
    a, b = max(pairs, key=lambda pair: abs((pair[1].value or 0.0) - (pair[0].value or 0.0)))
    if a.value == b.value:
        return told
    return f"{told} Largest change: {a.label}, from {a.short} to {b.short}."


def _bars(one: Comparison) -> list[Bar]:
    """Return two bars for every attribute: without and with the addition."""
    bars = []
    for i, attribute in enumerate(one.arms.category.attributes):
        for side, arm in ((WITHOUT, one.before), (WITH, one.after)):
            hits, n = int(arm.first[i]), int(arm.first[i] + arm.second[i])
            prompts = _prompts(one.arms, attribute, arm)
            bars.append(Bar.share(attribute, hits, n, side=side, prompts=prompts))
    return bars


def _prompts(arms: CategoryArms, attribute: str, arm: Arm) -> list[str]:
    wanted = {
        "category": arms.category.name, "attribute": attribute, "intervention": arm.name,
    }  # fmt: skip
    return [one.text for one in arms.view.prompts if wanted.items() <= one.factors.items()]


def _claim(name: str, group: str, bars: Sequence[Bar]) -> str:
    before, after = (_total(bars, side) for side in (WITHOUT, WITH))
    shares = [bar.value for bar in bars if bar.side == WITH and bar.value is not None]
    uneven = ", but unevenly" if shares and max(shares) - min(shares) > UNEVEN else ""
    moved = (after.value or 0.0) - (before.value or 0.0)
    if abs(moved) < STEADY:
        return f"{name} changes which attributes show {group}"
    more = "raises" if moved > 0 else "lowers"
    shift = f"from {percent(before.value)} to {percent(after.value)}"
    return f"{name} {more} the share of {group} {shift}{uneven}"


def _total(bars: Sequence[Bar], side: str) -> Bar:
    own = [bar for bar in bars if bar.side == side]
    return Bar.share("", sum(bar.hits or 0 for bar in own), sum(bar.n for bar in own))
