from __future__ import annotations

from pathlib import Path

import pytest

from portrayal.audit import AuditFolder
from portrayal.records import Identity
from portrayal_practice.corpus import write_corpus


@pytest.fixture(scope="session")
def captions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A practice corpus of 600 captions and images in two files; not to be changed."""
    folder = tmp_path_factory.mktemp("practice corpus")
    write_corpus(folder, 600, seed=5, part_size=300)
    return folder


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    return AuditFolder.at(tmp_path / "audit", Identity("painter", "practice:painter"))
