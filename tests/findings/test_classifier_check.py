"""Labels against a second classifier or people: the layout of tables 3 and 4."""

from __future__ import annotations

import numpy as np
import pytest

from invented import ENCODER, OTHER_ENCODER, direction, fill_audit
from portrayal.audit import AuditFolder
from portrayal.findings.classifier_check import (
    check_classifier,
    check_table,
    encoder_checks,
    labels_by_key,
)
from portrayal.findings.data import AuditData
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.records import Prompt
from portrayal.statistics.classification import confusion_scores
from portrayal.studies.reading import load_study


def test_table_four_is_the_papers() -> None:
    """Table 4 from its confusion matrix [[12, 1], [21, 106]]."""
    result = confusion_scores([[12, 1], [21, 106]], labels=["female", "male"])
    table = check_table(result, name="t", title="t")
    numbers = {
        row[0]: [None if row[i] is None else round(row[i], 2) for i in (1, 4, 7)] + [row[10]]
        for row in table.rows
    }
    assert numbers == {
        "female": [0.36, 0.92, 0.52, 13],
        "male": [0.99, 0.83, 0.91, 127],
        "accuracy": [None, None, 0.84, 140],
        "macro average": [0.68, 0.88, 0.71, 140],
        "weighted average": [0.93, 0.84, 0.87, 140],
    }
    for row in table.rows:
        for value in (1, 4, 7):
            if row[value] is not None:
                assert row[value + 1] < row[value] < row[value + 2]


def test_agrees_with_scikit_learn() -> None:
    from sklearn.metrics import precision_recall_fscore_support

    draw = np.random.default_rng(3)
    truth = {f"{i}": str(draw.choice(["man", "woman"])) for i in range(200)}
    said = {
        key: label if draw.random() < 0.8 else str(draw.choice(["man", "woman"]))
        for key, label in truth.items()
    }
    ours = check_classifier(truth, said)
    theirs = precision_recall_fscore_support(
        list(truth.values()), list(said.values()), labels=["man", "woman"]
    )
    assert np.allclose([ours.precision, ours.recall, ours.f1, ours.support], theirs)


def test_only_images_with_both_labels_count() -> None:
    truth = {"1": "woman", "2": "man", "3": "man", "4": "unknown", "5": "woman"}
    said = {"1": "woman", "2": "woman", "4": "man", "5": "nobody", "9": "man"}
    result = check_classifier(truth, said, classes=["woman", "man"])
    assert result.matrix.tolist() == [[1, 0], [1, 0]]
    assert result.n_missing == 2
    assert "2 images without a class on one side" in check_table(result, name="", title="").note


def test_encoders_are_checked_against_each_other(audit: AuditFolder) -> None:
    """The second encoder sees women where the first sees men in one image of four."""
    study = load_study("demo-occupations")
    assert isinstance(study, CompositionStudy)
    study = study.with_images(4)
    (axis,) = study.axes.values()

    def towards(group: str) -> np.ndarray:
        return 2 * direction(axis.groups[group][0]) + direction(axis.person[0])

    def first(prompt: Prompt, seed: int) -> np.ndarray:
        return towards("man")

    def second(prompt: Prompt, seed: int) -> np.ndarray:
        return towards("woman" if seed == 0 else "man")

    fill_audit(audit, [study], first)
    fill_audit(audit, [study], second, encoder=OTHER_ENCODER)
    prompts = study.prompts()
    shared = AuditData(audit, [prompt.text for prompt in prompts], study.texts())
    data = [shared.of_study(prompts, one) for one in (ENCODER, OTHER_ENCODER)]
    tables = encoder_checks(prompts, study.axes, data, AnalysisSettings())
    assert [table.title for table in tables] == [
        "invented-encoder against other-encoder: perceived gender",
        "other-encoder against invented-encoder: perceived gender",
    ]
    rows = {row[0]: row for row in tables[0].rows}
    assert rows["accuracy"][7] == pytest.approx(0.75)
    assert rows["woman"][4] == 0.0
    labels = labels_by_key(prompts, "perceived gender", axis, data[1])
    assert labels is not None
    assert sorted(set(labels.values())) == ["man", "woman"]
    assert encoder_checks(prompts, study.axes, data[:1], AnalysisSettings()) == []
