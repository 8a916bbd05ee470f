"""Raters and the images that they are asked about: make links, replace or close one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from portrayal.errors import AuditError
from portrayal.raters.campaigns import Campaign
from portrayal.raters.questions import ASKED
from portrayal.raters.site.database import (
    AnswerRow,
    Database,
    ImageRow,
    QueuedImage,
    Rater,
    RatingTask,
)
from portrayal.raters.site.dealing import RATING, Terms, shuffled
from portrayal.raters.subjects import Subject
from portrayal.web import hashed, new_token

MOST_RATERS = 1_000


class Roster:
    """Changes who rates and what. Every method is one transaction: it happens or it does not.

    Args:
        database: The rating.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_campaign(self, campaign: Campaign, terms: Terms) -> int:
        """Take the images of a campaign in; return how many were new."""
        with self._database.writing() as connection:
            rows = connection.execute(sa.select(ImageRow.image, ImageRow.factors)).all()
            known = {row.image: dict(row.factors) for row in rows}
            new = [one for one in campaign.subjects if one.image not in known]
            if new:
                connection.execute(sa.insert(ImageRow), [_image(one) for one in new])
            for one in campaign.subjects:
                if one.image in known:
                    _ask_more(connection, one, known[one.image])
            _queue(connection, campaign, terms)
        return len(new)

    def add_raters(self, names: Sequence[str]) -> dict[str, str]:
        """Add raters; return the token of each by name.

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
        return tokens

    def replace_link(self, rater: int) -> str:
        """Give a rater a new link; the old one opens nothing any more."""
        token = new_token()
        change = sa.update(Rater).where(Rater.id == rater)
        with self._database.writing() as connection:
            found = connection.execute(change.values(token_hash=hashed(token), closed_at=None))
            if found.rowcount == 0:
                raise AuditError(f"there is no rater number {rater}")
        return token

    def close(self, rater: int) -> None:
        """Close a link; images that the rater has in hand are free for others."""
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
        "factors": {**subject.factors, ASKED: ",".join(subject.asks)},
        "expected": None if subject.expected is None else dict(subject.expected),
    }


def _ask_more(connection: sa.Connection, subject: Subject, factors: dict[str, str]) -> None:
    """Ask about an image what a campaign adds; whoever has rated it is shown it again for that."""
    before = factors[ASKED].split(",") if ASKED in factors else None
    added = [] if before is None else [one for one in subject.asks if one not in before]
    if not added:
        return
    asks = ",".join([*(before or ()), *added])
    change = sa.update(ImageRow).where(ImageRow.image == subject.image)
    connection.execute(change.values(factors={**factors, ASKED: asks}))
    again = sa.update(RatingTask).where(
        RatingTask.image == subject.image, RatingTask.kind == RATING
    )
    connection.execute(again.values(done_at=None))


def _queue(connection: sa.Connection, campaign: Campaign, terms: Terms) -> None:
    """Let the images of a campaign want votes; those of a later campaign come later."""
    waiting = {row.image: row for row in connection.execute(sa.select(QueuedImage.__table__))}
    images = [one.image for one in campaign.subjects if one.expected is None]
    if campaign.design is None:
        images = shuffled(images, terms.seed)
    start = 1 + max((row.place for row in waiting.values()), default=-1.0)
    new = [
        {"image": image, "campaign": campaign.name, "place": start + i, "wanted": terms.per_image}
        for i, image in enumerate(images)
        if image not in waiting
    ]
    if new:
        connection.execute(sa.insert(QueuedImage), new)
    more = [image for image in images if image in waiting]
    if not more:
        return
    change = sa.update(QueuedImage).where(QueuedImage.image.in_(more))
    connection.execute(
        change.where(QueuedImage.wanted < terms.per_image).values(wanted=terms.per_image)
    )
    if not campaign.is_check:  # what was a check counts as a rating from now on
        connection.execute(change.values(campaign=campaign.name))
