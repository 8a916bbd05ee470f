"""What group shares are compared with: an even split, a table, training images, another audit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from portrayal.audit import AuditFolder, location, training_audit
from portrayal.errors import AuditError
from portrayal.findings import AuditData, FloatArray, IntArray, StudyData, image_labels
from portrayal.kinds import Requirement
from portrayal.kinds.composition.cells import AUDIT, EVEN, TRAINING, Target, cell_names
from portrayal.records import Prompt
from portrayal.studies import Axis


class Goal(NamedTuple):
    """What shares are compared with.

    Attributes:
        words: As in a sentence: "an even split".
        shares: One for each cell, or counts by prompt and cell of another sample; None: there are
            none.
        lack: Why there are none.
    """

    words: str
    shares: FloatArray | None
    lack: str = ""

    @property
    def mean(self) -> FloatArray | None:
        """The share of each cell."""
        if self.shares is None or self.shares.ndim == 1:
            return self.shares
        total = self.shares.sum(axis=0)
        return np.asarray(total / total.sum()) if total.sum() else None

    def unchecked(self, axes: Iterable[str]) -> list[str]:
        """Return the axes of labels of its own, which are never corrected by people's.

        A distance of which one side alone is corrected would show the measurer's errors.
        """
        sampled = self.shares is not None and self.shares.ndim == 2
        return [f"{axis} of {self.words}" for axis in axes] if sampled else []


def goal_of(
    target: Target, axes: Mapping[str, Axis], prompts: Sequence[Prompt], data: StudyData
) -> Goal:
    """Return what a study's images are compared with, as one measurer sees it.

    Args:
        target: As the study says.
        axes: The axis, or two for their cells, by name.
        prompts: The study's prompts: of another audit, the images of the same ones count.
        data: The study's images.
    """
    cells = cell_names(list(axes.values()))
    if target == EVEN:
        return Goal("an even split", np.full(len(cells), 1 / len(cells)))
    if target == TRAINING:
        words = "the training images"
        other = None if data.audit is None else training_audit(data.audit)
        if other is None:
            return Goal(words, None, "the audit has no training images (see amplification studies)")
        return _sampled(words, other, _prompts_of(other), None, axes, data)
    assert isinstance(target, dict)
    if set(target) == {AUDIT}:
        try:
            other = AuditFolder(target[AUDIT])
        except AuditError as error:
            return Goal(f"the audit {target[AUDIT]}", None, str(error))
        words = f"{other.generator.name} ({target[AUDIT]})"
        return _sampled(words, other, [prompt.text for prompt in prompts], prompts, axes, data)
    total = math.fsum(target.values())
    return Goal("the study's target", np.array([target[cell] / total for cell in cells]))


def requirements(
    targets: Mapping[str, Target], prompts: Sequence[Prompt], audit: AuditFolder | None
) -> list[Requirement]:
    """Return what a study compares with, each with whether it is there.

    Args:
        targets: As the study says.
        prompts: The study's prompts: another audit has to have images of one of them.
        audit: The study's audit, where it exists.
    """
    found = []
    texts = {prompt.text for prompt in prompts}
    for name, target in targets.items():
        if target == TRAINING:
            there = audit is not None and training_audit(audit) is not None
            fix = "run an amplification study in this audit first: it stores them"
            found.append(Requirement("training images", f"target of {name}", there, fix))
        if isinstance(target, dict) and set(target) == {AUDIT}:
            other = AuditFolder.find(location(target[AUDIT]))
            there = other is not None and not texts.isdisjoint(_prompts_of(other))
            fix = f"name the folder of an audit in targets.{name!r}"
            if other is not None:
                fix = f"no image of it is of a prompt of the study; {fix} that has some"
            about = f"{target[AUDIT]} (target of {name})"
            found.append(Requirement("audit", about, there, fix))
    return found


def _prompts_of(audit: AuditFolder) -> list[str]:
    return [row[0] for row in audit.images(columns=("prompt",)).distinct().fetchall()]


def _sampled(
    words: str,
    other: AuditFolder,
    texts: Sequence[str],
    prompts: Sequence[Prompt] | None,
    axes: Mapping[str, Axis],
    data: StudyData,
) -> Goal:
    shared = AuditData(other, texts, ())
    wanted = shared.all_images(texts) if prompts is None else prompts
    theirs = replace(shared.of_study(wanted, data.encoder), texts=data.texts)
    counts = cell_counts(wanted, axes, theirs)
    if counts is None or not counts.sum():
        return Goal(words, None, f"{data.label} has labelled no image of {words}")
    return Goal(words, counts.astype(np.float64))


def cell_counts(
    prompts: Sequence[Prompt], axes: Mapping[str, Axis], data: StudyData
) -> IntArray | None:
    """Count images by prompt and cell; those without a known group on every axis are left out.

    Returns:
        None where the measurer says nothing on an axis.
    """
    once = {prompt.text: prompt for prompt in prompts}
    data = replace(data, drawn=data.drawn_together.get(tuple(axes), data.drawn))
    images = data.images(list(once.values()))
    codes = np.zeros(images.n, dtype=np.int64)
    known = np.ones(images.n, dtype=bool)
    for name, axis in axes.items():
        found = image_labels(images, name, axis, data)
        if found is None:
            return None
        groups = list(axis.groups)
        place = {group: i for i, group in enumerate(groups)}
        own = np.array([place.get(label, -1) for label in found.labels.tolist()], dtype=np.int64)
        known &= own >= 0
        codes = codes * len(groups) + own
    rows = {text: i for i, text in enumerate(once)}
    row = np.array([rows[text] for text in images.prompts], dtype=np.int64)
    counts = np.zeros((len(once), len(cell_names(list(axes.values())))), dtype=np.int64)
    np.add.at(counts, (row[known], codes[known]), 1)
    return counts
