"""A kind, a generator and a measurer of another package go through all verbs, as ours do.

The package in `tests/plugin` is installed as a user would install it, into a folder of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Answer, in_a_process

PLUGIN = Path(__file__).parent / "plugin"
SHOWN = (
    "Sketches: squares of two colours.",
    "A tally of three jobs",
    "Tally of groups",
    "All tallies",
    "strokes",
)
"""What a report says of the package's generator, study, kind and measurer."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which the package is installed."""
    site = tmp_path_factory.mktemp("site")
    subprocess.run(
        [
            sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet",
            "--no-deps", "--no-index", "--no-build-isolation", "--target", site, PLUGIN,
        ],
        check=True, timeout=200,
    )  # fmt: skip
    paths = [str(site), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which commands are called."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def verbs(installed: dict[str, str], work: Path) -> dict[str, Answer]:
    """Go through all verbs; what each said."""
    calls = {
        "plan": ["plan", "tally-jobs", "--out", "audit", "--json"],
        "generate": ["generate", "tally-jobs", "--model", "sketches", "--out", "audit", "--json"],
        "measure": ["measure", "audit", "--measurer", "strokes", "--json"],
        "analyze": ["analyze", "audit", "--json"],
        "report": ["report", "audit", "--json"],
    }
    return {verb: in_a_process(*words, env=installed, cwd=work) for verb, words in calls.items()}


@pytest.mark.parametrize("verb", ["plan", "generate", "measure", "analyze", "report"])
def test_every_verb_ends_well(verb: str, verbs: dict[str, Answer]) -> None:
    assert verbs[verb].code == 0, verbs[verb].err


def test_the_plan_speaks_of_the_kind(verbs: dict[str, Answer]) -> None:
    (plan,) = json.loads(verbs["plan"].out)["studies"]
    assert (plan["images"], plan["missing"]) == (18, 18)
    assert plan["detectable"] == "a tally over 3 prompts"


def test_images_are_generated_and_labelled(verbs: dict[str, Answer]) -> None:
    assert json.loads(verbs["generate"].out)["made"] == 18
    (measured,) = json.loads(verbs["measure"].out)
    assert (measured["measured"], measured["reasons"]) == (18, {})


def test_the_finding_is_the_kinds_own_with_the_measurers_labels(verbs: dict[str, Answer]) -> None:
    results = json.loads(verbs["analyze"].out)
    finding, copies = results["findings"]
    assert (finding["kind"], finding["statistic"]) == ("tally", "tally")
    assert copies["statistic"] == "share of images nearly the same as another", "they are sketches"
    assert finding["measurer"] == "strokes"
    # Of consecutive seeds every third is teal: exactly six of eighteen.
    assert finding["estimate"] == pytest.approx(12 / 18)
    assert finding["low"] < 12 / 18 < finding["high"]
    assert finding["n"] == 18


def test_the_report_shows_it(verbs: dict[str, Answer], work: Path) -> None:
    page = work / json.loads(verbs["report"].out)["report"]
    for words in (*SHOWN, "The tally: 12 of 18 images show woman."):
        assert words in page.read_text()


def test_the_whole_job_from_python(installed: dict[str, str], tmp_path: Path) -> None:
    code = (
        "import portrayal as pt; audit = pt.run('tally-jobs', model='sketches', "
        "measurers='strokes', images=3, out='audit'); print(audit.report.read_text()); "
        "assert len(audit.labels.to_frame()) == 9"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, **installed},
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for words in (*SHOWN, "The tally: 6 of 9 images show woman."):
        assert words in done.stdout


def test_without_the_package_nothing_answers_to_its_names(tmp_path: Path) -> None:
    answer = in_a_process("plan", "tally-jobs", cwd=tmp_path)
    assert "there is no study 'tally-jobs'" in answer.error
