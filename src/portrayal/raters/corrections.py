"""Labels corrected by hand: each becomes a vote in the audit's store."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from portrayal.audit import AuditFolder
from portrayal.errors import SettingError, one_of
from portrayal.raters.axis_answers import PERSON
from portrayal.raters.campaigns import for_checking, studies_of, united
from portrayal.raters.checked import consensus_labels
from portrayal.raters.merging import merged_votes
from portrayal.raters.questions import Question
from portrayal.raters.store import CORRECTIONS, pseudonym, stored_ballots, written
from portrayal.raters.subjects import chosen_questions
from portrayal.records import NOBODY, UNKNOWN, Ballot


class Corrections:
    """What somebody who looks at an audit's images says of their labels.

    Args:
        audit: The audit.
        rater: Who looks; the store knows a pseudonym.

    Raises:
        AuditError: Two studies ask differently about one axis.
    """

    def __init__(self, audit: AuditFolder, *, rater: str) -> None:
        self._audit = audit
        self._rater = pseudonym(audit.generator.digest, rater, CORRECTIONS)
        sets = [chosen_questions(one, None) for one in studies_of(audit, ()) if one is not None]
        labelled = [for_checking(one) for one in sets if one.axes]
        self._questions = united(labelled) if labelled else None
        self._last: dict[str, int] = defaultdict(int)

    @property
    def choices(self) -> Mapping[str, Sequence[str]]:
        """What an image may be said to show, by axis: groups, "unknown", "nobody"."""
        asked = () if self._questions is None else self._questions.axes
        return {one.axis: _choices(one) for one in asked}

    def labels(self) -> dict[tuple[str, str], str]:
        """Return the corrected labels so far, by image key and axis."""
        ballots = [one for one in stored_ballots(self._audit) if one.source == CORRECTIONS]
        votes = merged_votes(ballots, {})
        return {
            (image, axis): label
            for axis in dict.fromkeys(one.axis for one in votes.questions.axes)
            for image, label in consensus_labels(votes, axis, least_votes=1)[0].items()
        }

    def store(self, image: str, axis: str, label: str) -> None:
        """Store what an image shows; a later answer about it takes the place of an earlier one.

        Args:
            image: The image's key.
            axis: The axis.
            label: One of its `choices`.

        Raises:
            SettingError: It is none of them.
        """
        if label not in self.choices.get(axis, ()) or self._questions is None:
            allowed = one_of(self.choices.get(axis, ())) or "none"
            raise SettingError("label", f"is {label!r} on {axis!r}; allowed: {allowed}")
        question = next(one for one in self._questions.axes if one.axis == axis)
        definitions = written(self._questions)
        # Votes are timed in seconds: two answers within one would contradict each other.
        self._last[image] = at = max(int(time.time()), self._last[image] + 1)
        self._audit.append_votes([
            Ballot(image, name, definitions[name], self._rater, answer, at, source=CORRECTIONS)
            for name, answer in _answers(question, label).items()
        ])  # fmt: skip


def _choices(question: Question) -> tuple[str, ...]:
    unsure = (UNKNOWN,) if question.cant_judge else ()
    return (*question.groups, *unsure, *((NOBODY,) if PERSON in question.asked_if else ()))


def _answers(question: Question, label: str) -> dict[str, str | None]:
    """Return the answers that make a label, by question."""
    asked = dict.fromkeys(question.asked_if)
    if label == NOBODY:
        return {**asked, PERSON: "no", question.id: None}
    met = {name: keys[0] for name, keys in question.asked_if.items()}
    return {**met, question.id: question.cant_judge[0] if label == UNKNOWN else label}
