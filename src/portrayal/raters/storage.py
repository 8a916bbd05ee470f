"""Votes kept with an audit: raters are one more measurer of its images.

One row per image holds all its votes as JSON. What was stored never changes: votes that came later
make a new edition, and readers take the newest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder, ColumnType
from portrayal.errors import AuditError, ImportFileError, one_of
from portrayal.raters.consensus import decide
from portrayal.raters.mapping import read_map
from portrayal.raters.questions import questions_from
from portrayal.raters.reading import read_votes
from portrayal.raters.votes import RatedImage, Vote, Votes
from portrayal.records import Identity, Measurement, Prompt, digest
from portrayal.statistics import Rule

KIND = "human"
COLUMNS: Mapping[str, ColumnType] = {"votes": "json", "n": "integer"}


@dataclass(frozen=True, slots=True)
class VoteImport:
    """What an import brought.

    Attributes:
        name: Under which name the votes are kept.
        edition: The how-manieth of that name.
        images: Images with votes.
        votes: Votes.
        raters: Raters.
        dropped: Rows of the file that were left out, by reason.
        new: False where these very votes were here already.
    """

    name: str
    edition: int
    images: int
    votes: int
    raters: int
    dropped: Mapping[str, int]
    new: bool

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "name": self.name, "edition": self.edition, "images": self.images,
            "votes": self.votes, "raters": self.raters, "dropped": dict(self.dropped),
            "new": self.new,
        }  # fmt: skip

    def sentence(self) -> str:
        """Say it in one line."""
        left_out = sum(self.dropped.values())
        return (
            f"{self.votes} votes of {self.raters} raters on {self.images} images "
            f"{'stored as' if self.new else 'were here already as'} {self.name}, "
            f"edition {self.edition}" + (f"; {left_out} rows left out" if left_out else "")
        )


def import_votes(
    audit: str | Path, file: Path, vote_map: Path, *, name: str = "raters"
) -> VoteImport:
    """Store the votes of a raters' file with an audit.

    An image is found by its key, or by prompt and seed where the map names these columns. Raters
    become numbers: the names that a crowd platform gives them are nobody else's business.

    Args:
        audit: The audit folder.
        file: The votes.
        vote_map: Which columns say what.
        name: What to call these raters.

    Raises:
        ImportFileError: The file or the map is wrong, or an image is not in the audit.
    """
    opened = AuditFolder(audit)
    mapped = read_map(vote_map)
    votes = read_votes(file, mapped, source=vote_map.name)
    return store_votes(opened, _found(opened, votes, file.name), name=name)


def store_votes(audit: AuditFolder, votes: Votes, *, name: str = "raters") -> VoteImport:
    """Store votes on images of an audit, whose names are their keys."""
    number = {rater: str(i) for i, rater in enumerate(votes.raters, start=1)}
    rows = {
        image: [{"rater": number[vote.rater], "answers": dict(vote.answers)} for vote in mine]
        for image, mine in sorted(votes.by_image().items())
    }
    asked = votes.questions.model_dump(mode="json")
    content = digest([asked, rows])
    editions = _editions(audit, name)
    known = next((one for one in editions if one.settings["votes"] == content), None)
    if known is None:
        edition = 1 + max((one.settings["edition"] for one in editions), default=0)
        known = Identity(KIND, name, {"edition": edition, "votes": content, "questions": asked})
        new = True
    else:
        new = False
    # Also where the identity is known: an import that was stopped half-way is completed.
    audit.append_measurements(
        known,
        COLUMNS,
        [Measurement(image, {"votes": mine, "n": len(mine)}) for image, mine in rows.items()],
    )
    return VoteImport(
        name=name,
        edition=known.settings["edition"],
        images=len(rows),
        votes=len(votes.votes),
        raters=len(votes.raters),
        dropped=votes.dropped,
        new=new,
    )


def load_votes(
    audit: AuditFolder, name: str | None = None, *, prompts: Iterable[Prompt] | None = None
) -> Votes:
    """Return the newest edition of the votes that an audit holds.

    Args:
        audit: The audit.
        name: Which raters; None where there is one name only.
        prompts: The prompts of a study: only votes on their images, with the study's factors.
            None: all votes, with the factors that images were stored with.

    Raises:
        AuditError: There are none, or several names to choose from.
    """
    identity = newest_edition(audit, name)
    if identity is None:
        raise AuditError(
            f"{audit.path}: no raters' votes here yet; rate with `portrayal annotate`, or bring "
            "them with `portrayal import votes`"
        )
    levels = None if prompts is None else {one.text: one.factors for one in prompts}
    about = {
        key: RatedImage(
            prompt, json.loads(factors or "{}") if levels is None else levels[prompt], seed
        )
        for key, prompt, seed, factors in audit.images()
        .select("key, prompt, seed, factors")
        .fetchall()
        if levels is None or prompt in levels
    }
    rows = audit.measurements(identity, columns=["key", "votes"]).fetchall()
    votes = [
        Vote(key, one["rater"], one["answers"])
        for key, text in sorted(rows)
        if key in about
        for one in json.loads(text)
    ]
    questions = questions_from(identity.settings["questions"], source=str(audit.path))
    return Votes(questions, {vote.image: about[vote.image] for vote in votes}, votes)


def rater_names(audit: AuditFolder) -> list[str]:
    """Return the names of the raters' groups whose votes an audit holds."""
    return sorted({one.name for one in _editions(audit, None)})


def newest_edition(audit: AuditFolder, name: str | None = None) -> Identity | None:
    """Return the identity of the newest votes; None where there are none."""
    editions = _editions(audit, name)
    names = rater_names(audit) if name is None else [name]
    if len(names) > 1:
        raise AuditError(
            f"{audit.path}: votes of several raters' groups; name one of: {one_of(names)}"
        )
    return max(editions, key=lambda one: int(one.settings["edition"]), default=None)


def human_labels(
    audit: AuditFolder, axis: str, *, rule: Rule = "majority", name: str | None = None
) -> dict[str, str | None]:
    """Return the raters' consensus on an axis by image key; None where an image does not count.

    Args:
        audit: The audit.
        axis: The axis, such as "perceived gender".
        rule: What makes a consensus.
        name: Which raters; None where there is one name only.

    Raises:
        AuditError: There are no votes, or none on this axis.
    """
    votes = load_votes(audit, name)
    question = next((one for one in votes.questions.axes if one.axis == axis), None)
    if question is None:
        known = one_of([one.axis for one in votes.questions.axes]) or "none"
        raise AuditError(f"{audit.path}: raters were not asked about {axis!r}; asked were: {known}")
    decisions = decide(votes, rule=rule)
    return dict(zip(decisions.images, decisions.axis_labels[question.id], strict=True))


def _editions(audit: AuditFolder, name: str | None) -> Sequence[Identity]:
    return [
        one for one in audit.measurers() if one.kind == KIND and (name is None or one.name == name)
    ]


def _found(audit: AuditFolder, votes: Votes, source: str) -> Votes:
    """Return the votes with images named by their keys in the audit."""
    rows = audit.images().filter("status = 'ok'").select("key, prompt, seed").fetchall()
    keys = {key for key, _, _ in rows}
    places = {(prompt, seed): key for key, prompt, seed in rows}
    renamed: dict[str, str] = {}
    for image, about in votes.images.items():
        key = image if image in keys else places.get((about.prompt, about.seed))
        if key is None:
            raise ImportFileError(
                f"{source}: image {image!a} (prompt {about.prompt!a}, seed {about.seed}) is not in "
                f"{audit.path}; the map names images by their key, or by prompt and seed"
            )
        renamed[image] = key
    if len(set(renamed.values())) < len(renamed):
        raise ImportFileError(f"{source}: two images of the file are one image of {audit.path}")
    return Votes(
        votes.questions,
        {renamed[image]: about for image, about in votes.images.items()},
        [Vote(renamed[vote.image], vote.rater, vote.answers) for vote in votes.votes],
        votes.dropped,
    )
