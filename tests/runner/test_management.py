"""Retiring, restoring and renaming on record; a lost header that a model's keys prove."""

from __future__ import annotations

from pathlib import Path

import pytest

import portrayal as pt
from label_measurers import GENDER, ColourJudge, store_images
from portrayal.audit import AuditFolder, rebuild_header
from portrayal.errors import AuditError, NotAnAudit
from portrayal.measurers import measure
from portrayal.records import Ballot, Identity
from portrayal.runner import rename, restore, retire
from portrayal.runner.analysis import analyze
from portrayal.studies import Study, study_from_dict

GENERATOR = Identity("toy", "colours", {"steps": 3})


class OtherJudge(ColourJudge):
    """The same judge under another name."""

    identity = Identity("classifier", "mistaken", {"version": 1})


def study(name: str = "jobs", images: int = 4) -> Study:
    return study_from_dict(
        {"name": name, "kind": "composition", "images": images, "axes": [GENDER],
         "template": "a photo of {a job}", "factors": {"job": ["nurse", "chef", "pilot"]}}
    )  # fmt: skip


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    found = AuditFolder.at(tmp_path / "audit", GENERATOR)
    store_images(found, study(), lambda prompt, seed: ("woman", "man")[seed % 2])
    measure(found, [ColourJudge(), OtherJudge()])
    return found


def spoken(results: pt.Results) -> set[str]:
    return {one.measurer for one in results.findings}


def test_a_retired_measurer_is_kept_reported_and_not_counted(audit: AuditFolder) -> None:
    both = analyze(audit)
    assert spoken(both) >= {"colours", "mistaken"}
    retire(audit, "measurer", "mistaken", reason="opened by mistake")
    alone = analyze(audit)
    assert "mistaken" not in spoken(alone)
    assert [one.name for one in alone.measurers] == ["colours"]
    notes = alone.studies[0].notes
    assert any("The measurer mistaken was retired on" in n and "by mistake" in n for n in notes)
    assert len(audit.measurers(retired=True)) == 2, "nothing is deleted"
    restore(audit, "measurer", "mistaken", reason="it was right")
    again = analyze(audit)
    assert [f.estimate for f in again.findings] == [f.estimate for f in both.findings]


def test_a_retired_campaign_no_longer_counts(audit: AuditFolder) -> None:
    from portrayal.raters import has_votes

    ((key,),) = audit.images().select("key").limit(1).fetchall()
    audit.append_votes([Ballot(key, "q", "{}", "r", "a", source="rating-1")])
    assert has_votes(audit)
    retire(audit, "campaign", "rating-1", reason="raters saw the wrong page")
    assert not has_votes(audit)
    assert len(audit.votes().fetchall()) == 1


def test_a_retired_study_is_refused_until_it_is_restored(audit: AuditFolder) -> None:
    other = study("other")
    audit.remember_study("other", other.as_dict())
    retire(audit, "study", "other", reason="wrong template")
    assert set(audit.studies()) == {"jobs"}
    with pytest.raises(AuditError, match=r"was retired \(wrong template\); count it again with"):
        audit.remember_study("other", other.as_dict())
    restore(audit, "study", "other", reason="needed after all")
    assert set(audit.studies()) == {"jobs", "other"}


def test_a_renamed_study_keeps_its_looks_and_answers(audit: AuditFolder) -> None:
    before = analyze(audit)
    rename(audit, "jobs", "occupations", reason="a clearer name")
    after = analyze(audit)
    assert [one.estimate for one in after.findings] == [one.estimate for one in before.findings]
    assert {study for (study,) in audit.looks().select("study").fetchall()} == {
        "jobs", "occupations",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("act", "line"),
    [
        (lambda a: retire(a, "study", "nope", reason="x"), "study 'nope': 0 match; allowed: jobs"),
        (lambda a: retire(a, "study", "jobs", reason=" "), "needs a `reason`"),
        (lambda a: restore(a, "study", "jobs", reason="x"), "0 match; allowed: none"),
        (lambda a: rename(a, "jobs", "jobs", reason="x"), "is there already"),
    ],
)
def test_what_cannot_be_done_is_one_line(audit: AuditFolder, act, line: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(AuditError, match=line):
        act(audit)


def test_earlier_versions_of_a_study_are_kept(audit: AuditFolder) -> None:
    audit.remember_study("jobs", study(images=9).as_dict())
    audit.remember_study("jobs", study(images=12).as_dict())
    assert len(list((audit.path / "studies" / "earlier").glob("jobs-*.json"))) == 2
    assert audit.studies()["jobs"]["images"] == 12


def test_a_lost_header_is_written_again_by_the_model_that_proves_itself(
    audit: AuditFolder,
) -> None:
    (audit.path / "audit.json").unlink()
    with pytest.raises(NotAnAudit, match="let the model prove itself: portrayal repair"):
        AuditFolder(audit.path)
    with pytest.raises(AuditError, match="12 of 12 keys are not those of colours"):
        rebuild_header(audit.path, Identity("toy", "colours", {"steps": 4}))
    assert rebuild_header(audit.path, GENERATOR) == 12
    assert analyze(AuditFolder(audit.path)).findings
    with pytest.raises(AuditError, match="nothing to rebuild"):
        rebuild_header(audit.path, GENERATOR)
