from __future__ import annotations

import csv
import io
import json
import os
import shutil
import tarfile
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from caption_files import png, write
from fsspec.implementations.memory import MemoryFileSystem

from portrayal.corpora import Corpus, Term, create_corpus
from portrayal.corpora.sources import shown
from portrayal.errors import CorpusError

NURSE = [Term.of("nurse")]


def write_tar(file: Path, samples: list[tuple[str, dict[str, bytes]]]) -> Path:
    """A tar as img2dataset writes it."""
    with tarfile.open(file, "w") as tar:
        for key, members in samples:
            for ending, data in members.items():
                info = tarfile.TarInfo(f"{key}.{ending}")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return file


# Opening


def test_a_folder_that_is_no_corpus(tmp_path: Path, files: Path) -> None:
    with pytest.raises(CorpusError, match=r"not a corpus: it has no corpus\.json"):
        Corpus(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CorpusError, match="not empty and not a corpus"):
        create_corpus(tmp_path, [files])
    with pytest.raises(CorpusError, match="is a file"):
        create_corpus(tmp_path / "notes.txt", [files])


def test_a_newer_format(corpus: Corpus) -> None:
    file = corpus.folder / "corpus.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 99}))
    with pytest.raises(CorpusError, match="format 99 is newer"):
        Corpus(corpus.folder)
    file.write_text("{")
    with pytest.raises(CorpusError, match="not readable"):
        Corpus(corpus.folder)


def test_nothing_to_add(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="nothing there that can hold captions"):
        create_corpus(tmp_path / "c", [tmp_path / "*.parquet"])
    assert not (tmp_path / "c").exists()


# Ways to name sources


def test_files_patterns_and_folders_are_the_same(files: Path, tmp_path: Path) -> None:
    ways = [[files], [files / "*.parquet"], sorted(files.glob("*.parquet")), [files, files]]
    made = [create_corpus(tmp_path / str(n), way) for n, way in enumerate(ways)]
    assert {one.rows for one in made} == {3_000}
    assert len({one.identity.settings["sources"] for one in made}) == 1


def test_names_with_signs_of_patterns(tmp_path: Path) -> None:
    odd = tmp_path / "a[1]*?"
    odd.mkdir()
    write(odd / "x[0].parquet", ["a nurse"])
    write(odd / "x0.parquet", ["a cook"])
    corpus = create_corpus(tmp_path / "c", [odd])
    assert corpus.search(NURSE, per_term=1).counts == {"nurse": 1}


def test_adding_again_adds_nothing(corpus: Corpus, files: Path) -> None:
    again = create_corpus(corpus.folder, [files])
    assert again.sources == corpus.sources
    assert again.identity == corpus.identity


def test_urls_of_fsspec(files: Path, tmp_path: Path, captions: list[str]) -> None:
    system = fsspec.filesystem("memory")
    for file in files.glob("*.parquet"):
        system.pipe(f"/laion/{file.name}", file.read_bytes())
    local = create_corpus(tmp_path / "local", [files]).search(NURSE, per_term=5)
    for number, url in enumerate(["memory://laion", "memory://laion/part-*.parquet"]):
        far = create_corpus(tmp_path / str(number), [url])
        assert far.rows == 3_000
        found = far.search(NURSE, per_term=5)
        assert found.counts == local.counts
        assert found.table().equals(local.table())
    with pytest.raises(CorpusError, match="nothing there"):
        create_corpus(tmp_path / "none", ["memory://elsewhere/x.parquet"])
    with pytest.raises(CorpusError, match="cannot be opened"):
        create_corpus(tmp_path / "none", ["nosuchthing://x.parquet"])


class Refused(Exception):
    """An error that no part of Python or of ours knows."""


class Moody(MemoryFileSystem):  # type: ignore[misc]
    """A store that lists files and, once it is told to, fails to hand them out."""

    protocol = "moody"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    fails: ClassVar[str] = ""

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return "/" + path.removeprefix("moody://").strip("/")

    def info(self, path: str, **how: Any) -> Any:
        if self.fails == "info":
            raise Refused("key=SECRET")
        return super().info(path, **how)

    def _open(self, path: str, *words: Any, **how: Any) -> Any:
        if self.fails == "open":
            raise Refused("key=SECRET")
        file = super()._open(path, *words, **how)
        if self.fails == "read":
            return Torn(file.getvalue())
        return file


class Torn(io.BytesIO):
    """A file that breaks off while it is read."""

    def read(self, *words: Any) -> bytes:
        raise Refused("key=SECRET")

    read1 = read


@pytest.mark.parametrize("fails", ["info", "open", "read"])
@pytest.mark.parametrize("ending", ["parquet", "csv", "tar"])
def test_a_store_that_fails_is_one_line_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str, ending: str
) -> None:
    fsspec.register_implementation("moody", Moody, clobber=True)
    fsspec.filesystem("moody").pipe(f"/there/x.{ending}", b"caption\na nurse\n")
    monkeypatch.setattr(Moody, "fails", fails)
    with pytest.raises(CorpusError) as caught:
        create_corpus(tmp_path / "c", [f"moody://there/x.{ending}"])
    line = str(caught.value)
    assert "SECRET" not in line
    assert "\n" not in line
    assert line.endswith(f"moody://there/x.{ending}: cannot be read from there (Refused)")


def test_a_store_that_fails_later_is_left_out_of_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsspec.register_implementation("moody", Moody, clobber=True)
    here = write(tmp_path / "x.parquet", ["a nurse"])
    fsspec.filesystem("moody").pipe("/later/x.parquet", here.read_bytes())
    corpus = create_corpus(tmp_path / "c", ["moody://later/x.parquet"])
    assert corpus.search(NURSE, per_term=None).counts == {"nurse": 1}
    monkeypatch.setattr(Moody, "fails", "open")
    found = corpus.search(NURSE, per_term=5)
    assert [one.kind for one in found.problems][:1] == ["unreadable"]
    assert "SECRET" not in found.problems[0].line()


def test_passwords_and_signatures_reach_no_line(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"x\.parquet: the address contains a") as one:
        create_corpus(tmp_path / "c", ["s3://KEY:SECRET@bucket/x.parquet"])
    assert "SECRET" not in str(one.value)
    assert shown("https://me:SECRET@a.example/x.parquet?sig=S") == "https://a.example/x.parquet"
    assert shown("s3://bucket/part-?.parquet") == "s3://bucket/part-?.parquet"
    assert shown("/a/b?.parquet") == "/a/b?.parquet"


# Identity


def test_a_copy_is_the_same_corpus(tmp_path: Path, files: Path) -> None:
    first = tmp_path / "here"
    shutil.copytree(files, first / "data")
    corpus = create_corpus(first / "corpus", [first / "data"])
    found = corpus.search(NURSE, per_term=5)
    moved = tmp_path / "there"
    shutil.copytree(first, moved)
    shutil.rmtree(first)
    for file in (moved / "data").iterdir():
        os.utime(file, (1, 1))
    again = Corpus(moved / "corpus")
    assert again.identity == corpus.identity
    (again.folder / "sets" / f"{found.name}.parquet").unlink()
    assert again.search(NURSE, per_term=5).counts == found.counts


def test_a_changed_source_is_noticed(tmp_path: Path) -> None:
    file = write(tmp_path / "x.parquet", ["a nurse", "a cook"])
    corpus = create_corpus(tmp_path / "c", [file])
    write(file, ["a nurse", "two nurses"])
    with pytest.raises(CorpusError, match=r"x\.parquet: has changed since it was added"):
        corpus.search(NURSE, per_term=1)
    again = create_corpus(tmp_path / "c", [file])
    assert again.identity != corpus.identity
    assert again.search(NURSE, per_term=1).counts == {"nurse": 2}
    file.unlink()
    with pytest.raises(CorpusError, match=r"x\.parquet: cannot be read any more"):
        again.search([Term.of("cook")], per_term=1)


# Columns


@pytest.mark.parametrize("column", ["TEXT", "text", "Caption", "prompt", "whatever"])
def test_the_text_column_is_found(tmp_path: Path, column: str) -> None:
    file = write(tmp_path / "x.parquet", ["a nurse"], column=column)
    corpus = create_corpus(tmp_path / "c", [file])
    assert corpus.sources[0].text == column
    assert corpus.search(NURSE, per_term=1).counts == {"nurse": 1}


def test_a_named_text_column(tmp_path: Path) -> None:
    file = write(tmp_path / "x.parquet", ["a cook"], column="TEXT", alt_text=["a nurse"])
    corpus = create_corpus(tmp_path / "c", [file], text="alt_text")
    assert corpus.search(NURSE, per_term=1).counts == {"nurse": 1}


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]
)
def test_types_of_text(tmp_path: Path, kind: pa.DataType) -> None:
    texts = pa.array(["a nurse", None, "a cook"]).cast(pa.string())
    column = texts.dictionary_encode() if pa.types.is_dictionary(kind) else texts.cast(kind)
    pq.write_table(pa.table({"TEXT": column, 'odd "name"': [1, 2, 3]}), tmp_path / "x.parquet")
    corpus = create_corpus(tmp_path / "c", [tmp_path / "x.parquet"])
    found = corpus.search(NURSE, per_term=1)
    assert found.counts == {"nurse": 1}
    assert [(one.kind, one.count) for one in found.problems] == [("missing", 1)]


# Tables and tars


def test_a_table_of_commas(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(1))
    with (tmp_path / "x.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [["file_name", "caption"], ["a.png", "a nurse,\nsmiling"], ["b.png", "a cook"], []]
        csv.writer(file).writerows(rows)
    (tmp_path / "y.tsv").write_bytes(b"caption\tn\ntwo nurses\t1\n\xff nurse\t2\n")
    corpus = create_corpus(tmp_path / "c", [tmp_path / "x.csv", tmp_path / "y.tsv"])
    found = corpus.search(NURSE, per_term=None)
    assert found.table()["caption"].to_pylist() == ["a nurse,\nsmiling", "two nurses"]
    assert [one.line() for one in found.problems] == [
        "1 caption is not UTF-8, left out (y.tsv row 1)"
    ]
    assert [
        bytes(answer) for _, answer in corpus.images([(0, 0)]) if isinstance(answer, bytes)
    ] == [png(1)]


def test_tars_of_img2dataset(tmp_path: Path) -> None:
    told = json.dumps({"caption": "two nurses", "url": "x"}).encode()
    samples = [
        ("00000", {"jpg": png(1), "txt": b"a nurse \n", "json": b"{}"}),
        ("00001", {"png": png(2), "json": told}),
        ("00002", {"txt": b"a nurse without an image"}),
        ("00003", {"webp": b"no image", "txt": b"nurse \xff"}),
        ("00004", {"jpg": png(4)}),
    ]
    tar = write_tar(tmp_path / "00000.tar", samples)
    corpus = create_corpus(tmp_path / "c", [tmp_path])
    assert corpus.rows == 5
    found = corpus.search(NURSE, per_term=None)
    assert found.table()["caption"].to_pylist() == [
        "a nurse", "two nurses", "a nurse without an image"
    ]  # fmt: skip
    assert {one.kind: one.count for one in found.problems} == {"missing": 1, "not UTF-8": 1}
    answers = dict(corpus.images([(0, row) for row in range(5)]))
    assert answers[0, 0] == png(1)
    assert answers[0, 1] == png(2)
    assert answers[0, 2].text == "no image in this sample"  # type: ignore[union-attr]
    assert "corrupt image" in answers[0, 3].text  # type: ignore[union-attr]
    assert answers[0, 4] == png(4)
    tar.write_bytes(tar.read_bytes()[:700])
    cut = create_corpus(tmp_path / "d", [write(tmp_path / "ok.parquet", ["a nurse"]), tar])
    assert cut.rows == 1
    assert "cannot be read as a tar" in cut.left_out[0].where
