"""Files are imported while people rate: all votes are there, and none is doubled."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from portrayal import raters
from portrayal.audit import AuditFolder
from portrayal.raters import site
from portrayal.raters.questions import default_questions
from portrayal.raters.site.collection import collect_from
from portrayal.raters.site.database import Database, open_database
from portrayal.raters.site.dealing import Terms
from portrayal.raters.site.ledger import Ledger
from portrayal.raters.site.overview import campaign_state
from portrayal.raters.site.recorder import Recorder, Submission
from portrayal.records import Identity, ImageRecord
from portrayal.studies.reading import study_from_toml
from portrayal.web import hashed
from raters_images import png

STUDIES = {
    "gender": ("perceived gender", ("nurse", "judge"), ("man", "woman")),
    "skin": ("skin tone", ("judge", "miner"), ("light skin", "dark skin")),
    "place": ("place", ("nurse", "miner"), ("indoors", "outdoors")),
}
MAP = """
image = "key"
rater = "who"
[[questions]]
id = "{id}"
column = "answer"
axis = "{axis}"
groups = {groups}
cant_judge = ["poor quality", "both visible"]
"""


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    found = AuditFolder.at(tmp_path / "audit", Identity("folder", "invented", {}))
    for name, (axis, jobs, groups) in STUDIES.items():
        texts = "".join(f'"{group}" = ["a {group} scene"]\n' for group in groups)
        text = (
            f'kind = "composition"\nimages = 6\ntemplate = "a {{job}}"\n'
            f'[factors]\njob = {list(jobs)}\n[axes."{axis}".groups]\n{texts}'
        )
        study = study_from_toml(text, source=f"{name}.toml", name=name)
        found.remember_study(name, study.as_dict())
        found.append_images(
            [
                ImageRecord(prompt.text, seed, "ok", data=png(hash((prompt.text, seed)) % 9999))
                for prompt in study.prompts()
                for seed in range(6)
            ]
        )
    return found


def files(audit: AuditFolder, folder: Path) -> dict[str, tuple[Path, Path]]:
    """A file of votes for each study: three crowd workers on twelve images."""
    found = {}
    rows = audit.images().select("key, prompt").fetchall()
    asked = site_questions(audit)
    for name, (axis, jobs, groups) in STUDIES.items():
        file, vote_map = folder / f"{name}.csv", folder / f"{name}.toml"
        question = next(one.id for one in asked.axes if one.axis == axis)
        vote_map.write_text(
            MAP.format(id=question, axis=axis, groups=list(groups)), encoding="utf-8"
        )
        lines = [
            f"{key},{who},{groups[(i + who) % 2]}\n"
            for i, (key, prompt) in enumerate(sorted(rows))
            if prompt.removeprefix("a ") in jobs
            for who in range(3)
        ]
        file.write_text("key,who,answer\n" + "".join(lines), encoding="utf-8")
        found[name] = (file, vote_map)
    return found


def site_questions(audit: AuditFolder) -> raters.QuestionSet:
    return default_questions({axis: groups for axis, _, groups in STUDIES.values()})


def rate_all(database: Database, token: str, recorder: Recorder, *, stop: int | None = None) -> int:
    """Answer all tasks of a rater, or some."""
    ledger = Ledger(database, Terms(2, 0.0))
    visitor = ledger.visitor(token)
    assert visitor is not None
    for number in itertools.count():
        code = ledger.path(visitor).open()
        if code is None or number == stop:
            return number
        sheet = ledger.sheet(visitor, code)
        assert sheet is not None
        answers = {"person": "yes", "attribute": "yes"}
        for question in recorder.questions.possible(sheet.factors):
            if question.axis:
                answers[question.id] = question.groups[0]
        saved = recorder.submit(Submission(hashed(token), code, answers)).result()
        assert saved.complete
    raise AssertionError


@pytest.fixture
def rating(
    audit: AuditFolder, database: str | None
) -> Iterator[tuple[Database, dict[str, str], Recorder]]:
    made = site.prepare(audit.path, raters=["Ann", "Bo"], per_image=2, checks=0, database=database)
    assert made.images == 18  # three jobs, each in two studies
    opened = open_database(audit.path, database)
    from portrayal.raters.site.preparation import stored_questions

    recorder = Recorder(opened, stored_questions(opened.settings(), "x"), Terms(2, 0.0))
    recorder.start()
    yield opened, dict(made.tokens), recorder
    recorder.stop()
    opened.close()


def test_three_studies_imported_in_any_order_and_twice_while_two_people_rate(
    audit: AuditFolder, tmp_path: Path, rating: tuple[Database, dict[str, str], Recorder]
) -> None:
    database, tokens, recorder = rating
    given = files(audit, tmp_path)
    problems: list[BaseException] = []

    def guarded(work: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                problems.append(error)

        return run

    def bring(order: tuple[str, ...]) -> None:
        for name in (*order, *order):
            raters.import_votes(audit.path, *given[name])

    def collect() -> None:
        for _ in range(5):
            collect_from(AuditFolder(audit.path), database, recorder.questions)

    work: list[Callable[[], object]] = [
        *(lambda order=order: bring(order) for order in itertools.permutations(given)),
        *(lambda token=token: rate_all(database, token, recorder) for token in tokens.values()),
        collect,
        collect,
    ]
    threads = [threading.Thread(target=guarded(one)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems
    collect_from(audit, database, recorder.questions)
    votes = raters.load_votes(AuditFolder(audit.path))
    assert votes.dropped == {}
    by_question = Counter(name for vote in votes.votes for name in vote.answers)
    questions = {one.axis: one.id for one in votes.questions.axes}
    # Each study: 12 images, three workers of its file and the two people on the page.
    for axis, _, _ in STUDIES.values():
        assert by_question[questions[axis]] == 12 * 5, axis
    assert by_question["person"] == 18 * 2
    assert len(votes.raters) == 3 + 2
    pairs = Counter((vote.image, vote.rater) for vote in votes.votes)
    assert max(pairs.values()) == 1
    for axis, _, _ in STUDIES.values():
        assert raters.checked_labels(audit, axis).n_raters.tolist() == [5] * 12


def test_thirty_raters_who_stop_on_the_real_page(tmp_path: Path, database: str | None) -> None:
    """Through the database, with their own clock: 90 % of the votes are on complete images."""
    found = AuditFolder.at(tmp_path / "many", Identity("folder", "invented", {}))
    found.append_images([ImageRecord("a nurse", i, "ok", data=png(i)) for i in range(400)])
    made = site.prepare(found.path, raters=30, per_image=3, checks=0, database=database)
    opened = open_database(found.path, database)
    rng = np.random.default_rng(3)
    now = [1e9]
    terms = Terms(3, 0.0)
    ledger = Ledger(opened, terms, clock=lambda: now[0])
    recorder = Recorder(opened, default_questions(), terms, clock=lambda: now[0])
    recorder.start()
    left = {token: int(20 + rng.geometric(1 / 4)) for token in made.tokens.values()}
    clocks = {token: 1e9 + float(rng.uniform(0, 300)) for token in left}
    cast = 0
    while clocks:
        token = min(clocks, key=lambda one: clocks[one])
        now[0] = clocks[token]
        visitor = ledger.visitor(token)
        assert visitor is not None
        code = ledger.path(visitor).open()
        if code is None or left[token] == 0:
            del clocks[token]
            continue
        answers = {"person": "no", "attribute": "no"}
        assert recorder.submit(Submission(hashed(token), code, answers)).result().complete
        left[token] -= 1
        cast += 1
        clocks[token] += float(rng.exponential(10))
    recorder.stop()
    state = campaign_state(opened)
    opened.close()
    assert state.votes == cast
    assert cast >= 600
    assert state.votes_complete / state.votes >= 0.9
