"""Raters' files: plain CSV, Mechanical Turk, Label Studio; and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from portrayal.errors import ImportFileError
from portrayal.raters.inference import inferred_maps
from portrayal.raters.mapping import read_map
from portrayal.raters.reading import read_votes
from portrayal.raters.votes import Votes

MAP = """
format = "csv"
image = "image"
rater = "worker"

[[questions]]
id = "person"
column = "p"
values = { 1 = "yes", 2 = "no" }

[[questions]]
id = "gender"
column = "g"
axis = "perceived gender"
values = { 1 = "man", 2 = "woman", 3 = "unclear" }
cant_judge = ["unclear"]
counts_if = { person = ["yes"] }
"""


def read(tmp_path: Path, text: str, vote_map: str = MAP, *, name: str = "votes.csv") -> Votes:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "MAP.toml").write_text(vote_map, encoding="utf-8")
    return read_votes(tmp_path / name, read_map(tmp_path / "MAP.toml"))


def answers(votes: Votes) -> list[tuple[str, str, dict[str, str]]]:
    return [(vote.image, vote.rater, dict(vote.answers)) for vote in votes.votes]


# --- what is wrong with a map ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('rater = "worker"', ""), "rater is missing"),
        (('format = "csv"', 'format = "excel"'), "format is 'excel'; allowed: csv, mturk"),
        (('column = "p"', 'colum = "p"'), "questions[0].colum is unknown (did you mean column"),
        (('column = "p"', ""), "questions[0] needs column, or columns"),
        (('["unclear"]', '["unlcear"]'), "names the answer 'unlcear' (did you mean unclear?)"),
        (('person = ["yes"]', 'persn = ["yes"]'), "counts_if names 'persn' (did you mean person?)"),
        (('person = ["yes"]', 'person = ["y"]'), "names the answer 'y'"),
        (('rater = "worker"', 'rater = "worker"\n[score]\nby = ["model"]'),
         "score names the factor 'model'; allowed: none, there are no factors"),
    ],
)  # fmt: skip
def test_faults_in_a_map_are_one_line(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    file = tmp_path / "MAP.toml"
    file.write_text(MAP.replace(*change), encoding="utf-8")
    with pytest.raises(ImportFileError) as caught:
        read_map(file)
    assert str(caught.value).startswith("MAP.toml: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --- what is wrong with a file --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "votes.csv: is empty; the first line names the columns"),
        ("image,worker,p,p\na,1,1,1\n", "votes.csv: the column 'p' is there twice"),
        ("image,worker,p\na,1,1\n", "votes.csv, row 2: no column 'g'; there are: image, worker"),
        ("image,wrker,p,g\na,1,1,1\n", "row 2: no column 'worker' (did you mean wrker?)"),
        ("image,worker,p,g\na,1,1,1\nb,1,1,9\n",
         "votes.csv, row 3, column g: '9' is no answer; allowed: 1, 2, 3"),
        ("image,worker,p,g\na,1,1\n", "row 2: has fewer cells than the 4 columns"),
        ("image,worker,p,g\na,1,1,1,1\n", "row 2: has more cells than the 4 columns"),
        ("image,worker,p,g\n,1,1,1\n", "row 2: the image's column is empty"),
        ("image,worker,p,g\na,,1,1\n", "row 2: column worker is empty"),
        ("image,worker,p,g\na,1,1,1\na,1,2,1\n",
         "row 3: rater 1 votes on image 'a' a second time"),
        ("image,worker,p,g\n", "no votes in it (0 rows dropped)"),
    ],
)  # fmt: skip
def test_faults_in_a_file_name_row_and_column(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ImportFileError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "MAP.toml").write_text(MAP, encoding="utf-8")
    vote_map = read_map(tmp_path / "MAP.toml")
    with pytest.raises(ImportFileError, match="no such file"):
        read_votes(tmp_path / "absent.csv", vote_map)
    (tmp_path / "latin.csv").write_bytes("image,worker,p,g\né,1,1,1\n".encode("latin-1"))
    with pytest.raises(ImportFileError, match="not a text file in UTF-8"):
        read_votes(tmp_path / "latin.csv", vote_map)


# --- plain CSV ------------------------------------------------------------------------------------


def test_plain_csv(tmp_path: Path) -> None:
    found = read(tmp_path, '\ufeffimage,worker,p,g\n"a, b",7,1,2\n"a, b",8,2,\n')
    assert answers(found) == [
        ("a, b", "7", {"person": "yes", "gender": "woman"}),
        ("a, b", "8", {"person": "no"}),
    ]
    assert found.questions["gender"].groups == ("man", "woman")
    assert found.questions["gender"].cant_judge == ("unclear",)
    assert found.raters == ("7", "8")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_without_a_map_cells_are_separated_as_spreadsheets_do(tmp_path: Path, mark: str) -> None:
    """Comma, semicolon (many countries' spreadsheets) or tab; empty rows at the end are none."""
    rows = ["image,rater,perceived gender", "a.png,ann,woman", "a.png,bob,man", ",,", ""]
    file = tmp_path / "votes.csv"
    file.write_text("\r\n".join(row.replace(",", mark) for row in rows), encoding="utf-8-sig")
    (found,) = inferred_maps([file])
    votes = read_votes(file, found.map)
    assert [(image, rater) for image, rater, _ in answers(votes)] == [
        ("a.png", "ann"),
        ("a.png", "bob"),
    ]


def test_files_with_other_separators_are_read_together(tmp_path: Path) -> None:
    for name, mark in (("one.csv", ","), ("two.csv", ";")):
        text = f"image,rater,perceived gender\na.png,{name},woman\n".replace(",", mark)
        (tmp_path / name).write_text(text)
    found = inferred_maps([tmp_path / "one.csv", tmp_path / "two.csv"])
    assert [one.map.delimiter for one in found] == [",", ";"]


def test_factors_rows_to_read_and_doubled_votes(tmp_path: Path) -> None:
    vote_map = MAP.replace(
        'rater = "worker"',
        """rater = "worker"
duplicates = "last"
[only]
state = ["ok"]
[factors]
model = "m"
side = { columns = ["m", "s"], values = { "x/1" = "left" }, other = "drop" }
kind = { column = "s", values = { 1 = "one" }, other = "keep" }
""",
    )
    text = (
        "image,worker,p,g,state,m,s\n"
        "a,1,1,1,ok,x,1\n"
        "a,1,2,1,ok,x,1\n"
        "b,1,1,1,bad,x,1\n"
        "c,1,1,1,ok,x,2\n"
    )
    found = read(tmp_path, text, vote_map)
    assert answers(found) == [("a", "1", {"person": "no", "gender": "man"})]
    assert dict(found.images["a"].factors) == {"model": "x", "side": "left", "kind": "one"}
    assert dict(found.dropped) == {
        "a rater's second vote on an image": 1,
        "state is none of: ok": 1,
        "side is not one that the map names": 1,
    }


def test_a_level_that_the_map_does_not_know_is_an_error_by_default(tmp_path: Path) -> None:
    vote_map = MAP + '\n[factors.side]\ncolumns = ["p"]\nvalues = { 2 = "right" }\n'
    with pytest.raises(ImportFileError, match="row 2, column p: '1' is not in values"):
        read(tmp_path, "image,worker,p,g\na,1,1,1\n", vote_map)


def test_an_image_with_two_levels_is_named_too_shortly(tmp_path: Path) -> None:
    vote_map = MAP + '\n[factors]\nmodel = "m"\n'
    with pytest.raises(ImportFileError, match="name the image by more columns"):
        read(tmp_path, "image,worker,p,g,m\na,1,1,1,x\na,2,1,1,y\n", vote_map)


# --- Mechanical Turk ------------------------------------------------------------------------------

MTURK = """
format = "mturk"
image = "Input.key"
rater = "WorkerId"
seed = "Input.seed"

[only]
AssignmentStatus = ["Approved", "Submitted"]

[[questions]]
id = "person"
columns = { yes = "Answer.person.yes", no = "Answer.person.no" }

[[questions]]
id = "skin"
column = "Answer.skin"
values = { light = "light skin", dark = "dark skin" }
"""


def test_mechanical_turk_with_one_column_for_each_answer(tmp_path: Path) -> None:
    text = (
        '"HITId","WorkerId","AssignmentStatus","Input.key","Input.seed",'
        '"Answer.person.yes","Answer.person.no","Answer.skin"\n'
        '"H","A1","Approved","k","4","true","false","dark"\n'
        '"H","A2","Rejected","k","4","true","false","dark"\n'
        '"H","A3","Submitted","k","4","FALSE","TRUE",""\n'
    )
    found = read(tmp_path, text, MTURK)
    assert answers(found) == [
        ("k", "A1", {"person": "yes", "skin": "dark skin"}),
        ("k", "A3", {"person": "no"}),
    ]
    assert found.images["k"].seed == 4
    assert sum(found.dropped.values()) == 1


def test_mechanical_turk_with_answers_as_json(tmp_path: Path) -> None:
    cell = json.dumps([{"person": {"yes": False, "no": True}, "skin": "light"}])
    quoted = cell.replace('"', '""')
    text = (
        "WorkerId,AssignmentStatus,Input.key,Input.seed,Answer.taskAnswers\n"
        f'A1,Approved,k,0,"{quoted}"\n'
    )
    found = read(tmp_path, text, MTURK)
    assert answers(found) == [("k", "A1", {"person": "no", "skin": "light skin"})]


def test_two_ticks_and_strange_cells_are_faults(tmp_path: Path) -> None:
    head = (
        "WorkerId,AssignmentStatus,Input.key,Input.seed,Answer.person.yes,Answer.person.no,"
        "Answer.skin\n"
    )
    for row, message in (
        ("A1,Approved,k,0,true,true,dark", "question person: 2 answers are ticked"),
        ("A1,Approved,k,0,perhaps,true,dark", "column Answer.person.yes: 'perhaps'"),
        ("A1,Approved,k,-1,true,false,dark", "column Input.seed: '-1' is no seed"),
    ):
        with pytest.raises(ImportFileError, match=message):
            read(tmp_path, head + row + "\n", MTURK)


# --- Label Studio ---------------------------------------------------------------------------------

LABEL_STUDIO = """
format = "labelstudio"
image = "key"
rater = "completed_by"
prompt = "prompt"

[[questions]]
id = "person"
column = "person"
values = { Yes = "yes", No = "no" }

[[questions]]
id = "comment"
column = "comment"
"""


def annotation(by: Any, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"completed_by": by, "result": list(results), **more}


def choice(name: str, *choices: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "image", "type": "choices",
            "value": {"choices": list(choices)}}  # fmt: skip


def test_label_studio(tmp_path: Path) -> None:
    comment = {"from_name": "comment", "to_name": "image", "type": "textarea",
               "value": {"text": ["two hands", "blurred"]}}  # fmt: skip
    tasks = [
        {"id": 11, "data": {"key": "k1", "prompt": "a nurse"}, "annotations": [
            annotation(3, choice("person", "Yes"), comment),
            annotation({"id": 4, "email": "x@y.example"}, choice("person", "No")),
            annotation(5, choice("person", "No"), was_cancelled=True),
        ]},
        {"id": 12, "data": {"key": "k2", "prompt": "a nurse"}, "annotations": []},
    ]  # fmt: skip
    found = read(tmp_path, json.dumps(tasks), LABEL_STUDIO, name="export.json")
    assert answers(found) == [
        ("k1", "3", {"person": "yes", "comment": "two hands blurred"}),
        ("k1", "4", {"person": "no"}),
    ]
    assert found.images["k1"].prompt == "a nurse"


def test_label_studios_short_export(tmp_path: Path) -> None:
    vote_map = LABEL_STUDIO.replace("completed_by", "annotator")
    rows = [{"key": "k1", "prompt": "", "annotator": 1, "person": "Yes", "annotation_id": 7}]
    found = read(tmp_path, json.dumps(rows), vote_map, name="min.json")
    assert answers(found) == [("k1", "1", {"person": "yes"})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ("{}", "not a list of tasks"),
        ("[3]", "task 1: not an object"),
        (json.dumps([{"data": {"key": "k", "prompt": ""}, "annotations": [
            annotation(1, choice("person", "Maybe"))]}]),
         "export.json, task 1, annotation 1, column person: 'Maybe' is no answer"),
        (json.dumps([{"data": {"key": "k", "prompt": ""}, "annotations": [
            annotation(1, choice("person", "Yes", "No"))]}]), "column person: 2 choices"),
        (json.dumps([{"data": {"key": "k", "prompt": ""}, "annotations": [
            annotation(1, choice("persn", "Yes"))]}]), "no column 'person' (did you mean persn?)"),
        (json.dumps([{"data": {"key": "k"}, "annotations": [annotation(1, {"type": "choices"})]}]),
         "a result without 'from_name'"),
    ],
)  # fmt: skip
def test_faults_in_label_studios_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ImportFileError) as caught:
        read(tmp_path, text, LABEL_STUDIO, name="export.json")
    assert message in str(caught.value)


def test_groups_and_answers_must_cover_each_other(tmp_path: Path) -> None:
    file = tmp_path / "MAP.toml"
    for line, message in (
        ('groups = ["man"]', "has the answer 'woman', which is in neither groups nor cant_judge"),
        ('groups = ["man", "woman", "unclear"]', "names an answer twice"),
    ):
        file.write_text(MAP.replace('column = "g"', f'column = "g"\n{line}'), encoding="utf-8")
        with pytest.raises(ImportFileError, match=message):
            read_map(file)
    file.write_text(MAP.replace('column = "g"', 'column = "g"\ngroups = ["woman", "man"]'))
    assert read_map(file).questions("MAP.toml")["gender"].groups == ("woman", "man")
