"""Corpora as other tools write them: every caption once, every image that is there."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from caption_files import png

from portrayal.corpora import Corpus, create_corpus
from portrayal.errors import CorpusError

DEAD = {2, 5}
"""Samples whose address could not be downloaded."""


def counted(source: Path, tmp_path: Path) -> tuple[int, int, Corpus]:
    """Return captions and images of a source."""
    corpus = create_corpus(tmp_path / "corpus", [source])
    rows = [(n, row) for n, one in enumerate(corpus.sources) for row in range(one.rows)]
    images = sum(isinstance(answer, bytes) for _, answer in corpus.images(rows))
    return corpus.stats().captions, images, corpus


def img2dataset_rows(shard: int, n: int = 8) -> list[dict[str, object]]:
    """The metadata that img2dataset writes beside each shard, dead addresses too."""
    dead = {"status": "failed_to_download", "error_message": "HTTP Error 404", "width": None}
    alive = {"status": "success", "error_message": None, "width": 8}
    return [
        {
            "url": f"https://example.org/{shard}-{i}.jpg",
            "caption": f"a nurse {shard} {i}",
            "key": f"{shard:05d}{i:04d}",
            **(dead if i in DEAD else alive),
        }
        for i in range(n)
    ]


def img2dataset(folder: Path, layout: str, shards: int = 2) -> Path:
    """Write what `img2dataset --output_format layout` writes."""
    folder.mkdir()
    for shard in range(shards):
        rows = img2dataset_rows(shard)
        whole = [row for row in rows if row["status"] == "success"]
        if layout == "parquet":
            images = [png(i) if row in whole else None for i, row in enumerate(rows)]
            rows = [{**row, "jpg": image} for row, image in zip(rows, images, strict=True)]
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{shard:05d}.parquet")
        (folder / f"{shard:05d}_stats.json").write_text(json.dumps({"count": len(rows)}))
        if layout == "webdataset":
            write_tar(folder / f"{shard:05d}.tar", whole)
        if layout == "tfrecord":
            write_tfrecord(folder / f"{shard:05d}.tfrecord", whole)
        if layout == "files":
            (folder / f"{shard:05d}").mkdir()
            for row in whole:
                stem = folder / f"{shard:05d}" / str(row["key"])
                stem.with_suffix(".jpg").write_bytes(png(3))
                stem.with_suffix(".txt").write_text(str(row["caption"]))
                stem.with_suffix(".json").write_text(json.dumps(row))
    return folder


def write_tar(file: Path, rows: list[dict[str, object]]) -> Path:
    with tarfile.open(file, "w") as tar:
        for row in rows:
            parts = (("jpg", png(7)), ("txt", str(row["caption"]).encode()),
                     ("json", json.dumps(row).encode()))  # fmt: skip
            for ending, data in parts:
                info = tarfile.TarInfo(f"{row['key']}.{ending}")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return file


def write_tfrecord(file: Path, rows: list[dict[str, object]]) -> Path:
    """Write records of `tf.train.Example`, as TensorFlow serialises them; checksums are zeros."""
    with file.open("wb") as out:
        for row in rows:
            cells = {"key": row["key"], "jpg": png(7), "txt": row["caption"], **row, "height": 8}
            entries = b"".join(
                _field(1, _field(1, name.encode()) + _field(2, _feature(value)))
                for name, value in cells.items()
            )
            example = _field(1, entries)
            out.write(len(example).to_bytes(8, "little") + bytes(4) + example + bytes(4))
    return file


def _feature(value: object) -> bytes:
    if isinstance(value, int):
        return _field(3, b"\x0a\x01" + bytes([value]))  # int64_list, packed
    data = value if isinstance(value, bytes) else str(value or "").encode()
    return _field(1, _field(1, data))


def _field(number: int, data: bytes) -> bytes:
    length, size = len(data), b""
    while length >= 128:
        size, length = size + bytes([length % 128 | 128]), length // 128
    return bytes([number << 3 | 2]) + size + bytes([length]) + data


@pytest.mark.parametrize("layout", ["files", "webdataset", "parquet", "tfrecord"])
def test_img2dataset_gives_every_caption_once_and_every_image_that_was_downloaded(
    layout: str, tmp_path: Path
) -> None:
    captions, images, corpus = counted(img2dataset(tmp_path / "laion", layout), tmp_path)
    assert (captions, images) == (16, 12)
    assert len(corpus.sources) == 2
    assert not corpus.left_out
    dead = dict(corpus.images([(0, 2), (0, 3)]))
    assert not isinstance(dead[0, 2], bytes)
    assert isinstance(dead[0, 3], bytes)


@pytest.mark.parametrize("pattern", ["*.tar", "*.parquet", "*"])
def test_a_shard_named_by_either_of_its_files_is_one_source(pattern: str, tmp_path: Path) -> None:
    folder = img2dataset(tmp_path / "laion", "webdataset")
    assert counted(folder / pattern, tmp_path)[:2] == (16, 12)


def test_a_tar_added_after_its_metadata_adds_nothing(tmp_path: Path) -> None:
    folder = img2dataset(tmp_path / "laion", "webdataset", shards=1)
    counted(folder / "00000.parquet", tmp_path)
    again = create_corpus(tmp_path / "corpus", [folder / "00000.tar"])
    assert (len(again.sources), again.rows) == (1, 8)


def test_tfrecords_of_a_shard_by_their_own_name_and_cut_off_anywhere(tmp_path: Path) -> None:
    folder = img2dataset(tmp_path / "laion", "tfrecord", shards=1)
    file = folder / "00000.tfrecord"
    whole = file.read_bytes()
    ends = [0]
    while ends[-1] < len(whole):
        length = int.from_bytes(whole[ends[-1] : ends[-1] + 8], "little")
        ends.append(ends[-1] + length + 16)
    for number, cut in enumerate(range(1, len(whole), 61)):
        file.write_bytes(whole[:cut])
        corpus = create_corpus(tmp_path / f"cut-{number}", [folder / "*.tfrecord"])
        there = sum(isinstance(one, bytes) for _, one in corpus.images((0, i) for i in range(8)))
        assert corpus.rows == 8
        assert there == sum(end <= cut for end in ends[1:])
        assert any("cut off at byte" in one.line() for one in corpus.left_out) == (cut not in ends)
    file.write_bytes(b"this is no TFRecord file")
    with pytest.raises(CorpusError, match="first record has no length"):
        create_corpus(tmp_path / "none", [folder])


@pytest.mark.parametrize("saved", ["disk", "dict"])
def test_saved_datasets_of_hugging_face(saved: str, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    images = [{"bytes": png(i), "path": None} for i in range(5)]
    rows = {"image": images, "text": [f"a nurse {i}" for i in range(5)]}
    features = datasets.Features({"image": datasets.Image(), "text": datasets.Value("string")})
    one = datasets.Dataset.from_dict(rows, features=features)
    whole = one if saved == "disk" else datasets.DatasetDict({"train": one, "test": one})
    whole.save_to_disk(tmp_path / "saved")
    for stray in (tmp_path / "saved").rglob("data-*.arrow"):
        stray.with_name("cache-0123.arrow").write_bytes(stray.read_bytes())
    times = 1 if saved == "disk" else 2
    captions, found, corpus = counted(tmp_path / "saved", tmp_path)
    assert (captions, found, corpus.left_out) == (5 * times, 5 * times, ())


@pytest.mark.parametrize("table", ["metadata.jsonl", "metadata.csv", "metadata.parquet"])
def test_a_folder_of_images_with_a_table_of_file_names(table: str, tmp_path: Path) -> None:
    folder = tmp_path / "train"
    folder.mkdir()
    for i in range(4):
        (folder / f"{i}.png").write_bytes(png(i))
    rows = [{"file_name": f"{i}.png", "text": f"a nurse, {i}"} for i in range(5)]
    if table.endswith("jsonl"):
        (folder / table).write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif table.endswith("csv"):
        lines = [f'{row["file_name"]},"{row["text"]}"' for row in rows]
        (folder / table).write_text("\n".join(["file_name,text", *lines]))
    else:
        pq.write_table(pa.Table.from_pylist(rows), folder / table)
    assert counted(folder, tmp_path)[:2] == (5, 4)


def test_plain_folders_with_captions_beside_images(tmp_path: Path) -> None:
    for name in ("a", "b/c"):
        (tmp_path / "plain" / name).mkdir(parents=True)
        for i in range(3):
            stem = tmp_path / "plain" / name / f"photo.{i}"
            Path(f"{stem}.jpg").write_bytes(png(i))
            Path(f"{stem}.txt").write_text(f"a nurse {i}\n")
    (tmp_path / "plain" / "a" / "lonely.jpg").write_bytes(png())
    captions, images, corpus = counted(tmp_path / "plain", tmp_path)
    assert (captions, images) == (6, 7)
    assert [one.line() for one in corpus.stats().problems] == [
        "1 caption is missing (null), left out (a row 0)"
    ]


def test_lines_of_json_that_are_damaged_are_counted_with_their_place(tmp_path: Path) -> None:
    file = tmp_path / "in" / "captions.jsonl"
    file.parent.mkdir()
    file.write_text('{"caption": "a nurse"}\n{"caption": "cut\n\n{"caption": "two nurses"}\n')
    captions, _, corpus = counted(file.parent, tmp_path)
    assert captions == 2
    (problem,) = corpus.left_out
    assert problem.line() == (
        f"1 line cannot be read, left out ({file}: line 2: not a JSON object)"
    )


@pytest.mark.parametrize(
    "text", ['text\n"a nurse\nan engineer\n', 'text\na\n"a nurse\nb\n"c"\nd\n']
)
def test_a_quote_that_is_not_closed_is_named_with_its_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "captions.csv").write_text(text)
    line = 2 if text.startswith('text\n"') else 3
    with pytest.raises(CorpusError, match=rf"captions\.csv: line {line}: a cell that begins"):
        create_corpus(tmp_path / "corpus", [tmp_path / "captions.csv"])


def test_quotes_in_tables_with_tabs_are_letters_where_they_do_not_close(tmp_path: Path) -> None:
    (tmp_path / "captions.tsv").write_text('text\turl\n"a nurse\tx\n5" nail\ty\nc\tz\n')
    assert counted(tmp_path / "captions.tsv", tmp_path)[0] == 3


def test_a_cut_tar_gives_its_whole_samples_at_every_cut(tmp_path: Path) -> None:
    rows = [row for row in img2dataset_rows(0) if row["status"] == "success"]
    data = write_tar(tmp_path / "whole.tar", rows).read_bytes()
    with tarfile.open(tmp_path / "whole.tar") as tar:
        members = [(one.name, one.offset_data + one.size) for one in tar]
    texts = [end for name, end in members if name.endswith(".txt")]
    for cut in range(texts[0], texts[-1], 700):
        file = tmp_path / f"cut-{cut}.tar"
        file.write_bytes(data[:cut])
        corpus = create_corpus(tmp_path / f"corpus-{cut}", [file])
        # A sample is whole with its caption; one whose next file is cut is not counted.
        whole = sum(end <= cut for end in texts)
        assert corpus.rows in (whole, whole - 1), cut
        answers = dict(corpus.images([(0, row) for row in range(corpus.rows)]))
        assert all(isinstance(answer, bytes) for answer in answers.values())
        assert corpus.stats().captions == corpus.rows
        (problem,) = corpus.left_out
        assert f"{file}: cut off at byte {cut:,}; {corpus.rows} samples are" in problem.line()


def test_files_of_kinds_that_are_not_read_are_named(tmp_path: Path) -> None:
    folder = img2dataset(tmp_path / "laion", "webdataset", shards=1)
    (folder / "more.jsonl.gz").write_bytes(b"")
    (folder / "all.json").write_text("[]")
    corpus = counted(folder, tmp_path)[2]
    (problem,) = corpus.left_out
    assert "2 files are of kinds that are not read, left out (first: " in problem.line()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "all.json").write_text("[]")
    with pytest.raises(CorpusError, match=r"all\.json is of a kind that is not read"):
        create_corpus(tmp_path / "none", [tmp_path / "other"])
