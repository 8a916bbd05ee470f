"""Fixtures that several parts share: small models, built once a session."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import pipelines

# Outcomes depend on the code alone, not on who starts the tests and from where.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)
for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS", "NO_COLOR", "COLUMNS", "LINES",
             "TERMINAL_WIDTH"):  # fmt: skip
    os.environ.pop(name, None)
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"
hypothesis.settings.register_profile("portrayal", deadline=None)  # a busy machine is no fault
hypothesis.settings.load_profile("portrayal")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what a machine remembers apart from the notes of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for models; not to be changed by tests."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def sd1(models: Path) -> Path:
    """A tiny Stable Diffusion pipeline that makes images of 16x16."""
    return pipelines.build_sd1(models / "sd1")


@pytest.fixture(scope="session")
def clip(models: Path) -> Path:
    """A tiny CLIP."""
    return pipelines.build_clip(models / "clip")


@pytest.fixture
def practice_clip_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the practice world's CLIP, which knows no plain colours, stand in for a general one."""
    monkeypatch.setattr("portrayal.measurers.plain_colours.LEVEL", 1)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless browser; one for all tests, since Playwright starts once in a process."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed; on Debian: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    args = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=args)
        yield browser
        browser.close()
