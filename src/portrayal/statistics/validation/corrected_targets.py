"""Distances from a target and largest shares from drawn labels, of an axis and of two together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from portrayal.statistics.cells import cell_shares
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.drawn_targets import drawn_target_distance
from portrayal.statistics.intervals import Interval
from portrayal.statistics.joint_labels import AxisLabels, draw_joint_labels
from portrayal.statistics.label_errors import NOT_ASKED
from portrayal.statistics.shares import prompts_share_interval
from portrayal.statistics.targets import target_distance
from portrayal.statistics.validation.checked import (
    CheckedSetting,
    CountArray,
    IntArray,
    WorldAnswer,
    around,
    combined,
    draw_images,
    drawn,
    true_counts,
    with_errors,
)
from portrayal.statistics.validation.worlds import prompt_shares

_PROMPTS = 30
_TIED = np.array([0.4, 0.1, 0.2, 0.3])
"""Cells of two axes that have to do with each other: each axis alone is nearer to the target."""


class _Counted(NamedTuple):
    """Images by prompt and group or cell: per set of drawn labels, and in truth."""

    drawn: CountArray
    truth: CountArray


def _per_prompt(setting: CheckedSetting) -> int:
    """Return how many images: ten without a label for each with one."""
    return round(11 * setting.labels / _PROMPTS)


def _axis(setting: CheckedSetting, share: float, rng: np.random.Generator) -> _Counted:
    """Draw images of one axis with two groups, and their labels."""
    shares = around(setting, np.full(_PROMPTS, share), rng)
    images = draw_images(setting, shares, _per_prompt(setting), rng)
    return _Counted(drawn(images, None, rng).counts(images.prompts), true_counts(images, _PROMPTS))


def _cells(setting: CheckedSetting, shares: FloatArray, rng: np.random.Generator) -> _Counted:
    """Draw images of two axes with two groups each; people say both of the images they label."""
    each = np.repeat(
        prompt_shares(shares, _PROMPTS, setting.icc, rng), _per_prompt(setting), axis=0
    )
    prompts = np.repeat(np.arange(_PROMPTS), _per_prompt(setting))
    cell = (np.cumsum(each, axis=1)[:, :-1] < rng.random((prompts.size, 1))).sum(axis=1)
    asked = rng.choice(prompts.size, setting.labels, replace=False)
    axes = []
    for truth in np.divmod(cell, 2):
        given = np.full(truth.size, NOT_ASKED)
        given[asked] = truth[asked]
        axes.append(AxisLabels(with_errors(truth, setting.errors, rng), given, 2))
    first, second = draw_joint_labels(axes, prompts, rng=rng)
    return _Counted(
        np.stack([_counted(one, prompts) for one in 2 * first + second]), _counted(cell, prompts)
    )


def _counted(cell: IntArray, prompts: IntArray) -> CountArray:
    found = np.bincount(prompts * 4 + cell, minlength=4 * _PROMPTS)
    return found.reshape(_PROMPTS, 4).astype(np.int64)


def distance(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Estimate how far two groups, or the four cells of two axes, lie from an even split."""
    near, cells = setting.target.startswith("no "), setting.target.endswith("cells")
    shares = np.full(4, 0.25) if near else _TIED
    if not cells:
        shares = np.array([0.5, 0.5] if near else [0.3, 0.7])
    counts = _cells(setting, shares, rng) if cells else _axis(setting, float(shares[1]), rng)
    even = np.full(shares.size, 1 / shares.size)

    by_prompt = setting.icc > 0
    found = drawn_target_distance(counts.drawn, even, by_prompt=by_prompt, rng=rng)
    oracle = target_distance(counts.truth, even, by_prompt=by_prompt, rng=rng)
    assert found is not None
    assert oracle is not None
    truth = float(np.abs(shares - even).sum() / 2)
    return WorldAnswer(found.value, found.interval, truth, oracle.interval, found.p_value)


def largest_share(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Estimate the share of the larger one of two groups."""
    share = float(rng.choice([0.3, 0.5, 0.7]))
    counts = _axis(setting, share, rng)

    def estimate(one: CountArray) -> tuple[float, Interval]:
        top = int(one.sum(axis=0).argmax())
        hits, totals = one[:, top], one.sum(axis=1)
        bounds = prompts_share_interval(hits, totals, clustered=setting.icc > 0)
        return float(hits.sum() / totals.sum()), bounds

    one = combined([estimate(each) for each in counts.drawn])
    return WorldAnswer(*one, max(share, 1 - share), estimate(counts.truth)[1])


def largest_cell(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Estimate the share of the largest one of the four cells of two axes."""
    counts = _cells(setting, _TIED, rng)

    def estimate(one: CountArray) -> tuple[float, Interval]:
        found = cell_shares(one.reshape(-1, 2, 2), by_prompt=setting.icc > 0)
        assert found is not None
        top = np.unravel_index(int(found.shares.argmax()), found.shares.shape)
        bounds = Interval(float(found.intervals.low[top]), float(found.intervals.high[top]))
        return float(found.shares[top]), bounds

    one = combined([estimate(each) for each in counts.drawn])
    return WorldAnswer(*one, float(_TIED.max()), estimate(counts.truth)[1])
