"""Images and labels of one audit, ready to be filtered: a DuckDB file that is thrown away.

Labels follow from stored answers by rules (texts of an axis, thresholds), so they are computed once
when an audit is opened, beside the first pages, and written to disk as they come. Until all are
there, a filter that asks about labels answers from those that are. Image bytes stay in the audit.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from portrayal.audit import AuditFolder
from portrayal.errors import PortrayalError
from portrayal.findings import label_tables
from portrayal.report.evidence import ShownLabel, caption
from portrayal.report.view.filters import Condition, ImageFilter

BY_HAND = "corrected by hand"
"""The measurer of labels that somebody corrected on the page."""

_TABLES = """
CREATE TABLE images AS
  SELECT row_number() OVER (ORDER BY prompt, seed) AS place, key, prompt, seed, revised_prompt
  FROM stored WHERE status = 'ok' ORDER BY prompt, seed;
CREATE TABLE labels
  (place BIGINT, axis VARCHAR, measurer VARCHAR, label VARCHAR, probability DOUBLE,
   raters BIGINT, agreeing BIGINT);
"""
_LABELS = """
INSERT INTO labels SELECT images.place, axis, measurer, label, probability, raters, agreeing
FROM given JOIN images ON images.key = given.key WHERE person IS NULL ORDER BY images.place
"""

PATIENCE_S = 0.4
"""How long a filter waits for labels before it answers from those that are there."""


@dataclass(frozen=True, slots=True)
class ListedImage:
    """An image of an audit, with what measurers say of it."""

    key: str
    prompt: str
    seed: int
    labels: Sequence[ShownLabel]

    @property
    def caption(self) -> str:
        """Its labels in a few words."""
        return caption(self.labels)


@dataclass(frozen=True, slots=True)
class Found:
    """Some of the images that meet a filter, and how many there are."""

    images: Sequence[ListedImage]
    total: int


@dataclass(frozen=True, slots=True)
class FilterPlace:
    """Where an image is among those that meet a filter: its number, and the keys beside it."""

    number: int
    total: int
    before: str | None
    after: str | None


class ImageIndex:
    """Filters an audit's images.

    Args:
        audit: The audit.
        file: Where the index goes; not in the audit.
        corrected: Labels corrected by hand, by image key and axis.
    """

    def __init__(
        self, audit: AuditFolder, file: Path, corrected: Mapping[tuple[str, str], str]
    ) -> None:
        self.problem = ""
        """Why images have no labels; "" where they have, or will."""
        self._turn = threading.Lock()
        self._labelled = threading.Event()
        self._database = duckdb.connect(str(file))
        self._database.execute("SET enable_progress_bar = false")
        about = ("key", "prompt", "seed", "status", "revised_prompt")
        self._database.register("stored", audit.images(columns=about).arrow())
        self._database.execute(_TABLES)
        self._database.unregister("stored")
        work = threading.Thread(target=self._label, args=(audit, corrected), daemon=True)
        work.start()

    @property
    def has_labels(self) -> bool:
        """Whether all labels are there."""
        return self._labelled.is_set()

    def wait_for_labels(self, seconds: float | None = None) -> None:
        """Wait until all labels are there, at most so long."""
        self._labelled.wait(seconds)

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._database.close()

    def _label(self, audit: AuditFolder, corrected: Mapping[tuple[str, str], str]) -> None:
        try:
            for table in label_tables(audit):
                with self._turn:
                    self._database.register("given", table)
                    self._database.execute(_LABELS)
                    self._database.unregister("given")
            with self._turn:
                for (key, axis), label in corrected.items():
                    self._put(key, axis, label)
        except PortrayalError as error:
            self.problem = str(error)
        except duckdb.ConnectionException:  # closed meanwhile
            return
        finally:
            self._labelled.set()

    @functools.cached_property
    def counts(self) -> tuple[int, int]:
        """The number of images, and of prompts."""
        [(images, prompts)] = self._ask("SELECT count(*), count(DISTINCT prompt) FROM images")
        return images, prompts

    def labels(self) -> list[str]:
        """Return the labels that there are so far, each with its axis."""
        rows = self._ask("SELECT DISTINCT axis, label FROM labels ORDER BY ALL")
        return [f"{axis}: {label}" for axis, label in rows]

    def measurers(self) -> list[str]:
        """Return those whose labels are there so far."""
        return [name for (name,) in self._ask("SELECT DISTINCT measurer FROM labels ORDER BY ALL")]

    def find(self, asked: ImageFilter, *, start: int = 0, most: int = 60) -> Found:
        """Return some of the images that meet a filter.

        Args:
            asked: The filter.
            start: How many of them come before.
            most: How many to return.
        """
        chosen = self._chosen(asked)
        [(total,)] = self._ask(f"SELECT count(*) FROM ({chosen.sql})", *chosen.values)
        rows = self._ask(
            f"SELECT place, key, prompt, seed FROM ({chosen.sql}) ORDER BY {_order(asked)} "
            "LIMIT ? OFFSET ?", *chosen.values, most, start,
        )  # fmt: skip
        return Found(list(self._listed(rows)), total)

    def place(self, asked: ImageFilter, key: str) -> FilterPlace | None:
        """Return where an image is among those that meet a filter; None where it is not."""
        chosen, beside = self._chosen(asked), f"OVER (ORDER BY {_order(asked)})"
        numbered = (
            f"SELECT key, row_number() {beside} AS number, count(*) OVER () AS total, "
            f"lag(key) {beside} AS before, lead(key) {beside} AS after FROM ({chosen.sql})"
        )
        rows = self._ask(
            f"SELECT number, total, before, after FROM ({numbered}) WHERE key = ?",
            *chosen.values, key,
        )  # fmt: skip
        return FilterPlace(*rows[0]) if rows else None

    def image(self, key: str) -> ListedImage | None:
        """Return one image by its key."""
        rows = self._ask("SELECT place, key, prompt, seed FROM images WHERE key = ?", key)
        return next(self._listed(rows), None)

    def revised_prompt(self, key: str) -> str | None:
        """Return what a service says it made of an image's prompt."""
        rows = self._ask("SELECT revised_prompt FROM images WHERE key = ?", key)
        return rows[0][0] if rows else None

    def beside(self, image: ListedImage, *, same: str, most: int) -> list[ListedImage]:
        """Return other images with the same `seed` or the same `prompt`."""
        value = image.seed if same == "seed" else image.prompt
        rows = self._ask(
            f"SELECT place, key, prompt, seed FROM images WHERE {same} = ? AND key <> ? "
            "ORDER BY place LIMIT ?", value, image.key, most,
        )  # fmt: skip
        return list(self._listed(rows))

    def at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], ListedImage]:
        """Return the images with these prompts and seeds."""
        if not places:
            return {}
        wanted = ", ".join("(?, ?)" for _ in places)
        rows = self._ask(
            "SELECT place, key, prompt, seed FROM images "
            f"WHERE (prompt, seed) IN (VALUES {wanted})",
            *(value for one in places for value in one),
        )
        return {(one.prompt, one.seed): one for one in self._listed(rows)}

    def prompts(self) -> set[str]:
        """Return the prompts that have images."""
        return {text for (text,) in self._ask("SELECT DISTINCT prompt FROM images")}

    def correct(self, key: str, axis: str, label: str) -> None:
        """Show a label that was corrected by hand."""
        self.wait_for_labels()
        with self._turn:
            self._put(key, axis, label)

    def _put(self, key: str, axis: str, label: str) -> None:
        found = self._database.execute("SELECT place FROM images WHERE key = ?", [key]).fetchone()
        if found is None:
            return
        place: int = found[0]
        # Axes of one name that differ between studies are told apart by the study's name.
        here = "FROM labels WHERE place = ? AND (axis = ? OR starts_with(axis, ? || ' ('))"
        about = [place, axis, axis]
        self._database.execute(f"DELETE {here} AND measurer = ?", [*about, BY_HAND])
        named = self._database.execute(f"SELECT DISTINCT axis {here}", about).fetchall()
        for (title,) in named or [(axis,)]:
            self._database.execute(
                "INSERT INTO labels VALUES (?, ?, ?, ?, NULL, NULL, NULL)",
                [place, title, BY_HAND, label],
            )

    def _chosen(self, asked: ImageFilter) -> Condition:
        """Return the query for the images that meet a filter."""
        images, labels = asked.on_images(), asked.on_labels()
        if asked.is_about_labels:
            self.wait_for_labels(PATIENCE_S)
        if labels is None and asked.order != "certainty":
            return Condition(f"SELECT * FROM images WHERE {images.sql}", images.values)
        kept = Condition("true") if labels is None else labels
        how = "LEFT JOIN" if labels is None else "JOIN"
        least = (
            "SELECT place, min(probability) AS certainty FROM labels "
            f"WHERE {kept.sql} GROUP BY place"
        )
        return Condition(
            f"SELECT images.*, certainty FROM images {how} ({least}) USING (place) "
            f"WHERE {images.sql}",
            (*kept.values, *images.values),
        )

    def _listed(self, rows: Sequence[tuple[Any, ...]]) -> Iterator[ListedImage]:
        labels: dict[int, list[ShownLabel]] = {place: [] for place, *_ in rows}
        marks = ", ".join("?" for _ in labels) or "NULL"
        said = self._ask(
            "SELECT place, axis, measurer, label, probability, raters, agreeing FROM labels "
            f"WHERE place IN ({marks}) ORDER BY axis, measurer", *labels,
        )  # fmt: skip
        for place, *one in said:
            labels[place].append(ShownLabel(*one))
        for place, key, prompt, seed in rows:
            yield ListedImage(key, prompt, seed, labels[place])

    def _ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._turn:  # a connection runs one query at a time
            return self._database.execute(sql, list(values)).fetchall()


def _order(asked: ImageFilter) -> str:
    return {"seed": "seed, place", "certainty": "certainty NULLS LAST, place"}.get(
        asked.order, "place"
    )
