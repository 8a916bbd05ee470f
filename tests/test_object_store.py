"""The whole way into a store that speaks S3: killed, shared, refused; equal to a folder."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from command_line import WORK, Answer, CommandLine, command, in_a_process
from portrayal import runner
from portrayal.audit import AuditFolder
from portrayal.audit.parts import each_part
from portrayal.records import Identity, ImageRecord
from s3_server import KEY, SECRET, S3Server, running_s3

IMAGES = 36
BATCHES = 4 * IMAGES // 2
"""More than the 64 parts from which on parts are merged."""

PAINTER = ("--model", "practice:painter", "--batch-size", "2", "--images", str(IMAGES))


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with running_s3() as server:
        yield server


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("study") / "work.toml"
    file.write_text(WORK)
    return file


@pytest.fixture(scope="module")
def undisturbed(study: Path) -> AuditFolder:
    """The same in a folder, by one process."""
    models = runner.Models("practice:painter", {"batch_size": 2})
    session = runner.Session(study.parent / "audit", models=models)
    session.ask(study, images=IMAGES)
    runner.run(session)
    return session.opened()


@pytest.fixture
def reach(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    """The server, for this process as well."""
    for name, value in s3.environment().items():
        monkeypatch.setenv(name, value)
    return s3


def start(server: S3Server, *words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", **server.environment()},
    )  # fmt: skip


def parts_in(server: S3Server, name: str) -> int:
    return len(server.objects("bucket", f"{name}/images/part-"))


def raw_keys(audit: AuditFolder) -> list[str]:
    found = each_part(audit.path / "images", ["key"])
    return [key for part in found for key in part["key"].to_pylist()]


def assert_same(ours: AuditFolder, theirs: AuditFolder) -> None:
    """Compare key by key, pixel by pixel."""
    columns = "key, prompt, seed, status, reason"
    rows = sorted(ours.images().select(columns).fetchall())
    assert rows == sorted(theirs.images().select(columns).fetchall())
    keys = [row[0] for row in rows]
    images, others = ours.read_images(keys), theirs.read_images(keys)
    assert set(images) == set(others) == set(keys)
    assert len(keys) == 4 * IMAGES
    for key in keys:
        pair = [np.asarray(Image.open(io.BytesIO(of[key]))) for of in (images, others)]
        assert np.array_equal(*pair)


def assert_no_credentials(server: S3Server, answer: Answer, name: str) -> None:
    for text in (answer.out, answer.err):
        assert KEY not in text
        assert SECRET not in text
    for one in server.objects("bucket", name):
        data = server.read("bucket", one)
        assert KEY.encode() not in data, one
        assert SECRET.encode() not in data, one


def test_a_run_that_is_killed_continues_and_ends_like_an_undisturbed_one(
    reach: S3Server, study: Path, undisturbed: AuditFolder, tmp_path: Path
) -> None:
    url = "s3://bucket/audits/killed"
    run = ("run", study, *PAINTER, "--out", url)
    kept = 0
    for _ in range(2):
        process = start(reach, *run)
        while parts_in(reach, "audits/killed") < kept + 3:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        before, kept = kept, parts_in(reach, "audits/killed")
        assert before < kept < BATCHES, "neither nothing nor all of it was made"
    whole = in_a_process(*run, env=reach.environment())
    assert whole.code == 0, whole.err
    assert f"report: {url}/report/index.html" in whole.err + whole.out
    audit = AuditFolder(url)
    assert_same(audit, undisturbed)
    assert len(raw_keys(audit)) == 4 * IMAGES, "nothing twice"
    # What was measured and found is the same, too, and the report can be read by others.
    assert audit.results()["findings"] == undisturbed.results()["findings"]
    (ours,), (theirs,) = audit.measurers(), undisturbed.measurers()
    assert ours == theirs
    keys, vectors = audit.embeddings(ours)
    other_keys, others = undisturbed.embeddings(theirs)
    assert keys == other_keys
    assert vectors == pytest.approx(others, rel=1e-3, abs=1e-3)
    page = reach.read("bucket", "audits/killed/report/index.html").decode()
    assert "Who is shown at work?" in page
    # Nothing but what a folder holds, and nothing on this machine.
    names = {name.split("/")[2] for name in reach.objects("bucket", "audits/killed")}
    assert names == {one.name for one in undisturbed.path.iterdir()}
    assert not list(study.parent.glob("s3:*"))
    assert_no_credentials(reach, whole, "audits/killed")


def test_verbs_one_after_the_other(
    reach: S3Server,
    study: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = "s3://bucket/verbs"
    painter = ("--model", "practice:painter")
    call = CommandLine(monkeypatch, capsys)

    def portrayal(*words: str | Path) -> Any:
        answer = call(*words, "--json")
        assert answer.code == 0, answer.err
        return json.loads(answer.out)

    assert portrayal("generate", study, *painter, "--out", url)["made"] == 12
    assert portrayal("plan", study, "--out", url, "-n", "5")["studies"][0]["present"] == 12
    assert portrayal("measure", url)[0]["measured"] == 12
    assert portrayal("analyze", url)["findings"]
    files = portrayal("report", url, "--figures", "svg")
    assert files["report"] == f"{url}/report/index.html"
    assert files["figures"]
    assert portrayal("repair", url)["set_aside"] == []
    assert portrayal("export", "images", url, "--to", tmp_path / "files")["images"] == 12
    assert len(list((tmp_path / "files").glob("*.png"))) == 12
    assert not list(Path.cwd().glob("s3:*"))


def test_two_processes_at_once(reach: S3Server, study: Path, undisturbed: AuditFolder) -> None:
    url = "s3://bucket/shared"
    both = [start(reach, "generate", study, *PAINTER, "--out", url) for _ in range(2)]
    for process in both:
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
    audit = AuditFolder(url)
    assert_same(audit, undisturbed)
    raw = raw_keys(audit)
    assert set(raw) == {row[0] for row in audit.images().select("key").fetchall()}
    done = in_a_process("repair", url, "--json", env=reach.environment())
    assert json.loads(done.out)["doubled"] == len(raw) - 4 * IMAGES
    assert len(raw_keys(audit)) == 4 * IMAGES
    assert_same(AuditFolder(url), undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["ray", "devices"])
def test_workers_of_an_engine_write_into_the_store_themselves(
    reach: S3Server, study: Path, undisturbed: AuditFolder, engine: str
) -> None:
    options = ("--engine", "ray", "--workers", "2") if engine == "ray" else ("--devices", "cpu,cpu")
    if engine == "ray":
        pytest.importorskip("ray", reason='pip install "portrayal[ray]"')
    url, env = f"s3://bucket/{engine}", {**reach.environment(), "RAY_USAGE_STATS_ENABLED": "0"}
    words = ("run", study, *PAINTER, *options, "--out", url)
    process = subprocess.Popen(
        command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", **env},
    )  # fmt: skip
    while parts_in(reach, engine) < 5:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = in_a_process(*words, env=env)
    assert done.code == 0, done.err
    audit = AuditFolder(url)
    assert_same(audit, undisturbed)
    assert audit.results()["findings"] == undisturbed.results()["findings"]
    assert_no_credentials(reach, done, engine)


# --- errors -----------------------------------------------------------------------------------


def one_line(env: Mapping[str, str], *words: str | Path) -> str:
    answer = in_a_process(*words, env=env)
    assert KEY not in answer.err
    assert SECRET not in answer.err
    return answer.error


def test_no_such_bucket(s3: S3Server, study: Path) -> None:
    run = ("run", study, "--model", "practice:painter", "--out", "s3://absent/audit")
    line = one_line(s3.environment(), *run)
    assert line.startswith("s3://absent/audit")
    assert "there is no such bucket; make it first" in line
    assert "no such bucket" in one_line(s3.environment(), "analyze", "s3://absent/audit")


def test_no_audit_there(s3: S3Server) -> None:
    line = one_line(s3.environment(), "analyze", "s3://bucket/nothing")
    assert line.startswith("s3://bucket/nothing: no such folder")


def test_no_permission(study: Path) -> None:
    with running_s3(free_calls=1) as server:
        for words in (
            ("analyze", "s3://bucket/audit"),
            ("run", study, "--model", "practice:painter", "--out", "s3://bucket/audit"),
        ):
            line = one_line(server.environment(), *words)
            assert line.startswith("s3://bucket/audit")
            assert "no permission to read; check the credentials" in line


def test_no_credentials(s3: S3Server) -> None:
    env = {**s3.environment(), "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    line = one_line(env, "analyze", "s3://bucket/audit")
    assert "no credentials for the store" in line


def test_nobody_answers(s3: S3Server) -> None:
    with socket.socket() as held:  # bound, but nobody listens
        held.bind(("127.0.0.1", 0))
        address = f"http://{KEY}:{SECRET}@127.0.0.1:{held.getsockname()[1]}"
        line = one_line(
            {**s3.environment(), "AWS_ENDPOINT_URL": address}, "analyze", "s3://bucket/audit"
        )
    assert line.startswith("s3://bucket/audit")
    assert "the store cannot be reached or refuses" in line


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("analyze", "sftp://host/audit"), "no audit can be kept under sftp://; allowed: a folder"),
        (("analyze", f"s3://{KEY}:{SECRET}@bucket/audit"), "the address contains a password"),
    ],
    ids=["scheme", "password"],
)
def test_what_is_refused(s3: S3Server, words: tuple[str, ...], says: str) -> None:
    assert says in one_line(s3.environment(), *words)


def test_tasks_go_to_a_folder_of_this_machine(s3: S3Server) -> None:
    words = ("export", "tasks", "s3://bucket/audit", "--to", "s3://bucket/x")
    line = in_a_process(*words, env=s3.environment()).usage
    assert line == "--to is s3://bucket/x; allowed: a folder of this machine"


def test_raters_want_a_database_elsewhere(reach: S3Server) -> None:
    pytest.importorskip("starlette", reason='pip install "portrayal[web]"')
    audit = AuditFolder.at("s3://bucket/rated", Identity("folder", "images"))
    audit.append_images([ImageRecord("a doctor", 0, "ok", data=b"image")])
    line = one_line(reach.environment(), "annotate", "s3://bucket/rated")
    assert line.startswith("s3://bucket/rated: SQLite wants a local disk")
    assert "--database postgresql://" in line
