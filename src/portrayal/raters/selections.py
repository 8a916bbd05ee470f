"""Selections of images as they were rated in papers, by name (selections.toml)."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Collection, Mapping
from importlib.resources import files
from typing import Any

from portrayal.errors import AuditError, SettingError, one_of
from portrayal.studies import StudyPart, did_you_mean


class RatedSelection(StudyPart):
    """Which images are rated.

    Attributes:
        studies: Whose images: those of the studies that an audit has.
        per_concept: So many of each concept, drawn at random; None: all.
        any_of: Levels by factor; an image is taken that has all levels of one of these.
    """

    studies: tuple[str, ...]
    per_concept: int | None = None
    any_of: tuple[dict[str, tuple[str, ...]], ...] = ()

    def studies_among(self, known: Collection[str], name: str) -> list[str]:
        """Return those of its studies that an audit has.

        Raises:
            AuditError: It has none of them.
        """
        found = [study for study in self.studies if study in known]
        if not found:
            raise AuditError(f"the selection {name} is of {one_of(self.studies)}; none is here")
        return found

    def options(self) -> Mapping[str, Any]:
        """Return the fields of an `ImageChoice`."""
        return {"per_concept": self.per_concept, "any_of": self.any_of}


@functools.cache
def selections() -> Mapping[str, RatedSelection]:
    """Return the selections by name."""
    text = (files("portrayal.raters") / "selections.toml").read_text(encoding="utf-8")
    return {name: RatedSelection.model_validate(one) for name, one in tomllib.loads(text).items()}


def selection(name: str) -> RatedSelection:
    """Return a selection by name.

    Raises:
        SettingError: There is none.
    """
    known = selections()
    if name not in known:
        allowed = one_of(sorted(known))
        raise SettingError(
            "selection", f"is {name!r}{did_you_mean(name, known)}; allowed: {allowed}"
        )
    return known[name]
