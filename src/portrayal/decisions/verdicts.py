"""What rules come to: verdicts on single numbers, on rules, and on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from portrayal.decisions.rules import Rule
from portrayal.statistics import UNLIMITED, Interval

RuleOutcome = Literal["pass", "fail", "not enough data"]
OUTCOMES: tuple[RuleOutcome, ...] = ("fail", "not enough data", "pass")
"""The worst first."""


@dataclass(frozen=True, slots=True)
class RuleItem:
    """A number that a rule is about, with its interval.

    Attributes:
        subject: What it is of, in a few words; unique within a rule.
        estimate: The number; None where there is none.
        low: Lower bound of its interval; None where there is none.
        high: Upper bound.
        n: What it rests on.
        n_of: What n counts.
        unit: What varies by chance: "image", "prompt", ...
        reason: Why there is no number; "" where there is one.
        looks: How many looks at it the interval counts.
        within: The values that it can have.
    """

    subject: str
    estimate: float | None
    low: float | None
    high: float | None
    n: int
    n_of: str = "image"
    unit: str = "image"
    reason: str = ""
    looks: int = 1
    within: Interval = UNLIMITED


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """What a rule says of one number.

    Attributes:
        item: The number, with the interval that decides.
        outcome: What becomes of it.
        why: In a sentence.
        needed: About how much of what n counts would decide; None: decided, or that cannot be told.
    """

    item: RuleItem
    outcome: RuleOutcome
    why: str
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What becomes of one rule."""

    rule: Rule
    items: Sequence[ItemVerdict]

    @property
    def outcome(self) -> RuleOutcome:
        """Fail where one number fails, pass where all pass."""
        found = {one.outcome for one in self.items}
        return next(one for one in OUTCOMES if one in found)

    def with_outcome(self, outcome: RuleOutcome) -> list[ItemVerdict]:
        """Return the numbers that came to this."""
        return [one for one in self.items if one.outcome == outcome]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What becomes of all rules.

    Attributes:
        audit: The audit's generator, by name.
        baseline: The baseline's generator; None without one.
        confidence: Of the intervals that let a rule pass.
        rules: The rules with their verdicts, in the order of the file.
    """

    audit: str
    baseline: str | None
    confidence: float
    rules: Sequence[RuleVerdict]

    @property
    def outcome(self) -> RuleOutcome:
        """The worst of all rules."""
        found = {one.outcome for one in self.rules}
        return next(one for one in OUTCOMES if one in found)

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "audit": self.audit,
            "baseline": self.baseline,
            "confidence": self.confidence,
            "outcome": self.outcome,
            "rules": [
                {
                    "rule": one.rule.model_dump(mode="json", exclude_defaults=True),
                    "outcome": one.outcome,
                    "items": [
                        {
                            "subject": found.item.subject,
                            "outcome": found.outcome,
                            "estimate": found.item.estimate,
                            "low": found.item.low,
                            "high": found.item.high,
                            "n": found.item.n,
                            "why": found.why,
                            "needed": found.needed,
                        }
                        for found in one.items
                    ],
                }
                for one in self.rules
            ],
        }
