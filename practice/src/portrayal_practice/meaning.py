"""What the words of a prompt fix about an image, for any text.

Rules, in the order in which they act:

1. Interventions are found as whole phrases. A conditional tail ("... if all individuals can be a
   nurse irrespective of their gender") is read for interventions only.
2. Phrases are matched left to right, the longest first, whole words, case ignored, plurals known.
3. A pleasant or unpleasant word after a comma, or after a person or thing was named, is nothing
   but a valence word ("a photo of a rose, friend"; "a picture of a guitar, bomb").
4. Life words act after "focus...", subjects beside "study..." or "learn..."; else "office" is a
   place, "family" a group of people, "wedding" a wedding.
5. A person is shown if a person is named, or described by an adjective of the table. Otherwise a
   thing, otherwise a place. If a person is shown, a thing is held, and a church is a place.
6. Nouns that fix the presentation come before names, names before pronouns.

Unknown words are ignored. A text without any known word means nothing in particular.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from portrayal_practice.lexicon import GROWN, LEXICON, PRONOUNS, Sense
from portrayal_practice.planted import PlantedIntervention

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|,")
_BUILDINGS = ("synagogue", "church")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is fixed. Whatever is None or empty is left to the planted table.

    `kind` is person, thing, place or unsaid; `presentations` has one entry for each person whose
    presentation is fixed; `grown` excludes a
    child; `thing_class` names a class when no single thing is named, or a faith.
    """

    kind: str = "unsaid"
    count: int = 1
    presentations: tuple[str, ...] = ()
    skin: str | None = None
    age: str | None = None
    grown: bool = False
    expression: str | None = None
    occupation: str | None = None
    thing: str | None = None
    thing_class: str | None = None
    place: str | None = None
    adjectives: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    life: tuple[str, ...] = ()
    worn: tuple[str, ...] = ()
    wedding: str | None = None
    dress: str | None = None
    pleasant: tuple[str, ...] = ()
    unpleasant: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()


def read_meaning(text: str, interventions: Sequence[PlantedIntervention]) -> Meaning:
    """Apply the rules above to a text.

    Args:
        text: Any text, also an empty one.
        interventions: The phrases to look for.

    Returns:
        What the text fixes.
    """
    tokens = [_plain(token) for token in _TOKEN.findall(text.lower())]
    joined = f" {' '.join(token for token in tokens if token != ',')} "
    found = tuple(
        each.name for each in interventions if any(f" {p} " in joined for p in each.phrases)
    )
    reading = _Reading()
    if "if" in tokens:
        reading.take(tokens[: tokens.index("if")])
    if not reading.said:
        reading = _Reading()
        reading.take(tokens)
    return replace(reading.meaning(), interventions=found)


def _plain(token: str) -> str:
    token = token.replace("’", "'")
    return token[:-2] if token.endswith("'s") and len(token) > 2 else token


def _phrases(tokens: Sequence[str]) -> Iterator[tuple[str, tuple[Sense, ...], bool]]:
    """Yield each known phrase with its senses and whether a comma came before it."""
    index, after_comma = 0, False
    while index < len(tokens):
        token = tokens[index]
        step = 1
        if token == ",":
            after_comma = True
        for words, senses in LEXICON.get(token, ()):
            if len(words) == 1 or tuple(tokens[index : index + len(words)]) == words:
                yield " ".join(words), senses, after_comma
                step = len(words)
                break
        index += step


@dataclass
class _Reading:
    """What was read so far; lists keep the order of the text."""

    said: bool = False
    focused: bool = False
    studying: bool = False
    person: bool = False
    weak_person: bool = False
    grown: bool = False
    count: int = 1
    nouns: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    pronouns: list[str] = field(default_factory=list)
    first: dict[str, str] = field(default_factory=dict)
    """The first value seen of each kind that can have only one."""
    every: dict[str, list[str]] = field(default_factory=dict)
    weddings: list[str] = field(default_factory=list)

    def take(self, tokens: Sequence[str]) -> None:
        self.focused = any(token.startswith("focus") for token in tokens)
        self.studying = any(token.startswith(("stud", "learn")) for token in tokens)
        for phrase, senses, after_comma in _phrases(tokens):
            if senses[0].kind == "nothing":
                continue
            self.said = True
            self._take_phrase(phrase, self._pick(senses, after_comma))

    def _pick(self, senses: tuple[Sense, ...], after_comma: bool) -> tuple[Sense, ...]:
        """Choose among the senses of a word that has several."""
        if len(senses) == 1:
            return senses
        by_kind = {sense.kind: sense for sense in senses}
        valence = by_kind.get("pleasant") or by_kind.get("unpleasant")
        if valence is not None and after_comma:
            return (valence,)
        if self.focused and "life" in by_kind:
            return (by_kind["life"],)
        named = self.person or "thing" in self.first or "class" in self.first
        if valence is not None and named:
            return (valence,)
        return tuple(s for s in senses if s.kind not in ("life", "pleasant", "unpleasant"))

    def _take_phrase(self, phrase: str, senses: tuple[Sense, ...]) -> None:
        for sense in senses:
            kind, value = sense.kind, sense.value
            if kind in ("occupation", "person", "name", "group", "presentation"):
                self._take_person(phrase, sense)
            elif kind in ("pleasant", "unpleasant", "worn", "adjective"):
                self._add(kind, value)
                self.weak_person = self.weak_person or kind in ("adjective", "worn")
            elif kind == "hint":
                self.weak_person = True
            elif kind == "life":
                if self.focused:
                    self._add(kind, value)
                    self.weak_person = True
            elif kind == "subject":
                if self.studying:
                    self._add(kind, value)
                    self.weak_person = True
            elif kind == "wedding":
                self.weddings.append(value)
            else:
                self.first.setdefault(kind, value)
                if kind == "age" and len(senses) == 1 and value != "adult":
                    self.weak_person = True

    def _take_person(self, phrase: str, sense: Sense) -> None:
        self.grown = self.grown or phrase in GROWN
        if sense.kind == "presentation":
            place = self.pronouns if phrase in PRONOUNS else self.nouns
            if sense.value not in place:
                place.append(sense.value)
        elif sense.kind == "name":
            if sense.value not in self.names:
                self.names.append(sense.value)
        elif sense.kind == "occupation":
            self.first.setdefault("occupation", sense.value)
        if sense.kind == "group":
            if not self.person:
                self.count = max(self.count, int(sense.value))
        elif sense.many:
            self.count = max(self.count, 3)
        self.person = True

    def _add(self, kind: str, value: str) -> None:
        values = self.every.setdefault(kind, [])
        if value not in values:
            values.append(value)

    def meaning(self) -> Meaning:
        """Weigh what was read against each other (rules 5 and 6)."""
        first, every = self.first, self.every
        occupation = first.get("occupation")
        thing, thing_class = first.get("thing"), first.get("class") or first.get("faith")
        wedding = self._wedding() if occupation is None else None
        person = self.person or wedding is not None
        if not person and not thing and not thing_class:
            person = self.weak_person
        place = first.get("place")
        if thing in _BUILDINGS:
            thing, place = (None, place or thing) if person else (thing, None)
        kind = "person" if person else "thing" if thing or thing_class else "unsaid"
        if kind == "unsaid" and place:
            kind = "place"
        shown = tuple(self.nouns or self.names or self.pronouns)
        if wedding in ("bride", "groom") and not shown:
            shown = ("woman",) if wedding == "bride" else ("man",)
        return Meaning(
            kind=kind,
            count=max(self.count, len(shown), 2 if wedding == "wedding" and not shown else 1),
            presentations=shown,
            skin=first.get("skin"),
            age=first.get("age"),
            grown=self.grown,
            expression=first.get("expression"),
            occupation=occupation,
            thing=thing,
            thing_class=None if thing else thing_class,
            place=place,
            adjectives=tuple(every.get("adjective", ())),
            subjects=tuple(every.get("subject", ())),
            life=tuple(every.get("life", ())),
            worn=tuple(every.get("worn", ())),
            wedding=wedding,
            dress=first.get("dress") if wedding else None,
            pleasant=tuple(every.get("pleasant", ())),
            unpleasant=tuple(every.get("unpleasant", ())),
        )

    def _wedding(self) -> str | None:
        if not self.weddings:
            return None
        kinds = set(self.weddings)
        return "wedding" if {"bride", "groom"} <= kinds else self.weddings[0]
