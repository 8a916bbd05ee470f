"""What an amplification study says in a line, with both sides of every occupation in counts."""

from __future__ import annotations

from collections.abc import Sequence

from portrayal.findings import Bar, Headline, plural
from portrayal.kinds.amplification.counts import Cell, SubsetComparison
from portrayal.kinds.amplification.schema import OCCUPATION, SUBSETS, AmplificationStudy
from portrayal.numbers import number

TRAINING, GENERATED = "training", "generated"
RANGE = 50
"""Points that a share can at most be further from 50% than another."""


def amplification_headline(
    study: AmplificationStudy, comparison: SubsetComparison, points: float
) -> Headline:
    """Return the headline of one subset.

    Args:
        study: The study.
        comparison: Both sides.
        points: How much further from 50% generated images are than training images.
    """
    way = "further from" if points > 0 else "nearer to"
    size, title = number(abs(points)), SUBSETS[comparison.subset].title
    is_plain = comparison.subset == "naive"
    return Headline(
        claim=f"Generated images are {size} points {way} 50% than training images"
        if is_plain
        else f"{size} points {way} 50% ({title})",
        otherwise=f"Amplification not established ({title})",
        measure=f"share of {plural(study.first_group)}",
        magnitude=min(1.0, abs(points) / RANGE),
        bars=_bars(study, comparison),
    )


def _bars(study: AmplificationStudy, comparison: SubsetComparison) -> list[Bar]:
    """Return two bars for every occupation: training and generated images."""
    prompts: dict[str, list[str]] = {}
    for prompt in study.prompts():
        prompts.setdefault(prompt.factors[OCCUPATION], []).append(prompt.text)
    bars = []
    for label, training, generated in zip(
        comparison.occupations, comparison.training, comparison.generated, strict=True
    ):
        # Prompts that share their training images count them once.
        own = training[:1] if all(cell is training[0] for cell in training) else training
        bars += [
            _bar(label, own, TRAINING),
            _bar(label, generated, GENERATED, prompts=prompts.get(label, ())),
        ]
    return bars


def _bar(label: str, cells: Sequence[Cell], side: str, *, prompts: Sequence[str] = ()) -> Bar:
    hits, n = sum(cell.first for cell in cells), sum(cell.n for cell in cells)
    return Bar.share(label, hits, n, side=side, prompts=prompts)
