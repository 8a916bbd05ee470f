"""The examples of docs/audit-folder.md run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import audit_samples as samples
import pytest
from audit_samples import made, refused

from portrayal.audit import AuditFolder
from portrayal.audit.tables import IMAGES
from portrayal.records import Measurement

PAGE = (Path(__file__).parents[2] / "docs" / "audit-folder.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda code: code.split()[1])
def test_an_example_runs(tmp_path: Path, example: str) -> None:
    audit = AuditFolder.at(tmp_path / "audits" / "sd15", samples.GENERATOR)
    audit.append_images([made("a", 0), made("a", 1), refused("b", 0)])
    keys = [row[0] for row in audit.images().select("key").fetchall()]
    rows = [Measurement(key, {"embedding": [1.0, 2.0]}) for key in keys]
    audit.append_measurements(samples.ENCODER, {"embedding": "vector"}, rows)
    checks = {
        "portrayal": "assert len(images) == len(embeddings) == 3 and len(data) == 2",
        "pandas": "assert len(images) == 3",
        "polars": "assert both.height == 3",
        "duckdb": "assert counts.set_index('prompt').refused.to_dict() == {'a': 0, 'b': 1}",
        "datasets": "assert first.size == (8, 6)",
    }
    check = checks[example.split()[1]]
    environment = {"HF_HOME": str(tmp_path / "cache"), "PATH": ""}
    subprocess.run(
        [sys.executable, "-c", f"{example}\n{check}"], cwd=tmp_path, env=environment, check=True
    )


def test_there_is_an_example_for_every_reader() -> None:
    assert len(EXAMPLES) == 5


def test_every_column_is_explained() -> None:
    table = PAGE.split("## Columns of images/")[1].split("\n## ")[0]
    for name in IMAGES.names:
        assert re.search(rf"^\| .*`{name}`", table, re.MULTILINE), name
