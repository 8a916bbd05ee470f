"""The verbs: alone, together, again, with more images, for machines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from command_line import CommandLine, command, fingerprint
from portrayal.audit import AuditFolder
from portrayal.findings import Results

PAINTER = ("--model", "practice:painter")


def test_five_verbs_alone_do_what_run_does(
    portrayal: CommandLine, work: Path, finished: Path, tmp_path: Path
) -> None:
    out = tmp_path / "by-verbs"
    assert "12" in portrayal("plan", work, "--out", out).out
    assert not out.exists(), "planning makes nothing"
    made = portrayal("generate", work, "--out", out, *PAINTER)
    assert made.code == 0
    assert "12 images generated, 0 reused" in made.err
    assert "12 images measured" in portrayal("measure", out).err
    analyzed = portrayal("analyze", out)
    assert "No significant difference between" in analyzed.out
    assert "95% CI" in analyzed.out
    page = portrayal("report", out)
    assert f"report: {out}/report/index.html" in page.err.replace("\n", "")
    ours = json.loads((out / "results.json").read_text())
    theirs = json.loads((finished / "results.json").read_text())
    assert ours["findings"] == theirs["findings"]


def test_run_again_makes_nothing_and_more_images_only_the_new_ones(
    portrayal: CommandLine, work: Path, audit: Path
) -> None:
    before = fingerprint(audit / "images")
    again = portrayal("run", work, "--out", audit, *PAINTER)
    assert again.code == 0
    assert "0 images generated, 12 reused" in again.err
    assert fingerprint(audit / "images") == before
    more = portrayal("run", work, "--out", audit, *PAINTER, "--images", "5")
    assert "8 images generated, 12 reused" in more.err
    assert fingerprint(audit / "images").items() > before.items()
    assert AuditFolder(audit).images().aggregate("count(*), count(distinct key)").fetchall() == [
        (20, 20)
    ]


def test_analysis_again_keeps_the_images_that_were_asked_for(
    portrayal: CommandLine, work: Path, audit: Path
) -> None:
    """`analyze STUDY` must not fall back to the number in the file."""
    portrayal("run", work, "--out", audit, *PAINTER, "--images", "5")
    results = json.loads(portrayal("analyze", work, "--out", audit, "--json").out)
    assert results["findings"][0]["n"] + results["findings"][0]["n_missing"] == 20


@pytest.mark.parametrize(
    "words",
    [
        ("plan", "work.toml"),
        ("generate", "work.toml", "--out", "audit", *PAINTER),
        ("measure", "audit"),
        ("analyze", "audit"),
        ("report", "audit", "--figures", "svg"),
        ("run", "work.toml", "--out", "audit", *PAINTER),
        ("studies",),
        ("studies", "show", "work.toml"),
        ("export", "audit", "--to", "files"),
        ("repair", "audit"),
    ],
    ids=lambda words: words[0],
)
def test_json_is_all_that_standard_output_holds(
    portrayal: CommandLine, work: Path, audit: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:  # fmt: skip
    monkeypatch.chdir(work.parent)
    answer = portrayal(*words, "--json")
    assert answer.code == 0, answer.err
    assert isinstance(json.loads(answer.out), (dict, list))
    assert answer.err == ""


def test_options_of_the_analysis_reach_it(portrayal: CommandLine, audit: Path) -> None:
    answer = portrayal(
        "analyze", audit, "--json", "--unit", "image", "--alternative", "greater", "--effect",
        "union", "--resample", "images", "--permute", "targets", "--people", "whole",
        "--consensus", "unanimous", "--resamples", "199", "--confidence", "0.9",
    )  # fmt: skip
    assert json.loads(answer.out)["settings"] == {
        "unit": "image", "alternative": "greater", "effect": "union", "resample": "images",
        "permute": "targets", "people": "whole", "consensus": "unanimous",
        "resamples": 199, "confidence": 0.9, "seed": 0,
    }  # fmt: skip
    assert "90% CI" in portrayal("analyze", audit, "--confidence", "0.9").out


def test_figures_are_written_beside_the_report(portrayal: CommandLine, audit: Path) -> None:
    answer = portrayal("report", audit, "--figures", "svg", "--figures", "png", "--json")
    files = [Path(file) for file in json.loads(answer.out)["figures"]]
    assert {file.suffix for file in files} == {".svg", ".png"}
    assert all(file.parent == audit / "report" / "figures" for file in files)


def test_ctrl_c_says_how_to_go_on_and_going_on_makes_the_rest(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "stopped"
    words = ("generate", work, "--out", out, *PAINTER, "--images", "120")
    process = subprocess.Popen(command(*words), stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while not list(out.glob("images/part-*")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "stopped; the same command continues where it was"
    assert "Traceback" not in err
    kept = AuditFolder(out).images().aggregate("count(*)").fetchall()[0][0]
    assert 0 < kept < 480
    summary = json.loads(portrayal(*words, "--json").out)
    assert summary["made"] == 480 - kept
    assert summary["present"] == kept


def test_a_reader_who_leaves_early_is_no_noise() -> None:
    """`portrayal studies | head -1`: nothing is said, least of all a traceback."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as gone:
        done = subprocess.run(
            command("studies", "show", "t2iat", "--prompts"), stdout=gone, stderr=subprocess.PIPE,
            text=True, timeout=60, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")


def test_from_python(finished: Path) -> None:
    """The three lines of the README."""
    audit = AuditFolder(finished)
    images = audit.images().df()
    assert len(images) == 12
    assert {"prompt", "seed", "status", "reason"} <= set(images.columns)
    measured = audit.measurements().df()
    assert set(measured["key"]) == set(images["key"])
    assert len({len(vector) for vector in measured["embedding"]}) == 1
    findings = Results.read(audit).findings.to_frame()
    assert {"estimate", "low", "high", "p", "q", "n", "n_missing", "sentence"} <= set(findings)
    assert findings["study"].unique().tolist() == ["work"]


def test_a_study_whose_texts_are_drawn_makes_them_once(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    """Word influence: a language model draws texts; running again draws and makes nothing."""
    file, out = tmp_path / "words.toml", tmp_path / "words"
    file.write_text(
        'name = "words"\nkind = "influence"\nimages = 1\ndraws = 2\naxes = ["perceived gender"]\n'
        '[[prompts]]\ntext = "a caring doctor"\n'
    )
    first = portrayal("run", file, "--out", out, *PAINTER)
    assert first.code == 0, first.err
    assert "No conclusion about" in first.out
    texts = {prompt for (prompt,) in AuditFolder(out).images().select("prompt").fetchall()}
    assert len(texts) > 1, "the prompt alone says nothing about its words"
    drawn = json.loads((out / "studies" / "words.json").read_text())["drawn"]
    assert "0 images generated" in portrayal("run", file, "--out", out, *PAINTER).err
    both = portrayal("run", work, "--out", out, *PAINTER)
    assert "12 images generated" in both.err
    assert portrayal("analyze", file, "--out", out).code == 0
    assert json.loads((out / "studies" / "words.json").read_text())["drawn"] == drawn


def test_a_study_of_ones_own_is_known_by_its_name_once_it_was_asked(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "audit"
    assert portrayal("generate", work, "--out", out, *PAINTER, "--images", "2", "--json").out
    name = next(iter(AuditFolder(out).studies()))
    again = json.loads(
        portrayal("generate", name, "--out", out, *PAINTER, "--images", "3", "--json").out
    )
    assert again["made"] * 2 == again["present"]
    assert "there is no study" in portrayal("report", f"{name}x", "--out", out).error
    assert "there is no study" in portrayal("plan", name).error


def test_the_model_of_a_practice_audit_need_not_be_named_again(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "audit"
    first = json.loads(
        portrayal("generate", work, "--out", out, *PAINTER, "--images", "2", "--json").out
    )
    more = json.loads(portrayal("generate", work, "--out", out, "--images", "3", "--json").out)
    assert more["present"] == first["made"]
    assert more["made"] * 2 == first["made"]


def test_images_that_an_answer_leaves_out_are_spoken_of(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "audit"
    portrayal("run", work, "--out", out, *PAINTER, "--images", "6")
    fewer = portrayal("run", work, "--out", out, *PAINTER, "--images", "4")
    assert "the audit contains" in fewer.err
    assert "more images of these prompts than the study asks for" in " ".join(fewer.err.split())
    all_of_them = portrayal("run", work, "--out", out, *PAINTER, "--images", "6")
    assert "the audit contains" not in all_of_them.err


def test_the_command_for_a_newer_report_can_be_pasted_as_it_is(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "my audit"
    portrayal("run", work, "--out", out, *PAINTER, "--images", "4")
    again = portrayal("analyze", out, "--confidence", "0.9")
    assert f"run: portrayal report '{out}'" in again.err


def test_a_report_is_out_of_date_only_where_the_results_have_changed(
    portrayal: CommandLine, audit: Path
) -> None:
    stale = f"the report is out of date; run: portrayal report {audit}"
    looks = len(AuditFolder(audit).looks().df())
    assert "out of date" not in portrayal("analyze", audit).err
    assert len(AuditFolder(audit).looks().df()) == looks
    for _ in range(2):  # the second time results stay as they are, and the report is still old
        assert stale in portrayal("analyze", audit, "--confidence", "0.9").err
    portrayal("report", audit)
    assert "out of date" not in portrayal("analyze", audit, "--confidence", "0.9").err
