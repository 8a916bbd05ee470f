"""Imported images and votes, and no encoder: findings and a report."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from command_line import CommandLine
from portrayal.audit import AuditFolder
from raters_images import png

STUDY = """
kind = "composition"
images = 6
template = "a photo of a {job}"
axes = ["perceived gender"]
[factors]
job = ["nurse", "pilot"]
"""
MAP = """
image = "key"
rater = "who"
[[questions]]
id = "gender"
column = "gender"
axis = "perceived gender"
groups = ["man", "woman"]
cant_judge = ["can't tell"]
"""
SAID = {"nurse": ["woman", "woman", "man"], "pilot": ["man", "man", "can't tell"]}


def test_findings_and_a_report_without_an_encoder(portrayal: CommandLine, tmp_path: Path) -> None:
    files, out, study = tmp_path / "files", tmp_path / "audit", tmp_path / "jobs.toml"
    study.write_text(STUDY, encoding="utf-8")
    files.mkdir()
    with (files / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["image", "prompt", "seed"])
        for i, job in enumerate(SAID):
            for seed in range(6):
                (files / f"{job}-{seed}.png").write_bytes(png(10 * i + seed))
                table.writerow([f"{job}-{seed}.png", f"a photo of a {job}", seed])
    manifest = files / "manifest.csv"
    assert portrayal("import", "images", files, "--manifest", manifest, "-o", out).code == 0
    rows = AuditFolder(out).images().select("key, prompt").fetchall()
    votes, vote_map = tmp_path / "votes.csv", tmp_path / "map.toml"
    vote_map.write_text(MAP, encoding="utf-8")
    votes.write_text(
        "key,who,gender\n"
        + "".join(
            f"{key},{who},{said}\n"
            for key, prompt in rows
            for who, said in enumerate(SAID[prompt.rsplit(" ", 1)[-1]])
        ),
        encoding="utf-8",
    )
    done = portrayal("import", "votes", votes, "--map", vote_map, "-o", out)
    assert "36 votes by 3 raters on 12 images: 36 answers stored" in done.err
    again = portrayal("import", "votes", votes, "--map", vote_map, "-o", out)
    assert "36 votes by 3 raters on 12 images: all stored before" in again.err
    assert portrayal("analyze", study, "--out", out).code == 0
    results = json.loads((out / "results.json").read_text())
    assert [one["name"] for one in results["measurers"]] == ["raters"]
    shares = {
        one["question"].split(":")[0]: (one["estimate"], one["n"])
        for one in results["findings"]
        if one["statistic"] == "group share"
    }
    assert shares == {"job nurse": (1.0, 6), "job pilot": (0.0, 6)}
    assert portrayal("report", out).code == 0
    page = (out / "report" / "index.html").read_text(encoding="utf-8")
    assert "human raters" in page
    assert "labels are by people" in page


def test_tables_of_votes_go_into_a_folder(portrayal: CommandLine, tmp_path: Path) -> None:
    votes, file = tmp_path / "votes.csv", tmp_path / "tables.csv"
    votes.write_text(
        "image,rater,perceived gender\na.png,anna,woman\na.png,bob,man\n", encoding="utf-8"
    )
    file.write_text("mine", encoding="utf-8")
    done = portrayal("votes", votes, "--csv", file)
    assert done.code == 2
    assert f"--csv is {file}, which is a file; allowed: a folder" in done.err
    assert file.read_text(encoding="utf-8") == "mine"
    assert portrayal("votes", votes, "--csv", tmp_path / "tables").code == 0


def test_what_a_study_of_imported_labels_needs_is_said(
    portrayal: CommandLine, tmp_path: Path
) -> None:
    files, out, labels = tmp_path / "files", tmp_path / "audit", tmp_path / "hair.csv"
    files.mkdir()
    for i in range(2):
        (files / f"{i}.png").write_bytes(png(i))
    assert portrayal("import", "images", files, "-o", out).code == 0
    labels.write_text("image,axis,label\n0.png,hair,dark\n1.png,hair,ginger\n", encoding="utf-8")
    done = portrayal("import", "labels", labels, "--measurer", "MyTool", "-o", out)
    assert done.code == 0
    assert "a study that asks about 'hair' needs all of these groups, or no label" in done.err
    assert "counts: dark, ginger" in done.err
