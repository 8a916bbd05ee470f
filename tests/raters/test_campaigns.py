"""What a campaign asks about which images, and how they were drawn."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, SettingError
from portrayal.raters.campaigns import (
    Campaign,
    ImageChoice,
    for_checking,
    plan_campaign,
    studies_of,
    united,
)
from portrayal.raters.designs import allocation, systematic
from portrayal.raters.questions import association_questions, default_questions
from portrayal.raters.selections import selection
from portrayal.records import Identity, ImageRecord
from portrayal.studies.reading import load_study, study_from_toml
from portrayal.studies.schema import Study
from raters_images import png

JOBS = """
kind = "composition"
images = 10
template = "a photo of a {job}"
axes = ["perceived gender"]
[factors]
job = ["nurse", "judge", "baker", "miner"]
"""
SKIN = JOBS.replace("perceived gender", "skin tone").replace('"baker", "miner"', '"pilot"')
MOOD = """
kind = "association"
images = 4
template = "a photo of {stimulus}"
[attributes]
pleasant = ["joy"]
unpleasant = ["gloom"]
[concepts]
flowers = ["rose", "lily"]
bugs = ["wasp", "gnat"]
"""


def study(text: str, name: str) -> Study:
    return study_from_toml(text, source=f"{name}.toml", name=name)


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    found = AuditFolder.at(tmp_path / "audit", Identity("folder", "invented", {}))
    number = 0
    for one in (study(JOBS, "jobs"), study(SKIN, "skin"), study(MOOD, "mood")):
        found.remember_study(one.name, one.as_dict())
        records = []
        for prompt in one.prompts():
            for seed in range(prompt.images):
                number += 1
                records.append(ImageRecord(prompt.text, seed, "ok", data=png(number)))
        found.append_images(records)
    return found


def planned(audit: AuditFolder, *names: str, **choice: object) -> Campaign:
    found = plan_campaign(audit, studies_of(audit, names), ImageChoice(**choice))  # type: ignore[arg-type]
    found.remember(audit)
    return found


# --- one page over several studies ----------------------------------------------------------------


def test_an_image_is_asked_what_its_studies_ask(audit: AuditFolder) -> None:
    campaign = planned(audit)
    asks = {one.prompt: one.asks for one in campaign.subjects}
    assert asks["a photo of a baker"] == ("person", "attribute", "gender", "comment")
    assert asks["a photo of a pilot"] == ("person", "attribute", "skin", "comment")
    both = {"person", "attribute", "gender", "skin", "comment"}
    assert set(asks["a photo of a nurse"]) == both
    assert asks["a photo of rose"] == ("association-pleasant-unpleasant", "comment")
    assert {one.studies for one in campaign.subjects if one.prompt == "a photo of a nurse"} == {
        ("jobs", "skin")
    }
    # 30 + 10 images of people, some of them of both studies, and 4 neutral prompts of 4.
    assert len(campaign.subjects) == 50 + 16
    assert len({one.image for one in campaign.subjects}) == len(campaign.subjects)


def test_the_same_request_is_the_same_campaign(audit: AuditFolder) -> None:
    first = planned(audit, "jobs", sample=10)
    again = planned(audit, "jobs", sample=10)
    assert (again.name, again.design) == (first.name, first.design)
    assert planned(audit, "jobs", sample=12).name == "sample-2"
    assert planned(audit, "jobs").name == "rating-1"
    assert sorted(audit.campaigns()) == ["rating-1", "sample-1", "sample-2"]


def test_other_answers_under_one_id_are_refused() -> None:
    moods = association_questions("?", ("pleasant", "unpleasant"))
    others = association_questions("?", ("male", "female"))
    assert len(united([moods, others]).choices) == 2
    first = default_questions({"mood": ("good", "bad")})
    second = default_questions({"mood": ("good", "bad", "so so")})
    with pytest.raises(AuditError, match="two studies ask 'mood' with different answers"):
        united([first, second])


# --- choosing -------------------------------------------------------------------------------------


def test_only_some_levels(audit: AuditFolder) -> None:
    campaign = planned(audit, "jobs", only={"job": ["nurse", "baker"]})
    counts = Counter(one.prompt for one in campaign.subjects)
    assert counts == {"a photo of a nurse": 10, "a photo of a baker": 10}
    assert campaign.design is None
    with pytest.raises(SettingError, match="only names the factor 'work'; allowed: job"):
        planned(audit, "jobs", only={"work": ["nurse"]})
    with pytest.raises(SettingError, match="only names job 'nurs'; allowed: baker, judge"):
        planned(audit, "jobs", only={"job": ["nurs"]})


def test_so_many_of_each_concept(audit: AuditFolder) -> None:
    campaign = planned(audit, "mood", per_concept=5)
    assert Counter(one.factors["concept"] for one in campaign.subjects) == {"flowers": 5, "bugs": 5}
    assert campaign.design is not None
    assert campaign.design.population == {"mood: flowers": 8, "mood: bugs": 8}
    spread = Counter(one.prompt for one in campaign.subjects)
    assert set(spread.values()) <= {2, 3}, "the images of a concept are spread over its prompts"


def test_faults_of_a_choice_are_one_line(audit: AuditFolder) -> None:
    with pytest.raises(SettingError, match="per_concept cannot be combined with sample"):
        ImageChoice(per_concept=3, sample=4)
    with pytest.raises(SettingError, match="sample is 0; allowed: 1 or more"):
        ImageChoice(sample=0)
    with pytest.raises(AuditError, match="no study labels images on an axis"):
        planned(audit, "mood", sample=10)
    with pytest.raises(AuditError, match="no study 'job' here; allowed: jobs, mood, skin"):
        studies_of(audit, ["job"])


# --- checking labels ------------------------------------------------------------------------------


def test_a_check_asks_only_what_is_needed(audit: AuditFolder) -> None:
    campaign = planned(audit, "jobs", "mood", sample=12)
    assert [one.id for one in campaign.questions.questions] == ["person", "gender"]
    assert campaign.questions["gender"].counts_if == {"person": ("yes",)}
    assert {one.studies for one in campaign.subjects} == {("jobs",)}
    assert campaign.is_check
    culture = for_checking(default_questions({"culture": ("western", "other")}))
    assert [one.id for one in culture.questions] == ["culture"]


def test_a_check_is_drawn_within_study_and_predicted_label(audit: AuditFolder) -> None:
    keys = [key for (key,) in audit.images().select("key").fetchall()]
    predicted = {key: "woman" if i % 4 == 0 else "man" for i, key in enumerate(sorted(keys))}
    campaign = planned(audit, "jobs", "skin", sample=30, predicted=predicted)
    design = campaign.design
    assert design is not None
    assert set(design.population) == {
        f"{studies}: {label}"
        for studies in ("jobs", "skin", "jobs + skin")
        for label in ("woman", "man")
    }
    assert sum(design.population.values()) == 50
    counts = Counter(design.drawn.values())
    assert counts.total() == 30
    assert min(counts.values()) >= 2 or min(design.population.values()) < 2
    for name, n in counts.items():
        ideal = 30 * design.population[name] / 50
        assert abs(n - ideal) <= 2
    stored = audit.campaigns()[campaign.name]
    assert json.loads(json.dumps(stored))["design"] == design.as_dict()
    assert stored["check"] is True


def test_every_image_of_a_stratum_is_drawn_equally_often() -> None:
    prompts = {f"image-{i}": f"prompt-{i % 7}" for i in range(50)}
    rng = np.random.default_rng(0)
    counts: Counter[str] = Counter()
    for _ in range(4000):
        drawn = systematic(list(prompts), prompts, 12, rng=rng)
        assert len(set(drawn)) == 12
        spread = Counter(prompts[image] for image in drawn)
        assert max(spread.values()) <= 3
        counts.update(drawn)
    # Binomial(4000, 0.24): a standard deviation is 27.
    assert len(counts) == 50
    assert max(abs(n - 960) for n in counts.values()) < 4.5 * 27


@pytest.mark.parametrize(
    ("population", "sample", "expected"),
    [
        ({"a": 90, "b": 9, "c": 1}, 20, {"a": 17, "b": 2, "c": 1}),
        ({"a": 5, "b": 5}, 60, {"a": 5, "b": 5}),
        ({"a": 50, "b": 50}, 1, {"a": 0, "b": 1}),
        ({"a": 300, "b": 100}, 40, {"a": 30, "b": 10}),
    ],
)
def test_allocation(population: dict[str, int], sample: int, expected: dict[str, int]) -> None:
    assert allocation(population, sample) == expected


# --- as rated in the papers ----------------------------------------------------------------------


def filled(tmp_path: Path, *names: str) -> AuditFolder:
    """An audit with all images of built-in studies; of neutral prompts, where raters see those."""
    found = AuditFolder.at(tmp_path / "paper", Identity("folder", "invented", {}))
    picture = png(0)
    for name in names:
        one = load_study(name)
        found.remember_study(one.name, one.as_dict())
        found.append_images(
            [
                ImageRecord(prompt.text, seed, "ok", data=picture)
                for prompt in one.rated_prompts()
                for seed in range(prompt.images)
            ]
        )
    return found


def test_entigen_rates_the_369_images_of_the_paper(tmp_path: Path) -> None:
    audit = filled(tmp_path, "entigen-paper-wording")
    named = selection("entigen-rated")
    studies = studies_of(audit, named.studies_among(audit.studies(), "entigen-rated"))
    campaign = plan_campaign(audit, studies, ImageChoice(**named.options()))
    assert len(campaign.subjects) == 369
    rated = Counter(one.factors["category"] for one in campaign.subjects)
    assert rated == {"profession": 2 * 7 * 9, "object": 3 * 4 * 9, "wedding": 3 * 5 * 9}
    said = campaign.questions["attribute"]
    assert said.wording("police officer", "profession") == (
        "Does the person look like a police officer?"
    )
    assert said.wording("scarf", "object") == "Is the person wearing scarf?"
    assert said.wording("groom", "wedding") == "Is the image about a groom?"
    assert said.wording("groom") == "Does it show what was asked for: groom?"


def test_t2iat_rates_twenty_images_of_each_of_eight_concepts(tmp_path: Path) -> None:
    names = selection("t2iat-rated").studies
    audit = filled(tmp_path, *names)
    campaign = plan_campaign(
        audit, studies_of(audit, names), ImageChoice(**selection("t2iat-rated").options())
    )
    concepts = Counter(one.factors["concept"] for one in campaign.subjects)
    assert set(concepts.values()) == {20}
    assert len(concepts) == 8


def test_a_selection_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"'entigen' \(did you mean entigen-rated\?\); allowed"):
        selection("entigen")
    with pytest.raises(
        AuditError, match=r"the selection t2iat-rated is of flowers-insects, .*none"
    ):
        selection("t2iat-rated").studies_among(["mine"], "t2iat-rated")
