"""How many images a width or an effect takes, what a study needs, and whether that is true."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from test_until import APART, go

from command_line import WORK
from portrayal import runner
from portrayal.audit import AuditFolder, training_folder
from portrayal.errors import SettingError, StudyError
from portrayal.findings import AnalysisSettings
from portrayal.kinds import Requirement
from portrayal.records import Identity
from portrayal.statistics import images_for_share_width, level_test, share_interval
from portrayal.studies.reading import load_study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "work.toml"
    file.write_text(WORK)
    return file


def test_a_width_takes_as_many_images_as_its_interval_says(study: Path) -> None:
    (size,) = runner.plan(study, width=0.1, price=0.5, rate=2).sizes
    assert size.images_per_prompt == images_for_share_width(0.1)
    assert size.images == 4 * 381
    assert size.seconds == pytest.approx(762)
    assert size.cost == pytest.approx(762)
    said = "work: intervals at most 0.1 wide: 381 images per prompt, 1,524 in all, 13 min, cost"
    assert size.sentence().startswith(said)


def test_an_effect_is_found_with_the_planned_images(study: Path) -> None:
    """Two of four occupations that differ by 30 points: found in at least 4 of 5 audits."""
    (size,) = runner.plan(study, effect=0.3).sizes
    n = size.images_per_prompt
    assert n is not None
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        hits = rng.binomial(n, [0.35, 0.65])
        test = level_test(
            np.column_stack([hits, n - hits]), range(2), by_prompt=False, resamples=399, rng=rng
        )
        found.append(test is not None and test.p_value <= 0.05)
    assert np.mean(found) > 0.74
    low, high = share_interval(n // 2, n)
    assert high - low > 0.1


def test_a_pilot_tells_from_its_own_variance(study: Path, tmp_path: Path) -> None:
    go(study, tmp_path / "pilot", APART, images=20)
    (assumed,) = runner.plan(study, width=0.1).sizes
    (told,) = runner.plan(study, width=0.1, pilot=tmp_path / "pilot").sizes
    (own,) = runner.plan(study, tmp_path / "pilot", width=0.1).sizes
    assert told.images_per_prompt == own.images_per_prompt
    assert told.images_per_prompt is not None
    assert assumed.images_per_prompt is not None
    assert 100 < told.images_per_prompt < 1.5 * assumed.images_per_prompt
    assert told.basis.startswith("pilot of 20 images per prompt: ")
    assert (told.present, own.present) == (0, 80)
    assert own.images is not None
    assert own.seconds == pytest.approx((own.images - 80) / 4)
    assert f"{own.images:,} in all (80 reused), " in own.sentence()
    assert "reused" not in told.sentence()


def test_findings_that_images_do_not_narrow_are_named(study: Path, tmp_path: Path) -> None:
    """Intervals with prompts as units were passed over where any had images as units."""
    study.write_text(f'{WORK}[targets]\n"perceived gender" = "even"\n')
    go(study, tmp_path / "pilot", APART, images=20)
    (size,) = runner.plan(study, width=0.3, pilot=tmp_path / "pilot").sizes
    assert size.images_per_prompt is not None
    assert "perceived gender: which share is largest?" in size.out_of_reach
    assert re.search(
        r"no number of images does for \d findings? whose units are prompts: .*; add prompts$",
        size.sentence(),
    )
    (wide,) = runner.plan(study, width=0.99, pilot=tmp_path / "pilot").sizes
    assert (wide.out_of_reach, wide.reason) == ((), "")


def test_an_effect_says_what_it_is_measured_in(study: Path, tmp_path: Path) -> None:
    (assumed,) = runner.plan(study, effect=0.2).sizes
    assert assumed.goal == "an effect of 0.2 (difference of two shares), found in 4 of 5 audits"
    go(study, tmp_path / "pilot", APART, images=20)
    (told,) = runner.plan(study, effect=0.2, pilot=tmp_path / "pilot").sizes
    assert told.goal == "an effect of 0.2 (Cramér's V), found in 4 of 5 audits"
    (association,) = runner.plan("flowers-insects", effect=1).sizes
    assert "an effect of 1 (d), " in association.sentence()


def test_a_pilot_of_other_studies_is_refused(study: Path, tmp_path: Path) -> None:
    """It was passed over without a word, and the answer rested on assumptions."""
    go(study, tmp_path / "a", images=3)
    with pytest.raises(SettingError, match="which has no demo-occupations; its studies: work;"):
        runner.plan("demo-occupations", width=0.1, pilot=tmp_path / "a")


def test_few_prompts_are_not_made_up_for_by_images() -> None:
    (size,) = runner.plan("judaism-christianity", effect=0.5).sizes
    assert size.images_per_prompt is None
    assert "add prompts" in size.sentence()
    by_image = AnalysisSettings(unit="image")
    (other,) = runner.plan("judaism-christianity", effect=0.5, analysis=by_image).sizes
    assert other.images_per_prompt is not None


TWO_WORDINGS = """
kind = "composition"
images = 54
axes = ["perceived gender"]
templates = { plain = "a photo of {a occupation}", work = "a photo of {a occupation} at work" }
[factors]
occupation = ["engineer", "teacher"]
"""


def test_few_prompts_per_level_are_not_made_up_for_by_images(tmp_path: Path) -> None:
    """2 + 2 prompts have three splits: 25 images per prompt were promised to find 30 points."""
    file = tmp_path / "two.toml"
    file.write_text(TWO_WORDINGS)
    found = runner.plan(file, effect=0.3)
    (size,) = found.sizes
    assert size.images_per_prompt is None
    assert size.sentence().endswith(
        "no number of images does: with so few prompts no p can be small enough; add prompts"
    )
    assert found.studies[0].detectable == "nothing: too few prompts"
    (size,) = runner.plan(file, width=0.2).sizes
    assert size.images_per_prompt is None
    assert "add prompts" in size.sentence()
    by_image = AnalysisSettings(unit="image")
    found = runner.plan(file, effect=0.3, analysis=by_image)
    assert found.sizes[0].images_per_prompt == 25
    assert "independent images" in found.sizes[0].sentence()
    assert found.studies[0].detectable == "shares 19 points apart"


def test_prompts_as_units_are_planned_with_as_prompts(tmp_path: Path) -> None:
    file = tmp_path / "five.toml"
    more = "".join(f', t{i} = "a picture {i} of {{a occupation}}"' for i in range(8))
    file.write_text(TWO_WORDINGS.replace(' at work" }', f' at work"{more} }}'))
    (size,) = runner.plan(file, effect=0.3).sizes
    assert size.images_per_prompt is not None
    assert size.basis == "shares near 50%, images of a prompt correlated by 0.1"


def test_what_is_missing_is_listed_before_anything_is_generated(tmp_path: Path) -> None:
    needs = {one.what: one for one in runner.plan("paradox", tmp_path / "new").requirements}
    assert not needs["training captions"].is_there
    assert "`corpus`" in needs["training captions"].sentence()
    assert "for 744,000 images" in needs["disk"].name
    words = {one.what: one for one in runner.plan("influence-large-scale").requirements}
    assert words["word model"].name == "google-bert/bert-base-uncased"
    assert not words["word model"].is_there
    model = runner.plan("demo-occupations", model="practice:painter").requirements[0]
    assert (model.what, model.is_there) == ("weights", True)
    absent = runner.plan("demo-occupations", model="nobody/nothing").requirements[0]
    assert not absent.is_there


def test_the_audit_that_a_study_compares_with_is_listed(study: Path, tmp_path: Path) -> None:
    """It was missed only once the images were there."""
    other = tmp_path / "other"
    study.write_text(f'{WORK}[targets]\n"perceived gender" = {{ audit = "{other}" }}\n')

    def need() -> Requirement:
        return next(one for one in runner.plan(study).requirements if one.what == "audit")

    assert not need().is_there
    assert need().sentence().startswith(f"audit: {other} (target of perceived gender): missing; ")
    with pytest.raises(
        StudyError, match=r"work: audit: .* \(target of perceived gender\): missing;"
    ):
        go(study, tmp_path / "a", images=2)
    assert not (tmp_path / "a").exists()
    apart = tmp_path / "apart.toml"
    apart.write_text(WORK.replace("a photo of", "a drawing of"))
    go(apart, other, images=2)
    assert (
        need()
        .sentence()
        .endswith(
            "missing; no image of it is of a prompt of the study; name the folder of an audit in "
            "targets.'perceived gender' that has some"
        )
    )
    file = study.with_name("plain.toml")
    file.write_text(WORK)
    go(file, other, images=2)
    assert need().is_there


def test_training_images_that_a_study_compares_with_are_listed(study: Path, tmp_path: Path) -> None:
    """The audit had to be analyzed to hear of them."""
    study.write_text(f'{WORK}[targets]\n"perceived gender" = "training"\n')
    out = tmp_path / "audit"

    def need() -> Requirement:
        found = runner.plan(study, out).requirements
        return next(one for one in found if one.what == "training images")

    assert need().sentence().startswith("training images: target of perceived gender: missing; ")
    go(study, out, images=2)
    assert not need().is_there
    training = Identity("corpus", "training images")
    AuditFolder.at(training_folder(AuditFolder(out)), training)
    assert need().is_there


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 0}, "width is 0"),
        ({"width": 5}, "width is 5, and intervals of "),
        ({"width": 0.1, "effect": 0.1}, "give one of the two"),
        ({"effect": 1.5}, r"effect is 1.5, and effects of .* are at most 1; allowed"),
        ({"price": -1}, "price is -1"),
        ({"pilot": "x"}, "pilot is for a width or an effect"),
        ({"widht": 0.1}, "widht is no setting"),
    ],
)
def test_wrong_options_are_one_line(options: dict[str, object], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        runner.plan("demo-occupations", **options)


def test_a_budget_is_a_reason() -> None:
    study = load_study("influence-large-scale")
    (size,) = runner.plan(study, width=0.1).sizes
    assert size.images_per_prompt is None
    assert size.reason
