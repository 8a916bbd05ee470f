"""What makes a label known, and which texts define each answer: stated with every result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from portrayal.studies import UNKNOWN, Axis, Study


@dataclass(frozen=True, slots=True)
class LabelRule:
    """How images are labelled on an axis of a study.

    Attributes:
        axis: The axis's name.
        threshold: Labels whose probability is below it count as unknown.
        answers: The texts that define each answer to an encoder, a judge or a rater.
        person: Texts of the person filter that an encoder's image must be closer to ...
        object: ... than to these; both empty: no filter.
    """

    axis: str
    threshold: float
    answers: Mapping[str, tuple[str, ...]]
    person: tuple[str, ...] = ()
    object: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, axis: Axis) -> LabelRule:
        """Return the rule of an axis."""
        answers = {**axis.groups, **({UNKNOWN: axis.unknown} if axis.unknown else {})}
        return cls(name, axis.threshold, answers, axis.person, axis.object)

    def sentence(self) -> str:
        """Say the rule in words."""
        if not self.threshold:
            return "The most probable answer counts, however probable it is; a tie is unknown."
        return (
            f"The most probable answer counts; labels below a probability of {self.threshold:g} "
            "count as unknown, and so does a tie."
        )


def label_rules(study: Study) -> tuple[LabelRule, ...]:
    """Return the rules of all axes that a study labels images on."""
    return tuple(LabelRule.of(name, axis) for name, axis in study.asked_axes().items())
