"""How far a finding depends on labels: whether people checked them, and what that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from portrayal.numbers import between, number, percent
from portrayal.records import Plain

LabelStatus = Literal["unchecked", "corrected", "people"]


@dataclass(frozen=True, slots=True)
class LabelScale(Plain):
    """What labels can do to an estimate; kinds state it for findings that rest on labels.

    Attributes:
        null: Where the conclusion falls: 0 for a difference, one half for a majority; None where
            the finding draws no conclusion.
        reach: How far the estimate moves at most per share of wrong labels: 1 for a share, 2 for an
            imbalance |2p - 1|, the sum of both for two sides; None where that is not known.
        least: The least possible value; None without one.
        most: The largest; likewise.
    """

    null: float | None = None
    reach: float | None = None
    least: float | None = None
    most: float | None = None

    def tipping_point(self, low: float | None, high: float | None) -> float | None:
        """Return the share of wrong labels at which an interval would reach the null.

        The labels of every side are wrong at this rate, all in the direction that made the finding:
        the fewest that can do it. None where the interval contains the null already.
        """
        if self.null is None or not self.reach or low is None or high is None:
            return None
        gap = max(low - self.null, self.null - high)
        return None if not gap > 0 else min(gap / self.reach, 1.0)


@dataclass(frozen=True, slots=True)
class FindingLabels(Plain):
    """What is known of the labels behind a finding.

    Attributes:
        status: "unchecked": nobody checked the measurer's labels; "corrected": the estimate is
            corrected by people's labels of a sample; "people": the labels are people's own.
        scale: What labels can do to the estimate.
        n_checked: Images that people labelled, among those behind the finding.
        tipping: Unchecked: the share of labels that would have to be wrong, all in one direction,
            for the interval to reach `scale.null`; None where it contains it, or has no such value.
        estimate: Before correction; None where nothing was corrected.
        low: Likewise, the lower bound.
        high: Likewise, the upper bound.
        p: Likewise.
        sentence: Likewise, the finding in words.
        assumption: What the correction assumes.
        units: Each unit's part in the estimate, where its interval is made from how units differ:
            for the correction, and not kept after it.
    """

    status: LabelStatus
    scale: LabelScale
    n_checked: int = 0
    tipping: float | None = None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    sentence: str = ""
    assumption: str = ""
    units: Sequence[float | None] = ()

    @classmethod
    def unchecked(
        cls,
        scale: LabelScale,
        low: float | None,
        high: float | None,
        units: Sequence[float | None] = (),
    ) -> FindingLabels:
        """Return what an analysis knows by itself: how wrong labels would have to be."""
        return cls("unchecked", scale, tipping=scale.tipping_point(low, high), units=units)

    def words(self, confidence: float, *, form: Callable[[float | None], str] = number) -> str:
        """Return the line below a finding."""
        if self.status == "corrected":
            bounds = between(self.low, self.high, confidence, form=form)
            return (
                f"Corrected by people's labels of {self.n_checked} images. "
                f"Uncorrected: {form(self.estimate)} ({bounds}). {self.assumption}"
            ).strip()
        if self.status == "people" or self.tipping is None:
            return ""
        return (
            "Labels not checked by people. The conclusion would fall if "
            f"{percent(self.tipping)} of them were wrong in the least favourable way."
        )


def form_of(statistic: str) -> Callable[[float | None], str]:
    """Return how a statistic is written: shares as percentages, others as numbers."""
    return percent if statistic.endswith("share") else number


@dataclass(frozen=True, slots=True)
class LabelSource(Plain):
    """Who labelled an audit's images on an axis, and whether people checked it.

    Attributes:
        measurer: The measurer's name.
        axis: The axis.
        status: As in `FindingLabels`.
        n_checked: Images of the audit that people labelled on the axis and the correction could
            use.
        reason: Why people's labels, although there are some, are not used; else "".
    """

    measurer: str
    axis: str
    status: LabelStatus
    n_checked: int = 0
    reason: str = ""

    def in_short(self) -> str:
        """Return whether people checked the labels, in a few words."""
        if self.status == "corrected":
            return f"{self.n_checked} images checked by people, estimates corrected"
        return f"not checked by people. {self.reason}".strip()

    def sentence(self, audit: str = "AUDIT") -> str:
        """Return the line for the end of an analysis.

        Args:
            audit: The audit's folder, for the command to run next.
        """
        who = f"Labels of {self.axis} by {self.measurer}"
        if self.status == "people":
            return f"Labels of {self.axis} were given by people."
        if self.status == "corrected":
            return (
                f"{who}: people checked {self.n_checked} images; "
                "estimates are corrected for the errors they found."
            )
        why = f" {self.reason}" if self.reason else ""
        command = f"portrayal annotate {audit} --sample 60"
        return f"{who}: not checked by people.{why} To check 60 images: {command}"


class CheckedSource(NamedTuple):
    """A source of labels in one study, and the images that people checked."""

    source: LabelSource
    images: frozenset[str]


def audit_sources(found: Iterable[CheckedSource]) -> tuple[LabelSource, ...]:
    """Return the sources of all studies together; an image that several share counts once."""
    images: dict[LabelSource, set[str]] = {}
    for one in found:
        images.setdefault(replace(one.source, n_checked=0), set()).update(one.images)
    return tuple(replace(source, n_checked=len(keys)) for source, keys in images.items())
