"""Every thing of the vocabulary with its painter, each in a box from -20 to 20."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Prop
from portrayal_practice.painter.flowers import FLOWER_PAINTERS
from portrayal_practice.painter.insects import INSECT_PAINTERS
from portrayal_practice.painter.instruments import INSTRUMENT_PAINTERS
from portrayal_practice.painter.objects import OBJECT_PAINTERS
from portrayal_practice.painter.weapons import WEAPON_PAINTERS

THING_PAINTERS: dict[str, Prop] = (
    FLOWER_PAINTERS | INSECT_PAINTERS | INSTRUMENT_PAINTERS | WEAPON_PAINTERS | OBJECT_PAINTERS
)
