"""How an analysis is done: the choices that papers differ in, each with a default."""

from __future__ import annotations

import functools
import zlib
from dataclasses import asdict, dataclass, fields
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    get_args,
    get_origin,
    get_type_hints,
)

from portrayal.errors import SettingError, is_count, is_number, one_of

if TYPE_CHECKING:  # the command line reads this module for its options and must start quickly
    import numpy as np

Unit = Literal["prompt", "image"]
Alternative = Literal["two-sided", "greater", "less"]
Effect = Literal["pooled", "union"]
Resample = Literal["units", "images"]
Permute = Literal["stimuli", "targets"]
People = Literal["each", "whole"]
Consensus = Literal["majority", "unanimous", "majority-certain"]

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.999
"""Levels that intervals may have; more would rest on a handful of resamples."""

MOST_RESAMPLES = 10_000_000


class Help(NamedTuple):
    """How people are told of a setting.

    Attributes:
        text: What it decides, in one line.
        least: The smallest number that is of use to people; code may take less.
    """

    text: str
    least: int | None = None


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """Choices of an analysis.

    Attributes:
        unit: What is exchanged under the null: whole prompts, or single images. Images of one
            prompt resemble each other, so images as units find too much.
        alternative: Which departure from the null counts.
        effect: The deviation in d: pooled (Cohen's d), or over the union (as in WEAT).
        resample: What intervals take as drawn by chance: "units", other prompts of the same kind;
            "images", other images of these prompts.
        permute: With prompts as units, what changes sides in T2IAT's permutation test: "stimuli", a
            stimulus with its attribute images; "targets", the neutral images alone, as in T2IAT.
        people: Who is judged where a person detector has looked: "each" person alone, most of a
            image decide; or the "whole" image, as without a detector.
        consensus: How raters' votes become one answer.
        resamples: The most permutations and bootstrap samples.
        confidence: Level of all intervals.
        seed: Start of the random numbers; each study and encoder draws its own from it.
    """

    unit: Annotated[Unit, Help("What is exchanged under the null.")] = "prompt"
    alternative: Annotated[Alternative, Help("Test direction.")] = "two-sided"
    effect: Annotated[Effect, Help("Deviation in d: pooled, or over the union as in WEAT.")] = (
        "pooled"
    )
    resample: Annotated[Resample, Help("Generalise to new prompts, or to new images.")] = "units"
    permute: Annotated[
        Permute, Help("What changes sides in T2IAT's test; targets: neutral images alone.")
    ] = "stimuli"
    people: Annotated[
        People,
        Help("Where a person detector was used: label each person alone, or the whole image."),
    ] = "each"
    consensus: Annotated[Consensus, Help("How raters' votes become one answer.")] = "majority"
    resamples: Annotated[int, Help("Permutations and bootstrap samples.", least=99)] = 9999
    confidence: Annotated[float, Help("Level of the intervals.")] = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        for choice in choices():
            value, allowed = getattr(self, choice.name), get_args(choice.type)
            if allowed and value not in allowed:
                raise SettingError(choice.name, f"is {value!r}; allowed: {one_of(allowed)}")
        level = self.confidence
        if not is_number(level) or not LEAST_CONFIDENCE <= level <= MOST_CONFIDENCE:
            raise SettingError(
                "confidence", f"is {level!r}; allowed: {LEAST_CONFIDENCE} to {MOST_CONFIDENCE}"
            )
        if not is_count(self.resamples) or self.resamples > MOST_RESAMPLES:
            raise SettingError(
                "resamples", f"is {self.resamples!r}; allowed: 1 to {MOST_RESAMPLES:,}"
            )
        if not isinstance(self.seed, int) or self.seed < 0:
            raise SettingError("seed", f"is {self.seed!r}; allowed: a whole number, 0 or more")

    def rng(self, *names: str) -> np.random.Generator:
        """Return random numbers that depend on the seed and on these names, on nothing else.

        So a study's numbers stay the same whichever other studies are analyzed beside it.
        """
        import numpy as np

        return np.random.default_rng([self.seed, *(zlib.crc32(name.encode()) for name in names)])

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


class Choice(NamedTuple):
    """A setting that people choose: for options, forms and documentation.

    Attributes:
        name: The field of `AnalysisSettings`.
        type: Its type; a `Literal` where only some values are allowed.
        default: Its default.
        help: How people are told of it.
    """

    name: str
    type: Any
    default: Any
    help: Help


@functools.cache
def choices() -> tuple[Choice, ...]:
    """Return the settings that people choose, in order; the one place that lists them."""
    types = get_type_hints(AnalysisSettings, include_extras=True)
    found = []
    for one in fields(AnalysisSettings):
        if get_origin(types[one.name]) is Annotated:
            plain, told = get_args(types[one.name])
            found.append(Choice(one.name, plain, one.default, told))
    return tuple(found)
