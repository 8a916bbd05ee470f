"""How an analysis is done: the choices that papers differ in, each with a default."""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from portrayal.errors import StudyError, one_of
from portrayal.statistics.votes import Rule

Unit = Literal["prompt", "image"]
Alternative = Literal["two-sided", "greater", "less"]
Effect = Literal["pooled", "union"]
Resample = Literal["units", "images"]
Permute = Literal["stimuli", "targets"]
People = Literal["each", "whole"]

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.999
"""Levels that intervals may have; more would rest on a handful of resamples."""

MOST_RESAMPLES = 10_000_000


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """Choices of an analysis.

    Attributes:
        unit: What is exchanged under the null: whole prompts, or single images. Images of one
            prompt resemble each other, so images as units find too much.
        alternative: Which departure from the null counts.
        effect: The deviation in d: pooled (Cohen's d), or over the union (as in WEAT).
        resample: What intervals take as drawn by chance: "units", other prompts of the same kind;
            "images", other images of these very prompts.
        permute: With prompts as units, what changes sides: "stimuli", a stimulus with its attribute
            images; "targets", the neutral images alone, as in T2IAT.
        people: Who is judged where a person detector has looked: "each" person alone, most of a
            image decide; or the "whole" image, as without a detector.
        consensus: What makes raters' votes one answer.
        resamples: The most permutations and bootstrap samples.
        confidence: Level of all intervals.
        seed: Start of the random numbers; each study and encoder draws its own from it.
    """

    unit: Unit = "prompt"
    alternative: Alternative = "two-sided"
    effect: Effect = "pooled"
    resample: Resample = "units"
    permute: Permute = "stimuli"
    people: People = "each"
    consensus: Rule = "majority"
    resamples: int = 9999
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        for name, kind in (
            ("unit", Unit),
            ("alternative", Alternative),
            ("effect", Effect),
            ("resample", Resample),
            ("permute", Permute),
            ("people", People),
            ("consensus", Rule),
        ):
            value = getattr(self, name)
            if value not in get_args(kind):
                raise StudyError(
                    f"analysis setting {name} is {value!r}; allowed: {one_of(get_args(kind))}"
                )
        if not LEAST_CONFIDENCE <= self.confidence <= MOST_CONFIDENCE:
            raise StudyError(
                f"analysis setting confidence is {self.confidence}; allowed: "
                f"{LEAST_CONFIDENCE} to {MOST_CONFIDENCE}"
            )
        if not 1 <= self.resamples <= MOST_RESAMPLES:
            raise StudyError(
                f"analysis setting resamples is {self.resamples}; allowed: 1 to {MOST_RESAMPLES:,}"
            )

    def rng(self, *names: str) -> np.random.Generator:
        """Return random numbers that depend on the seed and on these names, on nothing else.

        So a study's numbers stay the same whichever other studies are analyzed beside it.
        """
        return np.random.default_rng([self.seed, *(zlib.crc32(name.encode()) for name in names)])

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)
