"""How often intervals contain the truth and tests reject, over repeated small audits from a pool.

Every audit goes through `contrast_findings`, as the images of an audit folder do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from portrayal.findings import AnalysisSettings, Effect, Finding, Permute, Resample
from portrayal.generators import Pool
from portrayal.kinds.association import (
    EFFECT,
    SCORE,
    AssociationStudy,
    ConceptImages,
    Contrast,
    Poles,
    View,
    contrast_findings,
    everything,
    sides_of,
    view_of,
)
from portrayal_practice.calibration.draws import draw, redrawn, shuffled
from portrayal_practice.errors import PracticeError

Prompts = Literal["same", "redrawn"]
SidesKind = Literal["study", "shuffled"]
ALPHA = 0.05

# Odd counts waste level: (b + 1) / 1,000 meets 0.05 exactly.
_SPLITS = 999


@dataclass(frozen=True, slots=True)
class CoverageResult:
    """How often the intervals of one statistic held its truth.

    Attributes:
        study: The study.
        contrast: The two concepts.
        statistic: S or d.
        resample: What the intervals take as drawn by chance.
        truth: The pool's own value.
        repeats: Audits drawn.
        covered: Intervals that hold the truth.
        above: Intervals that lie wholly above it.
        below: Intervals that lie wholly below it.
        unanswered: Audits without an interval; they count as not covered.
        width: Median width of the intervals.
    """

    study: str
    contrast: str
    statistic: str
    resample: Resample
    truth: float
    repeats: int
    covered: int
    above: int
    below: int
    unanswered: int
    width: float

    @property
    def share(self) -> float:
        """Share of audits whose interval contains the truth."""
        return self.covered / self.repeats

    @property
    def error(self) -> float:
        """Standard error of the share that comes from the number of repeats."""
        return math.sqrt(self.share * (1.0 - self.share) / self.repeats)


@dataclass(frozen=True, slots=True)
class RejectionResult:
    """How often the paper's permutation test rejected at 5%.

    Attributes:
        study: The study.
        contrast: The two concepts.
        sides: "shuffled": stimuli dealt out at random, so that the null is true; "study": as the
            study has them.
        permute: What changes sides in the test.
        repeats: Audits drawn.
        rejected: Those with p <= 0.05.
    """

    study: str
    contrast: str
    sides: SidesKind
    permute: Permute
    repeats: int
    rejected: int

    @property
    def share(self) -> float:
        """Share of audits that rejected."""
        return self.rejected / self.repeats


def pool_truth(
    concepts: dict[str, ConceptImages], contrast: Contrast, poles: Poles, *, effect: Effect
) -> dict[str, float]:
    """Return S and d of a whole pool, straight from Eq. 1-4 with every image counted once.

    The deviation has n, not n - 1: the pool is all there is. d is NaN where no image differs.
    """
    means, squares, sizes = [], [], []
    for name in contrast:
        concept = concepts[name]
        direction = _directions(concept.under(poles.first_attributes).vectors).mean(axis=0)
        direction -= _directions(concept.under(poles.second_attributes).vectors).mean(axis=0)
        associations = _directions(concept.neutral.vectors) @ direction
        means.append(float(associations.mean()))
        squares.append(float(associations.var()) * associations.size)
        sizes.append(associations.size)
    score = means[0] - means[1]
    variance = sum(squares) / sum(sizes)
    if effect == "union":
        variance += sizes[0] * sizes[1] / sum(sizes) ** 2 * score**2
    # Cosines are rounded at 1e-16; a deviation of that size is no deviation.
    return {SCORE: score, EFFECT: score / math.sqrt(variance) if variance > 1e-28 else math.nan}


def _directions(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def coverage(
    study: AssociationStudy,
    pool: Pool,
    *,
    images: int,
    repeats: int = 400,
    prompts: Prompts = "same",
    settings: AnalysisSettings | None = None,
    rng: np.random.Generator,
) -> list[CoverageResult]:
    """Draw small audits from a pool and count how often their intervals hold its value.

    Args:
        study: Which prompts, and what is compared.
        pool: The images of these prompts.
        images: Images per prompt of each audit.
        repeats: How many audits.
        prompts: "same": every audit has the study's prompts; "redrawn": stimuli are drawn again,
            with replacement from the study's, for each audit.
        settings: Effect, confidence, unit and what intervals generalise to; None: the defaults,
            but to new images.
        rng: Source of the draws.

    Returns:
        S and d of each contrast.
    """
    _check(study, repeats)
    # Intervals have a closed form; one split keeps the p-value, which nobody looks at, cheap.
    settings = replace(settings or AnalysisSettings(resample="images"), resamples=1)
    view = view_of(study, pool, settings)
    sides = sides_of(study, pool)
    whole = everything(sides, pool)
    truths = {
        (contrast, poles.first, statistic): value
        for contrast, poles in _questions(view)
        for statistic, value in pool_truth(whole, contrast, poles, effect=settings.effect).items()
    }
    found: dict[tuple[Contrast, str, str], list[Finding | None]] = {key: [] for key in truths}
    for _ in range(repeats):
        drawn = redrawn(sides, rng) if prompts == "redrawn" else sides
        concepts = draw(drawn, pool, images=images, rng=rng)
        for contrast, poles in _questions(view):
            answers = {f.statistic: f for f in contrast_findings(view, contrast, poles, concepts)}
            for statistic in (SCORE, EFFECT):
                found[contrast, poles.first, statistic].append(answers.get(statistic))
    return [_counted(view, key, truths[key], findings) for key, findings in found.items()]


def _counted(
    view: View, key: tuple[Contrast, str, str], truth: float, findings: list[Finding | None]
) -> CoverageResult:
    bounds = [
        (f.low, f.high)
        for f in findings
        if f is not None and f.low is not None and f.high is not None
    ]
    lows, highs = np.array(bounds).reshape(-1, 2).T
    return CoverageResult(
        study=view.study.name,
        contrast=str(key[0]),
        statistic=key[2],
        resample=view.settings.resample,
        truth=truth,
        repeats=len(findings),
        covered=int(((lows <= truth) & (truth <= highs)).sum()),
        above=int((lows > truth).sum()),
        below=int((highs < truth).sum()),
        unanswered=len(findings) - len(bounds),
        width=float(np.median(highs - lows)) if bounds else math.nan,
    )


def rejections(
    study: AssociationStudy,
    pool: Pool,
    *,
    images: int,
    repeats: int = 400,
    sides: SidesKind = "shuffled",
    permute: Permute = "stimuli",
    rng: np.random.Generator,
) -> list[RejectionResult]:
    """Draw small audits from a pool and count how often the paper's test rejects at 5%.

    Args:
        study: Which prompts, and what is compared.
        pool: The images of these prompts.
        images: Images per prompt of each audit.
        repeats: How many audits.
        sides: "shuffled": a true null; "study": the study's own question.
        permute: What changes sides in the test.
        rng: Source of the draws.
    """
    _check(study, repeats)
    view = view_of(study, pool, AnalysisSettings(permute=permute, resamples=_SPLITS))
    stimuli = sides_of(study, pool)
    results = []
    for contrast, poles in _questions(view):
        both = {name: stimuli[name] for name in contrast}
        rejected = 0
        for repeat in range(repeats):
            # Random splits of their own for every audit.
            once = replace(view, settings=replace(view.settings, seed=repeat))
            dealt = shuffled(both, rng) if sides == "shuffled" else both
            concepts = draw(dealt, pool, images=images, rng=rng)
            finding = contrast_findings(once, contrast, poles, concepts)[0]
            p = finding.details.get("p_paper")
            rejected += p is not None and p <= ALPHA + 1e-12
        results.append(
            RejectionResult(study.name, str(contrast), sides, permute, repeats, rejected)
        )
    return results


def _questions(view: View) -> Iterator[tuple[Contrast, Poles]]:
    for contrast in view.study.contrasts:
        for poles in view.poles():
            yield contrast, poles


def _check(study: AssociationStudy, repeats: int) -> None:
    if not study.contrasts:
        raise PracticeError(f"{study.name} compares no concepts; allowed: studies with contrasts")
    if repeats < 1:
        raise PracticeError(f"repeats is {repeats}; allowed: 1 or more")
