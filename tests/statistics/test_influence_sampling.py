from __future__ import annotations

import itertools
import math
from itertools import combinations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    influence_estimate,
    interaction_estimate,
    pair_interactions,
    sample_subsets,
    word_influence,
)

Counts = dict[frozenset[int], np.ndarray]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def subsets(k: int, level: int) -> list[frozenset[int]]:
    return [frozenset(c) for size in range(level + 1) for c in combinations(range(k), size)]


def planted(subset: frozenset[int]) -> float:
    """Return a share that word 2 moves much, word 1 a little, 0 and 3 only together."""
    return 0.1 + 0.4 * (2 in subset) + 0.15 * (1 in subset) + 0.3 * ({0, 3} <= subset)


def paint(
    generator: np.random.Generator,
    sets: list[frozenset[int]],
    *,
    texts: int = 8,
    images: int = 3,
    alike: float = 0.0,
) -> Counts:
    """Paint images; texts of a set differ around its planted share when `alike` is above 0."""
    counts = {}
    for subset in sets:
        share, number, each = planted(subset), texts, images
        if not subset:
            number, each = 1, texts * images
        shares = np.full(number, share)
        if alike and subset:
            shares = generator.beta(*(np.array([share, 1 - share]) * (1 / alike - 1)), size=number)
        hits = generator.binomial(each, shares)
        counts[subset] = np.stack([hits, each - hits], axis=1)
    return counts


def observed(counts: Counts) -> dict[frozenset[int], np.ndarray]:
    return {subset: table.sum(axis=0) / table.sum() for subset, table in counts.items()}


@pytest.mark.parametrize("level", [1, 2, 3])
def test_scores_are_those_of_word_influence(level: int) -> None:
    counts = paint(rng(1), subsets(4, level))
    result = influence_estimate(counts, 4, level, rng=rng())
    np.testing.assert_allclose(result.scores, word_influence(observed(counts), 4, level))
    assert result.exact
    assert result.n == 24 * len(counts)
    assert result.n_texts == 8 * (len(counts) - 1) + 1
    assert result.n_subsets == len(counts)
    assert result.draws.shape == (2000, 4, 2)
    assert (result.interval.low < result.scores).all()
    assert (result.scores < result.interval.high).all()


def test_two_groups_mirror_each_other() -> None:
    result = influence_estimate(paint(rng(2), subsets(3, 2)), 3, 2, rng=rng())
    np.testing.assert_allclose(result.scores[:, 0], -result.scores[:, 1], atol=1e-12)
    np.testing.assert_allclose(result.interval.low[:, 0], -result.interval.high[:, 1], atol=1e-9)


def test_no_image_of_the_group_is_no_certainty() -> None:
    counts = {frozenset(): [[0, 24]], frozenset({0}): [[0, 3]] * 8}
    result = influence_estimate(counts, 1, 1, rng=rng())
    assert result.scores[0, 0] == 0
    assert result.interval.low[0, 0] < -0.02 < 0.02 < result.interval.high[0, 0]


def test_texts_that_differ_widen_the_interval() -> None:
    start = {frozenset(): [[12, 12]]}
    even = influence_estimate(start | {frozenset({0}): [[2, 1], [1, 2]] * 4}, 1, 1, rng=rng())
    uneven = {frozenset({0}): [[3, 0], [0, 3]] * 4}
    torn = influence_estimate(start | uneven, 1, 1, rng=rng())
    fixed = influence_estimate(start | uneven, 1, 1, rng=rng(), texts="fixed")

    def width(result: object) -> float:
        low, high = result.interval  # type: ignore[attr-defined]
        return float(high[0, 0] - low[0, 0])

    assert even.scores[0, 0] == torn.scores[0, 0] == 0
    assert width(torn) > 1.15 * width(even)
    assert width(torn) > 1.15 * width(fixed)


def test_texts_without_an_image_do_not_count() -> None:
    counts = paint(rng(3), subsets(2, 1))
    wanted = influence_estimate(counts, 2, 1, rng=rng())
    counts[frozenset({1})] = np.vstack([counts[frozenset({1})], [[0, 0]]])
    again = influence_estimate(counts, 2, 1, rng=rng())
    np.testing.assert_array_equal(again.scores, wanted.scores)
    assert again.n_texts == wanted.n_texts


def test_a_set_without_images_spoils_only_what_needs_it() -> None:
    counts = paint(rng(4), subsets(3, 1))
    counts[frozenset({1})] = np.zeros((2, 2), dtype=int)
    result = influence_estimate(counts, 3, 1, rng=rng())
    assert np.isnan(result.scores[:, 0]).tolist() == [False, True, False]
    assert np.isnan(result.interval.low[:, 0]).tolist() == [False, True, False]


def test_one_usable_text_gives_a_score_without_interval() -> None:
    counts = paint(rng(4), subsets(3, 1))
    counts[frozenset({1})] = np.array([[3, 4], [0, 0]])
    result = influence_estimate(counts, 3, 1, rng=rng())
    assert not np.isnan(result.scores).any()
    assert np.isnan(result.interval.low[:, 0]).tolist() == [False, True, False]
    assert np.isnan(result.draws[0, :, 0]).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({frozenset(): [[1, 2]], frozenset({0}): [[1, 2]]}, r"set \[0\] hold 1 text"),
        ({frozenset(): [[1, 2]], frozenset({0}): [[1, 2, 3]] * 2}, "have 3 groups"),
        ({frozenset(): [[1]], frozenset({0}): [[1]] * 2}, "have 1 groups"),
        ({frozenset(): [[1, -2]], frozenset({0}): [[1, 2]] * 2}, "holds -2.0"),
        ({frozenset({3}): [[1, 2]]}, "no set of replaced words"),
        ({}, "counts is empty"),
    ],
)
def test_refuses(counts: Counts, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        influence_estimate(counts, 1, 1, rng=rng())


def test_sampled_sets_estimate_the_same_score() -> None:
    # With the true shares as counts of very many images only the choice of sets is left.
    many = {s: np.array([[planted(s), 1 - planted(s)]]) * 1e6 for s in subsets(8, 3)}
    counts = {s: np.round(table) for s, table in many.items()}
    exact = influence_estimate(counts, 8, 3, rng=rng(), texts="fixed")
    generator, scores, hits = rng(5), [], []
    for _ in range(120):
        chosen = sample_subsets(8, 3, 20, rng=generator)
        result = influence_estimate(
            {s: counts[s] for s in chosen}, 8, 3, rng=generator, texts="fixed", resamples=400
        )
        assert not result.exact
        scores.append(result.scores[:, 0])
        hits.append(
            (result.interval.low[:, 0] <= exact.scores[:, 0])
            & (exact.scores[:, 0] <= result.interval.high[:, 0])
        )
    np.testing.assert_allclose(np.mean(scores, axis=0), exact.scores[:, 0], atol=0.02)
    assert np.mean(hits) > 0.92


def test_sampled_sets_that_leave_gaps_say_so() -> None:
    counts = paint(rng(6), subsets(4, 1))
    result = influence_estimate(counts, 4, 2, rng=rng())
    assert np.isnan(result.scores).all(), "no set of two words"
    counts |= paint(rng(7), [frozenset({0, 1})])
    partly = influence_estimate(counts, 4, 2, rng=rng())
    assert np.isnan(partly.scores[:, 0]).tolist() == [False, False, True, True]
    assert np.isnan(partly.interval.low).all(), "one set of several has no spread"


def test_sample_subsets_is_balanced_and_distinct() -> None:
    chosen = sample_subsets(9, 5, 18, rng=rng(8))
    assert len(set(chosen)) == len(chosen)
    assert chosen[0] == frozenset()
    for size in range(1, 6):
        of_size = [subset for subset in chosen if len(subset) == size]
        assert len(of_size) == min(18, math.comb(9, size))
        times = [sum(word in subset for subset in of_size) for word in range(9)]
        assert max(times) - min(times) <= 6, "a word is never left out"
        assert min(times) >= 1
    assert sample_subsets(3, 3, 100, rng=rng()) == tuple(subsets(3, 3))
    with pytest.raises(StatisticsError, match="per_size is 0"):
        sample_subsets(3, 1, 0, rng=rng())


def test_interactions_find_the_pair() -> None:
    counts = paint(rng(9), subsets(4, 2), texts=40, images=3)
    result = interaction_estimate(counts, 4, rng=rng())
    table = pair_interactions(observed(counts), 4)
    np.testing.assert_allclose(result.value, table[result.first, result.second])
    pair = [(int(i), int(j)) for i, j in zip(result.first, result.second, strict=True)]
    together = [pair[row] for row in np.flatnonzero(result.only_together[:, 0])]
    assert together == [(0, 3)]
    shares = observed(counts)
    wanted = shares[frozenset()] - shares[frozenset({0, 3})]
    np.testing.assert_allclose(result.joint[pair.index((0, 3))], wanted)
    with pytest.raises(StatisticsError, match=r"set \[0, 1\] are missing"):
        interaction_estimate(paint(rng(), subsets(2, 1)), 2, rng=rng())


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_intervals_and_p_agree(confidence: float) -> None:
    """The interval at confidence 1 - p has zero as a bound; so both always say the same."""
    clear = 0
    for seed in range(8):
        counts = paint(rng(seed), subsets(4, 2), texts=5, alike=0.3)
        for found in (
            influence_estimate(counts, 4, 2, rng=rng(), resamples=50, confidence=confidence),
            interaction_estimate(counts, 4, rng=rng(), resamples=50, confidence=confidence),
        ):
            told = (found.interval.low > 0) | (found.interval.high < 0)
            np.testing.assert_array_equal(told, found.p_value < 1 - confidence)
            clear += int(told.sum())
    assert clear > 0 or confidence > 0.99


def test_p_of_two_shares_is_that_of_newcombes_interval() -> None:
    """One word, fixed texts: at confidence 1 - p, the combined Wilson bounds touch zero."""
    counts = {frozenset(): [[14, 6]], frozenset({0}): [[6, 14]]}
    result = influence_estimate(counts, 1, 1, texts="fixed", rng=rng())
    p = float(result.p_value[0, 0])
    first, second = (proportion_confint(shown, 20, alpha=p, method="wilson") for shown in (14, 6))
    low = 0.4 - math.hypot(0.7 - first[0], second[1] - 0.3)
    assert low == pytest.approx(0.0, abs=1e-6)
    assert result.p_value[0, 1] == pytest.approx(p)
    swapped = {frozenset(): [[6, 14]], frozenset({0}): [[14, 6]]}
    turned = influence_estimate(swapped, 1, 1, texts="fixed", rng=rng())
    assert turned.scores[0, 0] == pytest.approx(-0.4)
    assert turned.p_value[0, 0] == pytest.approx(p)


def test_p_beyond_a_margin_is_the_level_at_which_newcombes_bound_touches_it() -> None:
    counts = {frozenset(): [[14, 6]], frozenset({0}): [[6, 14]]}
    result = influence_estimate(counts, 1, 1, texts="fixed", rng=rng())
    p = float(result.p_beyond(0.1)[0, 0])
    first, second = (proportion_confint(shown, 20, alpha=p, method="wilson") for shown in (14, 6))
    assert 0.4 - math.hypot(0.7 - first[0], second[1] - 0.3) == pytest.approx(0.1, abs=1e-6)
    swapped = {frozenset(): [[6, 14]], frozenset({0}): [[14, 6]]}
    turned = influence_estimate(swapped, 1, 1, texts="fixed", rng=rng())
    assert turned.p_beyond(0.1)[0, 0] == pytest.approx(p)


def test_p_beyond_grows_with_the_margin_from_the_usual_p() -> None:
    result = influence_estimate(paint(rng(3), subsets(3, 1), alike=0.2), 3, 1, rng=rng())
    np.testing.assert_allclose(result.p_beyond(0.0), result.p_value)
    ladder = [result.p_beyond(margin) for margin in (0.0, 0.02, 0.05, 0.1, 0.9)]
    assert all((after >= before).all() for before, after in itertools.pairwise(ladder))
    assert (ladder[-1] == 1).all()
    with pytest.raises(StatisticsError, match="margin is -1; allowed: 0 or more"):
        result.p_beyond(-1)
    single = {frozenset(): [[2, 2]], frozenset({0}): [[1, 0], [0, 0]]}
    assert np.isnan(influence_estimate(single, 1, 1, rng=rng()).p_beyond(0.1)).all()


def test_an_influence_as_large_as_the_margin_is_seldom_called_larger() -> None:
    """600 worlds at the edge of the null: about 2.5%, for only one side counts there."""
    generator, larger = rng(5), 0
    for _ in range(600):
        hits = generator.binomial([[1] * 40, [1] * 40], [[0.45], [0.35]])
        counts = {
            frozenset(): [[hits[0].sum(), 40 - hits[0].sum()]],
            frozenset({0}): np.stack([hits[1], 1 - hits[1]], axis=1),
        }
        found = influence_estimate(counts, 1, 1, rng=generator, resamples=1)
        larger += bool(found.p_beyond(0.1)[0, 0] <= 0.05)
    assert 0.01 < larger / 600 < 0.04


def test_no_bound_passes_what_is_possible() -> None:
    """Two texts of one image each: Student's t stretches far beyond the range."""
    counts = {frozenset(): [[2, 0]], frozenset({0}): [[0, 2], [2, 0]], frozenset({1}): [[2, 0]] * 2}
    result = influence_estimate(counts, 2, 1, rng=rng())
    assert result.interval.low.min() == -1
    assert result.interval.high.max() <= 1
    assert (result.p_value[0] > 0.05).all()


def test_among_many_pairs_chance_seldom_names_one() -> None:
    """No word does anything; of 15 intervals some leave out 0 by chance."""
    generator = rng(11)
    named = single = 0
    for _ in range(40):
        counts: Counts = {frozenset(): np.array([[8, 8]])}
        for subset in subsets(6, 2)[1:]:
            shown = generator.binomial(2, 0.5, size=8)
            counts[subset] = np.stack([shown, 2 - shown], axis=-1)
        found = interaction_estimate(counts, 6, rng=generator, resamples=300)
        low, high = found.interval
        named += bool(found.only_together[:, 0].any())
        single += bool(((low[:, 0] > 0) | (high[:, 0] < 0)).any())
    assert named <= 4, "of 40 prompts with 15 pairs each"
    assert single > named
