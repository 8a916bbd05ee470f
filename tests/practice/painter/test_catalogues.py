"""The painter's catalogues cover the vocabulary, and its groups of look-alikes hold together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from portrayal_practice.painter import DISTINCT_OCCUPATIONS, LOOKALIKES
from portrayal_practice.painter.accessories import ACCESSORIES
from portrayal_practice.painter.backdrops import BACKDROPS
from portrayal_practice.painter.headgear import HATS, OPEN_CROWN
from portrayal_practice.painter.image import STUDY_BACKDROPS
from portrayal_practice.painter.looks import HAIR_STYLES, contrasting, draw_look
from portrayal_practice.painter.occupations import OUTFITS
from portrayal_practice.painter.palette import HAIR, MONK, SKIN, luminance
from portrayal_practice.painter.people import PROPS
from portrayal_practice.painter.places import PLACE_PAINTERS
from portrayal_practice.painter.studies import STUDIES
from portrayal_practice.painter.things import THING_PAINTERS
from portrayal_practice.painter.wardrobe import EVERYDAY, GARMENTS
from portrayal_practice.scene import PLACES, PRESENTATIONS, ShownPerson
from portrayal_practice.vocabulary import LIFE_WORDS, OCCUPATIONS, SUBJECTS, THINGS


def test_catalogues_hold_exactly_the_vocabulary() -> None:
    assert set(OUTFITS) == set(OCCUPATIONS)
    assert set(THING_PAINTERS) == set(THINGS)
    assert set(PLACE_PAINTERS) == set(PLACES)
    assert set(STUDIES) == set(STUDY_BACKDROPS) == set(SUBJECTS + LIFE_WORDS)


@pytest.mark.parametrize("name", OCCUPATIONS)
def test_outfits_name_only_what_can_be_drawn(name: str) -> None:
    outfit = OUTFITS[name]
    assert outfit.garment in GARMENTS
    assert outfit.prop in PROPS
    assert outfit.backdrop in BACKDROPS
    assert outfit.hat is None or outfit.hat in HATS
    assert set(outfit.extras) <= set(ACCESSORIES) | {"glasses"}
    assert outfit.pose in ("side", "front", "high", "arms")


def test_no_part_of_the_catalogues_is_unused() -> None:
    assert {o.hat for o in OUTFITS.values() if o.hat} == set(HATS)
    assert set(HATS) >= OPEN_CROWN
    assert {o.garment for o in OUTFITS.values()} | set(EVERYDAY) == set(GARMENTS)
    backdrops = {o.backdrop for o in OUTFITS.values()} | set(STUDY_BACKDROPS.values())
    assert backdrops | set(PLACES) | {"wedding arch"} == set(BACKDROPS)


def test_every_occupation_is_distinct_or_a_lookalike() -> None:
    alike = set().union(*LOOKALIKES)
    assert sum(len(group) for group in LOOKALIKES) == len(alike)
    assert alike | set(DISTINCT_OCCUPATIONS) == set(OCCUPATIONS)
    assert not alike & set(DISTINCT_OCCUPATIONS)
    assert len(DISTINCT_OCCUPATIONS) >= 60


def test_distinct_occupations_share_no_garment_colour_and_prop() -> None:
    marks = [(OUTFITS[n].garment, OUTFITS[n].colour, OUTFITS[n].prop) for n in DISTINCT_OCCUPATIONS]
    assert len(set(marks)) == len(marks)


def test_monk_colours_are_the_published_ones() -> None:
    # Monk, E. (2019), the Monk Skin Tone Scale, skintone.google.
    assert MONK[0] == (0xF6, 0xED, 0xE4)
    assert MONK[4] == (0xD7, 0xBD, 0x96)
    assert MONK[5] == (0xA0, 0x7E, 0x56)
    assert MONK[9] == (0x29, 0x24, 0x20)


def test_painted_skin_keeps_the_order_of_the_scale_and_bears_black_features() -> None:
    bright = [luminance(colour) for colour in SKIN]
    assert all(a > b for a, b in itertools.pairwise(bright[2:]))
    assert SKIN[:5] == MONK[:5]
    assert bright[9] > 60.0
    assert bright[4] - bright[5] > 50.0


@pytest.mark.parametrize("step", range(1, 11))
def test_hair_never_merges_with_skin(step: int) -> None:
    for hair in HAIR:
        gap = abs(luminance(contrasting(hair, SKIN[step - 1])) - luminance(SKIN[step - 1]))
        assert gap > 20.0


@pytest.mark.parametrize("covered", [False, True])
def test_cues_of_presentation_are_redundant_and_varied(covered: bool) -> None:
    rng = np.random.default_rng(0)
    looks = {
        kind: [draw_look(ShownPerson(kind, 5), covered=covered, rng=rng) for _ in range(300)]
        for kind in PRESENTATIONS
    }
    assert not any(look.beard != "none" for look in looks["woman"] + looks["ambiguous"])
    assert not any(look.lashes for look in looks["man"] + looks["ambiguous"])
    bearded = np.mean([look.beard != "none" for look in looks["man"]])
    assert 0.3 < bearded < 0.9
    assert {look.style for look in looks["man"]} == set(HAIR_STYLES["man"])
    assert {look.style for look in looks["woman"]} == set(HAIR_STYLES["woman"])
    widths = {kind: np.mean([look.shoulders for look in looks[kind]]) for kind in PRESENTATIONS}
    assert widths["woman"] < widths["ambiguous"] < widths["man"]
    for look in looks["woman"]:
        if covered:
            assert look.lashes


def test_makeup_is_drawn_for_whoever_wears_it() -> None:
    rng = np.random.default_rng(1)
    plain = [draw_look(ShownPerson("man", 4), covered=False, rng=rng) for _ in range(20)]
    made_up = [
        draw_look(ShownPerson("man", 4, worn=("makeup",)), covered=False, rng=rng)
        for _ in range(20)
    ]
    assert not any(look.lashes for look in plain)
    assert all(look.lashes for look in made_up)
