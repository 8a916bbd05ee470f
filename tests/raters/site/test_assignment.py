from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portrayal.raters.site import assignment

IMAGES = [f"image-{i}" for i in range(30)]


def share(
    images: list[str], raters: list[int], per_image: int, held: dict[str, set[int]] | None = None
) -> list[assignment.Assignment]:
    return assignment.share_out(images, raters, per_image=per_image, held=held or {}, seed=0)


# --- known answers --------------------------------------------------------------------------------


def test_three_raters_three_per_image_all_see_all() -> None:
    found = share(IMAGES, [1, 2, 3], 3)
    assert Counter(found) == Counter(
        assignment.Assignment(rater, image) for image in IMAGES for rater in (1, 2, 3)
    )


def test_what_an_image_has_counts() -> None:
    found = share(["a", "b"], [1, 2, 3], 2, held={"a": {1, 2}, "b": {3}})
    assert [one.image for one in found] == ["b"]
    assert found[0].rater in (1, 2)


def test_order_is_the_same_everywhere() -> None:
    # Pinned: a change of the hash would show raters another order after an upgrade.
    assert assignment.shuffled(["a", "b", "c", "d", "e"], 0, 1) == list("cbade")
    assert assignment.shuffled(["a", "b", "c", "d", "e"], 0, 2) == list("adceb")


# --- invariants -----------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    images=st.integers(0, 40), raters=st.integers(1, 12), per_image=st.integers(1, 5),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_every_image_gets_its_raters_and_nobody_two_more_than_another(
    images: int, raters: int, per_image: int, seed: int
) -> None:
    keys = [f"i{n}" for n in range(images)]
    found = assignment.share_out(keys, list(range(raters)), per_image=per_image, held={}, seed=seed)
    assert len(set(found)) == len(found)
    holders = Counter(one.image for one in found)
    assert all(holders[key] == min(per_image, raters) for key in keys)
    load = Counter(dict.fromkeys(range(raters), 0))
    load.update(one.rater for one in found)
    assert max(load.values()) - min(load.values()) <= 1


def test_pairs_of_raters_mix() -> None:
    found = share([f"i{n}" for n in range(200)], [1, 2, 3, 4, 5], 2)
    by_image: dict[str, set[int]] = defaultdict(set)
    for rater, image in found:
        by_image[image].add(rater)
    pairs = Counter(frozenset(raters) for raters in by_image.values())
    assert len(pairs) == 10  # every pair of five raters meets
    assert max(pairs.values()) < 50


def test_raters_have_different_orders() -> None:
    orders = {tuple(assignment.shuffled(IMAGES, 0, rater)) for rater in range(20)}
    assert len(orders) == 20


@settings(max_examples=60)
@given(images=st.integers(0, 60), share_=st.floats(0, 0.5), rater=st.integers(0, 50))
def test_repeats_come_later_and_apart(images: int, share_: float, rater: int) -> None:
    order = assignment.shuffled([f"i{n}" for n in range(images)], 0, rater)
    found = assignment.repeats(order, share_, 0, rater)
    wanted = min(round(share_ * images), max(0, images - assignment.REPEAT_AFTER))
    assert len(found) == wanted
    assert len(set(found.values())) == len(found)
    for image, place in found.items():
        assert order.index(image) + assignment.REPEAT_AFTER < place < images


# --- a newcomer -----------------------------------------------------------------------------------


def test_a_newcomer_takes_the_last_images_of_the_busiest() -> None:
    open_images = {1: ["a", "b", "c", "d"], 2: ["a", "b"]}
    held = {"a": {1, 2}, "b": {1, 2}, "c": {1}, "d": {1}}
    moves = assignment.take_over(open_images, held, taker=3)
    assert moves == [assignment.Move("d", 1, 3), assignment.Move("c", 1, 3)]


def test_a_newcomer_never_gets_a_image_twice() -> None:
    open_images = {1: ["a", "b", "c"], 2: ["a", "b", "c"]}
    held = {"a": {1, 2}, "b": {1, 2}, "c": {1, 2}}
    moves = assignment.take_over(open_images, held, taker=3)
    assert len({move.image for move in moves}) == len(moves) == 2


@pytest.mark.parametrize("open_images", [{}, {1: []}, {1: ["a"]}])
def test_there_may_be_nothing_to_take(open_images: dict[int, list[str]]) -> None:
    assert assignment.take_over(open_images, {"a": {1}}, taker=2) == []
