from __future__ import annotations

from pathlib import Path

import pytest

from invented import GENERATOR
from portrayal.audit import AuditFolder


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    return AuditFolder.at(tmp_path / "audit", GENERATOR)
