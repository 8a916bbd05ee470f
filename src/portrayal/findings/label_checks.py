"""How far a finding depends on labels: whether people checked them, and what that changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from portrayal.findings.sentences import counted
from portrayal.numbers import between, number, percent
from portrayal.records import NOBODY, UNKNOWN, Plain
from portrayal.statistics import Interval

LabelStatus = Literal["unchecked", "corrected", "people"]

HARDLY_ANY = 0.1
"""Share of images with a label below which the first lines say "Not enough data"."""


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

    @property
    def within(self) -> Interval:
        """The possible values."""
        least = -math.inf if self.least is None else self.least
        return Interval(least, math.inf if self.most is None else self.most)

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
class TargetCounts(Plain):
    """What a distance from known shares is computed from.

    Attributes:
        counts: Images by prompt and group or cell.
        target: The share of each.
        by_prompt: Whether prompts are the units.
    """

    counts: Sequence[Sequence[int]]
    target: Sequence[float]
    by_prompt: bool


@dataclass(frozen=True, slots=True)
class FindingLabels(Plain):
    """What is known of the labels behind a finding.

    Attributes:
        status: "unchecked": people checked none of the measurer's labels, or too few to correct
            the estimate; "corrected": it is corrected by people's labels of a sample; "people": the
            labels are people's own.
        scale: What labels can do to the estimate.
        n_checked: Images that people labelled, among those behind the finding.
        tipping: Unchecked: the share of labels that would have to be wrong, all in one direction,
            for the interval to reach `scale.null`; None where it contains it, or has no such value.
            Whether there is a conclusion that would fall, `Finding.tipping_point` tells.
        estimate: Before correction; None where nothing was corrected.
        low: Likewise, the lower bound.
        high: Likewise, the upper bound.
        p: Likewise.
        sentence: Likewise, the finding in words.
        assumption: What the correction assumes.
        units: Each unit's part in the estimate, where its interval is made from how units differ:
            for the correction, and not kept after it.
        plug_in: The estimate with what chance adds to it, where it is bias-corrected: likewise.
        apart: What the estimate is computed from, where it is a distance from known shares:
            likewise.
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
    plug_in: float | None = None
    apart: TargetCounts | None = None

    @classmethod
    def unchecked(
        cls,
        scale: LabelScale,
        low: float | None,
        high: float | None,
        units: Sequence[float | None] = (),
        plug_in: float | None = None,
        apart: TargetCounts | None = None,
    ) -> FindingLabels:
        """Return what an analysis knows by itself: how wrong labels would have to be."""
        tipping = scale.tipping_point(low, high)
        return cls("unchecked", scale, tipping=tipping, units=units, plug_in=plug_in, apart=apart)

    def words(self, confidence: float, *, form: Callable[[float | None], str] = number) -> str:
        """Return the line below a finding."""
        if self.status == "corrected" and self.estimate is None:
            return (
                f"Corrected by people's labels of {self.n_checked} images. Uncorrected: not enough "
                "data."
            )
        if self.status == "corrected":
            bounds = ""
            if self.low is not None:
                bounds = f" ({between(self.low, self.high, confidence, form=form)})"
            return (
                f"Corrected by people's labels of {self.n_checked} images. "
                f"Uncorrected: {form(self.estimate)}{bounds}. {self.assumption}"
            ).strip()
        if self.status == "people" or self.tipping is None:
            return ""
        return (
            f"Labels {checked_in_words(self.n_checked)}. The conclusion would fall if "
            f"{percent(self.tipping)} of them were wrong in the least favourable way."
        )


def checked_in_words(n: int, status: LabelStatus = "unchecked") -> str:
    """Say how far people checked labels, and whether that corrected estimates.

    >>> checked_in_words(0), checked_in_words(6)
    ('not checked by people', 'of 6 images checked by people, estimates not corrected')
    """
    if n == 0:
        return "not checked by people"
    done = "corrected" if status == "corrected" else "not corrected"
    return f"of {n} images checked by people, estimates {done}"


def form_of(statistic: str) -> Callable[[float | None], str]:
    """Return how a statistic is written: shares as percentages, others as numbers."""
    return percent if statistic.endswith("share") or statistic.startswith("share of ") else number


@dataclass(frozen=True, slots=True)
class LabelSource(Plain):
    """Who labelled an audit's images on an axis, and whether people checked it.

    Attributes:
        measurer: The measurer's name.
        axis: The axis.
        status: As in `FindingLabels`.
        n_checked: Images of the audit that people labelled on the axis.
        reason: Why people's labels, although there are some, are not used; else "".
        n: Images that the measurer was asked about.
        n_labelled: Of these, images whose label names a group.
        never: Groups that no image was labelled with, in words.
        n_nobody: Images that show nobody, as the measurer says.
    """

    measurer: str
    axis: str
    status: LabelStatus
    n_checked: int = 0
    reason: str = ""
    n: int = 0
    n_labelled: int = 0
    never: str = ""
    n_nobody: int = 0

    def in_short(self) -> str:
        """Return whether people checked the labels, in a few words."""
        said = checked_in_words(self.n_checked, self.status).removeprefix("of ")
        return said if self.status == "corrected" else f"{said}. {self.reason}".strip()

    def shortage(self) -> str:
        """Return a line where hardly any image has a label, or one group may have none; else ""."""
        if self.n_labelled < HARDLY_ANY * self.n:
            images = f"{self.n_labelled} of {self.n} images"
            return (
                f"Not enough data: {self.measurer} labels {images} on {self.axis}; the rest: "
                f"{self._rest()}."
            )
        unknown = self.n - self.n_labelled - self.n_nobody
        if not self.never or unknown <= self.n_labelled:
            return ""
        return (
            f"{self.measurer} labels no image as {self.never} on {self.axis}, and "
            f"{unknown} of {self.n} as unknown: it may not know that group, and shares leave it "
            "out."
        )

    def _rest(self) -> str:
        """Say what images without a group are: "unknown", "12 nobody, 3 unknown"."""
        unknown = self.n - self.n_labelled - self.n_nobody
        if not self.n_nobody:
            return UNKNOWN
        return f"{self.n_nobody} {NOBODY}" + (f", {unknown} {UNKNOWN}" if unknown else "")

    def sentence(self, audit: str = "") -> str:
        """Return who gave the labels and whether people checked them.

        Args:
            audit: The audit's folder, for the command to run next; "": without it.
        """
        who = f"Labels of {self.axis}"
        if self.status == "people":
            return f"{who} were given by people."
        said = f"{who} by {self.measurer}: {self.in_short().rstrip('.')}."
        if self.status == "corrected" or not audit:
            return said
        n = min(60, self.n) or 60
        return f"{said} To check {counted(n, 'image')}: portrayal annotate {audit} --sample {n}"


class CheckedSource(NamedTuple):
    """A source of labels in one study, of which nothing is counted yet.

    Attributes:
        source: The source.
        checked: Images that people labelled.
        images: Images that it was asked about.
        labelled: Of these, images whose label names a group.
        groups: The axis's groups.
        given: Those that are the label of an image.
        nobody: Images that show nobody.
    """

    source: LabelSource
    checked: Set[str] = frozenset()
    images: Set[str] = frozenset()
    labelled: Set[str] = frozenset()
    groups: Set[str] = frozenset()
    given: Set[str] = frozenset()
    nobody: Set[str] = frozenset()

    def counted(self) -> LabelSource:
        """Return the source with its numbers of images."""
        return replace(
            self.source,
            n_checked=len(self.checked), n=len(self.images), n_labelled=len(self.labelled),
            never=" or ".join(sorted(self.groups - self.given)), n_nobody=len(self.nobody),
        )  # fmt: skip


def audit_sources(found: Iterable[CheckedSource]) -> tuple[LabelSource, ...]:
    """Return the sources of all studies together; an image that several share counts once."""
    together: dict[LabelSource, CheckedSource] = {}
    for one in found:
        known = together.get(one.source, CheckedSource(one.source))
        sets = [mine | theirs for mine, theirs in zip(known[1:], one[1:], strict=True)]
        together[one.source] = CheckedSource(one.source, *sets)
    return tuple(one.counted() for one in together.values())
