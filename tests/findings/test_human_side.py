"""Raters' votes in an audit reach its findings, tables and results.json."""

from __future__ import annotations

import json

import numpy as np
import pytest

from invented import ENCODER, OTHER_ENCODER, direction, fill_audit, leaning
from portrayal.audit import AuditFolder
from portrayal.errors import SettingError
from portrayal.findings import Finding, PublishedNumbers
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.association.schema import AssociationStudy
from portrayal.raters.questions import QuestionSet, default_questions
from portrayal.raters.store import load_votes, store_votes
from portrayal.raters.subjects import chosen_questions, find_subjects
from portrayal.raters.votes import RatedImage, Vote, Votes
from portrayal.records import ImageRecord, Measurement, Prompt
from portrayal.runner.analysis import Results, analyze
from portrayal.studies.axes import default_axes
from portrayal.studies.reading import study_from_toml
from portrayal.studies.schema import Study

SETTINGS = AnalysisSettings(resamples=199)
MOOD = "association-pleasant-unpleasant"
AXIS = default_axes()["perceived gender"]
MAN, WOMAN = AXIS.groups["man"][0], AXIS.groups["woman"][0]
JOBS = """
kind = "composition"
images = 6
template = "a photo of a {job}"
axes = ["perceived gender"]
[factors]
job = ["nurse", "judge", "baker", "miner"]
"""


def association(name: str, concepts: str) -> AssociationStudy:
    text = f"""
kind = "association"
images = 3
template = "a photo of {{stimulus}}"
[attributes]
pleasant = ["joy"]
unpleasant = ["gloom"]
[concepts]
{concepts}
"""
    found = study_from_toml(text, source=f"{name}.toml", name=name)
    assert isinstance(found, AssociationStudy)
    return found


def jobs() -> Study:
    return study_from_toml(JOBS, source="jobs.toml", name="jobs")


def is_man(prompt: Prompt, seed: int) -> bool:
    return (seed + len(prompt.text)) % 2 == 0


def shown(prompt: Prompt, seed: int) -> np.ndarray:
    """What the encoder sees: a man or a woman, by turns."""
    looks = direction(MAN if is_man(prompt, seed) else WOMAN)
    return looks + 0.3 * direction(AXIS.person[0]) - 0.3 * direction(AXIS.object[0])


def vote(
    audit: AuditFolder,
    questions: QuestionSet,
    answers: dict[str, dict[str, str]],
    *,
    group: str = "raters",
    at: int | None = None,
) -> None:
    """Three raters say the same about each image."""
    images = {key: RatedImage() for key in answers}
    votes = [Vote(key, rater, given, at) for key, given in answers.items() for rater in "abc"]
    store_votes(audit, Votes(questions, images, votes), group=group)


def listed(audit: AuditFolder) -> list[tuple[str, str, int]]:
    return list(audit.images().select("key, prompt, seed").order("prompt, seed").fetchall())


def person(gender: str) -> dict[str, str]:
    return {"person": "yes", "attribute": "yes", "gender": gender}


def about(results: Results, word: str) -> list[Finding]:
    return [finding for finding in results.findings if word in finding.question]


def test_agreement_is_the_share_of_images_with_the_same_group(audit: AuditFolder) -> None:
    study = jobs()
    fill_audit(audit, [study], shown)
    rows = listed(audit)
    answers = {}
    for i, (key, prompt, seed) in enumerate(rows):
        sees_man = is_man(Prompt(prompt, {}, 1), seed)
        contrary = i < 6  # six of twenty-four images are seen otherwise by raters
        answers[key] = person("man" if sees_man != contrary else "woman")
    vote(audit, default_questions({"perceived gender": ("man", "woman")}), answers)
    results = analyze(audit, settings=SETTINGS)
    (found,) = about(results, "what raters say")
    assert found.estimate == pytest.approx(18 / 24)
    assert (found.n, found.n_missing) == (24, 0)
    assert found.low is not None
    assert found.low < 0.75
    assert "75% of 24 images" in found.sentence
    tables = {table.name: table for table in results.studies[0].parts}
    counts = [row[1:3] for row in tables["confusion-perceived-gender"].rows]
    assert sum(row[i] for i, row in enumerate(counts)) == 18
    check = tables["check-raters-perceived-gender"]
    (accuracy,) = [row for row in check.rows if row[0] == "accuracy"]
    assert accuracy[7] == pytest.approx(0.75)
    assert "human-diversity" in tables
    assert "majority" in tables["human-diversity"].note
    written = json.loads((audit.path / "results.json").read_text())
    assert any("raters say" in one["question"] for one in written["findings"])


def test_what_either_side_leaves_open_is_counted(audit: AuditFolder) -> None:
    study = jobs()
    fill_audit(audit, [study], shown)
    answers = {key: person("poor quality") for key, _, _ in listed(audit)}
    vote(audit, default_questions({"perceived gender": ("man", "woman")}), answers)
    (found,) = about(analyze(audit, settings=SETTINGS), "what raters say")
    assert found.estimate is None
    assert (found.n, found.n_missing) == (0, 24)
    assert "not enough data" in found.sentence


def test_without_votes_nothing_is_added(audit: AuditFolder) -> None:
    fill_audit(audit, [jobs()], shown)
    assert not about(analyze(audit, settings=SETTINGS), "raters")


def test_two_encoders_are_named_and_groups_of_raters_are_one(audit: AuditFolder) -> None:
    study = jobs()
    fill_audit(audit, [study], shown)
    all_men = {key: person("man") for key, _, _ in listed(audit)}
    questions = default_questions({"perceived gender": ("man", "woman")})
    vote(audit, questions, all_men, group="crowd")
    vote(audit, questions, all_men, group="experts")
    rows = [(key, shown(Prompt(prompt, {}, 1), seed)) for key, prompt, seed in listed(audit)]
    audit.append_measurements(
        OTHER_ENCODER,
        {"embedding": "vector"},
        [Measurement(key, {"embedding": vector}) for key, vector in rows],
    )
    texts = list(study.texts())
    audit.append_texts(
        OTHER_ENCODER, texts, np.stack([direction(text) for text in texts]),
        tokens=[5] * len(texts), truncated=[False] * len(texts),
    )  # fmt: skip
    found = about(analyze(audit, settings=SETTINGS), "what raters say")
    endings = sorted(finding.question.split("?")[1] for finding in found)
    assert endings == sorted(f" · {encoder.name}" for encoder in (ENCODER, OTHER_ENCODER))
    assert len(load_votes(audit).votes) == 6 * 24


def test_the_rule_of_consensus_is_a_setting() -> None:
    assert AnalysisSettings(consensus="majority-certain").as_dict()["consensus"] == (
        "majority-certain"
    )
    with pytest.raises(SettingError, match="consensus is 'all'; allowed: majority"):
        AnalysisSettings(consensus="all")  # type: ignore[arg-type]


def test_raters_of_an_association_study_judge_neutral_images_alone(audit: AuditFolder) -> None:
    study = association("mood", 'flowers = ["rose", "lily"]\nbugs = ["wasp", "gnat"]')
    fill_audit(audit, [study], leaning({"flowers": 0.4, "bugs": -0.4}))
    questions = chosen_questions(study, None)
    assert questions[MOOD].keys == ("pleasant", "unpleasant", "can't judge")
    subjects = find_subjects(audit, study)
    assert {one.prompt for one in subjects} == {
        f"a photo of {word}" for word in ("rose", "lily", "wasp", "gnat")
    }
    assert {one.attribute for one in subjects} == {""}, "the word would give the answer away"


def test_tau_follows_the_raters(audit: AuditFolder) -> None:
    study = association(
        "mood", "\n".join(f'{w} = ["{w}"]' for w in ("rose", "lily", "fern", "wasp"))
    )
    lean = {"rose": 0.6, "lily": 0.2, "fern": -0.2, "wasp": -0.6}
    fill_audit(audit, [study], leaning(lean, noise=0.05, stimulus=0.0))
    questions = chosen_questions(study, None)
    for sign in (1, -1):
        answers = {}
        for key, prompt, seed in listed(audit):
            word = prompt.rsplit(" ", 1)[-1]
            if word in lean:
                pleasant = sign * lean[word] > (0.4, 0.0, -0.4)[seed]
                answers[key] = {MOOD: "pleasant" if pleasant else "unpleasant"}
        vote(audit, questions, answers, at=2 - sign)  # the later answers count
        results = analyze(audit, settings=SETTINGS)
        (found,) = about(results, "order concepts as raters do")
        assert found.estimate == pytest.approx(sign)
        (table,) = [one for one in results.studies[0].parts if one.name == "raters"]
        assert [row[0] for row in table.rows] == list(lean)


def test_concepts_of_several_studies_are_ordered_together(audit: AuditFolder) -> None:
    """Two concepts have no order of their own; the tests of a suite share their attributes."""
    first = association("plants", 'rose = ["rose"]\nweed = ["weed"]')
    second = association("sounds", 'harp = ["harp"]\nsiren = ["siren"]')
    lean = {"rose": 0.6, "harp": 0.2, "weed": -0.2, "siren": -0.6}
    fill_audit(audit, [first, second], leaning(lean, noise=0.05, stimulus=0.0))
    questions = chosen_questions(first, None)
    answers = {}
    for key, prompt, seed in listed(audit):
        word = prompt.rsplit(" ", 1)[-1]
        if word in lean:
            pleasant = lean[word] > (0.4, 0.0, -0.4)[seed]
            answers[key] = {MOOD: "pleasant" if pleasant else "unpleasant"}
    vote(audit, questions, answers)
    results = analyze(audit, settings=SETTINGS)
    # The concepts of these attributes are all concepts: one question, and one number of T2IAT's.
    (found,) = about(results, "order concepts as raters do")
    assert (found.study, found.estimate, found.n) == ("raters", 1.0, 4)
    parts = next(one for one in results.studies if one.study == "raters").parts
    (tau,) = [row for part in parts if isinstance(part, PublishedNumbers) for row in part.rows]
    assert (tau.of, tau.ours, tau.low) == ("all concepts", 1.0, found.low)


def test_raters_alone_give_their_share_of_every_concept(audit: AuditFolder) -> None:
    """No encoder: nothing to compare with, and what people say is there all the same."""
    study = association("mood", 'flowers = ["rose", "lily"]\nbugs = ["wasp", "gnat"]')
    audit.remember_study(study.name, study.as_dict())
    prompts = study.prompts()
    audit.append_images(
        [ImageRecord(one.text, seed, "ok", data=b"image") for one in prompts for seed in range(3)]
    )
    answers = {
        key: {MOOD: "pleasant" if prompt.endswith(("rose", "lily", "gnat")) else "unpleasant"}
        for key, prompt, _ in listed(audit)
        if prompt.rsplit(" ", 1)[-1] in ("rose", "lily", "wasp", "gnat")
    }
    vote(audit, chosen_questions(study, None), answers)
    results = analyze(audit, settings=SETTINGS)
    (table,) = [one for one in results.studies[0].parts if one.name == "raters"]
    assert [tuple(row[:3]) for row in table.rows] == [("flowers", 6, 1.0), ("bugs", 6, 0.5)]
    # Without majority, share of raters, association, images.
    assert [tuple(row[5:]) for row in table.rows] == [(0, 1.0, None, 0), (0, 0.5, None, 0)]
    assert all(finding.estimate is None for finding in results.findings)
