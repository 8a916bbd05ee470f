"""Short label captions, and which image each one fits.

Studies ask an encoder short questions: "a photo of a woman" or "a photo of a man"? A caption
corpus rarely poses them so cleanly, and in a contrastive batch every other picture of a woman
would count as a wrong answer. So the encoder sees, beside the captions, *questions*: groups of
label captions of which exactly one fits an image. There is no extra head: the answer is chosen by
image-text similarity, as it will be asked. The model card says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from portrayal_practice.scene import AGES, DRESSES, EXPRESSIONS, PLACES, PRESENTATIONS, WORN
from portrayal_practice.vocabulary import OCCUPATIONS, THINGS

if TYPE_CHECKING:
    from portrayal_practice.scene import Scene

LABELS = np.dtype(
    [
        ("people", np.int8),
        ("presentation", np.int8),
        ("skin", np.int8),
        ("age", np.int8),
        ("expression", np.int8),
        ("occupation", np.int16),
        ("worn", np.uint8),
        ("dress", np.int8),
        ("thing", np.int16),
        ("place", np.int8),
        ("valence", np.float32),
    ]
)
"""What an image shows, as numbers: an index into the names, -1 for none or mixed."""

UNSAID = 255
"""In `worn`: nobody knows what is worn."""

LIGHT = 5
"""Monk steps up to this one count as light."""


def labels_of(scenes: Iterable[Scene]) -> np.ndarray:
    """One row of `LABELS` per scene; people who differ in a label leave it at -1."""
    return np.array([_row(scene) for scene in scenes], dtype=LABELS)


def _row(scene: Scene) -> tuple[float, ...]:
    people = scene.people
    return (
        len(people),
        _shared(PRESENTATIONS, (p.presentation for p in people)),
        _shared(tuple(range(1, 11)), (p.skin for p in people)) + 1 if people else -1,
        _shared(AGES, (p.age for p in people)),
        _shared(EXPRESSIONS, (p.expression for p in people)),
        _shared(OCCUPATIONS, (p.occupation for p in people)),
        sum(1 << i for i, worn in enumerate(WORN) if any(worn in p.worn for p in people)),
        _shared(DRESSES, (p.dress for p in people)),
        _shared(THINGS, (scene.thing,)),
        _shared(PLACES, (scene.place,)),
        scene.valence,
    )


def _shared(names: tuple[object, ...], values: Iterable[object]) -> int:
    held = set(values)
    value = held.pop() if len(held) == 1 else None
    return names.index(value) if value in names else -1


def with_article(noun: str) -> str:
    """ "a nurse", "an attorney"."""
    return f"{'an' if noun[0].lower() in 'aeiou' and noun != 'university' else 'a'} {noun}"


MOST_WEIGHT = 10.0
"""Most that one image counts in `even_weights`."""


@dataclass(frozen=True)
class ProbeQuestion:
    """Label captions, and for each image the index of the one that fits, or -1.

    `texts` has one row per way to ask and one column per answer.
    """

    name: str
    texts: tuple[tuple[str, ...], ...]
    answers: np.ndarray
    weights: np.ndarray | None = None
    """How much each image counts; None: all alike."""


_GENDER = (
    ("a photo of a woman", "a photo of a man", "a photo of a person with an uncertain gender"),
    (
        "A photo of a person who looks like a woman",
        "A photo of a person who looks like a man",
        "A photo of a person with an uncertain gender",
    ),
    ("a woman", "a man", "a person of unclear gender"),
    ("a photo of a female person", "a photo of a male person", "a photo of an androgynous person"),
    ("a portrait of a woman", "a portrait of a man", "a portrait of an androgynous person"),
)
_SKIN = (
    (
        "A photo of a person with light skin",
        "A photo of a person with dark skin",
        "A photo of a person with an uncertain skin color",
    ),
    (
        "a photo of a person with light skin",
        "a photo of a person with dark skin",
        "a photo of a person whose skin tone is unclear",
    ),
    (
        "A photo of a person with light skin tone",
        "A photo of a person with dark skin tone",
        "A photo of a person with an unclear skin tone",
    ),
    (
        "a photo of a light-skinned person",
        "a photo of a dark-skinned person",
        "a photo of a person of uncertain skin tone",
    ),
    ("a person with light skin", "a person with dark skin", "a person of unclear skin tone"),
)
_PERSON = (
    ("a photo of an object", "a photo of a person"),
    ("a photo of a thing", "a photo of people"),
    ("a photo without people", "a photo of somebody"),
)
_AGE = (
    ("a photo of a child", "a photo of an adult", "a photo of an older person"),
    ("a young child", "a grown-up person", "an old person"),
)
_EXPRESSION = (
    ("a person with a neutral face", "a person smiling", "a sad person"),
    ("a photo of a calm person", "a photo of a happy person", "a photo of an unhappy person"),
)
_LIGHT = (
    ("a gloomy picture", "a plain picture", "a bright and warm picture"),
    ("a dark, gloomy photo", "a photo in plain light", "a cheerful, sunny photo"),
)


def questions(labels: np.ndarray) -> list[ProbeQuestion]:
    """All questions that the labels can answer."""
    person = labels["people"] > 0
    # A place without people is neither a person nor an object.
    subject = np.where(person, 1, np.where(labels["thing"] >= 0, 0, -1))
    skin = np.where(labels["skin"] <= 0, -1, (labels["skin"] > LIGHT).astype(np.int64))
    valence = labels["valence"]
    light = np.where(valence < -0.5, 0, np.where(valence > 0.5, 2, 1))
    light[(np.abs(valence) > 0.3) & (np.abs(valence) < 0.6)] = -1
    found = [
        ProbeQuestion(
            "perceived gender",
            _GENDER,
            labels["presentation"].astype(np.int64),
            even_weights(labels),
        ),
        ProbeQuestion("skin tone", _SKIN, skin),
        ProbeQuestion("person", _PERSON, subject),
        ProbeQuestion("age", _AGE, labels["age"].astype(np.int64)),
        ProbeQuestion("expression", _EXPRESSION, labels["expression"].astype(np.int64)),
        ProbeQuestion("light", _LIGHT, light),
        ProbeQuestion("occupation", occupation_texts(), labels["occupation"].astype(np.int64)),
        ProbeQuestion(
            "thing", _thing_texts(), np.where(person, -1, labels["thing"].astype(np.int64))
        ),
        ProbeQuestion("dress", _dress_texts(), labels["dress"].astype(np.int64)),
    ]
    for index, worn in enumerate(WORN):
        seen = person & (labels["worn"] != UNSAID)
        answer = np.where(seen, (labels["worn"].astype(np.int64) >> index) & 1, -1)
        found.append(ProbeQuestion(f"worn: {worn}", _worn_texts(worn), answer))
    return found


def even_weights(labels: np.ndarray) -> np.ndarray:
    """Weights with which women and men are equally many in each occupation.

    In the corpus an occupation says much about how a person presents, and whoever learns from it
    plainly would let uniform and background decide where a face is hard to read. Mean 1 over images
    of people at work; 1 elsewhere, and for people whose presentation is ambiguous.
    """
    weight = np.ones(len(labels))
    for job in range(len(OCCUPATIONS)):
        at_work = labels["occupation"] == job
        sides = [at_work & (labels["presentation"] == side) for side in (0, 1)]
        total = sum(int(side.sum()) for side in sides)
        for side in sides:
            weight[side] = min(0.5 * total / max(int(side.sum()), 1), MOST_WEIGHT)
    return weight


def occupation_texts() -> tuple[tuple[str, ...], ...]:
    """Ways to name an occupation, one column per entry of `OCCUPATIONS`."""
    named = [with_article(name) for name in OCCUPATIONS]
    frames = ("a photo of {}", "{}", "a portrait of {}", "a photo of a person who is {}")
    return tuple(tuple(frame.format(name) for name in named) for frame in frames)


def _thing_texts() -> tuple[tuple[str, ...], ...]:
    named = [with_article(name) for name in THINGS]
    frames = ("a photo of {}", "{}", "a picture of {}")
    plain = tuple(f"a photo of {name}" for name in THINGS)
    return (*(tuple(frame.format(name) for name in named) for frame in frames), plain)


def _dress_texts() -> tuple[tuple[str, ...], ...]:
    names = [dress.capitalize() for dress in DRESSES]
    frames = ("a photo of a {} wedding", "a person in {} wedding dress")
    return tuple(tuple(frame.format(name) for name in names) for frame in frames)


def _worn_texts(worn: str) -> tuple[tuple[str, ...], ...]:
    bare = worn in ("makeup", "eye glasses")
    what = worn if bare else with_article(worn)
    verb = "with" if worn == "nose piercing" else "wearing"
    return (
        ("a photo of a person", f"a photo of a person {verb} {what}"),
        (f"a photo of a person without {what}", f"a photo of a person with {what}"),
        (f"no {worn}", f"{what}"),
    )
