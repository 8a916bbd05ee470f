"""Axes: the groups that an image may be seen to show, as texts for an image-text encoder.

An axis is data. The default ones stand once, in `builtin/axes/people.toml`; a study refers to them
by name (`axes = ["perceived gender"]`) or brings its own tables. "Unknown" is always an answer.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from portrayal.errors import one_of
from portrayal.records import NOBODY, UNKNOWN
from portrayal.studies.parts import StudyPart, Word, without_repeats
from portrayal.studies.problems import did_you_mean

__all__ = ["NOBODY", "UNKNOWN", "Axis", "default_axes", "named_axes"]

KNOWN_FROM = 0.5
"""The default threshold: an answer is known where it is more probable than all others together.

The same rule reads an encoder's texts, a classifier's probabilities, a judge's wordings and
raters' votes (a majority).
"""

Texts = Annotated[tuple[Word, ...], Field(min_length=1)]


class Axis(StudyPart):
    """Groups with their texts, and what counts as unknown.

    The texts of one group are ensembled: their normalised embeddings are averaged.

    Attributes:
        groups: Texts by group, two groups or more, in the order in which they are shown.
        unknown: Texts of the answer "unknown"; it wins like any other group.
        person: With `object`, the person filter: an image counts as showing a person where it is
            closer to these texts than to `object`. Both empty: no filter.
        object: See `person`.
        threshold: A best group whose probability is below this is "unknown"; the one rule for
            which group is known, in every kind of study.
        citation: Where the texts come from.
        note: What must be said wherever the axis is shown.
    """

    groups: dict[Word, Texts]
    unknown: tuple[Word, ...] = ()
    person: tuple[Word, ...] = ()
    object: tuple[Word, ...] = ()
    threshold: Annotated[float, Field(ge=0, le=1)] = KNOWN_FROM
    citation: str = ""
    note: str = ""

    @property
    def shown_note(self) -> str:
        """The note, about whatever measured.

        `note` names encoders, as do the studies that audits contain: looks are counted by it.
        """
        return re.sub(r"\b(to|by) an encoder\b", r"\1 a measurer", self.note)

    @field_validator("groups")
    @classmethod
    def _enough_groups(cls, groups: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        if len(groups) < 2:
            raise ValueError(f"has {len(groups)} group; allowed: two or more")
        if UNKNOWN in groups:
            raise ValueError(f"has a group named {UNKNOWN!r}; give its texts under the key unknown")
        if NOBODY in groups:
            raise ValueError(f"has a group named {NOBODY!r}, which means that nobody is shown")
        for texts in groups.values():
            without_repeats(texts)
        return groups

    @model_validator(mode="after")
    def _whole_filter(self) -> Axis:
        if bool(self.person) != bool(self.object):
            raise ValueError("needs both person and object for the person filter, or neither")
        return self

    def texts(self) -> tuple[str, ...]:
        """Return every text of the axis, without repeats."""
        groups = [text for texts in self.groups.values() for text in texts]
        return tuple(dict.fromkeys([*groups, *self.unknown, *self.person, *self.object]))


@functools.cache
def default_axes() -> Mapping[str, Axis]:
    """Return the axes that studies may refer to by name."""
    text = (files("portrayal.studies") / "builtin" / "axes" / "people.toml").read_text(
        encoding="utf-8"
    )
    return {name: Axis.model_validate(data) for name, data in tomllib.loads(text).items()}


def named_axes(axes: Any) -> Any:
    """Replace a list of names by the default axes; pass tables on as they are.

    Raises:
        ValueError: There is no default axis of that name.
    """
    if not isinstance(axes, (list, tuple)):
        return axes
    known = default_axes()
    for name in axes:
        if not isinstance(name, str) or name not in known:
            raise ValueError(
                f"names {name!r}{did_you_mean(str(name), known)}; allowed: {one_of(list(known))}, "
                "or tables of your own"
            )
    return {name: known[name] for name in axes}
