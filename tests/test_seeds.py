"""Seeds: prompts do not share their noise, unless they are compared image by image."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from portrayal.audit import AuditFolder
from portrayal.audit.wants import Wanted
from portrayal.records import Identity, ImageRecord, Prompt, first_seed
from portrayal.studies.reading import load_study
from portrayal.studies.schema import Study


def test_the_start_is_the_same_on_every_machine() -> None:
    """Known answers: changing them makes every audit's images foreign to newer versions."""
    assert first_seed("a photo of a nurse") == 1277900000
    assert first_seed("") == 177930000
    assert 0 <= first_seed("\ud800 any code point") < 10**10


@pytest.mark.parametrize("name", ["flowers-insects", "occupations", "science-arts"])
def test_no_two_prompts_share_a_seed(name: str) -> None:
    prompts = {prompt.text: prompt.seeds for prompt in load_study(name).prompts()}
    for one, other in itertools.combinations(prompts.values(), 2):
        assert not set(one) & set(other)


def test_a_sentence_keeps_the_seeds_of_the_prompt_without_it() -> None:
    study: Study = load_study("entigen")
    seeds: dict[str, set[range]] = {}
    for prompt in study.prompts():
        seeds.setdefault(prompt.factors["attribute"], set()).add(prompt.seeds)
    assert all(len(some) == 1 for some in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds) == 36


def test_studies_that_ask_the_same_share_their_images() -> None:
    plain = {prompt.text: prompt.seeds for prompt in load_study("demo-occupations").prompts()}
    original = [
        prompt
        for prompt in load_study("demo-interventions").prompts()
        if prompt.factors["intervention"] == "original"
    ]
    assert original
    for prompt in original:
        assert prompt.seeds.start == plain[prompt.text].start


def test_more_images_only_add() -> None:
    few, many = Prompt("p", {}, 3), Prompt("p", {}, 5)
    assert list(many.seeds)[:3] == list(few.seeds)


def test_of_two_wishes_the_first_start_and_the_larger_number_hold() -> None:
    wanted = [("a", range(10, 12)), ("b", 2), ("a", range(50, 53)), ("b", 1), ("c", 0)]
    seeds = Wanted(wanted).seeds
    assert seeds == {"a": range(10, 13), "b": range(2), "c": range(0)}


def test_missing_goes_by_the_seeds_that_are_wanted(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("test", "noise", {}))
    made = [("a", 7), ("a", 9), ("a", 0), ("b", 0)]
    audit.append_images([ImageRecord(prompt, seed, "ok", data=b"x") for prompt, seed in made])
    found = audit.missing([("a", range(7, 11)), ("b", 2)])
    rows = zip(found["prompt"].to_pylist(), found["seed"].to_pylist(), strict=True)
    assert list(rows) == [("a", 8), ("a", 10), ("b", 1)]
