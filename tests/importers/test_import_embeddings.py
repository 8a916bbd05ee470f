"""Embeddings of one's own become measurements, or one clear line and nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from import_samples import folder_of, image

from portrayal.audit import AuditFolder
from portrayal.errors import ImportFileError, NotAnAudit
from portrayal.importers import import_embeddings, import_images
from portrayal.records import Identity, ImageRecord

WIDTH = 4


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    """Five images of two prompts, imported, and one refusal."""
    rows = [{"image": f"sub/{i}.png", "prompt": f"p{i % 2}"} for i in range(5)]
    source = folder_of(tmp_path / "mine", rows)
    import_images(source, tmp_path / "audit")
    audit = AuditFolder(tmp_path / "audit")
    audit.append_images([ImageRecord("p0", 9, "refused", "policy")])
    return audit


def vectors(count: int, seed: int = 0, width: int = WIDTH) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)


def about(audit: AuditFolder) -> dict[str, list[Any]]:
    """Return every way to name the five images, in one order."""
    rows = audit.images(with_bytes=True).filter("status = 'ok'").order("prompt, seed")
    found = rows.select("key, prompt, seed, image.path").fetchall()
    return dict(
        zip(("key", "prompt", "seed", "image"), map(list, zip(*found, strict=True)), strict=True)
    )


NAMINGS = [("key",), ("prompt", "seed"), ("image",)]


def write(file: Path, columns: dict[str, Any], embedding: Any) -> Path:
    """Write the same embeddings as Parquet or as .npz, by the file's ending."""
    if file.suffix == ".npz":
        np.savez(
            file, embedding=np.asarray(embedding), **{k: np.array(v) for k, v in columns.items()}
        )
    else:
        data = [None if row is None else list(row) for row in embedding]
        pq.write_table(pa.table({**columns, "embedding": data}), file)
    return file


def refuses(audit: AuditFolder, file: Path, says: str) -> None:
    with pytest.raises(ImportFileError) as caught:
        import_embeddings(audit, file, encoder="mine")
    said = str(caught.value)
    assert says in said
    assert str(file) in said
    assert "\n" not in said
    assert audit.measurers() == []
    assert not (audit.path / "texts").exists()


# --- known answers ---------------------------------------------------------------------------


@pytest.mark.parametrize("naming", NAMINGS, ids="-".join)
@pytest.mark.parametrize("ending", [".parquet", ".npz"])
def test_embeddings_are_found_by_key_request_or_path(
    audit: AuditFolder, tmp_path: Path, naming: tuple[str, ...], ending: str
) -> None:
    named = about(audit)
    matrix = vectors(5)
    file = write(tmp_path / f"e{ending}", {name: named[name] for name in naming}, matrix)
    summary = import_embeddings(audit, file, encoder="mine")
    assert (summary.images, summary.texts, summary.present, summary.without) == (5, 0, 0, 0)
    identity = Identity("embeddings", "mine", {"logit_scale": 100.0})
    assert summary.encoder == identity == audit.measurer("mine")
    keys, got = AuditFolder(audit.path).embeddings(identity)
    order = [named["key"].index(key) for key in keys]
    assert np.array_equal(got, matrix[order])
    assert list(audit.unmeasured_images(identity)) == []
    again = import_embeddings(str(audit.path), str(file), encoder="mine")
    assert (again.images, again.present) == (0, 5)
    assert json.loads(json.dumps(again.as_dict()))["present"] == 5
    assert "5 present before" in again.sentence()


def test_some_images_now_and_others_later(audit: AuditFolder, tmp_path: Path) -> None:
    named, matrix = about(audit), vectors(5)
    first = write(tmp_path / "a.parquet", {"key": named["key"][:2]}, matrix[:2])
    assert import_embeddings(audit, first, encoder="mine").without == 3
    rest = write(tmp_path / "b.npz", {"key": named["key"]}, matrix)
    summary = import_embeddings(audit, rest, encoder="mine")
    assert (summary.images, summary.present, summary.without) == (3, 2, 0)


@pytest.mark.parametrize("ending", [".parquet", ".npz"])
def test_texts_come_along(audit: AuditFolder, tmp_path: Path, ending: str) -> None:
    named, matrix, texts = about(audit), vectors(5), ["a woman", "ein Mädchen"]
    file = tmp_path / f"e{ending}"
    embedded = vectors(2, seed=1)
    if ending == ".npz":
        np.savez(
            file, key=np.array(named["key"]), embedding=matrix, text=np.array(texts),
            text_embedding=embedded,
        )  # fmt: skip
    else:
        columns = {
            "key": [None, *named["key"], None],
            "text": ["a woman", *[None] * 5, "ein Mädchen"],
        }
        write(file, columns, [embedded[0], *matrix, embedded[1]])
    summary = import_embeddings(audit, file, encoder="mine", logit_scale=50)
    assert (summary.images, summary.texts) == (5, 2)
    assert summary.encoder.settings == {"logit_scale": 50.0}
    assert np.array_equal(audit.text_embeddings(summary.encoder, texts), embedded)
    assert import_embeddings(audit, file, encoder="mine", logit_scale=50).present == 7


def test_texts_alone(audit: AuditFolder, tmp_path: Path) -> None:
    file = write(tmp_path / "t.parquet", {"text": ["a", "b"]}, vectors(2))
    assert import_embeddings(audit, file, encoder="mine").texts == 2
    np.savez(tmp_path / "t.npz", text=np.array(["c"]), text_embedding=vectors(1))
    assert import_embeddings(audit, tmp_path / "t.npz", encoder="mine").texts == 1


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float16()), pa.list_(pa.float64()), pa.list_(pa.float32(), WIDTH),
             pa.large_list(pa.float32()), pa.list_(pa.int64())],
    ids=str,
)  # fmt: skip
def test_vectors_of_any_number_type(audit: AuditFolder, tmp_path: Path, kind: pa.DataType) -> None:
    numbers = np.arange(20).reshape(5, WIDTH) + 1
    data = [[np.float16(n) if "half" in str(kind) else n for n in row] for row in numbers]
    table = pa.table({"key": about(audit)["key"], "embedding": pa.array(data, kind)})
    pq.write_table(table, tmp_path / "e.parquet")
    import_embeddings(audit, tmp_path / "e.parquet", encoder="mine")
    _, got = audit.embeddings(audit.measurer())
    assert sorted(got[:, 0].tolist()) == [1, 5, 9, 13, 17]


def test_bytes_as_names_are_utf_8(audit: AuditFolder, tmp_path: Path) -> None:
    keys = np.array([key.encode() for key in about(audit)["key"]])
    np.savez(tmp_path / "e.npz", key=keys, embedding=vectors(5))
    assert import_embeddings(audit, tmp_path / "e.npz", encoder="mine").images == 5


def test_one_image_file_of_two_prompts_needs_one_embedding(tmp_path: Path) -> None:
    rows = [{"image": "a.png", "prompt": "x"}, {"image": "a.png", "prompt": "y"}]
    import_images(folder_of(tmp_path / "mine", rows), tmp_path / "audit")
    file = write(tmp_path / "e.parquet", {"image": ["./a.png"]}, vectors(1))
    assert import_embeddings(tmp_path / "audit", file, encoder="mine").images == 2


def test_many_rows_are_read_in_chunks(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "many", {}))
    count = 9_000
    audit.append_images([ImageRecord("a", i, "ok", data=image()) for i in range(count)])
    keys = [row[0] for row in audit.images().select("key").fetchall()]
    matrix = vectors(count)
    for ending in (".parquet", ".npz"):
        file = write(tmp_path / f"e{ending}", {"key": keys}, matrix)
        assert import_embeddings(audit, file, encoder=ending).images == count
        found, got = audit.embeddings(audit.measurer(ending))
        order = np.argsort(keys)
        assert found == [keys[i] for i in order]
        assert np.array_equal(got, matrix[order])
        matrix[8_500, 2] = np.nan
        write(tmp_path / f"e{ending}", {"key": keys}, matrix)
        with pytest.raises(ImportFileError, match="row 8500: the embedding holds NaN"):
            import_embeddings(audit, file, encoder="other")
        matrix[8_500, 2] = 1.0


# --- validation ------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".parquet", ".npz"])
def test_wrong_values_are_named(audit: AuditFolder, tmp_path: Path, ending: str) -> None:
    keys = about(audit)["key"]
    file = tmp_path / f"e{ending}"
    for value, says in (
        (np.nan, "row 3: the embedding holds NaN or infinity"),
        (np.inf, "row 3: the embedding holds NaN or infinity"),
    ):
        matrix = vectors(5)
        matrix[3, 1] = value
        refuses(audit, write(file, {"key": keys}, matrix), says)
    matrix = vectors(5)
    matrix[[2, 4]] = 0
    refuses(audit, write(file, {"key": keys}, matrix), "row 2: the embedding is all zeros")
    refuses(audit, write(file, {"key": keys}, matrix), "(and 1 more: row 4)")


@pytest.mark.parametrize("ending", [".parquet", ".npz"])
def test_images_that_are_not_there_are_named(
    audit: AuditFolder, tmp_path: Path, ending: str
) -> None:
    file = tmp_path / f"e{ending}"
    refuses(
        audit,
        write(file, {"key": ["x"]}, vectors(1)),
        "row 0: key 'x' is not in ",
    )
    request = {"prompt": ["p0", "p0"], "seed": [0, 7]}
    refuses(
        audit,
        write(file, request, vectors(2)),
        "row 1: prompt 'p0' and seed 7 is not in ",
    )
    refuses(audit, write(file, {"image": ["no.png"]}, vectors(1)), "path 'no.png' is not in ")
    refused = {"prompt": ["p0"], "seed": [9]}
    refuses(audit, write(file, refused, vectors(1)), "was refused: it has no image")


@pytest.mark.parametrize("ending", [".parquet", ".npz"])
def test_the_same_image_twice_is_named(audit: AuditFolder, tmp_path: Path, ending: str) -> None:
    key = about(audit)["key"][0]
    file = write(tmp_path / f"e{ending}", {"key": [key, key]}, vectors(2))
    refuses(audit, file, "row 1: the same image is in row 0 already")


def test_embeddings_of_different_width_are_named(audit: AuditFolder, tmp_path: Path) -> None:
    keys = about(audit)["key"]
    rows = [*vectors(3), *vectors(2, width=6)]
    refuses(
        audit, write(tmp_path / "e.parquet", {"key": keys}, rows), "different width: got 4 and 6"
    )
    np.savez(
        tmp_path / "e.npz", key=np.array(keys), embedding=vectors(5), text=np.array(["a"]),
        text_embedding=vectors(1, width=6),
    )  # fmt: skip
    refuses(audit, tmp_path / "e.npz", "text row 0: width 6; wanted: 4")


def test_later_embeddings_must_fit_the_earlier_ones(audit: AuditFolder, tmp_path: Path) -> None:
    keys, matrix = about(audit)["key"], vectors(5)
    import_embeddings(audit, write(tmp_path / "a.parquet", {"key": keys}, matrix), encoder="mine")
    wide = write(tmp_path / "b.parquet", {"text": ["x"]}, vectors(1, width=6))
    with pytest.raises(ImportFileError, match="width 6; wanted: 4"):
        import_embeddings(audit, wide, encoder="mine")
    matrix[1] += 1
    other = write(tmp_path / "c.npz", {"key": keys}, matrix)
    with pytest.raises(
        ImportFileError, match=r"row 1: the image has another embedding .*`encoder`"
    ):
        import_embeddings(audit, other, encoder="mine")
    assert import_embeddings(audit, other, encoder="theirs").images == 5


def test_files_that_are_none_are_named(audit: AuditFolder, tmp_path: Path) -> None:
    refuses(audit, tmp_path / "none.npz", "no such file")
    for name, content, says in (
        ("a.csv", b"", ".csv is unknown; allowed: .parquet, .npz"),
        ("a", b"", "no ending is unknown"),
        ("a.parquet", b"hello", "cannot be read as Parquet"),
        ("a.npz", b"hello", "cannot be read as .npz"),
        ("b.npz", b"", "cannot be read as .npz"),
    ):
        (tmp_path / name).write_bytes(content)
        refuses(audit, tmp_path / name, says)


def test_tables_that_say_too_little_are_named(audit: AuditFolder, tmp_path: Path) -> None:
    file = tmp_path / "e.parquet"
    pq.write_table(pa.table({"key": ["a"]}), file)
    refuses(audit, file, "no column embedding; got: key")
    refuses(
        audit, write(file, {"prompt": ["a"]}, vectors(1)), "which one it is; wanted: a column key"
    )
    refuses(audit, write(file, {"key": ["a", None]}, vectors(2)), "row 1: no key")
    refuses(audit, write(file, {"key": ["a", "b"]}, [vectors(1)[0], None]), "row 1: no embedding")
    pq.write_table(pa.table({"key": ["a"], "embedding": [1.0]}), file)
    refuses(audit, file, "embedding is double; wanted: a list of numbers")
    pq.write_table(pa.table({"key": ["a"], "embedding": [["x"]]}), file)
    refuses(audit, file, "embedding is list<element: string>; wanted: a list of numbers")
    pq.write_table(pa.table({"key": [about(audit)["key"][0]], "embedding": [[1.0, None]]}), file)
    refuses(audit, file, "row 0: the embedding holds NaN")
    pq.write_table(
        pa.table(
            {"key": pa.array([], "string"), "embedding": pa.array([], pa.list_(pa.float32()))}
        ),
        file,
    )
    refuses(audit, file, "contains no embeddings")


def test_arrays_that_say_too_little_are_named(audit: AuditFolder, tmp_path: Path) -> None:
    file = tmp_path / "e.npz"
    for arrays, says in (
        ({"key": np.array(["a"])}, "no array embedding; got: key"),
        ({"embeddings": vectors(1)}, "array ['embeddings'] is unknown; allowed: key"),
        ({"embedding": vectors(1)}, "which one it is"),
        ({"embedding": vectors(1)[0], "key": np.array(["a"])}, "embedding has shape (4,)"),
        ({"embedding": np.array([["a"]]), "key": np.array(["a"])}, "type <U1; wanted"),
        ({"embedding": vectors(2), "key": np.array(["a"])}, "key has 1 entries and its embeddings"),
        (
            {"text": np.array(["a"]), "embedding": vectors(1), "key": np.array(["a"])},
            "come together",
        ),
        ({"text_embedding": vectors(1)}, "text and text_embedding come together"),
    ):
        np.savez(file, **arrays)
        refuses(audit, file, says)


def test_pickled_objects_are_never_loaded(audit: AuditFolder, tmp_path: Path) -> None:
    np.savez(tmp_path / "e.npz", key=np.array(["a", None], dtype=object), embedding=vectors(2))
    refuses(audit, tmp_path / "e.npz", "it holds pickled objects")


def test_without_an_audit_nothing_is_imported(tmp_path: Path) -> None:
    file = write(tmp_path / "e.parquet", {"key": ["a"]}, vectors(1))
    with pytest.raises(NotAnAudit):
        import_embeddings(tmp_path / "nowhere", file, encoder="mine")
