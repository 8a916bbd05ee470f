from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from caption_files import png, write

from portrayal.audit import AuditFolder
from portrayal.corpora import (
    Corpus,
    captions_of_pairs,
    cooccurrence,
    create_corpus,
    store_images,
    terms_of,
)
from portrayal.errors import CorpusError
from portrayal.raters.campaigns import ImageChoice, plan_campaign
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


def test_captions_of_two_words_are_shown_and_their_images_rated(tmp_path: Path) -> None:
    """ENTIGEN, section 4: who is seen where captions say gender and makeup?"""
    texts = ["gender and makeup", "makeup", "gender of a police officer", "Makeup, any gender", "x"]
    images = [png(i) for i in range(4)] + [None]
    table = pa.table({"text": texts, "jpg": pa.array(images, pa.binary())})
    pq.write_table(table, tmp_path / "x.parquet")
    corpus = create_corpus(tmp_path / "c", [tmp_path / "x.parquet"])
    found = captions_of_pairs(corpus, *terms_of(["gender"]), list(terms_of(["makeup", "police"])))
    assert [(one.pair[1], one.row) for one in found] == [
        ("makeup", 0),
        ("makeup", 3),
        ("police", 2),
    ]
    assert store_images(corpus, found, tmp_path / "both")["stored"] == 3
    assert store_images(corpus, found, tmp_path / "both") == {}, "nothing is stored twice"
    campaign = plan_campaign(AuditFolder(tmp_path / "both"), [None], ImageChoice())
    assert {one.prompt for one in campaign.subjects} == {texts[i] for i in (0, 2, 3)}
    with pytest.raises(CorpusError, match="no caption contains both words"):
        store_images(corpus, [], tmp_path / "none")
