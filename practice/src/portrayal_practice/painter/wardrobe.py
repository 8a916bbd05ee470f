"""Every cut of garment by name."""

from __future__ import annotations

from collections.abc import Callable

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.clothing import (
    blouse,
    cardigan,
    hoodie,
    leather,
    loose_shirt,
    open_jacket,
    pinstripe,
    plaid,
    polo,
    sequins,
    shirt,
    striped,
    suit,
    suspenders,
    sweater,
    tank_top,
    tee,
    trench,
    turtleneck,
    waistcoat,
)
from portrayal_practice.painter.looks import Look
from portrayal_practice.painter.palette import Colour
from portrayal_practice.painter.uniforms import (
    apron,
    camouflage,
    chef_coat,
    gown,
    hi_vis,
    jumpsuit,
    lab_coat,
    overalls,
    plaid_overalls,
    robe,
    sailor_suit,
    scrubs,
    smock,
    space_suit,
    striped_apron,
    tunic,
    turnout,
    uniform,
    vest,
    white_uniform,
)

Garment = Callable[[Pen, Look, Colour, Colour], None]
"""Draws one cut in a main and a second colour."""


GARMENTS: dict[str, Garment] = {
    "tee": tee, "shirt": shirt, "blouse": blouse, "sweater": sweater, "turtleneck": turtleneck,
    "hoodie": hoodie, "suit": suit, "pinstripe": pinstripe, "open jacket": open_jacket,
    "lab coat": lab_coat, "scrubs": scrubs, "chef coat": chef_coat, "apron": apron,
    "striped apron": striped_apron, "overalls": overalls, "plaid overalls": plaid_overalls,
    "plaid": plaid, "uniform": uniform, "white uniform": white_uniform,
    "sailor suit": sailor_suit, "striped": striped, "waistcoat": waistcoat,
    "suspenders": suspenders, "vest": vest, "hi-vis": hi_vis, "turnout": turnout,
    "space suit": space_suit, "robe": robe, "gown": gown, "camouflage": camouflage,
    "jumpsuit": jumpsuit, "sequins": sequins, "tank top": tank_top, "cardigan": cardigan,
    "trench": trench, "leather": leather, "smock": smock, "tunic": tunic, "polo": polo,
    "loose shirt": loose_shirt,
}  # fmt: skip


EVERYDAY = ("tee", "tee", "shirt", "blouse", "sweater", "turtleneck", "hoodie", "cardigan",
            "striped", "open jacket", "polo", "plaid")  # fmt: skip  # fmt: skip
"""Cuts worn by people without an occupation, the same for everybody."""
