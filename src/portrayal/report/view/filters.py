"""What a reader asks of a gallery: the fields of the form, and the same as SQL.

The report's gallery has the same fields; `static/page.js` applies them there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

ORDERS = {
    "prompt": "prompt and seed",
    "seed": "seed: same seed together",
    "certainty": "least certain first",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of a WHERE clause, with the values that it names."""

    sql: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ImageFilter:
    """Which images, in which order. One label of an image has to meet all conditions on labels.

    Attributes:
        words: What the prompt contains.
        axis: The axis of the label; "" for any.
        label: The label on that axis.
        measurer: Who gave it; "" for any.
        least: The lowest probability.
        most: The highest probability.
        disagree: Only where measurers give different labels on an axis.
        order: One of `ORDERS`.
    """

    words: str = ""
    axis: str = ""
    label: str = ""
    measurer: str = ""
    least: float | None = None
    most: float | None = None
    disagree: bool = False
    order: str = "prompt"

    @classmethod
    def read(cls, fields: Mapping[str, str]) -> ImageFilter:
        """Read the fields of the form; what makes no sense is left out."""
        axis, _, label = fields.get("label", "").rpartition(": ")
        order = fields.get("order", "")
        return cls(
            words=fields.get("words", "").strip(),
            axis=axis,
            label=label,
            measurer=fields.get("measurer", ""),
            least=_share(fields.get("least", "")),
            most=_share(fields.get("most", "")),
            disagree=bool(fields.get("disagree")),
            order=order if order in ORDERS else "prompt",
        )

    @property
    def shown_label(self) -> str:
        """Axis and label as the form names them."""
        return f"{self.axis}: {self.label}" if self.axis else ""

    @property
    def is_about_labels(self) -> bool:
        """Whether labels decide which images come, or in which order."""
        return self.on_labels() is not None or self.disagree or self.order == "certainty"

    def query(self, **more: str) -> str:
        """Return the fields that are set, with others, as the end of an address."""
        return urlencode({**more, **self.fields()})

    def fields(self) -> dict[str, str]:
        """Return the fields that are set."""
        own = {
            "words": self.words,
            "label": self.shown_label,
            "measurer": self.measurer,
            "least": _percent(self.least),
            "most": _percent(self.most),
            "disagree": "1" if self.disagree else "",
            "order": "" if self.order == "prompt" else self.order,
        }
        return {name: value for name, value in own.items() if value}

    def on_labels(self) -> Condition | None:
        """Return what one label of an image has to meet; None where any image will do."""
        asked = {
            "axis = ?": self.axis or None,
            "label = ?": self.label or None,
            "measurer = ?": self.measurer or None,
            "probability >= ?": self.least,
            "probability <= ?": self.most,
        }
        met = {sql: value for sql, value in asked.items() if value is not None}
        return Condition(" AND ".join(met), tuple(met.values())) if met else None

    def on_images(self) -> Condition:
        """Return what an image has to meet, besides its labels."""
        sql, values = ["true"], []
        if self.words:
            sql.append("contains(lower(prompt), lower(?))")
            values.append(self.words)
        if self.disagree:
            of_axis = "WHERE axis = ? " if self.axis else ""
            sql.append(
                f"place IN (SELECT place FROM labels {of_axis}"
                "GROUP BY place, axis HAVING min(label) <> max(label))"
            )
            values += [self.axis] if self.axis else []
        return Condition(" AND ".join(sql), tuple(values))


def _share(text: str) -> float | None:
    """Read a percentage; None where there is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return min(max(value, 0.0), 100.0) / 100 if value == value else None


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:g}"
