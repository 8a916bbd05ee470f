"""The tables of influence studies: words, table 1, pairs, replaced texts, averages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from portrayal.findings import DataTable, Ours
from portrayal.kinds.influence.parts import (
    InfluenceAverage,
    InfluenceAverages,
    InfluenceScore,
    InfluenceScores,
)
from portrayal.kinds.influence.word_averages import MeanInfluence
from portrayal.kinds.influence.word_scores import PromptScores, WordScores, pair_rows
from portrayal.studies import UNKNOWN

PAIRS = ("first", "second", "group", "interaction", "low", "high", "p", "both", "only together")
SIGN = "A positive score pushes towards the group that is named."


def words_part(
    scores: PromptScores, level: WordScores, where: str, number: int | None
) -> InfluenceScores:
    """Return the influence of every word on every group, for the bars.

    Args:
        scores: The prompt.
        level: Which scores.
        where: Axis and encoder.
        number: The prompt's number where there are several.
    """
    sets = "all sets of words" if level.exact else "a sample of the sets of words"
    note = f"{SIGN} From {sets}; intervals over texts and images"
    note += "." if level.exact else " and the choice of sets."
    if not math.isnan(level.margin):
        note += " The bound (Theorem 1) holds for any model and any number of images."
    return InfluenceScores(
        name=_name(f"words-{level.name}", where, number),
        title=f"{level.name[0].upper()}{level.name[1:]} ({where}): {_prompt(scores)}",
        rows=word_rows(scores, level),
        note=note,
    )


def word_rows(scores: PromptScores, level: WordScores) -> list[InfluenceScore]:
    """Return one row per word and group."""
    rows = []
    for column, group in enumerate(scores.counts.answers):
        if group == UNKNOWN:
            continue
        for position, word in enumerate(scores.counts.plan.words):
            one = level.of(position, column)
            margin, most = level.margin, max(level.level, 1)
            bounds = (max(one.value - margin, -most), min(one.value + margin, most))
            numbers = (one.value, one.low, one.high, one.p, *bounds)
            rows.append(InfluenceScore(word, position + 1, group, *numbers))
    return rows


def table_one(scores: PromptScores, where: str, number: int | None) -> DataTable:
    """Return the paper's table 1: the share of each group with each word replaced."""
    counts = scores.counts
    columns: list[str] = ["prompt"]
    for group in counts.answers:
        columns += [f"share of {group}"]
        columns += [f"influence towards {group}"] if group != UNKNOWN else []
    first = next((level for level in scores.levels if level.level == 1), None)
    rows: list[list[Any]] = []
    for words, one in counts.sets.items():
        if len(words) > 1:
            continue
        quoted = "".join(f"“{counts.plan.words[word]}”" for word in words)
        row: list[Any] = [f"prompt without {quoted}" if words else "original prompt"]
        for column, group in enumerate(counts.answers):
            row.append(float(one.shares[column]))
            if group != UNKNOWN:
                known = words and first is not None
                value = first.of(words[0], column).value if known and first else math.nan
                row.append(value)
        rows.append([*row, len(one.table), int(one.table.sum()), one.nobody, one.missing])
    return DataTable(
        name=_name("table-1", where, number),
        title=f"With each word replaced ({where}): {_prompt(scores)}",
        columns=(*columns, "texts", "images", "nobody", "missing"),
        rows=rows,
        note=f"Layout of the paper's table 1. {SIGN} (The paper's own signs speak of male.)",
    )


def paper_numbers(scores: PromptScores) -> dict[tuple[str, str], Ours]:
    """Return shares and scores of a prompt as the paper prints them, by (word, statistic).

    A share has no interval of its own here: the one of a score belongs to the score.
    """
    counts = scores.counts
    found: dict[tuple[str, str], Ours] = {}
    for column, group in enumerate(counts.answers):
        if group == UNKNOWN:
            continue
        for words, one in counts.sets.items():
            if len(words) < 2:
                of = _word(counts.plan.words, words[0]) if words else "original prompt"
                found[of, f"share of {group}"] = Ours(float(one.shares[column]))
        for level in scores.levels:
            named = f"influence towards {group}"
            named += "" if level.level == 1 else f", {level.name.removeprefix('influence ')}"
            for place in counts.plan.replaceable:
                score = level.of(place, column)
                of = _word(counts.plan.words, place)
                found[of, named] = Ours(score.value, score.low, score.high)
    return found


def _word(words: Sequence[str], place: int) -> str:
    """Return a word, with its place where the prompt has it twice."""
    return words[place] if words.count(words[place]) == 1 else f"{words[place]} ({place + 1})"


def pairs_table(scores: PromptScores, where: str, number: int | None) -> DataTable:
    """Return what every two words do together, the strongest first."""
    assert scores.pairs is not None
    pairs, plan = scores.pairs, scores.counts.plan
    rows: list[list[Any]] = []
    for row, first, second, column in pair_rows(scores):
        group = scores.counts.answers[column]
        if group == UNKNOWN:
            continue
        cells = (pairs.value, *pairs.interval, pairs.p_value, pairs.joint)
        numbers = [float(cell[row, column]) for cell in cells]
        together = "yes" if pairs.only_together[row, column] else ""
        rows.append([plan.words[first], plan.words[second], group, *numbers, together])
    rows.sort(key=lambda row: -abs(_or_zero(row[3])))
    return DataTable(
        name=_name("pairs", where, number),
        title=f"What two words do together ({where}): {_prompt(scores)}",
        columns=PAIRS,
        rows=rows,
        note="Interaction: the influence of replacing both words beyond the sum of replacing each. "
        "“Only together”: clear for the pair, for neither word alone. " + SIGN,
    )


def replacement_table(scores: PromptScores, where: str, number: int | None) -> DataTable:
    """Return every drawn text with its probability and what its images show."""
    rows: list[list[Any]] = []
    plan = scores.counts.plan
    for one in plan.sets:
        counts = scores.counts.sets[one.words].table
        found: dict[str, list[Any]] = {}
        for drawn, row in zip(one.texts, counts.tolist(), strict=False):
            if drawn.text not in found:
                found[drawn.text] = [drawn.probability, 0, [0] * len(row)]
            entry = found[drawn.text]
            entry[1] += 1
            entry[2] = [a + b for a, b in zip(entry[2], row, strict=True)]
        for text, (probability, draws, seen) in found.items():
            rows.append([plan.named(one.words), text, probability, draws, *seen, ""])
        apart = Counter(drawn.text for drawn in one.apart)
        chance = {drawn.text: drawn.probability for drawn in one.apart}
        for text, draws in apart.items():
            nothing = [None] * len(scores.counts.answers)
            rows.append(
                [plan.named(one.words), text, chance[text], draws, *nothing, "names a group"]
            )
    return DataTable(
        name=_name("texts", where, number),
        title=f"Replaced texts ({where}): {_prompt(scores)}",
        columns=("replaced", "text", "probability", "draws", *scores.counts.answers, "set apart"),
        rows=rows,
        note="How often each text was drawn, and the images of it by answer. Texts that name a "
        "group answer another question: they are set apart and have no images.",
    )


def averages_part(
    factor: str, averages: Mapping[int, Sequence[MeanInfluence]], answers: Sequence[str], where: str
) -> InfluenceAverages:
    """Return figure 3 for one factor: the mean influence of each of its words, for the bars."""
    rows = []
    for column, found in averages.items():
        of_factor = [one for one in found if one.factor == factor]
        for place, one in enumerate(sorted(of_factor, key=lambda one: -_or_zero(one.value))):
            numbers = (one.value, one.low, one.high, one.p, one.prompts)
            rows.append(InfluenceAverage(one.level, place + 1, answers[column], *numbers, factor))
    return InfluenceAverages(
        name=_name(f"averages-{factor}", where, None),
        title=f"Average influence of each {factor} ({where})",
        rows=rows,
        note=f"Mean over the prompts that contain the word, prompts as units (figure 3). {SIGN}",
    )


def _name(what: str, where: str, number: int | None) -> str:
    part = "" if number is None else f"-{number + 1}"
    return f"{what}-{where}{part}".replace(" · ", "-").replace(" ", "-")


def _prompt(scores: PromptScores) -> str:
    return f"“{scores.counts.plan.source.text}”"


def _or_zero(value: float) -> float:
    return value if math.isfinite(value) else 0.0
