"""Which image a rater gets next: from a small open set, so that work done is complete work.

Images wait in a queue. A few of them are open: begun, and short of the votes that they want. A
rater gets the open image that is nearest to its votes; a new one is opened only when no open image
lacks a hand. So whenever a campaign is stopped, nearly all votes lie on images that have all of
theirs. Who is away holds nothing back. `OpenSet` decides, and knows no database; `deal` writes
what it decides.
"""

from __future__ import annotations

import bisect
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from portrayal.raters.site.database import (
    DealtTask,
    ImageRow,
    QueuedImage,
    Rater,
    RatingTask,
    Setting,
)
from portrayal.records import digest
from portrayal.web import new_code

IN_HAND = 2
"""So many open tasks a rater has: the image on the page, and the next one, fetched ahead."""

ABSENT_S = 300.0
ABSENT_VOTES = 3
LEAST_OTHERS = 5
"""A rater who did nothing for so long, or while others cast so many votes each, is away: images in
hand go to others. The second rule holds however fast people work. Only those count as others who
did something since, but at least so many: two fast ones do not make a slow one absent."""

REPEAT_AFTER = 8
"""An image comes a second time after at least so many others."""

RATING, REPEAT, KNOWN = "rating", "repeat", "known"


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


class Queued(NamedTuple):
    """An image that waits for votes, and how many it wants."""

    image: str
    wanted: int


class Dealt(NamedTuple):
    """A task of a rater.

    Attributes:
        rater: The rater.
        image: The image.
        kind: `rating`, or an attention check.
        place: The rater's order.
        dealt_at: When the rater got it.
        done_at: When it was finished; None while it is open.
    """

    rater: int
    image: str
    kind: str
    place: float
    dealt_at: float
    done_at: float | None


class OpenSet:
    """Chooses images for raters.

    Args:
        queue: Images in the order in which they are opened.
        tasks: All tasks so far.
        raters: Who may get work.
        now: The time, as in `Dealt`.
    """

    def __init__(
        self, queue: Sequence[Queued], tasks: Sequence[Dealt], raters: Collection[int], now: float
    ) -> None:
        self._queue = iter(queue)
        self._wanted = dict(queue)
        self._had: dict[int, set[str]] = defaultdict(set)
        self._begun: dict[str, int] = {}
        away = _away(tasks, now)
        for one in tasks:
            if one.kind != RATING or one.image not in self._wanted:
                continue
            self._had[one.rater].add(one.image)
            in_hand = one.rater in raters and one.rater not in away
            votes = 1 if one.done_at is not None or in_hand else 0
            self._begun[one.image] = self._begun.get(one.image, 0) + votes

    def take(self, rater: int) -> str | None:
        """Return the image that a rater gets next; None where none lacks a vote of theirs."""
        open_ = [
            image
            for image, votes in self._begun.items()
            if votes < self._wanted[image] and image not in self._had[rater]
        ]
        nearest = max(
            open_, key=lambda image: self._begun[image], default=None
        )  # the first of several
        image = self._opened() if nearest is None else nearest
        if image is not None:
            self._had[rater].add(image)
            self._begun[image] = self._begun.get(image, 0) + 1
        return image

    def _opened(self) -> str | None:
        """Return the next image of the queue that nobody has."""
        return next((one.image for one in self._queue if one.image not in self._begun), None)


def _away(tasks: Sequence[Dealt], now: float) -> set[int]:
    """Return the raters who are not expected to finish what they have in hand."""
    last: dict[int, float] = {}
    for one in tasks:
        last[one.rater] = max(last.get(one.rater, 0.0), one.dealt_at, one.done_at or 0.0)
    cast = sorted(one.done_at for one in tasks if one.done_at is not None)
    active = sorted(last.values())

    def since(times: Sequence[float], at: float) -> int:
        return len(times) - bisect.bisect_right(times, at)

    return {
        rater
        for rater, at in last.items()
        if now - at > ABSENT_S
        or since(cast, at) > ABSENT_VOTES * max(LEAST_OTHERS, since(active, at))
    }


def shuffled(images: Iterable[str], *seeds: int) -> list[str]:
    """Return images in an order that depends on the seeds alone."""
    return sorted(set(images), key=lambda image: digest([*seeds, image]))


def deal(connection: sa.Connection, raters: Collection[int], terms: Terms, now: float) -> int:
    """Give raters tasks until they have enough in hand; return how many that made.

    Args:
        connection: Of a transaction that writes.
        raters: Who may lack some.
        terms: How work is shared out.
        now: The time, in seconds since 1970.
    """
    # One at a time, also where several servers share a PostgreSQL; SQLite has one writer anyway.
    connection.execute(sa.select(Setting.key).where(Setting.key == "format").with_for_update())
    working = set(
        connection.execute(sa.select(Rater.id).where(Rater.closed_at.is_(None))).scalars()
    )
    wanting = sorted(working & set(raters))
    if not wanting:
        return 0
    tasks = _tasks(connection)
    mine: dict[int, list[Dealt]] = {rater: [] for rater in wanting}
    for one in tasks:
        if one.rater in mine:
            mine[one.rater].append(one)
    known = _known(connection)
    chooser = OpenSet(_queue(connection), tasks, working, now)
    rows = []
    for rater in wanting:
        own = sorted(mine[rater], key=lambda one: one.place)
        while sum(one.done_at is None for one in own) < IN_HAND:
            kind, image = check_due(own, known, terms, rater) or (RATING, chooser.take(rater))
            if image is None:
                break
            place = own[-1].place + 1 if own else 0.0
            own.append(Dealt(rater, image, kind, place, now, None))
            rows.append({
                "rater_id": rater, "code": new_code(), "image": image, "kind": kind,
                "place": place,
            })  # fmt: skip
    if rows:
        connection.execute(sa.insert(RatingTask), rows)
        times = [{"code": row["code"], "at": now} for row in rows]
        connection.execute(sa.insert(DealtTask), times)
    return len(rows)


def share_of_work(connection: sa.Connection, terms: Terms) -> int:
    """Return how many tasks a rater has if all do the same: images, and attention checks."""
    queue = _queue(connection)
    raters = connection.execute(
        sa.select(sa.func.count()).select_from(Rater).where(Rater.closed_at.is_(None))
    ).scalar_one()
    images = min(len(queue), math.ceil(sum(one.wanted for one in queue) / max(1, raters)))
    repeats = min(int(terms.checks * images + 0.5), max(0, images - REPEAT_AFTER))
    return images + repeats + (len(_known(connection)) if images else 0)


def check_due(
    own: Sequence[Dealt], known: Sequence[str], terms: Terms, rater: int
) -> tuple[str, str] | None:
    """Return the attention check that comes next in a rater's order; None: none.

    Args:
        own: The rater's tasks in their order.
        known: Images whose answer is known; each comes once.
        terms: How often images come a second time.
        rater: The rater's number.
    """
    number = len(own)
    seen = {one.image for one in own if one.kind == KNOWN}
    left = [image for image in shuffled(known, terms.seed, rater) if image not in seen]
    if left and number >= REPEAT_AFTER * (len(seen) + 1) + _step(terms.seed, rater, len(seen)):
        return KNOWN, left[0]
    ratings = [one for one in own if one.kind == RATING]
    repeated = {one.image for one in own if one.kind == REPEAT}
    due = int(terms.checks * len(ratings) + 0.5)
    early = [one.image for one in ratings[: max(0, len(ratings) - REPEAT_AFTER)]]
    free = [image for image in shuffled(early, terms.seed, rater) if image not in repeated]
    if free and len(repeated) < due:
        return REPEAT, free[0]
    return None


def _step(*seeds: int) -> int:
    """Return a small number by which a check comes later than it might."""
    return int(digest(list(seeds)), 16) % 4


def _queue(connection: sa.Connection) -> list[Queued]:
    rows = connection.execute(
        sa.select(QueuedImage.image, QueuedImage.wanted).order_by(
            QueuedImage.place, QueuedImage.image
        )
    )
    return [Queued(*row) for row in rows]


def _tasks(connection: sa.Connection) -> list[Dealt]:
    columns = (
        RatingTask.rater_id, RatingTask.image, RatingTask.kind, RatingTask.place,
        sa.func.coalesce(DealtTask.at, 0.0), RatingTask.done_at,
    )  # fmt: skip
    wanted = (
        sa.select(*columns)
        .outerjoin(DealtTask, DealtTask.code == RatingTask.code)
        .order_by(RatingTask.id)
    )
    return [Dealt(*row) for row in connection.execute(wanted)]


def _known(connection: sa.Connection) -> list[str]:
    wanted = sa.select(ImageRow.image).where(ImageRow.expected.is_not(None))
    return list(connection.execute(wanted).scalars())
