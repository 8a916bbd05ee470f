"""Headlines: what a finding says in a line, and the bars and counts behind it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from portrayal.findings import Asked, Bar, Headline, in_words, listed, plural
from portrayal.findings.headline import FEW_PROMPTS


def test_a_share_without_images_has_no_value() -> None:
    assert Bar.share("nurse", 0, 0).value is None
    assert Bar.share("nurse", 0, 0).text == "0 of 0 images (–)"
    assert Bar.share("nurse", 10, 16).text == "10 of 16 images (63%)"
    assert Bar.share("nurse", 10, 16).short == "10 of 16"
    assert Bar("arts", -0.0912).text == "-0.091"


def test_a_bar_names_each_prompt_once_and_not_too_many() -> None:
    bar = Bar.share("nurse", 1, 2, prompts=["a", "a", *map(str, range(100))])
    assert list(bar.prompts)[:2] == ["a", "0"]
    assert len(bar.prompts) == FEW_PROMPTS


def of(*bars: Bar) -> Headline:
    return Headline("claim", "null", "share of women", 0.5, bars)


def test_the_ends_are_the_least_and_the_most() -> None:
    bars = [
        Bar.share(name, hits, 4, prompts=["p"]) for name, hits in (("a", 2), ("b", 0), ("c", 4))
    ]
    assert [bar.label for bar in of(*bars).ends()] == ["b", "c"]
    assert [bar.label for bar in of(bars[0]).ends()] == ["a"]
    assert of(Bar.share("a", 0, 0, prompts=["p"])).ends() == [], "no value, no end"
    assert of(Bar.share("a", 1, 2)).ends() == [], "no images to show"


def test_of_pairs_the_ends_are_both_sides_of_what_changes_most() -> None:
    def bar(label: str, side: str, hits: int) -> Bar:
        return Bar.share(label, hits, 4, side=side, prompts=["p"])

    bars = [
        bar("a", "without", 1),
        bar("a", "with", 2),
        bar("b", "without", 4),
        bar("b", "with", 0),
    ]
    found = of(*bars).ends()
    assert [(one.label, one.side) for one in found] == [("b", "without"), ("b", "with")]


@pytest.mark.parametrize(
    ("group", "many"),
    [("woman", "women"), ("older man", "older men"), ("dark skin", "dark skin"), ("", "")],
)
def test_groups_have_a_plural(group: str, many: str) -> None:
    assert plural(group) == many


def test_small_numbers_are_words_and_long_lists_are_cut() -> None:
    assert [in_words(n) for n in (0, 5, 12, 13, 1300)] == ["no", "five", "twelve", "13", "1,300"]
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefg")) == "a, b, c, d and 3 more"


def test_a_finding_without_an_answer_has_no_headline_and_says_why() -> None:
    asked = Asked("s", "composition", "who?", "group share", "image")
    none = asked.unanswered("too few", n=1, n_missing=2).with_headline(of())
    assert none.headline is None
    assert none.verdict(0.05) == "not enough data"
    assert none.conclusion(0.05) == "who?"
    assert none.in_numbers(0.95) == "1 image, 2 missing"
    share = asked.answered(0.625, (0.39, math.nan), n=16, n_missing=0, sentence="x")
    assert share.verdict(0.05) == "not tested"
    assert share.in_numbers(0.95) == "group share 63%; 16 images"


def test_where_there_were_several_looks_all_of_them_decide() -> None:
    asked = Asked("s", "composition", "who?", "Cramér's V", "image")
    found = asked.answered(0.5, (0.3, 0.7), p=0.01, n=16, n_missing=0, sentence="x")
    found = replace(found.with_headline(of()), q=0.01)
    assert found.verdict(0.05) == "significant"
    assert found.deciding_interval == (0.3, 0.7)
    looked = replace(found, look=2, p_looks=0.2, q_looks=0.2, low_looks=0.2, high_looks=0.8)
    assert looked.verdict(0.05) == "no significant difference"
    assert looked.conclusion(0.05) == of().otherwise
    assert (looked.deciding_q, looked.deciding_interval) == (0.2, (0.2, 0.8))
    assert looked.in_numbers(0.95) == (
        "Cramér's V 0.50, 95% CI 0.30 to 0.70, q = .010; counting all looks 95% CI 0.20 to 0.80, "
        "q = .20; 16 images; applies to these prompts only"
    )
    assert replace(found, q=0.2, q_looks=0.01).verdict(0.05) == "significant"


def test_a_question_is_shown_as_people_say_it() -> None:
    for group, said in (("woman", "women"), ("man", "men"), ("light skin", "light skin")):
        asked = Asked("s", "k", f"job nurse: share of {group} (axis)", "group share", "image")
        found = asked.unanswered("no image", n=0, n_missing=0)
        assert found.asked == f"job nurse: share of {said} (axis)"
        assert found.conclusion(0.05) == found.asked
