"""A session opens each thing once, takes names and objects, and says in one line what is wrong."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from command_line import VALENCE, WORK
from portrayal import runner
from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, MissingExtra, SettingError, StudyError
from portrayal.findings.settings import AnalysisSettings
from portrayal.runner import EngineSettings, Models, Session
from portrayal.studies import reading
from portrayal.studies.reading import load_study
from toy_generators import ColourGenerator, MeanColour

WORDS = """
name = "words"
kind = "influence"
axes = ["perceived gender"]
draws = 2
images = 1
[[prompts]]
text = "a respected doctor"
[transmuter]
by = "list"
candidates = { "*" = ["this", "some", "nurse"] }
"""


@pytest.fixture
def studies(tmp_path: Path) -> list[Path]:
    files = []
    for name, text in (("work", WORK), ("valence", VALENCE), ("words", WORDS)):
        files.append(tmp_path / f"{name}.toml")
        files[-1].write_text(text)
    return files


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often an audit was opened, and each study validated that it holds."""
    found: Counter[str] = Counter()
    open_audit, validate = AuditFolder.__init__, reading._validate

    def opened(self: AuditFolder, path: Any) -> None:
        found["audit"] += 1
        open_audit(self, path)

    def validated(data: dict[str, Any], source: str, **options: Any) -> Any:
        if not source.endswith(".toml"):
            found[str(data.get("name"))] += 1
        return validate(data, source, **options)

    monkeypatch.setattr(AuditFolder, "__init__", opened)
    monkeypatch.setattr(reading, "_validate", validated)
    return found


def run(study: Path, out: Path, **how: Any) -> runner.RunSummary:
    session = Session(out, models=Models("practice:painter"), **how)
    session.ask(study)
    return runner.run(session)


# --- opened once ----------------------------------------------------------------------------------


def test_a_run_opens_the_audit_once_and_validates_what_it_holds_once(
    studies: list[Path], tmp_path: Path, counts: Counter[str]
) -> None:
    """For the report, which knows nothing but the audit."""
    run(studies[0], tmp_path / "audit")
    assert counts == {"audit": 1, "work": 1}


def test_so_does_a_resumed_run_whatever_else_the_audit_holds(
    studies: list[Path], tmp_path: Path, counts: Counter[str]
) -> None:
    for study in studies:
        run(study, tmp_path / "audit")
    for study in studies:
        counts.clear()
        resumed = run(study, tmp_path / "audit")
        assert resumed.made.as_dict()["made"] == 0
        assert counts["audit"] == 1
        assert max(counts.values()) <= 2


def test_a_study_that_another_process_added_meanwhile_is_analyzed(
    studies: list[Path], tmp_path: Path
) -> None:
    run(studies[0], tmp_path / "audit")
    session = Session(tmp_path / "audit", models=Models("practice:painter"))
    session.ask(studies[0])
    run(studies[1], tmp_path / "audit")
    found = runner.run(session).results
    assert {section.study for section in found.studies} == {"work", "valence"}


# --- names and objects ----------------------------------------------------------------------------


def test_a_generator_and_a_measurer_of_ones_own(studies: list[Path], tmp_path: Path) -> None:
    generator, measurer = ColourGenerator(), MeanColour()
    session = Session(str(tmp_path / "audit"), models=Models(generator, measurers=measurer))
    session.ask(str(studies[1]))
    done = runner.run(session)
    assert session.generator_label == "colours"
    assert done.made.as_dict()["made"] == sum(len(batch) for batch in generator.batches) > 0
    assert sum(measurer.batches) == done.measured[0].measured
    assert {one.study for one in done.results.findings} == {"valence"}
    again = Session(session.path)
    again.ask()
    with pytest.raises(AuditError, match="about colours; name the model again"):
        runner.generate(again)


def test_objects_of_ones_own_need_no_torch(
    studies: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(device: object, *, error: object) -> str:
        raise MissingExtra("torch", "models")

    monkeypatch.setattr("portrayal.runner.models.choose_device", absent)
    own = Models(ColourGenerator(), measurers=MeanColour())
    session = Session(tmp_path / "audit", models=own)
    session.ask(studies[1])
    assert runner.run(session).made.as_dict()["made"] > 0


def test_objects_that_can_be_sent_go_to_other_processes(
    studies: list[Path], tmp_path: Path
) -> None:
    generator = ColourGenerator(before=_nothing)
    models = Models(
        generator,
        measurers=[MeanColour(before=_nothing)],
        engine=EngineSettings(devices=("cpu", "cpu")),
    )
    session = Session(tmp_path / "audit", models=models)
    session.ask(studies[0])
    done = runner.run(session)
    assert done.made.as_dict()["made"] == 12
    assert done.measured[0].present == 12, "they measured in the other processes"
    assert generator.batches == [], "and this one did nothing"


def _nothing(batch: object) -> None:
    """Stand for what a test might do with a batch."""


def test_objects_that_cannot_be_sent_are_refused(studies: list[Path], tmp_path: Path) -> None:
    generator = ColourGenerator(before=_nothing)
    generator.lock = threading.Lock()  # type: ignore[attr-defined]
    models = Models(generator, engine=EngineSettings(devices=("cpu", "cpu")))
    session = Session(tmp_path / "audit", models=models)
    session.ask(studies[0])
    with pytest.raises(SettingError, match="model is a ColourGenerator object that cannot be sent"):
        runner.generate(session)
    assert not (tmp_path / "audit").exists()


# --- wrong types ----------------------------------------------------------------------------------


class Nameless:
    """A generator that forgot who it is."""

    batch_size = 1

    def check(self, prompts: object) -> int:
        return 0

    def generate(self, requests: object) -> list[Any]:
        return []


def colours(**changes: Any) -> ColourGenerator:
    generator = ColourGenerator()
    for name, value in changes.items():
        setattr(generator, name, value)
    return generator


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"settings": {"steps": "x"}}, "steps is 'x'; allowed: a whole number, 1 or more"),
        ({"settings": {"steps": True}}, "steps is True; allowed: a whole number"),
        ({"settings": {"guidance": "x"}}, "guidance is 'x'; allowed: a number"),
        ({"settings": {"guidance": float("nan")}}, "guidance is nan; allowed: a number"),
        ({"settings": {"lora": 5}}, "lora is 5; allowed: an adapter, or a list of adapters"),
        ({"settings": {"batch_size": 0}}, "batch_size is 0; allowed: a whole number, 1 or more"),
        ({"settings": {"device": 0}}, "device is 0; allowed: a text"),
        ({"generator": 5}, "model is 5; allowed: a name, or an object with identity"),
        ({"generator": ColourGenerator}, "model is .*; allowed: a name, or an object with"),
        ({"generator": Nameless()}, "model is a Nameless object without identity; it needs"),
        ({"generator": colours(identity="me")}, "whose identity is no Identity"),
        ({"generator": colours(batch_size=0)}, "whose batch_size is 0; allowed: a whole number"),
        (
            {"generator": ColourGenerator(), "settings": {"steps": 3}},
            "steps is for a model that is named; set it on your own generator",
        ),
        ({"measurers": 5}, "measurers is 5; allowed: a name, or an object with identity"),
        ({"people": 5}, "people is 5; allowed: a person detector's name"),
    ],
)
def test_models_that_cannot_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message) as caught:
        Models(**given)
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"confidence": "x"}, "confidence is 'x'; allowed: 0.5 to 0.999"),
        ({"resamples": 0.5}, "resamples is 0.5; allowed: 1 to"),
        ({"seed": "x"}, "seed is 'x'; allowed: a whole number"),
        ({"unit": ["prompt"]}, "unit is .'prompt'.; allowed: prompt, image"),
    ],
)
def test_settings_of_an_analysis_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        AnalysisSettings(**settings)


def test_places_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="out is 5; allowed: the path of a folder"):
        Session(5)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="out is None; allowed"):
        Session(None)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="corpus is 5; allowed"):
        Session(tmp_path, corpus=5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["occupations", 5], "study is 5; allowed: the name of a study or suite"),
        (5, "study is 5; allowed: the name of a study or suite"),
        ([], r"study is \[\]; allowed"),
    ],
)
def test_studies_that_are_none(asked: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=message):
        Session(tmp_path / "audit").ask(asked)


def test_two_studies_of_one_name_and_images_that_are_no_number(tmp_path: Path) -> None:
    session, study = Session(tmp_path / "audit"), load_study("occupations")
    with pytest.raises(StudyError, match="have one name"):
        session.ask([study, study])
    with pytest.raises(SettingError, match="images is 'x'; allowed: a whole number"):
        session.ask(study, images="x")  # type: ignore[arg-type]


@pytest.mark.parametrize("rate", ["x", 0, -1.0, float("inf"), None])
def test_rates_that_are_none(rate: Any) -> None:
    with pytest.raises(SettingError, match=r"rate is .*; allowed: images per second, above 0"):
        runner.plan("occupations", rate=rate)


def test_a_plan_takes_strings_and_studies(studies: list[Path], tmp_path: Path) -> None:
    run(studies[0], tmp_path / "audit")
    (alone,) = runner.plan(str(studies[0]), str(tmp_path / "audit")).studies
    assert (alone.images, alone.missing) == (12, 0)
    both = runner.plan([load_study(studies[0]), load_study(studies[1])], images=2)
    assert both.together is not None
    assert len(both.studies) == 2
