"""Images whose labels are checked together, and what people said about a sample of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, one_of
from portrayal.findings.data import StudyData
from portrayal.findings.labels import image_labels
from portrayal.raters import CheckedLabels, TwoAnswers, checked_labels, has_votes
from portrayal.records import NOBODY, UNKNOWN
from portrayal.statistics import (
    NOT_ASKED,
    AxisLabels,
    PromptOrder,
    Rule,
    draw_joint_labels,
    draw_labels,
)
from portrayal.studies import Study

LEAST_LABELS = 10
"""Fewer human labels say too little about a measurer's errors."""

LEAST_OWN_LABELS = 30
"""From so many labels at every level of a factor on, each level has an error table of its own."""


@dataclass(frozen=True, slots=True)
class LabelPool:
    """Images that a measurer labelled on an axis; it is taken to err alike in all of them.

    Attributes:
        name: Such as "generated images".
        axis: The axis.
        groups: Its groups.
        keys: The images.
        labels: The measurer's label of each.
        prompts: The prompt of each, or what else images have in common.
        factors: The factors of each prompt.
        audits: Where people's labels of them may be.
        apart: Factors whose levels are scored apart: shares vary in their own way in each.
    """

    name: str
    axis: str
    groups: tuple[str, ...]
    keys: tuple[str, ...] = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    prompts: tuple[str, ...] = field(repr=False)
    factors: Mapping[str, Mapping[str, str]] = field(repr=False)
    audits: tuple[AuditFolder, ...] = field(repr=False)
    apart: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers on the axis."""
        return (*self.groups, UNKNOWN, NOBODY)

    def of(self, wanted: Sequence[bool]) -> LabelPool:
        """Return a part of the images."""
        rows = [i for i, one in enumerate(wanted) if one]
        keys, labels, prompts = (
            tuple(column[i] for i in rows) for column in (self.keys, self.labels, self.prompts)
        )
        return replace(self, keys=keys, labels=labels, prompts=prompts)


@dataclass(frozen=True, slots=True)
class PeopleSaid:
    """What people said about images of a pool.

    Attributes:
        labels: By image key.
        weights: By image key: one over the probability of being drawn.
        drawn: Whether images were drawn at random with known probabilities.
        reason: Why there is nothing to use, although people labelled images; else "".
        twice: Two answers about one image, for people's own error.
    """

    labels: Mapping[str, str]
    weights: Mapping[str, float]
    drawn: bool = True
    reason: str = ""
    twice: tuple[TwoAnswers, ...] = ()


def study_pools(study: Study, data: StudyData) -> list[LabelPool]:
    """Return one pool for each axis of a study that a measurer labels."""
    if data.audit is None:
        return []
    once = {prompt.text: prompt for prompt in study.prompts()}
    found = []
    for name, axis in study.asked_axes().items():
        images = data.images(list(once.values()))
        labels = image_labels(images, name, axis, data)
        if labels is not None:
            factors = {text: prompt.factors for text, prompt in once.items()}
            given = tuple(labels.labels.tolist())
            about = ("generated images", name, tuple(axis.groups))
            found.append(
                LabelPool(
                    *about, images.keys, given, images.prompts, factors, (data.audit,),
                    study.scoring().by,
                )
            )  # fmt: skip
    return found


def people_said(pool: LabelPool, rule: Rule) -> PeopleSaid:
    """Return people's labels of a pool's images; where any were drawn at random, those alone."""
    mine = set(pool.keys)
    labels: dict[str, str] = {}
    chances: dict[str, float] = {}
    elsewhere = 0
    twice: list[TwoAnswers] = []
    for audit in pool.audits:
        found = labels_by_people(audit, pool.axis, rule)
        if found is None:
            continue
        twice += [one for one in found.twice if one.image in mine]
        for key, label, chance in zip(found.keys, found.labels, found.probabilities, strict=True):
            if key in mine:
                labels[key], chances[key] = label, float(chance)
            else:
                elsewhere += 1
    weights = weights_of(chances)
    labels = {key: label for key, label in labels.items() if key in weights}
    at_random = bool(labels) and all(chances[key] > 0 for key in labels)
    reason = _reason(pool, labels, elsewhere)
    return PeopleSaid(labels, weights, at_random, reason, tuple(twice))


def labels_by_people(audit: AuditFolder, axis: str, rule: Rule) -> CheckedLabels | None:
    """Return what people say about an audit's images; None where they were not asked."""
    if not has_votes(audit):
        return None
    try:
        return checked_labels(audit, axis, rule=rule)
    except AuditError:  # raters were asked about other axes
        return None


def weights_of(chances: Mapping[str, float]) -> dict[str, float]:
    """Return the images that count, with one over the probability of being drawn.

    Where enough were drawn at random, those alone count; where some were not, all count alike.

    Args:
        chances: By image, the probability of being drawn; NaN where it was not drawn at random.
    """
    drawn = {key: 1 / chance for key, chance in chances.items() if chance > 0}
    if len(drawn) >= LEAST_LABELS or len(drawn) == len(chances):
        return drawn
    return dict.fromkeys(chances, 1.0)


def _reason(pool: LabelPool, labels: Mapping[str, str], elsewhere: int) -> str:
    other = next((one for one in labels.values() if one not in pool.answers), None)
    if other is not None:
        return (
            f"People answered {other!r} on {pool.axis}; the study's groups are "
            f"{one_of(pool.groups)}, so their labels cannot correct it."
        )
    if not labels and elsewhere:
        return f"None of the {elsewhere} images that people labelled is among the {pool.name}."
    if labels and len(labels) < LEAST_LABELS:
        return (
            f"People labelled {len(labels)} of the {pool.name}; at least {LEAST_LABELS} are needed."
        )
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPool:
    """A pool with labels drawn as people would give them.

    Attributes:
        pool: The images.
        said: What people said.
        codes: (draws, images), places in `pool.answers`.
        separate: The factor whose levels have error tables of their own; "" where one serves all.
        joint: Whether the labels were drawn together with those of another axis.
    """

    pool: LabelPool
    said: PeopleSaid
    codes: np.ndarray
    separate: str
    joint: bool = False

    def labels(self, draw: int) -> dict[str, str]:
        """Return one set of labels, by image key."""
        answers = self.pool.answers
        codes = self.codes[draw].tolist()
        return {key: answers[code] for key, code in zip(self.pool.keys, codes, strict=True)}

    def assumption(self) -> str:
        """Say what the draws assume."""
        alike = f"within each {self.separate}" if self.separate else "in all prompts"
        taken = [f"that the measurer errs alike {alike}"]
        if self.joint:
            taken.append("that its errors on one axis do not depend on the other")
        if not self.said.drawn:
            taken.append("that people were given images at random")
        *before, last = taken
        return f"Assumes {', '.join(before)}{' and ' if before else ''}{last}."


def draw_pool(pool: LabelPool, said: PeopleSaid, rng: np.random.Generator) -> DrawnPool:
    """Draw what people would say of every image of a pool."""
    separate = _separate(pool, said)
    (codes,) = _draw_parts([pool], [said], separate, rng)
    return DrawnPool(pool, said, codes, separate)


def draw_together(drawn: Sequence[DrawnPool], rng: np.random.Generator) -> tuple[DrawnPool, ...]:
    """Draw the labels of the same images on several axes again, as axes go together.

    Drawn axis by axis, labels of two axes would go together only as far as prompts differ in both,
    and as people's own labels do: shares of cells would be those of axes with little in common.

    Args:
        drawn: One pool per axis.
        rng: Source of the draws.

    Returns:
        Pools in the same order; none where they are not of the same images.
    """
    pools, said = [one.pool for one in drawn], [one.said for one in drawn]
    if len({pool.keys for pool in pools}) > 1:
        return ()
    names = {one.separate for one in drawn}
    separate = names.pop() if len(names) == 1 else ""
    codes = _draw_parts(pools, said, separate, rng)
    return tuple(
        replace(one, codes=own, separate=separate, joint=True)
        for one, own in zip(drawn, codes, strict=True)
    )


def _draw_parts(
    pools: Sequence[LabelPool], said: Sequence[PeopleSaid], separate: str, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return the codes of each pool, level by level where levels have tables of their own."""
    first = pools[0]
    if not separate:
        return _draw(pools, said, rng)
    level = [first.factors[prompt][separate] for prompt in first.prompts]
    codes: list[np.ndarray] = []
    for name in dict.fromkeys(level):
        here = np.array([one == name for one in level])
        parts = _draw([pool.of(here.tolist()) for pool in pools], said, rng)
        if not codes:
            codes = [np.empty((len(part), len(level)), dtype=np.int16) for part in parts]
        for whole, part in zip(codes, parts, strict=True):
            whole[:, here] = part
    return codes


def _draw(
    pools: Sequence[LabelPool], said: Sequence[PeopleSaid], rng: np.random.Generator
) -> list[np.ndarray]:
    first = pools[0]
    place = {prompt: i for i, prompt in enumerate(dict.fromkeys(first.prompts))}
    prompts = np.array([place[one] for one in first.prompts])
    order = PromptOrder(_levels(first, list(place)), _apart(first, list(place)))
    possible = [_possible(pool, one) for pool, one in zip(pools, said, strict=True)]
    axes = [_coded(*one) for one in zip(pools, said, possible, strict=True)]
    if len(axes) > 1:
        drawn = list(draw_joint_labels(axes, prompts, order=order, rng=rng))
    else:
        own = axes[0]
        drawn = [
            draw_labels(
                own.predicted, own.labels, prompts,
                answers=own.answers, order=order, weights=own.weights, rng=rng,
            ).labels
        ]  # fmt: skip
    back = [
        np.array([pool.answers.index(answer) for answer in answers], dtype=np.int16)
        for pool, answers in zip(pools, possible, strict=True)
    ]
    return [np.asarray(one[labels]) for one, labels in zip(back, drawn, strict=True)]


def _possible(pool: LabelPool, said: PeopleSaid) -> list[str]:
    """Return the answers that people may give: "unknown" and "nobody" where they said so."""
    given = set(said.labels.values())
    return [one for one in pool.answers if one in pool.groups or one in given]


def _coded(pool: LabelPool, said: PeopleSaid, possible: Sequence[str]) -> AxisLabels:
    """Return the labels of a pool as codes."""
    code = {answer: i for i, answer in enumerate(possible)}
    seen = {answer: i for i, answer in enumerate(dict.fromkeys(pool.labels))}
    return AxisLabels(
        np.array([seen[one] for one in pool.labels]),
        np.array([code[said.labels[k]] if k in said.labels else NOT_ASKED for k in pool.keys]),
        len(possible),
        np.array([said.weights.get(key, 1.0) for key in pool.keys]),
    )


def _apart(pool: LabelPool, prompts: Sequence[str]) -> list[int]:
    """Return a code for each prompt: its levels of the factors that are scored apart."""
    levels = [tuple(pool.factors[one].get(name) for name in pool.apart) for one in prompts]
    return [levels.index(one) for one in levels]


def _factor_names(pool: LabelPool, prompts: Sequence[str]) -> list[str]:
    """Return the factors that all prompts have, with several levels."""
    common = [name for name in pool.factors.get(prompts[0], {}) if prompts]
    return [
        name
        for name in common
        if all(name in pool.factors[one] for one in prompts)
        and len({pool.factors[one][name] for one in prompts}) > 1
    ]


def _separate(pool: LabelPool, said: PeopleSaid) -> str:
    """Return the first factor with enough labels at every level; "" where there is none."""
    prompts = list(dict.fromkeys(pool.prompts))
    of_key = dict(zip(pool.keys, pool.prompts, strict=True))
    for name in _factor_names(pool, prompts):
        counts = Counter(pool.factors[of_key[key]][name] for key in said.labels)
        if all(counts[pool.factors[one][name]] >= LEAST_OWN_LABELS for one in prompts):
            return name
    return ""


def _levels(pool: LabelPool, prompts: Sequence[str]) -> list[int] | None:
    """Return a level for each prompt: by the factor along which labels differ most."""
    hits = Counter(
        prompt for prompt, label in zip(pool.prompts, pool.labels, strict=True)
        if label == pool.groups[0]
    )  # fmt: skip
    totals = Counter(pool.prompts)
    share = np.array([hits[one] / totals[one] for one in prompts])
    best, codes = -math.inf, None
    for name in _factor_names(pool, prompts):
        levels = list(dict.fromkeys(pool.factors[one][name] for one in prompts))
        if len(levels) == len(prompts):
            continue
        mine = np.array([levels.index(pool.factors[one][name]) for one in prompts])
        means = np.bincount(mine, weights=share) / np.bincount(mine)
        # The variance between levels, less what as many levels would explain by chance.
        left = len(prompts) - len(levels)
        within = float(((share - means[mine]) ** 2).sum()) / left
        between = float(((means[mine] - share.mean()) ** 2).sum()) / (len(levels) - 1)
        if between - within > best:
            best, codes = between - within, mine.tolist()
    return codes
