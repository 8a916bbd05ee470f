"""Machine against raters: do association scores order concepts as people do?

T2IAT, section 5.5 and Table 2: raters see neutral images and choose the attribute that is more
closely associated. Here: whoever collected the answers, the share of raters who chose the first
attribute, image by image.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from portrayal.findings.data import FloatArray
from portrayal.findings.sentences import between, chance, counted
from portrayal.findings.settings import AnalysisSettings
from portrayal.records import Finding, Table
from portrayal.statistics import Interval, cluster_bootstrap

TAU = "Kendall's tau"
LEAST_CONCEPTS = 3
COLUMNS = ("concept", "rated images", "share of raters", "low", "high", "association", "images")


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


def rated_concepts(
    distributions: Sequence[Table], ratings: Mapping[str, float]
) -> tuple[list[RatedConcept], int]:
    """Join the association of every image with raters' answers.

    Args:
        distributions: Tables with the role "distribution", of one encoder.
        ratings: By image key, the share of raters who chose the first attribute; NaN where nobody
            could judge.

    Returns:
        The concepts that have both, and how many ratings could not be used.
    """
    values: dict[str, dict[str, float]] = {}
    for table in distributions:
        for row in table.rows:
            values.setdefault(str(row[1]), {})[str(row[0])] = float(row[4])
    found = []
    used = 0
    for name, by_key in values.items():
        rated = [ratings[key] for key in by_key if key in ratings and not math.isnan(ratings[key])]
        used += len(rated)
        if rated:
            found.append(RatedConcept(name, np.array(rated), np.array(list(by_key.values()))))
    return found, len(ratings) - used


def compare_with_raters(
    study: str,
    concepts: Sequence[RatedConcept],
    settings: AnalysisSettings,
    *,
    n_missing: int = 0,
) -> Finding:
    """Return Kendall's tau between machine and raters over concepts.

    The interval is for these concepts with other images of theirs: images are drawn anew within
    each concept, rated ones and all, and tau is computed again (percentiles). p is exact over the
    orders of the concepts where it can be.

    Args:
        study: Name of the study or suite.
        concepts: Concepts with ratings and associations.
        settings: How.
        n_missing: Ratings that could not be used.
    """
    people = np.array([one.ratings.mean() for one in concepts])
    machine = np.array([one.associations.mean() for one in concepts])
    tau, p = math.nan, math.nan
    if len(concepts) >= LEAST_CONCEPTS:
        found = stats.kendalltau(machine, people)
        tau, p = float(found.statistic), float(found.pvalue)
    known = math.isfinite(tau)
    interval = _interval(concepts, settings, study) if known else Interval(math.nan, math.nan)
    return Finding(
        study=study,
        question="do association scores order concepts as raters do?",
        statistic=TAU,
        estimate=tau if known else None,
        low=interval.low if known else None,
        high=interval.high if known else None,
        p=p if known else None,
        q=None,
        n=len(concepts) if known else 0,
        n_missing=n_missing,
        unit="concept",
        sentence=(
            f"Machine and raters order {counted(len(concepts), 'concept')} alike by tau = "
            f"{tau:.2f} ({between(*interval, settings.confidence)}); {chance(p)}; "
            f"{counted(sum(one.ratings.size for one in concepts), 'rated image')}."
            if known
            else f"not enough data: {counted(len(concepts), 'concept')} with ratings that differ; "
            f"at least {LEAST_CONCEPTS} are needed"
        ),
    )


def raters_table(concepts: Sequence[RatedConcept], settings: AnalysisSettings) -> Table:
    """Return the layout of T2IAT's Table 2, with intervals and the machine's score beside it."""
    rows = []
    for one in concepts:
        rng = settings.rng("raters", one.name)
        share = cluster_bootstrap(
            np.mean, one.ratings, resamples=999, confidence=settings.confidence, rng=rng
        )
        low, high = (
            None if math.isnan(bound) else float(np.clip(bound, 0, 1)) for bound in share.interval
        )
        mean = float(one.associations.mean())
        n = one.ratings.size
        rows.append([one.name, n, share.estimate, low, high, mean, one.associations.size])
    return Table("raters", "Raters beside the machine", COLUMNS, rows)


def _interval(concepts: Sequence[RatedConcept], settings: AnalysisSettings, study: str) -> Interval:
    rng = settings.rng(study, "raters")
    draws = min(settings.resamples, 1999)
    people = np.stack([_means(one.ratings, draws, rng) for one in concepts], axis=1)
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
