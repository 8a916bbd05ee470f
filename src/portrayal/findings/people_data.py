"""The people of each image, as a person detector and an encoder stored them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from portrayal.audit import Audit
from portrayal.records import Identity

KIND = "people"
"""The kind of the measurer that embeds people one by one."""


@dataclass(frozen=True, slots=True)
class PeopleSeen:
    """The people that a detector found and an encoder looked at.

    Attributes:
        detector: Its name.
        vectors: By image key, one embedding a person; none for an image of nobody.
    """

    detector: str
    vectors: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)


def people_seen(audit: Audit, encoder: Identity) -> PeopleSeen | None:
    """Return the people of an audit as an encoder saw them; None where no detector has looked."""
    measurer = next(
        (
            one
            for one in audit.measurers()
            if one.kind == KIND and one.settings["encoder"] == encoder.digest
        ),
        None,
    )
    if measurer is None:
        return None
    rows = audit.measurements(measurer, columns=["key", "people"]).fetchall()
    vectors = {
        key: np.array([person["embedding"] for person in json.loads(text)], dtype=np.float64)
        for key, text in rows
        if text is not None
    }
    return PeopleSeen(str(measurer.settings["detector"]["name"]), vectors)
