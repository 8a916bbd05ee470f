"""Every fault of a study file is one line that names file, key, what was got, what is allowed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from portrayal.errors import StudyError
from portrayal.studies.axes import default_axes
from portrayal.studies.reading import (
    builtin_names,
    builtin_studies,
    load_studies,
    load_study,
    starter_text,
    study_from_dict,
    study_from_toml,
)

ASSOCIATION = """
kind = "association"
x = ["rose", "tulip"]
y = ["ant", "bee"]
a = ["love"]
b = ["death"]
"""
COMPOSITION = """
kind = "composition"
axes = ["perceived gender"]
template = "a photo of {a job}"
[factors]
job = ["nurse", "engineer"]
"""


def fault(text: str) -> str:
    with pytest.raises(StudyError) as caught:
        study_from_toml(text, source="jobs.toml", name="jobs")
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_unknown_keys_name_what_is_allowed() -> None:
    message = fault("tempalte = 'x'\n" + ASSOCIATION)
    assert message.startswith(
        "jobs.toml: tempalte is unknown (did you mean template?); allowed: name, kind, title"
    )
    assert fault("images_per_prompt = 3\nzzz = 1\n" + ASSOCIATION).endswith("(and 1 more)")


def test_the_line_of_the_style_guide() -> None:
    prompts = "".join(
        f'[[prompts]]\ntext = "prompt {i}"\nfactors = {{ occupation = "a", template = "t" }}\n'
        for i in range(3)
    )
    text = 'kind = "composition"\naxes = ["perceived gender"]\n' + prompts
    text += '[[prompts]]\ntext = "prompt 3"\nfactors = { ocupation = "a", template = "t" }\n'
    assert fault(text) == (
        "jobs.toml: prompts[3].factors.ocupation is unknown (did you mean occupation?); "
        "allowed: occupation, template"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = [", "jobs.toml, line 1: not valid TOML"),
        (
            'kind = "association"\nx = 1\nx = 2',
            "jobs.toml, line 3: not valid TOML: Cannot overwrite",
        ),
        ("", "jobs.toml: kind is missing; allowed: composition, association"),
        (
            'kind = "asociation"',
            "jobs.toml: kind is 'asociation' (did you mean association?); allowed: composition",
        ),
        ('kind = ["association"]', "jobs.toml: kind is ['association']"),
        ("images = 0" + ASSOCIATION, "images is 0; it should be greater than or equal to 1"),
        ('images = "ten"' + ASSOCIATION, "images is 'ten'; it should be a valid integer"),
        ("images = true" + ASSOCIATION, "images is True; it should be a valid integer"),
        ('name = "../x"' + ASSOCIATION, "name is '../x'; allowed: letters, digits"),
        (
            'pairing = "rotate"' + ASSOCIATION,
            "pairing is 'rotate' (did you mean rotation?); allowed: rotation, cross",
        ),
        (ASSOCIATION.replace('"rose", ', '"rose", "Rose", '), "x has 'Rose' twice"),
        (ASSOCIATION.replace('["rose", "tulip"]', "[]"), "x is []"),
        (ASSOCIATION.replace('"ant"', '""'), "y[0] is ''"),
        (ASSOCIATION.replace('"ant"', "7"), "y[0] is 7; it should be a valid string"),
        (ASSOCIATION.replace('"ant"', '"a\\nb"'), "y[0] is 'a\\nb'; allowed: one line of text"),
        (ASSOCIATION.replace('b = ["death"]', ""), "b is missing; a and b go together"),
        (ASSOCIATION.replace('["death"]', '["love"]'), "attributes has 'love' in both A and B"),
        (ASSOCIATION.replace('"ant"', '"rose"'), "the prompt 'a photo of a rose' on both sides"),
        (
            'template = "a photo of a flower"' + ASSOCIATION,
            "template is 'a photo of a flower'; it lacks the field {stimulus}",
        ),
        (
            'template = "a photo of {stimuli}"' + ASSOCIATION,
            "template has the field {stimuli} (did you mean stimulus?); allowed: stimulus",
        ),
        ('template = "a photo of {stimulus"' + ASSOCIATION, "a brace has no partner"),
        (
            'attach = "substitute"' + ASSOCIATION,
            "template is 'a photo of {a stimulus}'; it lacks the placeholder word 'person'",
        ),
        ('attach = "template"' + ASSOCIATION, "attribute_template is missing"),
        (
            'contrasts = [["X", "Z"]]' + ASSOCIATION,
            "contrasts[0] names 'Z'; allowed: X, Y",
        ),
        ('contrasts = [["X", "X"]]' + ASSOCIATION, "contrasts[0] has"),
        ('concepts = ["a"]' + ASSOCIATION, "concepts and its short form x, y are both given"),
        (
            'kind = "association"\n[concepts]\nrose = { wrds = ["rose"] }\n[attributes]\na=["b"]',
            "concepts.rose.wrds is unknown (did you mean words?); allowed: words, template",
        ),
        (
            'kind = "association"\nconcepts = ["rose"]\n[attributes]\n"very good" = ["b", 1]',
            'attributes."very good"[1] is 1; it should be a valid string',
        ),
        (
            'kind = "association"\nconcepts = ["rose"]\n[attributes]\ngood = ["b"]',
            "attributes has 1 attribute; allowed: two or more",
        ),
        (
            'kind = "association"\nconcepts = []\n[attributes]\na = ["b"]\nc = ["d"]',
            "concepts is {}",
        ),
        ('kind = "composition"\ntemplate = "x"', "axes is missing"),
        ('kind = "composition"\naxes = ["perceived gender"]', "has no prompts"),
        (
            COMPOSITION.replace("perceived gender", "gender"),
            "axes names 'gender' (did you mean perceived gender?); allowed: perceived gender",
        ),
        (
            COMPOSITION.replace("{a job}", "{a jb}"),
            "template has the field {jb} (did you mean job?)",
        ),
        (COMPOSITION.replace("{a job}", "a nurse"), "template lacks the field {job}"),
        (COMPOSITION.replace('"engineer"', '"nurse"'), "'nurse' twice"),
        (COMPOSITION + "age = []", "factors has no levels for 'age'"),
        (
            'kind = "composition"\ntemplate = "x"\n[axes.age]\n[axes.age.groups]\nold = ["old"]',
            "axes.age.groups has 1 group; allowed: two or more",
        ),
        (
            'kind = "composition"\ntemplate = "x"\n[axes.age]\nperson = ["p"]\n'
            '[axes.age.groups]\nold = ["old"]\nyoung = ["young"]',
            "axes.age needs both person and object",
        ),
        (
            'kind = "composition"\ntemplate = "x"\n[axes.age]\nthreshhold = 1\n'
            '[axes.age.groups]\nold = ["old"]\nyoung = ["young"]',
            "axes.age.threshhold is unknown (did you mean threshold?); allowed: groups, unknown",
        ),
        ('kind = "suite"\nstudies = []', "studies is []"),
    ],
)
def test_bad_files(text: str, expected: str) -> None:
    assert expected in fault(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"mine\.toml: no such file; portrayal studies new"):
        load_study(tmp_path / "mine.toml")
    with pytest.raises(StudyError, match="cannot be read: Is a directory"):
        load_study(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"kind = '\xff'")
    with pytest.raises(StudyError, match="not a text file in UTF-8"):
        load_study(tmp_path / "bytes.toml")


def test_unknown_names_get_close_matches() -> None:
    with pytest.raises(StudyError, match="no study 'flower-insects'; did you mean flowers-insects"):
        load_study("flower-insects")
    with pytest.raises(StudyError, match="no study 'zzz'; `portrayal studies list` shows"):
        load_study("zzz")
    with pytest.raises(StudyError, match="t2iat is a suite of 9 studies"):
        load_study("t2iat")


def test_a_file_takes_its_name_from_itself(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(ASSOCIATION, encoding="utf-8")
    study = load_study(str(tmp_path / "mine.toml"))
    assert (study.name, study.title) == ("mine", "mine")
    (tmp_path / "my study.toml").write_text(ASSOCIATION, encoding="utf-8")
    with pytest.raises(StudyError, match="name is 'my study'; allowed"):
        load_study(tmp_path / "my study.toml")


def test_a_suite_finds_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(ASSOCIATION, encoding="utf-8")
    suite = 'kind = "suite"\nstudies = ["mine.toml", "straight-gay"]\n'
    (tmp_path / "both.toml").write_text(suite, encoding="utf-8")
    assert [s.name for s in load_studies(tmp_path / "both.toml")] == ["mine", "straight-gay"]
    assert [s.name for s in load_studies("straight-gay")] == ["straight-gay"]


def test_every_builtin_study_survives_the_audit() -> None:
    for name in builtin_names():
        for study in load_studies(name):
            again = study_from_dict(json.loads(json.dumps(study.as_dict())))
            assert again == study
            assert again.prompts() == study.prompts()
            assert again.texts() == study.texts()


def test_builtin_studies_say_what_they_ask_and_cost() -> None:
    rows = {row.name: row for row in builtin_studies()}
    assert set(rows) == set(builtin_names())
    for row in rows.values():
        assert row.question.endswith("?"), row.name
        assert row.citation or row.name in ("demo", "demo-all"), row.name
    assert rows["t2iat"].studies == (
        "flowers-insects", "instruments-weapons", "european-african-american", "light-dark-skin",
        "straight-gay", "judaism-christianity", "science-arts", "careers-family",
        "occupations-gender",
    )  # fmt: skip
    # 277 stimuli and 8 occupations, each neutral and under two attributes.
    assert (rows["t2iat"].prompts, rows["t2iat"].images) == (831 + 24, 8310 + 2400)
    assert 300 <= rows["demo"].images <= 600


@pytest.mark.parametrize("kind", ["association", "composition", "influence"])
def test_starter_files_load(kind: str) -> None:
    study = study_from_toml(starter_text(kind), source="new.toml", name="new")
    assert study.kind == kind
    assert "portrayal run mine.toml" in starter_text(kind, "mine").splitlines()[0]
    with pytest.raises(StudyError, match="no study kind 'x'; allowed: composition"):
        starter_text("x")


def test_with_images() -> None:
    study = load_study("occupations-gender").with_images(3)
    assert {prompt.images for prompt in study.prompts()} == {3}
    with pytest.raises(StudyError, match="images per prompt is 0; allowed: 1 to 1,000,000"):
        study.with_images(0)


def test_notes_of_axes_are_about_whatever_measured() -> None:
    """Faces and people label images, too; a study's wording stays, looks are counted by it."""
    for axis in default_axes().values():
        assert "an encoder" not in axis.shown_note
    assert default_axes()["perceived gender"].note.startswith(
        "Perceived gender: how an image looks"
    )
    assert "looks to a measurer, not who" in default_axes()["perceived gender"].shown_note
