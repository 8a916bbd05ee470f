"""Tables of dead links: what was lost by indicator, and shares corrected for it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from portrayal.audit import SAMPLED
from portrayal.findings import DataTable
from portrayal.kinds.amplification.link_rot import corrected_share
from portrayal.kinds.amplification.view import AmplificationView

LOST = ("occupation", "indicator", "captions tried", "lost", "share lost")
CORRECTED = ("occupation", "images", "% in images", "% corrected", "low", "high")
ALL = "all occupations"


def loss_tables(view: AmplificationView) -> Iterator[DataTable]:
    """Yield what dead links took away; nothing where images were not downloaded by links."""
    lost: Mapping[str, Mapping[str, list[int]]] = view.selection.about.get("lost", {})
    if not lost:
        return
    yield _lost_table(view, lost)
    yield _corrected_table(view, lost)


def _lost_table(view: AmplificationView, lost: Mapping[str, Mapping[str, list[int]]]) -> DataTable:
    whole: dict[str, list[int]] = {}
    for cells in lost.values():
        for indicator, (tried, dead) in cells.items():
            known = whole.setdefault(indicator, [0, 0])
            whole[indicator] = [known[0] + tried, known[1] + dead]
    rows: list[list[Any]] = [
        [occupation, indicator, tried, dead, dead / tried]
        for occupation, cells in {ALL: whole, **lost}.items()
        for indicator, (tried, dead) in sorted(cells.items())
    ]
    return DataTable(
        f"lost{view.suffix}",
        f"Captions whose link is dead, by what their words indicate{view.suffix}",
        LOST,
        rows,
        note="Of the sampled captions, in their random order, up to the last one that was taken. "
        "Captions behind dead links were replaced by the next ones.",
    )


def _corrected_table(
    view: AmplificationView, lost: Mapping[str, Mapping[str, list[int]]]
) -> DataTable:
    study, training = view.study, view.counting.training
    rows: list[list[Any]] = []
    for occupation in study.occupations:
        images: Counter[str] = Counter()
        hits: Counter[str] = Counter()
        for key, indicator in view.counting.rows(occupation, SAMPLED):
            label = training.labels.get(key)
            images[indicator] += label in training.groups
            hits[indicator] += label == study.first_group
        tried = {name: cell[0] for name, cell in lost.get(occupation, {}).items()}
        n = images.total()
        found = corrected_share(
            hits, images, tried, rng=view.settings.rng("dead links", occupation),
            confidence=view.settings.confidence,
        )  # fmt: skip
        plain = 100 * hits.total() / n if n else math.nan
        rows.append([occupation, n, plain, 100 * found.share, *(100 * x for x in found.interval)])
    return DataTable(
        f"corrected-for-dead-links{view.suffix}",
        f"% {study.first_group} in training images, corrected for dead links{view.suffix}",
        CORRECTED,
        rows,
        note="Every indicator counts as often as among the captions that were tried. Assumes that "
        "whether a link is dead depends on the indicator alone; where it also depends on who is "
        "shown, this does not help.",
    )
