from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command_line import VALENCE, WORK
from portrayal import runner
from portrayal.audit import AuditFolder
from portrayal.records import ImageRecord, first_seed
from portrayal.studies.reading import study_from_toml

NASTY = """<script>document.title = "taken"</script> a "nurse" & 'co' </script><img src=x>"""
REFUSED = "a photo of something refused"

ODD = f"""\
name = "odd"
kind = "composition"
title = "Prompts with <b>marks</b>"
question = "Is a prompt text, whatever it holds?"
images = 2
axes = ["perceived gender"]
[[prompts]]
text = {NASTY!r}
factors = {{ marks = "some <i>" }}
[[prompts]]
text = "a photo of a chef"
factors = {{ marks = "none" }}
[[prompts]]
text = "{REFUSED}"
factors = {{ marks = "refused" }}
""".replace(repr(NASTY), f"'''{NASTY}'''")


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit with both kinds of study, odd prompts and refused images; not to be changed."""
    out = tmp_path_factory.mktemp("reported") / "audit <one> & 'two'"
    studies = tuple(
        study_from_toml(text, source=name)
        for name, text in (("work", WORK), ("valence", VALENCE), ("odd", ODD))
    )
    models = runner.Models("practice:painter")
    audit = AuditFolder.at(out, models.opener()(None).identity)
    audit.append_images(
        [
            ImageRecord(REFUSED, first_seed(REFUSED), "refused", "declined", None),
            ImageRecord(REFUSED, first_seed(REFUSED) + 1, "failed", "crashed", None),
        ]
    )
    session = runner.Session(out, models=models)
    session.ask(studies)  # type: ignore[arg-type]
    runner.run(session)
    return out


@pytest.fixture
def audit(reported: Path, tmp_path: Path) -> AuditFolder:
    """A copy of that audit."""
    return AuditFolder(shutil.copytree(reported, tmp_path / "audit"))
