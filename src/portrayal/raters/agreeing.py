"""What raters say of each image on an axis, and how many of them agree: for the record."""

from __future__ import annotations

from typing import NamedTuple

from portrayal.raters.axis_answers import counting_answers, said
from portrayal.raters.checked import consensus_labels
from portrayal.raters.votes import Votes
from portrayal.statistics import Rule


class AgreedLabel(NamedTuple):
    """What raters say of an image.

    Attributes:
        image: The image's key.
        label: A group, "unknown" (cannot tell, or divided) or "nobody".
        raters: How many raters answered.
        agreeing: How many of them gave this label; 0 where they are divided.
    """

    image: str
    label: str
    raters: int
    agreeing: int


def agreed_labels(votes: Votes, axis: str, *, rule: Rule = "majority") -> list[AgreedLabel]:
    """Return what raters say of every image that they answered about; one answer is enough.

    Args:
        votes: What the raters said.
        axis: The axis.
        rule: What makes a consensus where several raters answered.
    """
    labels, _ = consensus_labels(votes, axis, rule=rule, least_votes=1)
    counting, by_image = counting_answers(votes, axis), votes.by_image()
    found = []
    for image, label in labels.items():
        one = counting[image]
        given = [said(vote, one.question) for vote in by_image[image]]
        found.append(AgreedLabel(image, label, one.n, given.count(label)))
    return found
