from __future__ import annotations

import pytest

from portrayal.studies import added_groups, default_axes, named_groups

GENDER = ("woman", "man")


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("a photo of a nurse", []),
        ("a photo of a woman", ["woman"]),
        ("Women at work", ["woman"]),
        ("the woman’s desk", ["woman"]),
        ("a human, a mandolin and a shepherd", []),  # words, not letters
        ("a man and his sister", ["man"]),
        ("two men and a lady", ["man", "woman"]),
        ("a FEMALE-led team", ["woman"]),
    ],
)
def test_words_name_groups_of_perceived_gender(text: str, groups: list[str]) -> None:
    assert sorted(named_groups(text, GENDER)) == groups


def test_a_group_of_several_words_is_a_phrase() -> None:
    tones = default_axes()["skin tone"].groups
    assert named_groups("a dark photo of skin", tones) == frozenset()
    assert named_groups("a person with dark skin", tones) == {"dark skin"}
    assert named_groups("a fair-skinned pilot", tones) == {"light skin"}


def test_other_groups_are_named_by_their_name_once_or_often() -> None:
    assert named_groups("Three robots and a wizard", ("robot", "wizard", "elf")) == {
        "robot", "wizard",
    }  # fmt: skip


def test_what_the_prompt_names_itself_was_not_added() -> None:
    axis = default_axes()["perceived gender"]
    assert added_groups("a female nurse", "a young woman in a ward", axis) == frozenset()
    assert added_groups("a nurse", "a young woman in a ward", axis) == {"woman"}
    assert added_groups("a female nurse", "a nurse and her husband, a man", axis) == {"man"}
