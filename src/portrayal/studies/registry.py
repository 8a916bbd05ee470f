"""The kinds of study that are installed, found through the entry points `portrayal.kinds`.

A kind of another package stands beside ours: its name, its schema and the object that answers it
come through the same door.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from portrayal.plugins import plugins
from portrayal.studies.schema import Study

GROUP = "portrayal.kinds"


class StudyKind(Protocol):
    """What reading a study file needs to know of a kind; `portrayal.kinds.Kind` has the rest.

    Attributes:
        name: As `kind` in a study file.
        study: The schema.
        place: Where a report tells of it: lower comes first.
        parts: Types of its own that parts of its answers have.
    """

    name: ClassVar[str]
    study: ClassVar[type[Study]]
    place: ClassVar[int]
    parts: ClassVar[tuple[type[Any], ...]]

    def starter(self) -> str:
        """Return a commented study file to start from."""


@functools.cache
def registered_kinds() -> Mapping[str, StudyKind]:
    """Return the kinds by name, in the order in which a report tells of them.

    Raises:
        PluginError: Two packages register a kind of the same name.
    """
    found: Mapping[str, StudyKind] = plugins(GROUP, object)
    return dict(sorted(found.items(), key=lambda item: (item[1].place, item[0])))


def kind_of(study: Study) -> StudyKind:
    """Return the kind of a study."""
    return registered_kinds()[study.kind]
