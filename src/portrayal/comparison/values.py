"""What is compared: a number of every image (or request) of a model, by prompt and seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from portrayal.comparison.models import ComparedAudit
from portrayal.findings import FloatArray, StudyData, image_labels
from portrayal.records import Prompt
from portrayal.studies import NOBODY, UNKNOWN, Axis

Values = Mapping[str, Mapping[int, float]]
"""Numbers by prompt and seed; what is missing or NaN does not count."""

Labels = Mapping[str, Mapping[int, str]]
"""Labels by prompt and seed."""


def seed_tables(
    prompts: Sequence[str], first: Values, second: Values
) -> tuple[FloatArray, FloatArray]:
    """Return two tables of numbers: a row per prompt, a column per seed of either model."""
    seeds = [sorted({*first.get(one, ()), *second.get(one, ())}) for one in prompts]
    shape = (len(prompts), max(map(len, seeds), default=0))
    tables = np.full((2, *shape), np.nan)
    for table, values in zip(tables, (first, second), strict=True):
        for row, (prompt, own) in enumerate(zip(prompts, seeds, strict=True)):
            there = values.get(prompt, {})
            table[row, : len(own)] = [there.get(seed, np.nan) for seed in own]
    return tables[0], tables[1]


def labels_of(prompts: Sequence[Prompt], name: str, axis: Axis, data: StudyData) -> Labels | None:
    """Return the label of every image on an axis; None where the measurer says nothing on it."""
    images = data.images(prompts)
    found = image_labels(images, name, axis, data)
    if found is None:
        return None
    labels: dict[str, dict[int, str]] = {}
    for prompt, seed, label in zip(
        images.prompts, images.seeds, found.labels.tolist(), strict=True
    ):
        labels.setdefault(prompt, {})[seed] = label
    return labels


def mapped(labels: Labels, of: Callable[[str], float]) -> Values:
    """Return a number for every label."""
    known = {label: of(label) for own in labels.values() for label in own.values()}
    return {
        prompt: {seed: known[label] for seed, label in own.items()}
        for prompt, own in labels.items()
    }


def of_group(group: str) -> Callable[[str], float]:
    """Return 1 for the group, 0 for another one, NaN without a known one."""
    return lambda label: np.nan if label in (UNKNOWN, NOBODY) else float(label == group)


def outcomes(audit: ComparedAudit, prompts: Iterable[Prompt], status: str) -> Values:
    """Return, for every request that was answered, whether it ended so."""
    wanted = {prompt.text: prompt for prompt in prompts}
    rows = audit.audit.images(columns=("prompt", "seed", "status")).fetchall()
    found: dict[str, dict[int, float]] = {}
    for prompt, seed, ended in sorted(rows, key=lambda row: row[1]):
        own = found.setdefault(prompt, {}) if prompt in wanted else None
        if own is not None and len(own) < wanted[prompt].images:
            own[seed] = float(ended == status)
    return found


def similarities(prompts: Sequence[Prompt], data: StudyData) -> Values | None:
    """Return the cosine of every image with its own prompt; None where no prompt was embedded."""
    found: dict[str, dict[int, float]] = {}
    for prompt in prompts:
        text = data.text_vectors([prompt.text])
        images = data.images([prompt])
        if text is None or not images.n:
            continue
        direction = text[0] / np.linalg.norm(text[0])
        vectors = images.vectors.astype(np.float64)
        cosines = vectors @ direction / np.linalg.norm(vectors, axis=1)
        found[prompt.text] = dict(zip(images.seeds, cosines.tolist(), strict=True))
    return found or None


def only(values: Values, labels: Labels, group: str) -> Values:
    """Return the numbers of the images with one label."""
    return {
        prompt: {seed: x for seed, x in own.items() if labels.get(prompt, {}).get(seed) == group}
        for prompt, own in values.items()
    }
