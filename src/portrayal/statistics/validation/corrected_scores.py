"""Scores from drawn labels in worlds with known truth: diversity, levels, amplification, change."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from portrayal.statistics.amplification_sampling import amplification_from_counts
from portrayal.statistics.change import paired_change
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.diversity import DiversityResult, diversity_score
from portrayal.statistics.drawn_labels import agreeing, combine_p_values
from portrayal.statistics.intervals import Interval
from portrayal.statistics.levels import LevelTest, level_test
from portrayal.statistics.validation.checked import (
    CheckedSetting,
    CountArray,
    IntArray,
    Target,
    WorldAnswer,
    around,
    combined,
    draw_images,
    drawn,
    true_counts,
)

_OCCUPATIONS, _LEVELS, _ATTRIBUTES = 20, 8, 12
_RESAMPLES = 199


def diversity(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Estimate ENTIGEN's score of 12 attributes with 48 images each, in 1 or 4 prompts."""
    means = rng.beta(1.0, 1.0, _ATTRIBUTES)
    prompts = 4 if setting.icc else 1
    levels = np.repeat(np.arange(_ATTRIBUTES), prompts)
    images = draw_images(setting, around(setting, means[levels], rng), 48 // prompts, rng)

    def estimate(counts: CountArray) -> DiversityResult:
        return diversity_score(counts[:, 1], counts[:, 0], levels=levels)

    oracle = estimate(true_counts(images, levels.size)).interval
    labels = drawn(images, levels if prompts > 1 else None, rng).counts(images.prompts)
    found = [estimate(one) for one in labels]
    one = combined(
        [(each.value, each.interval) for each in found],
        plug_in=[each.published for each in found],
    )
    return WorldAnswer(*one, float(np.abs(2 * means - 1).mean()), oracle)


def level_differences(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Estimate Cramér's V of 8 levels with 48 images each, in 1 or 4 prompts, and test it."""
    null = setting.target == "no difference of levels"
    means = np.full(_LEVELS, 0.4) if null else np.linspace(0.2, 0.8, _LEVELS)
    prompts = 4 if setting.icc else 1
    levels = np.repeat(np.arange(_LEVELS), prompts)
    images = draw_images(setting, around(setting, means[levels], rng), 48 // prompts, rng)

    def estimate(counts: CountArray) -> LevelTest:
        found = level_test(counts, levels, by_prompt=prompts > 1, resamples=_RESAMPLES, rng=rng)
        assert found is not None
        return found

    labels = drawn(images, levels if prompts > 1 else None, rng).counts(images.prompts)
    found = [estimate(one) for one in labels]
    one = combined([(each.v, each.interval) for each in found])
    p = combine_p_values([each.p_value for each in found])
    truth = math.sqrt(float(means.var() / (means.mean() * (1 - means.mean()))))
    oracle = estimate(true_counts(images, levels.size)).interval
    return WorldAnswer(one.value, agreeing(one.interval, p, least=0.0), truth, oracle, p)


def _moved(training: FloatArray, target: Target) -> FloatArray:
    """Return the shares of generated images: the same, or a third of the way to one group."""
    if target == "no amplification":
        return training
    return np.where(training > 0.5, training + (1 - training) / 3, training * 2 / 3)


@lru_cache(maxsize=8)
def _amplified(setting: CheckedSetting) -> float:
    """Return the mean amplification over all occupations that might be drawn, in points."""
    rng = np.random.default_rng(0)
    training = rng.beta(1.5, 1.5, 200_000 if setting.other else 2_000_000)
    generated = around(setting, _moved(training, setting.target), rng)
    return float(50 * (np.abs(2 * generated - 1) - np.abs(2 * training - 1)).mean())


def amplification(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Compare 20 occupations: 60 generated images in 1 or 4 prompts, 60 training images."""
    training = rng.beta(1.5, 1.5, _OCCUPATIONS)
    prompts = 4 if setting.icc else 1
    levels: IntArray = np.repeat(np.arange(_OCCUPATIONS), prompts)
    generated = around(setting, _moved(training, setting.target)[levels], rng)
    half = setting.labels // 2
    made = draw_images(setting, generated, 60 // prompts, rng, labels=half)
    real = draw_images(
        setting, training, 60, rng, errors=setting.sides, labels=setting.labels - half
    )
    units: list[FloatArray] = []

    def estimate(one: CountArray, other: CountArray) -> tuple[float, Interval]:
        shaped = one[:, ::-1].reshape(_OCCUPATIONS, prompts, 2)
        found = amplification_from_counts(shaped, other[:, ::-1])
        units.append(found.per_item)
        return found.mean, found.interval

    labels = (
        drawn(made, levels if prompts > 1 else None, rng).counts(made.prompts),
        drawn(real, None, rng).counts(real.prompts),
    )
    found = [estimate(one, other) for one, other in zip(*labels, strict=True)]
    one = combined(found, least=-50, most=50, units=list(units))
    oracle = estimate(true_counts(made, levels.size), true_counts(real, _OCCUPATIONS))[1]
    return WorldAnswer(*one, _amplified(setting), oracle)


def change(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Compare the diversity of 12 attributes, 24 images each before and after, one measurer."""
    before = rng.beta(1.0, 1.0, _ATTRIBUTES)
    even = 0.0 if setting.target == "no change of diversity" else 0.5
    images = draw_images(setting, np.r_[before, 0.5 + (1 - even) * (before - 0.5)], 24, rng)
    units: list[FloatArray] = []

    def estimate(labels: IntArray) -> tuple[float, Interval]:
        sides = labels.reshape(2, _ATTRIBUTES, 24)
        found = paired_change(*sides, rng=rng, resamples=_RESAMPLES).diversity
        units.append(np.array(found.per_attribute))
        return found.value, found.interval

    sides: IntArray = np.repeat([0, 1], _ATTRIBUTES)
    found = [estimate(one) for one in drawn(images, None, rng, groups=sides).labels]
    one = combined(found, least=-1, most=1, units=list(units))
    # Imbalances of uniform shares are one half on average.
    return WorldAnswer(*one, -even / 2, estimate(images.truth)[1])
