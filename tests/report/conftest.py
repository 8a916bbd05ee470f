from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import VALENCE, WORK
from portrayal import workflow
from portrayal.audit import Audit
from portrayal.records import ImageRecord
from portrayal.study import study_from_toml

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
    work = workflow.Work(out, studies, "practice:painter")  # type: ignore[arg-type]
    audit = Audit.at(out, work.generator().identity)
    audit.append_images(
        [
            ImageRecord(REFUSED, 0, "refused", "declined", None),
            ImageRecord(REFUSED, 1, "failed", "crashed", None),
        ]
    )
    workflow.run(work)
    return out


@pytest.fixture
def audit(reported: Path, tmp_path: Path) -> Audit:
    """A copy of that audit."""
    return Audit(shutil.copytree(reported, tmp_path / "audit"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless browser."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed; on Debian: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=root)
        yield browser
        browser.close()
