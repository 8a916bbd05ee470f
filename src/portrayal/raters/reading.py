"""Votes from a raters' file: what the cells of its rows mean is written in a MAP.toml.

A fault is one line with file, row and column.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from portrayal.errors import ImportFileError, one_of
from portrayal.raters.mapping import JOINT, Level, MappedQuestion, VoteMap
from portrayal.raters.rows import Row, rows_of
from portrayal.raters.votes import RatedImage, Vote, Votes
from portrayal.studies import did_you_mean

_MTURK = "%a %b %d %H:%M:%S %Y"
_ZONES = {"UTC": 0, "GMT": 0, "PST": -8, "PDT": -7}
_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off", ""}


def read_votes(
    paths: Path | Sequence[Path], vote_map: VoteMap, *, source: str = "MAP.toml"
) -> Votes:
    """Read the votes of a raters' file, or of several.

    Args:
        paths: The files.
        vote_map: Which columns say what.
        source: What to call the map in an error.

    Raises:
        ImportFileError: The file or the map is wrong.
    """
    every = (paths,) if isinstance(paths, Path) else tuple(paths)
    images: dict[str, RatedImage] = {}
    asked: dict[str, frozenset[str]] = {}
    places: dict[str, list[int]] = {}
    votes: dict[tuple[str, str], Vote] = {}
    earlier: list[Vote] = []
    dropped: Counter[str] = Counter()
    for row in (row for path in every for row in rows_of(path, vote_map)):
        reason, levels = _levels(row, vote_map)
        if reason is not None:
            dropped[reason] += 1
            continue
        image, rater = row.joined(vote_map.image), row.cell(vote_map.rater)
        if not image.strip(JOINT) or not rater:
            what = f"column {vote_map.rater}" if image.strip(JOINT) else "the image's column"
            raise ImportFileError(f"{row.where}: {what} is empty")
        _take_image(images, image, _about(row, vote_map, levels), row)
        places.setdefault(image, _places(row, vote_map))
        mapped = _asked(row, vote_map)
        if len(mapped) < len(vote_map.mapped):
            asked[image] = frozenset(one.id for one in mapped)
        vote = Vote(image, rater, _answers(row, mapped), _time(row, vote_map.time))
        before = votes.get((image, rater))
        if before is not None:
            dropped["a rater's second vote on an image"] += 1
            if vote.answers == before.answers:
                continue
            kept = _chosen(before, vote, vote_map.duplicates, row)
            if vote_map.duplicates == "error":  # the later one was chosen by its time
                earlier.append(before if kept is vote else vote)
            vote = kept
        votes[image, rater] = vote
    if not votes:
        names = ", ".join(map(str, every))
        raise ImportFileError(f"{names}: no votes in it ({sum(dropped.values())} rows dropped)")
    questions = vote_map.questions(source)
    ordered = sorted(votes.values(), key=lambda vote: places[vote.image])
    return Votes(questions, images, ordered, dict(dropped), earlier=earlier, asked=asked)


def _places(row: Row, vote_map: VoteMap) -> list[int]:
    """Return where the map lists the levels of a row: tables follow its order."""
    levels = (vote_map.factors[name] for name in vote_map.by)
    listed = [(row.joined(level.columns), list(level.values)) for level in levels]
    return [values.index(x) if x in values else len(values) for x, values in listed]


def _asked(row: Row, vote_map: VoteMap) -> tuple[MappedQuestion, ...]:
    """Return the questions of a row's file: not those whose column only another file has."""
    elsewhere = {name for one in vote_map.files for name in one.columns} - set(row.cells)
    return tuple(one for one in vote_map.mapped if one.column not in elsewhere)


def _chosen(before: Vote, vote: Vote, duplicates: str, row: Row) -> Vote:
    """Return which of a rater's two votes on an image counts."""
    if duplicates != "error":
        return before if duplicates == "first" else vote
    if before.at is None or vote.at is None or before.at == vote.at:
        raise ImportFileError(
            f"{row.where}: rater {vote.rater} votes on image {vote.image!a} a second time, with "
            'other answers; set duplicates = "first" or "last" in the map to choose one, or name '
            "the column with the time of the vote: time = ..."
        )
    return vote if vote.at > before.at else before


def _time(row: Row, column: str) -> int | None:
    """Return when a vote was cast, in seconds since 1970; a time without a zone is UTC."""
    text = row.cell(column) if column else ""
    if not text:
        return None
    for read in (dt.datetime.fromisoformat, _as_mturk):
        try:
            found = read(text)
        except ValueError:
            continue
        return int((found if found.tzinfo else found.replace(tzinfo=dt.UTC)).timestamp())
    raise ImportFileError(
        f"{row.where}, column {column}: {text!r} is no time; allowed: 2026-11-18 08:30:00, or as "
        "Mechanical Turk writes it"
    )


def _as_mturk(text: str) -> dt.datetime:
    """Read a time with a zone in letters, as Mechanical Turk writes it."""
    words = text.split()
    hours = _ZONES.get(words[4]) if len(words) == 6 else None
    if hours is None:
        raise ValueError(text)
    zone = dt.timezone(dt.timedelta(hours=hours))
    return dt.datetime.strptime(" ".join([*words[:4], words[5]]), _MTURK).replace(tzinfo=zone)


def _levels(row: Row, vote_map: VoteMap) -> tuple[str | None, dict[str, str]]:
    """Return the levels of a row's factors, or the reason why the row is left out."""
    for column, allowed in vote_map.only.items():
        if row.cell(column) not in allowed:
            return f"{column} is none of: {one_of(allowed) or 'nothing'}", {}
    levels = {}
    for name, level in vote_map.factors.items():
        found = _level(row, level)
        if found is None:
            return f"{name} is not one that the map names", {}
        levels[name] = found
    return None, levels


def _level(row: Row, level: Level) -> str | None:
    value = row.joined(level.columns)
    if not level.values or value in level.values:
        return level.values.get(value, value)
    if level.other == "error":
        raise ImportFileError(
            f"{row.where}, column {JOINT.join(level.columns)}: {value!r} is not in values"
            f"{did_you_mean(value, level.values)}; allowed: {one_of(list(level.values))}"
        )
    return value if level.other == "keep" else None


def _about(row: Row, vote_map: VoteMap, levels: dict[str, str]) -> RatedImage:
    seed = row.cell(vote_map.seed) if vote_map.seed else ""
    if seed and not (seed.isascii() and seed.isdigit()):
        raise ImportFileError(
            f"{row.where}, column {vote_map.seed}: {seed!r} is no seed; allowed: a whole number"
        )
    prompt = row.cell(vote_map.prompt) if vote_map.prompt else ""
    return RatedImage(prompt, levels, int(seed) if seed else None)


def _take_image(images: dict[str, RatedImage], image: str, about: RatedImage, row: Row) -> None:
    before = images.setdefault(image, about)
    if before.factors != about.factors:
        name = next(one for one in about.factors if before.factors[one] != about.factors[one])
        raise ImportFileError(
            f"{row.where}: image {image!a} has {name} {about.factors[name]!r} here and "
            f"{before.factors[name]!r} above; name the image by more columns"
        )


def _answers(row: Row, questions: tuple[MappedQuestion, ...]) -> dict[str, str]:
    found = {}
    for question in questions:
        answer = _ticked(row, question) if question.columns else _written(row, question)
        if answer:
            found[question.id] = answer
    return found


def _written(row: Row, question: MappedQuestion) -> str:
    if not question.answer_keys() and question.column not in row.cells:
        return ""  # nobody wrote a comment, and Label Studio leaves the column out
    value = row.cell(question.column)
    if not value:
        return ""
    allowed = question.values or {key: key for key in question.answer_keys()}
    if not allowed:
        return value
    if value not in allowed:
        raise ImportFileError(
            f"{row.where}, column {question.column}: {value!r} is no answer"
            f"{did_you_mean(value, allowed)}; allowed: {one_of(list(allowed))}"
        )
    return allowed[value]


def _ticked(row: Row, question: MappedQuestion) -> str:
    """Return the one answer whose own column says true."""
    ticked = []
    for key, column in question.columns.items():
        value = row.cell(column).lower()
        if value not in _TRUE | _FALSE:
            raise ImportFileError(f"{row.where}, column {column}: {value!r}; allowed: true, false")
        if value in _TRUE:
            ticked.append(key)
    if len(ticked) > 1:
        raise ImportFileError(
            f"{row.where}, question {question.id}: {len(ticked)} answers are ticked "
            f"({one_of(ticked)}); a question takes one"
        )
    return ticked[0] if ticked else ""
