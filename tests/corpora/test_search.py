from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from caption_files import write

from portrayal.corpora import Corpus, Term, create_corpus, draw, terms_of
from portrayal.errors import CorpusError
from portrayal_practice.vocabulary import OCCUPATIONS

JOBS = terms_of(["nurse", "doctor", "police officer", "officer", "CEO", "xylophonist"])


def holders(term: Term, captions: list[str]) -> list[int]:
    """Rows that hold a term, by Python."""
    forms = "|".join(r"[\s-]+".join(form.split()) for form in term.forms)
    pattern = re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE)
    return [row for row, caption in enumerate(captions) if pattern.search(caption)]


# Validation


def test_wrong_numbers(corpus: Corpus) -> None:
    with pytest.raises(CorpusError, match="per_term is -1"):
        corpus.search(JOBS, per_term=-1)
    with pytest.raises(CorpusError, match="no term"):
        corpus.search([], per_term=1)
    with pytest.raises(CorpusError, match="set name 'a/b'"):
        corpus.search(JOBS, per_term=1, name="a/b")
    assert corpus.sets() == ()


# Agreement with an independent implementation


def test_all_matches_are_those_that_python_finds(corpus: Corpus, captions: list[str]) -> None:
    jobs = terms_of(OCCUPATIONS)
    found = corpus.search(jobs, per_term=None)
    table = found.table()
    places = list(zip(table["term"].to_pylist(), table["source"].to_pylist(), strict=True))
    rows = [
        1_000 * source + row
        for (_, source), row in zip(places, table["row"].to_pylist(), strict=True)
    ]
    got = Counter(zip(table["term"].to_pylist(), rows, strict=True))
    expected = Counter((term.name, row) for term in jobs for row in holders(term, captions))
    assert got == expected
    assert sum(expected.values()) > 1_000
    assert found.counts == {term.name: len(holders(term, captions)) for term in jobs}
    assert table["caption"].to_pylist() == [captions[row] for row in rows]


# Sampling


def test_counts_do_not_depend_on_the_sample(corpus: Corpus, captions: list[str]) -> None:
    few = corpus.search(JOBS, per_term=3)
    none = corpus.search(JOBS, per_term=0)
    assert few.counts == none.counts == {t.name: len(holders(t, captions)) for t in JOBS}
    assert len(none) == 0
    kept = Counter(few.table()["term"].to_pylist())
    assert kept == {name: min(3, n) for name, n in few.counts.items() if n}


def test_a_sample_is_the_same_however_it_is_drawn(
    corpus: Corpus, files: Path, captions: list[str], tmp_path: Path
) -> None:
    first = corpus.search(JOBS, per_term=5).table()
    one = Corpus(corpus.folder, threads=1).search(JOBS, per_term=5, name="alone").table()
    assert first.equals(one)
    from_all = draw(corpus.search(JOBS, per_term=None), 5, name="drawn").table()
    assert first.equals(from_all)
    # A larger sample begins with the smaller one; another seed gives another.
    larger = corpus.search(JOBS, per_term=8).table().to_pylist()
    for term in JOBS:
        own = [row for row in larger if row["term"] == term.name]
        assert own[:5] == [row for row in first.to_pylist() if row["term"] == term.name]
    assert not first.equals(corpus.search(JOBS, per_term=5, seed=1).table())


def test_a_later_source_does_not_stir_up_the_others(files: Path, tmp_path: Path) -> None:
    before = create_corpus(tmp_path / "c", [files / "part-0.parquet", files / "part-1.parquet"])
    small = before.search(JOBS, per_term=4)
    after = create_corpus(tmp_path / "c", [files / "part-2.parquet"])
    assert [one.label for one in after.sources] == [f"part-{n}.parquet" for n in range(3)]
    large = after.search(JOBS, per_term=4)
    assert large.identity.digest != small.identity.digest
    of_old = [row for row in large.table().to_pylist() if row["source"] < 2]
    assert of_old
    assert all(row in small.table().to_pylist() for row in of_old)


def test_every_caption_is_equally_likely(tmp_path: Path) -> None:
    """200 captions, 40 drawn with each of 100 seeds: chi-square of how often each was taken."""
    file = write(tmp_path / "n.parquet", [f"nurse {i}" for i in range(200)])
    corpus = create_corpus(tmp_path / "c", [file])
    every = corpus.search([Term.of("nurse")], per_term=None, name="all")
    taken = np.zeros(200)
    for seed in range(100):
        rows = draw(every, 40, seed=seed, name=f"s{seed}").table(["row"])["row"].to_numpy()
        taken[rows] += 1
    expected = 100 * 40 / 200
    chi_square = ((taken - expected) ** 2 / (expected * (1 - 40 / 200))).sum()
    # 199 degrees of freedom (one lost): 99.9 % lies below 267.
    assert chi_square < 267


def test_a_sample_of_the_whole_corpus(corpus: Corpus, captions: list[str]) -> None:
    found = corpus.sample(20)
    rows = found.table().to_pylist()
    assert len(rows) == 20
    assert all(captions[1_000 * row["source"] + row["row"]] == row["caption"] for row in rows)
    assert found.counts == {"any caption": sum(bool(text.strip()) for text in captions)}


# Stored sets


def test_an_equal_search_is_read_back(corpus: Corpus) -> None:
    first = corpus.search(JOBS, per_term=5)
    written = first.file.stat().st_mtime_ns
    told: list[int] = []
    again = Corpus(corpus.folder).search(
        JOBS, per_term=5, on_progress=lambda what, done, total: told.append(done)
    )
    assert again.name == first.name
    assert again.file.stat().st_mtime_ns == written
    assert told == []
    assert corpus.set(first.name).counts == first.counts


def test_progress_ends_with_all_captions(corpus: Corpus) -> None:
    told: list[tuple[str, int, int]] = []
    corpus.search(JOBS, per_term=5, on_progress=lambda *what: told.append(what))
    assert told == [("captions", n, 3_000) for n in (1_000, 2_000, 3_000)]


def test_a_name_belongs_to_one_set(corpus: Corpus) -> None:
    corpus.search(JOBS, per_term=5, name="mine")
    with pytest.raises(CorpusError, match="'mine' is there and is another one"):
        corpus.search(JOBS, per_term=6, name="mine")
    with pytest.raises(CorpusError, match="no set 'yours'; there are: mine"):
        corpus.set("yours")


def test_a_part_of_a_set(corpus: Corpus) -> None:
    found = corpus.search(JOBS, per_term=None)
    terms = np.array(found.table(["term"])["term"].to_pylist())
    part = found.where(terms == "nurse", "nurses")
    assert part.counts == {term.name: (len(part) if term.name == "nurse" else 0) for term in JOBS}
    assert set(part.table()["term"].to_pylist()) == {"nurse"}
    reverse = found.where([3, 1], "two")
    assert reverse.table().equals(found.table().take([3, 1]))
    with pytest.raises(CorpusError, match="a mask of 2"):
        found.where([True, False], "short")
    with pytest.raises(CorpusError, match="row -1 of a set"):
        found.where([-1], "negative")


def test_a_set_that_is_none(corpus: Corpus) -> None:
    found = corpus.search(JOBS, per_term=5, name="mine")
    found.file.write_bytes(found.file.read_bytes()[:-20])
    with pytest.raises(CorpusError, match=r"mine\.parquet: not a stored set"):
        corpus.set("mine")


def test_pandas_reads_a_set(corpus: Corpus) -> None:
    import pandas as pd

    found = corpus.search(JOBS, per_term=5)
    frame = pd.read_parquet(found.file)
    assert list(frame.columns) == ["term", "source", "row", "caption"]
    assert len(frame) == len(found) == pq.read_metadata(found.file).num_rows


# What a corpus holds


def test_stats(corpus: Corpus, captions: list[str]) -> None:
    found = corpus.stats()
    lengths = sorted(len(text.split()) for text in captions if text.strip())
    assert found.captions == len(lengths)
    assert found.rows == 3_000
    n = len(lengths)
    assert found.words == tuple(
        lengths[min(n - 1, int(np.ceil(share * n)) - 1)] for share in (0.1, 0.5, 0.9)
    )
    assert [(one.kind, one.count) for one in found.problems] == [("empty", 3_000 - n)]
