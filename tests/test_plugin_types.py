"""A strict type checker accepts what other packages bring, as the documentation writes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parents[1]

MEASURERS = """
from collections.abc import Sequence
from typing import ClassVar

from PIL import Image

from portrayal import Identity, run
from portrayal.measurers import Answer, MeasurerKind, Reason


class Glasses:
    identity = Identity("classifier", "glasses", {"version": 1})
    gives = ("labels",)
    axes: ClassVar[dict[str, tuple[str, ...]]] = {"glasses": ("with", "without")}

    def measure(self, images: Sequence[Image.Image]) -> list[Answer | Reason]:
        return [{"labels": {"glasses": {"with": 0.9}}} for _ in images]


class Brightness:
    identity = Identity("numbers", "brightness")
    gives = ("numbers",)

    def measure(self, images: Sequence[Image.Image]) -> list[Answer]:
        return [{"numbers": {"brightness": 0.5}} for _ in images]


class Crowd:
    identity = Identity("detector", "crowd")
    gives = ("people",)

    def measure(self, images: Sequence[Image.Image]) -> list[Answer]:
        return [{"people": [{"box": (0, 0, 1, 1), "confidence": 0.9}]} for _ in images]


KINDS = [
    MeasurerKind(written="glasses", open=lambda name: Glasses(), names=("glasses",)),
    MeasurerKind(written="brightness", open=lambda name: Brightness(), names=("brightness",)),
    MeasurerKind(written="crowd", open=lambda name: Crowd(), names=("crowd",)),
]
run("demo-occupations", measurer=[Glasses(), Brightness(), Crowd()], out="x")
"""


def check(*targets: str) -> tuple[str, int]:
    config = [
        "--config-file",
        str(ROOT / "pyproject.toml"),
        "--cache-dir",
        str(ROOT / ".mypy_cache"),
    ]
    said, trouble, code = api.run([*config, "--strict", *targets])
    return said + trouble, code


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # the paths of the configuration begin there


def test_the_package_of_somebody_else_is_accepted() -> None:
    said, code = check("-p", "portrayal_sketches")
    assert code == 0, said


def test_measurers_of_all_kinds_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(MEASURERS)
    said, code = check(str(tmp_path / "own.py"))
    assert code == 0, said


@pytest.mark.parametrize(
    ("right", "wrong", "why"),
    [
        ('{"numbers": {"brightness": 0.5}}', '{"number": 0.5}', 'Extra key "number"'),
        ('{"with": 0.9}', '{"with": "yes"}', "expected List.Answer . Reason"),
        ("def measure(self, images", "def judge(self, images", "Argument .open. to .MeasurerKind."),
    ],
)
def test_a_wrong_measurer_is_refused(tmp_path: Path, right: str, wrong: str, why: str) -> None:
    assert right in MEASURERS
    (tmp_path / "own.py").write_text(MEASURERS.replace(right, wrong))
    said, code = check(str(tmp_path / "own.py"))
    assert code == 1
    assert re.search(why, said), said
