from __future__ import annotations

from pathlib import Path

import pytest
from caption_files import practice_captions, write

from portrayal.corpora import Corpus, create_corpus


@pytest.fixture(scope="session")
def captions() -> list[str]:
    """3,000 captions of the practice corpus."""
    return practice_captions(3_000)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory, captions: list[str]) -> Path:
    """The same in three Parquet files; not to be changed."""
    folder = tmp_path_factory.mktemp("captions")
    for number in range(3):
        write(folder / f"part-{number}.parquet", captions[1_000 * number : 1_000 * (number + 1)])
    return folder


@pytest.fixture
def corpus(files: Path, tmp_path: Path) -> Corpus:
    return create_corpus(tmp_path / "corpus", [files])
