"""Selections: which captions a study compares with, kept with the audit."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from portrayal.audit import AuditFolder
from portrayal.audit.selections import (
    SELECTION,
    Selection,
    read_selection,
    training_audit,
    training_folder,
    write_selection,
)
from portrayal.errors import AuditError
from portrayal.records import Identity

ROW = {
    "occupation": "nurse", "prompt": -1, "rank": 0, "source": 0, "row": 7, "seed": 7, "key": "k",
    "caption": "a nurse\n« at work »", "indicator": "unknown", "similarity": None,
}  # fmt: skip


def selection(*captions: str) -> Selection:
    rows = [{**ROW, "rank": i, "caption": text} for i, text in enumerate(captions)]
    return Selection(pa.Table.from_pylist(rows, schema=SELECTION), {"asked": "x", "matches": {}})


@pytest.fixture
def outer(tmp_path: Path) -> AuditFolder:
    return AuditFolder.at(tmp_path / "audit", Identity("folder", "model"))


def test_what_is_written_is_read_and_replaced(outer: AuditFolder) -> None:
    assert read_selection(outer, "mine") is None
    first = selection(ROW["caption"])
    write_selection(outer, "mine", first)
    found = read_selection(outer, "mine")
    assert found is not None
    assert found.table.equals(first.table)
    assert found.about == first.about
    write_selection(outer, "mine", selection("a", "b"))
    again = read_selection(outer, "mine")
    assert again is not None
    assert again.table["caption"].to_pylist() == ["a", "b"]
    assert [file.name for file in (outer.path / "selections").iterdir()] == ["mine.parquet"]


def test_a_damaged_selection_is_one_line(outer: AuditFolder) -> None:
    write_selection(outer, "mine", selection("a"))
    file = outer.path / "selections" / "mine.parquet"
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(AuditError, match=r"mine.parquet is damaged.*`corpus`") as error:
        read_selection(outer, "mine")
    assert "\n" not in str(error.value)


def test_the_training_side_is_an_audit_of_the_corpus(outer: AuditFolder) -> None:
    assert training_audit(outer) is None
    AuditFolder.at(training_folder(outer), Identity("corpus", "c"))
    inner = training_audit(outer)
    assert inner is not None
    assert inner.generator.name == "c"
    assert outer.generator.name == "model"
