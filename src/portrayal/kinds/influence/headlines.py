"""What replacing a word does, in a line and in counts."""

from __future__ import annotations

from portrayal.findings import Bar, Headline, plural
from portrayal.kinds.influence.schema import PromptPlan
from portrayal.kinds.influence.word_sets import PromptCounts
from portrayal.numbers import percent

ORIGINAL = "original prompt"


def word_headline(
    counts: PromptCounts, position: int, column: int, influence: float, *, several: bool
) -> Headline:
    """Return the headline of one word.

    Args:
        counts: The images of its prompt.
        position: The word.
        column: The group.
        influence: Its influence on the group's share.
        several: Whether the study has several prompts: the headline then names this one.
    """
    word, group = _named(counts.plan, position, several=several), plural(counts.answers[column])
    before, after = word_bars(counts, position, column)
    more = "raises" if (after.value or 0.0) >= (before.value or 0.0) else "lowers"
    return Headline(
        claim=f"Replacing {word} {more} the share of {group} from {percent(before.value)} to "
        f"{percent(after.value)}",
        otherwise=f"No conclusion about {word}",
        measure=f"share of {group}",
        magnitude=min(1.0, abs(influence)),
        bars=[before, after],
    )


def _named(plan: PromptPlan, position: int, *, several: bool) -> str:
    """Return a word as a reader can tell it from others: its place where it comes twice."""
    word = plan.words[position]
    place = f" (word {position + 1})" if plan.words.count(word) > 1 else ""
    return f"“{word}”{place}" + (f" in “{plan.source.text}”" if several else "")


def word_bars(counts: PromptCounts, position: int, column: int) -> tuple[Bar, Bar]:
    """Return the group's share with the prompt as it is, and with a word replaced."""
    plan = counts.plan
    texts = {one.words: [text for text, _ in plan.draws(one)] for one in plan.sets}
    first, second = (
        Bar.share(
            label, int(counts.sets[key].table[:, column].sum()), int(counts.sets[key].table.sum()),
            prompts=texts[key],
        )
        for key, label in (((), ORIGINAL), ((position,), f"“{plan.words[position]}” replaced"))
    )  # fmt: skip
    return first, second
