"""Labels of any measurer answer studies: the same labels give the same answers."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import amplification_worlds as worlds
from influence_worlds import asked
from invented import ENCODER, OTHER_ENCODER, direction, fill_audit
from label_measurers import GENDER, ColourJudge, png, shown, store_images
from portrayal.audit import AuditFolder, export_images
from portrayal.audit.selections import training_audit
from portrayal.findings import Finding, LabelRule
from portrayal.findings.data import AuditData
from portrayal.findings.label_table import labels_csv, labels_table
from portrayal.findings.labels import by_probabilities, image_labels
from portrayal.findings.measurers import study_measurers
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.amplification.analysis import analyze_amplification
from portrayal.measurers import measure
from portrayal.raters import (
    Design,
    RatedImage,
    Vote,
    Votes,
    default_questions,
    raters_identity,
    store_votes,
)
from portrayal.raters.store import written
from portrayal.records import Ballot, Identity, ImageRecord, Measurement, Prompt, image_key
from portrayal.report import write_report
from portrayal.runner.analysis import Results, analyze
from portrayal.statistics import amplification_from_counts
from portrayal.studies.axes import Axis, default_axes
from portrayal.studies.reading import load_study, study_from_dict
from portrayal.studies.schema import Study

FAST = AnalysisSettings(resamples=199)
TEXTS = {"woman": "a woman", "man": "a man"}
AXIS: dict[str, Any] = {"groups": {name: [text] for name, text in TEXTS.items()}}
COMPOSITION = {
    "kind": "composition", "name": "jobs", "images": 8, "template": "a photo of a {job}",
    "axes": {GENDER: AXIS}, "factors": {"job": ["nurse", "judge", "pilot"]},
}  # fmt: skip
INTERVENTION = {
    "kind": "intervention", "name": "additions", "images": 6, "axes": {GENDER: AXIS},
    "interventions": [
        {"name": "gender", "axis": GENDER, "text": "whatever their gender"},
        {"name": "weather", "text": "whatever the weather"},
    ],
    "categories": [
        {"name": "jobs", "axes": [GENDER], "template": "a photo of {a attribute}",
         "attributes": ["nurse", "judge", "pilot", "cook"]},
    ],
}  # fmt: skip


def influence() -> Study:
    lists = {"a": ["the", "this"], "caring": ["proud", "tall"], "nurse": ["judge", "pilot"]}
    return asked("a caring nurse", lists, images=8)


def planted(prompt: Prompt, seed: int) -> str:
    """Nurses and whatever their gender are mostly women; the others mostly men."""
    share = 0.8 if "nurse" in prompt.text or "their gender" in prompt.text else 0.25
    drawn = np.random.default_rng([seed, *prompt.text.encode()]).random()
    return "woman" if drawn < share else "man"


def look_of(prompt: Prompt, seed: int) -> np.ndarray:
    return direction(TEXTS[planted(prompt, seed)])


def answered(audit: AuditFolder, study: Study, *, by: str) -> Results:
    """Answer a study whose images are measured by an encoder, or labelled by a judge or people."""
    if by == "raters":
        store_images(audit, study, planted)
        vote_as_planted(audit)
    elif by == "encoder":
        fill_audit(audit, [study], look_of, seeds=lambda prompt: list(prompt.seeds))  # type: ignore[arg-type]
    else:
        store_images(audit, study, planted)
        judge: Any = ColourJudge()
        measure(audit, [judge], axes={GENDER: ("woman", "man")})
    return analyze(audit, settings=FAST)


def vote_as_planted(audit: AuditFolder, what: Any = None) -> None:
    """Let three people say what images show; one of them always sees a man."""
    rows = audit.images().filter("status = 'ok'").select("key, prompt, seed").fetchall()
    said = what or {
        key: planted(Prompt(prompt, {}, 1), seed) for key, prompt, seed in rows
    }  # by key
    questions = default_questions({GENDER: ("woman", "man")})
    votes = [
        Vote(key, rater, answers(label if rater != "c" else "man"))
        for key, label in said.items()
        for rater in "abc"
    ]
    store_votes(audit, Votes(questions, {key: RatedImage() for key in said}, votes))


def answers(label: str) -> dict[str, str]:
    """What a rater answers who sees this."""
    if label == "nobody":
        return {"person": "no", "attribute": "yes"}
    shown = {"unclear": "poor quality"}.get(label, label)
    return {"person": "yes", "attribute": "yes", "gender": shown}


def estimates(findings: list[Finding]) -> dict[tuple[str, str], Any]:
    return {(one.question, one.statistic): (one.estimate, one.n, one.n_missing) for one in findings}


@pytest.mark.parametrize(
    "study",
    [study_from_dict(COMPOSITION), study_from_dict(INTERVENTION), influence()],
    ids=lambda study: study.kind,
)
def test_given_labels_answer_what_the_same_labels_by_embeddings_do(
    study: Study, tmp_path: Path
) -> None:
    generator = Identity("folder", "colours")
    given, embedded = (
        answered(AuditFolder.at(tmp_path / by, generator), study, by=by)
        for by in ("judge", "encoder")
    )
    found = estimates(given.findings)
    assert found == estimates(embedded.findings)
    assert any(estimate is not None for estimate, _, _ in found.values())
    assert given.measurers == (ColourJudge.identity,)
    assert {one.measurer for one in given.findings} == {"colours"}


@pytest.mark.parametrize(
    "study",
    [study_from_dict(COMPOSITION), study_from_dict(INTERVENTION), influence()],
    ids=lambda study: study.kind,
)
def test_people_alone_answer_what_a_judge_with_the_same_labels_does(
    study: Study, tmp_path: Path
) -> None:
    generator = Identity("folder", "colours")
    people, judge = (
        answered(AuditFolder.at(tmp_path / by, generator), study, by=by)
        for by in ("raters", "judge")
    )
    assert estimates(people.findings) == estimates(judge.findings)
    assert [one.name for one in people.measurers] == ["raters"]
    assert {one.measurer for one in people.findings} == {"raters"}
    page = write_report(AuditFolder(tmp_path / "raters")).read_text(encoding="utf-8")
    assert "raters" in page


def test_people_beside_an_encoder_are_a_measurer_of_their_own(tmp_path: Path) -> None:
    study = study_from_dict(COMPOSITION)
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "colours"))
    fill_audit(audit, [study], look_of, seeds=lambda prompt: list(prompt.seeds))  # type: ignore[arg-type]
    vote_as_planted(audit)
    both = analyze(audit, settings=FAST).findings
    by = {
        who: {
            (one.question.removesuffix(f" · {who}"), one.statistic): one.estimate
            for one in both
            if one.measurer == who and "raters say" not in one.question
        }
        for who in (ENCODER.name, "raters")
    }
    assert by[ENCODER.name] == by["raters"]
    (agreement,) = [one for one in both if "raters say" in one.question]
    assert (agreement.measurer, agreement.estimate) == (ENCODER.name, 1.0)


def test_answers_that_check_a_measurer_are_no_sample_of_their_own(tmp_path: Path) -> None:
    """They were drawn by the labels of the measurer that they check."""
    study = study_from_dict(COMPOSITION)
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "colours"))
    fill_audit(audit, [study], look_of, seeds=lambda prompt: list(prompt.seeds))  # type: ignore[arg-type]
    key = audit.images().select("key").fetchall()[0][0]
    design = Design({"jobs": 24}, {key: "jobs"})
    campaign = {"axes": [GENDER], "check": True, "design": design.as_dict()}
    audit.remember_campaign("check", campaign)
    definitions = written(default_questions({GENDER: ("woman", "man")}))
    audit.append_votes(
        [
            Ballot(key, name, definitions[name], "rater-1", answer, source="check")
            for name, answer in answers("man").items()
        ]
    )
    results = analyze(audit, settings=FAST)
    assert {one.measurer for one in results.findings} == {ENCODER.name}


def test_amplification_by_people_alone(tmp_path: Path) -> None:
    study = worlds.a_study(subsets=["naive"])
    generated = {
        study.prompt(template, occupation): worlds.Shown(women=8, men=1, unclear=1)
        for template in study.templates
        for occupation in study.occupations
    }
    captions = {name: worlds.Captions(worlds.split(6, 4)) for name in study.occupations}
    audit, study = worlds.build(tmp_path / "audit", study, generated, captions)
    training = training_audit(audit)
    assert training is not None
    for side in (audit, training):
        data = side.read_images([key for (key,) in side.images().select("key").fetchall()])
        vote_as_planted(
            side,
            {key: shown(Image.open(io.BytesIO(one)).convert("RGB")) for key, one in data.items()},
        )
    shared = AuditData(audit, [prompt.text for prompt in study.prompts()], study.texts())
    by_encoder, by_people = (
        estimates(
            list(
                analyze_amplification(study, [shared.of_study(study.prompts(), one)], FAST).findings
            )
        )
        for one in (worlds.ENCODER, raters_identity("majority"))
    )
    assert by_people == by_encoder


def test_amplification_takes_labels_on_both_sides(tmp_path: Path) -> None:
    study = worlds.a_study(subsets=["naive"])
    generated = {
        study.prompt(template, occupation): worlds.Shown(women=8, men=1, unclear=1)
        for template in study.templates
        for occupation in study.occupations
    }
    captions = {name: worlds.Captions(worlds.split(6, 4)) for name in study.occupations}
    audit, study = worlds.build(tmp_path / "audit", study, generated, captions)
    training = training_audit(audit)
    assert training is not None
    judge: Any = ColourJudge()
    for side in (audit, training):
        measure(side, [judge])
    shared = AuditData(audit, [prompt.text for prompt in study.prompts()], study.texts())
    by_encoder, by_judge = (
        estimates(
            list(
                analyze_amplification(study, [shared.of_study(study.prompts(), one)], FAST).findings
            )
        )
        for one in (worlds.ENCODER, ColourJudge.identity)
    )
    assert by_judge == by_encoder
    (found, *_) = [value for (_, what), value in by_judge.items() if what == "amplification"]
    counts = [[[8, 1]] * len(study.templates)] * len(study.occupations)
    expected = amplification_from_counts(counts, [[6, 4]] * len(study.occupations))
    assert expected.plug_in == pytest.approx(100 * (8 / 9 - 0.6))
    assert found[0] == pytest.approx(expected.mean)


def test_associations_need_embeddings_and_say_so(audit: AuditFolder) -> None:
    study = load_study("flowers-insects").with_images(1)
    store_images(audit, study, lambda prompt, seed: "unclear")
    judge: Any = ColourJudge()
    measure(audit, [judge])
    (finding,) = analyze(audit, settings=FAST).findings
    assert finding.estimate is None
    assert finding.n_missing == sum(prompt.images for prompt in study.prompts())
    assert finding.sentence == (
        "not enough data: associations compare embeddings, and the measurer colours gives labels "
        "only; measure the images with an encoder too"
    )


@pytest.mark.parametrize(
    ("axes", "reason"),
    [
        (("mood",), "the measurer colours does not label the axis 'mood'; it labels: perceived ge"),
        ((GENDER,), "the measurer colours answers 'woman' on the axis 'perceived gender'; allowed"),
    ],
)
def test_an_axis_that_is_not_labelled_has_its_reason(
    audit: AuditFolder, axes: tuple[str, ...], reason: str
) -> None:
    other = {"groups": {"glad": ["glad"], "sad": ["sad"]}}
    study = study_from_dict({**COMPOSITION, "axes": dict.fromkeys(axes, other)})
    store_images(audit, study, lambda prompt, seed: "woman")
    judge: Any = ColourJudge()
    measure(audit, [judge])
    (finding,) = analyze(audit, settings=FAST).findings
    assert finding.estimate is None
    assert reason in finding.sentence


def axis(**changes: Any) -> Axis:
    return Axis.model_validate({**AXIS, **changes})


@pytest.mark.parametrize(
    ("given", "threshold", "label", "probability"),
    [
        ({"woman": 0.6, "man": 0.4}, 0, "woman", 0.6),
        ({"woman": 0.6, "man": 0.4}, 0.6, "woman", 0.6),
        ({"woman": 0.6, "man": 0.4}, 0.61, "unknown", math.nan),
        ({"woman": 0.5, "man": 0.5}, 0, "unknown", math.nan),
        ({"woman": 0.2, "unknown": 0.3}, 0, "unknown", 0.3),
        ({"nobody": 0.6, "woman": 0.4}, 0.9, "nobody", 0.6),
        ({"man": 0.01}, 0, "man", 0.01),
        ({"man": 0.0}, 0, "unknown", math.nan),
        ({}, 0, "unknown", math.nan),
    ],
)
def test_the_most_probable_answer_counts_from_the_threshold_on(
    given: dict[str, float], threshold: float, label: str, probability: float
) -> None:
    found = by_probabilities([given], axis(threshold=threshold))
    assert found is not None
    assert found.labels.tolist() == [label]
    assert found.chosen()[0].probability == pytest.approx(probability, nan_ok=True)


def test_by_default_an_answer_is_known_where_it_is_more_probable_than_all_others() -> None:
    given = [{"woman": 0.5, "man": 0.3}, {"woman": 0.49, "man": 0.3}]
    found = by_probabilities(given, axis())
    assert found is not None
    assert found.labels.tolist() == ["woman", "unknown"]
    assert {one.threshold for one in default_axes().values()} == {0.5}
    rule = LabelRule.of(GENDER, axis())
    assert rule.sentence() == (
        "The most probable answer counts; labels below a probability of 0.5 count as unknown, and "
        "so does a tie."
    )


def test_answers_of_another_axis_are_no_labels() -> None:
    assert by_probabilities([{"woman": 1}, {"tall": 0.2}], axis()) is None


def people(audit: AuditFolder, study: Study) -> Identity:
    """Store labelled people: by seed one woman, a woman and a man and a woman, nobody."""
    woman, man = ({"labels": {GENDER: {name: 0.9}}} for name in ("woman", "man"))
    found = {0: [woman], 1: [woman, man, woman], 2: []}
    who = Identity("faces", "labelled faces")
    start = study.prompts()[0].seeds[0]
    rows = audit.images().filter("prompt = 'a photo of a nurse'").select("key, seed").fetchall()
    measurements = [
        Measurement(key, {"labels": {}, "people": found[seed - start]})
        for key, seed in rows
        if seed - start in found
    ]
    audit.append_measurements(who, {"labels": "labels", "people": "json"}, measurements)
    return who


def test_most_labelled_people_decide(audit: AuditFolder) -> None:
    study = study_from_dict({**COMPOSITION, "images": 3})
    store_images(audit, study, planted)
    who = people(audit, study)
    prompts = study.prompts()[:1]
    data = AuditData(audit, [prompts[0].text], ()).of_study(prompts, who)
    found = image_labels(data.images(prompts), GENDER, axis(), data)
    assert found is not None
    assert found.labels.tolist() == ["woman", "woman", "nobody"]
    rows = labels_table(audit, [study]).to_pylist()
    assert [(row["person"], row["label"], row["probability"]) for row in rows] == [
        (None, "woman", 0.9),
        (None, "woman", None),
        (1, "woman", 0.9),
        (2, "man", 0.9),
        (3, "woman", 0.9),
        (None, "nobody", None),
    ]


def test_the_table_of_labels_has_every_image_axis_and_measurer_once(audit: AuditFolder) -> None:
    study = study_from_dict(COMPOSITION)
    fewer = study_from_dict({**COMPOSITION, "name": "fewer", "images": 2})
    stricter = study_from_dict(
        {**COMPOSITION, "name": "stricter", "axes": {GENDER: {**AXIS, "threshold": 0.96}}}
    )
    store_images(audit, study, planted)
    judge: Any = ColourJudge()
    measure(audit, [judge])
    rows = labels_table(audit, [study, fewer]).to_pylist()
    assert len(rows) == 24
    wanted = {(p.text, s): planted(p, s) for p in study.prompts() for s in p.seeds}
    assert {(row["prompt"], row["seed"]): row["label"] for row in rows} == wanted
    assert {(row["axis"], row["measurer"]) for row in rows} == {(GENDER, "colours")}
    sure = {"woman": 0.95, "man": 0.97}
    assert all(row["probability"] == sure[row["label"]] for row in rows)
    both = labels_table(audit, [study, stricter]).to_pandas()
    assert set(both["axis"]) == {f"{GENDER} (jobs)", f"{GENDER} (stricter)"}
    strict = both[both["axis"] == f"{GENDER} (stricter)"]
    assert set(strict["label"]) == {"man", "unknown"}
    assert strict["probability"].isna().equals(strict["label"] == "unknown")


def labelled_alone(audit: AuditFolder, study: Study) -> None:
    """Store a study's images, labelled by a judge, but not the study."""
    asked = [(prompt, seed) for prompt in study.prompts() for seed in prompt.seeds]
    rows = [
        ImageRecord(prompt.text, seed, "ok", None, png(planted(prompt, seed), number))
        for number, (prompt, seed) in enumerate(asked)
    ]
    audit.append_images(rows)
    judge: Any = ColourJudge()
    measure(audit, [judge], axes={GENDER: ("woman", "man")})


def test_labels_are_on_record_without_a_study(audit: AuditFolder) -> None:
    study = study_from_dict(COMPOSITION)
    labelled_alone(audit, study)
    rows = labels_table(audit).to_pylist()
    assert len(rows) == 24
    assert len(list(csv.DictReader(io.StringIO(labels_csv(audit))))) == 24
    assert labels_table(audit, []).num_rows == 0
    audit.remember_study(study.name, study.as_dict())
    asked = labels_table(audit).to_pylist()
    assert sorted(asked, key=str) == sorted(rows, key=str), "no label is listed twice"


@pytest.mark.parametrize("is_asked", [True, False])
def test_answers_that_check_a_measurer_are_on_record(audit: AuditFolder, is_asked: bool) -> None:
    study = study_from_dict(COMPOSITION)
    labelled_alone(audit, study)
    if is_asked:
        audit.remember_study(study.name, study.as_dict())
    text = study.prompts()[0].text
    first, second = (
        image_key(audit.generator, text, seed) for seed in study.prompts()[0].seeds[:2]
    )
    said = {(first, "a"): "woman", (first, "b"): "woman", (first, "c"): "man", (second, "a"): "man"}
    votes = [Vote(image, rater, answers(label)) for (image, rater), label in said.items()]
    about = {one: RatedImage() for one in (first, second)}
    questions = default_questions({GENDER: ("woman", "man")})
    audit.remember_campaign("check", {"axes": [GENDER], "check": True})
    store_votes(audit, Votes(questions, about, votes), source="check")
    rows = [row for row in labels_table(audit).to_pylist() if row["measurer"] == "raters"]
    told = {row["key"]: (row["label"], row["agreeing"], row["raters"]) for row in rows}
    assert told == {first: ("woman", 2, 3), second: ("man", 1, 1)}
    others = {(row["prompt"], row["axis"], row["probability"], row["person"]) for row in rows}
    assert others == {(text, GENDER, None, None)}


def test_labels_are_exported_beside_the_images(audit: AuditFolder, tmp_path: Path) -> None:
    study = study_from_dict(COMPOSITION)
    store_images(audit, study, planted)
    assert labels_csv(audit) == "", "nobody has labelled them"
    judge: Any = ColourJudge()
    measure(audit, [judge])
    summary = export_images(audit, tmp_path / "out", beside={"labels.csv": labels_csv(audit)})
    assert "24 images, metadata.csv and labels.csv written" in summary.sentence()
    text = (tmp_path / "out" / "labels.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 24
    assert {row["label"] for row in rows} == {"woman", "man"}
    assert labels_csv(audit, [load_study("flowers-insects")]) == "", "it has no axes"


def test_several_measurers_stand_side_by_side(audit: AuditFolder) -> None:
    study = study_from_dict(COMPOSITION)
    answered(audit, study, by="judge")
    vectors = direction(TEXTS["woman"]), direction("x")
    keys = [key for (key,) in audit.images().select("key").fetchall()]
    for one, vector in zip((ENCODER, OTHER_ENCODER), vectors, strict=True):
        rows = [Measurement(key, {"embedding": vector}) for key in keys]
        audit.append_measurements(one, {"embedding": "vector"}, rows)
    texts = list(study.texts())
    audit.append_texts(
        ENCODER, texts, np.stack([direction(text) for text in texts]),
        tokens=[3] * len(texts), truncated=[False] * len(texts),
    )  # fmt: skip
    assert {one.name for one in study_measurers(audit)} == {
        "colours", ENCODER.name, OTHER_ENCODER.name,
    }  # fmt: skip
    findings = analyze(audit, settings=FAST).findings
    spoken = {one.measurer for one in findings if one.estimate is not None}
    assert spoken == {"colours", ENCODER.name}
    (blind,) = [one for one in findings if one.measurer == OTHER_ENCODER.name]
    assert "has not read the texts of the axis" in blind.sentence
    rows = labels_table(audit).to_pylist()
    assert {row["measurer"] for row in rows} == {"colours", ENCODER.name}
