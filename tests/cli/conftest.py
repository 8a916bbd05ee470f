from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command_line import WORK, CommandLine
from portrayal import runner


@pytest.fixture
def portrayal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A study file of four prompts."""
    file = tmp_path / "work.toml"
    file.write_text(WORK)
    return file


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit of that study by the painter, with report; not to be changed."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "work.toml").write_text(WORK)
    session = runner.Session(folder / "audit", models=runner.Models("practice:painter"))
    session.ask(folder / "work.toml")
    runner.run(session)
    return folder / "audit"


@pytest.fixture
def audit(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished audit."""
    return Path(shutil.copytree(finished, tmp_path / "audit"))
