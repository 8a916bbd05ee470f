from __future__ import annotations

from pathlib import Path

import masked_models
import pytest

WORDS = ["a", "the", "at", "respected", "doctor", "hospital", "nurse"]


@pytest.fixture(scope="session")
def stating_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives every mask the same chances, some of them for what is no replacement of "doctor"."""
    chances = {
        "nurse": 0.4, "teacher": 0.1, "doctor": 0.1, "doctors": 0.1, "the": 0.1,
        "##ing": 0.05, ",": 0.05, "b": 0.05, "500": 0.05,
    }  # fmt: skip
    return masked_models.stating(tmp_path_factory.mktemp("stating"), chances, words=WORDS)


@pytest.fixture(scope="session")
def taught_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Knows three animals and what each of them says."""
    sentences = ["the cat says meow", "the dog says woof", "the duck says quack"]
    return masked_models.taught(tmp_path_factory.mktemp("taught"), sentences)
