"""A measurer's declaration and answers, checked before anything is stored.

A measurer may be anybody's object. What is wrong with it is one line that names it.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image

from portrayal.audit import ColumnType
from portrayal.errors import MeasurementError, MeasurementStopped, one_of
from portrayal.measurers.protocol import BATCH_SIZE, COLUMNS, Measurer, Reason
from portrayal.records import NOBODY, UNKNOWN, Identity, storable

Values = Mapping[str, Any] | Reason
"""What is stored of an image: a value for every column, or the reason why there is none."""

_PERSON = ("box", "confidence", "embedding", "labels", "numbers")


class CheckedMeasurer:
    """A measurer of which every answer is checked.

    Args:
        measurer: Whose.

    Raises:
        MeasurementError: It lacks what a measurer has, or declares what none gives.
    """

    def __init__(self, measurer: Measurer) -> None:
        self._measure = getattr(measurer, "measure", None)
        self._prepare = getattr(measurer, "prepare", None)
        self.identity = _identity(measurer)
        if not callable(self._measure):
            raise self._error("has no method measure(images)")
        measure_prepared = getattr(measurer, "measure_prepared", None)
        if callable(self._prepare) and callable(measure_prepared):
            self._measure = measure_prepared
        else:
            self._prepare = None
        gives = getattr(measurer, "gives", None)
        if isinstance(gives, str) or not isinstance(gives, Collection) or not gives:
            raise self._error(
                f"gives is {gives!r}; wanted: a tuple of what it says of an image, "
                f"out of {one_of(COLUMNS)}"
            )
        for name in gives:
            if name not in COLUMNS:
                raise self._error(f"gives {name!r}; allowed: {one_of(COLUMNS)}")
        self.columns: Mapping[str, ColumnType] = {name: COLUMNS[name] for name in gives}
        self.batch_size = getattr(measurer, "batch_size", BATCH_SIZE)
        if not isinstance(self.batch_size, int) or self.batch_size < 1:
            raise self._error(f"batch_size is {self.batch_size!r}; allowed: 1 or more")
        self.axes = self._declared_axes(getattr(measurer, "axes", None))

    def check_axes(self, axes: Mapping[str, Collection[str]]) -> None:
        """Raise where it labels an axis with answers that the axis does not have.

        Args:
            axes: Groups by axis, as the studies ask for them.

        Raises:
            MeasurementError: It does.
        """
        for name in self.axes.keys() & axes.keys():
            allowed = (*axes[name], UNKNOWN, NOBODY)
            for answer in self.axes[name]:
                if answer not in allowed:
                    raise self._error(
                        f"labels the axis {name!r} with {answer!r}; allowed: {one_of(allowed)}"
                    )

    def prepare(self, image: Image.Image) -> Any:
        """Return an image as `measure` takes it; any thread may call this."""
        return image if self._prepare is None else self._prepare(image)

    def measure(self, images: Sequence[Any]) -> list[Values]:
        """Return what is to be stored of each image that was prepared.

        Raises:
            MeasurementError: An answer is none.
        """
        try:
            answers = self._measure(images)  # type: ignore[misc]  # that it can be called was checked
        except MeasurementStopped as stopped:
            done = {place: self._values(one) for place, one in stopped.answers.items()}
            raise MeasurementStopped(str(stopped), {**done}) from stopped
        if isinstance(answers, (str, Mapping)) or not isinstance(answers, Sequence):
            raise self._error(
                f"measure returned {_kind(answers)}; wanted: a list with one answer per image"
            )
        if len(answers) != len(images):
            raise self._error(
                f"measure returned {len(answers)} answers for {len(images)} images; "
                "wanted: one per image"
            )
        return [
            answer if isinstance(answer, Reason) else self._values(answer) for answer in answers
        ]

    def _values(self, answer: Any) -> Mapping[str, Any]:
        self._require_keys(answer, "an answer", self.columns)
        for name in self.columns:
            if name not in answer:
                raise self._error(
                    f"an answer lacks {name!r}, which the measurer says it gives; "
                    "an image without one has a Reason"
                )
        return {name: self._value(name, answer[name], name) for name in self.columns}

    def _value(self, name: str, value: Any, where: str) -> Any:
        if name == "embedding":
            return self._vector(value, where)
        if name == "labels":
            return self._labels(value, where)
        if name == "numbers":
            given = self._mapping(value, where)
            return {key: self._number(x, f"{where}[{key!r}]") for key, x in given.items()}
        if isinstance(value, (str, Mapping)) or not isinstance(value, Sequence):
            of = "the people found" if name == "people" else "questions and answers"
            raise self._error(f"{where} is {_kind(value)}; wanted: a list of {of}")
        if name == "transcript":
            return [self._said(one, f"{where}[{i}]") for i, one in enumerate(value)]
        return [self._person(one, f"{where}[{i}]") for i, one in enumerate(value)]

    def _said(self, value: Any, where: str) -> dict[str, Any]:
        """Return a line of a transcript; what a model wrote must never stop a run."""
        line = self._mapping(value, where)
        return {
            storable(name): storable(one) if isinstance(one, str) else one
            for name, one in line.items()
        }

    def _person(self, person: Any, where: str) -> dict[str, Any]:
        self._require_keys(person, where, _PERSON)
        found: dict[str, Any] = {}
        if "labels" in person and "labels" not in self.columns:
            raise self._error(
                f"{where} has labels; the measurer must then give labels of the image too, "
                "which may be empty"
            )
        for name, value in person.items():
            at = f"{where}.{name}"
            if name == "box":
                box = self._vector(value, at).tolist()
                if len(box) != 4 or any(not 0 <= x <= 1 for x in box):
                    raise self._error(
                        f"{at} is {value!r}; wanted: left, top, right and bottom as shares of the "
                        "image, 0 to 1"
                    )
                found[name] = [round(x, 5) for x in box]
            elif name == "confidence":
                found[name] = self._probability(value, at)
            else:
                found[name] = self._value(name, value, at)
        return found

    def _labels(self, value: Any, where: str) -> dict[str, dict[str, float]]:
        found = {}
        for axis, answers in self._mapping(value, where).items():
            if axis not in self.axes:
                raise self._error(
                    f"{where} has the axis {axis!r}; declared in its axes: {one_of(self.axes)}"
                )
            at = f"{where}[{axis!r}]"
            found[axis] = {
                answer: self._probability(p, f"{at}[{answer!r}]")
                for answer, p in self._mapping(answers, at).items()
            }
            for answer in found[axis]:
                if answer not in (*self.axes[axis], UNKNOWN, NOBODY):
                    raise self._error(
                        f"{at} has {answer!r}; declared in its axes: "
                        f"{one_of((*self.axes[axis], UNKNOWN, NOBODY))}"
                    )
        return found

    def _vector(self, value: Any, where: str) -> Any:
        try:
            vector = np.asarray(value, dtype=np.float32)
        except (TypeError, ValueError):
            vector = np.zeros(0, dtype=np.float32)
        if vector.ndim != 1 or not vector.size:
            raise self._error(f"{where} is {_kind(value)}; wanted: a vector of numbers")
        return vector

    def _probability(self, value: Any, where: str) -> float:
        number = self._number(value, where)
        if not 0 <= number <= 1:
            raise self._error(f"{where} is {number!r}; wanted: a probability, 0 to 1")
        return number

    def _number(self, value: Any, where: str) -> float:
        if not isinstance(value, numbers.Real) or math.isinf(value):
            raise self._error(f"{where} is {value!r}; wanted: a number")
        return float(value)

    def _mapping(self, value: Any, where: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self._error(f"{where} is {_kind(value)}; wanted: a mapping")
        for key in value:
            if not isinstance(key, str):
                raise self._error(f"{where} has the name {key!r}; wanted: text")
        return value

    def _require_keys(self, value: Any, where: str, allowed: Collection[str]) -> None:
        for key in self._mapping(value, where):
            if key not in allowed:
                raise self._error(f"{where} has {key!r}; allowed: {one_of(allowed)}")

    def _declared_axes(self, axes: Any) -> Mapping[str, Sequence[str]]:
        if axes is None:
            if "labels" in self.columns:
                raise self._error(
                    "gives labels and has no axes; wanted: its answers on each axis, such as "
                    'axes = {"perceived gender": ("woman", "man")}'
                )
            return {}
        for name, answers in self._mapping(axes, "axes").items():
            if isinstance(answers, str) or not isinstance(answers, Collection):
                raise self._error(f"axes[{name!r}] is {answers!r}; wanted: a tuple of answers")
        return {name: tuple(answers) for name, answers in axes.items()}

    def _error(self, what: str) -> MeasurementError:
        return MeasurementError(f"measurer {self.identity.name}: {what}")


def _identity(measurer: object) -> Identity:
    identity = getattr(measurer, "identity", None)
    if not isinstance(identity, Identity):
        raise MeasurementError(
            f"{type(measurer).__name__} is no measurer: its identity is {_kind(identity)}; wanted: "
            "portrayal.Identity(kind, name, settings)"
        )
    return identity


def _kind(value: object) -> str:
    """Say what was given instead: short texts in full, everything else by its type."""
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    return "missing" if value is None else f"a {type(value).__name__}"
