"""Axes and labels of a file beside those that are known: read in any case, refused if misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from portrayal.errors import ImportFileError, misspelt, one_of
from portrayal.importers.label_files import LabelRow
from portrayal.records import NOBODY, UNKNOWN


class KnownAxes:
    """Reads rows of label files as known axes write them.

    Args:
        groups: Groups by axis: other labels on these axes are refused.
        names: Further names of axes, whose labels may be any.
        own_groups: How to use other groups, for an error line.
        asked_by: Who does not ask about an axis that is misspelt, for an error line.
    """

    def __init__(
        self,
        groups: Mapping[str, Sequence[str]],
        *,
        names: Iterable[str] = (),
        own_groups: str,
        asked_by: str = "no study asks about",
    ) -> None:
        self._groups = groups
        self._names = {*groups, *names}
        self._own_groups = own_groups
        self._asked_by = asked_by
        self._meant: dict[str, str | None] = {}
        self.read_as: dict[str, str] = {}
        """Axes and groups by what differs from them in upper and lower case alone."""

    def read(self, row: LabelRow) -> LabelRow:
        """Return a row with its axis and label written as they are known.

        Raises:
            ImportFileError: The axis is misspelt, or the label is none of its groups.
        """
        axis = self._axis(row.axis)
        if axis not in self._groups:
            return replace(row, axis=axis)
        allowed = (*self._groups[axis], UNKNOWN, NOBODY)
        label = self._in_known_case(row.label, allowed)
        if label not in allowed:
            raise ImportFileError(
                f"has the label {label!r} on the axis {axis!r}; allowed: {one_of(allowed)}; "
                f"{self._own_groups}"
            )
        return replace(row, axis=axis, label=label)

    def _axis(self, written: str) -> str:
        axis = self._in_known_case(written, self._names)
        if axis in self._names:
            return axis
        if axis not in self._meant:
            self._meant[axis] = misspelt(axis, self._names)
        if (meant := self._meant[axis]) is not None:
            raise ImportFileError(
                f"has the axis {axis!r}, which {self._asked_by}; did you mean {meant!r}? for an "
                "axis of your own, choose a name that is less like it"
            )
        return axis

    def _in_known_case(self, written: str, known: Iterable[str]) -> str:
        alike = [one for one in known if one.casefold() == written.casefold()]
        if written in alike or len(alike) != 1:
            return written
        self.read_as[written] = alike[0]
        return alike[0]


def said_as_read(read_as: Mapping[str, str]) -> str:
    """Say which words were read as others: `'Woman' read as 'woman'`."""
    return ", ".join(f"{word!r} read as {known!r}" for word, known in read_as.items())
