"""What captions say beside what images show: sections 5.1, 6 and appendix A.1 of the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from portrayal.audit import SAMPLED
from portrayal.findings import DataTable
from portrayal.kinds.amplification.counts import PLAIN
from portrayal.kinds.amplification.measures import Amplified
from portrayal.kinds.amplification.schema import CAPTION, INDICATORS, SUBSETS, SubsetName
from portrayal.kinds.amplification.view import AmplificationView

Found = Mapping[SubsetName, Amplified]
ALL = "all occupations"


def indicator_tables(view: AmplificationView, found: Found) -> Iterator[DataTable]:
    """Yield the tables of indicators, of captions as prompts, of flips and of reductions."""
    yield _indicated(view)
    if CAPTION in {SUBSETS[name].prompts for name in found}:
        yield _matching(view)
    yield _flips(view, found)
    if "naive" in found:
        yield _reductions(view, found)


def indicator_counts(view: AmplificationView) -> dict[str, dict[str, list[int]]]:
    """Return sampled captions with an indicator, and all, by occupation and group in the image.

    The group "" stands for all captions, the first occupation, `ALL`, for all occupations.
    """
    groups = list(view.study.axis.groups)
    whole: dict[str, list[int]] = {name: [0, 0] for name in ("", *groups)}
    found = {ALL: whole}
    for occupation in view.study.occupations:
        cells: dict[str, list[int]] = {name: [0, 0] for name in ("", *groups)}
        for key, indicator in view.counting.rows(occupation, SAMPLED):
            label = view.counting.training.labels.get(key, "")
            for name in ("", label) if label in groups else ("",):
                for own in (cells, whole):
                    own[name][0] += indicator != PLAIN
                    own[name][1] += 1
        found[occupation] = cells
    return found


def _indicated(view: AmplificationView) -> DataTable:
    """Return the share of captions with an indicator, by occupation and by group in the image."""
    groups = list(view.study.axis.groups)
    return DataTable(
        f"indicators{view.suffix}",
        f"% of captions with an indicator{view.suffix}",
        ("occupation", "captions", "all", *(f"image shows {group}" for group in groups)),
        [[name, *_shares(cells)] for name, cells in indicator_counts(view).items()],
        note="Of the sampled captions (section 5.1). The paper: 59.5% of captions; of mechanics, "
        "30% where the image shows a man and 68% where it shows a woman.",
    )


def _shares(cells: Mapping[str, list[int]]) -> list[Any]:
    counts = list(cells.values())
    return [counts[0][1], *(percent_of(*one) for one in counts)]


def percent_of(hits: int, n: int) -> float | None:
    """Return a percentage; None of nothing."""
    return 100 * hits / n if n else None


def matching_counts(view: AmplificationView) -> dict[str, list[int]]:
    """Return images of captions that show the group the caption indicates, and all, by group."""
    drawn = view.study.drawn.captions if view.study.drawn else {}
    meant = {INDICATORS.get(group, group): group for group in view.study.axis.groups}
    counts = {group: [0, 0] for group in meant.values()}
    made = view.counting.generated
    for captions in drawn.values():
        for one in captions:
            group = meant.get(one.indicator)
            for key in made.listing.get(one.prompt(CAPTION), []) if group else ():
                label = made.labels.get(key)
                if group is not None and label in made.groups:
                    counts[group][0] += label == group
                    counts[group][1] += 1
    return {"any": [sum(one[i] for one in counts.values()) for i in (0, 1)], **counts}


def _matching(view: AmplificationView) -> DataTable:
    """Return how often images of a caption show the group that the caption indicates."""
    rows = [[group, n, percent_of(hits, n)] for group, (hits, n) in matching_counts(view).items()]
    return DataTable(
        f"captions-and-images{view.suffix}",
        f"Images of captions that indicate a group{view.suffix}",
        ("caption indicates", "images", "% that show it"),
        rows,
        note="Captions as prompts; those that indicate both are left out (section 6). The paper: "
        "98.41%.",
    )


def _flips(view: AmplificationView, found: Found) -> DataTable:
    """Return the occupations whose majority flips, and for how many prompts."""
    rows: list[list[Any]] = []
    for name, one in found.items():
        sides = [one.comparison.percent(side) - 50 for side in
                 (one.comparison.training, one.comparison.generated)]  # fmt: skip
        flips = (np.nan_to_num(sides[0]) * np.nan_to_num(sides[1]) < 0).sum(axis=1)
        prompts = len(one.comparison.prompts)
        always = [o for o, n in zip(view.study.occupations, flips, strict=True) if n == prompts]
        some = sum(0 < n < prompts for n in flips)
        rows.append([SUBSETS[name].title, len(always), int(some), ", ".join(always)])
    return DataTable(
        f"flips{view.suffix}",
        f"Occupations whose majority flips{view.suffix}",
        ("approach", "for all prompts", "for some prompts", "which, for all"),
        rows,
        note="From training to generated images (appendix A.1). The paper, naive, for all prompts "
        "and both models: assistant, author, dentist, painter, supervisor.",
    )


def reductions(found: Found) -> dict[SubsetName, list[float | None]]:
    """Return by how many percent each subset lowers the paper's mean of the naive one, by prompt.

    Subsets without the prompts of the naive one (captions as prompts) are left out.
    """
    naive = [float(x) for x in found["naive"].sampled.per_prompt]
    less: dict[SubsetName, list[float | None]] = {}
    for name, one in found.items():
        mine = [float(x) for x in one.sampled.per_prompt]
        if name != "naive" and len(mine) == len(naive):
            less[name] = [fewer(a, b) for a, b in zip(naive, mine, strict=True)]
    return less


def fewer(naive: float, other: float) -> float | None:
    """Return by how many percent a mean is lower than the naive one; None where that is not > 0."""
    return 100 * (1 - other / naive) if naive > 0 else None


def _reductions(view: AmplificationView, found: Found) -> DataTable:
    """Return how much less than the naive amplification each approach shows, by prompt."""
    return DataTable(
        f"reduction-by-prompt{view.suffix}",
        f"Reduction of the naive amplification by prompt, in %{view.suffix}",
        ("approach", *found["naive"].comparison.prompts),
        [[SUBSETS[name].title, *less] for name, less in reductions(found).items()],
        note="Of the paper's means, which take percentages as known. The paper, nearest neighbours "
        "without indicators: 89% for prompt #1, 49% for prompt #2 (its table 3 gives 50%).",
    )
