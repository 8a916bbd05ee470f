"""A finding: a statistic that answers a study's question, or the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from portrayal.findings.headline import Headline, plural
from portrayal.findings.label_checks import FindingLabels, LabelScale, TargetCounts, form_of
from portrayal.findings.labels import unlabelled
from portrayal.findings.scales import in_points, is_within_one, read_as
from portrayal.findings.sentences import counted, not_enough, not_judged
from portrayal.findings.settings import Alternative
from portrayal.numbers import ROUNDING, between, count, p_in_words
from portrayal.records import Plain
from portrayal.statistics import UNLIMITED, Interval
from portrayal.studies import Study

if TYPE_CHECKING:
    from portrayal.findings.data import StudyData


Verdict = Literal["significant", "no significant difference", "not enough data", "not tested"]


@dataclass(frozen=True, slots=True)
class Finding(Plain):
    """A statistic that answers a study's question.

    Attributes:
        study: The study's name.
        kind: The study's kind.
        question: What was asked, in a few words; unique within a study.
        statistic: The statistic's name.
        estimate: The answer; None where there is none.
        low: Lower bound of the interval at the analysis's confidence.
        high: Upper bound.
        p: Raw p-value; None where nothing is tested.
        q: p corrected over all tests of the audit.
        n: What the estimate rests on.
        n_missing: The same things, wanted but not usable.
        unit: What is exchanged under the null, or counted as drawn by chance.
        sentence: The finding in words.
        measurer: Label of the measurer whose answers were counted; "" where several were.
        reason: Why there is no estimate; "" where there is one.
        details: More numbers, by kind of study; as the measurer labelled, before any correction.
        look: Which look at the question this is; images were added since the one before.
        p_looks: p when all looks are counted; None where this is the only look, or without a test.
        q_looks: p corrected over all tests of the audit, all looks at each of them counted; None
            where no question of the audit was looked at several times, or without a test.
        low_looks: Lower bound of the interval that holds along with those of all other looks; None
            where this is the only look, or looks were planned and no width was asked for.
        high_looks: Upper bound.
        headline: The finding in one line, with what it rests on; None where it needs none.
        n_of: What n counts.
        labels: What is known of the labels behind it; None where it rests on none.
    """

    study: str
    kind: str
    question: str
    statistic: str
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    q: float | None
    n: int
    n_missing: int
    unit: str
    sentence: str
    measurer: str = ""
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    look: int = 1
    p_looks: float | None = None
    q_looks: float | None = None
    low_looks: float | None = None
    high_looks: float | None = None
    headline: Headline | None = None
    n_of: str = "image"
    labels: FindingLabels | None = None

    def __post_init__(self) -> None:
        Plain.__post_init__(self)
        if self.estimate is not None and abs(self.estimate) < ROUNDING:
            object.__setattr__(self, "estimate", 0.0)
        if (self.estimate is None) != bool(self.reason):
            raise ValueError(
                f"{self.study}: {self.question}: a finding has either an estimate or a reason why "
                f"not, got estimate {self.estimate} and reason {self.reason!r}"
            )

    def on_labels(
        self, scale: LabelScale, *, units: Iterable[float] = (), plug_in: float | None = None,
        apart: TargetCounts | None = None,
    ) -> Finding:  # fmt: skip
        """Return the finding as one that rests on a measurer's labels.

        Args:
            scale: What wrong labels can do to it.
            units: Each unit's part in the estimate (occupations, attributes; in the same order
                whatever the labels, NaN where one does not count), where the interval is made from
                how units differ; empty where it is not.
            plug_in: The estimate with what chance adds to it, where it is bias-corrected (an
                imbalance as published); None where it is not.
            apart: What the estimate is computed from, where it is a distance from known shares.
        """
        labels = FindingLabels.unchecked(scale, self.low, self.high, tuple(units), plug_in, apart)
        return replace(self, labels=labels)

    @property
    def label_axes(self) -> tuple[str, ...]:
        """The axes whose labels it rests on, as its details say: `axes`, or else `axis`.

        Empty where they say nothing: then all that the study asks about.
        """
        if "axes" in self.details:
            return tuple(self.details["axes"])
        return (str(self.details["axis"]),) if "axis" in self.details else ()

    @property
    def deciding_q(self) -> float | None:
        """The q that decides: where questions were looked at several times, that of all looks."""
        return self.q if self.q_looks is None else self.q_looks

    @property
    def deciding_interval(self) -> tuple[float | None, float | None]:
        """The interval that decides: the one that counts all looks, where there is one."""
        if self.low_looks is None or self.high_looks is None:
            return self.low, self.high
        return self.low_looks, self.high_looks

    @property
    def within(self) -> Interval:
        """The values that there can be."""
        if self.labels is not None:
            return self.labels.scale.within
        return Interval(0.0, 1.0) if is_within_one(self.statistic) else UNLIMITED

    @property
    def null(self) -> float | None:
        """Where its conclusion falls: 0, or one half for a majority; None: it draws none."""
        return 0.0 if self.labels is None else self.labels.scale.null

    def is_clear(self, level: float) -> bool:
        """Tell whether it is significant after correction, all looks counted; untested is not."""
        return self.deciding_q is not None and self.deciding_q < level

    def with_headline(self, headline: Headline) -> Finding:
        """Return the finding with its headline; one without an answer has none."""
        return self if self.estimate is None else replace(self, headline=headline)

    def verdict(self, level: float) -> Verdict:
        """Return what became of the question; a lack of data is never the same as a null."""
        if self.estimate is None:
            return "not enough data"
        if self.deciding_q is None:
            return "not tested"
        return "significant" if self.is_clear(level) else "no significant difference"

    @property
    def asked(self) -> str:
        """The question as people say it."""
        return as_asked(self.question)

    @property
    def topic(self) -> str:
        """The question whoever measured; `question` names the measurer where there are several."""
        return self.question.replace(f" · {self.measurer}", "") if self.measurer else self.question

    def conclusion(self, level: float) -> str:
        """Return the finding in one line, as its verdict allows.

        Like the question, it names the measurer where there are several.
        """
        if self.headline is None or self.estimate is None:
            return self.asked
        told = self.headline.claim if self.is_clear(level) else self.headline.otherwise
        return told if self.question == self.topic else f"{told} · {self.measurer}"

    def about_labels(self, confidence: float) -> str:
        """Return the line below it: whether people checked its labels, and what that changes.

        Args:
            confidence: Of intervals.
        """
        if self.labels is None:
            return ""
        tipping = self.tipping_point(round(1 - confidence, 10))
        return replace(self.labels, tipping=tipping).words(confidence, form=form_of(self.statistic))

    def tipping_point(self, level: float) -> float | None:
        """Return the share of wrong labels at which its conclusion would fall.

        None without a conclusion: not tested, or not significant after correction, all looks
        counted.
        """
        if self.labels is None or self.labels.tipping is None or not self.is_clear(level):
            return None
        if self.low_looks is None:
            return self.labels.tipping
        return self.labels.scale.tipping_point(*self.deciding_interval)

    def in_numbers(self, confidence: float, *, explained: bool = False) -> str:
        """Return the numbers in a line: `d -2.2, 95% CI -3.7 to -1.2, q = .006; 64 images`.

        Args:
            confidence: Of the interval.
            explained: Say in plain words what the estimate is and how it is read.
        """
        form = form_of(self.statistic)
        told = []
        if self.estimate is not None:
            value = form(self.estimate)
            reading = self.headline.reading if self.headline else ""
            points = in_points(self.statistic) if explained else None
            written = "" if points is None else points(self.estimate)
            plain = read_as(self.statistic, value, reading, written)
            told.append(plain if explained else f"{self.statistic} {value}")
            form = points or form
        if self.low is not None and self.high is not None:
            told.append(between(self.low, self.high, confidence, form=form))
        if self.q is not None:
            told.append(p_in_words("q", self.q) + self._test_direction())
        looks = []
        if self.low_looks is not None and self.high_looks is not None:
            looks.append(between(self.low_looks, self.high_looks, confidence, form=form))
        if self.q_looks is not None:
            looks.append(p_in_words("q", self.q_looks))
        numbers = ", ".join(told)
        if looks:
            numbers += f"; counting all looks {', '.join(looks)}"
        missing = f", {count(self.n_missing)} missing" if self.n_missing else ""
        only = ""
        if self.q is not None and self.unit == "image":
            only = "; applies to these prompts only"
        elif self.q is not None and self.unit == "prompt" and explained:
            only = "; generalises to similar prompts"
        return f"{numbers}; {counted(self.n, self.n_of)}{missing}{only}".removeprefix("; ")

    def _test_direction(self) -> str:
        """Say which way a one-sided test looks: the interval beside it looks both ways."""
        way = {"greater": "above", "less": "below"}.get(self.details.get(ALTERNATIVE, ""))
        return "" if way is None else f" (one-sided: {self.statistic} {way} 0)"


ALTERNATIVE = "alternative"
"""In a finding's details: the direction of a test that is not two-sided."""


def one_sided(alternative: Alternative) -> dict[str, str]:
    """Return the details of a finding that say which way its test looks; none where both ways."""
    return {} if alternative == "two-sided" else {ALTERNATIVE: alternative}


def as_asked(question: str) -> str:
    """Return a finding's question as people say it; stored questions stay as they were.

    A share is that of "women" rather than of "woman", what raters are set beside is any
    measurer, and images of a level are named by what they share.

    >>> as_asked("occupation nurse: share of woman (perceived gender)")
    'occupation nurse: share of women (perceived gender)'
    """
    asked = question.replace("does the encoder say", "does the measurer say")
    asked = _LEVELS_DIFFER.sub(_same_level, asked)
    return re.sub(r"(?<=share of )\w+", lambda found: plural(found[0]), asked)


_LEVELS_DIFFER = re.compile(r"how often do two images of a level differ(?: over ([^?]+))?\?")


def _same_level(found: re.Match[str]) -> str:
    of = f" of the same {found[1]}" if found[1] else ""
    return f"how often do two images{of} show different groups?"


LOOKS_NOTE = (
    "Questions were analyzed several times while images were added; verdicts count all looks."
)


def counts_looks(findings: Iterable[Finding]) -> bool:
    """Tell whether verdicts count several looks: tables then have a column `Q_OF_ALL_LOOKS`."""
    return any(one.q_looks is not None for one in findings)


def bounds_count_looks(findings: Iterable[Finding]) -> bool:
    """Tell whether intervals count several looks: tables then have `BOUNDS_OF_ALL_LOOKS`."""
    return any(one.low_looks is not None for one in findings)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a finding is about; the answer, or the lack of one, makes it a finding.

    Attributes:
        study: The study's name.
        kind: The study's kind.
        question: What is asked.
        statistic: The statistic's name.
        unit: What is exchanged under the null, or counted as drawn by chance.
        measurer: Label of the measurer; "" for several.
        details: More numbers.
        n_of: What n counts.
    """

    study: str
    kind: str
    question: str
    statistic: str
    unit: str
    measurer: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    n_of: str = "image"

    @classmethod
    def of(
        cls,
        study: Study,
        question: str,
        statistic: str,
        *,
        unit: str,
        measurer: str = "",
        details: Mapping[str, Any] | None = None,
        n_of: str = "image",
    ) -> Asked:
        """Return what a study asks."""
        return cls(study.name, study.kind, question, statistic, unit, measurer, details or {}, n_of)

    def answered(
        self,
        estimate: float,
        interval: Iterable[float | None] = (None, None),
        *,
        p: float | None = None,
        n: int,
        n_missing: int,
        sentence: str,
    ) -> Finding:
        """Return the finding; bounds and p that are NaN do not exist."""
        low, high = interval
        return Finding(
            self.study, self.kind, self.question, self.statistic, estimate, low, high, p, None, n,
            n_missing, self.unit, sentence, self.measurer, "", self.details, n_of=self.n_of,
        )  # fmt: skip

    def unanswered(
        self,
        reason: str,
        *,
        n: int,
        n_missing: int,
        dropped: Mapping[str, int] | None = None,
        wanted: int = 0,
        sentence: str = "",
    ) -> Finding:
        """Return a finding without an estimate, which says why.

        Args:
            reason: Why there is none.
            n: What there is.
            n_missing: What is missing.
            dropped: What became of the images that were wanted.
            wanted: How many were wanted.
            sentence: Where it is not for a lack of data: the whole sentence.
        """
        words = sentence or not_enough(reason, dropped or {}, wanted)
        return Finding(
            self.study, self.kind, self.question, self.statistic, None, None, None, None, None, n,
            n_missing, self.unit, words, self.measurer, reason, self.details, n_of=self.n_of,
        )  # fmt: skip


def unjudged(
    study: Study, question: str, statistic: str, axis: str, data: StudyData, *, unit: str
) -> Finding:
    """Return the finding about an axis on which no image was judged.

    Args:
        study: The study.
        question: What was asked.
        statistic: What there would be.
        axis: The axis.
        data: The study's images as one measurer saw them.
        unit: As in other findings of the study.
    """
    asked = Asked.of(
        study, question, statistic, unit=unit, measurer=data.label, details={"axis": axis}
    )
    why = unlabelled(axis, study.asked_axes()[axis], data)
    return asked.unanswered(
        not_judged(axis, why, data.dropped, data.wanted),
        n=0,
        n_missing=data.wanted,
        dropped=data.dropped,
        wanted=data.wanted,
    )
