"""How one person comes out: hair, face and build, drawn from what the scene says.

Perceived gender presentation is carried by many weak cues at once (hair, lashes, lips, brows, jaw,
neck, shoulders, beard), each of which varies, so that no single one decides. Hair and clothing
colours are drawn from the same lists for everybody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from portrayal_practice.painter.palette import (
    GREY_HAIR,
    HAIR,
    SKIN,
    Colour,
    between,
    jitter,
    luminance,
    mix,
    pick,
    rgb,
    shade,
)
from portrayal_practice.scene import ShownPerson

HAIR_STYLES: dict[str, tuple[str, ...]] = {
    "woman": (
        "long", "long", "long", "wavy", "wavy", "wavy", "bob", "bob", "bun", "bun", "ponytail",
        "ponytail", "braids", "braids", "curly long", "curly long", "afro", "pixie",
    ),
    "man": (
        "short", "short", "short", "side", "side", "side", "crew", "crew", "crew", "quiff", "quiff",
        "curly", "curly", "balding", "bald", "small afro", "shoulder",
    ),
    "ambiguous": ("chin", "chin", "shag", "shag", "chin curly"),
}  # fmt: skip

CHILD_STYLES: dict[str, tuple[str, ...]] = {
    "woman": ("pigtails", "pigtails", "long", "bob", "braids", "ponytail", "curly long"),
    "man": ("short", "side", "crew", "bowl", "curly", "quiff", "small afro"),
    "ambiguous": ("chin", "shag", "chin curly"),
}

WEAK_HAIR = frozenset({"pixie", "bun", "afro", "ponytail", "shoulder"})
"""Styles that say little by themselves; the other cues are then always present."""

BEARDS = ("none", "none", "none", "none", "beard", "beard", "stubble", "moustache", "goatee")
EYES = tuple(rgb(c) for c in ["3a2618", "4a3220", "2f2018", "3e6a4a", "3a6a9a", "5a7a86"])


@dataclass(frozen=True, slots=True)
class Look:
    """Everything about one drawn person that does not depend on clothes."""

    skin: Colour
    dark: Colour
    glow: Colour
    line: Colour
    hair: Colour
    style: str
    fringe: float
    beard: str
    lashes: bool
    lips: Colour
    brow: float
    jaw: float
    neck: float
    shoulders: float
    eye: Colour
    gaze: float
    width: float
    presentation: str
    age: str
    expression: str
    worn: frozenset[str]

    @property
    def dark_skinned(self) -> bool:
        """Whether the skin is one of the Monk steps 6 to 10."""
        return luminance(self.skin) < 150.0


def _skin(step: int, rng: np.random.Generator) -> Colour:
    amount = 2.0 if step >= 8 else 4.0
    return jitter(rng, SKIN[step - 1], amount)


def _hair(person: ShownPerson, rng: np.random.Generator) -> Colour:
    grey = 0.85 if person.age == "older" else 0.0
    colour = pick(rng, GREY_HAIR) if rng.random() < grey else pick(rng, HAIR)
    return contrasting(jitter(rng, colour, 12.0), SKIN[person.skin - 1])


def contrasting(hair: Colour, skin: Colour) -> Colour:
    """Move a hair colour away from the skin's brightness, or the head loses its outline."""
    bright = luminance(skin)
    gap = luminance(hair) - bright
    if abs(gap) >= 34.0:
        return hair
    if bright < 110.0:
        return mix(hair, rgb("0c0a10"), 0.8)
    if gap > 0.0 and bright < 160.0:
        return mix(hair, rgb("fce2a0"), 0.5)
    return shade(hair, 0.76 if bright > 170.0 else 0.42)


def _lips(skin: Colour, *, painted: bool, rng: np.random.Generator) -> Colour:
    if painted:
        tone = pick(rng, (rgb("c8283c"), rgb("d84a6a"), rgb("b83050"), rgb("e06060")))
        return mix(skin, tone, 0.85)
    if luminance(skin) < 90.0:
        return mix(skin, rgb("a8605a"), 0.5)
    return mix(skin, rgb("a8554a"), 0.5)


def draw_look(person: ShownPerson, *, covered: bool, rng: np.random.Generator) -> Look:
    """Draw a look for a person.

    Args:
        person: What the scene says.
        covered: Whether a hat hides the crown, so that other cues must speak.
        rng: Source of the variety.
    """
    kind, child = person.presentation, person.age == "child"
    style = pick(rng, (CHILD_STYLES if child else HAIR_STYLES)[kind])
    draws = rng.random(8).tolist()
    weak = style in WEAK_HAIR or (covered and kind != "ambiguous")
    woman, man = kind == "woman", kind == "man"
    makeup = "makeup" in person.worn
    painted = makeup or (woman and not child and (weak or draws[0] < 0.8))
    beard = pick(rng, BEARDS) if man and not child else "none"
    if man and not child and beard == "none" and (style == "shoulder" or (weak and draws[1] < 0.4)):
        beard = pick(rng, BEARDS[4:])
    skin = _skin(person.skin, rng)
    build = {"woman": 0.0, "man": 1.0, "ambiguous": 0.5}[kind]
    if child:
        build = 0.25 + 0.15 * build
    dark = luminance(skin) < 80.0
    return Look(
        skin=skin,
        dark=shade(skin, 0.72 if dark else 0.84),
        glow=mix(skin, rgb("ffd8b0"), 0.24 if dark else 0.3),
        line=mix(skin, rgb("0e0a0c"), 0.62) if dark else shade(skin, 0.55),
        hair=_hair(person, rng),
        style=style,
        fringe=draws[2],
        beard=beard,
        lashes=makeup or (woman and (weak or draws[3] < 0.9)),
        lips=_lips(skin, painted=painted, rng=rng),
        brow=0.75 + 0.75 * build + 0.3 * (draws[4] - 0.5),
        jaw=max(0.0, min(1.0, build + 0.3 * (draws[5] - 0.5))),
        neck=4.0 + 2.3 * build,
        shoulders=(16.6 + 4.6 * build + 1.6 * (draws[6] - 0.5)) * (0.8 if child else 1.0),
        eye=pick(rng, EYES[:3] if person.skin >= 6 else EYES),
        gaze=between(rng, -1.7, 1.7),
        width=9.2 + 0.5 * build + 0.5 * (draws[7] - 0.5) + (0.6 if child else 0.0),
        presentation=kind,
        age=person.age,
        expression=person.expression,
        worn=frozenset(person.worn),
    )
