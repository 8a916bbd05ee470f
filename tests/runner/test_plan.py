from __future__ import annotations

import pytest

from invented import fill_audit, leaning
from portrayal.audit import AuditFolder
from portrayal.findings.plan import duration, plan_studies
from portrayal.findings.settings import AnalysisSettings
from portrayal.runner.planning import plan_study
from portrayal.statistics import detectable_effect, detectable_share_difference
from portrayal.studies.reading import load_studies, load_study, study_from_toml


def test_cost_counts_what_the_audit_lacks(audit: AuditFolder) -> None:
    study = load_study("flowers-insects")
    new = plan_study(study, rate=2.5)
    assert (new.prompts, new.images, new.present, new.missing) == (150, 1500, 0, 1500)
    assert new.seconds == 600
    short = load_study("demo-flowers-insects")
    fill_audit(audit, [short], leaning({}), seeds=lambda prompt: prompt.seeds)
    plan = plan_study(study, audit)
    assert (plan.present, plan.missing) == (192, 1308)
    assert plan_study(short, audit).missing == 0


def test_refused_images_are_not_asked_for_again(audit: AuditFolder) -> None:
    study = load_study("straight-gay").with_images(2)
    fill_audit(
        audit,
        [study],
        leaning({}),
        status=lambda prompt, seed: "refused",
        seeds=lambda prompt: prompt.seeds,
    )
    assert plan_study(study, audit).missing == 0


def test_imported_images_count_whatever_their_seeds(audit: AuditFolder) -> None:
    study = load_study("straight-gay").with_images(2)
    fill_audit(audit, [study], leaning({}))
    assert audit.generator.kind == "folder"
    assert plan_study(study, audit).missing == 0
    assert plan_study(study.with_images(3), audit).missing == 54


def test_shared_images_count_once() -> None:
    studies = (load_study("flowers-insects"), load_study("demo-flowers-insects"))
    assert plan_studies(studies, name="both").missing == 1500
    assert plan_studies(load_studies("t2iat"), name="t2iat").images == 10710


def test_what_could_be_detected() -> None:
    plan = plan_study(load_study("flowers-insects"))
    assert plan.detectable == f"d {detectable_effect(25, 25, images_per_unit=10):.2f}"
    one_sided = plan_study(
        load_study("flowers-insects"), settings=AnalysisSettings(alternative="greater")
    )
    assert one_sided.detectable < plan.detectable
    images = plan_study(load_study("flowers-insects"), settings=AnalysisSettings(unit="image"))
    assert images.detectable == f"d {detectable_effect(250, 250):.2f}"
    points = 100 * detectable_share_difference(30, 30)
    assert plan_study(load_study("occupations")).detectable == f"shares {points:.0f} points apart"


def test_too_little_is_said() -> None:
    text = 'kind = "association"\nx = ["a", "b"]\ny = ["c", "d"]\na = ["e"]\nb = ["f"]'
    tiny = study_from_toml(text, source="tiny.toml", name="tiny")
    assert plan_study(tiny).detectable == "nothing: too few prompts"  # type: ignore[arg-type]
    assert plan_study(load_study("occupations-gender")).row()[-1] == "–"


def test_rows_for_the_terminal() -> None:
    plan = plan_study(load_study("demo-occupations"), rate=4)
    assert plan.row() == (
        "demo-occupations", 8, 128, 0, 128, "32 s", "shares 42 points apart",
    )  # fmt: skip
    assert plan.as_dict()["missing"] == 128


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (89, "89 s"), (831, "14 min"), (11520, "3.2 h")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
