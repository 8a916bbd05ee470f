"""The first screen: what was found, in up to three cards, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from portrayal.findings import Bar, Finding, Headline, Results
from portrayal.numbers import number, percent
from portrayal.report.evidence import Evidence, ShownImage

CARDS = 3
MOST_BARS = 10
"""Bars on a card; of more, those at both ends are shown."""
END_IMAGES = 4
BAR_IMAGES = 12


@dataclass(frozen=True, slots=True)
class ShownBar:
    """A bar of a card, placed on the card's scale, with its images.

    Attributes:
        bar: Label, value and counts.
        start: Where it begins, in percent of the scale.
        width: How long it is.
        low: Where its interval begins; None without one.
        reach: How long the interval is.
        images: Images behind it.
    """

    bar: Bar
    start: float
    width: float
    low: float | None
    reach: float
    images: Sequence[ShownImage]


@dataclass(frozen=True, slots=True)
class Card:
    """A finding on the first screen.

    Attributes:
        finding: The finding.
        text: Its headline.
        measure: What the bars show.
        bars: Its chart.
        hidden: Bars that are left out.
        ends: The bars at both ends, with images.
        is_paired: Whether the images of both ends start from the same seeds.
        zero: Where 0 lies on the scale, in percent.
        ticks: What stands below the scale: at the left, in the middle, at the right.
    """

    finding: Finding
    text: str
    measure: str
    bars: Sequence[ShownBar]
    hidden: int
    ends: Sequence[ShownBar]
    is_paired: bool
    zero: float
    ticks: Sequence[str]

    @property
    def has_intervals(self) -> bool:
        """Whether a bar has an interval."""
        return any(one.low is not None for one in self.bars)


def chosen(results: Results) -> list[Finding]:
    """Return the findings of the first screen: significant ones, the largest effect first.

    Every study with one comes before a second finding of any study.
    """
    found = [one for one in results.findings if one.headline and one.is_clear(results.level)]
    found.sort(key=_rank)
    first: dict[str, Finding] = {}
    for one in found:
        first.setdefault(one.study, one)
    rest = [one for one in found if first[one.study] is not one]
    return [*first.values(), *rest][:CARDS]


def _rank(finding: Finding) -> tuple[float, float]:
    magnitude = finding.headline.magnitude if finding.headline else 0.0
    return -magnitude, finding.deciding_q or 0.0


def heading(results: Results) -> str:
    """Return what stands above all findings; a lack of data is not told as a null."""
    verdicts = {finding.verdict(results.level) for finding in results.findings}
    if "significant" in verdicts:
        return "What was found"
    if "no significant difference" in verdicts:
        return "No significant difference was found"
    return "Not enough data" if "not enough data" in verdicts else "Nothing was tested"


def cards(results: Results, evidence: Evidence) -> list[Card]:
    """Return the cards, each with its images."""
    return [_card(one, one.headline, results, evidence)
            for one in chosen(results) if one.headline]  # fmt: skip


def _card(finding: Finding, headline: Headline, results: Results, evidence: Evidence) -> Card:
    scale = _Scale.of(headline)
    bars = [bar for bar in headline.bars if bar.value is not None]
    shown = bars
    if len(bars) > MOST_BARS:
        half = MOST_BARS // 2
        shown = [*bars[:half], *bars[-half:]]
    ends = [scale.place(bar, evidence.of(bar.prompts, each=END_IMAGES)) for bar in headline.ends()]
    return Card(
        finding,
        results.line_of(finding),
        headline.measure,
        [scale.place(bar, evidence.of(bar.prompts, each=BAR_IMAGES)) for bar in shown],
        len(bars) - len(shown),
        ends,
        evidence.seeds_decide and _share_seeds(ends),
        scale.zero,
        scale.ticks,
    )


def _share_seeds(ends: Sequence[ShownBar]) -> bool:
    seeds = [{image.seed for image in end.images} for end in ends]
    return len(seeds) == 2 and bool(seeds[0] & seeds[1])


@dataclass(frozen=True, slots=True)
class _Scale:
    """From a value to percent of a card's width."""

    least: float
    most: float

    @classmethod
    def of(cls, headline: Headline) -> _Scale:
        """Shares have the whole range from 0 to 1; other values one that is even about 0."""
        if all(bar.is_share for bar in headline.bars):
            return cls(0.0, 1.0)
        ends = [abs(end) for bar in headline.bars for end in (bar.value, bar.low, bar.high)
                if end is not None]  # fmt: skip
        reach = max(ends, default=0.0) or 1.0
        return cls(-reach, reach)

    def at(self, value: float) -> float:
        return 100 * (value - self.least) / (self.most - self.least)

    @property
    def zero(self) -> float:
        return self.at(0.0)

    @property
    def ticks(self) -> list[str]:
        """What the left end, the middle and the right end of the scale stand for."""
        form = percent if self.least == 0.0 else number
        return [form(end) for end in (self.least, (self.least + self.most) / 2, self.most)]

    def place(self, bar: Bar, images: Sequence[ShownImage]) -> ShownBar:
        end = self.at(bar.value or 0.0)
        low = None if bar.low is None else self.at(bar.low)
        reach = 0.0 if low is None or bar.high is None else self.at(bar.high) - low
        return ShownBar(bar, min(self.zero, end), abs(end - self.zero), low, reach, images)
