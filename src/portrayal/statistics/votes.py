"""From several raters' votes to one answer per item."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.statistics.checks import check_option
from portrayal.statistics.ratings import as_ratings

Rule = Literal["majority", "unanimous", "majority-certain"]
RULES: tuple[Rule, ...] = ("majority", "unanimous", "majority-certain")


@dataclass(frozen=True, slots=True, eq=False)
class ConsensusResult:
    """One answer per item.

    Attributes:
        labels: The answer of each item; None where there is none.
        rule: By which it was found.
        n: Items with an answer.
        n_missing: Items without one.
        n_unvoted: Of these, items without a vote.
        n_uncertain: Of these, items where "can't judge" won, or was given and the rule forbids it.
        n_divided: Of these, items whose votes are too divided for the rule.
    """

    labels: NDArray[np.object_]
    rule: Rule
    n: int
    n_missing: int
    n_unvoted: int
    n_uncertain: int
    n_divided: int


def consensus(
    *votes: ArrayLike, rule: Rule = "majority", uncertain: Collection[Any] = ()
) -> ConsensusResult:
    """Return the answer that raters agree on, item by item.

    `majority`: more than half of the votes given (2 of 2, 2 of 3, 3 of 4). `unanimous`: all votes.
    `majority-certain`: a majority, and none of the votes is "can't judge"; this is the rule that
    reproduces ENTIGEN's published counts. A "can't judge" that wins is no answer under any rule.
    An item without a vote has no answer.

    Args:
        *votes: One sequence of labels per rater, or one (raters, items) table; None and NaN where a
            rater did not vote.
        rule: What makes an answer.
        uncertain: Labels that mean "can't judge".

    Reference: Bansal et al. (2022), appendix C, with the rule inferred from the released votes.

    >>> first, second, third = ["man", "man", "man"], ["man", "man", "?"], ["man", "woman", "man"]
    >>> consensus(first, second, third, rule="majority", uncertain=["?"]).labels.tolist()
    ['man', 'man', 'man']
    >>> consensus(first, second, third, rule="majority-certain", uncertain=["?"]).labels.tolist()
    ['man', 'man', None]
    """
    check_option("rule", rule, RULES)
    table = as_ratings(votes, least=1)
    counts = table.counts
    items = counts.shape[0]
    given = counts.sum(axis=1)
    # argmax wants a column; without any label nothing has won.
    padded = counts if table.labels else np.zeros((items, 1))
    winner, most = padded.argmax(axis=1), padded.max(axis=1, initial=0)
    vague = np.array([label in uncertain for label in table.labels] or [False])
    won = (most == given) if rule == "unanimous" else (most > given / 2)
    doubtful = (won & vague[winner]) | (
        (padded[:, vague].sum(axis=1) > 0) & (rule == "majority-certain")
    )
    voted = given > 0
    answered = voted & won & ~doubtful
    labels = np.full(items, None, dtype=object)
    for item in np.flatnonzero(answered):
        labels[item] = table.labels[winner[item]]
    return ConsensusResult(
        labels=labels,
        rule=rule,
        n=int(answered.sum()),
        n_missing=int((~answered).sum()),
        n_unvoted=int((~voted).sum()),
        n_uncertain=int((voted & doubtful).sum()),
        n_divided=int((voted & ~won & ~doubtful).sum()),
    )
