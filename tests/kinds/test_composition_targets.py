"""Targets and pairs of axes in composition studies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from portrayal.audit import AuditFolder
from portrayal.errors import StudyError
from portrayal.findings import AnalysisSettings, Finding, label_correction
from portrayal.findings.label_pools import LabelPool, PeopleSaid
from portrayal.numbers import percent
from portrayal.records import Identity, ImageRecord, Measurement, image_key
from portrayal.runner.analysis import analyze
from portrayal.studies import Study, study_from_dict

GENDER, TONE = "perceived gender", "skin tone"
JUDGE = Identity("judge", "toy")
PAIR = f"{GENDER} x {TONE}"


def study(**more: Any) -> Study:
    return study_from_dict(
        {
            "name": "jobs",
            "kind": "composition",
            "images": 40,
            "axes": [GENDER, TONE],
            "template": "a photo of {a job}",
            "factors": {"job": ["nurse", "chef", "pilot", "baker", "judge"]},
            **more,
        }
    )


def audit_of(folder: Path, asked: Study, cells: dict[tuple[str, str], float]) -> AuditFolder:
    """Return an audit whose images are labelled by chance, with these shares of cells."""
    names, shares = list(cells), list(cells.values())
    n = sum(prompt.images for prompt in asked.prompts())
    rng = np.random.default_rng(2)
    return labelled(folder, asked, [names[i] for i in rng.choice(len(names), size=n, p=shares)])


def labelled(folder: Path, asked: Study, drawn: list[tuple[str, str]]) -> AuditFolder:
    """Return an audit whose images have these labels."""
    audit = AuditFolder.at(folder, Identity("toy", folder.name))
    audit.remember_study(asked.name, asked.as_dict())
    wanted = [(p.text, seed) for p in asked.prompts() for seed in p.seeds]
    audit.append_images([ImageRecord(text, seed, "ok", None, b"x") for text, seed in wanted])
    audit.append_measurements(
        JUDGE,
        {"labels": "labels"},
        [
            Measurement(
                image_key(audit.generator, text, seed),
                {"labels": {GENDER: {gender: 1.0}, TONE: {tone: 1.0}}},
            )
            for (text, seed), (gender, tone) in zip(wanted, drawn, strict=True)
        ],
    )
    return audit


UNEVEN = {
    ("woman", "light skin"): 0.3, ("man", "light skin"): 0.5, ("man", "dark skin"): 0.2,
}  # fmt: skip
INDEPENDENT = {
    (g, t): a * b
    for g, a in (("woman", 0.3), ("man", 0.7))
    for t, b in (("light skin", 0.8), ("dark skin", 0.2))
}


def answers(audit: AuditFolder) -> dict[str, Finding]:
    return {one.question: one for one in analyze(audit).findings}


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"joint": [["gender", TONE]]}, r"joint\[0\] names 'gender'.*; allowed: "),
        ({"joint": [[TONE, TONE]]}, r"joint\[0\] names 'skin tone' twice; allowed: two axes"),
        ({"targets": {"age": "even"}}, "targets.'age' is no axis"),
        ({"targets": {TONE: "equal"}}, "targets.'skin tone' is 'equal'; allowed: 'even'"),
        ({"targets": {TONE: {"dark skin": 0.4}}}, "has no share of 'light skin'"),
        ({"targets": {TONE: {"dark": 0.4, "light skin": 0.6}}}, "has a share of 'dark'; allowed"),
        ({"targets": {TONE: {"dark skin": 0.4, "light skin": 0.7}}}, "sums to 1.1; allowed"),
        ({"targets": {TONE: {"dark skin": 40, "light skin": 60}}}, "the share 40; allowed: 0 to 1"),
        (
            {"targets": {TONE: 0.5}},
            f"targets of '{TONE}' is 0.5; allowed: 'even', 'training', a table of shares",
        ),
        ({"targets": {TONE: {"audit": 3}}}, "has audit = 3; allowed: the folder of an audit"),
    ],
)
def test_a_wrong_file_is_one_line(more: dict[str, Any], line: str) -> None:
    with pytest.raises(StudyError, match=line) as caught:
        study(**more)
    assert "\n" not in str(caught.value)


def test_a_study_comes_back_as_it_was_remembered() -> None:
    asked = study(joint=[[GENDER, TONE]], targets={TONE: {"dark skin": 0.4, "light skin": 0.6}})
    assert study_from_dict(asked.as_dict()) == asked


def test_shares_are_compared_with_a_table(tmp_path: Path) -> None:
    own = {"woman": 0.3, "man": 0.7}
    asked = study(targets={GENDER: own, TONE: "even"})
    found = answers(audit_of(tmp_path / "a", asked, INDEPENDENT))
    as_wanted = found[f"{GENDER}: how far are shares from the target?"]
    assert as_wanted.p is not None
    assert as_wanted.p > 0.05
    assert as_wanted.low == 0
    uneven = found[f"{TONE}: how far are shares from the target?"]
    assert uneven.is_clear(0.05)
    assert uneven.estimate == pytest.approx(0.3, abs=0.08)
    assert uneven.details["too_often"] == "light skin"


def test_cells_of_two_axes_that_are_missing_are_named(tmp_path: Path) -> None:
    found = answers(audit_of(tmp_path / "a", study(joint=[[GENDER, TONE]]), UNEVEN))
    missing = found[f"{PAIR}: which cells are missing?"]
    assert missing.estimate == 1
    assert "woman x dark skin" in missing.sentence
    largest = found[f"{PAIR}: which share is largest?"]
    assert largest.details["cell"] == "man x light skin"
    assert largest.low is not None
    assert largest.high is not None
    assert largest.low < 0.5 < largest.high
    assert found[f"{PAIR}: how far are shares from the target?"].is_clear(0.05)


def test_a_share_that_differs_from_its_counts_says_why(tmp_path: Path) -> None:
    asked = study(joint=[[GENDER, TONE]], images=7)
    largest = answers(audit_of(tmp_path / "a", asked, UNEVEN))[f"{PAIR}: which share is largest?"]
    k, n = map(int, re.findall(r"(\d+) of (\d+) images", largest.sentence)[0])
    assert percent(k / n) != percent(largest.estimate)
    assert f"({percent(k / n)}); {percent(largest.estimate)} when drawn" in largest.sentence


@pytest.mark.parametrize(("cells", "differs"), [(INDEPENDENT, False), (UNEVEN, True)])
def test_shares_are_compared_with_another_audit(
    tmp_path: Path, cells: dict[tuple[str, str], float], differs: bool
) -> None:
    audit_of(tmp_path / "other", study(), INDEPENDENT)
    asked = study(joint=[[GENDER, TONE]], targets={PAIR: {"audit": str(tmp_path / "other")}})
    distance = answers(audit_of(tmp_path / "a", asked, cells))[
        f"{PAIR}: how far are shares from the target?"
    ]
    assert distance.p is not None
    assert (distance.p < 0.05) == differs


@pytest.mark.parametrize(
    ("target", "reason"),
    [("training", "the audit has no training images"), ({"audit": "nowhere"}, "nowhere")],
)
def test_a_target_that_is_not_there_is_a_reason(
    tmp_path: Path, target: object, reason: str
) -> None:
    asked = study(targets={GENDER: target})
    found = answers(audit_of(tmp_path / "a", asked, INDEPENDENT))
    assert reason in found[f"{GENDER}: how far are shares from the target?"].reason


def test_settings_that_a_kind_does_not_use_are_said(tmp_path: Path) -> None:
    audit = audit_of(tmp_path / "a", study(images=2), INDEPENDENT)
    settings = AnalysisSettings(alternative="less", unit="image")
    (section,) = analyze(audit, settings=settings).studies
    assert "Not used by composition studies: alternative = less." in section.notes
    (section,) = analyze(audit).studies
    assert not any("Not used" in note for note in section.notes)


# --- correction by people's labels ---------------------------------------------------------------


def by_people(monkeypatch: pytest.MonkeyPatch, *axes: str) -> None:
    """Let people label every third image on these axes, half of them unlike the measurer."""

    def said(pool: LabelPool, rule: object) -> PeopleSaid:
        keys = pool.keys[::3] if pool.axis in axes else ()
        labels = {
            key: pool.groups[0] if i % 2 else label
            for i, (key, label) in enumerate(zip(keys, pool.labels[::3], strict=False))
        }
        return PeopleSaid(labels, dict.fromkeys(labels, 3.0))

    monkeypatch.setattr(label_correction, "people_said", said)


EVERY = {"joint": [[GENDER, TONE]], "targets": {GENDER: "even", TONE: "even"}}
QUESTIONS = (
    "how far are shares from the target?", "which share is largest?", "which cells are missing?",
)  # fmt: skip


def test_distance_largest_share_and_missing_cells_are_corrected_by_peoples_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = audit_of(
        tmp_path / "a",
        study(joint=[[GENDER, TONE]], targets={GENDER: "even", TONE: "even"}),
        UNEVEN,
    )
    before = answers(audit)
    by_people(monkeypatch, GENDER, TONE)
    after = answers(audit)
    for question in QUESTIONS:
        was, found = before[f"{PAIR}: {question}"], after[f"{PAIR}: {question}"]
        assert was.labels is not None
        assert was.labels.status == "unchecked"
        assert found.labels is not None
        assert (found.labels.status, found.labels.n_checked) == ("corrected", 67)
        assert found.labels.estimate == was.estimate
        assert found.estimate != was.estimate
        assert "corrected by people's labels of 67 images" in found.sentence
        assert "too few units" not in found.sentence + found.about_labels(0.95)
    assert "woman x dark skin" in before[f"{PAIR}: which cells are missing?"].sentence
    largest = after[f"{TONE}: which share is largest?"]
    assert largest.details["cell"] == "light skin"
    assert "which share is largest?: dark skin, largest share" in largest.sentence


def test_cells_of_which_people_checked_one_axis_are_not_corrected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = audit_of(
        tmp_path / "a",
        study(joint=[[GENDER, TONE]], targets={GENDER: "even", TONE: "even"}),
        UNEVEN,
    )
    by_people(monkeypatch, GENDER)
    found = answers(audit)
    labels = {one: found[f"{one}: which share is largest?"].labels for one in (GENDER, TONE, PAIR)}
    status = {name: one.status for name, one in labels.items() if one is not None}
    assert status == {GENDER: "corrected", TONE: "unchecked", PAIR: "unchecked"}


def test_axes_that_go_together_do_so_after_correction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A measurer that errs at 30% and 10% hides it; labels drawn axis by axis would hide it, too.

    Corrected like that, the distance was 0.09 (0.02 to 0.17) instead of 0.3.
    """
    asked = study(joint=[[GENDER, TONE]], images=120)
    groups = [("woman", "man"), ("light skin", "dark skin")]
    rng = np.random.default_rng(5)
    cell = rng.choice(4, size=600, p=[0.4, 0.1, 0.1, 0.4])
    truth = np.stack(np.divmod(cell, 2))
    wrong = rng.random(truth.shape) < np.where(truth == 0, 0.3, 0.1)

    def named(codes: np.ndarray) -> list[tuple[str, str]]:
        return [(groups[0][i], groups[1][j]) for i, j in codes.T]

    audit = labelled(tmp_path / "a", asked, named(np.where(wrong, 1 - truth, truth)))
    wanted = [image_key(audit.generator, p.text, seed) for p in asked.prompts() for seed in p.seeds]
    people = dict(zip(wanted, named(truth), strict=True))

    def said(pool: LabelPool, rule: object) -> PeopleSaid:
        labels = {key: people[key][pool.axis == TONE] for key in pool.keys[::5]}
        return PeopleSaid(labels, dict.fromkeys(labels, 5.0))

    before = answers(audit)[f"{PAIR}: how far are shares from the target?"]
    assert before.high is not None
    assert before.high < 0.3
    monkeypatch.setattr(label_correction, "people_said", said)
    found = answers(audit)[f"{PAIR}: how far are shares from the target?"]
    assert found.estimate == pytest.approx(0.3, abs=0.04)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.3 < found.high
    assert found.labels is not None
    assert "errors on one axis do not depend on the other" in found.labels.assumption


def test_a_distance_from_uncorrected_images_is_not_corrected_on_one_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit_of(tmp_path / "other", study(), INDEPENDENT)
    asked = study(targets={GENDER: {"audit": str(tmp_path / "other")}})
    audit = audit_of(tmp_path / "a", asked, UNEVEN)
    before = answers(audit)
    by_people(monkeypatch, GENDER, TONE)
    after = answers(audit)
    far = f"{GENDER}: how far are shares from the target?"
    assert after[far].estimate == before[far].estimate
    labels = after[far].labels
    assert labels is not None
    assert (labels.status, labels.n_checked) == ("unchecked", 67)
