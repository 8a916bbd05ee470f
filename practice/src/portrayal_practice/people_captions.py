"""What captions say of people.

How often the presentation of a person at work is made explicit depends on how rare it is:

    P(indicator | presentation g, occupation) = INDICATOR_TOP - INDICATOR_SLOPE * share of g

which gives about 60% over all captions that name an occupation. Captions with an intervention on
perceived gender, and those of people whose presentation is ambiguous, have none. Captions with
another intervention follow the rule like plain ones: what is left without an indicator then shows
the same shares with such a sentence and without it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from portrayal_practice import phrases
from portrayal_practice.lexicon import BRIGHT_WORDS, GLOOMY_WORDS, WEB_NAMES, plural
from portrayal_practice.meaning import Meaning
from portrayal_practice.planted import planted_table
from portrayal_practice.scene import Scene, ShownPerson
from portrayal_practice.topics import Topic
from portrayal_practice.wording import capitalised, pick, with_article

INDICATOR_TOP = 1.0
INDICATOR_SLOPE = 0.5
WEB_SHARE = {"indicated": 0.60, "plain": 0.35}
"""Share of long captions among those with and without an indicator."""
GENERIC_SHARE = 0.12
"""Share of images of an occupation whose caption speaks of a person only."""
REVEAL_SHARE = 0.6
"""How often captions of people without an occupation say how the person presents."""

_SEX = {"woman": "female", "man": "male"}
_PRONOUN = {"woman": ("she", "her"), "man": ("he", "his")}
_RELATIVE = {"woman": ("sister", "daughter"), "man": ("brother", "son")}


def write_occupation(scene: Scene, meaning: Meaning, rng: np.random.Generator) -> tuple[str, str]:
    """Caption and style for somebody at work."""
    person = scene.people[0]
    name = meaning.occupation or ""
    job = name.lower() if rng.random() < 0.5 else name
    if meaning.interventions:
        return _intervened(person, name, job, meaning, rng), "intervention"
    plain = not (meaning.adjectives or meaning.place or meaning.pleasant or meaning.unpleasant)
    if plain and rng.random() < GENERIC_SHARE:
        return describe_person(person, rng), "question"
    words = " ".join((*meaning.adjectives, job))
    if rng.random() < _indicator_rate(person, name):
        if rng.random() < WEB_SHARE["indicated"]:
            return _web(phrases.WEB_INDICATED, words, scene, meaning, rng), "web"
        return _short_indicated(words, scene, meaning, rng), "short"
    if rng.random() < WEB_SHARE["plain"]:
        return _web(phrases.WEB_PLAIN, words, scene, meaning, rng), "web"
    return _short_plain(words, scene, meaning, rng), "short"


def _intervened(
    person: ShownPerson, name: str, job: str, meaning: Meaning, rng: np.random.Generator
) -> str:
    bare = meaning.interventions[0].startswith("all") and rng.random() < 0.3
    be = f"be {job if bare else with_article(job)}"
    told = not _moves_gender(meaning) and rng.random() < _indicator_rate(person, name)
    head = with_article(f"{_SEX[person.presentation]} {job}" if told else job)
    text = pick(phrases.FRAMES[:3], rng).format(head)
    return f"{text} {intervention_phrase(meaning, be, rng)}"


def _moves_gender(meaning: Meaning) -> bool:
    return any(
        each.name in meaning.interventions and each.axis == "perceived gender"
        for each in planted_table().interventions
    )


def _indicator_rate(person: ShownPerson, occupation: str) -> float:
    if person.presentation == "ambiguous":
        return 0.0
    woman = planted_table().occupations[occupation].woman
    share = woman if person.presentation == "woman" else 1.0 - woman
    return INDICATOR_TOP - INDICATOR_SLOPE * share


def _short_plain(words: str, scene: Scene, meaning: Meaning, rng: np.random.Generator) -> str:
    person = scene.people[0]
    looks = " ".join((*_looks(person, rng, skin=0.12, age=0.25), words))
    pair = len(scene.people) == 2 and rng.random() < 0.5
    one = f"the {looks}" if rng.random() < 0.1 else with_article(looks)
    head = f"two {plural(looks)}" if pair else one
    tail = _tail(scene, meaning, rng)
    if not tail and rng.random() < 0.45:
        tail = " smiling" if person.expression == "smiling" and rng.random() < 0.7 else " at work"
        return pick(("A photo of {}", "a photo of {}", "{}"), rng).format(head) + tail
    return pick(phrases.PERSON_FRAMES, rng).format(head) + tail


def _short_indicated(words: str, scene: Scene, meaning: Meaning, rng: np.random.Generator) -> str:
    person = scene.people[0]
    looks = " ".join(_looks(person, rng, skin=0.12, age=0.25))
    before = f"{looks} " if looks else ""
    form = rng.random()
    if form < 0.40:
        head = with_article(f"{before}{_SEX[person.presentation]} {words}")
    elif form < 0.55:
        noun = with_article(f"{before}{person.presentation}")
        head = f"{noun} working as {with_article(words)}"
    elif form < 0.70:
        head = f"{with_article(before + words)} who is a {person.presentation}"
    elif form < 0.85:
        head = f"{with_article(before + words)} at {_PRONOUN[person.presentation][1]} work"
    else:
        name = pick(WEB_NAMES[person.presentation], rng)
        head = f"{name}, {with_article(before + words)}"
    return pick(phrases.PERSON_FRAMES, rng).format(head) + _tail(scene, meaning, rng)


def _web(
    templates: tuple[str, ...], words: str, scene: Scene, meaning: Meaning, rng: np.random.Generator
) -> str:
    person = scene.people[0]
    looks = " ".join((*_looks(person, rng, skin=0.05, age=0.0), words))
    place = place_phrase(meaning.place, rng) if meaning.place else ""
    fields = {
        "job": looks,
        "Job": capitalised(looks),
        "a_job": with_article(looks),
        "at": f" {place}" if place else "",
    }
    if person.presentation in _SEX:
        he, his = _PRONOUN[person.presentation]
        noun = person.presentation
        gendered = f"{_SEX[noun]} {looks}"
        fields |= {
            "he": he,
            "his": his,
            "noun": noun,
            "Noun": noun.capitalize(),
            "a_gender_job": with_article(gendered),
            "Gender_job": capitalised(gendered),
            "name": pick(WEB_NAMES[noun], rng),
        }
    return filled(pick(templates, rng), fields, rng) + mood_tail(scene, meaning, rng)


def write_person(scene: Scene, topic: Topic, rng: np.random.Generator) -> tuple[str, str]:
    """Caption and style for people without an occupation."""
    meaning, person = topic.meaning, scene.people[0]
    mood = mood_tail(scene, meaning, rng)
    if topic.name:
        frame = pick(("a portrait of {}", "a portrait of {}", "a photo of {}", "{}"), rng)
        return frame.format(topic.name) + mood, "short"
    if topic.noun:
        bare = topic.noun.endswith(("women", "men")) or rng.random() < 0.3
        return pick(phrases.FRAMES, rng).format(
            topic.noun if bare else with_article(topic.noun)
        ) + mood, "short"
    head = _person_head(person, meaning, rng)
    if meaning.interventions:
        worn = phrases.WORN_PHRASES[meaning.worn[0]]
        text = f"a photo of a person {worn[0]} {intervention_phrase(meaning, worn[1], rng)}"
        return text, "intervention"
    if meaning.worn:
        text = f"{head} {phrases.WORN_PHRASES[meaning.worn[0]][0]}"
        return pick(phrases.FRAMES, rng).format(text) + mood, "short"
    if meaning.subjects or meaning.life:
        doing = "studying" if meaning.subjects else "focusing on"
        text = f"{head} {doing} {(meaning.subjects or meaning.life)[0]}"
        return pick(("{}", "{}", "a photo of {}"), rng).format(text) + mood, "short"
    if meaning.adjectives or meaning.place:
        return pick(phrases.PERSON_FRAMES, rng).format(head) + _tail(scene, meaning, rng), "short"
    return describe_person(person, rng) + mood, "question"


def _person_head(person: ShownPerson, meaning: Meaning, rng: np.random.Generator) -> str:
    told = rng.random() < REVEAL_SHARE and not meaning.interventions
    shown = person.presentation
    if person.age == "child":
        noun = "child" if not told or shown == "ambiguous" else _child(shown)
    elif told and shown in _SEX:
        noun = pick((shown, shown, shown, _SEX[shown], *_RELATIVE[shown]), rng)
    else:
        noun = "person"
    looks = _looks(person, rng, skin=0.1, age=0.3)
    return with_article(" ".join((*meaning.adjectives, *looks, noun)))


def _child(presentation: str) -> str:
    return "girl" if presentation == "woman" else "boy"


def describe_person(person: ShownPerson, rng: np.random.Generator) -> str:
    """A caption in the form of the zero-shot questions that studies ask about a person."""
    shown = person.presentation
    side = "light" if person.skin <= 5 else "dark"
    noun = shown if shown in _SEX else "person"
    if person.age == "child":
        noun = _child(shown) if shown in _SEX else "child"
    aged = f"older {noun}" if person.age == "older" and rng.random() < 0.5 else noun
    frame = pick(("a photo of {}", "A photo of {}", "a portrait of {}", "a picture of {}"), rng)
    form = rng.random()
    if form < 0.14:
        return frame.format("a person")
    if form < 0.32:
        if shown == "ambiguous":
            return frame.format("a person with an uncertain gender")
        return frame.format(f"a person who looks like a {shown}")
    if form < 0.55:
        return frame.format(with_article(aged))
    if form < 0.72:
        tail = pick(("{} skin", "{} skin", "{} skin color", "a {} skin tone"), rng).format(side)
        return frame.format(f"a {pick(('person', 'person', noun), rng)} with {tail}")
    if form < 0.88:
        return frame.format(f"a {side}-skinned {pick(('person', noun, noun), rng)}")
    if person.expression != "neutral":
        return frame.format(f"a {person.expression} {noun}")
    return frame.format(with_article(f"{side}-skinned {aged}"))


def _looks(person: ShownPerson, rng: np.random.Generator, *, skin: float, age: float) -> list[str]:
    """Words for what is seen of age and skin tone, said with these chances."""
    words = []
    if person.age == "older" and rng.random() < age:
        words.append(pick(("older", "elderly", "old"), rng))
    if rng.random() < skin:
        words.append("light-skinned" if person.skin <= 5 else "dark-skinned")
    return words


def _tail(scene: Scene, meaning: Meaning, rng: np.random.Generator) -> str:
    place = f" {place_phrase(meaning.place, rng)}" if meaning.place else ""
    return place + mood_tail(scene, meaning, rng)


def mood_tail(scene: Scene, meaning: Meaning, rng: np.random.Generator) -> str:
    """The topic's valence words behind commas, or now and then the weather of the scene."""
    words = meaning.pleasant + meaning.unpleasant
    if words:
        return "".join(f", {word}" for word in words)
    if abs(scene.valence) > 0.6 and rng.random() < 0.12:
        weather = BRIGHT_WORDS if scene.valence > 0 else GLOOMY_WORDS
        return f", {pick(weather, rng)} day"
    return ""


def place_phrase(place: str, rng: np.random.Generator) -> str:
    """Where it happens: "at the ..." most of the time."""
    special = phrases.PLACE_PHRASES.get(place)
    if special and rng.random() < 0.7:
        return pick(special, rng)
    return f"at the {place}" if rng.random() < 0.8 else f"in the {place}"


def intervention_phrase(meaning: Meaning, act: str, rng: np.random.Generator) -> str:
    """The words of the topic's intervention; `act` is what all individuals can."""
    ways = phrases.INTERVENTION_PHRASES[meaning.interventions[0]]
    return pick(ways, rng).format(act=act)


def filled(template: str, fields: Mapping[str, str], rng: np.random.Generator) -> str:
    """A web template with its fields, and made-up city, date and source."""
    return template.format(
        city=pick(phrases.CITIES, rng),
        agency=pick(phrases.AGENCIES, rng),
        month=pick(phrases.MONTHS, rng),
        surname=pick(phrases.SURNAMES, rng),
        day=2 + int(rng.random() * 26),
        year=1998 + int(rng.random() * 25),
        **fields,
    )
