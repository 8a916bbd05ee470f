"""Votes of several files are votes on one question, in one import or in several, in any order."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest

from portrayal import raters
from portrayal.audit import AuditFolder
from portrayal.findings import uncounted
from portrayal.raters.merging import merged_questions
from portrayal.raters.questions import AnswerChoice, Question, QuestionSet
from portrayal.raters.store import written
from portrayal.records import Identity, ImageRecord
from portrayal.studies import study_from_toml
from raters_images import png

GENDER = "perceived gender"


def audit_at(folder: Path) -> AuditFolder:
    found = AuditFolder.at(folder, Identity("test", "painter", {}))
    found.append_images([ImageRecord("a nurse", seed, "ok", data=png(seed)) for seed in range(4)])
    return found


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    return audit_at(tmp_path / "audit")


def keys(audit: AuditFolder) -> list[str]:
    return [key for (key,) in audit.images().order("seed").select("key").fetchall()]


def votes(folder: Path, audit: AuditFolder, column: str, said: Mapping[str, str]) -> Path:
    """Write a file in which each rater says the same of every image."""
    rows = [f"{key},{rater},{answer}" for key in keys(audit) for rater, answer in said.items()]
    file = folder / f"{'-'.join(said)}-{'-'.join(said.values())}.csv"
    file.write_text("\n".join([f"key,rater,{column}", *rows]), encoding="utf-8")
    return file


def test_files_give_the_same_labels_in_one_import_and_in_several(tmp_path: Path) -> None:
    """One file has only women, the other one all answers."""
    audits = [audit_at(tmp_path / f"audit-{i}") for i in range(3)]
    said = [
        {"a": "woman", "b": "woman", "c": "woman"},
        {"d": "woman", "e": "man", "f": "nobody", "g": "unknown"},
    ]
    files = [votes(tmp_path, audits[0], GENDER, one) for one in said]
    raters.import_votes(audits[0].path, files)
    for file in files:
        raters.import_votes(audits[1].path, file)
    for file in reversed(files):
        raters.import_votes(audits[2].path, file)
    for audit in audits:
        found = raters.checked_labels(audit, GENDER)
        assert found.labels == ("woman",) * 4
        assert found.n_raters.tolist() == [7] * 4
        assert len(raters.load_votes(audit).questions.axes) == 1


def test_contradictions_between_files_are_found(audit: AuditFolder, tmp_path: Path) -> None:
    raters.import_votes(audit.path, votes(tmp_path, audit, GENDER, {"a": "woman", "b": "woman"}))
    said = {"a": "man", "b": "unknown"}
    done = raters.import_votes(audit.path, votes(tmp_path, audit, GENDER, said))
    assert done.contradictory == 8
    assert "to 8 questions about these images: kept, but not counted" in done.sentence()
    assert uncounted(audit) == [
        "Contradictory answers by one rater, without a time, to 8 questions about images: kept, "
        "but not counted."
    ]


def test_answers_on_another_scale_are_not_mixed_and_not_silent(
    audit: AuditFolder, tmp_path: Path
) -> None:
    light_dark = {"a": "light skin", "b": "dark skin"}
    raters.import_votes(audit.path, votes(tmp_path, audit, "skin tone", light_dark))
    tens = {"c": "5", "d": "5", "e": "6"}
    done = raters.import_votes(audit.path, votes(tmp_path, audit, "skin tone", tens))
    assert done.set_aside == 8
    line = "8 answers on another scale than most raters of the image used: kept, but not counted"
    assert done.sentence().endswith(line)
    assert uncounted(audit) == [f"Raters gave {line}."]
    assert raters.checked_labels(audit, "skin tone").labels == ("5",) * 4


@pytest.mark.parametrize(
    ("said", "label"),
    [
        (("unknown", "nobody", "can't judge"), "unknown"),
        (("nobody", "nobody", "man"), "nobody"),
        (("nobody", "man", "man"), "man"),
        (("nobody", "man", "poor quality"), "unknown"),
    ],
)
def test_answers_that_name_no_group_are_answers(
    audit: AuditFolder, tmp_path: Path, said: tuple[str, ...], label: str
) -> None:
    file = votes(tmp_path, audit, GENDER, dict(zip("abc", said, strict=True)))
    raters.import_votes(audit.path, file)
    assert raters.checked_labels(audit, GENDER).labels == (label,) * 4


def test_a_file_has_the_groups_of_the_study_whichever_it_contains(
    audit: AuditFolder, tmp_path: Path
) -> None:
    groups = '["a happy face"]', '["a sad face"]', '["an angry face"]'
    names = zip(("happy", "sad", "angry"), groups, strict=True)
    study = study_from_toml(
        'kind = "composition"\nimages = 4\ntemplate = "a {who}"\n'
        '[factors]\nwho = ["nurse", "judge"]\n[axes.mood.groups]\n'
        + "".join(f"{name} = {texts}\n" for name, texts in names),
        source="moods.toml",
        name="moods",
    )
    audit.remember_study(study.name, study.as_dict())
    raters.import_votes(audit.path, votes(tmp_path, audit, "mood", {"a": "happy", "b": "happy"}))
    (question,) = raters.load_votes(audit).questions.axes
    assert set(question.groups) == {"happy", "sad", "angry"}
    assert raters.checked_labels(audit, "mood").labels == ("happy",) * 4


def asked(name: str, axis: str, *groups: str, others: str = "", unsure: str = "") -> str:
    """Return a question as the store keeps it."""
    answers = [AnswerChoice(key=one, text=one, others=one == others) for one in groups]
    answers += [AnswerChoice(key=unsure, text=unsure, cant_judge=True)] if unsure else []
    question = Question(id=name, text=name, axis=axis, answers=tuple(answers))
    return written(QuestionSet(questions=(question,)))[name]


def test_questions_are_one_where_their_answers_are_compatible() -> None:
    happy = asked("mood", "mood", "happy", "sad")
    more = asked("feeling", "mood", "sad", "angry", unsure="unclear")
    far = asked("feel", "mood", "angry", "calm")
    for order in itertools.permutations([happy, more, far]):
        names, questions = merged_questions(order)
        assert len(set(names.values())) == 1
        (one,) = questions.questions
        assert set(one.groups) == {"happy", "sad", "angry", "calm"}
        assert one.cant_judge == ("unclear",)
    for other in (
        asked("mood", "mood", "happy", "not happy", others="not happy"),
        asked("mood", "mood", "calm", "angry"),
        asked("mood", "mood", "happy", "angry", unsure="sad"),
        asked("mood", "face", "happy", "sad"),
        asked("mood", "", "happy", "sad"),
    ):
        assert len(merged_questions([happy, other])[1].questions) == 2
    yes = asked("person", "", "yes", "no"), asked("person", "", "yes", "no", unsure="unknown")
    assert len(merged_questions(yes)[1].questions) == 1
    assert len(merged_questions([yes[0], asked("hat", "", "yes", "no")])[1].questions) == 2
