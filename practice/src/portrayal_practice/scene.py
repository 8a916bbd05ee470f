"""What an image of the practice world shows, as plain data.

A `Scene` is everything the painter needs besides a seed: who is shown, where, with what, in which
light. The planted world draws scenes, the caption writer describes them, the painter paints them.
No other module of the practice world passes anything else between its parts.

Everything here is fiction for calibration: it says nothing about people.
"""

from __future__ import annotations

from dataclasses import dataclass

PRESENTATIONS = ("woman", "man", "ambiguous")
AGES = ("child", "adult", "older")
EXPRESSIONS = ("neutral", "smiling", "sad")
MONK_STEPS = tuple(range(1, 11))
"""Skin tones as steps of the Monk scale: 1 is the lightest, 10 the darkest."""

WORN = (
    "suit",
    "tie",
    "scarf",
    "apron",
    "makeup",
    "earring",
    "nose piercing",
    "eye glasses",
)

DRESSES = ("western", "indian", "chinese", "nigerian", "japanese", "arab")
"""Wedding dresses; bride or groom by the person's presentation."""

PLACES = (
    "studio",
    "office",
    "gym",
    "salon",
    "spa",
    "mall",
    "hospital",
    "classroom",
    "laboratory",
    "library",
    "kitchen",
    "restaurant",
    "workshop",
    "garage",
    "farm",
    "garden",
    "park",
    "street",
    "home",
    "courtroom",
    "stage",
    "church",
    "synagogue",
    "temple",
    "bank",
    "shop",
    "airport",
    "ship",
    "beach",
    "building site",
    "prison",
    "university",
    "company",
    "parliament",
)


@dataclass(frozen=True, slots=True)
class ShownPerson:
    """One person as shown: how they present, never who they are."""

    presentation: str
    skin: int
    age: str = "adult"
    expression: str = "neutral"
    occupation: str | None = None
    worn: tuple[str, ...] = ()
    dress: str | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """One image before it is painted.

    `thing` is the object in the middle of the image when `people` is empty, or one that a person
    holds. `valence` runs from -1 (gloomy) over 0 (plain) to +1 (bright and warm).
    """

    people: tuple[ShownPerson, ...] = ()
    thing: str | None = None
    place: str | None = None
    valence: float = 0.0
