"""The folder is opened by others without us, in the ways that docs/audit-folder.md shows."""

from __future__ import annotations

import io
from pathlib import Path

import audit_samples as samples
import duckdb
import pandas as pd
import polars as pl
import pyarrow.dataset
import pytest
from audit_samples import failed, made
from PIL import Image

from portrayal.audit import AuditFolder, compact
from portrayal.records import Measurement


@pytest.fixture(params=["small parts", "merged parts"])
def folder(audit: AuditFolder, request: pytest.FixtureRequest) -> Path:
    for start in range(0, 12, 3):
        audit.append_images([made("a nurse", start + i) for i in range(3)])
    audit.append_images([failed("a nurse", 12)])
    rows = [
        Measurement(key, {"embedding": vector})
        for (key,), vector in zip(
            audit.images().select("key").fetchall(), samples.vectors(13), strict=True
        )
    ]
    audit.append_measurements(samples.ENCODER, {"embedding": "vector"}, rows[:6])
    audit.append_measurements(samples.ENCODER, {"embedding": "vector"}, rows[6:])
    if request.param == "merged parts":
        compact(audit, many=1)
        assert len(samples.image_parts(audit)) == 1
    # What a working process has lying about must not disturb a reader.
    (audit.path / "images" / ".writing-00000000-1-x").write_bytes(b"half")
    return audit.path


def test_pandas(folder: Path) -> None:
    frame = pd.read_parquet(folder / "images")
    assert len(frame) == 13
    assert str(frame["made_at"].dtype) == "datetime64[us]"
    ok = frame[frame["status"] == "ok"]
    image = Image.open(io.BytesIO(ok["image"].iloc[0]["bytes"]))
    assert image.size == (8, 6)
    measured = pd.read_parquet(next((folder / "measurements").iterdir()))
    assert len(frame.merge(measured, on="key")) == 13


def test_polars(folder: Path) -> None:
    frame = pl.read_parquet(f"{folder}/images/*.parquet")
    assert frame.height == 13
    data = frame.filter(pl.col("status") == "ok")["image"].struct.field("bytes")[0]
    assert Image.open(io.BytesIO(data)).size == (8, 6)
    measured = pl.scan_parquet(f"{folder}/measurements/*/*.parquet")
    assert frame.lazy().join(measured, on="key").collect().height == 13


def test_duckdb(folder: Path) -> None:
    query = f"""
        SELECT status, count(*), max(octet_length(image.bytes)), avg(len(embedding))
        FROM '{folder}/images/*.parquet' JOIN '{folder}/measurements/*/*.parquet' USING (key)
        GROUP BY status ORDER BY status
    """
    rows = duckdb.sql(query).fetchall()
    assert [row[:2] for row in rows] == [("failed", 1), ("ok", 12)]
    assert rows[1][2] == max(len(samples.image(seed)) for seed in range(12))
    assert rows[1][3] == 4.0
    assert len(duckdb.sql(f"FROM '{folder}/images/*.parquet'").fetchall()) == 13  # times too


def test_pyarrow(folder: Path) -> None:
    table = pyarrow.dataset.dataset(folder / "images").to_table()
    assert table.num_rows == 13


def test_datasets_decodes_the_images(folder: Path, tmp_path: Path) -> None:
    import datasets

    found = datasets.load_dataset(
        "parquet",
        data_files=f"{folder}/images/*.parquet",
        split="train",
        cache_dir=str(tmp_path / "cache"),
    )
    assert isinstance(found.features["image"], datasets.Image)
    assert len(found) == 13
    row = next(row for row in found if row["status"] == "ok")
    assert row["image"].size == (8, 6)
    assert row["prompt"] == "a nurse"
    assert next(row for row in found if row["status"] == "failed")["image"] is None


def test_relations_become_frames_of_any_kind(folder: Path) -> None:
    audit = AuditFolder(folder)
    assert len(audit.images().df()) == 13
    assert audit.images().pl().height == 13
    assert audit.images().to_arrow_table().num_rows == 13
    assert len(audit.images().fetchall()) == 13
    assert len(audit.measurements().df()) == 13
