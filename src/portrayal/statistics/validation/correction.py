"""Worlds in which a measurer errs and people label a few images: corrected estimates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from portrayal.statistics.intervals import Interval, share_interval
from portrayal.statistics.label_errors import NOT_ASKED
from portrayal.statistics.prediction_powered import (
    CheckedSample,
    prediction_powered_difference,
    prediction_powered_share,
)
from portrayal.statistics.shares import prompts_share_interval
from portrayal.statistics.validation import corrected_scores as scores
from portrayal.statistics.validation import corrected_targets as targets
from portrayal.statistics.validation.checked import (
    CheckedImages,
    CheckedSetting,
    CountArray,
    ErrorRates,
    Target,
    WorldAnswer,
    around,
    combined,
    draw_images,
    drawn,
    true_counts,
)
from portrayal.statistics.validation.worlds import BOUNDARY, Told

_RIGHT = ErrorRates(0.1, 0.1)
_PROMPTS = 30
_BOUNDED_NULL = ("no difference of levels", "no distance", "no distance of cells")
_NULL = ("no change of diversity", *_BOUNDED_NULL)
_OF_CELLS = ("distance of cells", "no distance of cells", "largest cell")


@dataclass(frozen=True, slots=True)
class CheckedWorld(CheckedSetting):
    """A setting of which worlds can be drawn."""

    worlds: int = 1000

    @property
    def estimator(self) -> str:
        """The function that corrects."""
        if self.target == "difference":
            return "prediction_powered_difference"
        if self.target in _OF_CELLS:
            return "draw_joint_labels"
        powered = self.target in ("share", "rare share", "bias")
        return "prediction_powered_share" if powered else "draw_labels"

    @property
    def null(self) -> bool:
        """Whether there is nothing to find."""
        return self.target in _NULL or (self.target == "no amplification" and self.icc == 0)

    @property
    def reason(self) -> str:
        """No V or distance is below 0, and no ICC: one prompt of many alike is told by others."""
        alike = self.target == "one prompt" and self.icc == 0
        return BOUNDARY if alike or self.target in _BOUNDED_NULL else ""

    def told(self, rng: np.random.Generator) -> Told:
        """Draw images and labels; where there is no p, it is 0 if the interval leaves out 0."""
        found = _ANSWERS[self.target](self, rng)
        low, high = found.interval
        p = math.nan if found.p is None else found.p
        if self.null and found.p is None:
            p = float(low <= 0 <= high)
        width = found.oracle.high - found.oracle.low
        return Told(found.value, low, high, found.truth, p, width)

    @property
    def setting(self) -> str:
        """The world in a few words."""
        errors = f"errors {self.errors.first:.0%} / {self.errors.second:.0%}"
        if self.sides is not None:
            where = "other side" if self.target == "difference" else "training"
            errors += f", {where} {self.sides.first:.0%} / {self.sides.second:.0%}"
        spread = f"ICC {self.icc}" if self.icc else "independent"
        more = ", drawn by answer" if self.by_answer else ""
        more += ", errors differ by prompt" if self.other else ""
        return f"{self.target}, {errors}, {self.labels} labels, {spread}{more}"


def settings() -> list[CheckedWorld]:
    """Return all worlds of this family, those of the estimates that are most often read first."""
    worse, better = ErrorRates(0.3, 0.1), ErrorRates(0.2, 0.05)
    even, poor = ErrorRates(0.05, 0.05), ErrorRates(0.2, 0.2)
    sizes = [(labels, icc) for labels in (60, 200) for icc in (0.0, 0.3)]

    def of_one_side(*targets: Target) -> list[CheckedWorld]:
        return [
            CheckedWorld(target, errors, *size)
            for target in targets for errors in (worse, better) for size in sizes
        ]  # fmt: skip

    # Right 90 % of the time, ten images without a label for each with one: labels alone as oracle.
    found = [CheckedWorld("share", _RIGHT, labels, 0.0) for labels in (60, 200)]
    found += of_one_side("share", "bias", "diversity")
    for target in ("no amplification", "amplification"):
        for errors, sides in ((worse, None), (even, poor)):
            found += [CheckedWorld(target, errors, *size, sides) for size in sizes]
    found += [CheckedWorld("difference", even, *size, poor) for size in sizes]
    found += of_one_side("share by draws", "one prompt", "levels", "no difference of levels")
    found += [CheckedWorld("share by draws", worse, *size, by_answer=True) for size in sizes]
    found += [CheckedWorld("share of rare group", worse, *size) for size in sizes]
    found += [
        CheckedWorld(target, worse, labels, 0.0)
        for target in ("change of diversity", "no change of diversity") for labels in (60, 200)
    ]  # fmt: skip
    others: tuple[Target, ...] = ("share", "share by draws", "diversity", "amplification")
    found += [
        CheckedWorld(target, worse, labels, 0.3, other=True)
        for target in others for labels in (60, 200)
    ]  # fmt: skip
    found += [
        CheckedWorld("rare share", errors, *size) for errors in (worse, even) for size in sizes
    ]
    found += of_one_side("no distance", "distance", "largest share")
    found += of_one_side("no distance of cells", "distance of cells", "largest cell")
    return found


def _share_world(setting: CheckedSetting, rng: np.random.Generator) -> tuple[float, CheckedImages]:
    """Return a share and its images: 30 prompts, ten images without a label for each with one."""
    known: dict[Target, float] = {"rare share": 0.05, "share of rare group": 0.1}
    share = known.get(setting.target) or float(rng.choice([0.3, 0.5, 0.7]))
    per = round(11 * setting.labels / _PROMPTS)
    return share, draw_images(setting, around(setting, np.full(_PROMPTS, share), rng), per, rng)


def _sample(images: CheckedImages, *, clustered: bool, first: int = 0) -> CheckedSample:
    labels = np.where(images.labels != NOT_ASKED, images.labels, np.nan)
    clusters = images.prompts + first if clustered else None
    return CheckedSample.of(images.predicted, labels, clusters=clusters)


def _oracle(images: CheckedImages, *, clustered: bool) -> Interval:
    if not clustered:
        return share_interval(int(images.truth.sum()), images.truth.size)
    hits = np.bincount(images.prompts, weights=images.truth)
    return prompts_share_interval(hits, np.bincount(images.prompts))


def _clustered(setting: CheckedSetting) -> bool:
    return setting.icc > 0 or setting.other


def _share(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    share, images = _share_world(setting, rng)
    clustered = _clustered(setting)
    found = prediction_powered_share(_sample(images, clustered=clustered))
    oracle = _oracle(images, clustered=clustered)
    if setting.errors == _RIGHT:
        hits = images.truth[images.labels != NOT_ASKED]
        oracle = share_interval(int(hits.sum()), hits.size)
    return WorldAnswer(found.value, found.interval, share, oracle)


def _bias(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    found = _share(setting, rng)
    low, high = (Interval(2 * x.low - 1, 2 * x.high - 1) for x in (found.interval, found.oracle))
    return WorldAnswer(2 * found.value - 1, low, 2 * found.truth - 1, high)


def _difference(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Compare two sides of 30 prompts each, with half of the labels and other errors."""
    half, clustered = setting.labels // 2, _clustered(setting)
    shares = rng.choice([0.3, 0.5, 0.7], 2)
    sides = [
        draw_images(
            setting, around(setting, np.full(_PROMPTS, share), rng),
            round(11 * half / _PROMPTS), rng, errors=errors, labels=half,
        )
        for share, errors in zip(shares, (setting.errors, setting.sides), strict=True)
    ]  # fmt: skip
    samples = [_sample(one, clustered=clustered, first=i * 100) for i, one in enumerate(sides)]
    found = prediction_powered_difference(*samples)
    ends = [_oracle(one, clustered=clustered) for one in sides]
    reach = math.hypot(*(one.high - one.low for one in ends)) / 2
    truth = float(shares[0] - shares[1])
    return WorldAnswer(found.value, found.interval, truth, Interval(-reach, reach))


def _share_by_draws(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    share, images = _share_world(setting, rng)

    def estimate(counts: CountArray) -> tuple[float, Interval]:
        first, total = counts[:, 1], counts.sum(axis=1)
        bounds = prompts_share_interval(first, total, clustered=setting.icc > 0)
        return float(first.sum() / total.sum()), bounds

    true = true_counts(images, _PROMPTS)
    found = [estimate(one) for one in drawn(images, None, rng).counts(images.prompts)]
    return WorldAnswer(*combined(found), share, estimate(true)[1])


def _one_prompt(setting: CheckedSetting, rng: np.random.Generator) -> WorldAnswer:
    """Estimate one prompt of 30, few or none of whose images have a label: its own images."""
    shares = around(setting, np.full(_PROMPTS, 0.35), rng)
    images = draw_images(setting, shares, 60, rng)
    mine = images.prompts == 0
    counts = drawn(images, None, rng).counts(images.prompts)[:, 0]
    found = [(k[1] / k.sum(), share_interval(int(k[1]), int(k.sum()))) for k in counts]
    oracle = share_interval(int(images.truth[mine].sum()), int(mine.sum()))
    return WorldAnswer(*combined(found), float(shares[0]), oracle)


_ANSWERS: dict[Target, Callable[[CheckedSetting, np.random.Generator], WorldAnswer]] = {
    "share": _share,
    "rare share": _share,
    "bias": _bias,
    "difference": _difference,
    "share by draws": _share_by_draws,
    "share of rare group": _share_by_draws,
    "one prompt": _one_prompt,
    "diversity": scores.diversity,
    "levels": scores.level_differences,
    "no difference of levels": scores.level_differences,
    "amplification": scores.amplification,
    "no amplification": scores.amplification,
    "change of diversity": scores.change,
    "no change of diversity": scores.change,
    "distance": targets.distance,
    "no distance": targets.distance,
    "distance of cells": targets.distance,
    "no distance of cells": targets.distance,
    "largest share": targets.largest_share,
    "largest cell": targets.largest_cell,
}
