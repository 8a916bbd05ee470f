"""Machine against raters: do association scores order concepts as people do?

T2IAT, section 5.5 and Table 2: raters see neutral images and choose the attribute that is more
closely associated. A concept's score is the fraction of its images for which most raters chose the
first attribute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from portrayal.findings import (
    AnalysisSettings,
    Asked,
    DataTable,
    Distribution,
    Finding,
    FloatArray,
    Ours,
    counted,
)
from portrayal.numbers import between, p_in_words
from portrayal.statistics import Interval, share_interval

TAU = "Kendall's tau"
LEAST_CONCEPTS = 3
SHARE = "share of images"
ALL = "all concepts"
COLUMNS = (
    "concept", "rated images", SHARE, "low", "high", "without majority", "share of raters",
    "association", "images",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RatedConcept:
    """A concept with raters' answers.

    Attributes:
        name: The concept.
        ratings: Share of raters who chose the first attribute, one per rated image.
        associations: Eq. 2, one per image that the encoder saw.
    """

    name: str
    ratings: FloatArray
    associations: FloatArray

    @property
    def chosen(self) -> FloatArray:
        """1 where most raters chose the first attribute, 0 the second; none where they tie."""
        decided = self.ratings[self.ratings != 0.5]
        return np.asarray(decided > 0.5, dtype=np.float64)


def rated_concepts(
    distributions: Sequence[Distribution], ratings: Mapping[str, float]
) -> tuple[list[RatedConcept], int]:
    """Join the association of every image with raters' answers.

    Args:
        distributions: The association of every image, by one encoder.
        ratings: By image key, the share of raters who chose the first attribute; NaN where nobody
            could judge.

    Returns:
        The concepts that have both, and how many ratings could not be used.
    """
    values: dict[str, dict[str, float]] = {}
    for row in (row for one in distributions for row in one.rows):
        if row.value is not None:
            values.setdefault(row.concept, {})[row.key] = row.value
    found = []
    used = 0
    for name, by_key in values.items():
        rated = [ratings[key] for key in by_key if key in ratings and not math.isnan(ratings[key])]
        used += len(rated)
        concept = RatedConcept(name, np.array(rated), np.array(list(by_key.values())))
        if concept.chosen.size:
            found.append(concept)
    return found, len(ratings) - used


def compare_with_raters(
    asked: Asked,
    concepts: Sequence[RatedConcept],
    settings: AnalysisSettings,
    *,
    n_missing: int = 0,
) -> Finding:
    """Return Kendall's tau between machine and raters over concepts.

    The interval is for these concepts with other images of theirs: images are drawn again within
    each concept, rated ones and all, and tau is computed again (percentiles). p is exact over the
    orders of the concepts where it can be.

    Args:
        asked: What the finding answers, as `order_asked` says it.
        concepts: Concepts with ratings and associations.
        settings: How.
        n_missing: Ratings that could not be used.
    """
    people = np.array([one.chosen.mean() for one in concepts])
    machine = np.array([one.associations.mean() for one in concepts])
    tau, p = math.nan, math.nan
    if len(concepts) >= LEAST_CONCEPTS:
        found = stats.kendalltau(machine, people)
        tau, p = float(found.statistic), float(found.pvalue)
    if not math.isfinite(tau):
        why = (
            f"{counted(len(concepts), 'concept')} with ratings that differ; at least "
            f"{LEAST_CONCEPTS} are needed"
        )
        return asked.unanswered(why, n=0, n_missing=n_missing)
    interval = _interval(concepts, settings, asked.study)
    return asked.answered(
        tau,
        interval,
        p=p,
        n=len(concepts),
        n_missing=n_missing,
        sentence=f"Machine and raters order {counted(len(concepts), 'concept')} alike by tau = "
        f"{tau:.2f} ({between(*interval, settings.confidence)}); {p_in_words('p', p)}; "
        f"{counted(sum(one.ratings.size for one in concepts), 'rated image')}.",
    )


def order_asked(
    study: str, kind: str, measurer: str, *, before: str = "", after: str = ""
) -> Asked:
    """Return the question whether machine and raters order concepts alike.

    Args:
        study: Name of the study, or of several together.
        kind: Their kind.
        measurer: Label of the measurer.
        before: What the question begins with.
        after: What it ends with.
    """
    question = f"{before}do association scores order concepts as raters do?{after}"
    return Asked(study, kind, question, TAU, "concept", measurer, n_of="concept")


def raters_table(
    concepts: Sequence[RatedConcept], settings: AnalysisSettings, name: str, about: str
) -> DataTable:
    """Return the layout of T2IAT's Table 2, with intervals and the machine's score beside it.

    Args:
        concepts: Concepts with ratings and associations.
        settings: How.
        name: The table's name.
        about: Attributes, encoder and raters, for its title.
    """
    rows = []
    for one in concepts:
        share = image_share(one, settings)
        mean = float(one.associations.mean()) if one.associations.size else None
        ties = one.ratings.size - one.chosen.size
        rows.append([
            one.name, one.ratings.size, *share, ties, float(one.ratings.mean()), mean,
            one.associations.size,
        ])  # fmt: skip
    return DataTable(
        name,
        f"Raters beside the machine: {about}",
        COLUMNS,
        rows,
        note=f"{SHARE}: images for which most raters chose the first attribute (T2IAT, Table 2). "
        "share of raters: the mean over images.",
    )


def image_share(concept: RatedConcept, settings: AnalysisSettings) -> Ours:
    """Return the fraction of images for which most raters chose the first attribute."""
    chosen = concept.chosen
    if not chosen.size:
        return Ours(None)
    bounds = share_interval(int(chosen.sum()), chosen.size, confidence=settings.confidence)
    return Ours(float(chosen.mean()), *bounds)


def _interval(concepts: Sequence[RatedConcept], settings: AnalysisSettings, study: str) -> Interval:
    rng = settings.rng(study, "raters")
    draws = min(settings.resamples, 1999)
    people = np.stack([_means(one.chosen, draws, rng) for one in concepts], axis=1)
    machine = np.stack([_means(one.associations, draws, rng) for one in concepts], axis=1)
    taus = np.array(
        [stats.kendalltau(x, y).statistic for x, y in zip(machine, people, strict=True)]
    )
    tail = (1 - settings.confidence) / 2
    low, high = np.nanquantile(taus, (tail, 1 - tail))
    return Interval(float(low), float(high))


def _means(values: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Return means of values drawn with replacement."""
    places = rng.integers(0, values.size, size=(draws, values.size))
    return np.asarray(values[places].mean(axis=1))
