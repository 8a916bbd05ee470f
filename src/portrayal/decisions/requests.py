"""Shares of requests that were refused or failed: of all prompts, and by the group they name.

They are about the prompts of the audit, not about others: what a service does with other prompts
a few dozen of them cannot tell to a percent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from portrayal.audit import AuditFolder
from portrayal.decisions.rules import Rule
from portrayal.decisions.verdicts import RuleItem
from portrayal.errors import RuleError, one_of
from portrayal.findings import counted
from portrayal.statistics import Interval, share_interval
from portrayal.studies import Axis, Study, default_axes, did_you_mean, named_groups


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How the requests of an audit ended.

    Attributes:
        ended: Requests by prompt text and status.
        axes: The axes that its studies ask about.
    """

    ended: Mapping[str, Mapping[str, int]]
    axes: Mapping[str, Axis]

    @classmethod
    def of(cls, audit: AuditFolder, studies: Sequence[Study]) -> RequestCounts:
        """Count the requests of the studies' prompts."""
        texts = {prompt.text for study in studies for prompt in study.prompts()}
        ended: dict[str, dict[str, int]] = {}
        rows = audit.images(columns=("key", "prompt", "status"))
        for text, status, n in rows.aggregate("prompt, status, count(*)").fetchall():
            if text in texts:
                ended.setdefault(text, {})[status] = n
        axes = {name: axis for study in studies for name, axis in study.asked_axes().items()}
        return cls(ended, axes or default_axes())


@dataclass(frozen=True, slots=True)
class _RequestShare:
    hits: int
    total: int

    @property
    def share(self) -> float:
        return self.hits / self.total


def request_items(rule: Rule, counts: RequestCounts, confidence: float) -> list[RuleItem]:
    """Return the shares that a rule about requests is about, or their ratios.

    Raises:
        RuleError: No study asks about the axis, or fewer than two of its groups are named.
    """
    if rule.by is None:
        rate = _rate(rule, counts, list(counts.ended))
        low, high = share_interval(rate.hits, rate.total, confidence=confidence)
        subject = f"requests {rule.requests}"
        within = Interval(0.0, 1.0)
        return [RuleItem(subject, rate.share, low, high, rate.total, "request", within=within)]
    groups = _by_group(rule, rule.by, counts)
    return [
        item
        for a, b in itertools.permutations(groups, 2)
        for item in _ratio(rule, (a, groups[a]), (b, groups[b]), confidence)
    ]


def _by_group(rule: Rule, axis: str, counts: RequestCounts) -> dict[str, _RequestShare]:
    if axis not in counts.axes:
        hint = did_you_mean(axis, counts.axes)
        raise RuleError(
            f"rule {rule.name!r}: by is {axis!r}{hint}; allowed: {one_of(list(counts.axes))}"
        )
    named: dict[str, list[str]] = {}
    for text in counts.ended:
        found = named_groups(text, counts.axes[axis].groups)
        if len(found) == 1:
            named.setdefault(next(iter(found)), []).append(text)
    if len(named) < 2:
        raise RuleError(
            f"rule {rule.name!r}: prompts name {counted(len(named), 'group')} of {axis}; "
            "two are needed to compare"
        )
    return {group: _rate(rule, counts, named[group]) for group in sorted(named)}


def _rate(rule: Rule, counts: RequestCounts, texts: Sequence[str]) -> _RequestShare:
    if not texts:
        raise RuleError(f"rule {rule.name!r}: the audit has no request of its studies")
    return _RequestShare(
        sum(counts.ended[text].get(str(rule.requests), 0) for text in texts),
        sum(sum(counts.ended[text].values()) for text in texts),
    )


def _ratio(
    rule: Rule,
    first: tuple[str, _RequestShare],
    second: tuple[str, _RequestShare],
    confidence: float,
) -> list[RuleItem]:
    """Return how many times as often the first group's requests ended so, if more often."""
    (a, mine), (b, other) = first, second
    if mine.share < other.share or (mine.share == other.share and a > b):
        return []
    subject = f"{a} against {b}, requests {rule.requests}"
    n = mine.total + other.total
    bounds = [share_interval(one.hits, one.total, confidence=confidence) for one in (mine, other)]
    if max(one.high for one in bounds) <= rule.ignore_below:
        return [RuleItem(f"{subject} (both rare)", 1.0, 1.0, 1.0, n, "request")]
    if mine.share == 0:
        why = f"neither was {rule.requests} in {counted(n, 'request')}, so there is no ratio yet"
        return [RuleItem(subject, None, None, None, n, "request", reason=why)]
    ratio = mine.share / other.share if other.share else math.inf
    low, high = share_ratio_interval(mine.share, bounds[0], other.share, bounds[1])
    return [RuleItem(subject, ratio, low, high, n, "request")]


def share_ratio_interval(
    first: float, first_interval: Interval, second: float, second_interval: Interval
) -> Interval:
    """Return an interval for first / second from the intervals of both (MOVER-R).

    References: Donner and Zou (2012), Statistical Methods in Medical Research 21, 347-359.

    >>> low, high = share_ratio_interval(0.2, Interval(0.1, 0.3), 0.1, Interval(0.05, 0.15))
    >>> round(low, 2), round(high, 2)
    (0.87, 4.66)
    """
    l1, u1 = first_interval
    l2, u2 = second_interval
    product = first * second
    lower_root = product**2 - l1 * u2 * (2 * first - l1) * (2 * second - u2)
    below = u2 * (2 * second - u2)
    low = (product - math.sqrt(max(lower_root, 0))) / below if below > 0 else l1 / u2
    upper_root = product**2 - u1 * l2 * (2 * first - u1) * (2 * second - l2)
    above = l2 * (2 * second - l2)
    high = (product + math.sqrt(max(upper_root, 0))) / above if above > 0 else math.inf
    return Interval(max(low, 0.0), high)
