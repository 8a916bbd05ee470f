"""Merging parts: the same rows in fewer files, whatever happens on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import audit_samples as samples
import pyarrow.parquet as pq
import pytest
from audit_samples import failed, made, refused

from portrayal.audit import AuditFolder, compact, compaction, parts
from portrayal.errors import DamagedPart
from portrayal.records import Measurement


@pytest.fixture
def scattered(audit: AuditFolder) -> AuditFolder:
    """Seventy parts of three images each, and as many of measurements and texts."""
    for i in range(70):
        audit.append_images([made(f"p{i}", seed, samples.image(i)) for seed in range(3)])
        audit.append_measurements(
            samples.ENCODER, {"embedding": "vector"}, [Measurement(f"{i:032x}", {"embedding": [i]})]
        )
        audit.append_texts(
            samples.ENCODER, [f"t{i}"], samples.vectors(1), tokens=[i], truncated=[False]
        )
    return audit


def content(audit: AuditFolder) -> list[Any]:
    return [
        sorted(audit.images(with_bytes=True).fetchall(), key=str),
        sorted(audit.measurements(samples.ENCODER).fetchall()),
        sorted(audit.texts(samples.ENCODER).fetchall()),
    ]


def part_counts(audit: AuditFolder) -> list[int]:
    return [len(parts.part_names(folder)) for folder in compaction.part_folders(audit.path)]


def test_the_same_rows_in_fewer_parts(scattered: AuditFolder) -> None:
    before = content(scattered)
    summary = compact(scattered)
    assert (summary.before, summary.after) == (210, 3)
    assert part_counts(scattered) == [1, 1, 1]
    assert content(scattered) == content(AuditFolder(scattered.path)) == before
    for folder in compaction.part_folders(scattered.path):
        parts.verify(parts.part_paths(folder)[0])
    assert pq.read_schema(samples.image_parts(scattered)[0]).metadata[b"huggingface"]
    # Appending goes on, and knows what is there.
    assert scattered.append_images([made("p0", 0), made("p0", 3)]) == 1


def test_row_groups_stay_small_for_images_and_become_large_for_the_rest(
    scattered: AuditFolder,
) -> None:
    compact(scattered)
    images, measurements, _ = compaction.part_folders(scattered.path)
    groups = pq.read_metadata(parts.part_paths(images)[0])
    sizes = [groups.row_group(i).num_rows for i in range(groups.num_row_groups)]
    assert sum(sizes) == 210
    assert max(sizes) <= 102
    assert len(sizes) <= 5
    assert pq.read_metadata(parts.part_paths(measurements)[0]).num_row_groups == 1


def test_few_parts_are_left_alone(audit: AuditFolder) -> None:
    for i in range(64):
        audit.append_images([made("a", i)])
    names = parts.part_names(audit.path / "images")
    assert compact(audit) == compaction.CompactionSummary(0, 0)
    assert parts.part_names(audit.path / "images") == names
    audit.append_images([made("a", 64)])
    assert compact(audit) == compaction.CompactionSummary(65, 1)
    assert compact(audit) == compaction.CompactionSummary(0, 0)


def test_merged_parts_have_about_the_target_size(audit: AuditFolder) -> None:
    for i in range(40):
        audit.append_images([made("a", i, bytes(10_000) + i.to_bytes())])
    compact(audit, many=4, target_bytes=100_000)
    sizes = [path.stat().st_size for path in samples.image_parts(audit)]
    assert len(sizes) < 10
    assert max(sizes) < 130_000
    assert sum(size < 50_000 for size in sizes) <= 1
    assert len(audit.images().fetchall()) == 40


def test_large_parts_are_not_written_again(audit: AuditFolder) -> None:
    audit.append_images([made("large", 0, bytes(80_000))])
    large = samples.image_parts(audit)[0]
    for i in range(5):
        audit.append_images([made("a", i)])
    compact(audit, many=2, target_bytes=100_000)
    assert large in samples.image_parts(audit)
    assert len(samples.image_parts(audit)) == 2


def test_of_doubled_rows_the_best_stays(audit: AuditFolder) -> None:
    audit.append_images([failed("a", 0), failed("a", 1), refused("a", 2)])
    audit.append_images([made("a", 0)], again=True)
    for seed in range(5):
        samples.write_regardless(audit, [made("a", 2), made("b", seed)])
    compact(audit, many=2)
    assert sorted(samples.raw_rows(audit)) == [
        ("a", 0, "ok"), ("a", 1, "failed"), ("a", 2, "ok"),
        *(("b", seed, "ok") for seed in range(5)),
    ]  # fmt: skip


@pytest.mark.parametrize("after", [0, 1, 30])
def test_a_crash_before_the_sources_are_removed_leaves_doubles_seen_once(
    scattered: AuditFolder, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    before = content(scattered)
    removed = []
    unlink = Path.unlink

    def crash(path: Path, missing_ok: bool = False) -> None:
        if path.name.startswith("part-"):
            if len(removed) == after:
                raise KeyboardInterrupt
            removed.append(path)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", crash)
    with pytest.raises(KeyboardInterrupt):
        compact(scattered)
    monkeypatch.undo()
    assert len(samples.raw_rows(scattered)) == 210 + 3 * (70 - after)
    fresh = AuditFolder(scattered.path)
    assert content(fresh) == before
    assert fresh.append_images([made("p0", 0)]) == 0
    # The next one tidies up.
    compact(fresh, many=1)
    assert len(samples.raw_rows(fresh)) == 210
    assert content(fresh) == before


def test_a_crash_before_the_merged_part_appears_changes_nothing(
    scattered: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = parts.part_names(scattered.path / "images")
    monkeypatch.setattr("os.fsync", lambda handle: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        compact(scattered)
    assert parts.part_names(scattered.path / "images") == names
    assert not list((scattered.path / "images").glob(".writing-*"))


def test_a_damaged_part_is_never_merged(scattered: AuditFolder) -> None:
    part = samples.image_parts(scattered)[33]
    samples.flip_bit_of(part, samples.image(33))
    with pytest.raises(DamagedPart) as caught:
        compact(scattered)
    assert part.name in str(caught.value)
    assert part.exists()
    assert len(scattered.images().fetchall()) == 210


def test_a_part_rewritten_by_another_program_gets_no_new_name(scattered: AuditFolder) -> None:
    part = samples.image_parts(scattered)[12]
    pq.write_table(pq.read_table(part), part, write_page_checksum=True)
    with pytest.raises(DamagedPart, match="not those that were written"):
        compact(scattered)
    assert part.exists()


def test_a_row_is_not_dropped_in_favour_of_a_damaged_one(audit: AuditFolder) -> None:
    first = samples.write_regardless(audit, [made("a", 0)])
    second = samples.write_regardless(audit, [made("a", 0), made("b", 0)])
    samples.flip_bit_of(first, samples.image(0))
    with pytest.raises(DamagedPart, match=first.name):
        compaction.drop_doubled_rows(audit.path / "images")
    parts.verify(second)
    assert len(samples.raw_rows(audit)) == 3
