"""A model of the Hub that is in the cache is found without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SCRIPT = """
import json
from portrayal.errors import PortrayalError
from portrayal.generators import open_generator
from portrayal.measurers import open_measurer

said = []
for open_one, name in ((open_generator, "owner/sd1"), (open_measurer, "owner/clip")):
    for revision in (None, "0123456789abcdef0123456789abcdef01234567", "v2"):
        try:
            identity = open_one(name, revision=revision).identity
            said.append([identity.name, identity.settings["revision"]])
        except PortrayalError as error:
            said.append([type(error).__name__, str(error)])
print(json.dumps(said))
"""


def test_cached_models_are_known_by_id_and_commit(sd1: Path, clip: Path, tmp_path: Path) -> None:
    for folder in (sd1, clip):
        cached = tmp_path / "hub" / f"models--owner--{folder.name}"
        (cached / "refs").mkdir(parents=True)
        (cached / "refs" / "main").write_text(COMMIT)
        shutil.copytree(folder, cached / "snapshots" / COMMIT)
    source = str(Path(__file__).parents[1] / "src")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    said = json.loads(run.stdout)
    assert said[:2] == [["owner/sd1", COMMIT]] * 2
    assert said[3:5] == [["owner/clip", COMMIT]] * 2
    for kind, message in (said[2], said[5]):
        assert kind in ("GenerationError", "MeasurementError")
        assert "the Hub did not give it" in message
        assert "\n" not in message
