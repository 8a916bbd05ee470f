"""The practice model's own truth: group shares that were measured once, with their intervals.

Nothing states what a trained model shows; it can only be counted. `model/shares.json` holds, for
the prompts of the studies about group shares, how many of several hundred images the independent
judge called woman, man or ambiguous, light or dark. Intervals speak of the images not generated;
the judge's own errors are in the model card.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from portrayal.errors import one_of
from portrayal.generators import Pool, StatedShares
from portrayal_practice.errors import PracticeError
from portrayal_practice.weights import SHARES, weights_folder

_COLUMNS = {"perceived gender": "presentation", "skin tone": "tone"}
_GROUPS = {
    "perceived gender": {"woman": 0, "man": 1, "ambiguous": 2},
    "skin tone": {"light": 0, "dark": 1, "light skin": 0, "dark skin": 1},
}
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CountedShares:
    """The table as read: counts by axis and prompt, and at which settings they were made."""

    images: int
    steps: int
    guidance: float
    counts: Mapping[str, Mapping[str, Counts]]


@cache
def counted_shares(folder: Path | None = None) -> CountedShares:
    """The table that ships with the weights, or that of another folder.

    Raises:
        PracticeError: There is no such table.
    """
    path = (folder or weights_folder()) / SHARES
    if not path.is_file():
        raise PracticeError(
            f"practice truth: {path} is missing, these weights were trained before shares were "
            "counted; ask for the painter's truth: --of painter"
        )
    held = json.loads(path.read_text(encoding="utf-8"))
    counts = {
        axis: {row["prompt"]: np.array(row[column], dtype=np.int64) for row in held["rows"]}
        for axis, column in _COLUMNS.items()
    }
    made = held["settings"]
    return CountedShares(made["images"], made["steps"], made["guidance"], counts)


@dataclass(frozen=True, slots=True)
class MeasuredTruth:
    """The practice model as a generator whose shares were measured; see `StatesTruth`.

    Attributes:
        asked_by: Who asks, for errors: a study's name.
        table: The counts.
        rng: Draws shares that fit the counts (Jeffreys' prior); None takes those measured.
    """

    asked_by: str
    table: CountedShares
    rng: np.random.Generator | None = None

    def shares(
        self, prompts: Sequence[str], *, axis: str, groups: Sequence[str]
    ) -> list[StatedShares]:
        """Return the measured shares of the groups among people shown.

        Raises:
            PracticeError: The axis, a group or a prompt was not measured.
        """
        if axis not in _COLUMNS:
            raise PracticeError(
                f"{self.asked_by}: the model's shares on {axis!r} were not measured; "
                f"allowed: {one_of(tuple(_COLUMNS))}"
            )
        places = {group: self._place(axis, group) for group in groups}
        found = []
        for prompt in prompts:
            share = self._share(axis, prompt)
            found.append(StatedShares(1.0, {g: float(share[i]) for g, i in places.items()}))
        return found

    def pool(self, prompts: Sequence[str]) -> Pool:
        """Refuse: of the model only group shares were measured."""
        raise PracticeError(
            f"{self.asked_by} asks about {len(prompts)} prompts' images; of the model only group "
            "shares were measured; ask for the painter's truth: --of painter"
        )

    def _share(self, axis: str, prompt: str) -> npt.NDArray[np.float64]:
        counts = self.table.counts[axis].get(prompt)
        if counts is None:
            raise PracticeError(
                f"{self.asked_by}: the model's shares for {prompt!r} were not measured; "
                "ask for the painter's truth: --of painter"
            )
        total = int(counts.sum())
        if self.rng is not None:
            # Jeffreys' half image in each group: a group never seen may still be rare.
            return self.rng.dirichlet(counts + 0.5)
        return np.asarray(counts / total)

    def _place(self, axis: str, group: str) -> int:
        if group not in _GROUPS[axis]:
            raise PracticeError(
                f"{self.asked_by}: the group {group!r} of {axis} was not measured; "
                f"allowed: {one_of(tuple(_GROUPS[axis]))}"
            )
        return _GROUPS[axis][group]
