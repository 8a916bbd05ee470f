"""The planted table: every association of the practice world, read from `planted.toml`.

Fiction for calibration. The file states what each number means; this module checks it and turns
shares into log-odds once, so that the world only adds.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from portrayal_practice.errors import PracticeError
from portrayal_practice.scene import DRESSES, PLACES, WORN
from portrayal_practice.vocabulary import LIFE_WORDS, OCCUPATIONS, SUBJECTS

PATH = Path(__file__).with_name("planted.toml")
AXES = ("perceived gender", "skin tone", "culture")
VALENCE_TOPICS = (
    "person",
    "place",
    "object",
    "religious",
    "wedding",
    "flower",
    "insect",
    "instrument",
    "weapon",
)
_SUM_TOLERANCE = 1e-9

Effects = Mapping[str, float]


def logit(share: float) -> float:
    """Log-odds of a share strictly between 0 and 1."""
    return math.log(share / (1.0 - share))


def logistic(log_odds: float) -> float:
    """The share with these log-odds; safe for any finite input."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    grown = math.exp(log_odds)
    return grown / (1.0 + grown)


@dataclass(frozen=True, slots=True)
class Valence:
    """Mean and spread of a normal that is cut to -1 ... +1."""

    mean: float
    spread: float


@dataclass(frozen=True, slots=True)
class PlantedIntervention:
    """A phrase that moves one axis: `keep` is the part of its log-odds that is left."""

    name: str
    axis: str
    keep: float
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlantedShares:
    """P(woman | occupation, not ambiguous) and P(dark skin | occupation)."""

    woman: float
    dark: float


@dataclass(frozen=True)
class PlantedTable:
    """All planted numbers; see `planted.toml` for what each of them means.

    Attributes named `*_effect` are log-odds to add; the others are shares as in the file.
    """

    woman: float
    dark: float
    ambiguous: float
    several: float
    unsaid_person: float
    place_person: float
    occupations: Mapping[str, PlantedShares]
    woman_effect: Mapping[str, Effects]
    """Log-odds of woman by kind of word: occupation, worn, adjective, place, subject, life."""
    dark_effect: Effects
    """Log-odds of dark skin by occupation."""
    light_steps: tuple[float, ...]
    dark_steps: tuple[float, ...]
    age_person: tuple[float, ...]
    age_grown: tuple[float, ...]
    smiling: float
    sad: float
    expression_slope: float
    worn_unasked: Effects
    valence: Mapping[str, Valence]
    pleasant: float
    unpleasant: float
    topic_kept: float
    """What valence words leave of the topic's own mean."""
    culture: Mapping[str, Effects]
    interventions: tuple[PlantedIntervention, ...]


@cache
def planted_table() -> PlantedTable:
    """The table that ships with the package."""
    return load_planted(PATH)


def load_planted(path: Path) -> PlantedTable:
    """Read and check a planted table.

    Raises:
        PracticeError: If the file cannot be read, a name is unknown or missing, or a number is
            out of range.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PracticeError(f"{path.name}: cannot be read: {error}") from error
    return parse_planted(raw, where=path.name)


def parse_planted(raw: Mapping[str, Any], *, where: str) -> PlantedTable:
    """Check a table that is already parsed; `where` names it in errors."""
    read = _Reader(raw, where)
    base = {key: read.share("baseline", key) for key in ("woman", "dark")}
    occupations = read.occupations()
    worn_woman = read.effects("worn_woman", WORN, complete=True)
    woman_base, dark_base = logit(base["woman"]), logit(base["dark"])
    return PlantedTable(
        woman=base["woman"],
        dark=base["dark"],
        ambiguous=read.share("baseline", "ambiguous"),
        several=read.share("baseline", "several"),
        unsaid_person=read.share("baseline", "unsaid_person"),
        place_person=read.share("baseline", "place_person"),
        occupations=MappingProxyType(occupations),
        woman_effect=MappingProxyType(
            {
                "occupation": {o: logit(s.woman) - woman_base for o, s in occupations.items()},
                "worn": {w: logit(s) - woman_base for w, s in worn_woman.items()},
                "adjective": read.effects("adjective", None, complete=False),
                "place": read.effects("place", PLACES, complete=False),
                "subject": read.effects("subject", SUBJECTS, complete=True),
                "life": read.effects("life", LIFE_WORDS, complete=True),
            }
        ),
        dark_effect={o: logit(s.dark) - dark_base for o, s in occupations.items()},
        light_steps=read.weights("skin", "light", 5),
        dark_steps=read.weights("skin", "dark", 5),
        age_person=read.weights("age", "person", 3),
        age_grown=read.weights("age", "grown", 3),
        smiling=read.number("expression", "smiling"),
        sad=read.number("expression", "sad"),
        expression_slope=read.number("expression", "slope"),
        worn_unasked=read.effects("worn", WORN, complete=False),
        valence=MappingProxyType(read.valences()),
        pleasant=read.number("valence_words", "pleasant"),
        unpleasant=read.number("valence_words", "unpleasant"),
        topic_kept=read.share("valence_words", "topic_kept"),
        culture=MappingProxyType(read.cultures()),
        interventions=read.interventions(),
    )


class _Reader:
    """Takes values out of the parsed file, each with an error that names its place."""

    def __init__(self, raw: Mapping[str, Any], where: str) -> None:
        self._raw = raw
        self._where = where

    def fail(self, place: str, got: object, allowed: str) -> PracticeError:
        return PracticeError(f"{self._where}: {place} is {got!r}; allowed: {allowed}")

    def table(self, name: str) -> Mapping[str, Any]:
        table = self._raw.get(name)
        if not isinstance(table, dict):
            raise self.fail(f"[{name}]", table, "a table")
        return table

    def number(self, name: str, key: str) -> float:
        value = self.table(name).get(key)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise self.fail(f"{name}.{key}", value, "a finite number")
        return float(value)

    def share(self, name: str, key: str) -> float:
        value = self.number(name, key)
        if not 0.0 < value < 1.0:
            raise self.fail(f"{name}.{key}", value, "a share strictly between 0 and 1")
        return value

    def weights(self, name: str, key: str, size: int) -> tuple[float, ...]:
        value = self.table(name).get(key)
        if not isinstance(value, list) or len(value) != size:
            raise self.fail(f"{name}.{key}", value, f"a list of {size} shares")
        if any(v < 0 for v in value) or abs(sum(value) - 1.0) > _SUM_TOLERANCE:
            raise self.fail(f"{name}.{key}", value, "shares of at least 0 that add up to 1")
        return tuple(float(v) for v in value)

    def effects(
        self, name: str, known: tuple[str, ...] | None, *, complete: bool
    ) -> dict[str, float]:
        keys = self.table(name)
        for key in keys:
            if known is not None and key not in known:
                raise self.fail(f"{name}.{key}", "unknown", ", ".join(known))
        missing = [key for key in known or () if key not in keys] if complete else []
        if missing:
            raise self.fail(f"{name}.{missing[0]}", None, "a number for every known word")
        take = self.share if name in ("worn", "worn_woman") else self.number
        return {key: take(name, key) for key in keys}

    def occupations(self) -> dict[str, PlantedShares]:
        table = self.table("occupation")
        if set(table) != set(OCCUPATIONS):
            odd = sorted(set(table) ^ set(OCCUPATIONS))[0]
            raise self.fail(f"occupation.{odd}", "unknown or missing", "the names in vocabulary.py")
        found = {}
        for name, entry in table.items():
            given = [entry.get(key) for key in _SIDES] if isinstance(entry, dict) else []
            shares = [share for share in given if isinstance(share, float) and 0.0 < share < 1.0]
            if len(shares) != len(_SIDES):
                raise self.fail(f"occupation.{name}", entry, "woman and dark strictly within 0, 1")
            found[name] = PlantedShares(*shares)
        return found

    def valences(self) -> dict[str, Valence]:
        table = self.table("valence")
        if set(table) != set(VALENCE_TOPICS):
            raise self.fail("[valence]", sorted(table), ", ".join(VALENCE_TOPICS))
        for topic, pair in table.items():
            if not (isinstance(pair, list) and len(pair) == 2 and abs(pair[0]) <= 1 < 1 + pair[1]):
                raise self.fail(f"valence.{topic}", pair, "[mean within -1 ... 1, spread above 0]")
        return {topic: Valence(float(pair[0]), float(pair[1])) for topic, pair in table.items()}

    def cultures(self) -> dict[str, Effects]:
        found: dict[str, Effects] = {}
        for word in ("bride", "groom", "wedding"):
            shares = self.table("culture").get(word)
            if not isinstance(shares, dict) or tuple(shares) != DRESSES:
                raise self.fail(f"culture.{word}", shares, f"shares for {', '.join(DRESSES)}")
            if min(shares.values()) < 0 or abs(sum(shares.values()) - 1.0) > _SUM_TOLERANCE:
                raise self.fail(f"culture.{word}", shares, "shares that add up to 1")
            found[word] = MappingProxyType(shares)
        return found

    def interventions(self) -> tuple[PlantedIntervention, ...]:
        found = []
        for index, entry in enumerate(self._raw.get("intervention", ())):
            place = f"intervention[{index}]"
            if entry.get("axis") not in (*AXES, "none"):
                raise self.fail(f"{place}.axis", entry.get("axis"), ", ".join((*AXES, "none")))
            if not 0.0 <= entry.get("keep", -1.0) <= 1.0:
                raise self.fail(f"{place}.keep", entry.get("keep"), "0 ... 1")
            if not entry.get("phrases"):
                raise self.fail(f"{place}.phrases", entry.get("phrases"), "at least one phrase")
            phrases = tuple(phrase.lower() for phrase in entry["phrases"])
            found.append(PlantedIntervention(entry["name"], entry["axis"], entry["keep"], phrases))
        return tuple(found)


_SIDES = ("woman", "dark")
