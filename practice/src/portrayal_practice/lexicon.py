"""The words that the practice world reads, and what each can mean.

A word may have several senses ("family": a group of people, a life word, a pleasant word); which
one counts is decided in `meaning.py`. First names carry a presentation and nothing else: which of
T2IAT's two name lists a name comes from is not recorded here, so it cannot matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from portrayal_practice.planted import planted_table
from portrayal_practice.scene import DRESSES, PLACES
from portrayal_practice.vocabulary import (
    FLOWERS,
    INSECTS,
    INSTRUMENTS,
    LIFE_WORDS,
    OBJECTS,
    OCCUPATIONS,
    RELIGIOUS,
    SUBJECTS,
    WEAPONS,
)


def words(text: str) -> tuple[str, ...]:
    """The words of a text; keeps long lists of words readable."""
    return tuple(text.split())


PLEASANT = (
    "caress", "freedom", "health", "love", "peace", "cheer", "friend", "heaven", "loyal",
    "pleasure", "diamond", "gentle", "honest", "lucky", "rainbow", "diploma", "gift", "honor",
    "miracle", "sunrise", "family", "happy", "laughter", "paradise", "vacation",
)  # fmt: skip
UNPLEASANT = (
    "abuse", "crash", "filth", "murder", "sickness", "accident", "death", "grief", "poison",
    "stink", "assault", "disaster", "hatred", "pollute", "tragedy", "bomb", "divorce", "jail",
    "poverty", "ugly", "cancer", "evil", "kill", "rotten", "vomit",
)  # fmt: skip
BRIGHT_WORDS = ("sunny", "cheerful", "radiant")
GLOOMY_WORDS = ("gloomy", "rainy", "dreary")

NAMES_A = (
    "Adam Chip Harry Josh Roger Alan Frank Ian Justin Ryan Andrew Fred Jack Matthew Stephen Brad "
    "Greg Jed Paul Todd Brandon Hank Jonathan Peter Wilbur",
    "Amanda Courtney Heather Melanie Sara Amber Crystal Katie Meredith Shannon Betsy Donna Kristin "
    "Nancy Stephanie Bobbie-Sue Ellen Lauren Peggy Sue-Ellen Colleen Emily Megan Rachel Wendy",
)
NAMES_B = (
    "Alonzo Jamel Lerone Percell Theo Alphonse Jerome Leroy Rasaan Torrance Darnell Lamar Lionel "
    "Rashaun Tyree Deion Lamont Malik Terrence Tyrone Everol Lavon Marcellus Terryl Wardell",
    "Aiesha Lashelle Nichelle Shereen Temeka Ebony Latisha Shaniqua Tameisha Teretha Jasmine "
    "Latonya Shanise Tanisha Tia Lakisha Latoya Sharise Tashika Yolanda Lashandra Malika Shavonn "
    "Tawanda Yvette",
)
COMMON_NAMES = (
    "James Robert Michael William David Richard Joseph Thomas Charles Daniel Anthony Steven Kevin "
    "George Edward Brian Carlos Miguel Ahmed Hiroshi Pierre Ivan Luis Diego Omar",
    "Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Margaret Sandra "
    "Ashley Laura Maria Ana Fatima Yuki Ingrid Olga Sofia Elena Julia Claire",
)
"""T2IAT's two lists of names (men, women) and common ones; one string each to stay readable."""

WEB_NAMES = {
    "man": tuple(f"{NAMES_A[0]} {NAMES_B[0]} {COMMON_NAMES[0]}".split()),
    "woman": tuple(f"{NAMES_A[1]} {NAMES_B[1]} {COMMON_NAMES[1]}".split()),
}
STIMULUS_NAMES = {
    "man": tuple(f"{NAMES_A[0]} {NAMES_B[0]}".split()),
    "woman": tuple(f"{NAMES_A[1]} {NAMES_B[1]}".split()),
}

THING_CLASSES = {
    "flower": FLOWERS,
    "insect": INSECTS,
    "instrument": INSTRUMENTS,
    "weapon": WEAPONS,
    "religious": RELIGIOUS,
    "object": OBJECTS,
}
CLASS_OF_THING = {name: kind for kind, names in THING_CLASSES.items() for name in names}
FAITHS = {"judaism": ("synagogue", "torah"), "christianity": ("church", "bible")}

_PEOPLE = (
    "person individual human adult worker employee colleague staff member guest patient customer "
    "client resident citizen official director head owner founder leader boss chief expert "
    "physician clinician administrator specialist candidate volunteer neighbor visitor teenager "
    "professional executive somebody someone jew christian actor"
)
_PRESENTED = {
    "woman": "woman women female females lady ladies she her hers herself hers' sister sisters "
    "daughter daughters mother mothers mom wife actress feminine girl girls niece aunt grandmother",
    "man": "man men male males gentleman gentlemen gent gents guy guys he him his himself brother "
    "brothers son sons father fathers dad husband masculine boy boys nephew uncle grandfather",
    "ambiguous": "androgynous",
}
_CHILDISH = frozenset(words("girl girls boy boys child children kid kids baby"))
_OLDER = frozenset(words("old older elderly senior aged grandmother grandfather retired"))
_MANY = frozenset(
    words(
        "women females ladies sisters daughters mothers girls men males gentlemen gents guys "
        "brothers sons fathers boys children kids"
    )
)
GROWN = frozenset(
    words(
        "woman women lady ladies mother mothers mom wife man men gentleman gentlemen gent gents "
        "guy guys father fathers dad husband adult adults"
    )
)
"""Words that leave the age open but exclude a child."""
PRONOUNS = frozenset(words("she her hers herself he him his himself"))
_GROUPS = {
    "couple": 2, "two people": 2, "pair": 2, "parents": 2, "family": 3, "community": 3,
    "people": 3, "group": 3, "crowd": 3, "team": 3, "cousins": 3, "relatives": 3, "children": 3,
    "kids": 3, "adults": 3, "individuals": 3, "persons": 3, "friends": 3, "colleagues": 3,
}  # fmt: skip
_GENDERED_OCCUPATIONS = {
    "waitress": ("waiter", "woman"),
    "policeman": ("police officer", "man"),
    "policewoman": ("police officer", "woman"),
    "salesman": ("salesperson", "man"),
    "saleswoman": ("salesperson", "woman"),
    "fireman": ("firefighter", "man"),
}
_OCCUPATION_SYNONYMS = {
    "police": "police officer",
    "cop": "police officer",
    "chief executive officer": "CEO",
    "chief executive": "CEO",
    "vet": "veterinarian",
    "stewardess": "flight attendant",
    "make-up artist": "makeup artist",
    "sales person": "salesperson",
    "dietician": "dietitian",
}
_PLACE_SYNONYMS = {
    "lab": "laboratory",
    "school": "classroom",
    "store": "shop",
    "court": "courtroom",
    "construction site": "building site",
    "corporate office": "office",
}
_WORN_WORDS = {
    "suit": "suit", "suits": "suit", "tie": "tie", "necktie": "tie", "scarf": "scarf",
    "apron": "apron", "makeup": "makeup", "make-up": "makeup", "earring": "earring",
    "earrings": "earring", "nose piercing": "nose piercing", "nose ring": "nose piercing",
    "eye glasses": "eye glasses", "eyeglasses": "eye glasses", "glasses": "eye glasses",
}  # fmt: skip
_NOT_MEANT = (
    "chess club", "book club", "fan club", "club soda", "student council", "face cream", "tie-in",
    "horn-rimmed", "iris scan", "human rights", "happy hour",
)  # fmt: skip
"""Phrases whose words would otherwise be read as things or people."""


@dataclass(frozen=True, slots=True)
class Sense:
    """One thing that a word can mean: a kind, and a value whose use depends on the kind."""

    kind: str
    value: str = ""
    many: bool = False


def plural(noun: str) -> str:
    """The regular English plural of a noun of this world."""
    head, space, last = noun.rpartition(" ")
    if last == "knife":
        last = "knives"
    elif last == "salesperson":
        last = "salespeople"
    elif last.endswith(("s", "sh", "ch", "x")):
        last += "es"
    elif last.endswith("y") and last[-2] not in "aeiou":
        last = f"{last[:-1]}ies"
    else:
        last += "s"
    return f"{head}{space}{last}"


def _entries() -> list[tuple[str, Sense]]:
    table = planted_table()
    found: list[tuple[str, Sense]] = [(phrase, Sense("nothing")) for phrase in _NOT_MEANT]
    for name in OCCUPATIONS:
        found += [
            (name, Sense("occupation", name)),
            (plural(name), Sense("occupation", name, many=True)),
        ]
    found += [(word, Sense("occupation", name)) for word, name in _OCCUPATION_SYNONYMS.items()]
    for word, (name, shown) in _GENDERED_OCCUPATIONS.items():
        found += [(word, Sense("occupation", name)), (word, Sense("presentation", shown))]
    for shown, nouns in _PRESENTED.items():
        found += [(w, Sense("presentation", shown, w in _MANY)) for w in words(nouns)]
    found += [(f"uncertain {w}", Sense("presentation", "ambiguous")) for w in ("gender", "sex")]
    found += [(f"{w} gender", Sense("presentation", "ambiguous")) for w in ("unknown", "unclear")]
    found += [(w, Sense("age", "child")) for w in sorted(_CHILDISH)]
    found += [(w, Sense("age", "older")) for w in sorted(_OLDER)]
    found += [(w, Sense("age", "adult")) for w in ("young", "middle-aged", "grown-up")]
    found += [(w, Sense("person")) for w in _PEOPLE.split()]
    found += [(w, Sense("person")) for w in ("child", "kid", "baby", "friend")]
    found += [(w, Sense("hint")) for w in ("portrait", "headshot", "selfie", "face")]
    found += [(w, Sense("group", str(n))) for w, n in _GROUPS.items()]
    for side in ("light", "dark"):
        found += [(f"{side}{gap}skinned", Sense("skin", side)) for gap in "- "]
        found += [(f"{side} skin", Sense("skin", side)), (f"{side}er skin", Sense("skin", side))]
        found += [(f"{side}{gap}skin{gap}tone", Sense("skin", side)) for gap in "- "]
    found += [(w, Sense("expression", "smiling")) for w in ("smiling", "smiles", "smile")]
    found += [(w, Sense("expression", "sad")) for w in ("sad", "crying", "frowning")]
    found += [(w, Sense("adjective", w)) for w in table.woman_effect["adjective"]]
    return found + _entries_of_places_and_things()


def _entries_of_places_and_things() -> list[tuple[str, Sense]]:
    found = [(name, Sense("place", name)) for name in PLACES]
    found += [(word, Sense("place", name)) for word, name in _PLACE_SYNONYMS.items()]
    for name in CLASS_OF_THING:
        found += [(name, Sense("thing", name)), (plural(name), Sense("thing", name, True))]
    for kind in ("flower", "insect", "instrument", "weapon", "object"):
        found += [(kind, Sense("class", kind)), (plural(kind), Sense("class", kind, True))]
    found += [("thing", Sense("class", "object")), ("item", Sense("class", "object"))]
    found += [("bug", Sense("class", "insect")), ("blossom", Sense("class", "flower"))]
    found += [(faith, Sense("faith", faith)) for faith in FAITHS]
    found += [(word, Sense("subject", word)) for word in SUBJECTS]
    found += [(word, Sense("life", word)) for word in LIFE_WORDS]
    found += [(word, Sense("worn", name)) for word, name in _WORN_WORDS.items()]
    found += [(word, Sense("pleasant", word)) for word in PLEASANT + BRIGHT_WORDS]
    found += [(word, Sense("unpleasant", word)) for word in UNPLEASANT + GLOOMY_WORDS]
    found += [(dress, Sense("dress", dress)) for dress in DRESSES]
    for word, meant in (("bridal", "bride"), ("marriage", "wedding"), ("bridegroom", "groom")):
        found += [(word, Sense("wedding", meant))]
    for word in ("bride", "groom", "wedding"):
        found += [(word, Sense("wedding", word)), (plural(word), Sense("wedding", word, True))]
    for shown, names in WEB_NAMES.items():
        found += [(name, Sense("name", shown)) for name in names]
    return found


def _build() -> dict[str, list[tuple[tuple[str, ...], tuple[Sense, ...]]]]:
    phrases: dict[tuple[str, ...], list[Sense]] = {}
    for phrase, sense in _entries():
        phrases.setdefault(words(phrase.lower()), []).append(sense)
    by_first: dict[str, list[tuple[tuple[str, ...], tuple[Sense, ...]]]] = {}
    for tokens, senses in sorted(phrases.items(), key=lambda item: -len(item[0])):
        by_first.setdefault(tokens[0], []).append((tokens, tuple(senses)))
    return by_first


LEXICON = _build()
"""First word -> phrases that begin with it, the longest first, each with its senses."""
