"""The votes of an audit: one store, whatever studies, campaigns and files they came from.

A row of the store is one answer of one rater to one question about one image. Rows are only ever
added, so nothing is displaced: files may be imported twice, in any order, while people rate on the
page. `merging` says which answers count.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder, ImageName, ImageNames, read_factors
from portrayal.errors import AuditError, ImportFileError, misspelt
from portrayal.numbers import counted
from portrayal.raters.axis_answers import set_aside
from portrayal.raters.editions import edition_ballots
from portrayal.raters.inference import inferred_maps
from portrayal.raters.mapping import read_map
from portrayal.raters.merging import CONTRADICTORY, merged_votes
from portrayal.raters.questions import Question, QuestionSet
from portrayal.raters.reading import read_votes
from portrayal.raters.votes import RatedImage, Vote, Votes
from portrayal.records import Ballot, Prompt, digest
from portrayal.studies import known_groups

GROUP = "raters"
"""The group of raters that a file is of where no other one is named."""

CORRECTIONS = "corrections"
"""The source of labels that somebody corrected by hand. Such images are chosen because of their
labels, so they are no sample: their votes are kept, and no analysis counts them."""

_PSEUDONYM = re.compile(r"rater-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class VoteImport:
    """What an import brought.

    Attributes:
        images: Images with votes in the source.
        votes: Votes in the source: one per image and rater.
        raters: Raters in the source.
        new: Answers that were not stored before.
        dropped: Rows of the source that were left out, by reason.
        contradictory: Answers stored with the audit that do not count, because the same rater
            gave another one and no time says which came later.
        unasked: Axes that raters were asked about and no study is known to ask about.
        before: Answers of the source that were stored before.
        set_aside: Answers about these images that do not count, because more raters of an image
            answered another question on the axis, with other answers.
    """

    images: int
    votes: int
    raters: int
    new: int
    dropped: Mapping[str, int]
    contradictory: int = 0
    unasked: tuple[str, ...] = ()
    before: int = 0
    set_aside: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "images": self.images, "votes": self.votes, "raters": self.raters, "new": self.new,
            "dropped": dict(self.dropped), "contradictory": self.contradictory,
            "unasked": list(self.unasked), "before": self.before, "set_aside": self.set_aside,
        }  # fmt: skip

    def sentence(self) -> str:
        """Say it in one line."""
        said = (
            f"{counted(self.votes, 'vote')} by {counted(self.raters, 'rater')} on "
            f"{counted(self.images, 'image')}"
        )
        said += f": {counted(self.new, 'answer')} stored" if self.new else ": all stored before"
        if self.new and self.before:
            said += f", {self.before} stored before"
        if left_out := sum(self.dropped.values()):
            said += f"; {counted(left_out, 'row')} left out"
        if self.contradictory:
            said += (
                f"; contradictory answers by one rater, without a time, to "
                f"{counted(self.contradictory, 'question')} about these images: kept, but not "
                "counted"
            )
        if self.set_aside:
            said += f"; {set_aside_in_words(self.set_aside)}"
        return said


def import_votes(
    audit: str | Path,
    file: Path | Sequence[Path],
    vote_map: Path | None = None,
    *,
    group: str = GROUP,
) -> VoteImport:
    """Store the votes of a raters' file, or of several, with an audit.

    An image is found by its key, by the name of its file, or by prompt and seed where the map
    names these columns. Names of
    raters become pseudonyms: what a crowd platform calls them is nobody else's business.

    Args:
        audit: The audit folder.
        file: The votes.
        vote_map: Which columns say what; None: told from the file.
        group: What to call these raters. The same name in two files of one group is one rater.

    Raises:
        ImportFileError: The file or the map is wrong, or an image is not in the audit.
    """
    opened = AuditFolder(audit)
    files = (file,) if isinstance(file, Path) else tuple(file)
    if vote_map is None:
        axes = known_groups(opened.studies())
        read = [(one.files, one.map, "the inferred map") for one in inferred_maps(files, axes)]
    else:
        read = [(files, read_map(vote_map), vote_map.name)]
    found = []
    for own, mapped, said in read:
        names = ", ".join(one.name for one in own)
        votes = read_votes(own, mapped, source=said)
        found.append((names, _found(opened, votes, names)))
    known = known_groups(opened.studies())
    found = [(names, _in_known_case(votes, known)) for names, votes in found]
    unasked = _unasked(known, found)
    stored = [store_votes(opened, votes, source=names, group=group) for names, votes in found]
    images = {vote.image for _, votes in found for vote in votes.votes}
    together = _together(stored, [votes for _, votes in found])
    return replace(_with_uncounted(opened, together, images), unasked=unasked)


def _in_known_case(votes: Votes, known: Iterable[str]) -> Votes:
    """Return votes whose axes are written as the known ones that differ in case alone."""
    axes = {one.casefold(): one for one in known}
    questions = tuple(
        one.model_copy(update={"axis": axes.get(one.axis.casefold(), one.axis)})
        for one in votes.questions.questions
    )
    return replace(votes, questions=votes.questions.model_copy(update={"questions": questions}))


def _unasked(known: Collection[str], found: Sequence[tuple[str, Votes]]) -> tuple[str, ...]:
    """Return the axes that no study is known to ask about; raise where one is misspelt."""
    axes = {one.axis: names for names, votes in found for one in votes.questions.axes}
    unasked = sorted(axes.keys() - set(known))
    for axis in unasked:
        if near := misspelt(axis, known):
            raise ImportFileError(
                f"{axes[axis]}: has the axis {axis!r}, which no study asks about; did you mean "
                f"{near!r}? nothing was stored"
            )
    return tuple(unasked)


def _together(stored: Sequence[VoteImport], votes: Sequence[Votes]) -> VoteImport:
    """Return what several imports brought; an image or rater of two of them counts once."""
    dropped: Counter[str] = Counter()
    for one in stored:
        dropped.update(one.dropped)
    return VoteImport(
        images=len({vote.image for one in votes for vote in one.votes}),
        votes=sum(one.votes for one in stored),
        raters=len({name for one in votes for name in one.raters}),
        new=sum(one.new for one in stored),
        dropped=dict(dropped),
        before=sum(one.before for one in stored),
    )


def store_votes(
    audit: AuditFolder, votes: Votes, *, source: str = "", group: str = GROUP
) -> VoteImport:
    """Store votes on images of an audit, whose names are their keys."""
    definitions = written(votes.questions)
    maker = audit.generator.digest
    names = {rater: pseudonym(maker, rater, group) for rater in votes.raters}
    ballots = [
        Ballot(
            vote.image, question, definition, names[vote.rater], vote.answers.get(question),
            answered_at=vote.at, source=source,
        )
        for vote in (*votes.votes, *votes.earlier)
        for question, definition in definitions.items()
        if votes.was_asked(vote.image, question)
    ]  # fmt: skip
    new = audit.append_votes(ballots)
    images = {vote.image for vote in votes.votes}
    done = VoteImport(
        images=len(images),
        votes=len(votes.votes),
        raters=len(names),
        new=new,
        dropped=votes.dropped,
        before=len(ballots) - new,
    )
    return _with_uncounted(audit, done, images)


def _with_uncounted(audit: AuditFolder, done: VoteImport, images: Collection[str]) -> VoteImport:
    """Return an import that says how many stored answers about its images do not count."""
    merged = merged_votes(_ballots(audit, images), {})
    contradictory = merged.dropped.get(CONTRADICTORY, 0)
    return replace(done, contradictory=contradictory, set_aside=set_aside(merged))


def not_counted(audit: AuditFolder) -> list[str]:
    """Say how many of an audit's answers do not count, one line for each reason."""
    if not has_votes(audit):
        return []
    votes = load_votes(audit)
    contradictory, aside = votes.dropped.get(CONTRADICTORY, 0), set_aside(votes)
    found = []
    if contradictory:
        found.append(
            f"Contradictory answers by one rater, without a time, to "
            f"{counted(contradictory, 'question')} about images: kept, but not counted."
        )
    if aside:
        found.append(f"Raters gave {set_aside_in_words(aside)}.")
    return found


def set_aside_in_words(n: int) -> str:
    """Say that answers are not counted beside those on another scale."""
    return (
        f"{counted(n, 'answer')} on another scale than most raters of the image used: kept, but "
        "not counted"
    )


def load_votes(
    audit: AuditFolder,
    *,
    prompts: Iterable[Prompt] | None = None,
    without: Collection[str] = (),
) -> Votes:
    """Return the votes that count, of all studies, campaigns and files; corrections do not.

    Args:
        audit: The audit.
        prompts: The prompts of a study: only votes on their images, with the study's factors.
            None: all votes, with the factors that images were stored with.
        without: Campaigns and files whose answers are left out.

    Raises:
        AuditError: There are none.
    """
    if not has_votes(audit):
        raise AuditError(
            f"{audit.path}: no raters' votes yet; run `portrayal annotate`, or import a file with "
            "`portrayal import votes`"
        )
    levels = None if prompts is None else {one.text: one.factors for one in prompts}
    columns = audit.images().select("key, prompt, seed, factors").fetchall()
    about = {
        key: RatedImage(prompt, read_factors(factors) if levels is None else levels[prompt], seed)
        for key, prompt, seed, factors in columns
        if levels is None or prompt in levels
    }
    left_out = {CORRECTIONS, *audit.retired("campaign"), *without}
    ballots = [one for one in _ballots(audit, about) if one.source not in left_out]
    return merged_votes(ballots, about)


def has_votes(audit: AuditFolder) -> bool:
    """Tell whether an audit has any votes that count."""
    sources = {source for (source,) in audit.votes().select("source").distinct().fetchall()}
    counted = sources - {CORRECTIONS, *audit.retired("campaign")}
    return bool(counted) or next(edition_ballots(audit), None) is not None


def stored_ballots(audit: AuditFolder) -> list[Ballot]:
    """Return every answer of the store, those of released versions not among them."""
    names = ", ".join(one.name for one in fields(Ballot))
    return [Ballot(*row) for row in audit.votes().select(names).fetchall()]


def written(questions: QuestionSet) -> dict[str, str]:
    """Return the questions as the store keeps them: JSON by id, each with its place."""
    return {
        question.id: _definition(question, place)
        for place, question in enumerate(questions.questions)
    }


def pseudonym(generator: str, rater: str, group: str) -> str:
    """Return what the store calls a rater; a name that is a pseudonym already stays.

    Args:
        generator: The digest of the audit's generator: in another audit a rater is somebody else.
        rater: The rater's name.
        group: The group that the name is of.
    """
    if _PSEUDONYM.fullmatch(rater):
        return rater
    return f"rater-{digest([generator, group, rater], length=12)}"


def _definition(question: Question, place: int) -> str:
    asked = {"place": place, **question.model_dump(mode="json")}
    return json.dumps(asked, ensure_ascii=False, sort_keys=True)


def _ballots(audit: AuditFolder, images: Iterable[str]) -> list[Ballot]:
    """Return all answers about some images, those of released versions among them."""
    wanted = set(images)
    stored = [one for one in stored_ballots(audit) if one.image in wanted]
    return [*stored, *(one for one in edition_ballots(audit, stored) if one.image in wanted)]


def _found(audit: AuditFolder, votes: Votes, source: str) -> Votes:
    """Return the votes with images named by their keys in the audit."""
    images = ImageNames(audit)
    renamed: dict[str, str] = {}
    for image, about in votes.images.items():
        shown = f"image {image!a}"
        names: list[ImageName] = [Path(image), image]
        if about.seed is not None:
            shown += f" (prompt {about.prompt!a}, seed {about.seed})"
            names.append((about.prompt, about.seed))
        try:
            key = images.key(*names, shown=shown)
        except ImportFileError as error:
            raise ImportFileError(f"{source}: {error}; nothing was stored") from error
        renamed[image] = key
    if len(set(renamed.values())) < len(renamed):
        raise ImportFileError(f"{source}: two images of the file are one image of {audit.path}")

    def of(given: Iterable[Vote]) -> list[Vote]:
        return [Vote(renamed[one.image], one.rater, one.answers, one.at) for one in given]

    about_each = {renamed[image]: about for image, about in votes.images.items()}
    asked = {renamed[image]: questions for image, questions in votes.asked.items()}
    return replace(
        votes, images=about_each, votes=of(votes.votes), earlier=of(votes.earlier), asked=asked
    )
