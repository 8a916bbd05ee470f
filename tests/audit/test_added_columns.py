"""Parts of an earlier version lack columns that were added since: they are empty there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from portrayal.audit import AuditFolder, compact
from portrayal.records import ImageRecord

RELEASED = Path(__file__).parents[1] / "released" / "0.1" / "audit"
REWRITTEN = "a portrait of a cheerful nurse"


@pytest.fixture
def old(tmp_path: Path) -> AuditFolder:
    shutil.copytree(RELEASED, tmp_path / "audit")
    return AuditFolder(tmp_path / "audit")


def added(audit: AuditFolder) -> AuditFolder:
    audit.append_images(
        [ImageRecord("a nurse", 1, "ok", None, b"bytes", 8, 8, revised_prompt=REWRITTEN)]
    )
    return audit


@pytest.mark.parametrize("with_bytes", [False, True])
def test_an_old_audit_has_no_rewritten_prompts(old: AuditFolder, with_bytes: bool) -> None:
    found = old.images(with_bytes=with_bytes).select("key, revised_prompt").fetchall()
    assert len(found) > 10
    assert {revised for _, revised in found} == {None}


@pytest.mark.parametrize("with_bytes", [False, True])
def test_old_and_new_parts_are_read_together(old: AuditFolder, with_bytes: bool) -> None:
    before = len(old.images().fetchall())
    found = added(old).images(with_bytes=with_bytes).select("prompt, revised_prompt").fetchall()
    assert len(found) == before + 1
    assert [row for row in found if row[1] is not None] == [("a nurse", REWRITTEN)]


def test_merging_parts_keeps_the_column(old: AuditFolder) -> None:
    added(old)
    old.append_images([ImageRecord("a nurse", 2, "refused", "policy")])
    compact(old, many=1)
    found = AuditFolder(old.path).images().filter("revised_prompt IS NOT NULL").fetchall()
    assert len(found) == 1
