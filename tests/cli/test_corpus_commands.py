"""portrayal corpus: from captions to neighbours, and one line for whatever is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import CommandLine, in_a_process
from portrayal_practice.corpus import corpus_items

ORIGIN = json.dumps({"corpus": "practice"})
"""What files of the practice corpus say of themselves."""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2,000 captions of the practice corpus in two files."""
    folder = tmp_path_factory.mktemp("parts")
    captions = [item.caption.text for item in corpus_items(2_000, seed=0)]
    for number in range(2):
        own = captions[1_000 * number : 1_000 * (number + 1)]
        table = pa.table({"TEXT": own}).replace_schema_metadata({"portrayal": ORIGIN})
        pq.write_table(table, folder / f"part-{number}.parquet")
    return folder


@pytest.fixture
def corpus(portrayal: CommandLine, parts: Path, tmp_path: Path) -> Path:
    answer = portrayal("corpus", "add", tmp_path / "corpus", parts)
    assert answer.code == 0
    assert "2,000 captions in 2 sources" in answer.err
    return tmp_path / "corpus"


def test_practice_parts_do_not_read_captions_of_others(
    portrayal: CommandLine, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"TEXT": ["Anna, a nurse", "a nurse"]}), tmp_path / "web.parquet")
    corpus = tmp_path / "web"
    portrayal("corpus", "add", corpus, tmp_path / "web.parquet")
    portrayal("corpus", "search", corpus, "--term", "nurse", "--all", "--name", "jobs")
    for words, role in (
        (("indicators", corpus, "jobs", "--names", "practice"), "recogniser"),
        (("neighbours", corpus, "jobs", "-p", "a {term}", "-e", "practice"), "sentence encoder"),
    ):
        assert portrayal("corpus", *words).error.startswith(
            f"the {role} practice is valid for captions of the practice world only, not for those "
            "of web; name another, such as "
        )


def test_the_whole_way(portrayal: CommandLine, corpus: Path, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.txt"
    jobs.write_text("nurse\ndoctor\n")
    wanted = ("--terms", jobs, "--term", "mayor")
    sampled = json.loads(portrayal("corpus", "search", corpus, *wanted, "-n", "5", "--json").out)
    assert list(sampled["counts"]) == ["mayor", "nurse", "doctor"]
    assert sampled["rows"] == 15

    found = portrayal("corpus", "search", corpus, *wanted, "--all", "--name", "jobs")
    assert found.code == 0
    assert "stored as jobs" in found.err
    assert {line.split()[0] for line in found.out.splitlines()} >= {"mayor", "nurse", "doctor"}

    labels = ("corpus", "indicators", corpus, "jobs", "--keep", "plain", "--names", "practice")
    told = json.loads(portrayal(*labels, "--json").out)
    assert told["identity"]["settings"]["names"]["name"] == "practice"
    unknown = sum(one["unknown"] for one in told["terms"])
    assert told["kept"]["rows"] == unknown > 0
    assert "names by practice" in portrayal(*labels).err

    near = ("corpus", "neighbours", corpus, "plain", "-p", "A photo of {a term}", "-k", "3",
            "--encoder", "practice")  # fmt: skip
    first = json.loads(portrayal(*near, "--json").out)
    there = [min(3, one["unknown"]) for one in told["terms"]]
    assert [one["k"] for one in first["similarity"]] == there
    assert 3 in there
    for one in first["similarity"]:
        assert one["mean_nearest"] >= one["mean_all"]
    assert first["new"] > 0
    assert json.loads(portrayal(*near, "--json").out)["new"] == 0
    assert "stored as nearest-" in portrayal(*near).err

    drawn = json.loads(
        portrayal("corpus", "sample", corpus, "--set", "jobs", "-n", "5", "--json").out
    )
    assert drawn["rows"] == 15
    again = json.loads(
        portrayal("corpus", "search", corpus, *wanted, "-n", "5", "--name", "again", "--json").out
    )
    kept = portrayal("corpus", "sample", corpus, "--set", "again", "-n", "5", "--json")
    assert json.loads(kept.out)["captions"] == drawn["captions"]
    assert again["counts"] == sampled["counts"]


def test_stats_and_samples(portrayal: CommandLine, corpus: Path) -> None:
    stats = json.loads(portrayal("corpus", "stats", corpus, "--json").out)
    assert (stats["rows"], stats["sources"], stats["with_images"]) == (2_000, 2, 0)
    assert stats["captions"] + sum(one["count"] for one in stats["problems"]) == 2_000
    assert "2,000" in portrayal("corpus", "stats", corpus).out
    one, two = (portrayal("corpus", "sample", corpus, "-n", "4", "--json").out for _ in range(2))
    assert one == two
    assert len(json.loads(one)["captions"]) == 4
    other = portrayal("corpus", "sample", corpus, "-n", "4", "--seed", "1")
    assert other.code == 0
    assert len(other.out.splitlines()) >= 5


def test_phrases_and_pairs(portrayal: CommandLine, corpus: Path) -> None:
    asked = ("corpus", "phrases", corpus, "--phrase", "irrespective of their gender")
    (phrase,) = json.loads(portrayal(*asked, "--phrase", "no such", "--json").out)[:1]
    assert phrase["captions"] == phrase["looked_at"] > 0
    assert phrase["before"][0][0]
    text = portrayal(*asked, "-n", "1").out
    assert "[irrespective of their gender]" in text
    pairs = json.loads(
        portrayal("corpus", "cooccur", corpus, "nurse", "--with", "she", "--json").out
    )["pairs"]
    assert [(one["word"], one["other"]) for one in pairs] == [("nurse", "she")]
    assert "lift" in portrayal("corpus", "cooccur", corpus, "nurse", "--with", "she").out


def test_correlation_with_a_table(portrayal: CommandLine, corpus: Path, tmp_path: Path) -> None:
    terms = [word for job in ("nurse", "doctor", "chef", "pilot") for word in ("-t", job)]
    portrayal("corpus", "search", corpus, *terms, "--all", "--name", "jobs")
    shown = tmp_path / "shown.csv"
    shown.write_text("occupation,share\nnurse,80\ndoctor,40\nchef,30\npilot,10\n")
    asked = ("corpus", "indicators", corpus, "jobs", "--against", shown)
    told = json.loads(portrayal(*asked, "--json").out)["correlation"]
    assert told["n"] == 4
    assert -1 <= told["low"] <= told["estimate"] <= told["high"] <= 1
    assert f"{told['estimate']:.3f}" in portrayal(*asked).err
    shown.write_text("occupation,share\nnurse,80\ndoctor,40\n")
    few = portrayal(*asked)
    assert "2 of 4 terms have captions and a share; wanted: 3 or more" in few.err
    assert "nan" not in few.err
    shown.write_text("occupation,share\nnurse,80\nnobody,140\n")
    assert "row 3: the share of 'nobody' is 140; allowed" in portrayal(*asked).error


# Bad input


def test_one_line_each(portrayal: CommandLine, corpus: Path, tmp_path: Path) -> None:
    assert "not a corpus" in portrayal("corpus", "stats", tmp_path).error
    assert "nothing there" in portrayal("corpus", "add", tmp_path / "c", tmp_path / "none").error
    assert "no term to search for" in portrayal("corpus", "search", corpus).error
    assert "no set 'jobs'" in portrayal("corpus", "indicators", corpus, "jobs").error
    portrayal("corpus", "search", corpus, "-t", "nurse", "--name", "jobs")
    assert "recogniser is 'me'" in portrayal(
        "corpus", "indicators", corpus, "jobs", "--names", "me"
    ).error  # fmt: skip
    near = ("corpus", "neighbours", corpus, "jobs", "-p")
    assert "prompt 'A photo'" in portrayal(*near, "A photo").error
    assert "no such folder" in portrayal(*near, "{a term}", "-e", "a/b/c").error
    assert "is there and is another one" in portrayal(
        "corpus", "search", corpus, "-t", "doctor", "--name", "jobs"
    ).error  # fmt: skip


def test_problems_are_told_and_do_not_stop(portrayal: CommandLine, tmp_path: Path) -> None:
    pq.write_table(pa.table({"TEXT": ["a nurse", "", None]}), tmp_path / "good.parquet")
    pq.write_table(pa.table({"n": [1]}), tmp_path / "numbers.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"nothing")
    added = portrayal("corpus", "add", tmp_path / "c", tmp_path / "*.parquet")
    assert added.code == 0
    assert "1 source has no text column, left out" in added.err
    assert "1 source could not be read, left out" in added.err
    found = portrayal("corpus", "search", tmp_path / "c", "-t", "nurse", "-t", "mayor")
    assert found.code == 0
    said = [line for line in found.err.splitlines() if "left out" in line]
    assert said == [
        "1 caption is missing (null), left out (good.parquet row 2)",
        "1 caption is empty, left out (good.parquet row 1)",
        "1 term occurs in no caption, left out (mayor)",
    ]
    told = json.loads(portrayal("corpus", "add", tmp_path / "c", tmp_path, "--json").out)
    assert {one["kind"] for one in told["left_out"]} == {"no text", "unreadable"}


def test_a_store_without_credentials_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    nowhere = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    answer = in_a_process(
        "corpus", "add", tmp_path / "c", "s3://bucket/x.parquet",
        env={**nowhere, "AWS_EC2_METADATA_DISABLED": "true"},
    )  # fmt: skip
    assert answer.error.startswith("s3://bucket/x.parquet: no credentials for the store; ")
    assert not (tmp_path / "c").exists()
