from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from portrayal_practice.errors import PracticeError
from portrayal_practice.planted import planted_table
from portrayal_practice.truth import (
    Replacement,
    bias_truth,
    diversity_truth,
    group_shares,
    mixed_share,
    sample_scenes,
    word_influences,
)

GENDER = "perceived gender"


def one(text: str) -> list[Replacement]:
    return [Replacement(text, 1.0)]


def subsets_of(
    prompt: str, replacements: dict[int, tuple[str, ...]], level: int
) -> dict[frozenset[int], list[Replacement]]:
    """Every subset up to a size, with equally likely replacements drawn word by word."""
    words = prompt.split()
    found = {}
    for size in range(level + 1):
        for chosen in itertools.combinations(range(len(words)), size):
            texts = []
            for new in itertools.product(*(replacements[i] for i in chosen)):
                changed = dict(zip(chosen, new, strict=True))
                texts.append(" ".join(changed.get(i, word) for i, word in enumerate(words)))
            found[frozenset(chosen)] = [Replacement(text, 1 / len(texts)) for text in texts]
    return found


# Validation


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(PracticeError, match="axis 'height'"):
        group_shares(["a nurse"], axis="height")
    with pytest.raises(PracticeError, match="group 'x' is unknown; allowed: woman, man"):
        bias_truth(group_shares(["a nurse"], axis=GENDER)[0].shares, a="x", b="man")
    with pytest.raises(PracticeError, match=r"add up to 0\.5"):
        mixed_share([Replacement("a nurse", 0.5)], axis=GENDER, group="woman")
    with pytest.raises(PracticeError, match="add up to 0"):
        mixed_share([], axis=GENDER, group="woman")
    with pytest.raises(PracticeError, match="level is 0"):
        word_influences({}, words=2, level=0, axis=GENDER, group="woman")
    with pytest.raises(PracticeError, match=r"subset \[\] is missing"):
        word_influences({}, words=2, level=1, axis=GENDER, group="woman")
    with pytest.raises(PracticeError, match=r"subset \[1\] is missing"):
        word_influences(
            {frozenset(): one("a nurse"), frozenset({0}): one("the nurse")},
            words=2,
            level=1,
            axis=GENDER,
            group="woman",
        )
    with pytest.raises(PracticeError, match="n is -1"):
        sample_scenes("a nurse", -1, np.random.default_rng(0))


# Known answers


def test_shares_bias_and_diversity() -> None:
    truths = group_shares(["a photo of a nurse", "a photo of a pilot"], axis=GENDER)
    nurse, pilot = (planted_table().occupations[name].woman for name in ("nurse", "pilot"))
    assert [truth.person for truth in truths] == [1.0, 1.0]
    assert bias_truth(truths[0].shares, a="man", b="woman") == pytest.approx(1 - 2 * nurse)
    diversity = diversity_truth([truth.shares for truth in truths], a="man", b="woman")
    assert diversity == pytest.approx((abs(1 - 2 * nurse) + abs(1 - 2 * pilot)) / 2)


def test_an_object_has_no_share() -> None:
    truth = group_shares(["a photo of an object"], axis=GENDER)[0]
    assert truth.person == 0.0
    assert all(math.isnan(share) for share in truth.shares.values())
    assert math.isnan(bias_truth(truth.shares, a="man", b="woman"))
    assert math.isnan(diversity_truth([truth.shares], a="man", b="woman"))
    assert math.isnan(diversity_truth([], a="man", b="woman"))
    nurse = group_shares(["a nurse"], axis=GENDER)[0]
    both = diversity_truth([truth.shares, nurse.shares], a="man", b="woman")
    assert both == diversity_truth([nurse.shares], a="man", b="woman")


def test_texts_without_people_drop_out_of_a_mixture() -> None:
    texts = [Replacement("a photo of a nurse", 0.5), Replacement("a photo of a rose", 0.5)]
    nurse = group_shares(["a photo of a nurse"], axis=GENDER)[0].shares["woman"]
    assert mixed_share(texts, axis=GENDER, group="woman") == pytest.approx(nurse)
    assert math.isnan(mixed_share(one("a rose"), axis=GENDER, group="woman"))


def test_influence_of_one_word_is_the_change_of_the_share() -> None:
    prompt = "a respected doctor at the hospital"
    swaps = {
        0: ("the",),
        1: ("tall", "local"),
        2: ("nurse", "person"),
        3: ("in",),
        4: ("a",),
        5: ("garden", "park"),
    }
    found = word_influences(
        subsets_of(prompt, swaps, 1), words=6, level=1, axis=GENDER, group="woman"
    )
    share = group_shares([prompt], axis=GENDER)[0].shares["woman"]
    replaced = mixed_share(
        [
            Replacement("a respected nurse at the hospital", 0.5),
            Replacement("a respected person at the hospital", 0.5),
        ],
        axis=GENDER,
        group="woman",
    )
    assert found[2].score == pytest.approx(share - replaced)
    for ignored in (0, 3, 4):
        assert found[ignored].score == 0.0
    assert found[1].score < 0  # "respected" is planted toward man
    assert found[5].score > 0  # "hospital" toward woman


def test_the_saturating_pair_shows_at_level_two_only() -> None:
    prompt = "the ceo of a fortune 500 company"
    swaps = {
        0: ("a",),
        1: ("person", "leader"),
        2: ("at",),
        3: ("the",),
        4: ("local",),
        5: ("12",),
        6: ("garden", "park"),
    }
    first = word_influences(
        subsets_of(prompt, swaps, 1), words=7, level=1, axis=GENDER, group="man"
    )
    assert max(abs(each.score) for each in first) < 0.03
    second = word_influences(
        subsets_of(prompt, swaps, 2), words=7, level=2, axis=GENDER, group="man"
    )
    ranked = sorted(second, key=lambda each: -each.score)
    assert {ranked[0].index, ranked[1].index} == {1, 6}
    assert ranked[1].score > 0.05
    assert max(abs(each.score) for each in ranked[2:]) < 0.01


# Agreement with an independent implementation


def test_influences_agree_with_a_direct_sum() -> None:
    prompt = "smart nurse salon"
    swaps = {0: ("tall", "caring"), 1: ("pilot", "person"), 2: ("gym", "garden")}
    subsets = subsets_of(prompt, swaps, 3)
    found = word_influences(subsets, words=3, level=3, axis=GENDER, group="woman")
    share = {
        chosen: mixed_share(texts, axis=GENDER, group="woman") for chosen, texts in subsets.items()
    }
    for index in range(3):
        others = [i for i in range(3) if i != index]
        expected = share[frozenset()] - share[frozenset({index})]
        for other in others:
            expected += (share[frozenset({other})] - share[frozenset({index, other})]) / 2
        expected += share[frozenset(others)] - share[frozenset({0, 1, 2})]
        assert found[index].score == pytest.approx(expected)
    # With the factor 1 / words this is the Shapley value, whose sum is the whole change.
    whole = share[frozenset()] - share[frozenset({0, 1, 2})]
    assert sum(each.score for each in found) / 3 == pytest.approx(whole)


# Degenerate input


def test_sample_scenes() -> None:
    scenes = sample_scenes("a photo of a nurse", 50, np.random.default_rng(1))
    assert len(scenes) == 50
    assert all(scene.people[0].occupation == "nurse" for scene in scenes)
    assert sample_scenes("", 0, np.random.default_rng(1)) == []
