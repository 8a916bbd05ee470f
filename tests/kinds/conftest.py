from __future__ import annotations

from pathlib import Path

import pytest

from invented import GENERATOR
from portrayal.audit import Audit


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Audit.at(tmp_path / "audit", GENERATOR)
