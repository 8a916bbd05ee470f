from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from embeddings import A, Array, B, World, flat, leaning, pair
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics import Embeddings, cohen_size_word, multi_association, single_association


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def side(images: dict[str, Any]) -> dict[str, Any]:
    """Take X's images of a world as arguments of single_association."""
    return pair(**flat(images))[0]._asdict()


# Validation


def test_bad_input_is_refused() -> None:
    with pytest.raises(StatisticsError, match="images is empty"):
        single_association(np.zeros((0, 2)), A, B)
    with pytest.raises(StatisticsError, match="different widths"):
        single_association(np.ones((2, 3)), A, B)
    with pytest.raises(StatisticsError, match="resample is 'all'"):
        single_association(A, A, B, resample="all")  # type: ignore[arg-type]
    with pytest.raises(StatisticsError, match="two attributes or more"):
        multi_association(A, {"a": A}, rng=rng())
    with pytest.raises(StatisticsError, match=r"attributes\['b'\] holds 1 zero vector"):
        multi_association(A, {"a": A, "b": [[0, 0]]}, rng=rng())


# Known answer


def test_with_fixed_attributes_it_is_a_one_sample_t_test() -> None:
    """Attribute images that do not vary leave the sampling of images: Student's t on unit means."""
    scores = rng(1).normal(0.1, 0.2, (7, 3))
    a, b = np.repeat(A, 2, axis=0), np.repeat(B, 2, axis=0)
    result = single_association(
        Embeddings(leaning(scores.ravel()), np.repeat(np.arange(7), 3)), a, b
    )
    reference = stats.ttest_1samp(scores.mean(axis=1), 0.0)
    assert result.score == pytest.approx(scores.mean())
    assert result.p_value == pytest.approx(reference.pvalue)
    assert result.interval == pytest.approx(tuple(reference.confidence_interval()))
    assert (result.n, result.n_units, result.n_a, result.n_b) == (21, 7, 2, 2)


def degrees(variances: Array, freedom: float) -> float:
    """Satterthwaite's degrees of freedom, with what is added for several strata."""
    shares = variances / variances.sum()
    added = max(2 - 4 * (shares**2).sum(), -1.0)
    return float(1 / (shares**2 / (freedom + added)).sum() - added)


def test_given_prompts_the_spread_between_them_does_not_count() -> None:
    """Stratified standard error by hand: sqrt(sum of s_j^2 / n) / number of prompts."""
    scores = np.array([[0.5, 0.6, 0.7], [-0.5, -0.3, -0.1]])
    a, b = np.repeat(A, 2, axis=0), np.repeat(B, 2, axis=0)
    result = single_association(
        Embeddings(leaning(scores.ravel()), [1, 1, 1, 2, 2, 2]), a, b, resample="images"
    )
    variances = scores.var(axis=1, ddof=1) / 3
    error = math.sqrt(variances.sum()) / 2
    freedom = degrees(variances, 2)
    half = stats.t.ppf(0.975, freedom) * error
    assert result.interval == pytest.approx((result.score - half, result.score + half))


def test_variance_by_hand_when_images_and_attributes_vary() -> None:
    """d' V(x) d + x' V(d) x - trace(V(x) V(d)), with V from numpy's covariances."""
    source = rng(9)
    rows = {name: source.normal(size=(8, 5)) + 0.3 for name in ("images", "a", "b")}
    unit = {name: v / np.linalg.norm(v, axis=1, keepdims=True) for name, v in rows.items()}
    mean = {name: v.mean(axis=0) for name, v in unit.items()}
    spread = {name: np.cov(v.T) / 8 for name, v in unit.items()}
    direction, of_direction = mean["a"] - mean["b"], spread["a"] + spread["b"]
    parts = [
        direction @ spread["images"] @ direction,
        *(mean["images"] @ spread[name] @ mean["images"] for name in ("a", "b")),
    ]
    twice = np.trace(spread["images"] @ of_direction)
    freedom = degrees(np.array(parts), 7)
    quantile = stats.t.ppf(0.975, freedom)
    result = single_association(**rows, resample="images")
    expected = quantile * math.sqrt(max(sum(parts) - twice, sum(parts) / 2))
    assert np.diff(result.interval)[0] / 2 == pytest.approx(expected)
    result = single_association(**rows)
    assert np.diff(result.interval)[0] / 2 == pytest.approx(quantile * math.sqrt(sum(parts)))


def test_common_quantile_is_that_of_a_multivariate_t() -> None:
    """Attribute images that do not vary leave four units: three correlated t with three degrees."""
    source = rng(10)
    images = source.normal(size=(4, 6)) + 1
    parts = {name: np.repeat(source.normal(size=(1, 6)), 2, axis=0) for name in "pqr"}
    result = multi_association(images, parts, resamples=200_000, rng=rng())
    unit = images / np.linalg.norm(images, axis=1, keepdims=True)
    means = np.array([v[0] / np.linalg.norm(v[0]) for v in parts.values()])
    scores = unit @ (means - means.mean(axis=0)).T
    errors = scores.std(axis=0, ddof=1) / 2
    quantile = np.mean([np.diff(interval)[0] / 2 for interval in result.intervals] / errors)
    draws = stats.multivariate_t.rvs(
        shape=np.corrcoef(scores.T), df=3, size=200_000, random_state=rng(1)
    )
    inside = (np.abs(draws) <= quantile).all(axis=1).mean()
    assert inside == pytest.approx(0.95, abs=0.004)


def test_centred_scores_are_cosines_less_their_mean() -> None:
    cosines = [1.0, 0.0, -1.0]
    parts = {"along": [[2, 0], [1, 0]], "across": [[0, 1], [0, 1]], "against": [[-1, 0], [-1, 0]]}
    result = multi_association([[3, 0], [1, 0]], parts, rng=rng())
    np.testing.assert_allclose(result.scores, np.array(cosines), atol=1e-12)
    assert result.names == ("along", "across", "against")
    assert result.n_attributes == (2, 2, 2)


@pytest.mark.parametrize(
    ("d", "word"),
    [(0.0, "negligible"), (-0.19, "negligible"), (0.2, "small"), (-0.5, "medium"), (0.79, "medium"),
     (0.8, "large"), (-1.237, "large"), (math.nan, "unknown")],
)  # fmt: skip
def test_cohen_words(d: float, word: str) -> None:
    assert cohen_size_word(d) == word


# Invariants


@pytest.mark.parametrize("resample", ["units", "images"])
def test_swapping_attributes_flips_the_sign(resample: Any) -> None:
    given = side(World(rng(2), prompts=5, lean=0.2).images(3))
    result = single_association(**given, resample=resample)
    swapped = {**given, "a": given["b"], "b": given["a"]}
    other = single_association(**swapped, resample=resample)
    assert other.score == pytest.approx(-result.score)
    assert other.interval == pytest.approx((-result.interval.high, -result.interval.low))
    assert other.p_value == pytest.approx(result.p_value)


def test_two_attributes_are_half_a_single_association() -> None:
    given = side(World(rng(3), prompts=8, lean=0.2).images(3))
    single = single_association(**given)
    multi = multi_association(
        given["images"],
        {"a": given["a"], "b": given["b"]},
        resamples=50_000,
        rng=rng(),
    )
    np.testing.assert_allclose(multi.scores, [single.score / 2, -single.score / 2])
    # Two scores that mirror each other are one: the common quantile is nearly that of one interval.
    assert multi.intervals[0] == pytest.approx(
        (single.interval.low / 2, single.interval.high / 2), rel=0.05
    )


def test_scores_sum_to_zero_and_follow_their_attributes() -> None:
    source = rng(4)
    parts = {name: source.normal(size=(5, 6)) for name in "pqrs"}
    images = source.normal(size=(9, 6))
    result = multi_association(images, parts, rng=rng())
    turned = multi_association(images, dict(reversed(parts.items())), rng=rng())
    assert result.scores.sum() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(turned.scores[::-1], result.scores)


def test_common_intervals_are_wider_than_single_ones() -> None:
    source = rng(5)
    parts = {name: source.normal(size=(40, 6)) + 1 for name in "pqrst"}
    images = source.normal(size=(40, 6)) + 1
    common = multi_association(images, parts, rng=rng())
    halves = [(interval.high - interval.low) / 2 for interval in common.intervals]
    directions = {k: v / np.linalg.norm(v, axis=1, keepdims=True) for k, v in parts.items()}
    unit = images / np.linalg.norm(images, axis=1, keepdims=True)
    means = np.array([rows.mean(axis=0) for rows in directions.values()])
    weights = np.eye(5) - 0.2
    for k in range(5):
        own = (unit @ (means[k] - means.mean(axis=0))).var(ddof=1) / 40
        others = sum(
            weights[k, j] ** 2 * (rows @ unit.mean(axis=0)).var(ddof=1) / 40
            for j, rows in enumerate(directions.values())
        )
        ratio = halves[k] / math.sqrt(own + others)
        assert 2.3 < ratio < 2.8  # single 1.97; Bonferroni for five 2.6; Scheffe 3.1


# Degenerate input


def test_one_image_has_a_score_and_no_interval() -> None:
    result = single_association(A, A, B)
    assert result.score == pytest.approx(1.0)
    assert all(math.isnan(value) for value in (*result.interval, result.p_value))
    several = multi_association(A, {"a": A, "b": B, "c": -A}, rng=rng())
    assert all(math.isnan(value) for interval in several.intervals for value in interval)


def test_images_that_do_not_vary_have_an_interval_of_no_width() -> None:
    a, b = np.repeat(A, 2, axis=0), np.repeat(B, 2, axis=0)
    result = single_association(a, a, b)
    assert result.interval == (1.0, 1.0)
    assert result.p_value == 0.0
    assert multi_association(a, {"a": a, "b": b}, rng=rng()).intervals[0] == (0.5, 0.5)


# Calibration


@pytest.mark.slow
@pytest.mark.parametrize("resample", ["units", "images"])
@pytest.mark.parametrize("prompts", [4, 9, 25])
def test_intervals_hold_together(resample: Any, prompts: int) -> None:
    """Five attributes, 4 images per prompt; with 4 random prompts the intervals are a bit short."""
    world = World(rng(6), prompts=prompts, lean=0.0)
    source = world.rng
    shifts = 0.2 * world.scatter(5)
    together, singly, trials = 0, 0, 1000

    def new_prompts(count: int) -> list[Any]:
        stimuli = world.base + world.between * world.scatter(count)
        wordings = [stimuli + shift + 0.2 * world.scatter(count) for shift in shifts]
        return [stimuli, *wordings]

    def images(means: list[Any], per_prompt: int) -> list[Any]:
        drawn = [m[:, None] + world.within * world.scatter(len(m), per_prompt) for m in means]
        return [rows / np.linalg.norm(rows, axis=-1, keepdims=True) for rows in drawn]

    means = new_prompts(prompts)
    large = images(new_prompts(4000), 3) if resample == "units" else images(means, 3000)
    centres = np.array([rows.mean(axis=(0, 1)) for rows in large])
    expected = (centres[1:] - centres[1:].mean(axis=0)) @ centres[0]
    units = np.repeat(np.arange(prompts), 4)
    for _ in range(trials):
        if resample == "units":
            means = new_prompts(prompts)
        rows = [Embeddings(part.reshape(-1, world.width), units) for part in images(means, 4)]
        result = multi_association(
            rows[0],
            dict(zip("pqrst", rows[1:], strict=True)),
            resample=resample,
            resamples=999,
            rng=source,
        )
        inside = [
            low <= value <= high
            for (low, high), value in zip(result.intervals, expected, strict=True)
        ]
        together += all(inside)
        singly += inside[0]
    print(f"{resample} {prompts} prompts: together {together / trials}, singly {singly / trials}")
    assert (0.91 if prompts == 4 else 0.93) <= together / trials <= 0.98
