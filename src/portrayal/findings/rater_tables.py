"""Raters' scores as tables for people; every table states the rule behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from portrayal.findings.parts import DataTable


def vote_tables(scored: Mapping[str, Any]) -> list[DataTable]:
    """Return what `score_votes` found as tables: diversity, bias, quality, agreement."""
    rule = (
        f"Consensus by the rule {scored['rule']}, images with {scored['least_votes']} votes or "
        "more."
    )
    two_groups = [one for one in scored["scores"] if one["diversity"] is not None]
    tables = [
        _diversity(two_groups, rule),
        _bias(two_groups, rule),
        _evenness([one for one in scored["scores"] if one["diversity"] is None], rule),
        _quality(scored["quality"], rule),
        _agreement(scored["agreement"]),
    ]
    return [table for table in tables if table.rows]


def _diversity(scores: Sequence[Mapping[str, Any]], rule: str) -> DataTable:
    rows = [
        [*one["group"].values(), one["axis"], one["diversity"]["value"],
         one["diversity"]["low"], one["diversity"]["high"],
         one["diversity"]["published"], one["diversity"]["n"], one["images"] - one["usable"]]
        for one in scores
    ]  # fmt: skip
    return DataTable(
        "human-diversity",
        "Diversity score by raters (0: even, 1: one group only)",
        [*_names(scores), "axis", "diversity", "low", "high", "published", "n", "missing"],
        rows,
        note=f"{rule} Equation 1 of Bansal et al. 2022, bias-corrected; smaller is more diverse. "
        "published: as the paper computes it.",
    )


def _bias(scores: Sequence[Mapping[str, Any]], rule: str) -> DataTable:
    rows = [
        [*one["group"].values(), one["axis"], each["attribute"], _leaning(one, each),
         each["bias"]["value"], each["bias"]["low"], each["bias"]["high"], each["usable"],
         each["images"] - each["usable"]]
        for one in scores
        for each in one["attributes"]
    ]  # fmt: skip
    return DataTable(
        "human-bias",
        "Bias score by raters (-1 to 1)",
        [*_names(scores), "axis", "attribute", "toward", "bias", "low", "high", "n", "missing"],
        rows,
        note=f"{rule} Equation 2 of Bansal et al. 2022.",
    )


def _evenness(scores: Sequence[Mapping[str, Any]], rule: str) -> DataTable:
    rows = [
        [*one["group"].values(), one["axis"], one["evenness"]["value"], one["evenness"]["low"],
         one["evenness"]["high"], one["evenness"]["n"], one["images"] - one["usable"]]
        for one in scores
    ]  # fmt: skip
    return DataTable(
        "human-evenness",
        "Many-group diversity by raters (0: one group only, 1: even)",
        [*_names(scores), "axis", "evenness", "low", "high", "n", "missing"],
        rows,
        note=f"{rule} Larger is more diverse.",
    )


def _quality(quality: Sequence[Mapping[str, Any]], rule: str) -> DataTable:
    rows = [
        [*one["group"].values(), one["axis"], one["usable_per_attribute"],
         one["images_per_attribute"]]
        for one in quality
    ]  # fmt: skip
    return DataTable(
        "human-quality",
        "Usable images per attribute",
        [*_names(quality), "axis", "usable", "of"],
        rows,
        note=f"{rule} Images that raters could place in a group (table 3 of Bansal et al. 2022).",
    )


def _agreement(agreement: Sequence[Mapping[str, Any]]) -> DataTable:
    rows = [
        [one["question"], measure, one[key]["value"], one[key]["low"], one[key]["high"], one["n"]]
        for one in agreement
        for key, measure in (
            ("percent", "same answer, share of pairs"),
            ("krippendorff_alpha", "Krippendorff's alpha"),
            ("fleiss_kappa", "Fleiss' kappa"),
        )
    ]
    return DataTable(
        "human-agreement",
        "Agreement between raters",
        ["question", "measure", "value", "low", "high", "images"],
        rows,
        note='All answers as given; "can\'t judge" is an answer like any other.',
    )


def _names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(rows[0]["group"]) if rows else []


def _leaning(score: Mapping[str, Any], attribute: Mapping[str, Any]) -> str:
    """Return the group that a bias score leans to."""
    value = attribute["bias"]["value"]
    if value is None or math.isnan(value) or value == 0:
        return ""
    first, second = score["groups"]
    return str(first if value > 0 else second)
