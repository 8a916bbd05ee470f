"""Bad input: one line on standard error, exit code 1 or 2, and an audit as it was."""

from __future__ import annotations

import json
import os
import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from command_line import CommandLine, fingerprint, in_a_process
from portrayal.audit import AuditFolder

PAINTER = ("--model", "practice:painter")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = 'broken\n", "line 1"),
        ("kind = 'composition'\naxis = ['perceived gender']\n", "axis"),
        ("kind = 'composition'\naxes = ['perceived gender']\nprompts = []\n", "no prompts"),
        ("kind = 'opinion'\n", "opinion"),
        ("", "kind"),
    ],
    ids=["broken", "unknown key", "no prompts", "unknown kind", "empty"],
)
@pytest.mark.parametrize("verb", ["run", "plan", "generate", "measure", "analyze"])
def test_a_wrong_study_file(
    portrayal: CommandLine, audit: Path, tmp_path: Path, verb: str, text: str, says: str
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    before = fingerprint(audit)
    line = portrayal(verb, file, "--out", audit).error
    assert "mine.toml" in line
    assert says in line
    assert fingerprint(audit) == before


def test_a_study_that_is_not_there(portrayal: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    assert "did you mean demo or demo-all?" in portrayal("run", "demmo", "--out", out).error
    assert "absent.toml" in portrayal("run", tmp_path / "absent.toml", "--out", out).error
    assert "did you mean flowers-insects" in portrayal("studies", "show", "flower-insects").error
    assert not out.exists()


def test_a_practice_model_that_is_not_there(portrayal: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    line = portrayal("run", "occupations", "--model", "practice:paintr", "--out", out).error
    assert "no model 'practice:paintr'; allowed: practice or practice:painter" in line
    assert not out.exists()


def test_a_paper_that_cannot_be_reproduced(portrayal: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    line = portrayal("reproduce", "paradoks", "--out", out).error
    assert "did you mean paradox?); allowed: entigen, paradox, t2iat, word-level" in line
    assert "--model is missing" in portrayal("reproduce", "word-level", "--out", out).usage
    line = portrayal("reproduce", "paradox", "--model", "x/y", "--out", out).error
    assert line.endswith("or a stand-in for it, with --corpus")
    assert not list(tmp_path.iterdir())


def test_training_data_for_a_study_that_needs_none(portrayal: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    line = portrayal("run", "occupations", *PAINTER, "--corpus", "nope", "--out", out).usage
    assert "--corpus is for amplification studies; occupations" in line
    assert portrayal("plan", "occupations", "--corpus", "nope").usage == line
    assert not out.exists()


def test_real_world_shares_for_a_study_that_has_no_use(
    portrayal: CommandLine, tmp_path: Path
) -> None:
    words = ("run", "occupations", *PAINTER, "--real-world", "x.csv", "--out", tmp_path / "audit")
    assert "--real-world is for amplification studies; occupations" in portrayal(*words).usage


def test_a_model_that_is_almost_ours(portrayal: CommandLine, tmp_path: Path) -> None:
    line = portrayal("run", "occupations", "--model", "practise", "--out", tmp_path / "a").error
    assert line.endswith("did you mean practice?")


@pytest.mark.parametrize("verb", ["measure", "analyze", "report", "repair", "generate"])
def test_a_folder_that_is_no_audit(portrayal: CommandLine, tmp_path: Path, verb: str) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "holiday.txt").write_text("sun")
    line = portrayal(verb, folder).error
    assert "photos: not an audit" in line
    assert [path.name for path in folder.iterdir()] == ["holiday.txt"]
    assert "no such folder" in portrayal(verb, tmp_path / "nowhere").error


def test_a_run_into_a_folder_with_other_things(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "holiday.txt").write_text("sun")
    assert (
        "choose a new or an empty folder" in portrayal("run", work, "--out", folder, *PAINTER).error
    )
    assert [path.name for path in folder.iterdir()] == ["holiday.txt"]
    assert "is a file" in portrayal("run", work, "--out", work, *PAINTER).error


def test_what_can_be_told_early_is_told_before_a_model_is_loaded(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "holiday.txt").write_text("sun")
    nobody = ("--model", str(tmp_path / "no-model"), "--encoder", str(tmp_path / "no-encoder"))
    taken = portrayal("run", work, "--out", folder, *nobody)
    assert "choose a new or an empty folder" in taken.error
    no_corpus = portrayal("run", "demo-all", "--out", tmp_path / "q", *nobody)
    assert "needs training captions" in no_corpus.error
    absent = portrayal(
        "run", "demo-all", "--out", tmp_path / "q", "--corpus", tmp_path / "no", *nobody
    )
    assert "no such folder; --corpus names" in absent.error
    assert not (tmp_path / "q").exists()


@pytest.mark.parametrize("verb", ["measure", "analyze", "report", "repair", "generate"])
def test_an_audit_of_a_newer_format(portrayal: CommandLine, audit: Path, verb: str) -> None:
    header = json.loads((audit / "audit.json").read_text())
    (audit / "audit.json").write_text(json.dumps({**header, "format": 99}))
    before = fingerprint(audit)
    line = portrayal(verb, audit).error
    assert "format 99 is newer" in line
    assert "pip install --upgrade portrayal" in line
    assert fingerprint(audit) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--port", "99999"), "cannot listen on 127.0.0.1, port 99999"),
        (("--known", "absent.csv"), "absent.csv: no such file"),
        (("--questions", "absent.toml"), "absent.toml"),
        (("--study", "other"), "other"),
    ],
)
def test_a_rating_that_cannot_begin_leaves_nothing(
    portrayal: CommandLine, audit: Path, options: tuple[str, ...], message: str
) -> None:
    before = fingerprint(audit)
    port = () if "--port" in options else ("--port", "0")
    assert message in portrayal("annotate", audit, *port, *options).error
    assert fingerprint(audit) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--url", "nowhere"), "--url is 'nowhere'"),
        (("--raters", "2", "--per-image", "3"), "--raters is 2, fewer than the 3"),
        (("--checks", "2"), "--checks is 2.0; allowed: a share"),
    ],
)
def test_options_of_a_rating_that_cannot_be_leave_nothing(
    portrayal: CommandLine, audit: Path, options: tuple[str, ...], message: str
) -> None:
    before = fingerprint(audit)
    assert message in portrayal("annotate", audit, "--port", "0", *options).usage
    assert fingerprint(audit) == before


def test_a_detector_that_is_not_there_is_known_before_anything_is_looked_at(
    portrayal: CommandLine, audit: Path
) -> None:
    shutil.rmtree(audit / "measurements")
    before = fingerprint(audit)
    said = portrayal("measure", audit, "--people", "faces:foo").error
    assert "face detector 'foo' is unknown" in said
    assert fingerprint(audit) == before


def test_a_truncated_part(portrayal: CommandLine, work: Path, audit: Path) -> None:
    part = next((audit / "images").glob("part-*.parquet"))
    part.write_bytes(part.read_bytes()[:-200])
    before = fingerprint(audit)
    for words in (("analyze", audit), ("run", work, "--out", audit, *PAINTER), ("measure", audit)):
        line = portrayal(*words).error
        assert part.name in line
        assert "portrayal repair" in line
    assert fingerprint(audit) == before
    assert portrayal("repair", audit).code == 0
    healed = portrayal("run", work, "--out", audit, *PAINTER)
    assert "12 images generated, 0 reused" in healed.err


def test_image_parts_that_were_deleted(portrayal: CommandLine, audit: Path) -> None:
    for part in (audit / "images").glob("*.parquet"):
        part.unlink()
    before = fingerprint(audit)
    assert "lacks 12 of the images that practice measured" in portrayal("analyze", audit).error
    assert fingerprint(audit) == before


def test_a_part_that_was_tampered_with(portrayal: CommandLine, audit: Path) -> None:
    part = next((audit / "images").glob("part-*.parquet"))
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    before = fingerprint(audit)
    for words in (("report", audit), ("export", audit, "--to", audit.parent / "files")):
        assert part.name in portrayal(*words).error
    assert fingerprint(audit) == before


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 1}', '{"format": 2}', '{"format": 99}'])
def test_results_that_are_damaged(portrayal: CommandLine, audit: Path, content: str) -> None:
    (audit / "results.json").write_text(content)
    line = portrayal("report", audit).error
    assert "results.json" in line
    assert "; run: portrayal analyze" in line or "portrayal repair" in line


def test_a_report_before_any_analysis(portrayal: CommandLine, audit: Path) -> None:
    (audit / "results.json").unlink()
    assert "run: portrayal analyze" in portrayal("report", audit).error


@pytest.mark.parametrize("content", [None, b"not an image"], ids=["missing", "corrupt"])
def test_a_manifest_that_names_a_wrong_image(
    portrayal: CommandLine, tmp_path: Path, content: bytes | None
) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    Image.new("RGB", (8, 8)).save(folder / "good.png")
    (folder / "manifest.csv").write_text("image,prompt\ngood.png,a\nbad.png,b\n")
    if content is not None:
        (folder / "bad.png").write_bytes(content)
    out = tmp_path / "audit"
    assert "bad.png" in portrayal("import", "images", folder, "--out", out).error
    assert not out.exists()


def test_labels_and_votes_on_an_axis_of_ones_own_are_stored_with_a_warning(
    portrayal: CommandLine, audit: Path, tmp_path: Path
) -> None:
    ((key,),) = AuditFolder(audit).images().select("key").limit(1).fetchall()
    file = tmp_path / "rows.csv"
    warning = "warning: no study of the audit asks about 'glasses'; the answers are stored"
    file.write_text(f"key,axis,label\n{key},glasses,with\n", encoding="utf-8")
    answer = portrayal("import", "labels", file, "--measurer", "M", "--out", audit)
    assert answer.code == 0, answer.err
    assert warning in answer.err
    file.write_text(f"key,rater,glasses\n{key},a,with\n{key},b,without\n", encoding="utf-8")
    answer = portrayal("import", "votes", file, "--out", audit)
    assert answer.code == 0, answer.err
    assert warning in answer.err
    file.write_text(f"key,axis,label\n{key},perceived gender,Female\n", encoding="utf-8")
    error = portrayal("import", "labels", file, "--measurer", "N", "--out", audit).error
    assert "has the label 'Female' on the axis 'perceived gender'; allowed: woman, man" in error


def test_embeddings_of_two_widths(portrayal: CommandLine, audit: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = AuditFolder(audit).images().select("prompt, seed").fetchall()[:2]
    table = {
        "prompt": [prompt for prompt, _ in rows],
        "seed": [seed for _, seed in rows],
        "embedding": [np.ones(4).tolist(), np.ones(5).tolist()],
    }
    pq.write_table(pa.table(table), tmp_path / "vectors.parquet")
    before = fingerprint(audit)
    line = portrayal("import", "embeddings", tmp_path / "vectors.parquet", "--out", audit).error
    assert "vectors.parquet" in line
    assert "4" in line
    assert "5" in line
    assert fingerprint(audit) == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--model", "no-such-folder/"), "no-such-folder"),
        ((*PAINTER, "--encoder", "no/encoder-of-this-name"), "no/encoder-of-this-name"),
        ((*PAINTER, "--steps", "20"), "practice:painter knows no --steps"),
        ((*PAINTER, "--size", "64x32"), "square"),
    ],
    ids=lambda value: " ".join(value[-2:]) if isinstance(value, tuple) else None,
)
def test_models_and_measurers_that_cannot_be(
    portrayal: CommandLine, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...], says: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    out = tmp_path / "audit"
    assert says in portrayal("run", work, "--out", out, *words).error
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--size", "banana"), "--size is 'banana'"),
        (("--size", "64x"), "--size is '64x'"),
        (("--size", "0"), "--size is '0'"),
        (("--images", "0"), "--images"),
        (("--images", "many"), "--images"),
        (("--imagess", "4"), "--imagess"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_options_of_run(
    portrayal: CommandLine, work: Path, tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    out = tmp_path / "audit"
    assert says in portrayal("run", work, "--out", out, *PAINTER, *words).usage
    assert not out.exists()


def test_a_model_that_nobody_has(work: Path, tmp_path: Path) -> None:
    """In a process of its own, because what libraries say on the way is part of the answer."""
    out = tmp_path / "audit"
    words = ("generate", work, "--out", out, "--model", "nobody/nothing-of-this-name")
    line = in_a_process(*words, env={"HF_HUB_OFFLINE": "1"}).error
    assert "nobody/nothing-of-this-name" in line
    assert not out.exists()


def test_out_is_needed(portrayal: CommandLine, work: Path) -> None:
    assert "--out" in portrayal("run", work).usage
    assert "--out" in portrayal("analyze").usage
    assert "--out" in portrayal("analyze", "demo").usage
    assert "--out" in portrayal("import", "images", work.parent).usage


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--confidence", "1"), "0.5 to 0.999"),
        (("--resamples", "3"), "--resamples"),
        (("--unit", "person"), "--unit"),
        (("--permute", "all"), "--permute"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_wrong_options_of_the_analysis(
    portrayal: CommandLine, audit: Path, words: tuple[str, ...], says: str
) -> None:
    before = fingerprint(audit)
    assert says in portrayal("analyze", audit, *words).usage
    assert fingerprint(audit) == before


def test_a_format_of_figures_that_does_not_exist(portrayal: CommandLine, audit: Path) -> None:
    before = fingerprint(audit)
    assert "allowed: svg, pdf, png" in portrayal("report", audit, "--figures", "docx").error
    assert fingerprint(audit) == before


def test_another_generator(portrayal: CommandLine, work: Path, audit: Path) -> None:
    before = fingerprint(audit)
    line = portrayal("run", work, "--out", audit, *PAINTER, "--size", "32").error
    assert "size is 64 here, got 32" in line
    assert fingerprint(audit) == before


def test_tasks_without_an_address_are_written_with_a_warning(
    portrayal: CommandLine, audit: Path, tmp_path: Path
) -> None:
    asked = ("export", "tasks", audit, "--to", tmp_path / "tasks", "--format")
    answer = portrayal(*asked, "mturk")
    assert answer.code == 0
    assert answer.out == ""
    assert answer.err.splitlines()[1].startswith("warning: Mechanical Turk cannot show")
    assert "warning: Label Studio must be served" in portrayal(*asked, "labelstudio").err
    assert "warning" not in portrayal(*asked, "mturk", "--url", "https://a.example/x").err


def test_a_command_that_does_not_exist(portrayal: CommandLine) -> None:
    assert "Did you mean 'run'?" in portrayal("runn").usage


def test_a_study_name_that_is_taken(
    portrayal: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert portrayal("studies", "new", "mine").code == 0
    text = (tmp_path / "mine.toml").read_text()
    assert "exists already" in portrayal("studies", "new", "mine").error
    assert (tmp_path / "mine.toml").read_text() == text


def test_a_full_disk(portrayal: CommandLine, work: Path, tmp_path: Path) -> None:
    """No file may grow beyond 20 kB: the parts of images do not fit, the header does."""
    out = tmp_path / "audit"

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    words = ("generate", work, "--out", out, *PAINTER, "--images", "40")
    answer = in_a_process(*words, "--json", preexec_fn=small_files)
    assert "File too large" in answer.error
    assert not list(out.rglob("part-*")), "no half-written part"
    assert json.loads(portrayal(*words, "--json").out)["made"] == 160


def test_no_permission_to_write(work: Path, tmp_path: Path) -> None:
    """Root may write anywhere; here it gives up just that right."""
    folder = tmp_path / "closed"
    folder.mkdir(0o555)
    before: tuple[str, ...] = ()
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may write anywhere, and setpriv (util-linux) is not here")
        before = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    words = ("generate", work, "--out", folder / "audit", *PAINTER, "--json")
    assert "no permission to write" in in_a_process(*words, before=before).error
    assert not list(folder.iterdir())
