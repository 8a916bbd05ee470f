"""Wrong arguments from Python: one line that says what was got and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import portrayal as pt
from command_line import WORK
from label_measurers import ColourJudge
from toy_generators import ColourGenerator

OUT = "audits/x"
"""Where tests run, nothing is there."""


class Generates:
    """A generator whose members a test replaces."""

    identity: Any = pt.Identity("toy", "toy")
    batch_size: Any = 2

    def check(self, prompts: Any) -> int:
        return 0

    def generate(self, requests: Any) -> list[pt.GeneratedImage]:
        return []


def having(one: Any, **members: Any) -> Any:
    """Return an object with members replaced."""
    for name, value in members.items():
        setattr(one, name, value)
    return one


class Judge(ColourJudge):
    """A measurer that gives labels, whatever it is told to."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def measure(self, images: Sequence[Any]) -> Any:
        return self.answer if self.answer is None else self.answer(images)


def run(study: Any = "work.toml", **given: Any) -> pt.Audit:
    return pt.run(study, **{"out": OUT, "model": "practice:painter", "images": 1, **given})


def judged(answer: Callable[[Sequence[Any]], Any]) -> pt.Audit:
    return run(model=ColourGenerator(), measurers=Judge(answer))


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    # --- studies
    "a misspelt study": (lambda: run("demo-ocupations"), "did you mean demo-occupations"),
    "a study that is a number": (lambda: run(5), "study is 5; allowed: the name of a study"),
    "no study": (lambda: run([]), r"study is \[\]; allowed"),
    "a list with a number": (lambda: run(["work.toml", 5]), "study is 5; allowed"),
    "a study twice": (lambda: run(["work.toml", "work.toml"]), "two of work, work have one name"),
    "a frame for a study": (lambda: run(pd.DataFrame({"a": [1, 2]})), "no study 'a'"),
    "a file that is absent": (lambda: run("absent.toml"), "absent.toml: no such file"),
    "load_study of a number": (lambda: pt.load_study(5), "study is 5; allowed"),  # type: ignore[arg-type]
    "load_study misspelt": (lambda: pt.load_study("demo-ocupations"), "there is no study"),
    # --- places
    "out is a number": (lambda: run(out=5), "out is 5; allowed: the path of a folder"),
    "out is empty": (lambda: run(out=""), "out is ''; allowed: the path of a folder"),
    "out with a null": (lambda: run(out="a\0b"), "out is 'a.x00b'; allowed"),
    "out is None": (lambda: run(out=None), "out is None; allowed: the path of a folder"),
    "corpus is a number": (lambda: run(corpus=5), "corpus is 5; allowed"),
    "corpus without use": (lambda: run(corpus="x"), "corpus is for amplification studies"),
    "no audit there": (lambda: pt.Audit("absent"), "absent"),
    "an audit of a number": (lambda: pt.Audit(5), "path is 5; allowed"),  # type: ignore[arg-type]
    "results of a number": (lambda: pt.load_results(5), "path is 5; allowed"),  # type: ignore[arg-type]
    "results of nothing": (lambda: pt.load_results("absent"), "absent"),
    # --- models
    "model is an object": (
        lambda: run(model=object()),
        "model is <object .*>; allowed: a name, or",
    ),
    "model is a number": (lambda: run(model=5), "model is 5; allowed: a name, or an object"),
    "model is an array": (lambda: run(model=np.zeros((9, 9))), r"model is array.*\.\.\.; allowed"),
    "model is a class": (lambda: run(model=Generates), "model is <class .*; allowed: a name, or"),
    "model without methods": (
        lambda: run(model=ColourJudge()),
        "model is a ColourJudge object without batch_size, check, generate; it needs identity",
    ),
    "model without identity": (
        lambda: run(model=having(Generates(), identity="toy")),
        "model is a Generates object whose identity is no Identity",
    ),
    "model with odd batches": (
        lambda: run(model=having(Generates(), batch_size=0)),
        "batch_size is 0; allowed: a whole number",
    ),
    "a model misspelt": (lambda: run(model="practise"), "did you mean practice"),
    # --- settings
    "images is a text": (lambda: run(images="x"), "images is 'x'; allowed: a whole number"),
    "images is zero": (lambda: run(images=0), "images is 0; allowed: a whole number"),
    "images is a share": (lambda: run(images=1.5), "images is 1.5; allowed: a whole number"),
    "steps is a text": (lambda: run(model="practice", steps="x"), "steps is 'x'; allowed: a whole"),
    "guidance is a text": (lambda: run(guidance="x"), "guidance is 'x'; allowed: a number"),
    "lora is a number": (lambda: run(lora=5), "lora is 5; allowed: an adapter"),
    "device is a number": (lambda: run(device=5), "device is 5; allowed: a text"),
    "dtype is a number": (lambda: run(dtype=16), "dtype is 16; allowed: a text"),
    "an unknown setting": (
        lambda: run(stepz=3),
        "stepz is no setting .did you mean steps.*allowed",
    ),
    "measurer for measurers": (
        lambda: run(measurer="practice"),
        "measurer is no setting .did you mean measurers.*; allowed",
    ),
    "a setting of another model": (lambda: run(steps=3), "practice:painter knows no `steps`"),
    "steps for an object": (
        lambda: run(model=ColourGenerator(), steps=3),
        "steps is for a model that is named",
    ),
    "truncate is a text": (lambda: run(truncate="no"), "truncate is 'no'; allowed: True, False"),
    "on_progress is a text": (lambda: run(on_progress="x"), "on_progress is 'x'; allowed: a func"),
    "analysis is a dictionary": (
        lambda: run(analysis={"unit": "image"}),
        "analysis is {'unit': 'image'}; allowed: an AnalysisSettings object",
    ),
    "an analysis that cannot be": (
        lambda: run(analysis=pt.AnalysisSettings(unit="pixel")),  # type: ignore[arg-type]
        "unit is 'pixel'; allowed: prompt, image",
    ),
    "an engine that is none": (lambda: run(engine="dask"), "engine is 'dask'; allowed: local, ray"),
    # --- measurers
    "measurers is a number": (lambda: run(measurers=5), "measurers is 5; allowed: a name, or"),
    "a measurer misspelt": (lambda: run(measurers="practise"), "practise"),
    "a measurer without methods": (
        lambda: run(measurers=ColourGenerator()),
        "measurers is a ColourGenerator object without gives, measure; it needs identity",
    ),
    "a measurer that gives nothing known": (
        lambda: run(measurers=having(Judge(), gives=("label",))),
        "gives 'label'; allowed: embedding, labels, numbers, people",
    ),
    "labels of no axis": (
        lambda: run(measurers=having(Judge(), axes=None)),
        "axes",
    ),
    "answers that the axis lacks": (
        lambda: run(
            model=ColourGenerator(),
            measurers=having(Judge(), axes={"perceived gender": ("lady", "man")}),
        ),
        "labels the axis 'perceived gender' with 'lady'; allowed: woman, man, unknown, nobody",
    ),
    "too few answers": (lambda: judged(lambda images: []), "returned 0 answers for .* images"),
    "no list of answers": (lambda: judged(lambda images: 5), "measure returned .*; wanted: a list"),
    "an answer that is a text": (lambda: judged(lambda images: ["woman"] * len(images)), "answer"),
    "a label that was not declared": (
        lambda: judged(
            lambda images: [{"labels": {"perceived gender": {"x": 1.0}}} for _ in images]
        ),
        "'x'",
    ),
    "a probability above 1": (
        lambda: judged(
            lambda images: [{"labels": {"perceived gender": {"woman": 7}}} for _ in images]
        ),
        "7",
    ),
    # --- plan, explain
    "plan of a number": (lambda: pt.plan(5), "study is 5; allowed"),  # type: ignore[arg-type]
    "plan at no rate": (lambda: pt.plan("work.toml", rate="x"), "rate is 'x'; allowed"),  # type: ignore[arg-type]
    "plan for no place": (lambda: pt.plan("work.toml", 5), "out is 5; allowed"),  # type: ignore[arg-type]
    "explain a number": (lambda: pt.explain(5), "prompt is 5; allowed: a text"),  # type: ignore[arg-type]
    "explain no group": (
        lambda: pt.explain("a nurse", group="womn"),
        "group is 'womn' .did you mean woman.*; allowed: woman, man",
    ),
    "explain with odd texts": (
        lambda: pt.explain("a nurse", texts="x"),
        "texts is 'x'; allowed: a whole number",
    ),
    "explain with odd words": (
        lambda: pt.explain("a nurse", words=5),
        "words is 5; allowed: a masked language model's name",
    ),
    "explain with an odd choice": (
        lambda: pt.explain("a nurse", choice="best"),
        "choice is 'best'; allowed: sample, top",
    ),
    "explain with an odd level": (
        lambda: pt.explain("a nurse", level="x"),
        "level is 'x'; allowed: a whole number",
    ),
    "explain with an unknown setting": (
        lambda: pt.explain("a nurse", text=3),
        "text is no setting .did you mean texts",
    ),
}


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("work.toml").write_text(WORK)


@pytest.mark.parametrize("case", WRONG)
def test_one_line_says_what_is_wrong(case: str) -> None:
    call, says = WRONG[case]
    with pytest.raises(pt.PortrayalError, match=says) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_nothing_is_left_behind_by_what_is_known_before_the_run() -> None:
    for call, _ in (WRONG["out is None"], WRONG["an unknown setting"], WRONG["model is a number"]):
        with pytest.raises(pt.PortrayalError):
            call()
    assert [path.name for path in Path().iterdir()] == ["work.toml"]
