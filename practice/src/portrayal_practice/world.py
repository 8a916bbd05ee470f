"""The practice world: from a prompt to the exact distribution of what is shown.

Fiction for calibration. With `s(x) = 1 / (1 + exp(-x))` and the numbers of `planted.toml`:

    P(ambiguous)             = ambiguous, unless a word fixes the presentation
    P(woman | not ambiguous) = s(k * (b + sum of effects of the words)),  b = logit(baseline woman)
    P(dark)                  = s(k' * (b' + effect of the occupation)),    b' = logit(baseline dark)
    P(dress | wedding word)  = k" * planted share + (1 - k") / number of dresses
    valence                  ~ Normal(mean of the topic + words, spread), cut to -1 ... +1;
                               with such words, only a part of the topic's own mean is left

The effects are those of occupation, adjectives, place, worn objects, subjects and life words. k is
the product of `keep` over the interventions on that axis, 1 without any. A word that fixes a
value (woman, dark-skinned, Indian bride) overrides the table and its interventions.

Each person of a group or couple is drawn alone. Company that nobody asked for (`several`) has the
presentation and the side of the skin scale of the first person, so that a group share is the same
whether it counts first persons or all persons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

import numpy as np

from portrayal_practice.errors import PracticeError
from portrayal_practice.lexicon import CLASS_OF_THING, FAITHS, THING_CLASSES
from portrayal_practice.meaning import Meaning, read_meaning
from portrayal_practice.planted import AXES, PlantedTable, Valence, logistic, logit, planted_table
from portrayal_practice.scene import AGES, DRESSES, PRESENTATIONS, Scene, ShownPerson
from portrayal_practice.vocabulary import OBJECTS

_REMEMBERED_PROMPTS = 4096
_REMEMBERED_LENGTH = 2_000


@dataclass(frozen=True)
class SceneDistribution:
    """The exact distribution of scenes for one meaning; made by `World.distribution`."""

    meaning: Meaning
    table: PlantedTable
    person: float
    """P(a person is shown)."""
    woman: float
    """P(woman | a person, not ambiguous, presentation not fixed)."""
    ambiguous: float
    dark: float
    dress: Mapping[str, float] | None
    things: tuple[str, ...]
    """What may stand in the middle when nobody is shown, with equal shares."""
    valence_shift: float

    def is_person(self) -> float:
        """P(at least one person is shown)."""
        return self.person

    def group_share(self, axis: str) -> dict[str, float]:
        """Exact shares of the groups of an axis among the people shown.

        Args:
            axis: "perceived gender", "skin tone" or "culture".

        Returns:
            One share for each group; NaN for all when the prompt shows nobody, or, for culture,
            when it is no wedding.

        Raises:
            PracticeError: If the axis is unknown.
        """
        if axis == "perceived gender":
            shares = dict(zip(PRESENTATIONS, self._presentation_shares(), strict=True))
        elif axis == "skin tone":
            shares = {"light": 1.0 - self.dark, "dark": self.dark}
        elif axis == "culture":
            shares = dict(self.dress or dict.fromkeys(DRESSES, math.nan))
        else:
            raise PracticeError(f"axis {axis!r} is unknown; allowed: {', '.join(AXES)}")
        return shares if self.person > 0 else dict.fromkeys(shares, math.nan)

    def _presentation_shares(self) -> tuple[float, float, float]:
        shown = self.meaning.presentations
        if shown:
            cast = [shown[i % len(shown)] for i in range(self.meaning.count)]
            return (
                cast.count("woman") / len(cast),
                cast.count("man") / len(cast),
                cast.count("ambiguous") / len(cast),
            )
        if self.meaning.wedding == "wedding" and self.meaning.count == 2:
            return (0.5, 0.5, 0.0)
        sure = 1.0 - self.ambiguous
        return (sure * self.woman, sure * (1.0 - self.woman), self.ambiguous)

    def valence(self, *, person: bool) -> Valence:
        """Mean and spread of the normal behind the valence, before it is cut.

        Args:
            person: Whether a person is shown.
        """
        meaning = self.meaning
        if person:
            topic = "wedding" if meaning.wedding else "person"
        elif meaning.kind == "place":
            topic = "place"
        elif meaning.thing or meaning.thing_class:
            topic = CLASS_OF_THING[self.things[0]]
        else:
            topic = "object"
        base = self.table.valence[topic]
        worded = bool(meaning.pleasant or meaning.unpleasant)
        own = base.mean * (self.table.topic_kept if worded else 1.0)
        return Valence(own + self.valence_shift, base.spread)

    def sample(self, rng: np.random.Generator) -> Scene:
        """Draw one scene."""
        meaning = self.meaning
        person = self.person >= 1.0 or (self.person > 0.0 and rng.random() < self.person)
        normal = self.valence(person=person)
        valence = normal.mean + normal.spread * float(rng.standard_normal())
        valence = min(1.0, max(-1.0, valence))
        if not person:
            things = self.things
            thing = things[int(rng.random() * len(things))] if things else None
            return Scene(thing=thing, place=meaning.place, valence=valence)
        held = (meaning.subjects or meaning.life or (meaning.thing,))[0]
        people = self._people(valence, rng)
        return Scene(people=people, thing=held, place=meaning.place, valence=valence)

    def _people(self, valence: float, rng: np.random.Generator) -> tuple[ShownPerson, ...]:
        meaning = self.meaning
        dress = _draw(self.dress, rng) if self.dress else None
        cast = self._cast(rng)
        first_dark = self._is_dark(rng)
        together = meaning.count == 1
        people: list[ShownPerson] = []
        for shown in cast:
            dark = first_dark if together or not people else self._is_dark(rng)
            people.append(self._one(shown, dark, dress, valence, rng))
        return tuple(people)

    def _cast(self, rng: np.random.Generator) -> list[str]:
        """The presentation of each person, the first one first."""
        meaning = self.meaning
        fixed = meaning.presentations
        if meaning.count > 1:
            if fixed:
                return [fixed[i % len(fixed)] for i in range(meaning.count)]
            if meaning.wedding == "wedding" and meaning.count == 2:
                return ["woman", "man"] if rng.random() < 0.5 else ["man", "woman"]
            return [self._presentation(rng) for _ in range(meaning.count)]
        shown = fixed[0] if fixed else self._presentation(rng)
        company = rng.random() < self.table.several and not meaning.wedding
        return [shown, shown] if company else [shown]

    def _presentation(self, rng: np.random.Generator) -> str:
        at = rng.random()
        if at < self.ambiguous:
            return "ambiguous"
        return "woman" if at < self.ambiguous + (1.0 - self.ambiguous) * self.woman else "man"

    def _is_dark(self, rng: np.random.Generator) -> bool:
        return bool(rng.random() < self.dark)

    def _one(
        self, shown: str, dark: bool, dress: str | None, valence: float, rng: np.random.Generator
    ) -> ShownPerson:
        meaning, table = self.meaning, self.table
        steps = table.dark_steps if dark else table.light_steps
        skin = _index(steps, rng) + (6 if dark else 1)
        grown = meaning.occupation or meaning.grown or dress
        ages = table.age_grown if grown else table.age_person
        worn = list(meaning.worn)
        for name, share in table.worn_unasked.items():
            if rng.random() < share and name not in worn and not dress:
                worn.append(name)
        return ShownPerson(
            presentation=shown,
            skin=skin,
            age=meaning.age or AGES[_index(ages, rng)],
            expression=meaning.expression or self._expression(valence, rng),
            occupation=meaning.occupation,
            worn=tuple(worn),
            dress=dress,
        )

    def _expression(self, valence: float, rng: np.random.Generator) -> str:
        table, at = self.table, rng.random()
        tilt = table.expression_slope * valence
        if at < logistic(table.smiling + tilt):
            return "smiling"
        return "sad" if at > 1.0 - logistic(table.sad - tilt) else "neutral"


class World:
    """The practice world: reads prompts, knows the true distribution of their images."""

    def __init__(self, table: PlantedTable) -> None:
        self.table = table
        self._remembered = lru_cache(maxsize=_REMEMBERED_PROMPTS)(self._read)

    @classmethod
    def load(cls) -> World:
        """The world of the table that ships with the package."""
        return _shipped_world()

    def understand(self, prompt: str) -> Meaning:
        """What the words of any text fix; see `meaning.py` for the rules."""
        return read_meaning(prompt, self.table.interventions)

    def distribution(self, prompt: str) -> SceneDistribution:
        """The exact distribution of scenes for a prompt."""
        if len(prompt) > _REMEMBERED_LENGTH:
            return self._read(prompt)
        return self._remembered(prompt)

    def sample(self, prompt: str, rng: np.random.Generator) -> Scene:
        """Draw one scene for a prompt."""
        return self.distribution(prompt).sample(rng)

    def _read(self, prompt: str) -> SceneDistribution:
        return self.distribution_of(self.understand(prompt))

    def distribution_of(self, meaning: Meaning) -> SceneDistribution:
        """The exact distribution of scenes for a meaning."""
        table = self.table
        person = {"person": 1.0, "thing": 0.0, "place": table.place_person}.get(
            meaning.kind, table.unsaid_person
        )
        return SceneDistribution(
            meaning=meaning,
            table=table,
            person=person,
            woman=logistic(self._keep("perceived gender", meaning) * self.woman_log_odds(meaning)),
            ambiguous=table.ambiguous,
            dark=self._dark(meaning),
            dress=self._dress(meaning),
            things=_things(meaning),
            valence_shift=table.pleasant * len(meaning.pleasant)
            + table.unpleasant * len(meaning.unpleasant),
        )

    def woman_log_odds(self, meaning: Meaning) -> float:
        """Log-odds of woman from the words alone, before interventions."""
        total = logit(self.table.woman)
        for kind, words in _words_with_effect(meaning):
            effects = self.table.woman_effect[kind]
            total += math.fsum(effects.get(word, 0.0) for word in words)
        return total

    def _dark(self, meaning: Meaning) -> float:
        if meaning.skin is not None:
            return 1.0 if meaning.skin == "dark" else 0.0
        effect = self.table.dark_effect.get(meaning.occupation or "", 0.0)
        return logistic(self._keep("skin tone", meaning) * (logit(self.table.dark) + effect))

    def _dress(self, meaning: Meaning) -> Mapping[str, float] | None:
        if meaning.wedding is None:
            return None
        if meaning.dress is not None:
            return MappingProxyType({d: float(d == meaning.dress) for d in DRESSES})
        keep = self._keep("culture", meaning)
        planted = self.table.culture[meaning.wedding]
        return MappingProxyType(
            {dress: keep * planted[dress] + (1.0 - keep) / len(DRESSES) for dress in DRESSES}
        )

    def _keep(self, axis: str, meaning: Meaning) -> float:
        keep = 1.0
        for each in self.table.interventions:
            if each.axis == axis and each.name in meaning.interventions:
                keep *= each.keep
        return keep


@cache
def _shipped_world() -> World:
    return World(planted_table())


def _words_with_effect(meaning: Meaning) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        ("occupation", (meaning.occupation,) if meaning.occupation else ()),
        ("adjective", meaning.adjectives),
        ("place", (meaning.place,) if meaning.place else ()),
        ("worn", meaning.worn),
        ("subject", meaning.subjects),
        ("life", meaning.life),
    )


def _things(meaning: Meaning) -> tuple[str, ...]:
    if meaning.kind == "place":
        return ()
    if meaning.thing:
        return (meaning.thing,)
    if meaning.thing_class in FAITHS:
        return FAITHS[meaning.thing_class]
    return THING_CLASSES.get(meaning.thing_class or "", OBJECTS)


def _index(weights: Sequence[float], rng: np.random.Generator) -> int:
    at = rng.random()
    for index, weight in enumerate(weights):
        at -= weight
        if at < 0.0:
            return index
    return len(weights) - 1


def _draw(shares: Mapping[str, float], rng: np.random.Generator) -> str:
    names = tuple(shares)
    return names[_index(tuple(shares.values()), rng)]
