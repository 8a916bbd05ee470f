"""Scores of words in the practice world, whose exact influences are known."""

from __future__ import annotations

import numpy as np
import pytest

from influence_worlds import (
    PEOPLE,
    PLACES,
    asked,
    candidate_lists,
    scenes,
    scored,
    true_scores,
    twenty_prompts,
)
from portrayal.kinds.influence.suggestions import suggest
from portrayal.kinds.influence.tables import pairs_table
from portrayal.kinds.influence.word_scores import score_prompt
from portrayal.kinds.influence.word_sets import count_prompt


def coverage(
    prompts: list[str], *, level: int, draws: int, images: int, repeats: int
) -> np.ndarray:
    """Share of repeats in which the interval of each word holds the exact value."""
    lists = candidate_lists()
    rows = []
    for number, prompt in enumerate(prompts):
        truth = true_scores(prompt, level, lists)
        held = []
        for repeat in range(repeats):
            rng = np.random.default_rng([repeat, number])
            study = asked(prompt, lists, level=level, draws=draws, images=images, seed=repeat)
            plan = study.plan()[0]
            counts = count_prompt(plan, scenes(study, rng), ["woman", "man"], images=images)
            main = score_prompt(
                counts, level, sampled_texts=True, resamples=1000, confidence=0.95, rng=rng
            ).main
            assert main is not None
            held.append((main.low[:, 0] <= truth) & (truth <= main.high[:, 0]))
        rows.append(np.mean(held, axis=0))
    return np.array(rows)


def test_a_few_prompts_recover_the_truth() -> None:
    found = coverage(twenty_prompts()[:4], level=1, draws=12, images=2, repeats=15)
    assert found.mean() > 0.88  # 360 intervals; five standard errors below 95%


def test_ignored_words_have_no_influence_in_the_world() -> None:
    truth = true_scores("a respected doctor at the hospital", 1, candidate_lists())
    assert truth[[0, 3, 4]].tolist() == pytest.approx([0, 0, 0])
    assert truth[2] > 0.1


def test_the_saturating_pair_of_the_world() -> None:
    """Figure 2: at level 1 no word of the CEO prompt acts; at level 2 "CEO" and "company" do."""
    lists = {
        "CEO": PEOPLE, "company": PLACES, "the": ["a", "this"], "of": ["at", "near"],
        "a": ["the", "one"], "fortune": ["large", "small"], "500": ["100", "50"],
    }  # fmt: skip
    prompt = "the CEO of a fortune 500 company"
    first, second = (true_scores(prompt, level, lists) for level in (1, 2))
    assert np.abs(first).max() < 0.02
    assert second.round(2).tolist() == [0, -0.08, 0, 0, 0, 0, -0.10]
    rng = np.random.default_rng(0)
    study = asked(prompt, lists, level=2, draws=48, images=2)
    counts = count_prompt(study.plan()[0], scenes(study, rng), ["woman", "man"], images=2)
    scores = scored(counts, level=2)
    clear = [[level.of(word, 0).is_clear for word in range(7)] for level in scores.levels]
    assert clear == [[False] * 7, [False, True, False, False, False, False, True]]
    together = [row[:2] for row in pairs_table(scores, "", None).rows if row[-1] == "yes"]
    assert together[0] == ("CEO", "company")
    assert suggest(scores, 0).startswith("Change “CEO” and “company”: replacing both raises")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "draws", "images", "repeats"),
    [(1, 12, 2, 200), (1, 24, 1, 200), (2, 12, 2, 60)],
)
def test_twenty_prompts_recover_the_truth(
    level: int, draws: int, images: int, repeats: int
) -> None:
    found = coverage(twenty_prompts(), level=level, draws=draws, images=images, repeats=repeats)
    print(level, draws, images, repeats, found.mean(), found.mean(axis=0))
    assert 0.93 <= found.mean() <= 0.97
    # "a", "at" and "the": the world ignores them, so their intervals are over zero.
    assert 0.93 <= found[:, [0, 3, 4]].mean() <= 0.97


@pytest.mark.slow
def test_few_texts_are_on_the_safe_side() -> None:
    """Eight texts leave few degrees of freedom: 97.05% instead of 95% (docs/studies)."""
    found = coverage(twenty_prompts(), level=1, draws=8, images=3, repeats=200)
    assert 0.95 <= found.mean() <= 0.98
