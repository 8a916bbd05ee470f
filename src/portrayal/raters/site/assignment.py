"""Who rates which image, and in which order. Pure: keys and numbers in, plans out.

Wanted minus present, as everywhere: every image wants n raters; those it has already count. The
order of each rater follows from hashes, so it is the same on every machine and for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from portrayal.records import digest

REPEAT_AFTER = 8
"""An image comes a second time after at least so many others."""


class Assignment(NamedTuple):
    """One image for one rater."""

    rater: int
    image: str


class Move(NamedTuple):
    """An assignment that goes from one rater to another."""

    image: str
    giver: int
    taker: int


def share_out(
    images: Sequence[str],
    raters: Sequence[int],
    *,
    per_image: int,
    held: Mapping[str, Set[int]],
    seed: int,
) -> list[Assignment]:
    """Give every image the raters it lacks, the least busy ones first.

    From nothing, no rater gets two images more than another, and no two raters meet over the
    same images again and again.

    Args:
        images: Keys of all images.
        raters: Who may get work.
        per_image: How many different raters an image wants.
        held: Who has an image already.
        seed: Of the order.
    """
    load = dict.fromkeys(raters, 0)
    for holders in held.values():
        for rater in holders:
            if rater in load:
                load[rater] += 1
    found = []
    for image in shuffled(images, seed):
        have = held.get(image, frozenset())
        free = [rater for rater in raters if rater not in have]
        free.sort(key=lambda rater: (load[rater], digest([seed, image, rater])))
        for rater in free[: max(0, per_image - len(have))]:
            found.append(Assignment(rater, image))
            load[rater] += 1
    return found


def take_over(
    open_images: Mapping[int, Sequence[str]], held: Mapping[str, Set[int]], *, taker: int
) -> list[Move]:
    """Let a newcomer take unseen images from the busiest raters, until the work is even.

    Args:
        open_images: What each rater has not seen yet, in that rater's order.
        held: Who has an image.
        taker: The newcomer.
    """
    left = {rater: list(images) for rater, images in open_images.items() if rater != taker}
    mine = len(open_images.get(taker, ()))
    taken: set[str] = set()
    moves = []
    while left:
        giver = max(left, key=lambda rater: (len(left[rater]), rater))
        if len(left[giver]) <= mine + 1:
            break
        for image in reversed(left[giver]):
            if image not in taken and taker not in held.get(image, frozenset()):
                left[giver].remove(image)
                taken.add(image)
                moves.append(Move(image, giver, taker))
                mine += 1
                break
        else:
            del left[giver]  # the newcomer has all of these from someone else
    return moves


def shuffled(images: Iterable[str], *seeds: int) -> list[str]:
    """Return images in an order that depends on the seeds alone."""
    return sorted(set(images), key=lambda image: digest([*seeds, image]))


def repeats(images: Sequence[str], share: float, *seeds: int) -> dict[str, float]:
    """Choose images that come a second time, and the places where they do.

    Args:
        images: A rater's images in their order; the place of an image is its number.
        share: How many of them come twice, 0 to 1.
        seeds: Of the choice.
    """
    wanted = round(share * len(images))
    early = list(images[: max(0, len(images) - REPEAT_AFTER)])
    chosen = shuffled(early, *seeds)[:wanted]
    number = {image: place for place, image in enumerate(images)}
    places: dict[str, float] = {}
    for image in chosen:
        first, last = number[image] + REPEAT_AFTER, len(images) - 1
        step = int(digest([*seeds, "place", image]), 16) % (last - first + 1)
        # A fraction of its own keeps two checks that fall between the same images apart.
        places[image] = first + step + 0.25 + len(places) * 1e-6
    return places
