"""One question about two models: the difference, how sure it is, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from portrayal.findings import counted
from portrayal.numbers import interval, number, p_in_words, percent
from portrayal.records import Plain

Measure = Literal[
    "group share", "unknown", "refused", "failed", "shows a person", "raters say yes",
    "text-image similarity", "estimate",
]  # fmt: skip
"""What is compared. Estimates are findings with an interval, such as d or V."""

Better = Literal["", "higher", "lower"]

DifferenceVerdict = Literal["differ", "differ slightly", "equivalent", "undecided", "no data"]
"""What a question comes to: "differ slightly" is a difference that is smaller than the margin."""

UTILITY: frozenset[str] = frozenset({"shows a person", "raters say yes", "text-image similarity"})
"""What tells whether images are still of use."""

_NOTHING = 1e-6

MISSING: frozenset[str] = frozenset({"refused", "failed", "unknown"})
"""What tells how many images there are to judge at all."""


@dataclass(frozen=True, slots=True)
class ModelDifference(Plain):
    """What two models differ by, or not, in one number.

    Attributes:
        first: Name of the first model.
        second: Name of the second.
        study: The study's name.
        measure: What is compared.
        statistic: The statistic's name; "share" for all shares.
        question: What is asked, in a few words; unique within a study, for a pair of models.
        measurer: Whose answers count; "" where none is needed.
        axis: The axis; "" where none is needed.
        group: The group; "" where none is meant.
        factor: The factor that levels are of; "": all prompts.
        level: The level; "": all prompts.
        before: The number of the first model.
        after: Of the second one.
        value: after - before; None where there is none.
        low: Lower bound of its interval.
        high: Upper bound.
        p: Of no difference.
        q: p corrected over all questions of the comparison.
        margin: The difference that would matter; None where no margin is known.
        p_equivalent: Of a difference as large as the margin (two one-sided tests).
        q_equivalent: The same, corrected over all questions.
        better: Which direction is better, where that is known.
        p_no_worse: Of a loss as large as the margin, where it is known what a loss is.
        q_no_worse: The same, corrected over all questions.
        n_before: Images (or requests) of the first model behind it.
        n_after: Of the second one.
        n_pairs: Of these, pairs of the same prompt and seed.
        n_prompts: Prompts behind it.
        unit: What the answer generalises to: other prompts, or other images of these.
        reason: Why there is no answer; "" where there is one.
    """

    first: str
    second: str
    study: str
    measure: Measure
    statistic: str
    question: str
    measurer: str = ""
    axis: str = ""
    group: str = ""
    factor: str = ""
    level: str = ""
    before: float | None = None
    after: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    q: float | None = None
    margin: float | None = None
    p_equivalent: float | None = None
    q_equivalent: float | None = None
    better: Better = ""
    p_no_worse: float | None = None
    q_no_worse: float | None = None
    n_before: int = 0
    n_after: int = 0
    n_pairs: int = 0
    n_prompts: int = 0
    unit: str = "prompt"
    reason: str = ""

    @property
    def is_share(self) -> bool:
        """Whether the number is a share of images or requests."""
        return self.statistic == "share"

    def verdict(self, level: float) -> DifferenceVerdict:
        """Return what the question comes to at a level of the tests."""
        if self.value is None or self.p is None:
            return "no data"
        same = self.q_equivalent is not None and self.q_equivalent < level
        if self.q is not None and self.q < level:
            return "differ slightly" if same else "differ"
        return "equivalent" if same else "undecided"

    def no_worse(self, level: float) -> bool | None:
        """Tell whether the second model is shown to be no worse by the margin; None: not asked."""
        return None if self.q_no_worse is None else self.q_no_worse < level

    def is_worse(self, level: float) -> bool:
        """Tell whether the second model is worse beyond chance, where it is known what that is."""
        worse = {"higher": -1, "lower": 1}.get(self.better, 0) * (self.value or 0.0)
        return worse > 0 and self.verdict(level) in ("differ", "differ slightly")

    def in_points(self, value: float | None) -> str:
        """Write a difference: shares in points, other numbers as they are."""
        if value is None:
            return number(None)
        value = 0.0 if abs(value) < _NOTHING else value  # an interval that ends just beside 0
        text = number(100 * value if self.is_share else value)
        if self.is_share and abs(value) >= 0.01:
            text = f"{round(100 * value):d}"
        return f"+{text}" if value > 0 else text

    def written(self, value: float | None) -> str:
        """Write the number of one model: shares in percent."""
        return percent(value) if self.is_share else number(value)

    @property
    def margin_in_words(self) -> str:
        """The margin: `5 points` of shares; "" where none is known."""
        if self.margin is None:
            return ""
        points = number(100 * self.margin).removesuffix(".0")
        return f"{points} points" if self.is_share else number(self.margin)

    @property
    def _may_be_equivalent(self) -> bool:
        """Whether the difference itself lies within the margin; else the test needs no mention."""
        return self.value is not None and self.margin is not None and abs(self.value) < self.margin

    def sentence(self) -> str:
        """Say it in one sentence: from what to what, by how much, how sure."""
        if self.value is None:
            return f"{self.question}: not compared: {self.reason}."
        unit = " points" if self.is_share else ""
        return (
            f"{self.question}: {self.written(self.before)} with {self.first}, "
            f"{self.written(self.after)} with {self.second} ({self.in_points(self.value)}{unit})."
        )

    def in_numbers(self, confidence: float) -> str:
        """Return the numbers in a line: interval, q, images, pairs."""
        if self.value is None:
            return self.reason
        told = []
        if self.low is not None:
            ends = interval(self.low, self.high, form=self.in_points)
            told.append(f"{100 * confidence:g}% CI of the difference {ends}")
        if self.q is not None:
            told.append(p_in_words("q", self.q))
        if self.margin is not None and self.q_equivalent is not None and self._may_be_equivalent:
            told.append(f"within {self.margin_in_words} {p_in_words('q', self.q_equivalent)}")
        if self.q_no_worse is not None:
            told.append(f"no worse by {self.margin_in_words} {p_in_words('q', self.q_no_worse)}")
        of = "request" if self.measure in ("refused", "failed") else "image"
        n = f"{self.n_before} and {counted(self.n_after, of)}" if self.n_before else ""
        if self.n_pairs:
            n += f", {self.n_pairs} of the same seed"
        only = "; applies to these prompts only" if self.unit == "image" else ""
        return "; ".join([", ".join(told), *([n] if n else [])]) + only
