from __future__ import annotations

from pathlib import Path

import pytest
from caption_files import write

from portrayal.corpora import Corpus, cooccurrence, create_corpus, terms_of
from portrayal.statistics.intervals import share_interval


def test_counts_by_hand(tmp_path: Path) -> None:
    texts = [
        "a doctor and her nurse", "the doctor", "doctors, she said", "her desk", "a cook", None, "",
        "a nurse", "her doctor, her doctor", "nothing",
    ]  # fmt: skip
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", texts)])
    found = cooccurrence(
        corpus, terms_of(["doctor"]), terms_of(["her", "nurse", "mayor", "doctor"])
    )
    assert found.captions == 8
    her, nurse, mayor = found.pairs
    assert (her.with_word, her.with_other, her.both) == (4, 3, 2)
    assert her.expected == pytest.approx(4 * 3 / 8)
    assert her.lift == pytest.approx(2 / 1.5)
    assert her.share == 0.5
    assert (her.low, her.high) == pytest.approx(share_interval(2, 4))
    assert (nurse.both, nurse.with_other) == (1, 2)
    assert (mayor.both, mayor.share, mayor.lift) == (0, 0.0, None)
    assert {one.kind: one.count for one in found.problems} == {
        "missing": 1, "empty": 1, "no caption": 1
    }  # fmt: skip


def test_a_word_that_is_nowhere(corpus: Corpus) -> None:
    (pair,) = cooccurrence(corpus, terms_of(["xylophonist"]), terms_of(["nurse"])).pairs
    assert (pair.with_word, pair.both, pair.share, pair.low, pair.lift) == (0, 0, None, None, None)


def test_agrees_with_a_search_for_each(corpus: Corpus, captions: list[str]) -> None:
    words, others = terms_of(["nurse", "doctor"]), terms_of(["she", "he"], plural=False)
    found = corpus.search([*words, *others], per_term=None).table()
    rows: dict[str, set[tuple[int, int]]] = {}
    for row in found.to_pylist():
        rows.setdefault(row["term"], set()).add((row["source"], row["row"]))
    for pair in cooccurrence(corpus, words, others).pairs:
        assert pair.with_word == len(rows[pair.word])
        assert pair.with_other == len(rows[pair.other])
        assert pair.both == len(rows[pair.word] & rows[pair.other])
