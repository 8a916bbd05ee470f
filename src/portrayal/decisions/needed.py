"""How much data would decide a rule, if the estimate stays what it is."""

from __future__ import annotations

import math

from portrayal.decisions.rules import Rule
from portrayal.decisions.verdicts import RuleItem
from portrayal.findings import counted
from portrayal.numbers import count, number
from portrayal.statistics import share_interval

MOST = 10_000_000
"""More than so much is called undecidable."""


def data_to_decide(
    rule: Rule, item: RuleItem, strict: RuleItem, confidences: tuple[float, float]
) -> tuple[int | None, str]:
    """Return about how much of what n counts would decide a rule, and that in words.

    An estimate inside the limits would pass once its interval is narrow enough, one outside would
    fail once its corrected interval is. A share of independent images is counted up with the
    interval itself; anything else by the square root of n.

    Args:
        rule: The rule.
        item: The number with the interval that lets it pass.
        strict: The same with the interval that lets it fail.
        confidences: Of both intervals.
    """
    assert item.estimate is not None
    inside = _inside(rule, item.estimate)
    if inside is None or item.n == 0:
        return None, "more data cannot decide it while the estimate is at the limit"
    if rule.is_share and rule.change_of is None and item.unit == "image":
        needed = _counted_up(rule, item, confidences[0 if inside else 1], inside=inside)
    else:
        needed = _scaled(rule, item if inside else strict, inside=inside)
    if needed is None or needed > MOST:
        return None, f"more than {count(MOST)} would be needed to decide"
    if item.unit == "image":
        return needed, f"about {counted(_rounded_up(needed), item.n_of)} would decide"
    if item.unit != "prompt":
        return needed, f"about {number(needed / item.n)} times as much data would decide"
    return needed, f"about {number(needed / item.n)} times as many prompts would decide"


def _rounded_up(n: int) -> int:
    """Return a number rounded up to two significant digits."""
    step: int = 10 ** max(len(str(n)) - 2, 0)
    return -(-n // step) * step


def _inside(rule: Rule, estimate: float) -> bool | None:
    """Tell whether an estimate is inside the limits; None: at one of them."""
    if estimate in (rule.low, rule.high):
        return None
    above = rule.low is None or estimate > rule.low
    return above and (rule.high is None or estimate < rule.high)


def _counted_up(rule: Rule, item: RuleItem, confidence: float, *, inside: bool) -> int | None:
    """Return the least n at which the interval of the same share decides."""
    assert item.estimate is not None
    share = item.estimate

    def decides(n: int) -> bool:
        low, high = share_interval(round(share * n), n, confidence=confidence)
        if inside:
            return (rule.low is None or low >= rule.low) and (
                rule.high is None or high <= rule.high
            )
        return (rule.low is not None and high < rule.low) or (
            rule.high is not None and low > rule.high
        )

    most = max(item.n, 1)
    while not decides(most):
        most *= 2
        if most > MOST:
            return None
    least = most // 2
    while most - least > max(1, most // 200):
        middle = (most + least) // 2
        least, most = (least, middle) if decides(middle) else (middle, most)
    return max(most, item.n + 1)


def _scaled(rule: Rule, item: RuleItem, *, inside: bool) -> int | None:
    """Return n at which the interval, narrowed by the square root of n, would decide."""
    assert item.estimate is not None
    assert item.low is not None
    assert item.high is not None
    below, above = item.estimate - item.low, item.high - item.estimate
    ratios = []
    if rule.low is not None and (inside or item.estimate < rule.low):
        reach = below if inside else above
        ratios.append(reach / abs(item.estimate - rule.low))
    if rule.high is not None and (inside or item.estimate > rule.high):
        reach = above if inside else below
        ratios.append(reach / abs(item.estimate - rule.high))
    # Where nothing, or everything, was counted, an interval shrinks as fast as n grows.
    power = 1 if rule.is_share and item.estimate in (item.low, item.high) else 2
    factor = max(ratios) ** power
    return math.ceil(item.n * factor) if math.isfinite(factor) else None
