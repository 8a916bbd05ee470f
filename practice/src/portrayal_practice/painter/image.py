"""From a scene and a seed to pixels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal_practice.errors import PracticeError
from portrayal_practice.painter.backdrops import BACKDROPS
from portrayal_practice.painter.canvas import OVERSAMPLING, Light, Pen, Prop
from portrayal_practice.painter.moods import CLOTHES_SHARE, draw_weather, light_of
from portrayal_practice.painter.occupations import OUTFITS
from portrayal_practice.painter.palette import BLACK, between, veil
from portrayal_practice.painter.people import place_people
from portrayal_practice.painter.studies import STUDIES
from portrayal_practice.painter.things import THING_PAINTERS
from portrayal_practice.scene import (
    AGES,
    DRESSES,
    EXPRESSIONS,
    MONK_STEPS,
    PLACES,
    PRESENTATIONS,
    WORN,
    Scene,
    ShownPerson,
)

MOST_PEOPLE = 4
STUDY_BACKDROPS: dict[str, str] = {
    "science": "laboratory", "technology": "monitors", "astronomy": "night sky",
    "math": "blackboard", "chemistry": "laboratory", "physics": "blackboard",
    "biology": "garden", "geology": "desert camp", "engineering": "drawing office",
    "poetry": "night sky", "art": "easels", "history": "university", "humanities": "library",
    "English": "classroom", "philosophy": "study", "music": "stage", "literature": "library",
    "executive": "board room", "management": "charts", "professional": "company",
    "corporation": "company", "salary": "bank", "office": "office", "business": "company",
    "career": "charts", "home": "home", "parents": "home", "children": "park", "family": "home",
    "cousins": "garden", "marriage": "wedding arch", "wedding": "wedding arch",
    "relatives": "home",
}  # fmt: skip


def _require(what: str, got: object, allowed: tuple[object, ...]) -> None:
    if got not in allowed:
        names = ", ".join(str(name) for name in allowed)
        raise PracticeError(f"{what} {got!r} is unknown to the painter; allowed: {names}")


def _check_person(person: ShownPerson) -> None:
    _require("presentation", person.presentation, PRESENTATIONS)
    _require("skin", person.skin, MONK_STEPS)
    _require("age", person.age, AGES)
    _require("expression", person.expression, EXPRESSIONS)
    if person.occupation is not None:
        _require("occupation", person.occupation, tuple(OUTFITS))
    if person.dress is not None:
        _require("dress", person.dress, DRESSES)
    for item in person.worn:
        _require("worn", item, WORN)


def _check(scene: Scene, seed: int, size: int) -> None:
    if size < 8:
        raise PracticeError(f"size {size} is too small to paint; allowed: 8 or more, usually 64")
    if seed < 0:
        raise PracticeError(f"seed {seed} is negative; allowed: 0 or more")
    if len(scene.people) > MOST_PEOPLE:
        raise PracticeError(
            f"people: {len(scene.people)} in one image; allowed: 0 to {MOST_PEOPLE}"
        )
    if not -1.0 <= scene.valence <= 1.0:
        raise PracticeError(f"valence {scene.valence} is out of range; allowed: -1 to 1")
    for person in scene.people:
        _check_person(person)
    if scene.thing is not None:
        _require("thing", scene.thing, (*THING_PAINTERS, *STUDIES))
    if scene.place is not None:
        _require("place", scene.place, PLACES)


def _backdrop(scene: Scene) -> str:
    """Name the background: the place if given, else what goes with the person or the word."""
    if scene.place is not None:
        return scene.place
    for person in scene.people:
        if person.occupation is not None:
            return OUTFITS[person.occupation].backdrop
    if any(person.dress is not None for person in scene.people):
        return "wedding arch"
    if scene.people and scene.thing in STUDY_BACKDROPS:
        return STUDY_BACKDROPS[scene.thing]
    return "studio"


def _held(thing: str) -> Prop:
    """A thing at the size of a tool; things are drawn twice as large as tools."""
    if thing in STUDIES:
        return STUDIES[thing]
    painter = THING_PAINTERS[thing]
    return lambda pen: painter(pen.at(0, 0, scale=0.52))


def _draw_thing(pen: Pen, thing: str) -> None:
    """Paint a thing in the middle, with a soft shadow on the ground."""
    rng = pen.rng
    x, y = between(rng, 30, 34), between(rng, 30, 34)
    size = between(rng, 1.12, 1.34)
    pen.oval(x, y + 22 * size * 0.92, 17 * size, 2.6, veil(BLACK, 0.16))
    local = pen.at(x, y, scale=size, turn=between(rng, -7, 7), flip=rng.random() < 0.5)
    if thing in THING_PAINTERS:
        THING_PAINTERS[thing](local)
    else:
        STUDIES[thing](local.at(0, 0, scale=1.8))


def paint(scene: Scene, seed: int, *, size: int = 64) -> npt.NDArray[np.uint8]:
    """Paint a scene.

    Args:
        scene: What is shown.
        seed: Decides everything that the scene leaves open; the same scene and seed always give
            the same image. Background, weather, arrangement and each person draw from streams
            of their own, so that another valence or neighbour leaves a person as they are.
        size: Pixels along one side.

    Returns:
        Array of shape (size, size, 3), red, green, blue.

    Raises:
        PracticeError: The scene names something that the painter does not know.
    """
    _check(scene, seed, size)
    wide = size * OVERSAMPLING
    image = Image.new("RGB", (wide, wide))
    rng, weather_rng, subject_rng = (np.random.default_rng((seed, part)) for part in range(3))
    gain = between(rng, 0.97, 1.03)
    light = light_of(scene.valence)
    light = Light(light.keep * gain, light.red * gain, light.green * gain, light.blue * gain)
    pen = Pen(image, rng=rng, light=light)
    BACKDROPS[_backdrop(scene)](pen)
    draw_weather(pen.lit(Light()).varied(weather_rng), scene.valence)
    pen = pen.varied(subject_rng)
    thing = scene.thing
    if scene.people:
        held = _held(thing) if thing is not None else None
        place_people(pen, scene.people, held=held, light=light, seed=seed)
    elif thing is not None:
        _draw_thing(pen.lit(light.softened(CLOTHES_SHARE)), thing)
    return np.asarray(image.reduce(OVERSAMPLING))
