"""Which word to change, in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from portrayal.findings import counted
from portrayal.kinds.influence.word_scores import PromptScores, WordScores, pair_rows
from portrayal.numbers import percent

NEAR = 0.1
"""A share this near to even needs no change."""

LEAST_IMAGES = 2
"""A text with fewer images is no example."""


def suggest(scores: PromptScores, column: int) -> str:
    """Say which word to change so that a group's share comes closer to even.

    Even means the same share for every group. Only words whose interval leaves out zero are named,
    and pairs of words that act only together; of these, what brings the share closest to even.

    Args:
        scores: The words of one prompt.
        column: The group.
    """
    counts, main = scores.counts, scores.main
    group = counts.answers[column]
    if main is None:
        return f"No suggestion: too few images of people for the share of {group}."
    share = float(counts.sets[()].shares[column])
    even = 1 / (len(counts.answers) - 1)
    if abs(share - even) <= NEAR:
        return f"The share of {group} is {percent(share)}, near to even; no change is suggested."
    sign = 1 if share > even else -1
    found = list(_movers(scores, main, column, sign))
    if not found:
        return _none(scores, main, group, share)
    return _of_words(scores, column, max(found)[1], sign)


def _movers(
    scores: PromptScores, main: WordScores, column: int, sign: int
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield words, and pairs that act only together, that clearly push the wrong way.

    With each comes how much closer to even the share is when they are replaced; a share that goes
    past even and further from it counts below zero.
    """
    counts = scores.counts
    even = 1 / (len(counts.answers) - 1)
    start = float(counts.sets[()].shares[column])

    def closer(words: tuple[int, ...]) -> float:
        after = float(counts.sets[tuple(sorted(words))].shares[column])
        return abs(start - even) - abs(after - even)

    for position in counts.plan.replaceable:
        one = main.of(position, column)
        if one.is_clear and one.value * sign > 0:
            yield closer((position,)), (position,)
    for row, first, second, at in pair_rows(scores):
        if scores.pairs is None or at != column or not scores.pairs.only_together[row, at]:
            continue
        if sign * float(scores.pairs.joint[row, at]) > 0:
            yield closer((first, second)), (first, second)


def _none(scores: PromptScores, main: WordScores, group: str, share: float) -> str:
    more = "more images may"
    if main.level < len(scores.counts.plan.replaceable):
        more = f"more images, or level {main.level + 1} (words that act only together), may"
    return f"No word clearly moves the share of {group} from {percent(share)} to even; {more} tell."


def _of_words(scores: PromptScores, column: int, words: tuple[int, ...], sign: int) -> str:
    counts = scores.counts
    named = " and ".join(f"“{counts.plan.words[word]}”" for word in words)
    one = counts.sets[tuple(sorted(words))]
    before, after = (float(s.shares[column]) for s in (counts.sets[()], one))
    moves = "lowers" if after < before else "raises"
    group = counts.answers[column]
    text = f"Change {named}: replacing {'it' if len(words) == 1 else 'both'} {moves} the share of "
    text += f"{group} from {percent(before)} to {percent(after)}"
    even = 1 / (len(counts.answers) - 1)
    if (even - after) * sign > abs(before - even):
        text += " on average, past even; choose the word with care"
    if (before - after) * sign <= 0:
        # At higher levels a word may act only once others are replaced too.
        text = f"Change {named} together with other words: alone it leaves the share of {group} at "
        text += percent(after)
    examples = list(_examples(scores, column, tuple(sorted(words)), sign))[:2]
    shown = "; ".join(examples)
    return f"{text}, for example {shown}." if shown else f"{text}."


def _examples(
    scores: PromptScores, column: int, words: tuple[int, ...], sign: int
) -> Iterator[str]:
    """Yield the replaced texts that bring the share closest to even."""
    counts = scores.counts
    even = 1 / (len(counts.answers) - 1)
    start = float(counts.sets[()].shares[column])
    plan = next(one for one in counts.plan.sets if one.words == words)
    table = counts.sets[words].table
    found: dict[str, list[int]] = {}
    for drawn, row in zip(plan.texts, table.tolist(), strict=False):
        entry = found.setdefault(drawn.text, [0, 0])
        entry[0] += row[column]
        entry[1] += sum(row)
    ranked = sorted(
        (abs(hits / n - even), -n, text)
        for text, (hits, n) in found.items()
        if n >= LEAST_IMAGES and (start - hits / n) * sign > 0
    )
    for _, minus, text in ranked:
        hits = found[text][0]
        yield f"“{text}” ({hits} of {counted(-minus, 'image')})"
