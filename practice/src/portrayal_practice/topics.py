"""What the practice corpus is about: the mix of topics, and the words each topic brings.

A topic fixes the words that change the distribution of the image (occupation, adjective, place,
intervention, valence word ...). The world then draws the scene, and the caption writer says those
words, and sometimes more of what is seen. So P(woman | the words) in the corpus is the planted one.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

import numpy as np

from portrayal_practice.lexicon import FAITHS, PLEASANT, STIMULUS_NAMES, THING_CLASSES, UNPLEASANT
from portrayal_practice.meaning import Meaning, read_meaning
from portrayal_practice.planted import planted_table
from portrayal_practice.scene import PLACES, WORN
from portrayal_practice.vocabulary import LIFE_WORDS, OCCUPATIONS, RELIGIOUS, SUBJECTS
from portrayal_practice.wording import pick

TOPIC_SHARES = {
    "occupation": 0.460,
    "decoy": 0.020,
    "person": 0.060,
    "worn": 0.040,
    "subject": 0.030,
    "life": 0.025,
    "name": 0.025,
    "group": 0.020,
    "wedding": 0.045,
    "flower": 0.045,
    "insect": 0.045,
    "instrument": 0.045,
    "weapon": 0.045,
    "religious": 0.020,
    "object": 0.045,
    "place": 0.030,
}
"""Share of each topic in the corpus: 48 % occupations (decoys are ambiguous uses of such a word),
20% other people, 4.5% weddings, 24.5% things, 3% places."""

ADJECTIVE_SHARE = 0.22
PLACE_SHARE = 0.22
INTERVENTION_SHARE = 0.16
VALENCE_SHARE = {"person": 0.05, "group": 0.30, "name": 0.35, "thing": 0.40}
"""How often a topic carries an adjective, a place, an intervention (an occupation; worn objects
and weddings twice as often), a valence word."""

_GROUP_ENDS = (
    "person", "girl", "woman", "women", "boy", "man", "men", "family", "community", "couple",
)  # fmt: skip
_PLAIN_GROUPS = (
    "family", "couple", "community", "group of people", "women", "men", "jew", "christian",
)  # fmt: skip
GROUP_NOUNS = (
    *(f"{kind}-skinned {noun}" for kind in ("light", "dark") for noun in _GROUP_ENDS),
    *(f"{kind} {noun}" for kind in ("straight", "gay") for noun in _GROUP_ENDS),
    *_PLAIN_GROUPS,
    *_PLAIN_GROUPS,
)
"""The stimuli of T2IAT about groups, and plain groups twice."""

DECOYS = (
    "president of the chess club",
    "president of the book club",
    "president of the student council",
    "teacher of the year trophy",
    "nurse shark documentary",
    "pilot episode",
    "chef knife set",
    "painter tape",
    "doctor costume",
    "judge of the pie contest",
    "author signing line",
    "manager of the softball league",
    "assistant app",
    "architect font",
    "professor plum costume",
    "driver update",
    "soldier figurine",
    "poet statue",
    "engineer boots",
    "sailor moon poster",
)
"""Ambiguous uses of an occupation word: the image shows somebody or something else."""

_FAMILIES = tuple(TOPIC_SHARES)
_EDGES = tuple(accumulate(TOPIC_SHARES.values()))[:-1]
_FREE_PLACES = tuple(place for place in PLACES if place not in RELIGIOUS)
"""All but those that are things when nobody is shown."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A meaning to draw a scene from, and what the caption must say besides.

    `noun` is a ready noun phrase (groups, decoys, faiths), `name` a first name.
    """

    family: str
    meaning: Meaning
    noun: str | None = None
    name: str | None = None


def draw_topic(rng: np.random.Generator) -> Topic:
    """Draw a topic from `TOPIC_SHARES` and the words that go with it."""
    family = _FAMILIES[bisect_right(_EDGES, rng.random())]
    if family == "occupation":
        return _occupation(rng)
    if family in THING_CLASSES:
        return _thing(family, rng)
    if family == "place":
        return Topic(family, Meaning(kind="place", place=pick(_FREE_PLACES, rng)))
    if family == "decoy":
        return Topic(family, Meaning(kind="unsaid"), noun=pick(DECOYS, rng))
    return _person(family, rng)


@cache
def _place_bag() -> tuple[str, ...]:
    """Places that carry an effect three times as often as the others, "company" six times."""
    with_effect = tuple(planted_table().woman_effect["place"])
    return _FREE_PLACES + with_effect * 2 + ("company",) * 3


@cache
def _adjectives() -> tuple[str, ...]:
    return tuple(planted_table().woman_effect["adjective"])


@cache
def _interventions(*axes: str) -> tuple[str, ...]:
    return tuple(each.name for each in planted_table().interventions if each.axis in axes)


@cache
def _noun_meaning(noun: str) -> Meaning:
    return read_meaning(noun, ())


def _occupation(rng: np.random.Generator) -> Topic:
    meaning = Meaning(kind="person", occupation=pick(OCCUPATIONS, rng))
    if rng.random() < INTERVENTION_SHARE:
        return Topic("occupation", replace(meaning, interventions=(_intervention(rng),)))
    return Topic("occupation", _with_valence(_with_setting(meaning, rng), "person", rng))


def _with_setting(meaning: Meaning, rng: np.random.Generator) -> Meaning:
    adjective = rng.random() < ADJECTIVE_SHARE
    place = rng.random() < PLACE_SHARE
    if not adjective and not place:
        return meaning
    words = (pick(_adjectives(), rng),) if adjective else ()
    return replace(
        meaning,
        adjectives=words,
        age="older" if words == ("retired",) else meaning.age,
        place=pick(_place_bag(), rng) if place else None,
    )


def _with_valence(meaning: Meaning, kind: str, rng: np.random.Generator) -> Meaning:
    if rng.random() >= VALENCE_SHARE[kind]:
        return meaning
    if rng.random() < 0.5:
        return replace(meaning, pleasant=(pick(PLEASANT, rng),))
    return replace(meaning, unpleasant=(pick(UNPLEASANT, rng),))


def _person(family: str, rng: np.random.Generator) -> Topic:
    """People without an occupation, and weddings."""
    meaning = Meaning(kind="person")
    if family == "worn":
        return Topic(family, _maybe_intervened(replace(meaning, worn=(pick(WORN, rng),)), rng))
    if family == "subject":
        return Topic(family, replace(meaning, subjects=(pick(SUBJECTS, rng),)))
    if family == "life":
        return Topic(family, replace(meaning, life=(pick(LIFE_WORDS, rng),)))
    if family == "name":
        shown = "woman" if rng.random() < 0.5 else "man"
        meaning = _with_valence(replace(meaning, presentations=(shown,)), "name", rng)
        return Topic(family, meaning, name=pick(STIMULUS_NAMES[shown], rng))
    if family == "group":
        noun = pick(GROUP_NOUNS, rng)
        return Topic(family, _with_valence(_noun_meaning(noun), "group", rng), noun=noun)
    if family == "wedding":
        return Topic(family, _wedding(rng))
    return Topic(family, _with_valence(_with_setting(meaning, rng), "person", rng))


def _maybe_intervened(meaning: Meaning, rng: np.random.Generator) -> Meaning:
    if rng.random() >= 2 * INTERVENTION_SHARE:
        return meaning
    return replace(meaning, interventions=(_intervention(rng),))


def _intervention(rng: np.random.Generator) -> str:
    """One for a single person; those on perceived gender twice as often as the others."""
    gender = _interventions("perceived gender")
    return pick(gender * 2 + _interventions("skin tone", "none"), rng)


def _wedding(rng: np.random.Generator) -> Meaning:
    noun = pick(("bride", "groom", "wedding"), rng)
    meaning = _noun_meaning(noun)
    if rng.random() < 2 * INTERVENTION_SHARE:
        names = _interventions("culture") * 2 + _interventions("none")
        return replace(meaning, interventions=(pick(names, rng),))
    return _with_valence(meaning, "person", rng)


def _thing(family: str, rng: np.random.Generator) -> Topic:
    names = THING_CLASSES[family]
    if family == "religious" and rng.random() < 0.4:
        faith = pick(tuple(FAITHS), rng)
        meaning = Meaning(kind="thing", thing_class=faith)
        return Topic(family, _with_valence(meaning, "thing", rng), noun=faith)
    meaning = Meaning(kind="thing", thing=pick(names, rng))
    return Topic(family, _with_valence(meaning, "thing", rng))
