"""DuckDB relations over what an audit holds, one connection for each thread."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa


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
        relation = self._connection().read_parquet(
            [_literal(path) for path in doubled],
            filename=True,
            file_row_number=True,
            hive_partitioning=False,  # a folder called `a=b` is no column
        )
        names = [str(path) for path, rows in doubled.items() for _ in rows]
        if names:
            # Joined against the few rows to drop, so the pictures stream through untouched.
            numbers = np.concatenate(list(doubled.values()))
            extra = self.table(
                pa.table({"filename": names, "file_row_number": pa.array(numbers, pa.int64())})
            )
            relation = relation.join(extra, "filename, file_row_number", how="anti")
        return relation.select(", ".join(schema.names))

    def _connection(self) -> duckdb.DuckDBPyConnection:
        if not hasattr(self._own, "connection"):
            self._own.connection = duckdb.connect()
            self._own.connection.execute("SET enable_progress_bar = false")
        connection: duckdb.DuckDBPyConnection = self._own.connection
        return connection


def _literal(path: Path) -> str:
    """Return a path in which DuckDB sees no pattern, whatever the audit's folder is called."""
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in str(path))
