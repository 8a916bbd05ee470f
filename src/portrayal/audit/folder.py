"""The audit folder: everything one model made, what was measured in it, and what was found.

    audit.json                          format version, generator identity, package versions
    images/part-*.parquet               one row a request: key, prompt, seed, status, image bytes
    measurements/<name>-<identity>/     one row an image: what a measurer saw, or why not
    texts/<name>-<identity>/            one row a text: its embedding under an encoder
    studies/<name>.json                 the studies asked of this audit, as they were asked
    results.json, report/index.html     what was found

Readers need nothing of ours: pandas, polars, DuckDB and `datasets` open the parts as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit import parts
from portrayal.audit.header import Header
from portrayal.audit.tables import (
    IMAGES,
    TEXTS,
    ColumnType,
    check_widths,
    images_table,
    measurement_schema,
    measurements_table,
)
from portrayal.errors import AuditError
from portrayal.records import Identity, ImageRecord, Measurement, digest

_PLAIN = frozenset({"image", "embedding"})
# A failed image may be made again later, so a better row for the same key wins.
_BEST_FIRST = "CASE status WHEN 'ok' THEN 0 WHEN 'refused' THEN 1 ELSE 2 END"


class Audit:
    """An audit folder that exists.

    Open one with `Audit(path)`, make or continue one with `Audit.at(path, generator)`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.header = Header.read(self.path)
        self._database = duckdb.connect()
        self._database.execute("SET enable_progress_bar = false")

    @classmethod
    def at(cls, path: str | os.PathLike[str], generator: Identity) -> Audit:
        """Open the audit at `path`, making it first where there is none.

        Raises:
            AuditError: The folder is an audit of another generator.
        """
        Header.create(Path(path), generator)
        audit = cls(path)
        audit.header.require(generator, audit.path)
        return audit

    @property
    def generator(self) -> Identity:
        """The identity of the generator whose images these are."""
        return self.header.generator

    # --- images ------------------------------------------------------------------------------

    def images(self, *, with_bytes: bool = False) -> duckdb.DuckDBPyRelation:
        """Return one row per image as a DuckDB relation (`.df()`, `.pl()`, `.arrow()`).

        Args:
            with_bytes: Also return the column `image` with the encoded bytes.
        """
        relation = self._rows(self.path / "images", IMAGES, f"prompt, seed ORDER BY {_BEST_FIRST}")
        return relation if with_bytes else relation.select("* EXCLUDE (image)")

    def append_images(self, records: Sequence[ImageRecord], *, again: bool = False) -> int:
        """Store image records as one part; return how many were new.

        Args:
            records: What a generator answered.
            again: Also store records whose request already failed (a second try).
        """
        if not records:
            return 0
        folder = self.path / "images"
        with parts.appending(folder):
            present = self._present([record.prompt for record in records], failed_counts=not again)
            fresh = {(r.prompt, r.seed): r for r in records if (r.prompt, r.seed) not in present}
            if fresh:
                table = images_table(self.generator, list(fresh.values()))
                parts.write_part(folder, table, plain_columns=_PLAIN)
        return len(fresh)

    def missing(self, wanted: Iterable[tuple[str, int]], *, retry_failed: bool = False) -> pa.Table:
        """Return wanted minus present: a table of `prompt` and `seed`, in the order wanted.

        Args:
            wanted: Prompt texts, each with the number of images wanted (seeds 0 ... n-1).
            retry_failed: Count images that failed before as missing.
        """
        pairs = list(wanted)
        table = pa.table(
            {
                "place": pa.array(range(len(pairs)), pa.int64()),
                "prompt": pa.array([prompt for prompt, _ in pairs], pa.string()),
                "n": pa.array([n for _, n in pairs], pa.int64()),
            }
        )
        relation = self._parts_relation(self.path / "images", IMAGES)
        present = relation.filter("status <> 'failed'") if retry_failed else relation
        with self._reading(self.path / "images"):
            return _missing(self._database, table, present.select("prompt, seed"))

    def read_images(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the encoded bytes of the images with these keys (those that are ok)."""
        if not keys:
            return {}
        wanted = pa.table({"wanted_key": pa.array(list(keys), pa.string())})
        with self._reading(self.path / "images"):
            rows = (
                self._database.from_arrow(wanted)
                .set_alias("wanted")
                .join(self.images(with_bytes=True).set_alias("i"), "wanted.wanted_key = i.key")
                .filter("status = 'ok'")
                .select("key, image.bytes")
                .fetchall()
            )
        return {key: data for key, data in rows}

    def unmeasured_images(
        self, measurer: Identity, *, prompts: Iterable[str] | None = None, batch: int = 64
    ) -> Iterator[list[tuple[str, bytes]]]:
        """Yield batches of (key, encoded bytes) that a measurer has not seen yet.

        Parts are read one at a time and their digests checked, so an altered picture is never
        measured.
        """
        seen = {row[0] for row in self.measurements(measurer).select("key").fetchall()}
        wanted = None if prompts is None else set(prompts)
        pending: list[tuple[str, bytes]] = []
        for path in parts.part_paths(self.path / "images"):
            keys = pq.read_table(path, columns=["key", "prompt", "status"]).to_pylist()
            if all(row["key"] in seen or row["status"] != "ok" for row in keys):
                continue
            parts.check_digest(path)
            for chunk in pq.ParquetFile(path).iter_batches(
                batch, columns=["key", "prompt", "status", "image"]
            ):
                for row in chunk.to_pylist():
                    if row["status"] != "ok" or row["key"] in seen:
                        continue
                    if wanted is not None and row["prompt"] not in wanted:
                        continue
                    seen.add(row["key"])
                    pending.append((row["key"], row["image"]["bytes"]))
                    if len(pending) == batch:
                        yield pending
                        pending = []
        if pending:
            yield pending

    # --- measurements ------------------------------------------------------------------------

    def measurers(self) -> list[Identity]:
        """Return the identities of all measurers that have seen images of this audit."""
        files = sorted((self.path / "measurements").glob("*/identity.json"))
        return [Identity.from_dict(json.loads(f.read_text(encoding="utf-8"))) for f in files]

    def measurements(self, measurer: Identity | str | None = None) -> duckdb.DuckDBPyRelation:
        """Return one row per image of one measurer as a DuckDB relation.

        Args:
            measurer: An identity, or a measurer's name where only one of that name is here. None
                where the audit has just one measurer.
        """
        identity = measurer if isinstance(measurer, Identity) else self.measurer(measurer)
        folder = self._measurements_folder(identity)
        return self._rows(folder, self._measurement_schema(folder), "key")

    def measurer(self, name: str | None = None) -> Identity:
        """Return the identity of the measurer with this name (or the only one)."""
        known = self.measurers()
        found = [one for one in known if name is None or name in (one.name, one.kind)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(f"{one.kind} {one.name}" for one in known) or "none yet"
        asked = f"measurer {name!r}" if name else "which measurer"
        raise AuditError(
            f"{self.path}: {asked}: {len(found)} match; here are: {names}; "
            "run `portrayal measure` or name one"
        )

    def append_measurements(
        self,
        measurer: Identity,
        columns: Mapping[str, ColumnType],
        measurements: Sequence[Measurement],
    ) -> int:
        """Store measurements as one part; return how many were new."""
        if not measurements:
            return 0
        folder = self._measurements_folder(measurer)
        self._remember_measurer(folder, measurer, columns)
        with parts.appending(folder):
            present = {row[0] for row in self.measurements(measurer).select("key").fetchall()}
            fresh = {m.key: m for m in measurements if m.key not in present}
            if fresh:
                table = measurements_table(columns, list(fresh.values()))
                for name, kind in columns.items():
                    if kind == "vector":
                        check_widths(table[name], str(folder), expected=self._width(folder, name))
                parts.write_part(folder, table, plain_columns=_PLAIN)
        return len(fresh)

    def embeddings(
        self, measurer: Identity, prompts: Iterable[str] | None = None
    ) -> tuple[list[str], npt.NDArray[np.float32]]:
        """Return the keys and the embedding matrix of the images of some prompts, in key order."""
        relation = self.measurements(measurer).filter("embedding IS NOT NULL").select(
            "key, embedding"
        )
        if prompts is not None:
            table = pa.table({"prompt": pa.array(sorted(set(prompts)), pa.string())})
            chosen = self.images().set_alias("i").join(
                self._database.from_arrow(table).set_alias("p"), "i.prompt = p.prompt"
            )
            relation = relation.set_alias("m").join(
                chosen.select("i.key AS image_key"), "m.key = image_key"
            )
        with self._reading(self._measurements_folder(measurer)):
            rows = relation.select("key, embedding").order("key").to_arrow_table()
        return rows["key"].to_pylist(), matrix(rows["embedding"])

    # --- texts -------------------------------------------------------------------------------

    def texts(self, encoder: Identity) -> duckdb.DuckDBPyRelation:
        """Return the texts that an encoder has embedded for this audit."""
        return self._rows(self._texts_folder(encoder), TEXTS, "key")

    def missing_texts(self, encoder: Identity, texts: Iterable[str]) -> list[str]:
        """Return the texts, without repeats, that have no embedding yet."""
        present = {row[0] for row in self.texts(encoder).select("text").fetchall()}
        return [text for text in dict.fromkeys(texts) if text not in present]

    def append_texts(
        self,
        encoder: Identity,
        texts: Sequence[str],
        embeddings: npt.NDArray[np.floating[Any]],
        *,
        tokens: Sequence[int],
        truncated: Sequence[bool],
    ) -> None:
        """Store the embeddings of texts as one part."""
        if not texts:
            return
        table = pa.table(
            {
                "key": [digest(text, length=32) for text in texts],
                "text": list(texts),
                "embedding": [np.asarray(row, dtype=np.float32) for row in embeddings],
                "tokens": list(tokens),
                "truncated": list(truncated),
            },
            schema=TEXTS,
        )
        folder = self._texts_folder(encoder)
        with parts.appending(folder):
            parts.write_part(folder, table, plain_columns=_PLAIN)

    def text_embeddings(self, encoder: Identity, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one embedding per text, in the order asked for.

        Raises:
            AuditError: A text has not been embedded; `portrayal measure` does so.
        """
        with self._reading(self._texts_folder(encoder)):
            rows = self.texts(encoder).select("text, embedding").to_arrow_table()
        place = {text: i for i, text in enumerate(rows["text"].to_pylist())}
        absent = [text for text in texts if text not in place]
        if absent:
            raise AuditError(
                f"{self.path}: the encoder {encoder.name} has not read {absent[0]!r}"
                f"{f' and {len(absent) - 1} more' if len(absent) > 1 else ''}; "
                "run `portrayal measure` first"
            )
        return matrix(rows["embedding"])[[place[text] for text in texts]]

    # --- studies and results -----------------------------------------------------------------

    def studies(self) -> dict[str, dict[str, Any]]:
        """Return the studies that were asked of this audit, by name."""
        files = sorted((self.path / "studies").glob("*.json"))
        return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}

    def remember_study(self, name: str, study: Mapping[str, Any]) -> None:
        """Keep a study with the audit, so that later verbs need not be told again."""
        text = json.dumps(study, indent=1, ensure_ascii=False)
        file = self.path / "studies" / f"{name}.json"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            parts.write_text(file, text)

    def write_results(self, results: Mapping[str, Any]) -> Path:
        """Replace results.json."""
        text = json.dumps(results, indent=1, ensure_ascii=False, allow_nan=False)
        parts.write_text(self.path / "results.json", text + "\n")
        return self.path / "results.json"

    def results(self) -> dict[str, Any]:
        """Return results.json.

        Raises:
            AuditError: Nothing has been analyzed yet.
        """
        file = self.path / "results.json"
        if not file.exists():
            raise AuditError(f"{self.path}: no results.json yet; run: portrayal analyze {self.path}")
        loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return loaded

    def findings(self) -> duckdb.DuckDBPyRelation:
        """Return the findings of the last analysis, one a row."""
        rows = [
            {key: value for key, value in finding.items() if key != "details"}
            for finding in self.results()["findings"]
        ]
        return self._database.from_arrow(pa.Table.from_pylist(rows, schema=_FINDINGS))

    def write_report(self, html: str) -> Path:
        """Replace report/index.html."""
        parts.write_text(self.path / "report" / "index.html", html)
        return self.path / "report" / "index.html"

    # --- inside ------------------------------------------------------------------------------

    def _measurements_folder(self, measurer: Identity) -> Path:
        return self.path / "measurements" / _folder_name(measurer)

    def _texts_folder(self, encoder: Identity) -> Path:
        return self.path / "texts" / _folder_name(encoder)

    def _remember_measurer(
        self, folder: Path, measurer: Identity, columns: Mapping[str, ColumnType]
    ) -> None:
        if not (folder / "identity.json").exists():
            identity = {**measurer.as_dict(), "columns": dict(columns)}
            parts.write_text(
                folder / "identity.json", json.dumps(identity, indent=1, ensure_ascii=False)
            )

    def _measurement_schema(self, folder: Path) -> pa.Schema:
        file = folder / "identity.json"
        if not file.exists():
            return measurement_schema({"embedding": "vector"})
        return measurement_schema(json.loads(file.read_text(encoding="utf-8"))["columns"])

    def _width(self, folder: Path, column: str) -> int | None:
        paths = parts.part_paths(folder)
        if not paths:
            return None
        return check_widths(pq.read_table(paths[0], columns=[column])[column], str(folder))

    def _present(self, prompts: Sequence[str], *, failed_counts: bool) -> set[tuple[str, int]]:
        relation = self._parts_relation(self.path / "images", IMAGES)
        if not failed_counts:
            relation = relation.filter("status <> 'failed'")
        table = pa.table({"wanted": pa.array(sorted(set(prompts)), pa.string())})
        with self._reading(self.path / "images"):
            rows = (
                relation.set_alias("i")
                .join(self._database.from_arrow(table).set_alias("w"), "i.prompt = w.wanted")
                .select("prompt, seed")
                .fetchall()
            )
        return set(rows)

    def _rows(self, folder: Path, schema: pa.Schema, unique: str) -> duckdb.DuckDBPyRelation:
        """Return the rows of a folder's parts, each key once.

        Two writers on a file system without locks may have stored a row twice. The first column of
        `unique` counts; the rest says which row is kept.
        """
        relation = self._parts_relation(folder, schema)
        with self._reading(folder):
            counts = relation.aggregate("count(*), count(DISTINCT key)").fetchall()[0]
        if counts[0] == counts[1]:
            return relation
        order = "" if "ORDER BY" in unique else " ORDER BY key"
        return relation.query(
            "rows", f"SELECT * FROM rows QUALIFY row_number() OVER (PARTITION BY {unique}{order}) = 1"
        )

    def _parts_relation(self, folder: Path, schema: pa.Schema) -> duckdb.DuckDBPyRelation:
        paths = [str(path) for path in parts.part_paths(folder)]
        if not paths:
            return self._database.from_arrow(schema.empty_table())
        with self._reading(folder):
            return self._database.read_parquet(paths)

    def _reading(self, folder: Path) -> _Reading:
        return _Reading(folder)


class _Reading:
    """Turn DuckDB's complaint about a part into the name of the damaged one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, duckdb.Error):
            for path in parts.part_paths(self._folder):
                parts.check_footer(path)
                parts.check_digest(path)


_FINDINGS = pa.schema(
    [
        ("study", pa.string()),
        ("question", pa.string()),
        ("statistic", pa.string()),
        ("estimate", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("p", pa.float64()),
        ("q", pa.float64()),
        ("n", pa.int64()),
        ("n_missing", pa.int64()),
        ("unit", pa.string()),
        ("sentence", pa.string()),
    ]
)


def _folder_name(identity: Identity) -> str:
    safe = "".join(c if c.isalnum() or c in "._" else "-" for c in identity.kind)
    return f"{safe}-{identity.digest}"


def matrix(column: pa.ChunkedArray) -> npt.NDArray[np.float32]:
    """Return a column of equally long vectors as one matrix, without a Python loop."""
    rows = column.combine_chunks()
    values = rows.flatten().to_numpy(zero_copy_only=False)
    width = len(values) // len(rows) if len(rows) else 0
    return np.asarray(values, dtype=np.float32).reshape(len(rows), width)


def _missing(
    database: duckdb.DuckDBPyConnection, wanted: pa.Table, present: duckdb.DuckDBPyRelation
) -> pa.Table:
    grid = database.from_arrow(wanted).query(
        "wanted",
        # The same prompt may be wanted twice with different counts: the larger one holds.
        "SELECT min(place) AS place, prompt, max(n) AS n FROM wanted GROUP BY prompt",
    ).query("grid", "SELECT place, prompt, unnest(range(n)) AS seed FROM grid")
    absent = grid.set_alias("g").join(
        present.set_alias("p"), "g.prompt = p.prompt AND g.seed = p.seed", how="anti"
    )
    return absent.order("place, seed").select("prompt, seed").to_arrow_table()
