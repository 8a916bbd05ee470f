"""Raters and their work: make links, share out images, replace or close a link."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from portrayal.errors import AuditError
from portrayal.raters.site import assignment
from portrayal.raters.site.database import AnswerRow, Database, ImageRow, Rater, RatingTask
from portrayal.raters.site.tokens import hashed, new_code, new_token
from portrayal.raters.subjects import Subject

MOST_RATERS = 1_000
IN_HAND = 3
"""So many of a rater's next tasks are never given away: the page may be showing one."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How work is shared out.

    Attributes:
        per_image: How many raters see each image.
        checks: Which share of a rater's images comes a second time.
        seed: Of all shuffling.
    """

    per_image: int = 3
    checks: float = 0.05
    seed: int = 0


class Roster:
    """Changes who rates what. Every method is one transaction: it happens wholly or not at all.

    Args:
        database: The rating.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_subjects(self, subjects: Sequence[Subject]) -> int:
        """Take images in; return how many were new."""
        with self._database.writing() as connection:
            known = set(connection.execute(sa.select(ImageRow.image)).scalars())
            rows = [_image(one) for one in subjects if one.image not in known]
            if rows:
                connection.execute(sa.insert(ImageRow), rows)
        return len(rows)

    def add_raters(self, names: Sequence[str], terms: Terms) -> dict[str, str]:
        """Add raters and give them work; return the token of each by name.

        Raises:
            AuditError: A name is taken or empty, or there are too many.
        """
        tokens = {name: new_token() for name in names}
        with self._database.writing() as connection:
            taken = set(connection.execute(sa.select(Rater.name)).scalars())
            _check_names(names, taken)
            rows = [
                {"name": name, "token_hash": hashed(token), "created_at": time.time()}
                for name, token in tokens.items()
            ]
            connection.execute(sa.insert(Rater), rows)
            _deal(connection, terms)
            for rater in connection.execute(
                sa.select(Rater.id).where(Rater.name.in_(names)).order_by(Rater.id)
            ).scalars():
                _take_over(connection, rater, terms)
            _add_checks(connection, terms)
        return tokens

    def deal(self, terms: Terms) -> int:
        """Give every image the raters it lacks; return how many tasks that made."""
        with self._database.writing() as connection:
            made = _deal(connection, terms)
            _add_checks(connection, terms)
        return made

    def replace_link(self, rater: int) -> str:
        """Give a rater a new link; the old one opens nothing any more."""
        token = new_token()
        change = sa.update(Rater).where(Rater.id == rater)
        with self._database.writing() as connection:
            found = connection.execute(change.values(token_hash=hashed(token), closed_at=None))
            if found.rowcount == 0:
                raise AuditError(f"there is no rater number {rater}")
        return token

    def close(self, rater: int, terms: Terms) -> int:
        """Close a link and give the unseen images to others; return how many tasks that made."""
        with self._database.writing() as connection:
            connection.execute(
                sa.update(Rater).where(Rater.id == rater).values(closed_at=time.time())
            )
            begun = sa.select(AnswerRow.task_id)
            connection.execute(
                sa.delete(RatingTask).where(
                    RatingTask.rater_id == rater, RatingTask.id.not_in(begun)
                )
            )
            made = _deal(connection, terms)
            _add_checks(connection, terms)
        return made


def _check_names(names: Sequence[str], taken: set[str]) -> None:
    for name in names:
        if not name.strip() or len(name) > 80 or not name.isprintable():
            raise AuditError("a rater's name is empty or too long; allowed: 1 to 80 characters")
        if name in taken:
            raise AuditError(f"there is a rater {name!r} already; choose another name")
    if len(set(names)) < len(names):
        raise AuditError("two raters have one name; each name once")
    if len(names) + len(taken) > MOST_RATERS:
        raise AuditError(f"more than {MOST_RATERS} raters; one rating has at most so many")


def _image(subject: Subject) -> dict[str, Any]:
    return {
        "image": subject.image,
        "prompt": subject.prompt,
        "seed": subject.seed,
        "attribute": subject.attribute,
        "factors": dict(subject.factors),
        "expected": None if subject.expected is None else dict(subject.expected),
    }


def _held(connection: sa.Connection) -> dict[str, set[int]]:
    """Return who has or had each image; what a closed rater left unfinished does not count."""
    rows = connection.execute(
        sa.select(RatingTask.image, RatingTask.rater_id)
        .join(Rater, Rater.id == RatingTask.rater_id)
        .where(
            RatingTask.kind == "rating",
            sa.or_(Rater.closed_at.is_(None), RatingTask.done_at.is_not(None)),
        )
    )
    held: dict[str, set[int]] = defaultdict(set)
    for image, rater in rows:
        held[image].add(rater)
    return held


def _working(connection: sa.Connection) -> list[int]:
    wanted = sa.select(Rater.id).where(Rater.closed_at.is_(None)).order_by(Rater.id)
    return list(connection.execute(wanted).scalars())


def _deal(connection: sa.Connection, terms: Terms) -> int:
    images = connection.execute(
        sa.select(ImageRow.image).where(ImageRow.expected.is_(None))
    ).scalars()
    new = assignment.share_out(
        list(images),
        _working(connection),
        per_image=terms.per_image,
        held=_held(connection),
        seed=terms.seed,
    )
    by_rater: dict[int, list[str]] = defaultdict(list)
    for rater, image in new:
        by_rater[rater].append(image)
    for rater, mine in by_rater.items():
        _append(connection, rater, assignment.shuffled(mine, terms.seed, rater))
    return len(new)


def _append(connection: sa.Connection, rater: int, images: Sequence[str]) -> None:
    """Put images at the end of a rater's order."""
    last = sa.select(sa.func.max(RatingTask.place)).where(RatingTask.rater_id == rater)
    found = connection.execute(last).scalar()
    start = 0.0 if found is None else float(int(found) + 1)
    rows = [_task(rater, image, "rating", start + i) for i, image in enumerate(images)]
    connection.execute(sa.insert(RatingTask), rows)


def _take_over(connection: sa.Connection, newcomer: int, terms: Terms) -> None:
    begun = set(connection.execute(sa.select(AnswerRow.task_id)).scalars())
    rows = connection.execute(
        sa.select(
            RatingTask.id,
            RatingTask.rater_id,
            RatingTask.image,
            RatingTask.kind,
            RatingTask.done_at,
        )
        .join(Rater, Rater.id == RatingTask.rater_id)
        .where(Rater.closed_at.is_(None))
        .order_by(RatingTask.place, RatingTask.id)
    ).all()
    waiting: dict[int, list[Any]] = {rater: [] for rater in _working(connection)}
    checked = {(row.rater_id, row.image) for row in rows if row.kind == "repeat"}
    for row in rows:
        if row.done_at is None and row.id not in begun:
            waiting[row.rater_id].append(row)
    free = {
        rater: [
            row.image
            for row in (mine if rater == newcomer else mine[IN_HAND:])
            if row.kind == "rating" and (rater, row.image) not in checked
        ]
        for rater, mine in waiting.items()
    }
    moves = assignment.take_over(free, _held(connection), taker=newcomer)
    if not moves:
        return
    for move in moves:
        connection.execute(
            sa.delete(RatingTask).where(
                RatingTask.rater_id == move.giver,
                RatingTask.image == move.image,
                RatingTask.kind == "rating",
            )
        )
    images = assignment.shuffled([move.image for move in moves], terms.seed, newcomer)
    _append(connection, newcomer, images)


def _add_checks(connection: sa.Connection, terms: Terms) -> None:
    """Mix attention checks into the order of every rater who has none yet."""
    known = list(
        connection.execute(
            sa.select(ImageRow.image).where(ImageRow.expected.is_not(None))
        ).scalars()
    )
    checked = set(
        connection.execute(
            sa.select(RatingTask.rater_id).where(RatingTask.kind != "rating")
        ).scalars()
    )
    for rater in _working(connection):
        if rater in checked:
            continue
        mine = list(
            connection.execute(
                sa.select(RatingTask.image)
                .where(RatingTask.rater_id == rater)
                .order_by(RatingTask.place)
            ).scalars()
        )
        places = assignment.repeats(mine, terms.checks, terms.seed, rater)
        rows = [_task(rater, image, "repeat", place) for image, place in places.items()]
        if mine:
            for i, image in enumerate(assignment.shuffled(known, terms.seed, rater)):
                place = (i + 1) * len(mine) / (len(known) + 1) + 0.5
                rows.append(_task(rater, image, "known", place))
        if rows:
            connection.execute(sa.insert(RatingTask), rows)


def _task(rater: int, image: str, kind: str, place: float) -> dict[str, Any]:
    return {
        "rater_id": rater, "code": new_code(), "image": image, "kind": kind, "place": place,
    }  # fmt: skip
