"""Worlds in which a measurer errs and people label a few images: corrected estimates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.amplification_sampling import amplification_from_counts
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.diversity import diversity_score
from portrayal.statistics.drawn_labels import combine_draws
from portrayal.statistics.intervals import Interval, share_interval
from portrayal.statistics.label_errors import NOT_ASKED, LabelDraws, draw_labels
from portrayal.statistics.prediction_powered import CheckedSample, prediction_powered_share
from portrayal.statistics.shares import prompts_share_interval
from portrayal.statistics.validation.worlds import Told

IntArray = NDArray[np.intp]
CountArray = NDArray[np.int64]
Target = Literal["share", "share of rare group", "bias", "share by draws", "one prompt",
                 "diversity", "amplification", "no amplification"]  # fmt: skip


class ErrorRates(NamedTuple):
    """How often the measurer takes the first group for the second, and the second for the first."""

    first: float
    second: float


@dataclass(frozen=True, slots=True)
class CheckedWorld:
    """Images of which `labels` have a human label; the measurer errs at `errors`.

    `sides` are the errors on training images, where they are others.
    """

    target: Target
    errors: ErrorRates
    labels: int
    icc: float
    sides: ErrorRates | None = None
    by_answer: bool = False
    worlds: int = 1000
    reason: str = ""

    @property
    def estimator(self) -> str:
        """The function that corrects."""
        drawn = self.target not in ("share", "bias")
        return "draw_labels" if drawn else "prediction_powered_share"

    @property
    def null(self) -> bool:
        """Whether there is nothing to find."""
        return self.target == "no amplification" and self.icc == 0

    def told(self, rng: np.random.Generator) -> Told:
        """Draw images and labels; p is 0 where the interval leaves out 0, else 1."""
        found = _ANSWERS[self.target](self, rng)
        low, high = found.interval
        p = float(low <= 0 <= high) if self.null else math.nan
        width = found.oracle.high - found.oracle.low
        return Told(found.value, low, high, found.truth, p, width)

    @property
    def setting(self) -> str:
        """The world in a few words."""
        errors = f"errors {self.errors.first:.0%} / {self.errors.second:.0%}"
        if self.sides is not None:
            errors += f", training {self.sides.first:.0%} / {self.sides.second:.0%}"
        spread = f"ICC {self.icc}" if self.icc else "independent"
        drawn = ", drawn by answer" if self.by_answer else ""
        return f"{self.target}, {errors}, {self.labels} labels, {spread}{drawn}"


class WorldAnswer(NamedTuple):
    """What one world gave: an estimate, its interval, the truth, and the oracle's interval."""

    value: float
    interval: Interval
    truth: float
    oracle: Interval


def settings() -> list[CheckedWorld]:
    """Return all worlds of this family."""
    by_group = [ErrorRates(0.3, 0.1), ErrorRates(0.2, 0.05)]
    sizes = [(labels, icc) for labels in (60, 200) for icc in (0.0, 0.3)]
    found = [
        CheckedWorld(target, errors, labels, icc)
        for target in ("share", "bias", "share by draws", "one prompt", "diversity")
        for errors in by_group
        for labels, icc in sizes
    ]
    found += [
        CheckedWorld("share by draws", ErrorRates(0.3, 0.1), labels, icc, by_answer=True)
        for labels, icc in sizes
    ]
    found += [
        CheckedWorld("share of rare group", ErrorRates(0.3, 0.1), labels, icc)
        for labels, icc in sizes
    ]
    even, poor = ErrorRates(0.05, 0.05), ErrorRates(0.2, 0.2)
    for target in ("amplification", "no amplification"):
        for errors, sides in ((ErrorRates(0.3, 0.1), None), (even, poor)):
            found += [CheckedWorld(target, errors, n, icc, sides) for n, icc in sizes]
    # Right 90 % of the time, ten images without a label for each with one: labels alone as oracle.
    right = ErrorRates(0.1, 0.1)
    return [*found, *(CheckedWorld("share", right, labels, 0.0) for labels in (60, 200))]


class _Images(NamedTuple):
    """Images of one side: 1 is the first group; codes of prompts; labels, or -1."""

    truth: IntArray
    predicted: IntArray
    prompts: IntArray
    labels: IntArray


def _images(
    shares: FloatArray, per_prompt: int, errors: ErrorRates, labels: int, *,
    by_answer: bool = False, rng: np.random.Generator,
) -> _Images:  # fmt: skip
    truth = (rng.random((shares.size, per_prompt)) < shares[:, None]).astype(np.intp).ravel()
    wrong = rng.random(truth.size) < np.where(truth == 1, errors.first, errors.second)
    predicted = np.where(wrong, 1 - truth, truth)
    asked = rng.choice(truth.size, labels, replace=False)
    if by_answer:
        parts = [np.flatnonzero(predicted == answer) for answer in (0, 1)]
        asked = np.concatenate(
            [rng.choice(one, min(labels // 2, one.size), replace=False) for one in parts]
        )
    given = np.full(truth.size, NOT_ASKED)
    given[asked] = truth[asked]
    return _Images(truth, predicted, np.repeat(np.arange(shares.size), per_prompt), given)


def _around(means: FloatArray, icc: float, rng: np.random.Generator) -> FloatArray:
    if icc == 0:
        return means
    size = (1 - icc) / icc
    return rng.beta(np.maximum(means * size, 1e-9), np.maximum((1 - means) * size, 1e-9))


def _share_world(world: CheckedWorld, rng: np.random.Generator) -> tuple[float, _Images]:
    """Return a share and its images: 30 prompts, ten images without a label for each with one."""
    share = 0.1 if "rare" in world.target else float(rng.choice([0.3, 0.5, 0.7]))
    per = round(11 * world.labels / 30)
    shares = _around(np.full(30, share), world.icc, rng)
    by = world.by_answer
    return share, _images(shares, per, world.errors, world.labels, by_answer=by, rng=rng)


def _share(world: CheckedWorld, rng: np.random.Generator) -> WorldAnswer:
    share, images = _share_world(world, rng)
    asked = images.labels != NOT_ASKED
    labels = np.where(asked, images.labels, np.nan)
    sample = CheckedSample.of(
        images.predicted, labels, clusters=images.prompts if world.icc else None
    )
    found = prediction_powered_share(sample)
    right = world.errors == ErrorRates(0.1, 0.1)
    hits = images.truth[asked] if right else images.truth
    oracle = share_interval(int(hits.sum()), hits.size)
    if world.icc:
        hits = np.bincount(images.prompts, weights=images.truth)
        oracle = prompts_share_interval(hits, np.bincount(images.prompts))
    return WorldAnswer(found.value, found.interval, share, oracle)


def _bias(world: CheckedWorld, rng: np.random.Generator) -> WorldAnswer:
    found = _share(world, rng)
    low, high = (Interval(2 * x.low - 1, 2 * x.high - 1) for x in (found.interval, found.oracle))
    return WorldAnswer(2 * found.value - 1, low, 2 * found.truth - 1, high)


def _draws(images: _Images, levels: IntArray | None, rng: np.random.Generator) -> LabelDraws:
    return draw_labels(
        images.predicted, images.labels, images.prompts, answers=2, levels=levels, rng=rng
    )


def _true_counts(images: _Images, prompts: int) -> CountArray:
    sides = [np.bincount(images.prompts[images.truth == k], minlength=prompts) for k in (0, 1)]
    return np.stack(sides, axis=1).astype(np.int64)


def _combined(
    found: list[tuple[float, Interval]], *, least: float = 0.0, most: float = 1.0
) -> tuple[float, Interval]:
    lows, highs = ([one[i] for _, one in found] for i in (0, 1))
    values = [value for value, _ in found]
    one = combine_draws(values, lows, highs, within=(least, most))
    return one.value, one.interval


def _share_by_draws(world: CheckedWorld, rng: np.random.Generator) -> WorldAnswer:
    share, images = _share_world(world, rng)

    def estimate(counts: CountArray) -> tuple[float, Interval]:
        first, total = counts[:, 1], counts.sum(axis=1)
        bounds = prompts_share_interval(first, total, clustered=world.icc > 0)
        return float(first.sum() / total.sum()), bounds

    true = _true_counts(images, 30)
    found = [estimate(one) for one in _draws(images, None, rng).counts(images.prompts)]
    return WorldAnswer(*_combined(found), share, estimate(true)[1])


def _one_prompt(world: CheckedWorld, rng: np.random.Generator) -> WorldAnswer:
    """Estimate one prompt of 30, few or none of whose images have a label: its own images."""
    share = 0.35
    shares = _around(np.full(30, share), world.icc, rng)
    images = _images(shares, 60, world.errors, world.labels, rng=rng)
    mine = images.prompts == 0
    counts = _draws(images, None, rng).counts(images.prompts)[:, 0]
    found = [(k[1] / k.sum(), share_interval(int(k[1]), int(k.sum()))) for k in counts]
    oracle = share_interval(int(images.truth[mine].sum()), int(mine.sum()))
    return WorldAnswer(*_combined(found), float(shares[0]), oracle)


def _diversity(world: CheckedWorld, rng: np.random.Generator) -> WorldAnswer:
    """Estimate ENTIGEN's score of 12 attributes with 48 images each, in 1 or 4 prompts."""
    means = rng.beta(1.0, 1.0, 12)
    prompts = 4 if world.icc else 1
    levels = np.repeat(np.arange(12), prompts)
    shares = _around(means[levels], world.icc, rng)
    images = _images(shares, 48 // prompts, world.errors, world.labels, rng=rng)

    def estimate(counts: CountArray) -> tuple[float, Interval]:
        found = diversity_score(counts[:, 1], counts[:, 0], levels=levels)
        return found.value, found.interval

    true = _true_counts(images, levels.size)
    drawn = _draws(images, levels if prompts > 1 else None, rng).counts(images.prompts)
    found = [estimate(one) for one in drawn]
    return WorldAnswer(*_combined(found), float(np.abs(2 * means - 1).mean()), estimate(true)[1])


_OCCUPATIONS = 20


def _moved(training: FloatArray, target: Target) -> FloatArray:
    """Return the shares of generated images: the same, or a third of the way to one group."""
    if target == "no amplification":
        return training
    return np.where(training > 0.5, training + (1 - training) / 3, training * 2 / 3)


@lru_cache(maxsize=8)
def _amplified(target: Target, icc: float) -> float:
    """Return the mean amplification over all occupations that might be drawn, in points."""
    rng = np.random.default_rng(0)
    training = rng.beta(1.5, 1.5, 2_000_000)
    generated = _around(_moved(training, target), icc, rng)
    return float(50 * (np.abs(2 * generated - 1) - np.abs(2 * training - 1)).mean())


def _amplification(world: CheckedWorld, rng: np.random.Generator) -> WorldAnswer:
    """Compare 20 occupations: 60 generated images in 1 or 4 prompts, 60 training images."""
    training = rng.beta(1.5, 1.5, _OCCUPATIONS)
    prompts = 4 if world.icc else 1
    levels = np.repeat(np.arange(_OCCUPATIONS), prompts)
    generated = _around(_moved(training, world.target)[levels], world.icc, rng)
    half = world.labels // 2
    made = _images(generated, 60 // prompts, world.errors, half, rng=rng)
    real = _images(training, 60, world.sides or world.errors, world.labels - half, rng=rng)

    def estimate(one: CountArray, other: CountArray) -> tuple[float, Interval]:
        shaped = one[:, ::-1].reshape(_OCCUPATIONS, prompts, 2)
        found = amplification_from_counts(shaped, other[:, ::-1])
        return found.mean, found.interval

    true = [_true_counts(side, size) for side, size in ((made, levels.size), (real, _OCCUPATIONS))]
    drawn = (
        _draws(made, levels if prompts > 1 else None, rng).counts(made.prompts),
        _draws(real, None, rng).counts(real.prompts),
    )
    found = [estimate(one, other) for one, other in zip(*drawn, strict=True)]
    truth = _amplified(world.target, world.icc)
    return WorldAnswer(*_combined(found, least=-50, most=50), truth, estimate(*true)[1])


_ANSWERS: dict[Target, Callable[[CheckedWorld, np.random.Generator], WorldAnswer]] = {
    "share": _share,
    "bias": _bias,
    "share by draws": _share_by_draws,
    "share of rare group": _share_by_draws,
    "one prompt": _one_prompt,
    "diversity": _diversity,
    "amplification": _amplification,
    "no amplification": _amplification,
}
