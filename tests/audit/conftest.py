from __future__ import annotations

from pathlib import Path

import audit_samples as samples
import pytest

from portrayal.audit import Audit


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Audit.at(tmp_path / "audit", samples.GENERATOR)
