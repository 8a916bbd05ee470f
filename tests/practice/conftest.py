from __future__ import annotations

import pytest

from command_line import CommandLine


@pytest.fixture
def portrayal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capsys)
