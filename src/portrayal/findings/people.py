"""The people of each image, as a measurer stored them, and what an image of several counts as."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from portrayal.audit import AuditFolder
from portrayal.findings.sentences import counted
from portrayal.measurers import Labels
from portrayal.records import NOBODY, UNKNOWN, Identity

KIND = "people"
"""The kind of the measurer that lets an encoder look at people one by one."""


class SeenPerson(NamedTuple):
    """A person in an image: an embedding, labels, or both."""

    vector: npt.NDArray[np.float64] | None
    labels: Labels


@dataclass(frozen=True, slots=True)
class PeopleSeen:
    """The people that were found in images.

    Attributes:
        detector: Who found them.
        people: By image key; none for an image of nobody.
    """

    detector: str
    people: Mapping[str, Sequence[SeenPerson]] = field(repr=False)


def people_seen(audit: AuditFolder, measurer: Identity) -> PeopleSeen | None:
    """Return the people of an audit as a measurer sees them; None where none were looked for.

    A measurer may tell of people itself; for an encoder a person detector does so.
    """
    if "people" in audit.columns(measurer):
        return PeopleSeen(measurer.name, _people(audit, measurer))
    for one in audit.measurers():
        if one.kind == KIND and one.settings.get("encoder") == measurer.digest:
            return PeopleSeen(str(one.settings["detector"]["name"]), _people(audit, one))
    return None


def _people(audit: AuditFolder, measurer: Identity) -> dict[str, list[SeenPerson]]:
    rows = audit.measurements(measurer, columns=["key", "people"]).fetchall()
    return {
        key: [_person(person) for person in json.loads(text)]
        for key, text in rows
        if text is not None
    }


def _person(stored: Mapping[str, Any]) -> SeenPerson:
    vector = stored.get("embedding")
    return SeenPerson(
        None if vector is None else np.array(vector, dtype=np.float64), stored.get("labels", {})
    )


def image_label(labels: Sequence[str]) -> str:
    """Return what an image counts as, from the labels of its people.

    The label of most of them; "unknown" where two labels tie for most; "nobody" without people.

    >>> image_label(["woman", "man", "woman"]), image_label(["woman", "man"])
    ('woman', 'unknown')
    """
    if not labels:
        return NOBODY
    (first, most), *others = Counter(labels).most_common()
    return UNKNOWN if others and others[0][1] == most else first


def people_note(keys: Sequence[str], people: PeopleSeen) -> str:
    """Say how images of several people count, and how many there are."""
    counts = [len(people.people[key]) for key in keys if key in people.people]
    whole = len(keys) - len(counts)
    note = (
        f"People are labelled one by one where {people.detector} found them: nobody in "
        f"{counts.count(0)} of {counted(len(keys), 'image')}, one person in {counts.count(1)}, "
        f"several in {sum(n > 1 for n in counts)}. Most people of an image decide what it counts "
        "as; a tie is unknown."
    )
    return note + (f" {whole} images without a look count as a whole." if whole else "")
