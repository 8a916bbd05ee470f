"""What an intervention study would find with unlimited images, exactly.

With shares instead of counts: Eq. 1 and its change for every category, axis and sentence, and the
change of leaning over all categories. Questions are worded as in the analysis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from portrayal.generators import StatesTruth
from portrayal.kinds import Truth, exact
from portrayal.kinds.intervention.additions import ORIGINAL, Category
from portrayal.kinds.intervention.changes import DIVERSITY, DIVERSITY_CHANGE, LEANING_CHANGE
from portrayal.kinds.intervention.schema import InterventionStudy

Sides = NDArray[np.float64]
"""Attributes x (share of the first group, share of all others)."""

Arms = Mapping[str, Sides]
"""By the name of the sentence; "original": the prompts as they are."""


def intervention_truths(study: InterventionStudy, world: StatesTruth) -> list[Truth]:
    """Return what an intervention study finds with unlimited images."""
    rows: list[Truth] = []
    for axis in study.axes:
        known = {
            category.name: _arms(study, world, category, axis)
            for category in study.categories
            if axis in category.axes
        }
        rows += _leanings(study, axis, list(known.values()))
        for name, arms in known.items():
            rows += _diversities(study, f"{name}, {axis}", arms)
    return rows


def _arms(study: InterventionStudy, world: StatesTruth, category: Category, axis: str) -> Arms:
    groups = list(study.axes[axis].groups)
    first = study.first_group(axis)
    arms = {}
    for one in (None, *study.of_category(category)):
        prompts = [category.prompt(attribute, one) for attribute in category.attributes]
        shares = [one.shares for one in world.shares(prompts, axis=axis, groups=groups)]
        arms[one.name if one else ORIGINAL] = np.array(
            [
                (each[first], sum(each[group] for group in groups if group != first))
                for each in shares
            ]
        )
    return arms


def _bias(sides: Sides) -> NDArray[np.float64]:
    return np.asarray((sides[:, 0] - sides[:, 1]) / sides.sum(axis=1))


def _diversity(sides: Sides) -> float:
    return float(np.abs(sides[:, 0] - sides[:, 1]).sum() / sides.sum())


def _diversities(study: InterventionStudy, where: str, arms: Arms) -> Iterator[Truth]:
    before = _diversity(arms[ORIGINAL])
    asked = f"{where}: how unevenly are groups shown without an intervention?"
    yield exact(study, asked, DIVERSITY, before)
    for name, sides in arms.items():
        if name != ORIGINAL:
            question = f"{where}: diversity changed by “{name}”"
            yield exact(study, question, DIVERSITY_CHANGE, _diversity(sides) - before)


def _leanings(study: InterventionStudy, axis: str, categories: Sequence[Arms]) -> Iterator[Truth]:
    silent = {one.name for one in study.all_interventions() if one.axis != axis}
    met = dict.fromkeys(name for arms in categories for name in arms if name != ORIGINAL)
    for name in met:
        parts = [arms for arms in categories if name in arms]
        usual = np.concatenate([_usual(arms, silent - {name}) for arms in parts])
        told = ~np.isnan(usual)
        if told.any():
            change = np.concatenate([_bias(arms[name]) - _bias(arms[ORIGINAL]) for arms in parts])
            value = float(usual[told] @ change[told] / np.abs(usual[told]).sum())
            question = f"{axis}: leaning changed by “{name}”"
            yield exact(study, question, LEANING_CHANGE, value)


def _usual(arms: Arms, names: set[str]) -> NDArray[np.float64]:
    """Each attribute's bias under these sentences together; NaN without any."""
    used = [sides for name, sides in arms.items() if name in names]
    if not used:
        return np.full(len(arms[ORIGINAL]), np.nan)
    return _bias(np.sum(used, axis=0))
