"""Bad input: named in one line each and counted; the rest goes on."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from caption_files import png, write, write_raw

from portrayal.corpora import Corpus, Term, create_corpus, terms_of
from portrayal.corpora.reading import Reader
from portrayal.errors import CorpusError

NURSE = [Term.of("nurse")]


def counted(corpus: Corpus) -> dict[str, int]:
    return {one.kind: one.count for one in corpus.search(NURSE, per_term=9).problems}


def test_no_text_column(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1], "b": [2.0]}), tmp_path / "numbers.parquet")
    with pytest.raises(CorpusError) as caught:
        create_corpus(tmp_path / "c", [tmp_path / "numbers.parquet"])
    assert "numbers.parquet: no text column among a, b; name it with `text`" in str(caught.value)
    assert "\n" not in str(caught.value)
    good = write(tmp_path / "good.parquet", ["a nurse"])
    corpus = create_corpus(tmp_path / "c", [tmp_path / "numbers.parquet", good])
    assert corpus.search(NURSE, per_term=1).counts == {"nurse": 1}
    (line,) = [one.line() for one in corpus.left_out]
    assert line.startswith("1 source has no text column, left out (")
    assert "numbers.parquet" in line
    with pytest.raises(CorpusError, match="column a holds int64, not text"):
        create_corpus(tmp_path / "d", [tmp_path / "numbers.parquet"], text="a")
    with pytest.raises(CorpusError, match="no column z; there are: a, b"):
        create_corpus(tmp_path / "d", [tmp_path / "numbers.parquet"], text="z")


def test_mixed_schemas(tmp_path: Path) -> None:
    write(tmp_path / "1.parquet", ["a nurse"], column="TEXT")
    write(tmp_path / "2.parquet", ["two nurses"], column="caption", extra=[1.5])
    pq.write_table(
        pa.table({"text": pa.array(["nurse"], pa.large_string())}), tmp_path / "3.parquet"
    )
    pq.write_table(pa.table({"TEXT": [7]}), tmp_path / "4.parquet")
    corpus = create_corpus(tmp_path / "c", [tmp_path])
    assert [one.text for one in corpus.sources] == ["TEXT", "caption", "text"]
    assert corpus.search(NURSE, per_term=9).counts == {"nurse": 3}
    assert [one.kind for one in corpus.left_out] == ["no text"]


def test_a_file_that_is_no_parquet(tmp_path: Path) -> None:
    good = write(tmp_path / "good.parquet", ["a nurse"])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing PAR1")
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "cut.parquet").write_bytes(good.read_bytes()[:-9])
    corpus = create_corpus(tmp_path / "c", [tmp_path])
    assert [one.label for one in corpus.sources] == ["good.parquet"]
    assert [one.kind for one in corpus.left_out] == ["unreadable"] * 3
    assert all("\n" not in one.line() for one in corpus.left_out)


def test_a_file_that_is_damaged_later(tmp_path: Path) -> None:
    """The footer is whole, so it is added; its pages are not, so it is named when it is read."""
    write(tmp_path / "good.parquet", ["a nurse"])
    text = [f"a nurse {i * 7919 % 5000}" for i in range(5_000)]
    bad = write(tmp_path / "bad.parquet", text)
    data = bytearray(bad.read_bytes())
    data[40_000:60_000] = b"\xff" * 20_000
    bad.write_bytes(data)
    corpus = create_corpus(tmp_path / "c", [tmp_path])
    found = corpus.search(NURSE, per_term=9)
    assert found.counts == {"nurse": 1}
    (line,) = [one.line() for one in found.problems]
    assert line.startswith("1 source could not be read, left out (bad.parquet: ")


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    raw = [b"a nurse", b"nurse \xff\xfe", None, b"", "Käthe, nurse".encode(), b"\x80", b"cook"]
    write_raw(tmp_path / "raw.parquet", raw)
    write(tmp_path / "zz.parquet", ["two nurses"])
    corpus = create_corpus(tmp_path / "c", [tmp_path])
    for per_term in (None, 9):
        found = corpus.search(NURSE, per_term=per_term)
        assert found.counts == {"nurse": 3}
        assert {one.kind: one.count for one in found.problems} == {
            "missing": 1, "empty": 1, "not UTF-8": 2
        }  # fmt: skip
        rows = sorted((row["source"], row["row"]) for row in found.table().to_pylist())
        assert rows == [(0, 0), (0, 4), (1, 0)]
    stats = corpus.stats()
    assert stats.captions == 4
    assert sum(one.count for one in stats.problems) + stats.captions == corpus.rows


def test_not_utf8_in_a_large_file_is_sampled_like_any_other(tmp_path: Path) -> None:
    """The second way of reading gives the rows, counts and sample of the first."""
    texts = [f"nurse {i}" if i % 3 else f"cook {i}" for i in range(150_000)]
    clean = create_corpus(tmp_path / "a", [write(tmp_path / "x.parquet", texts)])
    raw = [text.encode() for text in texts]
    raw[149_997] = b"cook \xff"
    dirty = create_corpus(tmp_path / "b", [write_raw(tmp_path / "y.parquet", raw)])
    one, two = (corpus.search(NURSE, per_term=50) for corpus in (clean, dirty))
    assert one.table().equals(two.table())
    assert one.counts == two.counts
    assert counted(dirty) == {"not UTF-8": 1}


def test_captions_of_a_megabyte(tmp_path: Path) -> None:
    texts = ["a nurse", "nurse " * 180_000, "n" * 2**20, "two nurses"]
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", texts)])
    found = corpus.search(NURSE, per_term=9)
    assert found.counts == {"nurse": 2}
    assert [one.line() for one in found.problems] == [
        "2 captions are longer than 10,000 bytes, left out (first: x.parquet row 1)"
    ]
    assert max(len(text) for text in found.table()["caption"].to_pylist()) < 20


def test_empty_captions(tmp_path: Path) -> None:
    texts = ["", None, " \n", "a nurse", "\t"]
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", texts)])
    assert counted(corpus) == {"missing": 1, "empty": 3}
    lines = [one.line() for one in corpus.search(NURSE, per_term=9).problems]
    assert lines == [
        "1 caption is missing (null), left out (x.parquet row 1)",
        "3 captions are empty, left out (first: x.parquet row 0)",
    ]


def test_a_corpus_without_rows(tmp_path: Path) -> None:
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", [])])
    for per_term in (None, 5):
        found = corpus.search(NURSE, per_term=per_term)
        assert len(found) == 0
        assert [one.kind for one in found.problems] == ["no caption"]
    assert corpus.stats().words is None
    assert len(corpus.sample(5)) == 0


def test_a_term_without_captions(tmp_path: Path) -> None:
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", ["a nurse"])])
    found = corpus.search(terms_of(["astronaut", "nurse", "mayor"]), per_term=9)
    assert found.counts == {"astronaut": 0, "nurse": 1, "mayor": 0}
    assert [one.line() for one in found.problems] == [
        "2 terms occur in no caption, left out (first: astronaut, mayor)"
    ]


def test_images_that_cannot_be_decoded(tmp_path: Path) -> None:
    images = [png(1), b"no image", png(2)[:40], None, b"", png(3)]
    file = write(tmp_path / "x.parquet", ["a nurse"] * 6, image=pa.array(images, pa.binary()))
    corpus = create_corpus(tmp_path / "c", [file])
    answers = [answer for _, answer in corpus.images([(0, row) for row in range(6)])]
    assert [isinstance(answer, bytes) for answer in answers] == [True, *[False] * 4, True]
    said = [answer.text for answer in answers if not isinstance(answer, bytes)]
    assert said[0] == "corrupt image: no PNG, JPEG or WebP"
    assert said[1].startswith("corrupt image: ")
    assert said[2:] == ["no image in this row"] * 2
    assert all("\n" not in text for text in said)


def test_a_source_that_can_be_read_again(tmp_path: Path) -> None:
    """What lacks a source is not taken for the answer once the source is back."""
    write(tmp_path / "good.parquet", ["a nurse"])
    bad = write(tmp_path / "bad.parquet", [f"a nurse {i * 7919 % 5000}" for i in range(5_000)])
    whole = bad.read_bytes()
    damaged = bytearray(whole)
    damaged[40_000:60_000] = b"\xff" * 20_000
    bad.write_bytes(damaged)
    corpus = create_corpus(tmp_path / "c", [tmp_path])
    assert corpus.search(NURSE, per_term=9, name="mine").counts == {"nurse": 1}
    bad.write_bytes(whole)
    assert corpus.search(NURSE, per_term=9, name="mine").counts == {"nurse": 5_001}


def test_too_little_memory_is_no_fault_of_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left out, it would give a count of nothing that looks like an answer."""
    texts = [f"a nurse {i}" + " at work" * 50 for i in range(100_000)]
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", texts)])
    monkeypatch.setattr(Corpus, "reader", lambda self: Reader(threads=1, memory="8MB"))
    with pytest.raises(CorpusError, match=r"x\.parquet: 8MB of memory are too little"):
        corpus.search(NURSE, per_term=100_000)
    assert corpus.sets() == ()


def test_a_fault_of_ours_is_not_blamed_on_sources(corpus: Corpus) -> None:
    with corpus.reader() as reader, pytest.raises(duckdb.BinderException):
        list(
            reader.look(
                corpus.readable(),
                lambda cursor, rows, _: cursor.sql(
                    f"SELECT nonsense FROM ({rows})"
                ).to_arrow_table(),
            )
        )
