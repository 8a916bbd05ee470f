from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embeddings import SETS, A, Array, B, World, flat, leaning, pair, truth
from scipy import stats
from sklearn.metrics.pairwise import cosine_similarity

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    ConceptEmbeddings,
    association_permutation_test,
    association_scores,
    association_test,
    cluster_bootstrap,
)
from portrayal.statistics.association_permutation import Permute
from portrayal.statistics.permutation import random_members
from portrayal.statistics.validation.worlds import COVERAGE, binomial_band

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "association.json").read_text())


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def sets(
    seed: int = 0, sizes: tuple[int, ...] = (6, 7, 5, 4, 8, 3), width: int = 9
) -> dict[str, Array]:
    source = rng(seed)
    return {
        name: source.normal(size=(size, width)) + 0.5
        for name, size in zip(SETS, sizes, strict=True)
    }


def shared(x: Array, y: Array) -> dict[str, Array]:
    """Plane images with A and B themselves as the only attribute images of both concepts."""
    return {"x": x, "y": y, "x_a": A, "x_b": B, "y_a": A, "y_b": B}


def paper_p(**given: Any) -> float:
    return association_permutation_test(*pair(**given), rng=rng()).p_value


def mean_difference(x: Array, y: Array, axis: int) -> Array:
    return np.asarray(x.mean(axis=axis) - y.mean(axis=axis))


# Validation


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(StatisticsError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    return message


def by_permutation(x: ConceptEmbeddings, y: ConceptEmbeddings, **options: Any) -> object:
    return association_permutation_test(x, y, **{"rng": rng(), **options})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": np.zeros((0, 9))}, ["x.images is empty", "at least one"]),
        ({"y_b": np.empty((3, 0))}, ["y.b is empty"]),
        ({"x": np.ones(9)}, ["x.images has 1 dimension", "one embedding per row"]),
        ({"x": [["a"]]}, ["x.images is not an array of numbers"]),
        ({"y": [[1.0] * 9, [math.nan] * 9]}, ["y.images holds NaN or infinity", "first row 1"]),
        ({"x_a": [[1.0] * 8 + [math.inf]]}, ["x.a holds NaN or infinity", "first row 0"]),
        ({"x_b": [[1.0] * 9, [0.0] * 9]}, ["x.b holds 1 zero vector", "first row 1"]),
        ({"y_a": np.ones((2, 8))}, ["different widths", "y.a 8", "x.images 9", "one encoder"]),
        ({"x_units": [1, 2]}, ["units of x.images have shape (2,)", "6 rows"]),
        ({"y_b_units": [1, 2, None]}, ["units of y.b hold no label", "row 2"]),
    ],
)
def test_bad_embeddings_are_refused_in_one_line(change: dict[str, Any], words: list[str]) -> None:
    x, y = pair(**{**sets(), **change})
    for message in (
        refused(lambda: association_test(x, y)),
        refused(lambda: association_permutation_test(x, y, rng=rng())),
    ):
        for word in words:
            assert word in message


@pytest.mark.parametrize(
    ("test", "change", "words"),
    [
        (association_test, {"effect": "glass"}, ["effect is 'glass'", "pooled, union"]),
        (association_test, {"alternative": "larger"}, ["alternative is 'larger'", "two-sided"]),
        (association_test, {"resample": "prompts"}, ["resample is 'prompts'", "units, images"]),
        (association_test, {"confidence": 95}, ["confidence is 95", "between 0 and 1"]),
        (by_permutation, {"alternative": "more"}, ["alternative is 'more'", "two-sided, greater"]),
        (by_permutation, {"permute": "all"}, ["permute is 'all'", "targets, stimuli"]),
        (by_permutation, {"resamples": 0}, ["resamples is 0", "at least 1"]),
        (by_permutation, {"resamples": 10.5}, ["resamples is 10.5"]),
        (by_permutation, {"rng": 3}, ["rng is int", "default_rng"]),
        (by_permutation, {"permute": "stimuli"}, ["needs the same units in x.images and x.a"]),
    ],
)
def test_bad_options_are_refused_in_one_line(
    test: Any, change: dict[str, Any], words: list[str]
) -> None:
    message = refused(lambda: test(*pair(**sets()), **change))
    for word in words:
        assert word in message


def test_rng_is_required() -> None:
    with pytest.raises(TypeError, match="rng"):
        association_permutation_test(*pair(**sets()))  # type: ignore[call-arg]


def test_inputs_are_left_as_they_were() -> None:
    given = sets()
    copies = {name: rows.copy() for name, rows in given.items()}
    association_test(*pair(**given))
    for name, rows in given.items():
        np.testing.assert_array_equal(rows, copies[name])


# Known answer


@pytest.mark.parametrize("effect", ["pooled", "union"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_answer_worked_by_hand(effect: Any, alternative: Any) -> None:
    a, b = GOLDEN["a"], GOLDEN["b"]
    concepts = [ConceptEmbeddings(GOLDEN[name], a, b) for name in "xy"]
    result = association_test(*concepts, effect=effect, alternative=alternative)
    paper = association_permutation_test(*concepts, alternative=alternative, rng=rng())
    score = float(Fraction(GOLDEN["score"]))
    assert result.score == pytest.approx(score, rel=1e-12)
    deviation = math.sqrt(Fraction(GOLDEN[f"{effect}_variance"]))
    assert result.effect_size == pytest.approx(score / deviation, rel=1e-12)
    assert paper.observed == pytest.approx(score, rel=1e-12)
    assert paper.p_value == float(Fraction(GOLDEN["p_values"][alternative]))
    assert paper.exact
    assert (result.n_x, result.n_y, paper.null_distribution.size) == (3, 3, 20)
    for side in ("x", "y"):
        expected = [float(Fraction(value)) for value in GOLDEN[f"{side}_associations"]]
        np.testing.assert_allclose(getattr(result, f"{side}_associations"), expected, atol=1e-12)


def test_two_well_separated_concepts_get_the_least_p_of_all_splits() -> None:
    x, y = leaning(np.array([0.5, 0.6, 0.7, 0.8])), leaning(np.array([0.1, 0.2, 0.3, 0.4]))
    result = association_permutation_test(*pair(**shared(x, y)), alternative="greater", rng=rng())
    assert result.p_value == pytest.approx(1 / 70)
    assert association_permutation_test(*pair(**shared(x, y)), rng=rng()).p_value == pytest.approx(
        2 / 70
    )


# Agreement with independent implementations


def test_scores_agree_with_all_pairs_of_cosines() -> None:
    given = sets()
    expected = cosine_similarity(given["x"], given["x_a"]).mean(axis=1)
    expected -= cosine_similarity(given["x"], given["x_b"]).mean(axis=1)
    scores = association_scores(given["x"], given["x_a"], given["x_b"])
    np.testing.assert_allclose(scores, expected, atol=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("sizes", [(4, 5), (3, 6), (6, 6)])
def test_exact_p_agrees_with_scipy(alternative: Any, sizes: tuple[int, int]) -> None:
    source = rng(sum(sizes))
    x, y = (source.uniform(-0.5, 0.5, size) for size in sizes)
    result = association_permutation_test(
        *pair(**shared(leaning(x), leaning(y))), alternative=alternative, rng=rng()
    )
    reference = stats.permutation_test(
        (x, y), mean_difference, vectorized=True, alternative=alternative, n_resamples=np.inf
    )
    assert result.exact
    assert result.p_value == pytest.approx(reference.pvalue, rel=1e-12)
    np.testing.assert_allclose(
        np.sort(result.null_distribution), np.sort(reference.null_distribution), atol=1e-12
    )


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_sampled_p_agrees_with_scipy(alternative: Any) -> None:
    source = rng(5)
    x, y = source.normal(0.06, 0.2, 30), source.normal(0.0, 0.2, 41)
    result = association_permutation_test(
        *pair(**shared(leaning(x), leaning(y))),
        alternative=alternative,
        resamples=40_000,
        rng=rng(),
    )
    reference = stats.permutation_test(
        (x, y), mean_difference, vectorized=True, alternative=alternative,
        n_resamples=40_000, rng=rng(1),
    )  # fmt: skip
    assert not result.exact
    p = reference.pvalue
    assert result.p_value == pytest.approx(p, abs=5 * 2 * math.sqrt(p * (1 - p) / 40_000))
    test = stats.ks_2samp(result.null_distribution, reference.null_distribution)
    assert test.pvalue > 0.001


def test_permuting_units_agrees_with_scipy_on_unit_means() -> None:
    source = rng(8)
    x, y = source.normal(0.1, 0.2, (5, 4)), source.normal(0.0, 0.2, (5, 3))
    concepts = pair(
        **shared(leaning(x.ravel()), leaning(y.ravel())),
        x_units=np.repeat(list("abcde"), 4),
        y_units=np.repeat(list("abcde"), 3),
    )
    result = association_test(*concepts)
    paper = association_permutation_test(*concepts, rng=rng())
    reference = stats.permutation_test(
        (x.mean(axis=1), y.mean(axis=1)), mean_difference, vectorized=True, n_resamples=np.inf
    )
    assert paper.p_value == pytest.approx(reference.pvalue)
    assert (result.n_x, result.n_y, result.n_units_x, result.n_units_y) == (20, 15, 5, 5)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("sizes", [(4, 12), (9, 5), (30, 41)])
def test_p_agrees_with_welchs_test_in_scipy(alternative: Any, sizes: tuple[int, int]) -> None:
    """Single attribute images are taken as given, which leaves Welch's test of the associations."""
    source = rng(sum(sizes))
    x, y = source.uniform(-0.5, 0.5, sizes[0]), source.uniform(-0.1, 0.3, sizes[1])
    result = association_test(*pair(**shared(leaning(x), leaning(y))), alternative=alternative)
    reference = stats.ttest_ind(x, y, equal_var=False, alternative=alternative)
    # The same t; degrees of freedom are Welch's but for a correction where one side has most noise.
    by_hand = stats.t.sf(abs(reference.statistic), reference.df * np.array([0.75, 1.0]))
    lower, upper = sorted(1 - by_hand if reference.pvalue > 0.5 and alternative != "two-sided"
                          else by_hand * (2 if alternative == "two-sided" else 1))  # fmt: skip
    assert lower - 1e-9 <= result.p_value <= upper + 1e-9
    if sizes == (30, 41):
        assert result.p_value == pytest.approx(reference.pvalue, rel=0.02)


def test_sampled_p_counts_the_observed_split() -> None:
    x, y = leaning(np.linspace(0.5, 0.8, 12)), leaning(np.linspace(-0.8, -0.5, 12))
    result = association_permutation_test(
        *pair(**shared(x, y)), resamples=99, alternative="greater", rng=rng()
    )
    assert result.p_value == pytest.approx(1 / 100)


def test_permuting_stimuli_recomputes_the_score_with_their_attribute_images() -> None:
    images = World(rng(2), prompts=3, lean=0.1).images(2)
    arguments = flat(images)
    result = association_permutation_test(*pair(**arguments), permute="stimuli", rng=rng())
    assert result.exact
    scores = []
    pools = {
        part: np.concatenate([images[f"x{part}"], images[f"y{part}"]]) for part in ("", "_a", "_b")
    }
    for chosen in itertools.combinations(range(6), 3):
        rest = [unit for unit in range(6) if unit not in chosen]
        scores.append(
            truth(
                {
                    f"{side}{part}": pool[list(units)]
                    for side, units in (("x", chosen), ("y", rest))
                    for part, pool in pools.items()
                }
            )[0]
        )
    np.testing.assert_allclose(result.null_distribution, scores, atol=1e-12)
    assert result.observed == pytest.approx(scores[0])
    assert result.p_value == pytest.approx(
        2
        * min(
            np.mean(np.array(scores) >= scores[0] - 1e-12),
            np.mean(np.array(scores) <= scores[0] + 1e-12),
        )
    )


@pytest.mark.parametrize(("n", "k"), [(5, 2), (6, 3), (7, 6), (6, 1)])
def test_random_splits_are_uniform(n: int, k: int) -> None:
    members = random_members(n, k, 40_000, rng(n))
    assert (members.sum(axis=1) == k).all()
    codes, counts = np.unique(members @ 2 ** np.arange(n), return_counts=True)
    assert codes.size == math.comb(n, k)
    assert stats.chisquare(counts).pvalue > 0.001


def test_standard_error_agrees_with_a_cluster_bootstrap() -> None:
    """With many units, the closed form is what a cluster bootstrap of all six sets converges to."""
    images = World(rng(3), prompts=60, lean=0.1).images(3)
    result = association_test(*pair(**flat(images)))
    sides = [
        np.concatenate([images[f"{side}{part}"] for part in ("", "_a", "_b")], axis=1)
        for side in "xy"
    ]
    stacked = np.stack(sides, axis=1)

    def score(rows: Array) -> float:
        parts = {
            f"{side}{part}": rows[:, k, 3 * j : 3 * j + 3]
            for k, side in enumerate("xy")
            for j, part in enumerate(("", "_a", "_b"))
        }
        return truth(parts)[0]

    bootstrap = cluster_bootstrap(score, stacked, resamples=600, rng=rng(1))
    half = (result.interval.high - result.interval.low) / 2
    assert half == pytest.approx(1.96 * bootstrap.standard_error, rel=0.12)


# Invariants


@pytest.mark.parametrize("effect", ["pooled", "union"])
@pytest.mark.parametrize("resample", ["units", "images"])
def test_swapping_concepts_or_attributes_flips_the_sign(effect: Any, resample: Any) -> None:
    given = flat(World(rng(4), prompts=4, lean=0.1).images(3))
    options: dict[str, Any] = {"effect": effect, "resample": resample}
    result = association_test(*pair(**given), **options)
    swapped = {
        "concepts": {name.translate(str.maketrans("xy", "yx")): v for name, v in given.items()},
        "attributes": {
            name.replace("_a", "_?").replace("_b", "_a").replace("_?", "_b"): v
            for name, v in given.items()
        },
    }
    for arguments in swapped.values():
        other = association_test(*pair(**arguments), **options)
        assert other.score == pytest.approx(-result.score)
        assert other.effect_size == pytest.approx(-result.effect_size)
        assert other.effect_size_corrected == pytest.approx(-result.effect_size_corrected)
        assert other.interval == pytest.approx([-result.interval.high, -result.interval.low])
        expected = [-result.effect_interval.high, -result.effect_interval.low]
        assert other.effect_interval == pytest.approx(expected)
        assert other.p_value == pytest.approx(result.p_value)


@pytest.mark.parametrize("effect", ["pooled", "union"])
@pytest.mark.parametrize("resample", ["units", "images"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_and_p_agree(effect: Any, resample: Any, confidence: float) -> None:
    """Both intervals leave out zero where p is below 1 - confidence, and only there."""
    clear = 0
    for seed in range(40):
        world = World(rng(seed), prompts=3 + seed % 4, lean=0.04, attribute=(0.1, 0.4)[seed % 2])
        result = association_test(
            *pair(**flat(world.images(3))), effect=effect, resample=resample, confidence=confidence
        )
        told = result.p_value < 1 - confidence
        for low, high in (result.interval, result.effect_interval):
            assert (low > 0 or high < 0) == told
        assert -4 <= result.interval.low < result.interval.high <= 4
        clear += told
    assert 0 < clear < 40


def test_one_sided_p_values_change_places_when_concepts_do() -> None:
    given = sets(7)
    swapped = {name.translate(str.maketrans("xy", "yx")): rows for name, rows in given.items()}
    greater = association_test(*pair(**given), alternative="greater")
    less = association_test(*pair(**swapped), alternative="less")
    assert greater.p_value == pytest.approx(less.p_value)


@pytest.mark.parametrize("resample", ["units", "images"])
def test_length_of_embeddings_and_order_of_rows_do_not_matter(resample: Any) -> None:
    given = flat(World(rng(5), prompts=4, lean=0.1).images(3))
    result = association_test(*pair(**given), resample=resample)
    source = rng(6)
    moved = dict(given)
    for name in SETS:
        order = source.permutation(len(given[name]))
        scale = 10.0 ** source.uniform(-180, 180, size=(order.size, 1))
        moved[name] = given[name][order] * scale
        moved[f"{name}_units"] = given[f"{name}_units"][order]
    other = association_test(*pair(**moved), resample=resample)
    for field in ("score", "effect_size", "p_value", "interval", "effect_interval"):
        assert getattr(other, field) == pytest.approx(getattr(result, field), rel=1e-9), field


def test_same_seed_same_answer() -> None:
    given = sets(1, sizes=(20, 20, 5, 5, 5, 5))
    first, second = (
        association_permutation_test(*pair(**given), resamples=500, rng=rng(9)) for _ in range(2)
    )
    np.testing.assert_array_equal(first.null_distribution, second.null_distribution)
    assert first.p_value == second.p_value


def test_a_unit_weighs_the_same_however_many_images_it_has() -> None:
    x = leaning(np.array([0.2, 0.2, 0.2, 0.6]))
    y = leaning(np.array([0.0, 0.1]))
    result = association_test(*pair(**shared(x, y), x_units=[1, 1, 1, 2], y_units=[1, 2]))
    assert result.score == pytest.approx(0.4 - 0.05)
    assert (result.n_x, result.n_units_x) == (4, 2)


def test_repeating_every_image_changes_nothing_but_n_when_prompts_are_units() -> None:
    images = World(rng(11), prompts=5, lean=0.1).images(2)
    twice = {name: np.concatenate([rows, rows], axis=1) for name, rows in images.items()}
    once_result = association_test(*pair(**flat(images)))
    twice_result = association_test(*pair(**flat(twice)))
    assert twice_result.interval == pytest.approx(once_result.interval)
    assert twice_result.p_value == pytest.approx(once_result.p_value)
    assert paper_p(**flat(twice)) == paper_p(**flat(images))


def test_shared_attribute_images_are_one_sample() -> None:
    """Noise of attribute images that both concepts are compared with cancels in the score."""
    images = World(rng(12), prompts=6, lean=0.1).images(4)
    for side_part in ("_a", "_b"):
        images[f"y{side_part}"] = images[f"x{side_part}"].copy()
    arguments = flat(images)
    together = association_test(*pair(**arguments), resample="images")
    arguments["y_a"] = arguments["y_a"] + 1e-9  # hardly different, but not the same images
    arguments["y_b"] = arguments["y_b"] + 1e-9
    apart = association_test(*pair(**arguments), resample="images")
    assert together.score == pytest.approx(apart.score, abs=1e-7)
    assert np.diff(together.interval) < 0.8 * np.diff(apart.interval)


def test_corrected_effect_is_free_of_the_bias_of_few_attribute_images() -> None:
    world = World(rng(13), prompts=9, lean=0.1, attribute=0.15)
    _, true_d = truth(world.images(3000))
    results = [
        association_test(*pair(**flat(world.images(4))), resample="images") for _ in range(150)
    ]
    plain = np.mean([result.effect_size for result in results])
    corrected = np.median([result.effect_size_corrected for result in results])
    assert plain < 0.9 * true_d
    assert corrected == pytest.approx(true_d, rel=0.12)


def test_union_effect_stays_below_two() -> None:
    x, y = leaning(np.linspace(0.5, 0.51, 6)), leaning(np.linspace(-0.51, -0.5, 6))
    pooled = association_test(*pair(**shared(x, y)))
    union = association_test(*pair(**shared(x, y)), effect="union")
    assert pooled.effect_size > 100
    assert union.effect_size < 2
    expected = np.std(np.concatenate([union.x_associations, union.y_associations]), ddof=1)
    assert union.effect_size == pytest.approx(union.score / expected)


@pytest.mark.parametrize("resample", ["units", "images"])
def test_union_effect_of_endless_images_follows_from_the_pooled_one(resample: Any) -> None:
    """With equal sizes, variance of the union = pooled variance + S^2 / 4."""
    given = flat(World(rng(16), prompts=9, lean=0.1).images(4))
    pooled = association_test(*pair(**given), resample=resample)
    union = association_test(*pair(**given), effect="union", resample=resample)

    def turned(d: float) -> float:
        return d / math.sqrt(1 + d**2 / 4)

    assert union.effect_size_corrected == pytest.approx(turned(pooled.effect_size_corrected))
    assert union.effect_interval == pytest.approx([turned(d) for d in pooled.effect_interval])


# Degenerate input


def test_one_image_a_side_has_a_score_and_nothing_else() -> None:
    result = association_test(*pair(**shared(leaning(np.array([0.3])), leaning(np.array([0.1])))))
    assert result.score == pytest.approx(0.2)
    assert paper_p(**shared(leaning(np.array([0.3])), leaning(np.array([0.1])))) == 1.0
    unknown = (result.p_value, result.effect_size, result.effect_size_corrected)
    for value in (*unknown, *result.interval, *result.effect_interval):
        assert math.isnan(value)


def test_one_prompt_a_side_has_no_effect_size() -> None:
    x, y = leaning(np.array([0.3, 0.4, 0.5])), leaning(np.array([0.1, 0.2, 0.3]))
    result = association_test(*pair(**shared(x, y), x_units=[1] * 3, y_units=[1] * 3))
    assert math.isnan(result.effect_size)
    assert math.isnan(result.p_value)
    assert paper_p(**shared(x, y), x_units=[1] * 3, y_units=[1] * 3) == 1.0


def test_equal_images_have_no_effect_size_and_no_warning() -> None:
    x, y = leaning(np.array([0.3, 0.3, 0.3])), leaning(np.array([0.1, 0.1, 0.1]))
    result = association_test(*pair(**shared(x, y)))
    assert math.isnan(result.effect_size)
    assert result.score == pytest.approx(0.2)
    assert math.isnan(result.p_value)
    assert paper_p(**shared(x, y)) == pytest.approx(2 / 20)


def test_ties_count_as_ties_despite_rounding() -> None:
    """X and Y hold the same associations in other units: every p is 1."""
    scores = np.array([0.1, 0.2, 0.3, 0.7])
    result = association_test(*pair(**shared(leaning(scores), leaning(scores[::-1]))))
    assert result.score == pytest.approx(0, abs=1e-15)
    assert paper_p(**shared(leaning(scores), leaning(scores[::-1]))) == 1.0


def test_p_counts_ties_that_rounding_hides() -> None:
    """Whole tenths: which splits reach the observed sum is known from integers."""
    x, y = [4, 1, 3, 2], [1, 3, 2, 0, 3]
    sums = [sum(split) for split in itertools.combinations(x + y, 4)]
    expected = np.mean([total >= sum(x) for total in sums])
    result = association_permutation_test(
        *pair(**shared(leaning(np.array(x) / 10), leaning(np.array(y) / 10))),
        alternative="greater",
        rng=rng(),
    )
    assert result.p_value == pytest.approx(expected)
    assert (result.null_distribution < result.observed).mean() != 1 - expected  # rounding at work


def test_single_attribute_image_leaves_the_interval_unknown() -> None:
    x, y = leaning(np.array([0.3, 0.4, 0.5])), leaning(np.array([0.1, 0.2, 0.3]))
    result = association_test(*pair(**shared(x, y)))
    assert math.isnan(result.interval.low)
    assert not math.isnan(result.effect_size)


def test_units_with_one_image_left_are_pooled() -> None:
    images = World(rng(15), prompts=6, lean=0.1).images(3)
    arguments = flat(images)
    keep = np.array([i % 3 == 0 or i >= 9 for i in range(18)])  # three units are left with one
    arguments["x"], arguments["x_units"] = arguments["x"][keep], arguments["x_units"][keep]
    result = association_test(*pair(**arguments), resample="images")
    assert result.n_units_x == 6
    assert np.isfinite(result.interval).all()
    full = association_test(*pair(**flat(images)), resample="images")
    assert np.diff(result.interval) > np.diff(full.interval)


# Calibration


def test_prompts_as_units_keep_the_level_where_images_do_not() -> None:
    """25 + 25 prompts x 10 images, correlation .5 within a prompt, no true difference."""
    source = rng(21)
    a_b = shared(A, A)
    rejected = {"images": 0, "prompts": 0}
    trials = 200
    for _ in range(trials):
        scores = source.normal(0, 0.1, (50, 1)) + source.normal(0, 0.1, (50, 10))
        a_b["x"], a_b["y"] = leaning(scores[:25].ravel()), leaning(scores[25:].ravel())
        units = np.repeat(np.arange(25), 10)
        by_prompt = association_test(*pair(**a_b, x_units=units, y_units=units))
        by_image = association_test(*pair(**a_b))
        rejected["prompts"] += by_prompt.p_value <= 0.05
        rejected["images"] += by_image.p_value <= 0.05
    assert 0.02 <= rejected["prompts"] / trials <= 0.09
    assert rejected["images"] / trials > 0.2


def test_only_permuting_stimuli_keeps_the_level_when_attribute_images_differ() -> None:
    world = World(rng(22), prompts=9, lean=0.0, attribute=0.1)
    world.offsets[1] = world.offsets[0]
    rejected: dict[Permute, int] = {"targets": 0, "stimuli": 0}
    by_t = 0
    trials = 200
    for _ in range(trials):
        world.new_prompts()
        arguments = pair(**flat(world.images(4)))
        for permute in rejected:
            paper = association_permutation_test(
                *arguments, permute=permute, resamples=199, rng=world.rng
            )
            rejected[permute] += paper.p_value <= 0.05
        by_t += association_test(*arguments).p_value <= 0.05
    assert 0.02 <= rejected["stimuli"] / trials <= 0.09
    assert by_t / trials <= 0.09
    assert rejected["targets"] / trials > 0.2


DESIGNS = [
    pytest.param(prompts, attribute, lean, id=f"{prompts} prompts, {words}")
    for prompts in (4, 9, 25)
    for words, attribute, lean in (
        ("strong attributes", 0.5, 0.3),
        ("medium attributes", 0.25, 0.1),
        ("weak attributes", 0.1, 0.05),
    )
]


def coverage(
    world: World, trials: int, *, resample: Any, expected: tuple[float, float]
) -> tuple[float, float]:
    hits = np.zeros(2)
    for _ in range(trials):
        if resample == "units":
            world.new_prompts()
        result = association_test(*pair(**flat(world.images(4))), resample=resample)
        intervals = (result.interval, result.effect_interval)
        hits += [
            low <= value <= high for (low, high), value in zip(intervals, expected, strict=True)
        ]
    return float(hits[0] / trials), float(hits[1] / trials)


def test_intervals_cover_the_truth_of_the_same_prompts() -> None:
    world = World(rng(30), prompts=9, lean=0.1)
    score, effect = coverage(world, 200, resample="images", expected=truth(world.images(2000)))
    assert 0.91 <= score <= 0.985
    assert 0.91 <= effect <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize(("prompts", "attribute", "lean"), DESIGNS)
@pytest.mark.parametrize("resample", ["images", "units"])
def test_coverage_of_small_designs(
    prompts: int, attribute: float, lean: float, resample: Any, record_property: Any
) -> None:
    """The table of docs/statistics/association.md; 4 worlds x 250 audits with 4 images a prompt."""
    rates = []
    for seed in range(4):
        world = World(rng(100 + seed), prompts=prompts, lean=lean, attribute=attribute)
        if resample == "units":
            world.new_prompts(3000)
            expected = truth(world.images(4))
        else:
            expected = truth(world.images(3000 if prompts < 20 else 1000))
        rates.append(coverage(world, 250, resample=resample, expected=expected))
    score, effect = np.mean(rates, axis=0)
    record_property("score", float(score))  # workers send plain numbers only
    record_property("effect", float(effect))
    print(f"{resample:6} {prompts:3} prompts, attributes {attribute}: S {score:.3f} d {effect:.3f}")
    for rate in (score, effect):
        assert rate >= 0.925
        assert binomial_band(float(rate), 1000).low <= COVERAGE.high
