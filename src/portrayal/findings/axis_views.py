"""One axis as one measurer sees it: the group of every image, counted prompt by prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from portrayal.findings.data import Images, StudyData
from portrayal.findings.groups import Classification
from portrayal.findings.labels import image_labels
from portrayal.findings.settings import AnalysisSettings
from portrayal.findings.vectors import IntArray
from portrayal.records import Prompt
from portrayal.studies import NOBODY, UNKNOWN, Axis, Study

ALL = "all prompts"
"""The one level of a study without factors."""


@dataclass(frozen=True, slots=True)
class AxisView:
    """What one axis says about a study's images.

    Attributes:
        study: The study.
        name: The axis's name.
        axis: Its groups and texts.
        data: The images as one encoder saw them.
        settings: How to analyze.
        suffix: Names the encoder where several are shown side by side.
        prompts: The study's prompts.
        images: The usable images.
        labels: The answer for each usable image, with similarities and probabilities.
        counts: One row per prompt; columns: groups, unknown, nobody, dropped.
    """

    study: Study
    name: str
    axis: Axis
    data: StudyData
    settings: AnalysisSettings
    suffix: str
    prompts: tuple[Prompt, ...]
    images: Images = field(repr=False)
    labels: Classification = field(repr=False)
    counts: IntArray = field(repr=False)

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups, in the axis's order."""
        return tuple(self.axis.groups)

    @property
    def known(self) -> IntArray:
        """Counts of the groups alone."""
        return self.counts[:, : len(self.groups)]

    def levels(self, factor: str) -> dict[str, list[int]]:
        """Return the places of the prompts of each level; factor "" is one level for all."""
        found: dict[str, list[int]] = {}
        for place, prompt in enumerate(self.prompts):
            found.setdefault(prompt.factors[factor] if factor else ALL, []).append(place)
        return found

    def factors(self) -> list[str]:
        """Return the factors with more than one level; "" where there are none."""
        names = list(dict.fromkeys(name for prompt in self.prompts for name in prompt.factors))
        several = [name for name in names if len(self.levels(name)) > 1]
        return several or [""]


def axis_view(
    study: Study, name: str, axis: Axis, data: StudyData, settings: AnalysisSettings, *, suffix: str
) -> AxisView | None:
    """Label a study's images on one axis; None where the measurer says nothing on it."""
    prompts = study.prompts()
    images = data.images(prompts)
    labels = image_labels(images, name, axis, data)
    if labels is None:
        return None
    counts = _counts(labels, images.prompts, prompts, (*axis.groups, UNKNOWN, NOBODY))
    return AxisView(study, name, axis, data, settings, suffix, prompts, images, labels, counts)


def _counts(
    found: Classification, texts: Sequence[str], prompts: Sequence[Prompt], names: Sequence[str]
) -> IntArray:
    place = {prompt.text: i for i, prompt in enumerate(prompts)}
    column = {name: i for i, name in enumerate(names)}
    counts = np.zeros((len(prompts), len(names) + 1), dtype=np.int64)
    for text, label in zip(texts, found.labels.tolist(), strict=True):
        counts[place[text], column[label]] += 1
    counts[:, -1] = [prompt.images for prompt in prompts] - counts.sum(axis=1)
    return counts
