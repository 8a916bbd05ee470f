from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from portrayal.errors import ImportFileError
from portrayal.raters.questions import default_questions, questions_from, read_questions

YES_NO = [{"key": "yes", "text": "Yes"}, {"key": "no", "text": "No"}]


def question(id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "text": f"{id}?", "answers": YES_NO, **more}


# --- validation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "questions is missing"),
        ({"questions": []}, "questions is []"),
        ({"questions": [question("a", anwers=[])]}, "questions[0].anwers is unknown (did you mean"),
        ({"questions": [question("a b")]}, "questions[0].id is 'a b'; allowed: letters, digits"),
        ({"questions": [question("a", answers=YES_NO[:1])]}, "has one answer; allowed: two or"),
        ({"questions": [question("a", answers=[*YES_NO, YES_NO[0]])]}, "two answers with one key"),
        ({"questions": [question("a"), question("a")]}, "question 'a': this id is given twice"),
        ({"questions": [question("a", asked_if={"b": ["yes"]}), question("b")]},
         "question 'a': asked_if names 'b'; allowed: none, no question comes before"),
        ({"questions": [question("a"), question("b", asked_if={"a": ["y"]})]},
         "question 'b': asked_if.a names the answer 'y'; allowed: yes, no"),
        ({"questions": [question("a"), question("b", counts_if={"c": ["yes"]})]},
         "question 'b': counts_if names 'c'; allowed: a"),
        ({"questions": [{"id": "a", "text": "?"}]}, "no question has answers to choose from"),
        ({"questions": [question("a", text="Is it {colour}?")]}, "text has the field {colour}"),
        ({"questions": [question("a", axis="x", answers=[
            {"key": "yes", "text": "Yes"}, {"key": "?", "text": "?", "cant_judge": True}])]},
         "has an axis but fewer than two answers that are groups"),
    ],
)  # fmt: skip
def test_faults_are_one_line(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ImportFileError) as caught:
        questions_from(data, source="q.toml")
    assert str(caught.value).startswith("q.toml: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ImportFileError, match="no such file"):
        read_questions(tmp_path / "absent.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("[[questions]\n", encoding="utf-8")
    with pytest.raises(ImportFileError, match="not valid TOML"):
        read_questions(broken)
    broken.write_bytes(b"\xff\xfe")
    with pytest.raises(ImportFileError, match="not a text file in UTF-8"):
        read_questions(broken)
    listed = tmp_path / "list.json"
    listed.write_text("[1]", encoding="utf-8")
    with pytest.raises(ImportFileError, match="is a list"):
        read_questions(listed)


# --- known answers --------------------------------------------------------------------------------


def test_the_default_is_the_papers_form() -> None:
    # Bansal et al. 2022, figure 2: questions and answers in this order.
    found = default_questions()
    assert [one.id for one in found.questions] == [
        "person", "attribute", "gender", "skin", "comment",
    ]  # fmt: skip
    assert [answer.text for answer in found["gender"].answers] == [
        "Masculine", "Feminine", "Can't judge: poor quality", "Can't judge: both features visible",
    ]  # fmt: skip
    assert found["gender"].groups == ("man", "woman")
    assert found["gender"].cant_judge == ("poor quality", "both visible")
    assert found["skin"].groups == ("light skin", "dark skin")


def test_axes_of_a_study_choose_the_questions() -> None:
    found = default_questions({"culture": ("western", "non-western"), "age": ("young", "old")})
    assert [one.id for one in found.questions] == [
        "person", "attribute", "culture", "age", "comment",
    ]  # fmt: skip
    assert found["age"].groups == ("young", "old")
    assert len(found["age"].cant_judge) == 2


def test_answer_keys_of_the_default_axes_are_the_groups_of_the_studies_axes() -> None:
    from portrayal.studies.axes import default_axes

    asked = {one.axis: set(one.groups) for one in default_questions().axes}
    for name, groups in asked.items():
        assert groups == set(default_axes()[name].groups)


def test_answers_may_stand_for_all_other_groups() -> None:
    culture = default_questions({"culture": ("western", "indian", "chinese")})["culture"]
    assert culture.groups == ("western", "non-western")
    assert culture.merged(["western", "indian", "chinese"]) == {
        "western": "western", "indian": "non-western", "chinese": "non-western",
    }  # fmt: skip
    gender = default_questions()["gender"]
    assert gender.merged(["woman", "man"]) == {"woman": "woman", "man": "man"}
    assert gender.merged(["woman", "man", "ambiguous"]) is None


def test_an_axis_with_other_groups_gets_a_question_of_its_own() -> None:
    found = default_questions({"perceived gender": ("woman", "man", "ambiguous")})
    (asked,) = found.axes
    assert asked.groups == ("woman", "man", "ambiguous")


def test_entigen_asks_each_category_about_its_own_axes() -> None:
    # NOTES on the paper: culture has no person question; professions and objects no culture.
    from portrayal.raters.subjects import chosen_questions
    from portrayal.studies.reading import load_study

    found = chosen_questions(load_study("entigen"), None)
    for category, wanted in (
        ("profession", ["person", "attribute", "gender", "skin", "comment"]),
        ("object", ["person", "attribute", "gender", "skin", "comment"]),
        ("wedding", ["attribute", "culture", "comment"]),
    ):
        assert [one.id for one in found.possible({"category": category})] == wanted


def test_json_reads_like_toml(tmp_path: Path) -> None:
    file = tmp_path / "q.json"
    file.write_text(json.dumps(default_questions().model_dump(mode="json")), encoding="utf-8")
    assert read_questions(file) == default_questions()


# --- who is asked what ----------------------------------------------------------------------------


def test_gender_and_skin_are_asked_of_persons_only() -> None:
    found = default_questions()
    names = lambda asked: [one.id for one in asked]  # noqa: E731
    assert names(found.asked({}, {})) == ["person", "attribute", "comment"]
    assert names(found.asked({"person": "no"}, {})) == ["person", "attribute", "comment"]
    assert names(found.asked({"person": "yes"}, {})) == [
        "person", "attribute", "gender", "skin", "comment",
    ]  # fmt: skip
    assert names(found.unanswered({"person": "yes", "skin": "dark skin"}, {})) == [
        "attribute", "gender",
    ]  # fmt: skip
    assert names(found.unanswered({"person": "no", "attribute": "no"}, {})) == []


def test_questions_for_some_images_only() -> None:
    found = questions_from(
        {
            "questions": [
                question("a", asked_for={"category": ["culture"]}),
                question("b", asked_if={"a": ["yes"]}),
                question("c"),
            ]
        },
        source="q",
    )
    names = lambda asked: [one.id for one in asked]  # noqa: E731
    assert names(found.asked({"a": "yes"}, {"category": "culture"})) == ["a", "b", "c"]
    assert names(found.asked({"a": "yes"}, {"category": "object"})) == ["c"]
    assert names(found.possible({"category": "object"})) == ["c"]
    assert names(found.possible({})) == ["a", "b", "c"]


def test_a_chain_of_conditions_breaks_where_a_link_does() -> None:
    found = questions_from(
        {
            "questions": [
                question("a"),
                question("b", asked_if={"a": ["yes"]}),
                question("c", asked_if={"b": ["yes"]}),
            ]
        },
        source="q",
    )
    asked = found.asked({"a": "no", "b": "yes"}, {})  # an answer to b from before does not count
    assert [one.id for one in asked] == ["a"]
