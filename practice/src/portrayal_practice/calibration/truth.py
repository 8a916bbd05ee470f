"""What a study would find in the practice world with unlimited images.

There are two truths. The painter states the group shares of every prompt exactly, from the planted
table, and makes many images where only images can tell. Of the trained model, group shares were
measured once. What follows from either for a study, its kind computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from portrayal.errors import one_of
from portrayal.generators import Pool, StatedShares
from portrayal.kinds import kind_of
from portrayal.progress import OnCount
from portrayal.studies import Study
from portrayal_practice.calibration.measured import MeasuredTruth, counted_shares
from portrayal_practice.calibration.pool import paint_pool
from portrayal_practice.errors import PracticeError
from portrayal_practice.planted import AXES
from portrayal_practice.truth import group_shares

_WORLD_GROUPS = {"dark skin": "dark", "light skin": "light"}
"""What studies call a group where the planted table has a shorter name."""


def study_truth(
    study: Study,
    *,
    samples: int,
    folder: Path | None = None,
    on_progress: OnCount | None = None,
) -> list[dict[str, Any]]:
    """Say what a study would find on `practice:painter` with unlimited images.

    Args:
        study: A study of a kind that computes truths.
        samples: Images per prompt, where the truth needs images; texts per set of replaced
            words, where it needs those.
        folder: Where to keep their embeddings for the next time.
        on_progress: Called with images done and wanted.

    Returns:
        One row for each answer: study, question, statistic, truth, low, high, how ("exact", or the
        size of the sample). The interval is about the images or texts that were not drawn, of the
        study's own prompts; an exact truth is its own interval.

    Raises:
        StudyError: The study's kind computes no truths.
        PracticeError: An axis or a group of which the world knows no truth.
    """
    world = PlantedTruth(study.name, samples, folder, on_progress)
    return [row.as_dict() for row in kind_of(study).truth(study, world, samples=samples)]


def measured_truth(study: Study, *, draws: int = 400) -> list[dict[str, Any]]:
    """Say what a study would find on the practice model with unlimited images, as far as measured.

    Args:
        study: A study about group shares whose prompts are in the shipped table.
        draws: How often the table is drawn again for the intervals.

    Returns:
        Rows as of `study_truth`; the interval is about the images that were not generated.

    Raises:
        StudyError: The study's kind computes no truths.
        PracticeError: A prompt, an axis or a group that was not measured.
    """
    table, rng, kind = counted_shares(), np.random.default_rng(0), kind_of(study)

    def rows(source: np.random.Generator | None) -> list[dict[str, Any]]:
        world = MeasuredTruth(study.name, table, source)
        return [row.as_dict() for row in kind.truth(study, world, samples=2)]

    found = rows(None)
    values = np.array([[row["truth"] for row in rows(rng)] for _ in range(draws)], dtype=float)
    low, high = np.quantile(values, (0.025, 0.975), axis=0)
    how = f"{table.images} images"
    return [
        row | {"low": min(float(a), row["truth"]), "high": max(float(b), row["truth"]), "how": how}
        for row, a, b in zip(found, low, high, strict=True)
        if row["truth"] is not None
    ]


@dataclass(frozen=True, slots=True)
class PlantedTruth:
    """The painter as a generator that states its truth; see `StatesTruth`.

    Attributes:
        asked_by: Who asks, for errors: a study's name.
        samples: Images per prompt of a pool.
        folder: Where to keep embeddings for the next time.
        on_progress: Called with images done and wanted.
    """

    asked_by: str
    samples: int
    folder: Path | None = None
    on_progress: OnCount | None = None

    def shares(
        self, prompts: Sequence[str], *, axis: str, groups: Sequence[str]
    ) -> list[StatedShares]:
        """Return the planted shares of the groups, by the names that the study gives them.

        Raises:
            PracticeError: The axis or a group is not planted.
        """
        names = self._planted_names(axis, groups)
        return [
            StatedShares(one.person, {group: one.shares[name] for group, name in names.items()})
            for one in group_shares(prompts, axis=axis)
        ]

    def pool(self, prompts: Sequence[str]) -> Pool:
        """Paint and embed images of every prompt."""
        return paint_pool(prompts, self.samples, folder=self.folder, on_progress=self.on_progress)

    def _planted_names(self, axis: str, groups: Sequence[str]) -> dict[str, str]:
        if axis not in AXES:
            raise PracticeError(
                f"{self.asked_by}: the axis {axis!r} is not planted; allowed: {one_of(tuple(AXES))}"
            )
        planted = group_shares(["a person"], axis=axis)[0].shares
        names = {group: _WORLD_GROUPS.get(group, group) for group in groups}
        for group, name in names.items():
            if name not in planted:
                raise PracticeError(
                    f"{self.asked_by}: the group {group!r} of {axis} is not planted; "
                    f"allowed: {one_of(tuple(planted))}"
                )
        return names
