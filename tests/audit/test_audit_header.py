"""audit.json: what is an audit and what is not, versions, and whose audit it is."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import audit_samples as samples
import pytest

from portrayal.audit import AuditFolder, header
from portrayal.errors import AuditError, NewerFormat, NotAnAudit
from portrayal.records import Identity


def change_header(audit: AuditFolder, **changes: Any) -> None:
    file = audit.path / "audit.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_a_new_audit_says_format_generator_and_versions(audit: AuditFolder) -> None:
    data = json.loads((audit.path / "audit.json").read_text(encoding="utf-8"))
    assert data["format"] == 1
    assert data["generator"] == samples.GENERATOR.as_dict()
    assert {"numpy", "pyarrow", "duckdb"} <= data["packages"].keys()
    assert AuditFolder(audit.path).generator == samples.GENERATOR


def test_opening_again_changes_nothing(audit: AuditFolder) -> None:
    before = (audit.path / "audit.json").read_bytes()
    AuditFolder.at(audit.path, samples.GENERATOR)
    assert (audit.path / "audit.json").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not readable as an audit header"),
        ("{", "not readable as an audit header"),
        ("[]", "no format version"),
        ('{"format": "1"}', "no format version"),
        ('{"format": true}', "no format version"),
        ('{"format": 0}', "format 0 never existed"),
        ('{"format": -3}', "format -3 never existed"),
        ('{"format": 1}', "KeyError('generator')"),
        ('{"format": 1, "generator": "x", "created": "", "packages": {}}', "not readable"),
        (
            '{"format": 1, "generator": {"kind": "a", "name": "b", "settings": 3}, '
            '"created": "", "packages": {}}',
            "not readable",
        ),
    ],
)
def test_a_damaged_header_is_one_clear_line(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "audit.json").write_text(content)
    with pytest.raises(NotAnAudit, match="restore it from a copy") as caught:
        AuditFolder(tmp_path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "audit.json") in str(caught.value)


def test_a_header_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "audit.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(NotAnAudit, match="not readable"):
        AuditFolder(tmp_path)


def test_no_such_folder_no_audit_and_a_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotAnAudit, match="no such folder"):
        AuditFolder(tmp_path / "nowhere")
    with pytest.raises(NotAnAudit, match=r"it has no audit\.json"):
        AuditFolder(tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(NotAnAudit, match="is a file"):
        AuditFolder.at(file, samples.GENERATOR)
    with pytest.raises(NotAnAudit, match="not an audit"):
        AuditFolder(file)


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(NotAnAudit, match="not empty and not an audit"):
        AuditFolder.at(tmp_path, samples.GENERATOR)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_hidden_files_do_not_make_a_folder_foreign(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").write_text("")
    assert AuditFolder.at(tmp_path, samples.GENERATOR).generator == samples.GENERATOR


def test_a_newer_format_is_refused_and_left_alone(audit: AuditFolder) -> None:
    change_header(audit, format=2)
    before = (audit.path / "audit.json").read_bytes()
    for attempt in (
        lambda: AuditFolder(audit.path),
        lambda: AuditFolder.at(audit.path, samples.GENERATOR),
    ):
        with pytest.raises(NewerFormat, match=r"format 2 is newer .*pip install --upgrade"):
            attempt()
    assert (audit.path / "audit.json").read_bytes() == before


def test_older_formats_are_carried_forward_step_by_step(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []

    def migration(version: int) -> header.Migration:
        def step(folder: Path, data: dict[str, Any]) -> dict[str, Any]:
            taken.append(version)
            # What the step before wrote is on disk: stopping between two steps repeats neither.
            assert json.loads((folder / "audit.json").read_text())["format"] == version
            return {**data, "created": f"{data['created']}+{version}"}

        return step

    change_header(audit, created="x")
    monkeypatch.setattr(header, "FORMAT", 3)
    monkeypatch.setattr(header, "MIGRATIONS", {1: migration(1), 2: migration(2)})
    assert AuditFolder(audit.path).header.created == "x+1+2"
    assert json.loads((audit.path / "audit.json").read_text())["format"] == 3
    assert AuditFolder(audit.path).header.created == "x+1+2"
    assert taken == [1, 2]


def test_another_generator_is_refused_with_all_differences(audit: AuditFolder) -> None:
    other = Identity("practice", "painter", {"size": 128, "steps": 25})
    with pytest.raises(AuditError) as caught:
        AuditFolder.at(audit.path, other)
    said = str(caught.value)
    assert "size is 64 here, got 128" in said
    assert "planted is 'default' here, got None" in said
    assert "steps is None here, got 25" in said
    assert "name" not in said
    assert "\n" not in said


def test_an_audit_without_a_image_may_be_removed_not_taken_over(tmp_path: Path) -> None:
    empty = AuditFolder.at(tmp_path / "a", samples.GENERATOR)
    before = (empty.path / "audit.json").read_bytes()
    other = Identity("practice", "painter", {"size": 128})
    with pytest.raises(AuditError, match="or remove this one, which contains no image yet"):
        AuditFolder.at(empty.path, other)
    assert (empty.path / "audit.json").read_bytes() == before
    empty.append_images([samples.made("a nurse", 0)])
    with pytest.raises(AuditError, match=r"choose another `out`$"):
        AuditFolder.at(empty.path, other)


def create(path: Path) -> str:
    return AuditFolder.at(path, samples.GENERATOR).header.created


def test_many_processes_create_one_audit(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, get_context("spawn")) as pool:
        made = list(pool.map(create, [tmp_path / "audit"] * 8))
    assert len(set(made)) == 1
    assert [path.name for path in (tmp_path / "audit").iterdir()] == ["audit.json"]
