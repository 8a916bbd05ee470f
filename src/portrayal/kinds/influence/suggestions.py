"""Which word to change, in plain words, and whether changing it has helped."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from portrayal.findings import counted, plural
from portrayal.kinds.influence.verdicts import verdicts
from portrayal.kinds.influence.word_scores import PromptScores, WordScores, pair_rows
from portrayal.kinds.influence.word_sets import PromptCounts
from portrayal.numbers import percent
from portrayal.statistics import share_interval

NEAR = 0.1
"""A share this near to the target needs no change."""

LEAST_IMAGES = 2
"""A text with fewer images is no example."""

REWRITES = 2
"""Rewritten prompts that are verified."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewritten prompt, and what new images of it show.

    Attributes:
        text: The prompt.
        hits: New images that show the group.
        images: New images that show somebody.
    """

    text: str
    hits: int
    images: int

    def sentence(self, group: str, confidence: float) -> str:
        """Say what the new images show."""
        if not self.images:
            return f"“{self.text}” shows nobody in new images."
        bounds = share_interval(self.hits, self.images, confidence=confidence)
        ends = f"{percent(bounds.low)} to {percent(bounds.high)}"
        return (
            f"Verified with new images: “{self.text}” shows {plural(group)} in {self.hits} of "
            f"{self.images} ({percent(self.hits / self.images)}, {100 * confidence:g}% CI {ends})."
        )


def even_share(counts: PromptCounts, target: float | None) -> float:
    """Return the share to come near: the target, or the same for every group."""
    return target or 1 / (len(counts.answers) - 1)


def suggest(
    scores: PromptScores,
    column: int,
    *,
    target: float | None = None,
    verified: Sequence[Rewrite] = (),
    confidence: float = 0.95,
) -> str:
    """Say which word to change so that a group's share comes closer to a target.

    Only words that can be named are (see `verdicts`), and pairs of words that act only together; of
    these, what brings the share closest.

    Args:
        scores: The words of one prompt.
        column: The group.
        target: The share to come near; None: the same for every group.
        verified: What new images of rewritten prompts show.
        confidence: Of their intervals.
    """
    counts, main = scores.counts, scores.main
    group = plural(counts.answers[column])
    if main is None:
        return f"No suggestion: too few images of people for the share of {group}."
    share = float(counts.sets[()].shares[column])
    even = even_share(counts, target)
    if abs(share - even) <= NEAR:
        near = "near to even" if target is None else f"near to {percent(even)}"
        return f"The share of {group} is {percent(share)}, {near}; no change is suggested."
    sign = 1 if share > even else -1
    words = _chosen(scores, main, column, even)
    if words is None:
        return _none(scores, main, column, share, even)
    text = _of_words(scores, column, words, sign, even)
    shown = [one.sentence(counts.answers[column], confidence) for one in verified]
    return " ".join([text, *shown])


def rewritten(scores: PromptScores, column: int, *, target: float | None = None) -> list[str]:
    """Return the rewritten prompts to verify: those texts that came closest to the target."""
    main, counts = scores.main, scores.counts
    even = even_share(counts, target)
    if main is None or abs(float(counts.sets[()].shares[column]) - even) <= NEAR:
        return []
    words = _chosen(scores, main, column, even)
    if words is None:
        return []
    return [text for text, _, _ in _ranked(scores, column, words, even)][:REWRITES]


def _chosen(
    scores: PromptScores, main: WordScores, column: int, even: float
) -> tuple[int, ...] | None:
    found = list(_movers(scores, main, column, even))
    return tuple(sorted(max(found)[1])) if found else None


def _movers(
    scores: PromptScores, main: WordScores, column: int, even: float
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield words, and pairs that act only together, that push the wrong way.

    With each comes how much closer to the target the share is when they are replaced; a share that
    goes past it and further away counts below zero.
    """
    counts = scores.counts
    start = float(counts.sets[()].shares[column])
    sign = 1 if start > even else -1

    def closer(words: tuple[int, ...]) -> float:
        after = float(counts.sets[tuple(sorted(words))].shares[column])
        return abs(start - even) - abs(after - even)

    for position, verdict in verdicts(scores, column).items():
        if verdict.is_named and main.of(position, column).value * sign > 0:
            yield closer((position,)), (position,)
    for row, first, second, at in pair_rows(scores):
        if scores.pairs is None or at != column or not scores.pairs.only_together[row, at]:
            continue
        if sign * float(scores.pairs.joint[row, at]) > 0:
            yield closer((first, second)), (first, second)


def _none(scores: PromptScores, main: WordScores, column: int, share: float, even: float) -> str:
    counts = scores.counts
    few = [
        f"“{counts.plan.words[at]}”"
        for at, one in verdicts(scores, column).items()
        if one.kind == "too few texts"
    ]
    if few:
        named = ", ".join(few[:3]) + (f" and {len(few) - 3} more" if len(few) > 3 else "")
        return f"Too few texts or images to say anything about {named}; ask for more."
    more = "more images may"
    if main.level < len(counts.plan.replaceable):
        more = f"more images, or level {main.level + 1} (words that act only together), may"
    group = plural(counts.answers[column])
    aim = "even" if math.isclose(even, even_share(counts, None)) else percent(even)
    return (
        f"No word clearly moves the share of {group} from {percent(share)} to {aim}; {more} tell."
    )


def _of_words(
    scores: PromptScores, column: int, words: tuple[int, ...], sign: int, even: float
) -> str:
    counts = scores.counts
    named = " and ".join(f"“{counts.plan.words[word]}”" for word in words)
    before, after = (float(counts.sets[key].shares[column]) for key in ((), words))
    moves = "lowers" if after < before else "raises"
    group = plural(counts.answers[column])
    text = f"Change {named}: replacing {'it' if len(words) == 1 else 'both'} {moves} the share of "
    text += f"{group} from {percent(before)} to {percent(after)}"
    if (even - after) * sign > abs(before - even):
        past = "even" if math.isclose(even, even_share(counts, None)) else "the target"
        text += f" on average, past {past}; choose the word with care"
    if (before - after) * sign <= 0:
        # At higher levels a word may act only once others are replaced too.
        text = f"Change {named} together with other words: alone it leaves the share of {group} at "
        text += percent(after)
    examples = [
        f"“{example}” ({hits} of {counted(n, 'image')})"
        for example, hits, n in _ranked(scores, column, words, even)
    ][:REWRITES]
    return f"{text}, for example {'; '.join(examples)}." if examples else f"{text}."


def _ranked(
    scores: PromptScores, column: int, words: tuple[int, ...], even: float
) -> list[tuple[str, int, int]]:
    """Return replaced texts with hits and images, those closest to the target first."""
    counts = scores.counts
    start = float(counts.sets[()].shares[column])
    sign = 1 if start > even else -1
    plan = next(one for one in counts.plan.sets if one.words == words)
    found: dict[str, list[int]] = {}
    for drawn, row in zip(plan.texts, counts.sets[words].table.tolist(), strict=False):
        entry = found.setdefault(drawn.text, [0, 0])
        entry[0] += row[column]
        entry[1] += sum(row)
    ranked = sorted(
        (abs(hits / n - even), -n, text)
        for text, (hits, n) in found.items()
        if n >= LEAST_IMAGES and (start - hits / n) * sign > 0
    )
    return [(text, found[text][0], -minus) for _, minus, text in ranked]
