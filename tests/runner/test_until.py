"""`until` adds images where questions are open, counts every look, and stops early."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import portrayal
from command_line import WORK
from invented import GENERATOR
from label_measurers import COLOURS, ColourJudge
from portrayal.audit import AuditFolder
from portrayal.errors import SettingError
from portrayal.findings import Asked
from portrayal.records import GeneratedImage, Identity, Request
from portrayal.runner import Models, Session, verbs
from portrayal.runner.until import Until, capped
from portrayal.studies.reading import load_study, study_from_toml

APART = {"nurse": 0.95, "engineer": 0.05, "chef": 0.5, "mechanic": 0.05}
ALIKE = dict.fromkeys(APART, 0.5)


class Shares:
    """Shows a woman in a share of the images that the prompt's last word decides."""

    batch_size = 50

    def __init__(self, shares: Mapping[str, float], salt: str = "") -> None:
        self.identity = Identity("toy", "shares", {"salt": salt})
        self._shares = shares
        self._salt = salt

    def check(self, prompts: Iterable[str]) -> int:
        return 0

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        return [self._image(request) for request in requests]

    def _image(self, request: Request) -> GeneratedImage:
        text = f"{self._salt} {request.prompt} {request.seed}"
        number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) / 2**32
        group = "woman" if number < self._shares[request.prompt.split()[-1]] else "man"
        return GeneratedImage.ok(Image.new("RGB", (8, 8), COLOURS[group]))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "work.toml"
    file.write_text(WORK)
    return file


def go(study: Path, out: Path, shares: Mapping[str, float] = APART, **options: Any) -> Any:
    """Run with an outcome; `images` is the maximum per prompt."""
    models = Models(Shares(shares), {}, [ColourJudge()])
    session = Session(out, models=models)
    session.ask(study, images=options.pop("images", 40))
    return verbs.run(session, **options)


def per_prompt(out: Path) -> Counter[str]:
    return Counter(dict(AuditFolder(out).images().aggregate("prompt, count(*)").fetchall()))


def test_a_large_effect_is_decided_with_a_fraction_of_the_images(
    study: Path, tmp_path: Path
) -> None:
    done = go(study, tmp_path / "a", until="decided")
    outcome = done.outcome
    assert (len(outcome.answered), len(outcome.open)) == (1, 0)
    assert (outcome.maximum, outcome.saved) == (160, 160 - outcome.images)
    assert outcome.images <= 64
    assert set(per_prompt(tmp_path / "a").values()) == {outcome.images // 4}
    (spread,) = outcome.answered
    assert spread.q_looks is not None
    assert spread.p is not None
    assert spread.p_looks is not None
    assert spread.q_looks < 0.05
    assert spread.p_looks > spread.p
    assert spread.n_missing == 0
    assert outcome.sentences()[0].startswith("1 of 1 question decided after ")
    assert f"{outcome.images} of at most 160 images" in outcome.sentences()[1]


def test_running_it_again_adds_nothing_and_is_no_look(study: Path, tmp_path: Path) -> None:
    first = go(study, tmp_path / "a", until="decided")
    looks = len(AuditFolder(tmp_path / "a").looks().df())
    again = go(study, tmp_path / "a", until="decided")
    plain = verbs.analyze(Session(tmp_path / "a"))
    assert len(AuditFolder(tmp_path / "a").looks().df()) == looks
    assert again.outcome.images == first.outcome.images
    assert again.outcome.looks == first.outcome.looks == first.outcome.answered[0].look
    assert [one.q_looks for one in plain.findings] == [
        one.q_looks for one in again.results.findings
    ]
    assert {one.n_missing for one in plain.findings} == {0}


def test_nothing_to_find_goes_to_the_maximum_and_says_so(study: Path, tmp_path: Path) -> None:
    outcome = go(study, tmp_path / "a", ALIKE, until="decided", images=20).outcome
    assert (outcome.images, outcome.saved, len(outcome.open)) == (80, 0, 1)
    assert outcome.sentences()[-1].startswith("undecided at the maximum: perceived gender")


def test_width_gives_more_images_to_the_prompts_that_need_them(study: Path, tmp_path: Path) -> None:
    done = go(study, tmp_path / "a", until="width=0.19", images=400)
    counts = per_prompt(tmp_path / "a")
    assert counts["a photo of a chef"] > counts["a photo of a mechanic"]
    for one in done.outcome.answered:
        assert one.high_looks - one.low_looks <= 0.19
        assert one.high - one.low < one.high_looks - one.low_looks
    assert not done.outcome.open
    assert {one.n_missing for one in done.results.findings} == {0}
    kept = verbs.analyze(Session(tmp_path / "a"))
    assert {one.n_missing for one in kept.findings} == {0}
    session = Session(tmp_path / "a")
    session.ask_again()
    assert session.wanted().prompts  # the remembered study wants what it has
    assert AuditFolder(tmp_path / "a").missing(session.wanted()).num_rows == 0


def test_more_images_afterwards_are_unplanned_looks(study: Path, tmp_path: Path) -> None:
    before = go(study, tmp_path / "a", until="decided").outcome.answered[0]
    done = go(study, tmp_path / "a", images=60)
    (spread,) = [one for one in done.results.findings if one.p is not None]
    assert set(per_prompt(tmp_path / "a").values()) == {60}
    assert spread.look == before.look + 1
    assert spread.q_looks is not None
    assert done.outcome is None


def test_intervals_that_count_many_looks_stay_possible(study: Path, tmp_path: Path) -> None:
    for images in (2, 20, 40):
        go(study, tmp_path / "a", ALIKE, images=images)
    done = go(study, tmp_path / "a", ALIKE, images=60, until="width=0.9")
    bounds = [
        end for one in done.results.findings for end in one.deciding_interval if end is not None
    ]
    assert bounds
    assert 0 <= min(bounds) <= max(bounds) <= 1


def test_one_look_that_was_not_planned_does_not_decide() -> None:
    asked = Asked("s", "composition", "who?", "Cramér's V", "image")
    found = asked.answered(0.5, (0.3, 0.7), p=0.001, n=16, n_missing=0, sentence="x")
    beside_planned = replace(found, q=0.001, q_looks=0.001)
    planned = replace(beside_planned, p_looks=0.001)
    answered = [Until().is_answered(one, 0.05) for one in (found, beside_planned, planned)]
    assert answered == [False, False, True]


def test_a_maximum_of_images_in_all(study: Path, tmp_path: Path) -> None:
    outcome = go(study, tmp_path / "a", ALIKE, until="decided", max_images=50).outcome
    assert (outcome.maximum, outcome.images) == (48, 48)
    studies = (load_study(str(study)),)
    assert capped(studies, 1000) == studies


def test_a_maximum_beyond_what_the_study_asks_for_is_said(study: Path, tmp_path: Path) -> None:
    """It did nothing without a word, where a few more images would have decided."""
    more = {"until": "width=0.05", "images": 6}
    outcome = go(study, tmp_path / "a", ALIKE, **more, max_images=400).outcome
    assert (outcome.maximum, outcome.images, outcome.allowed) == (24, 24, 400)
    assert outcome.sentences()[-1] == (
        "the maximum of 24 images is what the study asks for, fewer than the 400 allowed; ask for "
        "more images per prompt to continue"
    )
    fewer = go(study, tmp_path / "b", ALIKE, **more, max_images=20).outcome
    assert fewer.allowed is None


def test_the_maximum_counts_texts_that_are_still_to_be_drawn() -> None:
    text = """
    kind = "influence"
    axes = ["perceived gender"]
    images = 6
    draws = 4
    prompts = [{ text = "a doctor" }]
    [transmuter]
    by = "list"
    candidates = { doctor = ["nurse", "cook"], "*" = ["some", "this"] }
    """
    asked = study_from_toml(text, source="x.toml", name="x")
    (fewer,) = capped([asked], 40)  # of 72
    assert fewer.images == 3
    with pytest.raises(SettingError, match="max_images is 20; allowed: 24 or more"):
        capped([asked], 20)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"until": "soon"}, "until is 'soon'; allowed: decided, or width=W"),
        ({"until": "width=0"}, "until is 'width=0'"),
        ({"until": "width"}, "until is 'width'"),
        ({"until": 3}, "until is 3"),
        (
            {"until": "width=5"},
            r"intervals of work \(composition\) are at most 1 wide",
        ),
        ({"until": "decided", "max_images": 5}, "max_images is 5; allowed: 8 or more"),
        ({"until": "decided", "max_images": 0}, "max_images is 0"),
        ({"max_images": 50}, "max_images is for runs with until"),
    ],
)
def test_wrong_rules_are_one_line_before_an_image_is_generated(
    study: Path, tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(SettingError, match=words):
        go(study, tmp_path / "a", **options)
    assert not (tmp_path / "a").exists()


def test_a_study_without_a_test_says_so(tmp_path: Path) -> None:
    text = WORK.replace('["nurse", "engineer", "chef", "mechanic"]', '["nurse"]')
    alone = tmp_path / "alone.toml"
    alone.write_text(text)
    with pytest.raises(SettingError, match="until is decided; work has no test to wait for"):
        go(alone, tmp_path / "a", until="decided", images=10)


def test_imported_images_are_refused(study: Path, tmp_path: Path) -> None:
    AuditFolder.at(tmp_path / "a", GENERATOR)
    session = Session(tmp_path / "a", models=Models(measurers=[ColourJudge()]))
    session.ask(study)
    with pytest.raises(SettingError, match="were imported"):
        verbs.run(session, until="decided")


def test_attribute_images_grow_in_proportion() -> None:
    text = """
    kind = "association"
    images = 40
    attribute_images = 10
    template = "a photo of {a stimulus}"
    [concepts]
    flowers = ["poppy"]
    insects = ["ant"]
    [attributes]
    pleasant = ["love"]
    unpleasant = ["death"]
    """
    asked = study_from_toml(text, source="x.toml", name="x")
    images = Counter(one.images for one in asked.at_stage(16).prompts())
    assert images == {16: 2, 4: 4}
    assert asked.sized_as(asked.at_stage(16)).prompts() == asked.at_stage(16).prompts()


def test_from_python(study: Path, tmp_path: Path) -> None:
    audit = portrayal.run(
        str(study), out=tmp_path / "a", model=Shares(APART), measurers=ColourJudge(), images=40,
        until="decided", max_images=120,
    )  # fmt: skip
    (spread,) = [one for one in audit.findings if one.p is not None]
    assert spread.q_looks is not None
    assert audit.looks().df()["maximum"].eq(30).all()
    assert str(Until.read("width=0.10")) == "width=0.1"
