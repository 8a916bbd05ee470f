from __future__ import annotations

import pytest

from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.studies.axes import default_axes
from portrayal.studies.reading import load_study, study_from_toml

OWN_AXIS = """
[axes."perceived age"]
unknown = ["a photo of a person of uncertain age"]
threshold = 0.5
[axes."perceived age".groups]
child = ["a photo of a child", "a picture of a child"]
adult = ["a photo of an adult"]
older = ["a photo of an older person"]
"""


def composition(text: str) -> CompositionStudy:
    study = study_from_toml('kind = "composition"\n' + text, source="s.toml", name="s")
    assert isinstance(study, CompositionStudy)
    return study


def test_every_combination_in_every_template() -> None:
    study = composition(
        'axes = ["perceived gender"]\nimages = 2\n[templates]\n'
        'photo = "a photo of {a age} {job}"\nwork = "{A age} {job} at work"\n'
        '[factors]\nage = ["old", "young"]\njob = ["nurse", "engineer"]\n'
    )
    prompts = study.prompts()
    assert [p.text for p in prompts] == [
        "a photo of an old nurse",
        "a photo of an old engineer",
        "a photo of a young nurse",
        "a photo of a young engineer",
        "An old nurse at work",
        "An old engineer at work",
        "A young nurse at work",
        "A young engineer at work",
    ]
    assert prompts[5].factors == {"age": "old", "job": "engineer", "template": "work"}
    assert {p.images for p in prompts} == {2}


def test_prompts_written_out() -> None:
    study = composition(
        'axes = ["skin tone"]\n[[prompts]]\ntext = "a nurse"\nfactors = { job = "nurse" }\n'
        '[[prompts]]\ntext = "a busy nurse"\nfactors = { job = "nurse" }\n'
    )
    assert [(p.text, p.factors) for p in study.prompts()] == [
        ("a nurse", {"job": "nurse"}),
        ("a busy nurse", {"job": "nurse"}),
    ]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ('[[prompts]]\ntext = "b"\nfactors = {}', r"prompts\[1\].factors.job is missing"),
        ('[[prompts]]\ntext = "a"\nfactors = { job = "c" }', "prompts has 'a' twice"),
    ],
)
def test_written_prompts_that_do_not_fit(more: str, expected: str) -> None:
    start = 'axes = ["skin tone"]\n[[prompts]]\ntext = "a"\nfactors = { job = "nurse" }\n'
    with pytest.raises(Exception, match=expected):
        composition(start + more)


def test_own_axes_have_texts_and_unknown() -> None:
    axis = composition('template = "a person"' + OWN_AXIS).axes["perceived age"]
    assert list(axis.groups) == ["child", "adult", "older"]
    assert axis.texts() == (
        "a photo of a child",
        "a picture of a child",
        "a photo of an adult",
        "a photo of an older person",
        "a photo of a person of uncertain age",
    )


def test_default_axes_follow_entigen() -> None:
    # ENTIGEN, Table 4 and section C.
    gender = default_axes()["perceived gender"]
    assert gender.groups == {
        "woman": ("A photo of a person who looks like a woman",),
        "man": ("A photo of a person who looks like a man",),
    }
    assert gender.unknown == ("A photo of a person with an uncertain gender",)
    assert (gender.person, gender.object) == (("a photo of a person",), ("a photo of an object",))
    assert list(default_axes())[:2] == ["perceived gender", "skin tone"]


def test_occupations() -> None:
    study = load_study("occupations")
    assert len(study.prompts()) == 40
    assert study.prompts()[0].text == "a photo of an accountant"
    assert len(study.texts()) == 8
