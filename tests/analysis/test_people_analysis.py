"""Where a person detector has looked, most people of a picture decide what it counts as."""

from __future__ import annotations

import json

import numpy as np
import pytest
from invented import ENCODER, direction, fill_audit

from portrayal.analysis import AnalysisSettings, analyze
from portrayal.analysis.people import picture_label
from portrayal.audit import Audit
from portrayal.records import Identity, Measurement, Prompt
from portrayal.study import Study, default_axes, study_from_toml

AXIS = default_axes()["perceived gender"]
LOOKS = {"man": AXIS.groups["man"][0], "woman": AXIS.groups["woman"][0]}
PEOPLE = Identity(
    "people", "boxes and invented-encoder",
    {"encoder": ENCODER.digest, "detector": {"kind": "person-detector", "name": "boxes"}},
)  # fmt: skip
JOBS = """
kind = "composition"
images = 6
template = "a photo of a {job}"
axes = ["perceived gender"]
[factors]
job = ["nurse", "judge"]
"""


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([], "nobody"),
        (["woman"], "woman"),
        (["man", "woman", "man"], "man"),
        (["man", "woman"], "unknown"),
        (["unknown", "unknown", "man"], "unknown"),
        (["man", "woman", "unknown"], "unknown"),
    ],
)
def test_most_people_decide(labels: list[str], expected: str) -> None:
    assert picture_label(labels) == expected


def study() -> Study:
    return study_from_toml(JOBS, source="jobs.toml", name="jobs")


def looks(name: str) -> np.ndarray:
    return direction(LOOKS[name])


def whole(prompt: Prompt, seed: int) -> np.ndarray:
    """Every whole picture looks like a man's."""
    return looks("man") + 0.3 * direction(AXIS.person[0]) - 0.3 * direction(AXIS.object[0])


def people_of(audit: Audit, shown: dict[int, list[str]]) -> None:
    """Store who is in the pictures of the nurse, by seed."""
    rows = audit.images().filter("prompt = 'a photo of a nurse'").select("key, seed").fetchall()
    found = []
    for key, seed in rows:
        if seed in shown:
            people = [
                {"box": [0, 0, 9, 9, 0.9], "embedding": looks(name).tolist()}
                for name in shown[seed]
            ]
            found.append(Measurement(key, {"people": people}))
    audit.append_measurements(PEOPLE, {"people": "json"}, found)


def test_people_are_counted_one_by_one(audit: Audit) -> None:
    fill_audit(audit, [study()], whole)
    woman, man = ["woman"], ["man"]
    people_of(audit, {0: woman, 1: woman, 2: woman * 2 + man, 3: woman + man, 4: [], 5: man * 2})
    results = analyze(audit, settings=AnalysisSettings(resamples=199))
    counts = {
        finding.details["level"]: finding.details
        for finding in results.findings
        if finding.statistic == "group share"
    }
    assert counts["nurse"]["counts"] == {"man": 1, "woman": 3}
    assert (counts["nurse"]["unknown"], counts["nurse"]["nobody"]) == (1, 1)
    assert counts["judge"]["counts"] == {"man": 6, "woman": 0}, "nobody looked: whole pictures"
    (note,) = [note for note in results.results[0].notes if "one by one" in note]
    assert "where boxes found them: of 12 pictures 1 show nobody, 2 one person, 3 several" in note
    assert "6 pictures without a look count as a whole" in note


def test_whole_pictures_can_be_asked_for(audit: Audit) -> None:
    fill_audit(audit, [study()], whole)
    people_of(audit, {seed: ["woman"] for seed in range(6)})
    settings = AnalysisSettings(resamples=199, people="whole")
    results = analyze(audit, settings=settings)
    shares = [f.details["counts"] for f in results.findings if f.statistic == "group share"]
    assert shares == [{"man": 6, "woman": 0}] * 2
    assert not any("one by one" in note for note in results.results[0].notes)
    assert json.loads((audit.path / "results.json").read_text())["settings"]["people"] == "whole"
