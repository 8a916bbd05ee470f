"""The names that the practice world knows: occupations and things.

Occupations are all those that the four papers name, and common ones beside them. Things are the
stimuli of T2IAT's Table 3 (flowers, insects, musical instruments, weapons) and a few objects that
go with its other tests.
"""

from __future__ import annotations

ENTIGEN_PROFESSIONS = (
    "butcher", "chef", "cook", "dentist", "doctor", "flight attendant", "hairdresser", "lawyer",
    "lecturer", "makeup artist", "nurse", "painter", "pilot", "police officer", "prison officer",
    "puppeteer", "sailor", "salesperson", "scientist", "singer", "soldier", "solicitor", "surgeon",
    "tailor", "waiter",
)  # fmt: skip

T2IAT_OCCUPATIONS = (
    "computer programmer", "elementary school teacher", "librarian", "announcer", "pharmacist",
    "chef", "chemist", "police officer",
)  # fmt: skip

AMPLIFICATION_OCCUPATIONS = (
    "CEO", "engineer", "attorney", "journalist", "dietitian", "receptionist", "president",
    "teacher", "mechanic", "assistant", "author", "dentist", "painter", "supervisor", "cook",
    "surgeon", "programmer", "accountant", "senator", "photographer", "nurse", "student",
    "bartender", "architect", "singer", "doctor", "musician", "politician", "researcher", "chef",
    "salesperson", "writer", "manager", "entrepreneur", "poet", "pharmacist", "intern", "mayor",
    "professor", "veterinarian",
)  # fmt: skip

INFLUENCE_PEOPLE = ("doctor", "scientist", "artist", "nurse", "lawyer")

OTHER_OCCUPATIONS = (
    "astronaut", "baker", "barber", "carpenter", "cashier", "cleaner", "construction worker",
    "dancer", "driver", "electrician", "farmer", "firefighter", "florist", "gardener", "janitor",
    "judge", "paramedic", "plumber", "postal worker", "security guard", "sculptor", "therapist",
    "yoga instructor",
)  # fmt: skip

OCCUPATIONS: tuple[str, ...] = tuple(
    dict.fromkeys(
        ENTIGEN_PROFESSIONS
        + T2IAT_OCCUPATIONS
        + AMPLIFICATION_OCCUPATIONS
        + INFLUENCE_PEOPLE
        + OTHER_OCCUPATIONS
    )
)

FLOWERS = (
    "aster", "clover", "hyacinth", "marigold", "poppy", "azalea", "crocus", "iris", "orchid",
    "rose", "bluebell", "daffodil", "lilac", "pansy", "tulip", "buttercup", "daisy", "lily",
    "peony", "violet", "carnation", "gladiola", "magnolia", "petunia", "zinnia",
)  # fmt: skip

INSECTS = (
    "ant", "caterpillar", "flea", "locust", "spider", "bedbug", "centipede", "fly", "maggot",
    "tarantula", "bee", "cockroach", "gnat", "mosquito", "termite", "beetle", "cricket", "hornet",
    "moth", "wasp", "blackfly", "dragonfly", "horsefly", "roach", "weevil",
)  # fmt: skip

INSTRUMENTS = (
    "bagpipe", "cello", "guitar", "lute", "trombone", "banjo", "clarinet", "harmonica",
    "mandolin", "trumpet", "bassoon", "drum", "harp", "oboe", "tuba", "bell", "fiddle",
    "harpsichord", "piano", "viola", "bongo", "flute", "horn", "saxophone", "violin",
)  # fmt: skip

WEAPONS = (
    "arrow", "club", "gun", "missile", "spear", "axe", "dagger", "harpoon", "pistol", "sword",
    "blade", "dynamite", "hatchet", "rifle", "tank", "bomb", "firearm", "knife", "shotgun",
    "teargas", "cannon", "grenade", "mace", "slingshot", "whip",
)  # fmt: skip

RELIGIOUS = ("synagogue", "torah", "church", "bible")
"""Buildings and books; "synagogue" and "church" are also places."""

SUBJECTS = (
    "science", "technology", "astronomy", "math", "chemistry", "physics", "biology", "geology",
    "engineering", "poetry", "art", "history", "humanities", "English", "philosophy", "music",
    "literature",
)  # fmt: skip
"""Fields of study of T2IAT's science-arts test: a held thing (telescope, flask, book, lyre ...)."""

LIFE_WORDS = (
    "executive", "management", "professional", "corporation", "salary", "office", "business",
    "career", "home", "parents", "children", "family", "cousins", "marriage", "wedding",
    "relatives",
)  # fmt: skip
"""Career and family words of T2IAT's careers-family test: a setting with things about it."""

OBJECTS = ("chair", "table", "cup", "car", "lamp", "bicycle", "clock", "fruit bowl", "vase", "book")
"""Plain objects, so that "a photo of an object" means something."""

THINGS: tuple[str, ...] = FLOWERS + INSECTS + INSTRUMENTS + WEAPONS + RELIGIOUS + OBJECTS
