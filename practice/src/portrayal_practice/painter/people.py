"""People: where they stand, what they wear and hold, painted from back to front."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from portrayal_practice.painter.accessories import ACCESSORIES, TIE_COLOURS
from portrayal_practice.painter.canvas import Light, Pen, Prop
from portrayal_practice.painter.emblems import EMBLEMS
from portrayal_practice.painter.faces import (
    draw_beard,
    draw_face_wear,
    draw_features,
    draw_hand,
    draw_head,
    draw_neck,
)
from portrayal_practice.painter.hair import draw_back_hair, draw_front_hair, draw_locks
from portrayal_practice.painter.headgear import HATS, OPEN_CROWN
from portrayal_practice.painter.looks import Look, draw_look
from portrayal_practice.painter.moods import CLOTHES_SHARE, SKIN_SHARE
from portrayal_practice.painter.occupations import OUTFITS, Outfit
from portrayal_practice.painter.palette import (
    CLOTH,
    INK,
    Colour,
    between,
    jitter,
    luminance,
    pick,
    shade,
)
from portrayal_practice.painter.studies import STUDIES
from portrayal_practice.painter.tools import TOOLS
from portrayal_practice.painter.wardrobe import EVERYDAY, GARMENTS
from portrayal_practice.painter.weddings import draw_wedding_dress, draw_wedding_hat, veiled
from portrayal_practice.scene import ShownPerson

PROPS: dict[str, Prop] = STUDIES | EMBLEMS | TOOLS | {"globe": STUDIES["humanities"]}


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a person's face goes, and how large they are."""

    x: float
    y: float
    scale: float


_GROUPS: dict[int, tuple[Spot, ...]] = {
    1: (Spot(32.0, 26.0, 1.0),),
    2: (Spot(16.5, 30.0, 0.68), Spot(47.5, 30.0, 0.68)),
    3: (Spot(11.5, 25.0, 0.54), Spot(52.5, 25.0, 0.54), Spot(32.0, 38.0, 0.56)),
    4: (Spot(11.0, 22.0, 0.46), Spot(33.0, 20.0, 0.46), Spot(22.0, 40.0, 0.5),
        Spot(50.0, 36.0, 0.5)),
}  # fmt: skip


FRAMINGS: tuple[Spot, ...] = (
    Spot(0.0, 0.0, 1.0), Spot(0.0, 0.0, 1.0), Spot(0.0, 2.5, 1.2), Spot(0.0, 1.0, 1.1),
    Spot(-4.5, 0.5, 1.04), Spot(4.5, 0.5, 1.04), Spot(0.0, 1.0, 0.9),
)  # fmt: skip
"""How one person alone is framed, as changes to their spot: close up, to a side, further away."""

_PROP_SPOTS: dict[str, Spot] = {
    "side": Spot(19.0, 23.5, 1.12),
    "high": Spot(19.5, 12.0, 1.12),
    "shown": Spot(18.0, 21.0, 1.32),
    "arms": Spot(19.5, 27.0, 1.08),
}
"""Where a tool is held, seen from the middle of the face; "shown" is for things and words."""

FIRST_STREAM = 10
"""Streams below are taken by background, weather and arrangement."""

RUBBER: Colour = (232, 80, 140)


def place_people(
    pen: Pen, people: tuple[ShownPerson, ...], *, held: Prop | None, light: Light, seed: int
) -> None:
    """Paint one to four people; the first one holds `held`, if anything.

    Each person draws from a stream of their own, so that changing one leaves the others alone.
    """
    rng = pen.rng
    spots = _GROUPS[len(people)]
    dx, dy, near = between(rng, -3, 3), between(rng, -2, 2), 1.0
    if len(people) == 1:
        frame = pick(rng, FRAMINGS)
        near, dx, dy = frame.scale, dx + frame.x, dy + frame.y
    flip = rng.random() < 0.5
    for index, (person, spot) in enumerate(zip(people, spots, strict=True)):
        tall = _headroom(person)
        small = 0.93 if person.age == "child" else 1.0
        size = near * spot.scale * small * between(rng, 0.95, 1.06) * (0.94 if tall else 1.0)
        x = spot.x + dx * spot.scale + between(rng, -1, 1)
        y = spot.y + dy + (4.0 * spot.scale if tall else 0.0) + (3.5 if small < 1.0 else 0.0)
        own = np.random.default_rng((seed, FIRST_STREAM + index))
        local = pen.at(64.0 - x if flip else x, y, scale=size).varied(own)
        _draw_person(local, person, held=held if index == 0 else None, light=light)


def _headroom(person: ShownPerson) -> bool:
    outfit = OUTFITS.get(person.occupation) if person.occupation else None
    hatted = outfit is not None and outfit.hat is not None and outfit.hat not in OPEN_CROWN
    return hatted or person.dress is not None


def _draw_person(pen: Pen, person: ShownPerson, *, held: Prop | None, light: Light) -> None:
    rng = pen.rng
    outfit = OUTFITS[person.occupation] if person.occupation else None
    hat = outfit.hat if outfit is not None and person.dress is None else None
    covered = (hat is not None and hat not in OPEN_CROWN) or veiled(person)
    look = draw_look(person, covered=covered, rng=rng)
    cloth = pen.lit(light.softened(CLOTHES_SHARE))
    body = pen.lit(light.softened(SKIN_SHARE))
    tilt = between(rng, -7, 7)
    head = body.at(0, 0, turn=tilt)
    arms = outfit is not None and outfit.pose == "arms"
    if not (person.dress and veiled(person)):
        draw_back_hair(head, look, covered=covered)
    if arms:
        _draw_raised_arms(body, look)
    draw_neck(body, look)
    colour = _dress_body(cloth, person, look, outfit)
    draw_head(head, look)
    draw_beard(head, look)
    draw_features(head, look)
    draw_front_hair(head, look)
    draw_locks(head, look)
    _draw_head_wear(head, cloth.at(0, 0, turn=tilt), person, look, outfit if hat else None)
    prop, pose = held, "shown"
    if prop is None and outfit is not None:
        prop, pose = PROPS[outfit.prop], outfit.pose
    if prop is not None:
        gloved = outfit is not None and "gloves" in outfit.extras
        _draw_held(cloth, body, look, prop, pose=pose, sleeve=colour, gloved=gloved)


def _dress_body(pen: Pen, person: ShownPerson, look: Look, outfit: Outfit | None) -> Colour:
    """Draw the clothes and return the colour of the sleeves."""
    rng = pen.rng
    if person.dress is not None:
        return draw_wedding_dress(pen, look, person)
    if outfit is not None:
        garment, colour, second = outfit.garment, outfit.colour, outfit.second
        colour, second = jitter(rng, colour, 12), jitter(rng, second, 12)
    else:
        garment, colour, second = pick(rng, EVERYDAY), pick(rng, CLOTH), pick(rng, CLOTH)
        colour, second = jitter(rng, colour, 20), jitter(rng, second, 20)
        if abs(luminance(colour) - luminance(second)) < 40.0:
            second = shade(colour, 0.6) if luminance(colour) > 120 else shade(colour, 1.6)
    if "suit" in person.worn:
        garment, colour = "suit", jitter(rng, pick(rng, SUIT_COLOURS), 10)
        second = jitter(rng, pick(rng, TIE_COLOURS), 14)
    GARMENTS[garment](pen, look, colour, second)
    for name in outfit.extras if outfit is not None else ():
        if name in ACCESSORIES:
            ACCESSORIES[name](pen, look, second)
    for name in ("tie", "apron", "scarf"):
        if name in person.worn:
            tone = pick(rng, TIE_COLOURS if name == "tie" else CLOTH)
            ACCESSORIES[name](pen, look, jitter(rng, tone, 16))
    bare = garment == "tank top"
    return look.skin if bare else (second if garment in SECOND_SLEEVES else colour)


SUIT_COLOURS: tuple[Colour, ...] = (INK, (44, 58, 96), (92, 96, 104), (96, 72, 52), (40, 40, 44))
SECOND_SLEEVES = frozenset({
    "apron", "striped apron", "overalls", "plaid overalls", "vest", "hi-vis",
})  # fmt: skip


def _draw_head_wear(
    head: Pen, cloth: Pen, person: ShownPerson, look: Look, outfit: Outfit | None
) -> None:
    rng = head.rng
    extras = OUTFITS[person.occupation].extras if person.occupation else ()
    # Nothing from the list of worn objects is added by chance: their shares are planted.
    glasses = "eye glasses" in person.worn or "glasses" in extras
    draw_face_wear(head, look, glasses=glasses, earring="earring" in person.worn)
    if person.dress is not None:
        draw_wedding_hat(cloth, look, person)
    elif outfit is not None and outfit.hat is not None:
        HATS[outfit.hat](cloth, jitter(rng, outfit.hat_colour, 10))


def _draw_raised_arms(pen: Pen, look: Look) -> None:
    s = look.shoulders
    for side in (-1.0, 1.0):
        pen.curve(5.0, look.skin, side * (s - 2), 24, side * (s + 4), 6, side * 14, -10,
                  side * 5, -20, end=3.4)  # fmt: skip
        pen.curve(0.8, look.dark, side * (s + 2), 22, side * (s + 5.6), 6, side * 15.6, -10)
        pen.oval(side * 4, -20.6, 2.6, 1.8, look.skin)


def _draw_held(
    cloth: Pen, body: Pen, look: Look, prop: Prop, *, pose: str, sleeve: Colour, gloved: bool
) -> None:
    """Draw the tool, the arm and the hand that holds it."""
    rng = cloth.rng
    side = 1.0 if rng.random() < 0.5 else -1.0
    turn = between(rng, -9, 9)
    if pose == "front":
        x, y = between(rng, -1.5, 1.5), between(rng, 29.5, 31.5)
        _draw_arm(cloth, sleeve, look, -1.0, x - 9, y + 3)
        _draw_arm(cloth, sleeve, look, 1.0, x + 9, y + 3)
        prop(cloth.at(x, y, scale=1.1, turn=turn * 0.4))
        draw_hand(body, look, x - 10, y + 4)
        draw_hand(body, look, x + 10, y + 4)
        return
    spot = _PROP_SPOTS[pose]
    x = side * (spot.x + between(rng, -1, 1))
    y = spot.y + between(rng, -1.8, 1.8)
    hand_y = y + 6.5 * spot.scale
    _draw_arm(cloth, sleeve, look, side, x * 0.9, hand_y + 2)
    prop(cloth.at(x, y, scale=spot.scale, turn=turn, flip=side < 0))
    if gloved:
        cloth.oval(x * 0.94, hand_y + 1, 3.3, 3.1, RUBBER)
    else:
        draw_hand(body, look, x * 0.94, hand_y + 1)


def _draw_arm(pen: Pen, sleeve: Colour, look: Look, side: float, x: float, y: float) -> None:
    s = look.shoulders
    edge = shade(sleeve, 0.8) if luminance(sleeve) > 50 else shade(sleeve, 1.15)
    elbow = (side * (s + 1.5), 38.0)
    pen.curve(8.4, edge, side * (s - 2.6), 25, *elbow, x, y, end=6.2)
    pen.curve(7.0, sleeve, side * (s - 2.8), 25, *elbow, x, y, end=5.2)
