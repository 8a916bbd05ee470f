"""Where a person detector has looked, most people of an image decide what it counts as."""

from __future__ import annotations

import json

import numpy as np
import pytest

from invented import ENCODER, direction, fill_audit
from portrayal.audit import AuditFolder
from portrayal.findings.people import image_label
from portrayal.findings.settings import AnalysisSettings
from portrayal.records import Identity, Measurement, Prompt
from portrayal.runner.analysis import analyze
from portrayal.studies.axes import default_axes
from portrayal.studies.reading import study_from_toml
from portrayal.studies.schema import Study

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
    assert image_label(labels) == expected


def study() -> Study:
    return study_from_toml(JOBS, source="jobs.toml", name="jobs")


def looks(name: str) -> np.ndarray:
    return direction(LOOKS[name])


def whole(prompt: Prompt, seed: int) -> np.ndarray:
    """Every whole image looks like a man's."""
    return looks("man") + 0.3 * direction(AXIS.person[0]) - 0.3 * direction(AXIS.object[0])


def people_of(audit: AuditFolder, shown: dict[int, list[str]]) -> None:
    """Store who is in the images of the nurse, by seed."""
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


def test_people_are_counted_one_by_one(audit: AuditFolder) -> None:
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
    assert counts["judge"]["counts"] == {"man": 6, "woman": 0}, "nobody looked: whole images"
    (note,) = [note for note in results.studies[0].notes if "one by one" in note]
    assert "where boxes found them: nobody in 1 of 12 images, one person in 2, several in 3" in note
    assert "6 images without a look count as a whole" in note


def test_whole_images_can_be_asked_for(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], whole)
    people_of(audit, {seed: ["woman"] for seed in range(6)})
    settings = AnalysisSettings(resamples=199, people="whole")
    results = analyze(audit, settings=settings)
    shares = [f.details["counts"] for f in results.findings if f.statistic == "group share"]
    assert shares == [{"man": 6, "woman": 0}] * 2
    assert not any("one by one" in note for note in results.studies[0].notes)
    assert json.loads((audit.path / "results.json").read_text())["settings"]["people"] == "whole"
