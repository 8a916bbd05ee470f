"""Parts: atomic, named after their bytes, and damage of any kind named in one line."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import audit_samples as samples
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from audit_samples import made

from portrayal.audit import AuditFolder, parts
from portrayal.errors import AuditError, DamagedPart
from portrayal.records import Measurement, image_key

NAME = r"part-\d{20}-[0-9a-f]{16}\.parquet"


@pytest.fixture
def filled(audit: AuditFolder) -> AuditFolder:
    audit.append_images([made(f"prompt {i}", i, samples.image(i)) for i in range(20)])
    audit.append_images([made(f"other {i}", i, samples.image(100 + i)) for i in range(20)])
    return audit


def test_a_part_is_named_after_its_bytes(filled: AuditFolder) -> None:
    for path in samples.image_parts(filled):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        assert path.name.endswith(f"-{digest}.parquet")
        parts.verify(path)


def test_nothing_but_parts_and_the_lock_is_left_behind(filled: AuditFolder) -> None:
    names = sorted(os.listdir(filled.path / "images"))
    assert names[0] == ".lock"
    assert [name for name in names[1:] if not name.startswith("part-")] == []


def test_temporary_and_foreign_files_are_never_read(filled: AuditFolder) -> None:
    folder = filled.path / "images"
    (folder / ".writing-00000000-1-abc").write_bytes(b"PAR1 half a part")
    (folder / "notes.txt").write_text("mine")
    (folder / "part-1.parquet.bak").write_text("mine")
    fresh = AuditFolder(filled.path)
    assert len(fresh.images().fetchall()) == 40
    assert fresh.append_images([made("new", 0)]) == 1


def test_a_image_is_found_by_reading_its_row_group_only(audit: AuditFolder) -> None:
    audit.append_images([made("a", seed) for seed in range(250)])
    with pq.ParquetFile(samples.image_parts(audit)[0]) as file:
        assert [file.metadata.row_group(i).num_rows for i in range(3)] == [100, 100, 50]
        image = file.metadata.row_group(0).column(5)
        assert image.path_in_schema == "image.bytes"
        assert image.compression == "UNCOMPRESSED"


# --- damage ----------------------------------------------------------------------------------

USES: dict[str, Callable[[AuditFolder], object]] = {
    "images": lambda audit: audit.images(),
    "missing": lambda audit: audit.missing([("prompt 1", 2)]),
    "append": lambda audit: audit.append_images([made("new", 0)]),
    "unmeasured": lambda audit: list(audit.unmeasured_images(samples.ENCODER)),
    "with bytes": lambda audit: audit.images(with_bytes=True).fetchall(),
    "read": lambda audit: audit.read_images([image_key(samples.GENERATOR, "prompt 1", 1)]),
}


def check_message(error: AuditError, part: Path, audit: AuditFolder) -> None:
    said = str(error)
    assert str(part) in said
    assert "\n" not in said
    assert f"portrayal repair {audit.path}" in said


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999])
def test_a_truncated_part_is_named(filled: AuditFolder, use: str, share: float) -> None:
    part = samples.image_parts(filled)[0]
    samples.truncate(part, share)
    with pytest.raises(DamagedPart) as caught:
        USES[use](AuditFolder(filled.path))
    check_message(caught.value, part, filled)


def test_a_bit_flipped_in_a_image_is_noticed_before_it_is_used(filled: AuditFolder) -> None:
    part = samples.image_parts(filled)[0]
    samples.flip_bit_of(part, samples.image(1))
    fresh = AuditFolder(filled.path)
    assert len(fresh.images().fetchall()) == 40  # the columns beside it are intact
    for use in ("unmeasured", "read"):
        with pytest.raises(DamagedPart) as caught:
            USES[use](fresh)
        check_message(caught.value, part, filled)


@pytest.mark.parametrize("column", ["key", "prompt", "seed", "status", "factors", "made_at"])
def test_a_bit_flipped_in_any_other_column_is_noticed(filled: AuditFolder, column: str) -> None:
    part = samples.image_parts(filled)[0]
    with pq.ParquetFile(part) as file:
        group = file.metadata.row_group(0)
        chunk = next(
            group.column(i)
            for i in range(group.num_columns)
            if group.column(i).path_in_schema == column
        )
    samples.flip_bit(part, chunk.data_page_offset + chunk.total_compressed_size // 2)
    with pytest.raises(DamagedPart) as caught:
        AuditFolder(filled.path).images()
    check_message(caught.value, part, filled)


def test_whatever_bit_is_flipped_no_wrong_row_is_read(filled: AuditFolder, tmp_path: Path) -> None:
    part = samples.image_parts(filled)[0]
    good = part.read_bytes()
    expected = filled.images().order("key").fetchall()
    keys = [row[0] for row in expected]
    images = filled.read_images(keys)
    rng = np.random.default_rng(1)
    noticed = 0
    # All bytes of the footer would take long: some of them, and some of the pages.
    for place in rng.choice(len(good), 150, replace=False):
        damaged = bytearray(good)
        damaged[place] ^= 1 << int(rng.integers(8))
        part.write_bytes(damaged)
        fresh = AuditFolder(filled.path)
        with pytest.raises(DamagedPart):
            parts.verify(part)
        try:
            rows = fresh.images().order("key").fetchall()
            found = fresh.read_images(keys)
        except AuditError:
            noticed += 1
        else:
            assert rows == expected
            assert found == images
    assert noticed > 75


def test_a_part_rewritten_by_another_program_is_noticed(filled: AuditFolder) -> None:
    part = samples.image_parts(filled)[0]
    table = pq.read_table(part)
    pq.write_table(table.set_column(6, "width", pa.array([7] * len(table))), part)
    with pytest.raises(DamagedPart, match="not those that were written"):
        list(AuditFolder(filled.path).unmeasured_images(samples.ENCODER))


def test_a_part_of_something_else_is_noticed(filled: AuditFolder) -> None:
    path = filled.path / "images" / "part-0.parquet"
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(DamagedPart, match="it has no column key"):
        AuditFolder(filled.path).images()


def test_damaged_measurements_and_texts_are_named(audit: AuditFolder) -> None:
    encoder = samples.ENCODER
    rows = [Measurement(f"{i:032x}", {"embedding": v}) for i, v in enumerate(samples.vectors(9))]
    audit.append_measurements(encoder, {"embedding": "vector"}, rows)
    audit.append_texts(encoder, ["a"], samples.vectors(1), tokens=[1], truncated=[False])
    uses = {
        "measurements": lambda fresh: fresh.embeddings(encoder),
        "texts": lambda fresh: fresh.text_embeddings(encoder, ["a"]),
    }
    for kind, use in uses.items():
        part = next((audit.path / kind).glob("*/part-*"))
        samples.flip_bit_of(part, samples.vectors(1)[0].tobytes())
        with pytest.raises(DamagedPart) as caught:
            use(AuditFolder(audit.path))
        check_message(caught.value, part, audit)


@pytest.fixture
def ordinary_user() -> Iterator[Path]:
    """Stop being root, to whom everything is allowed, for one test; give a folder to work in."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    yield folder
    if root:
        os.seteuid(0)
    shutil.rmtree(folder)


def test_no_permission_is_one_clear_line(ordinary_user: Path) -> None:
    audit = AuditFolder.at(ordinary_user / "audit", samples.GENERATOR)
    audit.append_images([made("a", 0)])
    folder = audit.path / "images"
    folder.chmod(0o500)
    with pytest.raises(AuditError, match="no permission to write"):
        audit.append_images([made("new", 0)])
    assert len(AuditFolder(audit.path).images().fetchall()) == 1  # a folder may be read-only
    samples.image_parts(audit)[0].chmod(0o000)
    with pytest.raises(AuditError, match=r"part-.*: no permission to read"):
        AuditFolder(audit.path).images()
    folder.chmod(0o000)
    with pytest.raises(AuditError, match="images: no permission to read"):
        AuditFolder(audit.path).images()
    folder.chmod(0o700)
    audit.path.chmod(0o500)
    with pytest.raises(AuditError, match="no permission to write"):
        audit.append_texts(
            samples.ENCODER, ["a"], samples.vectors(1), tokens=[1], truncated=[False]
        )
    with pytest.raises(AuditError, match="no permission to write"):
        AuditFolder.at(audit.path / "inside", samples.GENERATOR)
    audit.path.chmod(0o700)


# --- a full disk, a killed process -----------------------------------------------------------


def test_a_full_disk_is_one_clear_line_and_harms_nothing(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import sys
        sys.path.insert(0, sys.argv[2])
        import audit_samples as samples
        from portrayal.audit import AuditFolder
        from portrayal.errors import AuditError
        audit = AuditFolder.at(sys.argv[1] + "/audit", samples.GENERATOR)
        audit.append_images([samples.made("small", 0)])
        try:
            audit.append_images([samples.made("large", 0, bytes(4_000_000))])
        except AuditError as error:
            print(error)
        print(audit.images().select("prompt").fetchall())
        print(sorted(p.name[:5] for p in (audit.path / "images").iterdir()))
        """
    )
    command = 'mount -t tmpfs -o size=1m none "$1" && exec "$2" -c "$3" "$1" "$4"'
    tests = str(Path(__file__).parent)
    result = subprocess.run(
        ["unshare", "-rm", "sh", "-c", command, "sh", tmp_path, sys.executable, script, tests],
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in result.stderr or "mount" in result.stderr:
        pytest.skip("this machine does not let a test mount a small disk")
    assert result.returncode == 0, result.stderr
    said, rows, names = result.stdout.splitlines()
    assert "the disk is full" in said
    assert rows == "[('small',)]"
    assert names == "['.lock', 'part-']"


def test_a_file_system_limit_is_one_clear_line(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import resource, sys
        sys.path.insert(0, sys.argv[2])
        import audit_samples as samples
        from portrayal.audit import AuditFolder
        from portrayal.errors import AuditError
        audit = AuditFolder.at(sys.argv[1], samples.GENERATOR)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
        try:
            audit.append_images([samples.made("large", 0, bytes(1_000_000))])
        except AuditError as error:
            print(error)
        print(audit.append_images([samples.made("small", 0)]))
        """
    )
    arguments = [str(tmp_path / "audit"), str(Path(__file__).parent)]
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    said, stored = result.stdout.splitlines()
    assert "cannot write there: File too large" in said
    assert stored == "1"


@pytest.mark.parametrize("moment", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_killed_while_appending_nothing_torn_is_seen(tmp_path: Path, moment: float) -> None:
    script = textwrap.dedent(
        """
        import sys
        sys.path.insert(0, sys.argv[2])
        import audit_samples as samples
        from portrayal.audit import AuditFolder
        audit = AuditFolder.at(sys.argv[1], samples.GENERATOR)
        print("ready", flush=True)
        for seed in range(100_000):
            audit.append_images([samples.made("a", seed, bytes(2_000_000))])
            print(seed, flush=True)
        """
    )
    arguments = [str(tmp_path / "audit"), str(Path(__file__).parent)]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(moment)
    process.send_signal(signal.SIGKILL)
    told = process.stdout.read().split()
    process.wait()
    process.stdout.close()
    audit = AuditFolder(tmp_path / "audit")
    seeds = [row[0] for row in audit.images().select("seed").order("seed").fetchall()]
    assert seeds == list(range(len(seeds)))
    assert len(seeds) in (len(told), len(told) + 1)  # at most the batch in flight
    for part in samples.image_parts(audit):
        parts.verify(part)
    assert audit.append_images([made("a", 0), made("a", len(seeds))]) == 1
    shutil.rmtree(tmp_path / "audit")
