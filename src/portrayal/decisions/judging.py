"""How a rule is decided: intervals inside the limits pass, corrected ones outside them fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from portrayal.decisions.needed import data_to_decide
from portrayal.decisions.rules import Rule
from portrayal.decisions.verdicts import ItemVerdict, RuleItem, RuleVerdict
from portrayal.errors import RuleError
from portrayal.findings import MOST_CONFIDENCE, counted, form_of
from portrayal.numbers import between, interval, number
from portrayal.statistics import Interval, widen_interval

ItemsAt = Callable[[float], Sequence[RuleItem]]
"""Returns the numbers of a rule with intervals of a confidence, the same ones in the same order."""


def judge(rule: Rule, items_at: ItemsAt, confidence: float) -> RuleVerdict:
    """Decide a rule.

    A number passes where its interval lies inside the limits: a rule over many levels passes only
    if all do, so nothing needs correcting. It fails where its interval lies outside at a confidence
    that is corrected for how many numbers the rule is about (Bonferroni), because each could fail
    by chance. Anything else is not enough data.

    Args:
        rule: The rule.
        items_at: Gives its numbers.
        confidence: Of the intervals that let it pass.

    Raises:
        RuleError: The rule is about nothing in the audit.
    """
    items = items_at(confidence)
    if not items:
        raise RuleError(f"rule {rule.name!r} is about nothing in this audit; check its `where`")
    strict = list(items)
    corrected = 1 - (1 - confidence) / len(items)
    if len(items) > 1 and any(_is_outside(rule, one.estimate) for one in items):
        reached = min(corrected, MOST_CONFIDENCE)
        strict = [_widened(one, reached, corrected) for one in items_at(reached)]
    return RuleVerdict(
        rule,
        [
            _verdict(rule, one, hard, confidence, corrected)
            for one, hard in zip(items, strict, strict=True)
        ],
    )


def _verdict(
    rule: Rule, item: RuleItem, strict: RuleItem, confidence: float, corrected: float
) -> ItemVerdict:
    form = form_of("share") if rule.is_share else number
    if item.estimate is None or item.low is None or item.high is None:
        why = item.reason or "it has no interval"
        return ItemVerdict(item, "not enough data", f"{item.subject}: {why}")
    told = f"{item.subject}: {form(item.estimate)}"
    if item.n:
        told += f", {counted(item.n, item.n_of)}"
    limits = _limits(rule)
    if _is_inside(rule, item):
        bounds = _bounds(rule, item, confidence)
        return ItemVerdict(item, "pass", f"{told}, {bounds}: inside {limits}")
    if strict.low is not None and strict.high is not None and _lies_outside(rule, strict):
        bounds = _bounds(rule, strict, round(corrected, 4))
        return ItemVerdict(strict, "fail", f"{told}, {bounds}: outside {limits}")
    needed, words = data_to_decide(rule, item, strict, (confidence, corrected))
    bounds = _bounds(rule, item, confidence)
    why = f"{told}, {bounds}: crosses the limit of {_crossed(rule, item)}; {words}"
    return ItemVerdict(item, "not enough data", why, needed)


def _bounds(rule: Rule, item: RuleItem, confidence: float) -> str:
    assert item.low is not None
    assert item.high is not None
    form = form_of("share") if rule.is_share else number
    ends = between(item.low, item.high, confidence, form=form)
    return ends if item.looks == 1 else f"{ends} counting {item.looks} looks"


def _limits(rule: Rule) -> str:
    form = form_of("share") if rule.is_share else number
    if rule.low is None:
        return f"at most {form(rule.high)}"
    if rule.high is None:
        return f"at least {form(rule.low)}"
    return interval(rule.low, rule.high, form=form)


def _crossed(rule: Rule, item: RuleItem) -> str:
    """Return the limits that an interval reaches over, or lies beyond without correction."""
    form = form_of("share") if rule.is_share else number
    assert item.low is not None
    assert item.high is not None
    lower = [form(rule.low)] if rule.low is not None and item.low < rule.low else []
    upper = [form(rule.high)] if rule.high is not None and item.high > rule.high else []
    return " and ".join([*lower, *upper])


def _is_inside(rule: Rule, item: RuleItem) -> bool:
    assert item.low is not None
    assert item.high is not None
    above = rule.low is None or item.low >= rule.low
    return above and (rule.high is None or item.high <= rule.high)


def _lies_outside(rule: Rule, item: RuleItem) -> bool:
    assert item.low is not None
    assert item.high is not None
    below = rule.low is not None and item.high < rule.low
    return below or (rule.high is not None and item.low > rule.high)


def _is_outside(rule: Rule, estimate: float | None) -> bool:
    if estimate is None:
        return False
    below = rule.low is not None and estimate < rule.low
    return below or (rule.high is not None and estimate > rule.high)


def _widened(item: RuleItem, reached: float, wanted: float) -> RuleItem:
    """Stretch an interval to a confidence beyond that of any analysis."""
    if item.estimate is None or item.low is None or item.high is None:
        return item
    ends = Interval(item.low, item.high)
    low, high = widen_interval(ends, item.estimate, reached, wanted, within=item.within)
    return replace(item, low=low, high=high if math.isfinite(high) else math.inf)
