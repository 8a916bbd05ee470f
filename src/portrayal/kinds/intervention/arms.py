"""The arms of an intervention study on one axis: images without and with each sentence, paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from portrayal.findings import AxisView, FloatArray, IntArray
from portrayal.kinds.intervention.additions import IRRELEVANT, ORIGINAL, Category, PromptAddition
from portrayal.kinds.intervention.schema import InterventionStudy


@dataclass(frozen=True, slots=True)
class Arm:
    """All prompts of a category with one sentence, or without any.

    Attributes:
        intervention: The sentence; None: the prompts as they are.
        counts: Attributes x (groups, unknown, nobody, dropped).
        outcome: Attributes x seeds: 1 the first group, 0 any other, NaN not known.
        usable: Attributes x seeds: 1 a known group, 0 none, NaN not judged by this measurer.
    """

    intervention: PromptAddition | None
    counts: IntArray = field(repr=False)
    outcome: FloatArray = field(repr=False)
    usable: FloatArray = field(repr=False)

    @property
    def name(self) -> str:
        """The intervention's name, or "original"."""
        return self.intervention.name if self.intervention else ORIGINAL

    @property
    def first(self) -> IntArray:
        """Images of the first group, by attribute."""
        return np.asarray((self.outcome == 1).sum(axis=1), dtype=np.int64)

    @property
    def second(self) -> IntArray:
        """Images of any other group, by attribute."""
        return np.asarray((self.outcome == 0).sum(axis=1), dtype=np.int64)

    def speaks_to(self, axis: str) -> bool:
        """Tell whether the sentence is about an axis."""
        return self.intervention is not None and self.intervention.axis == axis


@dataclass(frozen=True, slots=True)
class CategoryArms:
    """The arms of one category on one axis.

    Attributes:
        view: The axis's answers.
        category: Whose prompts.
        first: The group that a bias above 0 leans to.
        arms: By the intervention's name; "original" first.
    """

    view: AxisView
    category: Category
    first: str
    arms: Mapping[str, Arm]

    @property
    def original(self) -> Arm:
        """The prompts as they are."""
        return self.arms[ORIGINAL]

    @property
    def second(self) -> str:
        """What a bias below 0 leans to."""
        others = [group for group in self.view.groups if group != self.first]
        return others[0] if len(others) == 1 else f"not {self.first}"

    def known(self, arm: Arm) -> IntArray:
        """Counts of the groups alone."""
        return arm.counts[:, : len(self.view.groups)]

    def usual(self, *compared: Arm) -> FloatArray:
        """Return each attribute's bias in the arms that are not compared; NaN without images.

        Arms that speak to the axis do not count: what they show is not usual.
        """
        names = {arm.name for arm in compared}
        others = [arm for arm in self.arms.values() if arm.name not in names]
        used = [arm for arm in others if not arm.speaks_to(self.view.name)]
        first = np.sum([arm.first for arm in used], axis=0, dtype=np.float64)
        second = np.sum([arm.second for arm in used], axis=0, dtype=np.float64)
        unknown = np.full(len(self.category.attributes), np.nan)
        if not used:
            return unknown
        total = first + second
        return np.asarray(np.divide(first - second, total, out=unknown, where=total > 0))


def category_arms(study: InterventionStudy, view: AxisView, category: Category) -> CategoryArms:
    """Sort an axis's answers of one category into arms."""
    first = study.first_group(view.name)
    place = {
        (prompt.factors["attribute"], prompt.factors["intervention"]): i
        for i, prompt in enumerate(view.prompts)
        if prompt.factors["category"] == category.name
    }
    texts = {view.prompts[i].text: cell for cell, i in place.items()}
    column = _columns(view, texts)
    row = {name: i for i, name in enumerate(category.attributes)}
    sentences: Sequence[PromptAddition | None] = (None, *study.of_category(category))
    shape = (len(row), max(column.values(), default=-1) + 1)
    outcomes = {one.name if one else ORIGINAL: np.full(shape, np.nan) for one in sentences}
    usable = {name: np.full(shape, np.nan) for name in outcomes}
    for text, seed, label in zip(
        view.images.prompts, view.images.seeds, view.labels.labels.tolist(), strict=True
    ):
        if text not in texts:
            continue
        attribute, name = texts[text]
        place_of_image = row[attribute], column[attribute, seed]
        usable[name][place_of_image] = float(label in view.groups)
        if label in view.groups:
            outcomes[name][place_of_image] = float(label == first)
    arms = {}
    for one in sentences:
        name = one.name if one else ORIGINAL
        rows = [place[attribute, name] for attribute in category.attributes]
        arms[name] = Arm(one, view.counts[rows], outcomes[name], usable[name])
    return CategoryArms(view, category, first, arms)


def _columns(view: AxisView, texts: Mapping[str, tuple[str, str]]) -> dict[tuple[str, int], int]:
    """Number the seeds of each attribute: with and without a sentence a seed has one number."""
    seeds: dict[str, set[int]] = {}
    for text, seed in zip(view.images.prompts, view.images.seeds, strict=True):
        if text in texts:
            seeds.setdefault(texts[text][0], set()).add(seed)
    return {
        (attribute, seed): i
        for attribute, mine in seeds.items()
        for i, seed in enumerate(sorted(mine))
    }


def kind_of(intervention: PromptAddition | None) -> str:
    """Return the first column of the paper's tables: what sort of prompt this is."""
    if intervention is None:
        return ORIGINAL
    about = IRRELEVANT if intervention.axis == IRRELEVANT else intervention.axis
    return f"with {about} intervention"
