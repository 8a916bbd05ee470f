"""A finding in one line, with what it rests on in counts, for the page and the terminal."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from portrayal.numbers import number, percent
from portrayal.records import Plain

FEW_PROMPTS = 24
"""Prompts that a bar names; it may rest on more."""

WORDS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
PLURALS = {"woman": "women", "man": "men", "person": "people", "child": "children"}


@dataclass(frozen=True, slots=True)
class Bar(Plain):
    """One value of a headline's chart, with the images behind it.

    Attributes:
        label: What it is about: a level, an attribute, a concept.
        value: The value; None where there is none.
        low: Lower bound of its interval.
        high: Upper bound.
        hits: Images of the group, where the value is a share.
        n: Images that count.
        side: Which of two sides, where bars come in pairs: "without" and "with", say.
        prompts: Whose images it rests on; at most `FEW_PROMPTS` are named.
        corrected: Whether it is a share corrected by people's labels, which no counts stand for.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    hits: int | None = None
    n: int = 0
    side: str = ""
    prompts: Sequence[str] = ()
    corrected: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "prompts", tuple(dict.fromkeys(self.prompts))[:FEW_PROMPTS])
        Plain.__post_init__(self)

    @classmethod
    def share(
        cls,
        label: str,
        hits: int,
        n: int,
        *,
        interval: Sequence[float] = (),
        side: str = "",
        prompts: Sequence[str] = (),
    ) -> Bar:
        """Return a share as a bar; without images it has no value."""
        low, high = interval or (None, None)
        value = hits / n if n else None
        return cls(label, value, low, high, hits, n, side, prompts)

    @property
    def is_share(self) -> bool:
        """Whether the value is a share, from 0 to 1."""
        return self.hits is not None or self.corrected

    @property
    def text(self) -> str:
        """The value in counts where there are any: `10 of 16 images (63%)`."""
        if self.hits is None:
            return self.short
        return f"{self.hits} of {self.n} images ({percent(self.value)})"

    @property
    def counts(self) -> str:
        """A share without brackets of its own: `10 of 16 images, 63%`; none and all need none."""
        share = f", {percent(self.value)}" if self.value not in (None, 0.0, 1.0) else ""
        return f"{self.short} images{share}"

    @property
    def short(self) -> str:
        """The value where there is little room: `10 of 16`."""
        if self.hits is None:
            return percent(self.value) if self.corrected else number(self.value)
        return f"{self.hits} of {self.n}"


@dataclass(frozen=True, slots=True)
class Headline(Plain):
    """What a finding says in at most 12 words, and the bars that show it.

    Attributes:
        claim: Said where the finding is significant after correction.
        otherwise: Said where it is not.
        measure: What the bars' values are: "share of women".
        magnitude: How large the effect is, from 0 to 1, comparable between kinds of studies.
        bars: The values behind it.
        reading: How the finding's estimate is read, where the words for its statistic are not
            enough: which concept minus which.
    """

    claim: str
    otherwise: str
    measure: str
    magnitude: float
    bars: Sequence[Bar] = ()
    reading: str = ""

    def ends(self) -> list[Bar]:
        """Return two bars that differ most, or the only one; of pairs both sides of one label."""
        valued = [bar for bar in self.bars if bar.value is not None and bar.prompts]
        pairs = [(a, b) for a, b in itertools.pairwise(valued) if a.side and a.label == b.label]
        if pairs:
            first, second = max(pairs, key=_apart)
            return [first, second]
        if not valued:
            return []
        least = min(valued, key=lambda bar: bar.value or 0.0)
        most = max(valued, key=lambda bar: bar.value or 0.0)
        return [least] if least is most else [least, most]


def _apart(pair: tuple[Bar, Bar]) -> float:
    return abs((pair[0].value or 0.0) - (pair[1].value or 0.0))


def plural(group: str) -> str:
    """Return the members of a group: `women` for `woman`; a name of another form stays.

    >>> plural("woman"), plural("older man"), plural("dark skin")
    ('women', 'older men', 'dark skin')
    """
    start, _, last = group.rpartition(" ")
    return f"{start} {PLURALS.get(last, last)}".strip()


def in_words(n: int) -> str:
    """Return a small number as a word: `five`; a larger one in digits."""
    return WORDS[n] if 0 <= n < len(WORDS) else f"{n:,}"


def listed(names: Sequence[str], *, at_most: int = 5) -> str:
    """Return names as a list: `nurse, chef and mechanic`; of many the first, and how many more."""
    shown = list(names[:at_most])
    if len(names) > at_most:
        shown = [*names[: at_most - 1], f"{len(names) - at_most + 1} more"]
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)
