"""Labels by people, with what a correction of other measurers' labels must know of them.

checked_labels(audit, axis) -> CheckedLabels
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, one_of
from portrayal.raters.axis_answers import PERSON, axis_questions, counting_answers, said
from portrayal.raters.consensus import Decisions, decide
from portrayal.raters.designs import Design, combined
from portrayal.raters.questions import Question
from portrayal.raters.store import has_votes, load_votes
from portrayal.raters.votes import Votes
from portrayal.records import NOBODY, UNKNOWN, Identity
from portrayal.statistics import Rule

RATERS = "raters"
"""The kind of the identity under which people's labels are a measurer like any other."""


@dataclass(frozen=True, slots=True)
class TwoAnswers:
    """Two answers about one image, for the raters' own error.

    Attributes:
        image: The image's key.
        first: A label.
        second: The other label.
        same_rater: Whether one rater was shown the image twice; else two raters answered.
    """

    image: str
    first: str
    second: str
    same_rater: bool


@dataclass(frozen=True, slots=True, eq=False)
class CheckedLabels:
    """What people say about images, on one axis.

    Attributes:
        axis: The axis.
        question: What was asked; `question.merged(groups)` maps finer groups to its answers.
        keys: The images with an answer.
        labels: The consensus of each: a group, "unknown" (cannot tell, or divided) or "nobody".
        n_raters: How many raters answered about each.
        probabilities: With which probability each came into the sample; NaN where it was not drawn
            at random.
        strata: The stratum of each; "" where it was not drawn at random.
        twice: Pairs of answers about one image.
    """

    axis: str
    question: Question
    keys: tuple[str, ...]
    labels: tuple[str, ...]
    n_raters: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]
    strata: tuple[str, ...]
    twice: tuple[TwoAnswers, ...]

    @property
    def n(self) -> int:
        """Number of images with an answer."""
        return len(self.keys)

    def by_key(self) -> dict[str, str]:
        """Return the labels by image key."""
        return dict(zip(self.keys, self.labels, strict=True))


def checked_labels(audit: AuditFolder, axis: str, *, rule: Rule = "majority") -> CheckedLabels:
    """Return what people say about an audit's images on an axis; one answer is enough to count.

    Args:
        audit: The audit.
        axis: The axis, such as "perceived gender".
        rule: What makes a consensus where several raters answered.

    Raises:
        AuditError: There are no votes, or raters were not asked about the axis.
    """
    votes = load_votes(audit)
    asked = axis_questions(votes, axis)
    if not asked:
        known = one_of(list(dict.fromkeys(one.axis for one in votes.questions.axes))) or "none"
        raise AuditError(f"{audit.path}: raters were not asked about {axis!r}; asked were: {known}")
    labels, counts = consensus_labels(votes, axis, rule=rule, least_votes=1)
    drawn = _drawn(audit, axis, counts)
    keys = tuple(sorted(labels))
    return CheckedLabels(
        axis=axis,
        question=asked[0],
        keys=keys,
        labels=tuple(labels[key] for key in keys),
        n_raters=np.array([counts[key] for key in keys], dtype=np.int64),
        probabilities=np.array(
            [combined(drawn[key].values()) if key in drawn else math.nan for key in keys]
        ),
        strata=tuple(" + ".join(drawn[key]) if key in drawn else "" for key in keys),
        twice=tuple(_twice(votes, asked)),
    )


def raters_identity(rule: Rule, *, samples: bool = True) -> Identity:
    """Return the identity of an audit's raters as a measurer.

    Args:
        rule: How votes become a consensus.
        samples: Whether answers count that were given to check another measurer: such images were
            drawn by that measurer's labels, so shares of them say nothing.
    """
    return Identity(RATERS, "raters", {"consensus": rule, "samples": samples})


def rater_labels(audit: AuditFolder, raters: Identity) -> dict[str, dict[str, dict[str, float]]]:
    """Return what people say of images, as a measurer says it: probabilities by axis and answer.

    A consensus has probability 1: it is the rule that says how sure it must be.

    Args:
        audit: The audit.
        raters: See `raters_identity`.
    """
    if not has_votes(audit):
        return {}
    checks = [name for name, one in audit.campaigns().items() if one.get("check")]
    votes = load_votes(audit, without=() if raters.settings["samples"] else checks)
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for axis in dict.fromkeys(one.axis for one in votes.questions.axes):
        labels, _ = consensus_labels(votes, axis, rule=raters.settings["consensus"])
        for image, label in labels.items():
            found[image][axis] = {label: 1.0}
    return dict(found)


def consensus_labels(
    votes: Votes, axis: str, *, rule: Rule = "majority", least_votes: int | None = None
) -> tuple[dict[str, str], dict[str, int]]:
    """Return the raters' label of every image that was asked about, and how many answered.

    Args:
        votes: What they said.
        axis: The axis.
        rule: How votes become a consensus.
        least_votes: See `decide`.

    Returns:
        A group, "unknown" or "nobody" by image, and the number of raters by image.
    """
    decisions = decide(votes, rule=rule, least_votes=least_votes)
    place = {image: i for i, image in enumerate(decisions.images)}
    counting = counting_answers(votes, axis)
    labels = {
        image: _decided(decisions, one.question, place[image]) for image, one in counting.items()
    }
    return labels, {image: one.n for image, one in counting.items()}


def _decided(decisions: Decisions, question: Question, place: int) -> str:
    label = decisions.axis_labels[question.id][place]
    if label is not None:
        return label
    if decisions.labels[question.id][place] == NOBODY:
        return NOBODY
    if PERSON in question.counts_if:
        seen = decisions.labels[PERSON][place]
        if seen is not None and seen not in question.counts_if[PERSON]:
            return NOBODY
    return UNKNOWN


def _twice(votes: Votes, asked: Sequence[Question]) -> Iterator[TwoAnswers]:
    """Yield two answers of one rater, and those of every two raters, image by image."""
    again = {(vote.image, vote.rater): vote for vote in votes.again}
    for image, mine in votes.by_image().items():
        for question in asked:
            every = [(vote.rater, said(vote, question)) for vote in mine]
            given = [(rater, label) for rater, label in every if label is not None]
            for rater, label in given:
                second = again.get((image, rater))
                repeated = None if second is None else said(second, question)
                if repeated is not None:
                    yield TwoAnswers(image, label, repeated, same_rater=True)
            for (_, one), (_, other) in itertools.combinations(given, 2):
                yield TwoAnswers(image, one, other, same_rater=False)


def _drawn(
    audit: AuditFolder, axis: str, answered: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    """Return, by image, the probability in every stratum that it was drawn in."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for name, campaign in audit.campaigns().items():
        if campaign.get("design") is None or axis not in campaign["axes"]:
            continue
        design = Design.from_dict(campaign["design"])
        for image, probability in design.probabilities(answered).items():
            found[image][f"{name}: {design.drawn[image]}"] = probability
    return found
