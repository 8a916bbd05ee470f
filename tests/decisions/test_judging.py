"""Verdicts follow from interval bounds, corrected for how many numbers a rule is about."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from portrayal.decisions import Rule, RuleItem, judge, read_rules
from portrayal.decisions.judging import ItemsAt
from portrayal.decisions.requests import RequestCounts, request_items, share_ratio_interval
from portrayal.errors import RuleError
from portrayal.statistics import Interval, share_interval
from portrayal.studies import default_axes


def rule(**given: Any) -> Rule:
    about = {"name": "r", "statistic": "group share", **given}
    return read_rules({"rules": [about]}).rules[0]


known_interval = functools.cache(share_interval)


def shares(counts: Sequence[tuple[int, int]], *, unit: str = "image") -> ItemsAt:
    """Return shares of independent images, with Wilson intervals."""

    def at(confidence: float) -> list[RuleItem]:
        found = []
        for place, (k, n) in enumerate(counts):
            low, high = known_interval(k, n, confidence=confidence)
            found.append(RuleItem(f"level {place}", k / n, low, high, n, unit=unit))
        return found

    return at


@pytest.mark.parametrize(
    ("counts", "outcome"),
    [
        ([(50, 100), (40, 100)], "pass"),
        ([(50, 100), (3, 100)], "fail"),
        ([(50, 100), (18, 100)], "not enough data"),
        ([(3, 100), (18, 100)], "fail"),
    ],
)
def test_the_three_verdicts(counts: list[tuple[int, int]], outcome: str) -> None:
    assert judge(rule(between=[0.2, 0.8]), shares(counts), 0.95).outcome == outcome


def test_a_failure_is_corrected_for_the_number_of_levels() -> None:
    """5 of 50 lies below 20% by itself; among a hundred levels such a one is no surprise."""
    wanted = rule(at_least=0.225)
    assert share_interval(5, 50)[1] < 0.225
    assert judge(wanted, shares([(5, 50)]), 0.95).outcome == "fail"
    many = judge(wanted, shares([(5, 50), *[(25, 50)] * 99]), 0.95)
    assert many.outcome == "not enough data"


def test_a_true_rule_seldom_fails_and_a_false_one_seldom_passes() -> None:
    """Twenty levels exactly at the limit: at most 5% of 400 audits may fail."""
    rng = np.random.default_rng(0)
    wanted, failed, passed = rule(at_least=0.5), 0, 0
    for _ in range(400):
        counts = [(int(k), 60) for k in rng.binomial(60, 0.5, 20)]
        outcome = judge(wanted, shares(counts, unit="prompt"), 0.95).outcome
        failed += outcome == "fail"
        passed += outcome == "pass"
    assert failed <= stats.binom.ppf(0.995, 400, 0.05)
    assert passed == 0


@pytest.mark.parametrize("k", [4, 6, 10])
def test_the_number_of_images_that_would_decide_does(k: int) -> None:
    wanted, n = rule(between=[0.2, 0.8]), 40
    (one,) = judge(wanted, shares([(k, n)]), 0.95).items
    assert one.outcome == "not enough data"
    assert one.needed is not None
    assert "would decide" in one.why
    grown = (round(k / n * one.needed), one.needed)
    assert judge(wanted, shares([grown]), 0.95).outcome == ("pass" if k == 10 else "fail")
    if one.needed > 200:  # else rounding to whole images decides
        fewer = (round(k / n * one.needed * 0.9), round(one.needed * 0.9))
        assert judge(wanted, shares([fewer]), 0.95).outcome == "not enough data"


def test_an_interval_says_how_many_looks_it_counts() -> None:
    items = [RuleItem("a", 0.5, 0.3, 0.7, 48, looks=3)]
    (found,) = judge(rule(between=[0.2, 0.8]), lambda _: items, 0.95).items
    assert found.why == "a: 50%, 48 images, 95% CI 30% to 70% counting 3 looks: inside 20% to 80%"


def test_without_a_number_the_reason_is_told() -> None:
    item = RuleItem("nurse", None, None, None, 2, reason="2 images are too few")
    found = judge(rule(at_least=0.2), lambda confidence: [item], 0.95)
    assert found.outcome == "not enough data"
    assert found.items[0].why == "nurse: 2 images are too few"
    with pytest.raises(RuleError, match="about nothing"):
        judge(rule(at_least=0.2), lambda confidence: [], 0.95)


def requests(refused: Callable[[str], int], n: int = 200) -> RequestCounts:
    texts = [f"{who} {what}" for who in ("a woman", "a man") for what in "abcdefgh"]
    ended = {text: {"refused": refused(text), "ok": n - refused(text)} for text in texts}
    return RequestCounts(ended, default_axes())


def rule_without_statistic(**given: Any) -> Rule:
    return read_rules({"rules": [{"name": "r", **given}]}).rules[0]


@pytest.mark.parametrize(
    ("refused", "share", "ratio"),
    [
        (lambda text: 0, "pass", "pass"),
        (lambda text: 20, "fail", "pass"),
        (lambda text: 60 if "woman" in text else 8, "fail", "fail"),
        (lambda text: 5 if "woman" in text else 3, "not enough data", "not enough data"),
    ],
)
def test_refusals_are_limited_in_all_and_between_groups(
    refused: Callable[[str], int], share: str, ratio: str
) -> None:
    counts = requests(refused)
    for limits, outcome in (
        ({"at_most": 0.02}, share),
        ({"by": "perceived gender", "ratio_at_most": 2}, ratio),
    ):
        wanted = rule_without_statistic(requests="refused", **limits)
        found = judge(wanted, lambda c, one=wanted: request_items(one, counts, c), 0.95)  # type: ignore[misc]
        assert found.outcome == outcome, found


def test_an_unknown_axis_and_prompts_that_name_no_group() -> None:
    wanted = rule_without_statistic(requests="refused", by="perceived gendre", ratio_at_most=2)
    with pytest.raises(RuleError, match="did you mean perceived gender"):
        request_items(wanted, requests(lambda text: 0), 0.95)
    wanted = rule_without_statistic(requests="refused", by="perceived gender", ratio_at_most=2)
    nobody = RequestCounts({"a bowl of fruit": {"ok": 3}}, default_axes())
    with pytest.raises(RuleError, match="two are needed"):
        request_items(wanted, nobody, 0.95)


def test_the_interval_of_a_ratio_covers() -> None:
    """2,000 pairs of shares with ratio 2: at least 93% of intervals contain it."""
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(2000):
        bounds, found = [], []
        for p, n in ((0.2, 300), (0.1, 300)):
            k = int(rng.binomial(n, p))
            found.append(k / n)
            bounds.append(known_interval(k, n))
        low, high = share_ratio_interval(found[0], bounds[0], found[1], bounds[1])
        hits += low <= 2 <= high
    assert 0.93 <= hits / 2000 <= 0.975
    assert share_ratio_interval(0.1, Interval(0.05, 0.2), 0.0, Interval(0.0, 0.1)).high == np.inf


def test_intervals_stretched_beyond_any_analysis_stay_possible() -> None:
    """Of 200 levels, one that fails is judged at 99.975%: beyond 99.9%, and not below 0%."""
    share = Interval(0.0, 1.0)
    items = [RuleItem(f"level {i}", 0.02, 0.001, 0.03, 900, within=share) for i in range(200)]
    verdict = judge(rule(at_least=0.2), lambda confidence: items, confidence=0.95)
    assert verdict.outcome == "fail"
    assert {one.item.low for one in verdict.items} == {0.0}
    assert all(one.item.high is not None and one.item.high > 0.03 for one in verdict.items)
    assert "CI 0% to " in verdict.items[0].why
