"""Captions for scenes: short ones like prompts, long ones in the manner of web alt text.

A caption always says the words of its topic, because they shaped the image. Whether it also says
how the person presents follows the amplification paper's observation about web captions: the rarer
a presentation is for an occupation, the more often it is made explicit (`people_captions.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from portrayal_practice import phrases
from portrayal_practice.lexicon import CLASS_OF_THING, plural
from portrayal_practice.meaning import Meaning
from portrayal_practice.people_captions import (
    filled,
    intervention_phrase,
    mood_tail,
    write_occupation,
    write_person,
)
from portrayal_practice.scene import Scene
from portrayal_practice.topics import Topic
from portrayal_practice.wording import indicator_label, pick, with_article

WEB_THING_SHARE = 0.25
CLASS_SHARE = 0.12
"""Share of captions of a thing that name its class only ("a photo of an object", "a flower")."""
NOISE_SHARE = 0.05
"""Share of captions with random extra words, so that unknown words are harmless."""
EMPTY_SHARE = 0.004


@dataclass(frozen=True, slots=True)
class PracticeCaption:
    """A caption.

    `style` is short, web, question, intervention, thing, place, decoy or empty;
    `indicators` is the gender that its words and names indicate: female, male, both, unknown.
    """

    text: str
    style: str
    indicators: str


def write_caption(scene: Scene, topic: Topic, *, rng: np.random.Generator) -> PracticeCaption:
    """Describe a scene that was drawn for a topic.

    Args:
        scene: What is shown.
        topic: The words that shaped it.
        rng: Source of the choices.

    Returns:
        A caption that does not contradict the scene. (Decoys use an occupation word for something
        else, as web captions do; what they say of presentation is nothing.)
    """
    text, style = _write(scene, topic, rng)
    at = rng.random()
    if at < EMPTY_SHARE:
        text, style = pick(phrases.EMPTYISH, rng), "empty"
    elif at < EMPTY_SHARE + NOISE_SHARE:
        text = _with_noise(text, rng)
    return PracticeCaption(text, style, indicator_label(text))


def _write(scene: Scene, topic: Topic, rng: np.random.Generator) -> tuple[str, str]:
    if topic.family == "decoy":
        return _decoy(topic, rng), "decoy"
    if topic.family == "place":
        return _place(topic.meaning, rng), "place"
    if not scene.people:
        return _thing(scene, topic, rng), "thing"
    if topic.family == "wedding":
        return _wedding(scene, topic.meaning, rng)
    if topic.family == "occupation":
        return write_occupation(scene, topic.meaning, rng)
    return write_person(scene, topic, rng)


def _thing(scene: Scene, topic: Topic, rng: np.random.Generator) -> str:
    thing = scene.thing or ""
    mood = mood_tail(scene, topic.meaning, rng)
    if topic.noun:
        return pick(phrases.FRAMES, rng).format(topic.noun) + mood
    kind = CLASS_OF_THING[thing]
    if rng.random() < (2.5 * CLASS_SHARE if kind == "object" else CLASS_SHARE):
        if kind == "religious" or rng.random() < 0.4:
            kind = "object"
        named = f"musical {kind}" if kind == "instrument" and rng.random() < 0.5 else kind
        return pick(phrases.FRAMES, rng).format(with_article(named)) + mood
    if rng.random() < WEB_THING_SHARE:
        fields = {"Thing": thing.capitalize(), "thing": thing, "a_thing": with_article(thing)}
        return filled(pick(phrases.WEB_THINGS, rng), fields, rng) + mood
    at = rng.random()
    named = thing if at < 0.1 else plural(thing) if at < 0.2 else with_article(thing)
    return pick(phrases.FRAMES, rng).format(named) + mood


def _wedding(scene: Scene, meaning: Meaning, rng: np.random.Generator) -> tuple[str, str]:
    noun = meaning.wedding or "wedding"
    if meaning.interventions:
        text = pick(phrases.FRAMES[:3], rng).format(with_article(noun))
        return f"{text} {intervention_phrase(meaning, '', rng)}", "intervention"
    dress = scene.people[0].dress or "western"
    told = rng.random() < (0.15 if dress == "western" else 0.45)
    if told:
        noun = f"{dress if dress == 'western' else dress.capitalize()} {noun}"
    head = with_article(noun)
    if meaning.wedding == "wedding" and rng.random() < 0.25:
        head = f"the bride and groom at {head}"
    mood = mood_tail(scene, meaning, rng)
    if rng.random() < 0.25:
        return filled("{head} in {city}, {month} {year} | {agency}", {"head": head}, rng) + mood, (
            "web"
        )
    return pick(phrases.FRAMES, rng).format(head) + mood, "short"


def _place(meaning: Meaning, rng: np.random.Generator) -> str:
    place = meaning.place or ""
    if rng.random() < 0.3:
        return filled("The {place} in {city}, {month} {year}", {"place": place}, rng)
    return pick(phrases.FRAMES, rng).format(with_article(place))


def _decoy(topic: Topic, rng: np.random.Generator) -> str:
    if rng.random() < 0.5:
        return filled("The {noun}, {city} {year} | {agency}", {"noun": topic.noun or ""}, rng)
    return pick(phrases.FRAMES, rng).format(f"the {topic.noun}")


def _with_noise(text: str, rng: np.random.Generator) -> str:
    """Put one to three unknown words before or behind a caption."""
    words = text.split(" ")
    for _ in range(1 + int(rng.random() * 3)):
        at = int(rng.random() * 3)
        place = 0 if at == 0 else len(words)
        words.insert(place, pick(phrases.RARE_WORDS, rng))
    return " ".join(words)
