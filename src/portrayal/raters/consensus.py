"""One answer per image and question from several raters' votes, and which images count.

An image counts on an axis where the raters' consensus on the axis's question is a group and their
consensus on the questions in `counts_if` (a person; what was asked for) is what it must be. With
the rule `majority-certain` these are the counts that Bansal et al. 2022 (ENTIGEN) published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from portrayal.errors import one_of
from portrayal.raters.questions import Question
from portrayal.raters.reliability import ballots
from portrayal.raters.votes import RatedImage, Votes
from portrayal.records import NOBODY
from portrayal.statistics import Rule, consensus

TOO_FEW = "too few votes"
CANT_JUDGE = "can't judge"
DIVIDED = "raters are divided"
NO_VOTE = "no vote"
NOBODY_SEEN = "nobody is shown"


@dataclass(frozen=True, slots=True)
class Decisions:
    """What the raters agreed on.

    Attributes:
        rule: By which rule.
        least_votes: Images with fewer votes than this have no consensus.
        images: Names of the images.
        about: What each image was made from.
        labels: By question, one answer per image; None where there is none.
        axis_labels: By axis question, one group per image that counts; None otherwise.
        reasons: By axis question, why an image does not count; "" where it does.
    """

    rule: Rule
    least_votes: int
    images: Sequence[str]
    about: Sequence[RatedImage]
    labels: Mapping[str, Sequence[str | None]]
    axis_labels: Mapping[str, Sequence[str | None]]
    reasons: Mapping[str, Sequence[str]]

    def unusable(self, question: str, places: Sequence[int]) -> dict[str, int]:
        """Count by reason the images at some places that do not count on an axis."""
        found = Counter(self.reasons[question][i] for i in places)
        return {reason: n for reason, n in found.items() if reason}


def decide(votes: Votes, *, rule: Rule = "majority", least_votes: int | None = None) -> Decisions:
    """Find the consensus on every question, image by image.

    Args:
        votes: What the raters said.
        rule: `majority`, `unanimous` or `majority-certain`.
        least_votes: How many votes an image needs; None: two, or one where no image has two.
    """
    by_image = votes.by_image()
    most = max((len(mine) for mine in by_image.values()), default=0)
    least = min(2, most) if least_votes is None else least_votes
    labels: dict[str, list[str | None]] = {}
    why: dict[str, list[str]] = {}
    for question in votes.questions.choices:
        table = ballots(votes, question)
        about = {question.id, *question.counts_if}
        enough = [
            sum(not about.isdisjoint(vote.answers) for vote in mine) >= least
            for mine in by_image.values()
        ]
        found = consensus(table, rule=rule, uncertain=_unsure(question)).labels.tolist()
        labels[question.id] = [one if ok else None for one, ok in zip(found, enough, strict=True)]
        cast = table.T.tolist()
        why[question.id] = [
            TOO_FEW if not ok else _reason(label, given, question, rule)
            for label, given, ok in zip(found, cast, enough, strict=True)
        ]
    asked = {name: [votes.was_asked(image, name) for image in by_image] for name in labels}
    reasons = {
        question.id: _counting(question, labels, why[question.id], asked)
        for question in votes.questions.axes
    }
    axis_labels = {
        name: [None if reason else label for label, reason in zip(labels[name], mine, strict=True)]
        for name, mine in reasons.items()
    }
    images = [votes.images[name] for name in by_image]
    return Decisions(rule, least, list(by_image), images, labels, axis_labels, reasons)


def _unsure(question: Question) -> list[str]:
    """Return the answers that say "can't judge": that there is nobody to be judged is no doubt."""
    return [key for key in question.cant_judge if key != NOBODY]


def _reason(label: str | None, given: Sequence[str | None], question: Question, rule: Rule) -> str:
    """Say why votes make no answer, or one that is no group; "" where they make one that is."""
    if label is not None:
        return NOBODY_SEEN if label in question.cant_judge else ""
    counts = Counter(one for one in given if one is not None)
    if not counts:
        return NO_VOTE
    unsure = sum(counts[key] for key in _unsure(question))
    if unsure and (rule == "majority-certain" or 2 * unsure > counts.total()):
        return CANT_JUDGE
    return DIVIDED


def _counting(
    question: Question,
    labels: Mapping[str, Sequence[str | None]],
    own: Sequence[str],
    asked: Mapping[str, Sequence[bool]],
) -> list[str]:
    """Return why each image does not count on an axis; "" where it does.

    A condition on a question that an image's raters were not asked does not hold them back.
    """
    reasons = list(own)
    for name, allowed in reversed(question.counts_if.items()):
        for i, label in enumerate(labels[name]):
            if asked[name][i] and label not in allowed and own[i] != TOO_FEW:
                reasons[i] = f"no consensus that {name} is {one_of(allowed)}"
    return reasons
