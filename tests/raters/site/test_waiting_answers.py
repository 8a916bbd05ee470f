"""Answers that the rating page had no time to bring into the audit count in the next analysis."""

from __future__ import annotations

from pathlib import Path

import pytest

from portrayal.audit import AuditFolder, annotations_file
from portrayal.errors import AuditError
from portrayal.findings import AnalysisSettings
from portrayal.raters import site
from portrayal.raters.site.database import open_database
from portrayal.raters.site.dealing import Terms
from portrayal.raters.site.ledger import Ledger
from portrayal.raters.site.preparation import stored_questions
from portrayal.raters.site.recorder import Recorder, Submission
from portrayal.records import Identity, ImageRecord
from portrayal.runner.analysis import analyze
from portrayal.studies.reading import study_from_toml
from portrayal.web import hashed
from raters_images import png

FAST = AnalysisSettings(resamples=99)
STUDY = study_from_toml(
    'kind = "composition"\nimages = 6\ntemplate = "a {job}"\naxes = ["perceived gender"]\n'
    '[factors]\njob = ["nurse", "judge"]\n',
    source="jobs.toml",
    name="jobs",
)


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    found = AuditFolder.at(tmp_path / "audit", Identity("folder", "invented", {}))
    found.remember_study(STUDY.name, STUDY.as_dict())
    found.append_images(
        [
            ImageRecord(prompt.text, seed, "ok", data=png(100 * number + seed))
            for number, prompt in enumerate(STUDY.prompts())
            for seed in range(6)
        ]
    )
    return found


def rate(audit: AuditFolder, token: str) -> int:
    """Answer all tasks of a rater on a page that ends before it collects; return how many."""
    database = open_database(audit.path)
    questions = stored_questions(database.settings(), database.name)
    recorder = Recorder(database, questions, Terms(1, 0.0))
    ledger = Ledger(database, Terms(1, 0.0))
    recorder.start()
    visitor = ledger.visitor(token)
    assert visitor is not None
    done = 0
    while (code := ledger.path(visitor).open()) is not None:
        answers = {"person": "yes", "attribute": "yes", "gender": ("woman", "man")[done % 2]}
        assert recorder.submit(Submission(hashed(token), code, answers)).result().complete
        done += 1
    recorder.stop()
    database.close()
    return done


def test_an_analysis_collects_what_waits_on_the_page(audit: AuditFolder) -> None:
    made = site.prepare(audit.path, raters=["Ann"], per_image=1, checks=0.0)
    assert rate(audit, made.tokens["Ann"]) == 12
    assert audit.votes().fetchall() == []
    with pytest.raises(AuditError, match="no measurer has labelled"):
        analyze(audit, settings=FAST, keep=False)
    assert audit.votes().fetchall() == [], "an analysis that keeps nothing leaves the audit alone"
    results = analyze(audit, settings=FAST)
    assert results.n_checked == 12
    stored = len(audit.votes().fetchall())
    analyze(audit, settings=FAST)
    assert len(audit.votes().fetchall()) == stored


def test_an_analysis_says_where_answers_cannot_be_collected(audit: AuditFolder) -> None:
    annotations_file(audit.path).write_bytes(b"no database, but as long as one" * 99)
    made = STUDY.prompts()[0].text
    key = audit.images().filter(f"prompt = '{made}'").select("key").fetchall()[0][0]
    votes = audit.path.parent / "votes.csv"
    votes.write_text(f"image,rater,perceived gender\n{key},a,woman\n", encoding="utf-8")
    from portrayal.raters import import_votes

    import_votes(audit.path, votes)
    (section,) = analyze(audit, settings=FAST).studies
    assert any(
        note.startswith("Answers given on the rating page may be missing: ")
        and "cannot be opened as a database of ratings" in note
        for note in section.notes
    )


def test_a_page_that_nobody_has_used_is_no_obstacle(audit: AuditFolder) -> None:
    site.prepare(audit.path, raters=["Ann"], per_image=1, checks=0.0)
    done = site.collect_waiting(audit)
    assert done is not None
    assert done.new == 0
