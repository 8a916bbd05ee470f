"""Images of an influence study, counted by set of replaced words, text and group.

A share is among the images that show somebody: "unknown" is an answer like the groups, so the
scores of all answers add up to zero; images that show nobody are counted and left out. An image
of several people counts once: as what most of them are where a person detector has looked, else as
what it looks like as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from portrayal.findings import FloatArray, IntArray, StudyData, image_labels
from portrayal.kinds.influence.schema import PromptPlan, WordSet, draw_seeds
from portrayal.records import Prompt
from portrayal.studies import NOBODY, UNKNOWN, Axis

Seen = Mapping[str, Mapping[int, str]]
"""What was seen in each usable image: label by seed, by text."""

LEAST_TEXTS = 2
"""Fewer texts with people in a sampled set say nothing about the texts that were not drawn."""


@dataclass(frozen=True, slots=True)
class SetCounts:
    """The images of one set of replaced words.

    Attributes:
        words: Positions of the replaced words.
        table: One row per draw (the prompt as it is: one row), one column per answer.
        nobody: Images that show nobody.
        missing: Wanted images that cannot be used.
    """

    words: tuple[int, ...]
    table: IntArray
    nobody: int
    missing: int

    @property
    def shares(self) -> FloatArray:
        """Share of each answer; NaN where nobody is shown in any image."""
        total = float(self.table.sum())
        return np.asarray(self.table.sum(axis=0) / (total or np.nan))


@dataclass(frozen=True, slots=True)
class PromptCounts:
    """All images of one prompt and of its replaced texts.

    Attributes:
        plan: The prompt, its words and sets.
        answers: Names of the columns: groups, and "unknown" last.
        sets: Counts by set of words.
    """

    plan: PromptPlan
    answers: tuple[str, ...]
    sets: Mapping[tuple[int, ...], SetCounts]

    def for_statistics(self, *, sampled: bool) -> dict[frozenset[int], IntArray]:
        """Return the usable counts by set; words are numbered among the replaceable ones."""
        number = {position: i for i, position in enumerate(self.plan.replaceable)}
        return {
            frozenset(number[position] for position in words): one.table
            for words, one in self.sets.items()
            if is_usable(one, sampled=sampled)
        }

    def unusable(self, *, sampled: bool) -> list[tuple[int, ...]]:
        """Return the sets that have too few images of people."""
        return [words for words, one in self.sets.items() if not is_usable(one, sampled=sampled)]

    @property
    def images(self) -> int:
        """Images that count."""
        return int(sum(one.table.sum() for one in self.sets.values()))

    @property
    def missing(self) -> int:
        """Images that show nobody, or cannot be used."""
        return sum(one.nobody + one.missing for one in self.sets.values())

    def behind(self, position: int, level: int) -> tuple[int, int]:
        """Return how many images a word's score rests on, and how many of those wanted are not.

        Sets with the word, and sets without it that have room for it at this level.
        """
        mine = [
            one
            for words, one in self.sets.items()
            if len(words) <= (level if position in words else level - 1)
        ]
        used = sum(int(one.table.sum()) for one in mine)
        return used, sum(one.nobody + one.missing for one in mine)


def is_usable(one: SetCounts, *, sampled: bool) -> bool:
    """Tell whether a set has images of people, and of enough texts where texts were sampled."""
    texts = int((one.table.sum(axis=1) > 0).sum())
    return texts >= (LEAST_TEXTS if sampled and one.words else 1)


def seen_on_axis(
    prompts: Sequence[Prompt], name: str, axis: Axis, data: StudyData
) -> dict[str, dict[int, str]] | None:
    """Label all images of some prompts; None where the measurer says nothing on the axis."""
    once = {prompt.text: prompt for prompt in prompts}
    images = data.images(list(once.values()))
    found = image_labels(images, name, axis, data)
    if found is None:
        return None
    seen: dict[str, dict[int, str]] = {text: {} for text in once}
    rows = zip(images.prompts, images.seeds, found.labels.tolist(), strict=True)
    for text, seed, label in rows:
        seen[text][seed] = label
    return seen


def count_prompt(
    plan: PromptPlan, seen: Seen, groups: Sequence[str], *, images: int
) -> PromptCounts:
    """Count the images of one prompt.

    Args:
        plan: The prompt with its sets and texts.
        seen: What was seen in each image: a group, "unknown" or "nobody".
        groups: The groups in their order.
        images: Images per draw.
    """
    answers = (*groups, UNKNOWN)
    column = {answer: i for i, answer in enumerate(answers)}
    sets = {one.words: _count_set(plan, one, seen, column, images) for one in plan.sets}
    return PromptCounts(plan, answers, sets)


def _count_set(
    plan: PromptPlan, one: WordSet, seen: Seen, column: Mapping[str, int], images: int
) -> SetCounts:
    draws = plan.draws(one)
    table = np.zeros((len(draws), len(column)), dtype=np.int64)
    nobody = 0
    spare = _spare(draws, seen, images)
    for text, draw in draws:
        labels = seen.get(text, {})
        for seed in draw_seeds(draw, images):
            label = labels[seed] if seed in labels else next(spare[text], None)
            if label == NOBODY:
                nobody += 1
            elif label is not None:
                table[draw, column[label]] += 1
    if not one.words:
        # The prompt as it is was not drawn: one text with all the images.
        table = table.sum(axis=0, keepdims=True)
    wanted = len(draws) * images
    return SetCounts(one.words, table, nobody, wanted - int(table.sum()) - nobody)


def _spare(draws: Sequence[tuple[str, int]], seen: Seen, images: int) -> dict[str, Iterator[str]]:
    """Return, for each text, what was seen with seeds that none of its draws has.

    An audit that holds more images of a text than the study wants gives those with the lowest
    seeds; they stand in for wanted ones, as any image of the same text may.
    """
    taken: dict[str, set[int]] = {}
    for text, draw in draws:
        taken.setdefault(text, set()).update(draw_seeds(draw, images))
    return {
        text: iter([label for seed, label in seen.get(text, {}).items() if seed not in seeds])
        for text, seeds in taken.items()
    }
