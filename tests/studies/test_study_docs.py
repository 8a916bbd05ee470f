"""The examples of docs/studies load as they stand."""

from __future__ import annotations

import re
from pathlib import Path

from portrayal.studies.reading import study_from_toml
from portrayal.studies.schema import Study

DOCS = Path(__file__).parents[2] / "docs" / "studies"


def blocks(name: str) -> list[str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)


def load(text: str) -> Study:
    study = study_from_toml(text, source="docs", name="docs")
    assert isinstance(study, Study)
    return study


def test_the_association_example_is_a_study() -> None:
    (example,) = blocks("association.md")
    assert len(example.splitlines()) <= 10
    assert load(example).prompts()[0].text == "a photo of a guitar"


def test_the_composition_examples_are_studies() -> None:
    example, axis, targets = blocks("composition.md")
    assert len(load(example).prompts()) == 3
    own = load(example.replace('axes = ["perceived gender", "skin tone"]\n', "") + axis)
    assert "a picture of a child" in own.texts()
    pair = 'joint = [["perceived gender", "skin tone"]]\n'
    compared = load(pair + example + targets).as_dict()["targets"]
    assert compared["perceived gender x skin tone"] == {"audit": "audits/other-model"}
