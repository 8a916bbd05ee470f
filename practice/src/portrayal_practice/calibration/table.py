"""The tables of docs/calibration.md, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from portrayal.findings import AnalysisSettings
from portrayal.generators import Pool
from portrayal.kinds.association import EFFECT, SCORE, AssociationStudy
from portrayal_practice.calibration.coverage import CoverageResult, coverage, rejections


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is drawn: images per prompt and audits, and the seed of the draws."""

    images: int = 4
    repeats: int = 1000
    seed: int = 0

    def rng(self, part: int) -> np.random.Generator:
        """Return random numbers of their own for each table."""
        return np.random.default_rng([self.seed, self.images, part])


def coverage_table(
    studies: Iterable[AssociationStudy], pool: Pool, effort: Effort
) -> Iterator[str]:
    """Yield the lines of the table of coverage: same prompts, and prompts drawn again."""
    yield from _head(
        "test", "prompts", "true S", "true d", "S", "d", "S, units", "d, units",
        "S, prompts redrawn", "d, prompts redrawn",
    )  # fmt: skip
    to_prompts = AnalysisSettings(resample="units")
    for study in studies:
        images = coverage(
            study, pool, images=effort.images, repeats=effort.repeats, rng=effort.rng(0)
        )
        units = coverage(
            study, pool, images=effort.images, repeats=effort.repeats, settings=to_prompts,
            rng=effort.rng(0),
        )  # fmt: skip
        others = coverage(
            study, pool, images=effort.images, repeats=effort.repeats, settings=to_prompts,
            prompts="redrawn", rng=effort.rng(1),
        )  # fmt: skip
        found = [_of(results, SCORE, EFFECT) for results in (images, units, others)]
        score, effect = found[0]
        yield _line(
            study.name,
            " + ".join(str(len(study.concepts[name].words)) for name in study.contrasts[0]),
            f"{score.truth:.4f}",
            f"{effect.truth:.2f}",
            *(_percent(one.share) for pair in found for one in pair),
        )


def rejection_table(
    studies: Iterable[AssociationStudy], pool: Pool, effort: Effort
) -> Iterator[str]:
    """Yield the lines of the table of rejections: a true null, and the study's own question."""
    yield from _head(
        "test", "null, `stimuli`", "null, `targets`", "found, `stimuli`", "found, `targets`"
    )
    for study in studies:
        shares = [
            rejections(
                study, pool, images=effort.images, repeats=effort.repeats, sides=sides,
                permute=permute, rng=effort.rng(2),
            )[0].share
            for sides in ("shuffled", "study")
            for permute in ("stimuli", "targets")
        ]  # fmt: skip
        yield _line(study.name, *(_percent(share) for share in shares))


def _of(results: Sequence[CoverageResult], *statistics: str) -> list[CoverageResult]:
    return [next(r for r in results if r.statistic == statistic) for statistic in statistics]


def _head(*names: str) -> Iterator[str]:
    yield _line(*names)
    yield _line(*("---" for _ in names))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
