"""How many of a paper's images `run --until decided` needs for the effects that it published.

    python -m benchmarks.early_stopping [WORLDS]

Images are the units. Audits are simulated at the published effect sizes and numbers of images, and
looked at as `--until decided` does; of effects that are significant at full size in most audits the
median share of the images at the decision is printed.

T2IAT: Table 1, d and 10 images per prompt; q over the eight tests. ENTIGEN: Table 1, diversity
scores by CLIP of 25 professions with 9 images each; q over the six additions. Bias amplification:
62 occupations, 500 images per prompt and 500 training images; amplifications differ by 12 points.
Word-level explanations: Table 1, 15 images per replaced word and 25 of the prompt; q over the six
words. The last column is the median share if looks were not counted at all, which no valid rule
can undercut by much.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.association_test import PROMPTS
from portrayal.statistics import (
    amplification_from_counts,
    benjamini_hochberg,
    look_sizes,
    paired_change,
    planned_looks,
)

WORLDS = 400
T2IAT = (1.492, 0.528, 0.323, -1.237, 1.113, -0.099, 0.193, 0.639)
ENTIGEN = {
    "minDALL-E": (0.68, (0.43, 0.87, 0.66, 0.74, 0.62, 0.54)),
    "DALL-E-mini": (0.90, (0.80, 0.82, 0.96, 1.0, 0.91, 0.71)),
    "Stable Diffusion": (0.84, (0.71, 0.66, 0.75, 0.76, 0.93, 0.91)),
}
ADDITIONS = (
    "irrespective of gender", "all genders", "irrespective of skin", "all skin color", "honesty",
    "compassion",
)  # fmt: skip
AMPLIFICATION = {"any caption": 12.57, "nearest captions": 6.76}
WORDS = {"a": 0.133, "respected": 0.267, "doctor": 0.533, "at": 0.2, "the": 0.2, "hospital": 0.0}

Array = NDArray[np.float64]
World = Callable[[int, np.random.Generator], Array]
"""Returns p, one row per effect and one column per look, of one audit with this maximum."""


@dataclass(frozen=True)
class Paper:
    """The effects of one table, tested together."""

    name: str
    effects: Sequence[str]
    images: int
    world: World


def t2iat(images: int, rng: np.random.Generator) -> Array:
    rows = []
    for d, (x, y) in zip(T2IAT, PROMPTS.values(), strict=True):
        a, b = rng.normal(d, 1.0, (x, images)), rng.normal(0.0, 1.0, (y, images))
        rows.append(
            [
                float(stats.ttest_ind(a[:, :n].ravel(), b[:, :n].ravel(), equal_var=False).pvalue)
                for n in look_sizes(images)
            ]
        )
    return np.array(rows)


def entigen(model: str) -> World:
    """Professions whose shares give the published score on average, as far as images allow."""
    start, ends = ENTIGEN[model]

    def world(images: int, rng: np.random.Generator) -> Array:
        lean = rng.choice([-1.0, 1.0], 25)
        before = _shown(lean, start, images, rng)
        rows = []
        for end in ends:
            after = _shown(lean, end, images, rng)
            rows.append(
                [
                    paired_change(
                        before[:, :n], after[:, :n], unit="image", resamples=499, rng=rng
                    ).diversity.p_value
                    for n in look_sizes(images)
                ]
            )
        return np.array(rows)

    return world


def _shown(lean: Array, score: float, images: int, rng: np.random.Generator) -> Array:
    """Images whose |share of one group - share of the other| is the score for every profession."""
    share = 0.5 + lean * score / 2.0
    return (rng.random((lean.size, images)) < share[:, None]).astype(np.float64)


def amplification(mean: float) -> World:
    def world(images: int, rng: np.random.Generator) -> Array:
        training = 50.0 + rng.uniform(8.0, 30.0, 62) * rng.choice([-1.0, 1.0], 62)
        extra = rng.normal(mean, 12.0, 62)
        distance = np.clip(np.abs(training - 50.0) + extra, 0.5, 49.5)
        share = (50.0 + np.sign(training - 50.0) * distance) / 100.0
        real = rng.binomial(500, training / 100.0)
        made = rng.random((62, images)) < share[:, None]
        rows = []
        for n in look_sizes(images):
            hits = made[:, :n].sum(axis=1)
            found = amplification_from_counts(
                np.column_stack([hits, n - hits]), np.column_stack([real, 500 - real])
            )
            rows.append(found.p_value)
        return np.array([rows])

    return world


def words(images: int, rng: np.random.Generator) -> Array:
    start = rng.random(25) < 0.16
    rows = []
    for share in WORDS.values():
        shown = rng.random(images) < share
        row = []
        for n in look_sizes(images):
            first, second = start[: round(25 * n / images)], shown[:n]
            table = [[one.sum(), (~one).sum()] for one in (first, second)]
            row.append(float(stats.fisher_exact(table).pvalue))
        rows.append(row)
    return np.array(rows)


PAPERS = (
    Paper("T2IAT", tuple(PROMPTS), 10, t2iat),
    *(Paper(f"ENTIGEN, {model}", ADDITIONS, 9, entigen(model)) for model in ENTIGEN),
    *(Paper("Bias amplification", (n,), 500, amplification(v)) for n, v in AMPLIFICATION.items()),
    Paper("Word-level explanations", tuple(WORDS), 15, words),
)


@dataclass(frozen=True)
class Stops:
    """Per audit and effect: the share of images at the decision (inf: none), with looks counted and
    without; and q at full size."""

    counted: Array
    plain: Array
    q: Array


def stops(paper: Paper, worlds: int) -> Stops:
    sizes = np.array(look_sizes(paper.images))
    fractions = sizes / paper.images
    rng = np.random.default_rng([5, *paper.name.encode(), *paper.effects[0].encode()])
    found: tuple[list[Array], list[Array], list[Array]] = ([], [], [])
    for _ in range(worlds):
        p = paper.world(paper.images, rng)
        counted, plain = np.full(len(p), np.inf), np.full(len(p), np.inf)
        for k, fraction in enumerate(fractions, start=1):
            combined = [planned_looks(row[:k], fractions[:k]).p_value for row in p]
            for share, values in ((counted, combined), (plain, p[:, k - 1])):
                decided = np.asarray(benjamini_hochberg(values)) < 0.05
                share[decided & np.isinf(share)] = fraction
        for one, value in zip(found, (counted, plain, benjamini_hochberg(p[:, -1])), strict=True):
            one.append(np.asarray(value))
    return Stops(*(np.array(one) for one in found))


def _median(shares: Array) -> str:
    median = float(np.median(shares))
    return f"{100 * median:.0f}%" if np.isfinite(median) else "undecided"


def main() -> None:
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else WORLDS
    print(f"{worlds} simulated audits per table; images per prompt at looks of --until decided")
    print("| paper | effect | looks | significant at full size | decided | median | uncounted |")
    print("|---|---|---|---|---|---|---|")
    for paper in PAPERS:
        found = stops(paper, worlds)
        looks = ", ".join(map(str, look_sizes(paper.images)))
        for column, effect in enumerate(paper.effects):
            significant = float((found.q[:, column] < 0.05).mean())
            if significant <= 0.5:
                continue
            shares = found.counted[:, column]
            print(
                f"| {paper.name} | {effect} | {looks} | {100 * significant:.0f}% | "
                f"{100 * np.isfinite(shares).mean():.0f}% | {_median(shares)} | "
                f"{_median(found.plain[:, column])} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
