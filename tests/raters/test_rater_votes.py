"""Votes into an audit, tasks out of it, and back again."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from portrayal import raters
from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, ImportFileError
from portrayal.raters.mapping import read_map
from portrayal.records import Identity, ImageRecord

EVIL = "x\" <b>&'</script>"
MAP = """
image = "file"
rater = "who"
prompt = "prompt"
seed = "seed"

[[questions]]
id = "gender"
column = "g"
axis = "perceived gender"
groups = ["man", "woman"]
cant_judge = ["?"]
"""


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    found = AuditFolder.at(tmp_path / "audit", Identity("test", "painter", {}))
    records = []
    for i, attribute in enumerate(["nurse", EVIL]):
        for seed in range(3):
            written = io.BytesIO()
            Image.new("RGB", (8, 8), (i * 90, seed * 60, 9)).save(written, "PNG")
            records.append(
                ImageRecord(
                    f"a photo of {attribute}", seed, "ok", data=written.getvalue(),
                    factors={"attribute": attribute, "category": "profession"},
                )
            )  # fmt: skip
    records.append(ImageRecord("a photo of nurse", 3, "refused", "policy"))
    found.append_images(records)
    return found


def write(tmp_path: Path, rows: str) -> tuple[Path, Path]:
    file, vote_map = tmp_path / "votes.csv", tmp_path / "map.toml"
    file.write_text("file,who,prompt,seed,g\n" + rows, encoding="utf-8")
    vote_map.write_text(MAP, encoding="utf-8")
    return file, vote_map


# --- import ---------------------------------------------------------------------------------------


def test_images_are_found_by_prompt_and_seed_or_by_key(audit: AuditFolder, tmp_path: Path) -> None:
    wanted = "prompt = 'a photo of nurse' AND seed = 1"
    ((key,),) = audit.images().filter(wanted).select("key").fetchall()
    prompt = "a photo of nurse"
    file, vote_map = write(
        tmp_path, f"one,A2XY,{prompt},0,man\none,B7,{prompt},0,man\n{key},A2XY,,,?\n"
    )
    found = raters.import_votes(audit.path, file, vote_map)
    assert (found.images, found.votes, found.raters, found.new) == (2, 3, 2, 3)
    assert found.sentence() == "3 votes by 2 raters on 2 images: 3 answers stored"
    file.write_text(f"{file.read_text()}one,C9,{prompt},0,woman\n")
    more = raters.import_votes(audit.path, file, vote_map)
    assert more.sentence() == "4 votes by 3 raters on 2 images: 1 answer stored, 3 stored before"
    votes = raters.load_votes(AuditFolder(audit.path))
    said = [[vote.answers["gender"] for vote in mine] for mine in votes.by_image().values()]
    assert sorted(sorted(one) for one in said) == [["?"], ["man", "man", "woman"]]
    assert len(votes.raters) == 3
    assert votes.images[key].factors["category"] == "profession"


def test_names_of_crowd_workers_stay_outside(audit: AuditFolder, tmp_path: Path) -> None:
    file, vote_map = write(tmp_path, "one,WORKER77,a photo of nurse,0,man\n")
    raters.import_votes(audit.path, file, vote_map)
    stored = [path for path in audit.path.rglob("*.parquet") if path.parent.name == "votes"]
    assert stored
    assert not any(b"WORKER77" in path.read_bytes() for path in stored)


def test_one_id_is_one_rater_within_a_group(audit: AuditFolder, tmp_path: Path) -> None:
    file, vote_map = write(tmp_path, "one,1,a photo of nurse,0,man\n")
    raters.import_votes(audit.path, file, vote_map)
    file.write_text(file.read_text().replace(",0,", ",1,"), encoding="utf-8")
    raters.import_votes(audit.path, file, vote_map)
    assert len(raters.load_votes(audit).raters) == 1
    raters.import_votes(audit.path, file, vote_map, group="experts")
    votes = raters.load_votes(audit)
    assert (len(votes.raters), len(votes.votes)) == (2, 3)


def test_an_answer_that_contradicts_an_earlier_one(audit: AuditFolder, tmp_path: Path) -> None:
    """Both are kept; neither counts while nothing says which came later."""
    file, vote_map = write(tmp_path, "one,1,a photo of nurse,0,man\none,2,a photo of nurse,0,man\n")
    raters.import_votes(audit.path, file, vote_map)
    file, vote_map = write(tmp_path, "one,1,a photo of nurse,0,woman\n")
    done = raters.import_votes(audit.path, file, vote_map)
    assert (done.new, done.contradictory) == (1, 1)
    assert (
        "contradictory answers by one rater, without a time, to 1 question about these images"
        in done.sentence()
    )
    votes = raters.load_votes(audit)
    assert [vote.answers for vote in votes.votes] == [{"gender": "man"}]
    assert votes.dropped == {"contradictory answers by one rater": 1}
    assert sorted(audit.votes().select("answer").fetchall()) == [("man",), ("man",), ("woman",)]


def test_the_later_answer_counts_whatever_the_order_of_import(
    audit: AuditFolder, tmp_path: Path
) -> None:
    files = {}
    for name, answer, hour in (("first", "man", 8), ("second", "woman", 9)):
        files[name] = tmp_path / f"{name}.csv"
        files[name].write_text(
            "file,who,prompt,seed,g,t\n"
            f"one,1,a photo of nurse,0,{answer},2026-11-18 0{hour}:00:00\n",
            encoding="utf-8",
        )
    vote_map = tmp_path / "map.toml"
    vote_map.write_text('time = "t"\n' + MAP, encoding="utf-8")
    for name in ("second", "first", "second"):
        done = raters.import_votes(audit.path, files[name], vote_map)
        assert done.contradictory == 0
    found = raters.checked_labels(audit, "perceived gender")
    assert found.labels == ("woman",)
    assert found.n_raters.tolist() == [1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "one,1,a photo of a cat,0,man\n",
            "image 'one' (prompt 'a photo of a cat', seed 0) is not",
        ),
        ("one,1,a photo of nurse,3,man\n", "seed 3) was refused: it has no image"),
        ("one,1,a photo of nurse,0,man\ntwo,1,a photo of nurse,0,man\n", "two images of the file"),
    ],
)
def test_an_image_that_is_not_in_the_audit(
    audit: AuditFolder, tmp_path: Path, rows: str, message: str
) -> None:
    with pytest.raises(ImportFileError, match=re.escape(message)):
        raters.import_votes(audit.path, *write(tmp_path, rows))
    assert not raters.has_votes(audit)


def test_an_audit_without_votes_says_how_to_get_some(audit: AuditFolder, tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="portrayal annotate"):
        raters.load_votes(audit)
    raters.import_votes(audit.path, *write(tmp_path, "one,1,a photo of nurse,0,man\n"))
    with pytest.raises(AuditError, match="raters were not asked about 'skin tone'"):
        raters.checked_labels(audit, "skin tone")


# --- export and back ------------------------------------------------------------------------------


def test_label_studio_and_back(audit: AuditFolder, tmp_path: Path) -> None:
    out = tmp_path / "tasks"
    found = raters.export_tasks(audit.path, out, format="labelstudio")
    assert found.tasks == 6
    assert found.note.startswith(f"Label Studio must be served the images: serve {out} on")
    tasks = json.loads((out / "tasks.json").read_text(encoding="utf-8"))
    for task in tasks:
        with Image.open(out / task["data"]["image"]) as image:
            assert image.size == (8, 8)
    config = ElementTree.parse(out / "config.xml")
    names = [one.get("name") for one in config.iter("Choices")]
    assert names == ["person", "attribute", "gender", "skin"]
    alias = {one.get("value"): one.get("alias") for one in config.iter("Choice")}
    assert alias["Masculine"] == "man"
    export = [
        {**task, "annotations": [_annotated(rater, gender) for rater, gender in
                                 ((1, "man"), (2, "man"), (3, "woman"))]}
        for task in tasks
    ]  # fmt: skip
    (tmp_path / "export.json").write_text(json.dumps(export), encoding="utf-8")
    raters.import_votes(audit.path, tmp_path / "export.json", out / "map.toml")
    found = raters.checked_labels(AuditFolder(audit.path), "perceived gender")
    assert found.labels == ("man",) * 6
    assert found.n_raters.tolist() == [3] * 6
    assert sum(one.first == one.second for one in found.twice) == 6
    assert len(found.twice) == 18
    scored = raters.score_file(tmp_path / "export.json", out / "map.toml")
    assert scored["scores"][0]["group"] == {"category": "profession"}
    assert [each["attribute"] for each in scored["scores"][0]["attributes"]] == ["nurse", EVIL]


def _annotated(rater: int, gender: str) -> dict[str, Any]:
    given = {"person": "yes", "attribute": "yes", "gender": gender, "skin": "dark skin"}
    return {
        "completed_by": rater,
        "result": [
            {"from_name": name, "type": "choices", "value": {"choices": [key]}}
            for name, key in given.items()
        ],
    }


def test_mechanical_turk_and_back(audit: AuditFolder, tmp_path: Path) -> None:
    out = tmp_path / "tasks"
    alone = raters.export_tasks(audit.path, out, format="mturk")
    assert alone.note.startswith("Mechanical Turk cannot show these images")
    assert "\n" not in alone.note
    found = raters.export_tasks(audit.path, out, format="mturk", url="https://images.example/x")
    assert found.note == ""
    with (out / "tasks.csv").open(encoding="utf-8", newline="") as file:
        tasks = list(csv.DictReader(file))
    assert tasks[0]["image"].startswith("https://images.example/x/images/")
    assert all(re.fullmatch(r"\w+", name) for name in tasks[0])  # what the platform allows
    assert "<" not in "".join(task["attribute_html"] for task in tasks)
    template = (out / "template.html").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+)\}", template)) <= set(tasks[0])
    keys = read_map(out / "map.toml").questions("map")["gender"].keys
    assert all(f'name="gender" value="{key}"' in template for key in keys)
    rows = [
        {**{f"Input.{name}": cell for name, cell in task.items()},
         "WorkerId": worker, "AssignmentStatus": "Submitted",
         "Answer.taskAnswers": json.dumps([_form("woman")])}
        for task in tasks for worker in ("A", "B")
    ]  # fmt: skip
    with (tmp_path / "batch.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    raters.import_votes(audit.path, tmp_path / "batch.csv", out / "map.toml")
    found = raters.checked_labels(AuditFolder(audit.path), "perceived gender", rule="unanimous")
    assert found.labels == ("woman",) * 6


def _form(gender: str) -> dict[str, Any]:
    ticks = {"person": "yes", "attribute": "yes", "gender": gender, "skin": "dark skin"}
    keys = {
        "person": ["yes", "no"], "attribute": ["yes", "no"],
        "gender": ["man", "woman", "poor quality", "both visible"],
        "skin": ["light skin", "dark skin", "poor quality", "both visible"],
    }  # fmt: skip
    found: dict[str, Any] = {
        name: {key: key == ticks[name] for key in options} for name, options in keys.items()
    }
    return found | {"comment": "fine"}


def test_exports_that_cannot_be(audit: AuditFolder, tmp_path: Path) -> None:
    with pytest.raises(ImportFileError, match="task format is 'excel'; allowed: labelstudio"):
        raters.export_tasks(audit.path, tmp_path / "x", format="excel")  # type: ignore[arg-type]
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ImportFileError, match="cannot write there"):
        raters.export_tasks(audit.path, tmp_path / "file")
    empty = AuditFolder.at(tmp_path / "empty", Identity("test", "none", {}))
    with pytest.raises(AuditError, match="no images to rate"):
        raters.export_tasks(empty.path, tmp_path / "y")
