"""The painter of every place of the vocabulary."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Prop
from portrayal_practice.painter.landscapes import (
    airport,
    beach,
    building_site,
    company,
    farm,
    garden,
    park,
    ship,
    street,
    temple,
    university,
)
from portrayal_practice.painter.rooms import (
    bank,
    church,
    classroom,
    courtroom,
    garage,
    gym,
    home,
    hospital,
    kitchen,
    laboratory,
    library,
    mall,
    office,
    parliament,
    prison,
    restaurant,
    salon,
    shop,
    spa,
    stage,
    studio,
    synagogue,
    workshop,
)

PLACE_PAINTERS: dict[str, Prop] = {
    "studio": studio, "office": office, "gym": gym, "salon": salon, "spa": spa, "mall": mall,
    "hospital": hospital, "classroom": classroom, "laboratory": laboratory, "library": library,
    "kitchen": kitchen, "restaurant": restaurant, "workshop": workshop, "garage": garage,
    "farm": farm, "garden": garden, "park": park, "street": street, "home": home,
    "courtroom": courtroom, "stage": stage, "church": church, "synagogue": synagogue,
    "temple": temple, "bank": bank, "shop": shop, "airport": airport, "ship": ship,
    "beach": beach, "building site": building_site, "prison": prison, "university": university,
    "company": company, "parliament": parliament,
}  # fmt: skip
