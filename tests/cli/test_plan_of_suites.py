from __future__ import annotations

import json
from pathlib import Path

from command_line import CommandLine


def test_a_suite_has_a_line_in_which_shared_images_count_once(portrayal: CommandLine) -> None:
    each = json.loads(portrayal("plan", "demo-all", "--json").out)["studies"]
    assert [one["images"] for one in each] == [192, 128, 144, 84, 64]
    said = portrayal("plan", "demo-all")
    (last,) = [line for line in said.out.splitlines() if line.startswith("all together")]
    assert last.split()[:6] == ["all", "together", "110", "576", "0", "576"]
    assert "images that several studies ask for are generated and counted once" in said.err


def test_large_numbers_are_readable_and_the_rate_is_said(portrayal: CommandLine) -> None:
    said = portrayal("plan", "paradox")
    assert "62,248" in said.out
    assert "744,000" in said.out
    assert "all together" not in said.out
    assert said.err == "time at 4 images per second; --rate for yours\n"
    assert "at 0.5 images per second" in portrayal("plan", "paradox", "--rate", "0.5").err


def test_a_width_in_images_time_and_money_and_what_is_missing(portrayal: CommandLine) -> None:
    answer = portrayal("plan", "demo-occupations", "--width", "0.1", "--price", "0.04")
    assert "381 images per prompt, 3,048 in all, 13 min, cost 121.92" in answer.out
    assert "disk: about 58 MB for 128 images" in answer.out
    needs = json.loads(portrayal("plan", "paradox", "--json").out)["requirements"]
    missing = [one["what"] for one in needs if not one["is_there"]]
    assert "training captions" in missing
    assert portrayal("plan", "demo-occupations", "--pilot", "x").usage.startswith("--pilot is for")


def test_a_corpus_says_how_many_captions_have_images(
    portrayal: CommandLine, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus"
    assert portrayal("practice", "corpus", "--n", "400", "--out", corpus).code == 0
    said = portrayal("plan", "paradox-practice", "--corpus", corpus).out
    assert "captions that were tried have an image (100%)" in " ".join(said.split())
