"""Findings from labels that were drawn several times are combined, question by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from invented import ENCODER, direction, fill_audit
from portrayal.audit import AuditFolder
from portrayal.findings import (
    AnalysisSettings,
    Asked,
    Finding,
    LabelScale,
    Shares,
    StudyData,
    StudyResult,
)
from portrayal.findings import label_correction as correction
from portrayal.findings.data import AuditData
from portrayal.findings.label_pools import LabelPool, PeopleSaid, study_pools
from portrayal.kinds.composition.analysis import analyze_composition
from portrayal.statistics import combine_draws, without_averaged_noise
from portrayal.studies import Study
from portrayal.studies.reading import study_from_toml

JOBS = """
kind = "composition"
images = 8
axes = ["perceived gender"]
template = "a photo of {a job}"
[factors]
job = ["nurse", "chef"]
"""


def measured(audit: AuditFolder) -> tuple[Study, StudyData]:
    study = study_from_toml(JOBS, source="jobs.toml", name="jobs")
    fill_audit(audit, [study], lambda prompt, seed: direction(f"{prompt.text} {seed % 2}"))
    texts = [prompt.text for prompt in study.prompts()]
    data = AuditData(audit, texts, study.texts()).of_study(study.prompts(), ENCODER, label="it")
    data = replace(data, audit=audit)
    return study, data


@pytest.mark.parametrize(("answers", "status"), [(0, "unchecked"), (1, "unchecked"),
                                                 (20, "corrected")])  # fmt: skip
def test_a_question_that_hardly_any_set_of_labels_answers_stays_as_it_was(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch, answers: int, status: str
) -> None:
    study, data = measured(audit)
    asked = Asked("jobs", "composition", "who?", "group share", "image", data.label)
    shown = asked.answered(0.5, (0.3, 0.7), n=16, n_missing=0, sentence="x")
    shown = shown.on_labels(LabelScale(0.5, 1.0, 0.0, 1.0))
    calls: list[Sequence[StudyData]] = []

    def analyze(drawn: Sequence[StudyData], settings: AnalysisSettings) -> StudyResult:
        calls.append(drawn)
        return StudyResult("jobs", "composition", "", [shown] if len(calls) <= answers else [])

    def said(pool: LabelPool, rule: object) -> PeopleSaid:
        labels = {key: pool.groups[i % 2] for i, key in enumerate(pool.keys)}
        return PeopleSaid(labels, dict.fromkeys(labels, 1.0))

    monkeypatch.setattr(correction, "people_said", said)
    (found,) = correction.correct_labels(
        StudyResult("jobs", "composition", "", [shown]), [data], [study_pools(study, data)],
        AnalysisSettings(), analyze,
    ).findings  # fmt: skip
    assert len(calls) == 20
    assert found.labels is not None
    assert (found.estimate, found.labels.status, found.labels.n_checked) == (0.5, status, 16)


def test_noise_of_a_correction_for_chance_is_left_out(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, data = measured(audit)
    asked = Asked("jobs", "composition", "how?", "diversity score", "image", data.label)
    rng = np.random.default_rng(2)
    values, plug_in = rng.normal(0.5, 0.1, 20), rng.normal(0.6, 0.1, 20)

    def finding(value: float, published: float) -> Finding:
        bounds = (value - 0.2, value + 0.2)
        shown = asked.answered(value, bounds, n=16, n_missing=0, sentence="x")
        return shown.on_labels(LabelScale(0.0, 2.0, 0.0, 1.0), plug_in=published)

    def result(*found: Finding) -> StudyResult:
        return StudyResult("jobs", "composition", "", list(found))

    sets = [result(finding(*one)) for one in zip(values, plug_in, strict=True)]

    def said(pool: LabelPool, rule: object) -> PeopleSaid:
        labels = {key: pool.groups[i % 2] for i, key in enumerate(pool.keys)}
        return PeopleSaid(labels, dict.fromkeys(labels, 1.0))

    monkeypatch.setattr(correction, "people_said", said)
    (found,) = correction.correct_labels(
        result(finding(0.7, 0.8)), [data], [study_pools(study, data)], AnalysisSettings(),
        lambda drawn, settings: sets.pop(0),
    ).findings  # fmt: skip
    once = without_averaged_noise(values, values - 0.2, values + 0.2, plug_in=plug_in)
    expected = combine_draws(*once, within=(0.0, 1.0)).interval
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert found.labels is not None
    assert found.labels.plug_in is None, "what only the correction reads is not kept"


def test_a_level_whose_images_people_all_labelled_has_an_answer(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The measurer gave fewer than 3 of its images a label; it stayed "not enough data"."""
    study, data = measured(audit)
    keys = {key for one in data.usable.values() for key in one.keys}
    silent = replace(data, labels={key: {"perceived gender": {"unknown": 1.0}} for key in keys})

    def said(pool: LabelPool, rule: object) -> PeopleSaid:
        nurses = [key for key, text in zip(pool.keys, pool.prompts, strict=True) if "nurse" in text]
        chefs = [key for key in pool.keys if key not in nurses]
        asked = [*nurses, *chefs[:6]]
        labels = {key: pool.groups[i % 4 == 0] for i, key in enumerate(asked)}
        return PeopleSaid(labels, dict.fromkeys(labels, 1.0))

    monkeypatch.setattr(correction, "people_said", said)
    settings = AnalysisSettings(resamples=99)

    def analyze(drawn: Sequence[StudyData], settings: AnalysisSettings) -> StudyResult:
        return analyze_composition(study, drawn, settings)  # type: ignore[arg-type]

    before = analyze([silent], settings)
    after = correction.correct_labels(
        before, [silent], [study_pools(study, silent)], settings, analyze
    )
    shares = {one.details["level"]: one for one in after.findings if "level" in one.details}
    assert all(one.estimate is None for one in before.findings)
    nurse = shares["nurse"]
    assert nurse.labels is not None
    assert (nurse.estimate, nurse.n, nurse.n_missing) == (0.75, 8, 0)
    assert (nurse.labels.status, nurse.labels.n_checked) == ("corrected", 14)
    assert nurse.sentence.startswith("By people's labels: Nurse: 6 of 8 labelled images")
    assert nurse.labels.words(0.95).endswith("of 14 images. Uncorrected: not enough data.")
    assert shares["chef"].estimate is None, "people did not label all of them"
    (table,) = [part for part in after.parts if isinstance(part, Shares)]
    (row,) = [one for one in table.rows if (one.level, one.group) == ("nurse", "woman")]
    assert row.share == 0.75
