"""Places in an object store: names as pathlib has them, and errors of one line."""

from __future__ import annotations

import builtins
import errno
import os
import pickle
import sys
import uuid
from pathlib import Path, PurePosixPath

import pytest

from portrayal.audit import AuditFolder
from portrayal.audit.locations import location, object_path
from portrayal.audit.object_paths import ObjectPath, ObjectReader
from portrayal.audit.object_stores import answering
from portrayal.errors import AuditError, MissingExtra, NotAnAudit, PortrayalError


@pytest.fixture
def bucket() -> ObjectPath:
    """A place of its own in the store of this process."""
    found = object_path(location(f"memory://{uuid.uuid4().hex}/some"))
    assert found is not None
    return found


# --- validation -------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["sftp://host/audit", "http://host/audit", "file:///tmp/audit"])
def test_other_schemes_are_one_line(url: str) -> None:
    with pytest.raises(AuditError, match=r"no audit can be kept under \w+://; allowed: a folder"):
        AuditFolder(url)


def test_a_url_without_a_bucket_is_one_line() -> None:
    with pytest.raises(AuditError, match="names no bucket; write s3://BUCKET/AUDIT"):
        location("s3:///audit")


@pytest.mark.parametrize("scheme", ["s3", "sftp"])
def test_a_password_in_a_url_is_refused_and_not_repeated(scheme: str) -> None:
    with pytest.raises(AuditError, match="contains a password") as caught:
        location(f"{scheme}://someone:sesame@bucket/audit")
    assert "sesame" not in str(caught.value)
    assert "someone" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "module", "extra"),
    [
        ("s3://bucket/audit", "s3fs", "s3"),
        ("gs://bucket/audit", "gcsfs", "gs"),
        ("az://bucket/audit", "adlfs", "az"),
        ("s3://bucket/audit", "fsspec", "s3"),
    ],
)
def test_a_missing_package_is_one_line_with_the_command(
    monkeypatch: pytest.MonkeyPatch, url: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as caught:
        AuditFolder(url)
    assert str(caught.value) == f'{module} is not installed; run: pip install "portrayal[{extra}]"'


def test_a_folder_needs_none_of_the_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in ("fsspec", "s3fs"):
        monkeypatch.setitem(sys.modules, module, None)
    assert location(tmp_path) is tmp_path
    assert location("a/b") == Path("a/b")
    assert object_path(Path("a/b")) is None


def test_what_needs_a_file_of_this_machine_says_so(bucket: ObjectPath) -> None:
    with pytest.raises(AuditError, match="is in an object store; this needs a folder"):
        os.fspath(bucket)
    with pytest.raises(AuditError, match="is in an object store"):
        builtins.open(bucket)  # noqa: SIM115


# --- known answers ----------------------------------------------------------------------------


def test_names_are_those_of_pathlib() -> None:
    path = ObjectPath("s3://bucket/audits/mine")
    part = path / "images" / "part-1.parquet"
    assert str(part) == "s3://bucket/audits/mine/images/part-1.parquet"
    assert (part.name, part.stem, part.suffix) == ("part-1.parquet", "part-1", ".parquet")
    assert part.parent.parent == path
    assert part.relative_to(path) == ObjectPath("images/part-1.parquet")
    assert str(part.relative_to(path)) == "images/part-1.parquet"
    assert str(path / "set-aside" / part.relative_to(path)).endswith(
        "set-aside/images/part-1.parquet"
    )
    assert part.with_name("x") == path / "images" / "x"
    assert pickle.loads(pickle.dumps(part)) == part  # noqa: S301
    assert str(pickle.loads(pickle.dumps(part))) == str(part)  # noqa: S301
    assert path.resolve() is path
    assert {part: 1}[ObjectPath(str(part))] == 1


@pytest.mark.parametrize(
    "where", ["s3://b/a", "s3://b/a/", Path("s3://b/a"), PurePosixPath("s3://b/a")]
)
def test_a_url_survives_becoming_a_path(where: str | Path) -> None:
    assert str(location(where)) == "s3://b/a"
    assert str(location(location(where))) == "s3://b/a"


def test_what_is_written_is_there(bucket: ObjectPath) -> None:
    file = bucket / "folder" / "file.txt"
    assert not file.exists()
    assert not bucket.is_dir()
    assert not ObjectPath("memory:").exists()
    bucket.mkdir(parents=True, exist_ok=True)
    file.write_text("schön")
    assert (file.exists(), file.is_file(), file.is_dir()) == (True, True, False)
    assert bucket.is_dir()
    assert not bucket.is_file()
    assert file.read_text() == "schön"
    assert file.size() == 6
    assert file.read_range(1, 3) == b"ch"
    assert list(bucket.iterdir()) == [bucket / "folder"]
    assert (bucket / "folder").sizes() == {"file.txt": 6}
    assert file.sizes() == {}


def test_of_two_writers_the_first_one_wins_where_that_is_wanted(bucket: ObjectPath) -> None:
    file = bucket / "file"
    for text in (b"first", b"second"):
        file.write_bytes(text, keep=True)
    assert file.read_bytes() == b"first"
    file.write_bytes(b"third")
    assert file.read_bytes() == b"third"


def test_patterns(bucket: ObjectPath) -> None:
    for name in ("m/a-1/_identity.json", "m/b/_identity.json", "m/b/part", "m/c/part", "s/x.json"):
        (bucket / name).write_bytes(b"")

    def found(pattern: str) -> list[str]:
        return [str(path.relative_to(bucket)) for path in bucket.glob(pattern)]

    assert found("m/*/_identity.json") == ["m/a-1/_identity.json", "m/b/_identity.json"]
    assert found("m/*") == ["m/a-1", "m/b", "m/c"]
    assert found("s/*.json") == ["s/x.json"]
    assert found("s/x.json") == ["s/x.json"]
    assert found("none/*") == found("none") == []


def test_moving_a_folder_moves_all_that_is_in_it(bucket: ObjectPath) -> None:
    for name in ("old/a", "old/b/c", "older"):
        (bucket / name).write_text(name)
    (bucket / "old").rename(bucket / "new" / "place")
    assert (bucket / "new/place/b/c").read_text() == "old/b/c"
    assert not (bucket / "old").exists()
    (bucket / "older").rename(bucket / "moved")
    assert (bucket / "moved").read_text() == "older"
    assert sorted(bucket.sizes()) == ["moved", "new"]


def test_a_reader_asks_for_just_its_bytes(bucket: ObjectPath) -> None:
    file = bucket / "file"
    file.write_bytes(bytes(range(100)))
    with ObjectReader(file) as reader:
        assert reader.seek(-4, os.SEEK_END) == 96
        assert reader.read(2) == bytes([96, 97])
        assert reader.read() == bytes([98, 99])
        assert reader.read() == b""
        reader.seek(10)
        reader.seek(5, os.SEEK_CUR)
        assert reader.read(0) == b""
        assert reader.tell() == 15


# --- what stores say --------------------------------------------------------------------------


class ClientError(Exception):
    """As of botocore, whose messages may hold anything."""

    __module__ = "botocore.exceptions"
    response = {"Error": {"Code": "SlowDown", "Message": "sesame"}}  # noqa: RUF012


class NoCredentialsError(Exception):
    __module__ = "botocore.exceptions"


@pytest.mark.parametrize(
    ("error", "doing", "says"),
    [
        (PermissionError("sesame"), "read", "no permission to read"),
        (PermissionError("sesame"), "write", "no permission to write"),
        (PermissionError("sesame"), "remove", "no permission to remove"),
        (FileNotFoundError("The specified bucket does not exist"), "read", "no such bucket"),
        (FileNotFoundError("sesame"), "write", "no such bucket"),
        (NoCredentialsError("sesame"), "read", "no credentials"),
        (ClientError("sesame"), "write", r"\(ClientError SlowDown\)"),
        (ConnectionResetError("sesame"), "read", r"\(ConnectionResetError\)"),
        (TimeoutError("sesame"), "read", r"\(TimeoutError\)"),
        (OSError(errno.ENOSYS, "sesame"), "write", r"\(OSError ENOSYS\)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_errors_become_one_line_without_the_words_of_the_store(
    error: Exception, doing: str, says: str
) -> None:
    with pytest.raises(AuditError, match=says) as caught, answering("s3://b/a", doing):  # type: ignore[arg-type]
        raise error
    assert str(caught.value).startswith("s3://b/a: ")
    assert "\n" not in str(caught.value)
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("error", [FileNotFoundError("x"), FileExistsError("x"), KeyError("bug")])
def test_absence_presence_and_our_own_mistakes_stay_what_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, answering("s3://b/a"):
        raise error
    assert not isinstance(caught.value, PortrayalError)


def test_an_absent_object_says_why_it_cannot_be_read(bucket: ObjectPath) -> None:
    with pytest.raises(FileNotFoundError, match="No such file"):
        (bucket / "file").read_bytes()
    with pytest.raises(FileNotFoundError):
        (bucket / "file").unlink()
    (bucket / "file").unlink(missing_ok=True)
    with pytest.raises(NotAnAudit, match=r"create it with: portrayal run STUDY --out memory://"):
        AuditFolder(str(bucket))
