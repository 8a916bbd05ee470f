"""Amplification studies: what may be written, and which prompts it becomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from portrayal.errors import StudyError
from portrayal.kinds.amplification.real_world import with_real_world
from portrayal.kinds.amplification.schema import (
    SUBSETS,
    AmplificationStudy,
    CaptionPrompt,
    DrawnCaptions,
)
from portrayal.records import Identity
from portrayal.studies.reading import (
    builtin_studies,
    load_study,
    starter_text,
    study_from_dict,
    study_from_toml,
)

AXIS = {
    "groups": {"woman": ["a photo of a woman"], "man": ["a photo of a man"]},
    "person": ["a photo of a person"],
    "object": ["a photo of an object"],
    "threshold": 0.9,
}


def study(**changes: Any) -> AmplificationStudy:
    data = {
        "name": "mine",
        "kind": "amplification",
        "images": 3,
        "occupations": ["engineer", "nurse"],
        "prompts": ["A photo of {a occupation}", "{A occupation} at work"],
        "axes": {"perceived gender": AXIS},
        **changes,
    }
    found = study_from_dict(data)
    assert isinstance(found, AmplificationStudy)
    return found


def drawn(**captions: list[tuple[str, str, str | None]]) -> DrawnCaptions:
    return DrawnCaptions(
        corpus={"kind": "corpus", "name": "c", "settings": {}},
        captions={
            name: tuple(
                CaptionPrompt(caption=text, indicator=label, paraphrase=other, key=f"k{i}")
                for i, (text, label, other) in enumerate(rows)
            )
            for name, rows in captions.items()
        },
    )


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"occupations": []}, "mine: occupations is []; allowed: 1 or more"),
        ({"occupations": ["nurse", "Nurse"]}, "mine: occupations has 'Nurse' twice"),
        ({"prompts": ["a photo"]}, "mine: prompts[0] is 'a photo'; allowed: a text with one field"),
        ({"prompts": ["{a occupation} and {who}"]}, "allowed: a text with one field"),
        ({"subsets": ["naive", "nearst"]}, "did you mean nearest?"),
        ({"group": "wommen"}, "group is 'wommen' (did you mean woman?); allowed: woman, man"),
        ({"axes": ["perceived gender", "skin tone"]}, "mine: axes names 2 axes; allowed: one"),
        ({"axes": {}}, "mine: axes is {}; allowed: 1 or more"),
        ({"axes": ["gender"]}, "did you mean perceived gender?"),
        ({"real_world": {"nurses": 88.0}}, "real_world has 'nurses' (did you mean nurse?)"),
        ({"real_world": {"nurse": 188.0}}, "mine: real_world.nurse is 188.0"),
        ({"faces": {"detektor": "x"}}, "faces.detektor is unknown (did you mean detector?)"),
        (
            {"faces": {"detector": ""}, "axes": {"g": {"groups": AXIS["groups"]}}},
            "faces.detector is empty, and the axis has no person question",
        ),
        ({"paraphraser": {"by": "chat"}}, "paraphraser model is missing"),
        ({"paraphraser": {"model": "m"}}, "model is given, but by is 'rules'"),
    ],
)
def test_a_wrong_study_is_one_line(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(StudyError) as error:
        study(**changes)
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_the_paper_has_four_prompts_and_sixty_two_occupations() -> None:
    paradox = load_study("paradox")
    assert isinstance(paradox, AmplificationStudy)
    assert len(paradox.occupations) == 62
    prompts = paradox.prompts()
    assert len(prompts) == 248
    assert {prompt.images for prompt in prompts} == {500}
    texts = [prompt.text for prompt in prompts]
    assert texts[1] == "A photo of the face of an engineer"
    assert "A photo of a nurse smiling" in texts
    assert set(paradox.subsets) == set(SUBSETS)
    assert paradox.axis.threshold == 0.9
    # 62 x 500 captions x 10 images, and as many of paraphrases.
    assert paradox.undrawn().images == 620_000


def test_the_starter_file_is_a_study() -> None:
    text = starter_text("amplification", "mine")
    assert "portrayal run mine.toml --corpus CORPUS" in text.splitlines()[0]
    found = study_from_toml(text, source="mine.toml", name="mine")
    assert isinstance(found, AmplificationStudy)
    assert len(found.prompts()) == 8
    more = study_from_toml(
        text.replace("# [real_world]", "[real_world]").replace("# nurse =", "nurse ="),
        source="mine.toml",
        name="mine",
    )
    assert isinstance(more, AmplificationStudy)
    assert more.real_world == {"nurse": 88.0}


def test_real_world_shares_of_a_study_file_are_all_percentages() -> None:
    """Fractions among percentages were taken for less than 1%, and the study ran."""
    text = starter_text("amplification", "mine") + "\n[real_world]\n"

    def read(table: str) -> AmplificationStudy:
        found = study_from_toml(text + table, source="mine.toml", name="mine")
        assert isinstance(found, AmplificationStudy)
        return found

    nurse, other = read("").occupations[:2]
    with pytest.raises(StudyError) as error:
        read(f"{nurse} = 89\n{other} = 0.14")
    assert str(error.value) == (
        f"mine.toml: real_world of {other} is '0.14' beside '89' in {nurse}; allowed: all from 0 "
        "to 100 (write 14 for a fraction, or '0.14%' if less than 1% is meant)"
    )
    found = read(f"{nurse} = 89\n{other} = '0.14%'")
    assert found.real_world == {nurse: 89.0, other: 0.14}
    assert study_from_dict(found.as_dict()) == found


def test_a_table_of_other_occupations_may_name_similar_ones(tmp_path: Path) -> None:
    file = tmp_path / "labour.csv"
    file.write_text("occupation,percent\nnurse,88\nnurses,80\nengineer,16\n", encoding="utf-8")
    assert with_real_world(study(), file).real_world == {"nurse": 88.0, "engineer": 16.0}


def test_the_published_numbers_average_as_the_notes_say() -> None:
    paradox = load_study("paradox")
    for table, wrong in zip(paradox.published, (4.235, 3.335), strict=True):
        means = [number for number in table.numbers if number.statistic == "amplification"]
        numbers = {number.of: float(number.value) for number in means}
        assert [number.recovered for number in means if number.of == "both"] == [wrong]
        for name in ("naive", "no-indicators", "nearest"):
            mean = sum(numbers[f"{name} #{i}"] for i in range(1, 5)) / 4
            assert numbers[name] == pytest.approx(mean, abs=0.011), (table.source, name)
        assert sum(numbers[f"both #{i}"] for i in range(1, 5)) / 4 == pytest.approx(wrong)


def test_the_practice_study_is_listed_with_its_prompts() -> None:
    listed = {row.name: row for row in builtin_studies()}
    assert listed["paradox-practice"].kind == "amplification"
    assert listed["paradox-practice"].prompts == 12 * 4 + 2 * 12 * 60
    assert listed["paradox-practice"].images == 12 * 4 * 24 + 2 * 12 * 60


def test_captions_become_prompts_as_often_as_they_stand() -> None:
    asked = study(caption_images=2, subsets=["naive", "captions", "paraphrased"])
    assert len(asked.prompts()) == 4
    full = asked.model_copy(
        update={
            "drawn": drawn(
                engineer=[
                    ("an engineer", "unknown", "an image of an engineer"),
                    ("an engineer", "unknown", "an image of an engineer"),
                    ("she is an engineer", "female", ""),
                ]
            )
        }
    )
    images = {p.text: p.images for p in full.prompts() if p.factors["prompt"] == "caption"}
    assert images == {"an engineer": 4, "she is an engineer": 2}
    others = {p.text: p.images for p in full.prompts() if p.factors["prompt"] == "paraphrase"}
    assert others == {"an image of an engineer": 4}, "a lost paraphrase is no prompt"
    assert dict(full.caption_texts("engineer", "caption", plain=True)) == {"an engineer": 2}
    assert full.caption_texts("nurse", "caption").total() == 0
    assert full.undrawn().images == 0


def test_a_study_without_caption_subsets_draws_none() -> None:
    assert study(subsets=["naive", "both"]).undrawn().images == 0


def test_a_stored_study_is_the_same_study() -> None:
    asked = study(real_world={"nurse": 88.0}, neighbours=7).model_copy(
        update={"drawn": drawn(nurse=[("a nurse\nat work", "unknown", None)])}
    )
    assert study_from_dict(asked.as_dict()) == asked


def test_painted_images_are_asked_for_a_person_instead_of_a_face() -> None:
    asked = study(faces={"detector": "centerface", "size": 0.2})
    real = asked.face_rule(Identity("diffusers", "some/model"))
    assert real is not None
    assert real.size == 0.2
    assert asked.face_rule(Identity("diffusers", "practice")) is None
    assert asked.face_rule(Identity("painter", "practice:painter")) is None
    assert study(faces={"detector": ""}).face_rule(Identity("diffusers", "some/model")) is None


def test_real_world_shares_come_from_a_table(tmp_path: Path) -> None:
    file = tmp_path / "labour.csv"
    file.write_text("occupation,percent\nNurse,86.8 %\nplumber,3\nengineer,16\n", encoding="utf-8")
    found = with_real_world(study(), file)
    assert found.real_world == {"nurse": 86.8, "engineer": 16.0}
    assert found.real_world_source == "labour.csv"
    file.write_text("occupation,share\nnurse,0.868\n", encoding="utf-8")
    assert with_real_world(study(), file).real_world == {"nurse": pytest.approx(86.8)}
    file.write_text("occupation,percent\nnurse,88\nengineer,0.9%\n", encoding="utf-8")
    assert with_real_world(study(), file).real_world == {"nurse": 88.0, "engineer": 0.9}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("job,percent\nnurse,5\n", "has the columns job, percent; wanted: occupation"),
        ("", "has the columns none"),
        ("occupation,percent\nnurse,many\n", "line 2: percent is 'many'; allowed: a number"),
        ("occupation,share\nnurse,86\n", "line 2: share is '86'; allowed: a number from 0 to 1"),
        (
            "occupation,percent\nnurse,88\nengineer,0.16\n",
            "column percent: line 3 is '0.16' beside '88' in line 2; allowed: all from 0 to 100 "
            "(write 16 for a fraction, or '0.16%' if less than 1% is meant)",
        ),
        ("occupation,percent\nnurse,0.88\n", "line 2 is '0.88'; allowed: all from 0"),
        (
            "occupation,share\nnurse,0.88\nengineer,16%\n",
            "line 3: share is '16%'; allowed: a number from 0 to 1 (write 0.4 for 40%",
        ),
        ("occupation,share\nnurse,0.6%\n", "line 2: share is '0.6%'"),
        (
            "occupation,percent\nnurs,89\nengineer,14\n",
            "line 2: occupation is 'nurs' (did you mean nurse?); allowed: the study's occupations; "
            "correct it, or delete",
        ),
        ("occupation,percent\nplumber,3\n", "no row is about an occupation of mine"),
        ("occupation,percent\nnurse,3\nNurse,4\n", "line 3: 'Nurse' is there twice"),
    ],
)
def test_a_wrong_table_of_shares_is_one_line(tmp_path: Path, text: str, line: str) -> None:
    file = tmp_path / "shares.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as error:
        with_real_world(study(), file)
    assert line in str(error.value)
    with pytest.raises(StudyError, match="no such file"):
        with_real_world(study(), tmp_path / "absent.csv")
