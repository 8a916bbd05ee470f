"""DuckDB relations over what an audit contains, one connection for each thread."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from portrayal.audit.locations import object_path


class Queries:
    """Makes relations. Those made in one thread can be joined with each other.

    A DuckDB connection runs one query at a time, so each thread gets its own.
    """

    def __init__(self) -> None:
        self._own = threading.local()

    def table(self, table: pa.Table) -> duckdb.DuckDBPyRelation:
        """Return a relation over a table in memory."""
        return self._connection().from_arrow(table)

    def parts(
        self, doubled: Mapping[Path, npt.NDArray[np.intp]], schema: pa.Schema
    ) -> duckdb.DuckDBPyRelation:
        """Return a relation that reads parts when it is used, without their doubled rows.

        Args:
            doubled: For every part the row numbers to leave out.
            schema: The columns of a part.
        """
        if not doubled:
            return self.table(schema.empty_table())
        self._reach(next(iter(doubled)))
        relation = self._connection().read_parquet(
            [_literal(path) for path in doubled],
            filename=True,
            file_row_number=True,
            hive_partitioning=False,  # a folder called `a=b` is no column
            union_by_name=True,  # parts of an earlier version lack columns
        )
        names = [path.name for path, rows in doubled.items() for _ in rows]
        if names:
            # Joined against the few rows to drop, so the images stream through untouched.
            numbers = np.concatenate(list(doubled.values()))
            extra = self.table(
                pa.table({"part": names, "file_row_number": pa.array(numbers, pa.int64())})
            )
            # By the last name alone: of a URL, DuckDB does not give back the rest as it was.
            named = relation.select("*, parse_filename(filename, false, 'both_slash') AS part")
            relation = named.join(extra, "part, file_row_number", how="anti")
        return relation.select(
            ", ".join(
                name if name in relation.columns else f"NULL::VARCHAR AS {name}"
                for name in schema.names
            )
        )

    def _reach(self, path: Path) -> None:
        """Let DuckDB read from the object store that a part is in, if it is in one."""
        stored = object_path(path)
        connection = self._connection()
        if stored is not None:
            protocols = stored.store.protocol
            names = [protocols] if isinstance(protocols, str) else protocols
            if not set(names) & set(connection.list_filesystems()):
                connection.register_filesystem(stored.store)

    def _connection(self) -> duckdb.DuckDBPyConnection:
        if not hasattr(self._own, "connection"):
            self._own.connection = duckdb.connect()
            _without_progress_bar(self._own.connection)
        connection: duckdb.DuckDBPyConnection = self._own.connection
        return connection


def _without_progress_bar(connection: duckdb.DuckDBPyConnection) -> None:
    """Switch DuckDB's progress bar off where it is on.

    In a notebook without ipywidgets it is off, and DuckDB refuses to have it set at all.
    """
    if connection.sql("SELECT current_setting('enable_progress_bar')").fetchall() == [(True,)]:
        connection.execute("SET enable_progress_bar = false")


def _literal(path: Path) -> str:
    """Return a path in which DuckDB sees no pattern, whatever the audit's folder is called."""
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in str(path))
