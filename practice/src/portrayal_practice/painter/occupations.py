"""What people of each occupation wear and hold, and where they stand.

The looks are chosen far apart on purpose: cut, colour, headgear, tool and background together.
They are signs for calibration, not a claim about how anybody dresses.
"""

from __future__ import annotations

from dataclasses import dataclass

from portrayal_practice.painter.palette import Colour, rgb


@dataclass(frozen=True, slots=True)
class Outfit:
    """The look of one occupation.

    `pose` says where the tool is: at the "side", in "front", raised "high", or behind the person
    as "arms" that reach over the head.
    """

    garment: str
    colour: Colour
    second: Colour
    prop: str
    backdrop: str
    hat: str | None = None
    hat_colour: Colour = (200, 200, 200)
    extras: tuple[str, ...] = ()
    pose: str = "side"


def _look(
    garment: str, colours: str, prop: str, backdrop: str, *, hat: str | None = None,
    extras: tuple[str, ...] = (), pose: str = "side",
) -> Outfit:  # fmt: skip
    """Build an outfit; `colours` holds garment, second and optionally hat colour as hex codes."""
    codes = [rgb(code) for code in colours.split()]
    return Outfit(garment, codes[0], codes[1], prop, backdrop, hat, codes[-1], tuple(extras), pose)


OUTFITS: dict[str, Outfit] = {
    "butcher": _look("striped apron", "c8283c f4f4f0", "cleaver", "butchery", hat="paper hat"),
    "chef": _look("chef coat", "fafaf6 d63a3a fdfdfa", "frying pan", "kitchen", hat="toque"),
    "cook": _look("apron", "3f8f5a 8a8f98 d63a3a", "soup pot", "kitchen", hat="bandana"),
    "dentist": _look("tunic", "6fd0dc fbfbf8 2a6a7a", "tooth", "dental", hat="head mirror",
                     extras=("mask",)),
    "doctor": _look("lab coat", "fbfbf8 7ab4e6", "medical clipboard", "hospital",
                    extras=("stethoscope",)),
    "flight attendant": _look("suit", "b01f48 f0b429 b01f48", "drinks tray", "cabin",
                              hat="pillbox", extras=("neckerchief",)),
    "hairdresser": _look("tee", "2a2430 e0567f", "scissors", "salon", extras=("cape",)),
    "lawyer": _look("suit", "3c4048 a81f35", "scales", "library"),
    "lecturer": _look("open jacket", "8a6a44 e6dcc0", "lectern", "lecture hall", pose="front"),
    "makeup artist": _look("blouse", "e878a8 2a2430", "brush", "salon", extras=("brush belt",)),
    "nurse": _look("scrubs", "8fc4f0 fbfbf8 fdfdfa", "syringe", "hospital", hat="nurse cap"),
    "painter": _look("smock", "7aa0c8 e6eef4 3a3440", "palette", "easels", hat="beret"),
    "pilot": _look("white uniform", "f6f8fa 22304e fbfbf8", "model plane", "cockpit",
                   hat="pilot cap"),
    "police officer": _look("uniform", "26407a e3b23c 26407a", "handcuffs", "patrol",
                            hat="peaked cap"),
    "prison officer": _look("uniform", "5a6a58 d8dcd8 46543f", "keys", "prison", hat="beret"),
    "puppeteer": _look("waistcoat", "6a3aa0 f0b429", "puppet", "puppet booth"),
    "sailor": _look("sailor suit", "fbfbf8 2f5aa8 fbfbf8", "ship wheel", "ship", hat="sailor cap"),
    "salesperson": _look("polo", "f08a2c 2a2c38", "shopping bag", "shop"),
    "scientist": _look("lab coat", "fbfbf8 5fae4a", "microscope", "laboratory",
                       extras=("glasses",)),
    "singer": _look("sequins", "9a3ad0 f8d63c", "microphone", "stage", pose="high"),
    "soldier": _look("camouflage", "6b7040 8f8355 6b7040", "binoculars", "desert camp",
                     hat="army helmet"),
    "solicitor": _look("pinstripe", "28304a 5a2a6a", "contract", "office", extras=("bands",)),
    "surgeon": _look("scrubs", "2f9a78 25805f 2f9a78", "scalpel", "operating room",
                     hat="surgical cap", extras=("mask",)),
    "tailor": _look("waistcoat", "8a5a3a a81f35", "spool", "sewing room",
                    extras=("tape measure",)),
    "waiter": _look("waistcoat", "1e1e26 1e1e26", "tray", "restaurant", pose="high"),
    "computer programmer": _look("hoodie", "4a5a6e 52c5e0 22242e", "laptop", "monitors",
                                 hat="headphones", pose="front"),
    "elementary school teacher": _look("cardigan", "f4c430 e0567f", "abc blocks", "playroom"),
    "librarian": _look("cardigan", "7a8a4a f2e3c2", "book stack", "library",
                       extras=("glasses",)),
    "announcer": _look("open jacket", "2a4a8a f4f4f0 1e1e26", "desk microphone", "on air",
                       hat="headphones"),
    "pharmacist": _look("tunic", "fbfbf8 3fa45b", "pills", "pharmacy"),
    "chemist": _look("lab coat", "fbfbf8 9a6be0 3b3e4a", "flask", "laboratory", hat="goggles",
                     extras=("apron",)),
    "CEO": _look("suit", "1c1d26 e3b23c", "trophy", "board room"),
    "engineer": _look("shirt", "6fa8dc 3f74c9 f4f6f8", "gear", "drawing office", hat="hard hat"),
    "journalist": _look("trench", "d2b078 6d4630 b8965a", "press microphone", "press",
                        hat="fedora"),
    "dietitian": _look("tunic", "f4fbe8 8cc63f", "salad", "diet"),
    "receptionist": _look("suit", "8a2a4a f2e3c2 22242e", "desk bell", "reception",
                          hat="headset"),
    "president": _look("suit", "22305a d63a3a", "seal podium", "flags", extras=("pin",),
                       pose="front"),
    "teacher": _look("sweater", "d8743a f2e3c2", "globe", "classroom"),
    "mechanic": _look("jumpsuit", "4a6d9c 2a2c38 d63a3a", "wrench", "garage", hat="ball cap"),
    "assistant": _look("blouse", "a9d0f2 5a8ac0", "planner", "office", extras=("lanyard",)),
    "author": _look("turtleneck", "7a2438 7a2438", "novel", "library"),
    "dancer": _look("tank top", "e0567f fbd0dc", "ribbon", "ballet room", pose="arms"),
    "supervisor": _look("shirt", "c2cad2 d67a2a", "checklist", "factory",
                        extras=("tie", "lanyard")),
    "programmer": _look("hoodie", "4a5a6e 52c5e0", "laptop", "monitors", extras=("glasses",),
                        pose="front"),
    "accountant": _look("suspenders", "f0f2ec 2f7a5a 4fae5f", "calculator", "ledger",
                        hat="visor"),
    "senator": _look("suit", "4a6288 e6e6ea", "scroll", "dome", extras=("pin",)),
    "photographer": _look("vest", "b8a671 2a2c38", "camera", "photo studio", pose="front"),
    "student": _look("hoodie", "d63a3a fbfbf8", "school books", "university",
                     extras=("backpack",)),
    "bartender": _look("suspenders", "2c2c34 d63a3a", "cocktail", "bar"),
    "architect": _look("turtleneck", "22232a 22232a", "model house", "drawing office",
                       extras=("glasses",)),
    "musician": _look("leather", "26242a d63a3a", "held guitar", "stage", pose="front"),
    "politician": _look("suit", "2f5a9a d63a3a", "megaphone", "rally", extras=("rosette",)),
    "researcher": _look("lab coat", "f4f4f0 c8502c", "magnifier", "data wall"),
    "writer": _look("vest", "7a5a3a e6dcc0", "typewriter", "study", pose="front"),
    "manager": _look("suit", "7a828c 1f9a9a", "bar chart", "charts"),
    "entrepreneur": _look("open jacket", "2a9a9a f8d63c", "light bulb", "start-up"),
    "poet": _look("loose shirt", "f6f2e4 a81f35", "quill", "night sky", extras=("scarf",)),
    "intern": _look("shirt", "f4b8c4 8a4a6a", "coffee cups", "cubicles", extras=("lanyard",)),
    "mayor": _look("robe", "b0243c fbfbf8", "city key", "town hall", extras=("chain",)),
    "professor": _look("gown", "1e1e28 a81f35 1e1e28", "diploma", "blackboard",
                       hat="mortarboard"),
    "veterinarian": _look("scrubs", "c86ab0 f4d0e8", "dog", "pets", extras=("stethoscope",)),
    "attorney": _look("suit", "c9b48c 2f5aa8", "briefcase", "courtroom"),
    "artist": _look("striped", "f6f6f2 2a4a8a", "sketch pad", "gallery",
                    extras=("red scarf",)),
    "astronaut": _look("space suit", "eef1f4 f08a2c a9d8f2", "flag", "space",
                       hat="space helmet"),
    "baker": _look("apron", "f2e3c2 c88a5a fbf8f0", "bread", "bakery", hat="baker cap"),
    "barber": _look("tunic", "f6f8fa 2f5aa8", "clipper", "barbershop"),
    "carpenter": _look("plaid", "4a7a4a f2e3c2", "hammer", "workshop", hat="pencil",
                       extras=("leather apron",)),
    "cashier": _look("vest", "d63a3a fbfbf8 d63a3a", "register", "shop", hat="visor",
                     pose="front"),
    "cleaner": _look("tunic", "f8d63c fbfbf8 e0567f", "spray", "tiled bath", hat="headscarf",
                     extras=("gloves",)),
    "construction worker": _look("hi-vis", "f5701c 3b3e4a f8c81c", "shovel", "building site",
                                 hat="hard hat"),
    "driver": _look("shirt", "8fa8b8 2a2c38 5a5048", "steering wheel", "bus", hat="flat cap",
                    extras=("tie",), pose="front"),
    "electrician": _look("overalls", "4a4c58 f08a2c 7a4bb0", "plug", "fuse box",
                         hat="hard hat"),
    "farmer": _look("plaid overalls", "4a6d9c c8342c e8c868", "pitchfork", "farm",
                    hat="straw hat"),
    "firefighter": _look("turnout", "3a3434 f0d020 d02a24", "hose", "fire", hat="fire helmet"),
    "florist": _look("apron", "2f7a4a f3a6c0", "bouquet", "flower shop"),
    "gardener": _look("overalls", "4c8f43 f2e3c2 8a9a4a", "watering can", "garden",
                      hat="bucket hat"),
    "janitor": _look("jumpsuit", "8d929c 2a2c38 3b4a5a", "mop", "lockers", hat="ball cap"),
    "judge": _look("robe", "1e1c22 fbfbf8", "gavel", "courtroom"),
    "paramedic": _look("hi-vis", "b8d818 25603c", "medical case", "ambulance",
                       extras=("stethoscope",)),
    "plumber": _look("overalls", "2f5aa8 d63a3a d63a3a", "plunger", "pipes", hat="flat cap"),
    "postal worker": _look("shirt", "4a78b8 22304e 2f4a86", "envelope", "post street",
                           hat="post cap", extras=("satchel",)),
    "security guard": _look("uniform", "26262a f8d63c 1e1e22", "flashlight", "camera wall",
                            hat="ball cap", extras=("security",)),
    "sculptor": _look("apron", "a8a49c 7a6a8a d8d4cc", "chisel", "marble", hat="bandana"),
    "therapist": _look("cardigan", "b89ac8 f6f2ea", "notepad", "counselling"),
    "yoga instructor": _look("tank top", "6a4ab8 c7a9e6 f8d63c", "mat", "sunrise",
                             hat="sweatband", pose="front"),
}  # fmt: skip

LOOKALIKES: tuple[frozenset[str], ...] = (
    frozenset({"programmer", "computer programmer"}),
    frozenset({"lawyer", "attorney", "solicitor"}),
    frozenset({"author", "writer"}),
    frozenset({"manager", "supervisor", "CEO"}),
    frozenset({"president", "senator", "politician"}),
    frozenset({"scientist", "researcher"}),
)
"""Occupations whose words mean nearly the same and whose looks are related, though not equal."""

DISTINCT_OCCUPATIONS: tuple[str, ...] = tuple(
    name for name in OUTFITS if not any(name in group for group in LOOKALIKES)
)
"""Occupations that clothing, tool and background tell apart from every other."""
