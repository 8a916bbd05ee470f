"""Fixtures that several parts share: small models, built once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

import pipelines


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for models; not to be changed by tests."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def sd1(models: Path) -> Path:
    """A tiny Stable Diffusion pipeline that makes pictures of 16x16."""
    return pipelines.build_sd1(models / "sd1")


@pytest.fixture(scope="session")
def clip(models: Path) -> Path:
    """A tiny CLIP."""
    return pipelines.build_clip(models / "clip")
