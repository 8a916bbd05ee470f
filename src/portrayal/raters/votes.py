"""Votes: what each rater said about each image. Read from a file, from the rating page, or stored
with an audit; scored always in the same way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from portrayal.raters.questions import QuestionSet, default_questions


@dataclass(frozen=True, slots=True)
class RatedImage:
    """What an image was made from.

    Attributes:
        prompt: The prompt's text, "" where the file does not tell.
        factors: Levels by factor: what scores are grouped by.
        seed: The seed, where it is known.
    """

    prompt: str = ""
    factors: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Vote:
    """What one rater said about one image: answer keys by question.

    Attributes:
        image: The image.
        rater: The rater.
        answers: Answer keys by question.
        at: When, in seconds since 1970; None where the source does not tell.
    """

    image: str
    rater: str
    answers: Mapping[str, str]
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Votes:
    """All votes of one rating.

    Attributes:
        questions: What was asked.
        images: What each image was made from, by its name.
        votes: At most one for each image and rater.
        dropped: Rows of the source that were left out, by reason.
        earlier: Votes that a later one of the same rater on the same image replaces.
        again: What raters said who were shown an image a second time; these do not count as votes.
        asked: By image, what its raters were asked; empty: all of the questions.
    """

    questions: QuestionSet
    images: Mapping[str, RatedImage]
    votes: Sequence[Vote]
    dropped: Mapping[str, int] = field(default_factory=dict)
    earlier: Sequence[Vote] = ()
    again: Sequence[Vote] = ()
    asked: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def none(cls) -> Votes:
        """Return no votes at all."""
        return cls(default_questions(), {}, [])

    @property
    def raters(self) -> tuple[str, ...]:
        """Everybody who voted, in the order of the first vote."""
        return tuple(dict.fromkeys(vote.rater for vote in self.votes))

    def was_asked(self, image: str, question: str) -> bool:
        """Tell whether an image's raters were asked a question."""
        return question in self.asked.get(image, (question,))

    def by_image(self) -> dict[str, list[Vote]]:
        """Return the votes of every image, images in the order of the first vote."""
        found: dict[str, list[Vote]] = defaultdict(list)
        for vote in self.votes:
            found[vote.image].append(vote)
        return dict(found)

    def ratings(self, question: str) -> list[list[str | None]]:
        """Return one row per image and one column per rater: an answer, or None for no vote."""
        column = {rater: i for i, rater in enumerate(self.raters)}
        rows = []
        for votes in self.by_image().values():
            row: list[str | None] = [None] * len(column)
            for vote in votes:
                row[column[vote.rater]] = vote.answers.get(question)
            rows.append(row)
        return rows

    def without(self, keys: Collection[str]) -> Votes:
        """Return the votes about all but some images, named by their keys."""
        kept = {name for name in self.images if name not in keys}
        return self if len(kept) == len(self.images) else self._about(kept)

    def of_images(self, wanted: Callable[[RatedImage], bool]) -> Votes:
        """Return the votes about some of the images."""
        return self._about({name for name, image in self.images.items() if wanted(image)})

    def _about(self, names: Collection[str]) -> Votes:
        images = {name: image for name, image in self.images.items() if name in names}
        return replace(
            self,
            images=images,
            votes=[vote for vote in self.votes if vote.image in images],
            again=[vote for vote in self.again if vote.image in images],
        )
