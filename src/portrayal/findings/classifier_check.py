"""Is it the model or the classifier? Labels against a second classifier or against people.

The layout of tables 3 and 4 of Lin et al. 2023: precision, recall, F1 and support of every class,
accuracy, macro and weighted averages, here with intervals.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from portrayal.findings.data import StudyData
from portrayal.findings.labels import image_labels
from portrayal.findings.parts import DataTable
from portrayal.findings.settings import AnalysisSettings
from portrayal.records import Prompt
from portrayal.statistics import Average, ConfusionResult, Intervals, Score, confusion
from portrayal.studies import Axis

COLUMNS = (
    "class", "precision", "precision low", "precision high", "recall", "recall low", "recall high",
    "F1", "F1 low", "F1 high", "support",
)  # fmt: skip


def check_classifier(
    truth: Mapping[str, str],
    predicted: Mapping[str, str],
    *,
    classes: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> ConfusionResult:
    """Compare two ways of labelling the same images.

    Args:
        truth: Label by image key of raters, or of the classifier that counts as right.
        predicted: Label by image key of the classifier that is checked.
        classes: Classes that count, in order; images with other labels on either side (unknown,
            nobody) are left out and counted as missing. None: all labels count.
        confidence: Of the intervals.
    """
    keys = sorted(set(truth) & set(predicted))
    pairs = [(truth[key], predicted[key]) for key in keys]
    if classes is not None:
        known = set(classes)
        pairs = [(a, b) if a in known and b in known else (None, None) for a, b in pairs]  # type: ignore[misc]
    return confusion(
        [a for a, _ in pairs],
        [b for _, b in pairs],
        labels=classes,
        confidence=confidence,
    )


def check_table(result: ConfusionResult, *, name: str, title: str, note: str = "") -> DataTable:
    """Return a confusion result in the layout of the paper's tables 3 and 4."""
    rows: list[list[Any]] = []
    for i, label in enumerate(result.labels):
        cells: list[float] = []
        for values, bounds in (
            (result.precision, result.precision_interval),
            (result.recall, result.recall_interval),
            (result.f1, result.f1_interval),
        ):
            cells += _cells(float(values[i]), bounds, i)
        rows.append([label, *cells, int(result.support[i])])
    accuracy = _score(result.accuracy)
    rows.append(["accuracy", *[None] * 6, *accuracy, result.n])
    rows.append(["macro average", *_averages(result.macro), result.n])
    rows.append(["weighted average", *_averages(result.weighted), result.n])
    if result.n_missing:
        note += f" {result.n_missing} images without a class on one side are left out."
    return DataTable(name, title, COLUMNS, rows, note=note)


def encoder_checks(
    prompts: Sequence[Prompt],
    axes: Mapping[str, Axis],
    data: Sequence[StudyData],
    settings: AnalysisSettings,
) -> list[DataTable]:
    """Check every encoder against every other one, on every axis."""
    tables = []
    for name, axis in axes.items():
        labels = {one.label: labels_by_key(prompts, name, axis, one) for one in data}
        known = {who: found for who, found in labels.items() if found is not None}
        for checked, other in itertools.permutations(known, 2):
            result = check_classifier(
                known[other],
                known[checked],
                classes=list(axis.groups),
                confidence=settings.confidence,
            )
            tables.append(
                check_table(
                    result,
                    name=f"check-{name}-{checked}-{other}".replace(" ", "-"),
                    title=f"{checked} against {other}: {name}",
                    note=f"{other} counts as right; the layout of tables 3 and 4.",
                )
            )
    return tables


def labels_by_key(
    prompts: Sequence[Prompt], name: str, axis: Axis, data: StudyData
) -> dict[str, str] | None:
    """Return the label of each image, by image key; None where the measurer gives none."""
    once = {prompt.text: prompt for prompt in prompts}
    images = data.images(list(once.values()))
    found = image_labels(images, name, axis, data)
    return None if found is None else dict(zip(images.keys, found.labels.tolist(), strict=True))


def _cells(value: float, bounds: Intervals, i: int) -> list[float]:
    return [value, float(bounds.low[i]), float(bounds.high[i])]


def _score(score: Score) -> list[float]:
    return [score.value, *score.interval]


def _averages(average: Average) -> list[float]:
    return [*_score(average.precision), *_score(average.recall), *_score(average.f1)]
