from __future__ import annotations

from pathlib import Path

import pytest
from caption_files import write

from portrayal.corpora import Corpus, create_corpus, phrases
from portrayal.errors import CorpusError

TEXTS = [
    "a photo of a nurse irrespective of their gender",
    "Irrespective  of their GENDER, a photo of a cook",
    "irrespective of their genders",
    "people irrespective-of-their gender and irrespective of their gender too",
    "nothing",
    "",
]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", TEXTS)])


def test_counts_and_contexts(corpus: Corpus) -> None:
    gender, photo, none = phrases(
        corpus, ["irrespective of their gender", "photo of a", "no such words"], width=2
    )
    assert (gender.captions, gender.of, gender.looked_at) == (3, 6, 3)
    assert {(one.row, one.left, one.right) for one in gender.contexts} == {
        (0, "a nurse", ""),
        (1, "", ", a"),
        (3, "people", "and irrespective"),
        (3, "gender and", "too"),
    }
    assert photo.captions == 2
    assert photo.before == [("a", 2)]
    assert photo.after == [("cook", 1), ("nurse", 1)]
    assert (none.captions, list(none.contexts), list(none.before)) == (0, [], [])


def test_as_many_examples_as_asked_for(corpus: Corpus) -> None:
    (found,) = phrases(corpus, ["their gender"], examples=1, width=0)
    assert [(one.left, one.right) for one in found.contexts] == [("", "")]
    assert found.looked_at == 3


def test_no_words(corpus: Corpus) -> None:
    with pytest.raises(CorpusError, match="no words"):
        phrases(corpus, [" "])
    with pytest.raises(CorpusError, match="no term"):
        phrases(corpus, [])
