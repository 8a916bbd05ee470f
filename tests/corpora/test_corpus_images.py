from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from caption_files import png, write
from PIL import Image

from portrayal.corpora import Unreadable, create_corpus
from portrayal.errors import CorpusError
from portrayal_practice.corpus import write_corpus


def test_images_of_the_practice_corpus(tmp_path: Path) -> None:
    parts = write_corpus(tmp_path / "parts", 30, seed=0, size=16, part_size=10)
    corpus = create_corpus(tmp_path / "c", [tmp_path / "parts"])
    wanted = [(2, 9), (0, 3), (1, 0), (0, 3)]
    got = list(corpus.images(wanted))
    assert [place for place, _ in got] == [(0, 3), (1, 0), (2, 9)]
    for (source, row), data in got:
        assert data == pq.read_table(parts[source])["image"][row].as_py()["bytes"]
        assert isinstance(data, bytes)
        assert Image.open(io.BytesIO(data)).size == (16, 16)


def test_rows_across_row_groups_and_batches(tmp_path: Path) -> None:
    images = [png(i % 256) for i in range(300)]
    table = pa.table({"text": ["x"] * 300, "jpg": pa.array(images, pa.binary())})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=130)
    corpus = create_corpus(tmp_path / "c", [tmp_path / "x.parquet"])
    rows = [0, 63, 64, 129, 130, 131, 259, 260, 299]
    assert [data for _, data in corpus.images([(0, row) for row in rows])] == [
        images[row] for row in rows
    ]


def test_files_beside_the_table(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "a.png").write_bytes(png(1))
    (tmp_path / "secret.png").write_bytes(png(2))
    paths = ["images/a.png", "images/absent.png", "../secret.png", "https://x.org/a.png", None]
    file = write(folder / "x.parquet", ["a nurse"] * 5, image_path=paths)
    corpus = create_corpus(tmp_path / "c", [file])
    answers = [answer for _, answer in corpus.images([(0, row) for row in range(5)])]
    assert answers[0] == png(1)
    said = [answer.text for answer in answers[1:] if isinstance(answer, Unreadable)]
    assert said[0] == "images/absent.png: No such file or directory"
    assert "leaves the folder" in said[1]
    assert "only a link" in said[2]
    assert said[3] == "no image in this row"
    rooted = create_corpus(tmp_path / "d", [file], root=folder / "images")
    assert isinstance(next(rooted.images([(0, 0)]))[1], Unreadable)


def test_a_struct_with_a_path_instead_of_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(5))
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    values = [{"bytes": None, "path": "a.png"}, {"bytes": png(6), "path": "b.png"}, None]
    file = write(tmp_path / "x.parquet", ["x"] * 3, image=pa.array(values, image))
    corpus = create_corpus(tmp_path / "c", [file])
    answers = [answer for _, answer in corpus.images([(0, row) for row in range(3)])]
    assert answers[:2] == [png(5), png(6)]
    assert answers[2] == Unreadable("no image in this row")


def test_captions_without_images(tmp_path: Path) -> None:
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", ["a nurse"])])
    assert next(corpus.images([(0, 0)]))[1] == Unreadable("no image: the source has captions only")


def test_a_image_of_too_many_pixels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portrayal.corpora.images.MAX_PIXELS", 50)
    file = write(tmp_path / "x.parquet", ["x"], image=pa.array([png()], pa.binary()))
    corpus = create_corpus(tmp_path / "c", [file])
    assert next(corpus.images([(0, 0)]))[1] == Unreadable("image too large")


def test_named_columns(tmp_path: Path) -> None:
    thing = pa.array([png(9)], pa.binary())
    file = write(tmp_path / "x.parquet", ["x"], thing=thing)
    assert create_corpus(tmp_path / "c", [file]).sources[0].images is None
    corpus = create_corpus(tmp_path / "d", [file], images="thing")
    assert next(corpus.images([(0, 0)]))[1] == png(9)
    with pytest.raises(CorpusError, match="no column other for images"):
        create_corpus(tmp_path / "e", [file], images="other")
    with pytest.raises(CorpusError, match="column SAMPLE_ID holds int64"):
        create_corpus(tmp_path / "e", [file], images="SAMPLE_ID")


@pytest.mark.parametrize("place", [(1, 0), (0, 1), (-1, 0), (0, -1)])
def test_rows_that_are_not_there(tmp_path: Path, place: tuple[int, int]) -> None:
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", ["a nurse"])])
    with pytest.raises(CorpusError, match="there is no such caption"):
        list(corpus.images([place]))
