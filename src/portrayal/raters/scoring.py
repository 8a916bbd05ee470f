"""Scores from votes alone: diversity, bias, quality and agreement, each with its interval.

Everything that a table states is in the result: the rule, how many images counted, why others did
not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from portrayal.errors import ImportFileError, StatisticsError, one_of
from portrayal.raters.consensus import Decisions, decide
from portrayal.raters.inference import inferred_maps
from portrayal.raters.mapping import VoteMap, read_map
from portrayal.raters.questions import Question
from portrayal.raters.reading import read_votes
from portrayal.raters.reliability import agreement
from portrayal.raters.votes import RatedImage, Votes
from portrayal.records import plain
from portrayal.statistics import RULES, Rule, bias_score, diversity_score, many_group_diversity

FORMAT = 1
ALL = "all images"
"""The one attribute of images that have none."""


def score_file(
    file: Path | Sequence[Path],
    vote_map: Path | None = None,
    *,
    rule: Rule = "majority",
    least_votes: int | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[str, Any]:
    """Score a raters' file, or several together, without images.

    Args:
        file: The votes: CSV or JSON.
        vote_map: The MAP.toml that says which columns mean what, or the name of one that comes
            with portrayal; None: told from the file.
        rule: What makes a consensus: `majority`, `unanimous` or `majority-certain`.
        least_votes: How many votes an image needs; None: two, or one where no image has two.
        confidence: Of all intervals.
        seed: Of all draws.

    Returns:
        A JSON-ready table of tables; see `score_votes`.

    Raises:
        ImportFileError: The file or the map is wrong.
        StatisticsError: The rule is unknown.
    """
    files = (file,) if isinstance(file, Path) else tuple(file)
    mapped = _only_map(files) if vote_map is None else read_map(vote_map)
    name = "the inferred map" if vote_map is None else vote_map.name
    votes = read_votes(files, mapped, source=name)
    scored = score_votes(
        votes,
        rule=rule,
        attribute=mapped.attribute,
        by=mapped.by,
        least_votes=least_votes,
        confidence=confidence,
        rng=np.random.default_rng(seed),
    )
    return {"file": ", ".join(one.name for one in files), "map": name, "seed": seed, **scored}


def _only_map(files: Sequence[Path]) -> VoteMap:
    """Return what the columns of files mean that are scored together."""
    maps = inferred_maps(files)
    if len(maps) > 1:
        raise ImportFileError(
            f"{maps[0].files[0].name} and {maps[1].files[0].name} have different columns or "
            "separators; score them one by one, or give a map with [[files]]"
        )
    return maps[0].map


def score_votes(
    votes: Votes,
    *,
    rule: Rule,
    attribute: str | None,
    by: Sequence[str],
    least_votes: int | None = None,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Score votes.

    Args:
        votes: What the raters said.
        rule: How votes become a consensus.
        attribute: The factor whose levels are attributes (k of ENTIGEN's equation 1).
        by: One row of scores for each combination of these factors.
        least_votes: How many votes an image needs.
        confidence: Of all intervals.
        rng: Source of all draws.

    Returns:
        `agreement` by question; `consensus`, answers by question; `scores` by group of images and
        axis, each with diversity, the attributes with their bias, and why images did not count;
        `quality`, how many images of an attribute count. NaN is null.
    """
    if rule not in RULES:
        raise StatisticsError(f"rule is {rule!r}; allowed: {one_of(RULES)}")
    decisions = decide(votes, rule=rule, least_votes=least_votes)
    groups = _groups(decisions.about, by)
    scores = [
        _score(question, decisions, group, places, attribute, rng=rng, confidence=confidence)
        for question in votes.questions.axes
        for group, about in groups.items()
        if (places := [i for i in about if votes.was_asked(decisions.images[i], question.id)])
    ]
    found = {
        "format": FORMAT,
        "rule": rule,
        "least_votes": decisions.least_votes,
        "confidence": confidence,
        "images": len(decisions.images),
        "votes": len(votes.votes),
        "raters": len(votes.raters),
        "dropped": dict(votes.dropped),
        "agreement": [
            one.as_dict() for one in agreement(votes, rng=rng, confidence=confidence)
        ],
        "consensus": [
            {"question": name, "answers": dict(Counter(x for x in labels if x is not None)),
             "none": sum(
                 x is None and votes.was_asked(image, name)
                 for image, x in zip(decisions.images, labels, strict=True)
             )}
            for name, labels in decisions.labels.items()
        ],
        "scores": scores,
        "quality": [_quality(one) for one in scores],
    }  # fmt: skip
    written: dict[str, Any] = plain(found)
    return written


def _groups(
    about: Sequence[RatedImage], by: Sequence[str]
) -> dict[tuple[tuple[str, str], ...], list[int]]:
    """Return the places of the images of every combination of levels."""
    found: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for place, image in enumerate(about):
        group = tuple((name, image.factors.get(name, "")) for name in by)
        found.setdefault(group, []).append(place)
    return found


def _score(
    question: Question,
    decisions: Decisions,
    group: tuple[tuple[str, str], ...],
    places: Sequence[int],
    attribute: str | None,
    *,
    rng: np.random.Generator,
    confidence: float,
) -> dict[str, Any]:
    labels = decisions.axis_labels[question.id]
    counts: dict[str, Counter[str]] = {}
    images: Counter[str] = Counter()
    for place in places:
        level = decisions.about[place].factors.get(attribute, ALL) if attribute else ALL
        images[level] += 1
        tally = counts.setdefault(level, Counter())
        label = labels[place]
        if label is not None:
            tally[label] += 1
    table = np.array([[tally[name] for name in question.groups] for tally in counts.values()])
    many = many_group_diversity(table, confidence=confidence)
    return {
        "group": dict(group),
        "axis": question.axis,
        "question": question.id,
        "groups": list(question.groups),
        "images": len(places),
        "usable": int(table.sum()),
        "unusable": decisions.unusable(question.id, places),
        "diversity": _diversity(table, confidence=confidence),
        "evenness": {
            "value": many.value, "low": many.interval.low, "high": many.interval.high,
            "n": many.n, "n_attributes": many.n_attributes, "n_missing": many.n_missing,
        },
        "attributes": _attributes(list(counts), images, table, question, confidence),
    }  # fmt: skip


def _diversity(table: np.ndarray[Any, Any], *, confidence: float) -> dict[str, Any] | None:
    """Return ENTIGEN's equation 1; None for an axis that has not just two groups."""
    if table.shape[1] != 2:
        return None
    found = diversity_score(table[:, 0], table[:, 1], confidence=confidence)
    return {
        "value": found.value, "low": found.interval.low, "high": found.interval.high,
        "published": found.published, "n": found.n, "n_attributes": found.n_attributes,
        "n_missing": found.n_missing,
    }  # fmt: skip


def _attributes(
    names: Sequence[str],
    images: Counter[str],
    table: np.ndarray[Any, Any],
    question: Question,
    confidence: float,
) -> list[dict[str, Any]]:
    """Return counts by attribute, and ENTIGEN's equation 2 where an axis has two groups."""
    rows: list[dict[str, Any]] = [
        {
            "attribute": name,
            "images": images[name],
            "usable": int(row.sum()),
            "counts": dict(zip(question.groups, row.tolist(), strict=True)),
        }
        for name, row in zip(names, table, strict=True)
    ]
    if table.shape[1] == 2:
        bias = bias_score(table[:, 0], table[:, 1], confidence=confidence)
        for i, row in enumerate(rows):
            row["bias"] = {
                "value": bias.value[i], "low": bias.interval.low[i], "high": bias.interval.high[i],
            }  # fmt: skip
    return rows


def _quality(score: dict[str, Any]) -> dict[str, Any]:
    """Return how many images of an attribute count, on average (ENTIGEN's table 3)."""
    n = len(score["attributes"])
    return {
        "group": score["group"],
        "axis": score["axis"],
        "attributes": n,
        "images_per_attribute": score["images"] / n,
        "usable_per_attribute": score["usable"] / n,
    }
