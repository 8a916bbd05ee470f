"""Study files that a person or a program may write by mistake: one line each, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from portrayal.errors import StudyError
from portrayal.studies.reading import load_studies, study_from_toml

COMPOSITION = """
kind = "composition"
template = "a photo of {job}"
axes = AXES
[factors]
job = ["nurse", "judge"]
"""


@pytest.mark.parametrize("axes", ["[[]]", "[{}]", "[1]"])
def test_axes_that_are_no_names(axes: str) -> None:
    with pytest.raises(StudyError, match=r"axes names .*; allowed: perceived gender"):
        study_from_toml(COMPOSITION.replace("AXES", axes), source="odd.toml", name="odd")


def test_categories_that_are_no_list() -> None:
    with pytest.raises(StudyError, match=r"odd\.toml: "):
        study_from_toml('kind = "intervention"\ncategories = 1\n', source="odd.toml", name="odd")


def test_lists_nested_too_deeply() -> None:
    with pytest.raises(StudyError, match="nested too deeply"):
        study_from_toml("x = " + "[" * 5000, source="odd.toml")


def test_more_prompts_than_anybody_wants() -> None:
    levels = ", ".join(f'"{i}"' for i in range(300))
    text = COMPOSITION.replace("AXES", '["perceived gender"]').replace("{job}", "{job} {b} {c}")
    text += f"b = [{levels}]\nc = [{levels}]\n".replace('"nurse", "judge"', levels)
    text = text.replace('["nurse", "judge"]', f"[{levels}]")
    with pytest.raises(StudyError, match="27,000,000 prompts; allowed: 1,000,000"):
        study_from_toml(text, source="odd.toml", name="odd")


@pytest.mark.parametrize("name", ["unknown", "nobody"])
def test_a_group_cannot_be_called_like_an_answer_that_is_none(name: str) -> None:
    text = (
        COMPOSITION.replace("axes = AXES\n", "")
        + f"""
[axes.look.groups]
woman = ["a woman"]
{name} = ["somebody"]
"""
    )
    with pytest.raises(StudyError, match=f"has a group named '{name}'"):
        study_from_toml(text, source="odd.toml", name="odd")


def test_words_with_braces_stay_words() -> None:
    text = """
kind = "intervention"
[[interventions]]
name = "all"
axis = "perceived gender"
text = "if all can {act}"
[[categories]]
name = "profession"
axes = ["perceived gender"]
template = "a photo of {attribute}"
act = "be {attribute}"
attributes = ["{a}"]
"""
    study = study_from_toml(text, source="odd.toml", name="odd")
    assert [prompt.text for prompt in study.prompts()] == [  # type: ignore[union-attr]
        "a photo of {a}", "a photo of {a} if all can be {a}",
    ]  # fmt: skip


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "marked.toml"
    text = COMPOSITION.replace("AXES", '["perceived gender"]')
    file.write_text(text, encoding="utf-8-sig")
    (study,) = load_studies(file)
    assert study.name == "marked"


def test_two_studies_of_a_suite_with_one_name(tmp_path: Path) -> None:
    text = COMPOSITION.replace("AXES", '["perceived gender"]')
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.toml").write_text(text)
    suite = tmp_path / "both.toml"
    suite.write_text('kind = "suite"\nstudies = ["one/x.toml", "two/x.toml"]\n')
    with pytest.raises(StudyError, match="two of its studies are named 'x'; each name once"):
        load_studies(suite)
