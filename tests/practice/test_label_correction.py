"""A painter's audit whose labels are wrong on purpose, checked by people on a sample."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import portrayal as pt
from portrayal.audit import AuditFolder
from portrayal.findings import Finding, Results, Shares
from portrayal.numbers import percent
from portrayal.raters import RatedImage, Vote, Votes, default_questions, store_votes
from portrayal.records import Identity, Request
from portrayal.report import write_report
from portrayal.runner.analysis import analyze
from portrayal.statistics import repeat_error, without_error
from portrayal.studies import Study
from portrayal.studies.reading import study_from_toml
from portrayal_practice.calibration import study_truth
from portrayal_practice.generator import PainterGenerator, stable_seed
from portrayal_practice.world import World

GENDER = "perceived gender"
WHO = """
name = "who"
kind = "composition"
images = 200
axes = ["perceived gender"]
template = "a photo of {an occupation}"
[factors]
occupation = ["nurse", "librarian", "receptionist"]
"""
QUICK = pt.AnalysisSettings(resamples=499)


class WrongJudge:
    """Knows what the painter painted, and calls 40 % of women men."""

    identity = Identity("judge", "wrong judge")
    gives = ("labels",)
    axes: Mapping[str, Sequence[str]] = {GENDER: ("woman", "man")}

    def __init__(self, study: Study) -> None:
        rng, painter = np.random.default_rng(0), PainterGenerator()
        asked = [(prompt.text, seed) for prompt in study.prompts() for seed in prompt.seeds]
        self.truth = {one: shown(*one) for one in asked}
        self._said: dict[bytes, str] = {}
        images = painter.generate([Request(*one) for one in asked])
        for one, made in zip(asked, images, strict=True):
            wrong = self.truth[one] == "woman" and rng.random() < 0.4
            assert made.image is not None
            self._said[made.image.tobytes()] = "man" if wrong else self.truth[one]

    def measure(self, images: Sequence[Image.Image]) -> list[dict[str, object]]:
        """Label images by what they look like, to the pixel."""
        said = [self._said[image.convert("RGB").tobytes()] for image in images]
        return [{"labels": {GENDER: {one: 1.0}}} for one in said]


def shown(prompt: str, seed: int) -> str:
    """Return what the painter paints: a group, or "unknown"."""
    rng = np.random.default_rng([stable_seed(Request(prompt, seed)), 0])
    people = World.load().sample(prompt, rng).people
    first = people[0].presentation if people else "nobody"
    return "unknown" if first == "ambiguous" else first


@pytest.fixture(scope="module")
def study() -> Study:
    return study_from_toml(WHO, source="who.toml")


@pytest.fixture(scope="module")
def judge(study: Study) -> WrongJudge:
    return WrongJudge(study)


@pytest.fixture(scope="module")
def unchecked(
    tmp_path_factory: pytest.TempPathFactory, study: Study, judge: WrongJudge
) -> AuditFolder:
    """An audit that no person has looked at; not to be changed."""
    folder = tmp_path_factory.mktemp("unchecked") / "audit"
    pt.run(study, out=folder, model=PainterGenerator(), measurers=judge, analysis=QUICK)
    return AuditFolder(folder)


@pytest.fixture
def audit(tmp_path: Path, unchecked: AuditFolder) -> AuditFolder:
    """A copy of it."""
    return AuditFolder(shutil.copytree(unchecked.path, tmp_path / "audit"))


def vote(
    audit: AuditFolder, judge: WrongJudge, *, n: int, groups: Sequence[str], other: int = 0
) -> None:
    """Let one rater, who is always right, label images at random.

    A second one answers the first 20 again, and says something else about `other` of them.
    """
    rows = audit.images().select("key, prompt, seed").order("key").fetchall()
    chosen = np.random.default_rng(3).choice(len(rows), n, replace=False)
    answer = {"woman": groups[0], "man": groups[1], "unknown": "both visible"}
    questions = default_questions({GENDER: tuple(groups)})
    (asked,) = questions.axes
    votes = []
    for key, prompt, seed in (rows[i] for i in chosen):
        said = answer[judge.truth[prompt, seed]]
        votes.append(Vote(key, "ann", {"person": "yes", "attribute": "yes", asked.id: said}))
    if other:
        turned = {groups[0]: groups[1], groups[1]: groups[0]}
        plain = [one for one in votes if one.answers[asked.id] in turned][:20]
        for place, one in enumerate(plain):
            said = one.answers[asked.id]
            answers = {**one.answers, asked.id: turned[said] if place < other else said}
            votes.append(Vote(one.image, "bob", answers))
    about = {one.image: RatedImage() for one in votes}
    store_votes(audit, Votes(questions, about, votes))


def truths(study: Study) -> dict[str, float]:
    return {row["question"]: row["truth"] for row in study_truth(study, samples=2)}


def shares(results: Results) -> dict[str, Finding]:
    mine = [one for one in results.findings if one.statistic == "group share"]
    return {one.question.split(" · ")[0]: one for one in mine if one.measurer == "wrong judge"}


def covered(found: Mapping[str, Finding], truth: Mapping[str, float]) -> float:
    """Return in how many findings the interval contains the truth."""
    inside = [
        one.low is not None and one.high is not None and one.low <= truth[name] <= one.high
        for name, one in found.items()
    ]
    return float(np.mean(inside))


def test_corrected_intervals_contain_the_painters_truth(
    audit: AuditFolder, study: Study, judge: WrongJudge
) -> None:
    before = shares(Results.read(audit))
    vote(audit, judge, n=120, groups=("woman", "man"))
    results = analyze(audit, settings=QUICK)
    after, truth = shares(results), truths(study)
    assert covered(before, truth) == 0
    assert covered(after, truth) == 1
    for name, one in after.items():
        assert one.labels is not None
        assert one.labels.status == "corrected"
        assert one.labels.n_checked == 120
        assert one.labels.estimate == pytest.approx(before[name].estimate)
        assert one.labels.assumption.startswith("Assumes that the measurer errs alike")
        assert "corrected by people's labels of 120 images" in one.sentence
    (source,) = (one for one in results.sources if one.measurer == "wrong judge")
    assert source.sentence() == (
        f"Labels of {GENDER} by wrong judge: 120 images checked by people, estimates corrected."
    )
    assert Results.from_dict(results.as_dict()) == results


def test_the_share_over_all_images_and_unknown_labels_stand_in_a_table(
    audit: AuditFolder, study: Study, judge: WrongJudge
) -> None:
    vote(audit, judge, n=120, groups=("woman", "man"))
    (section,) = (one for one in analyze(audit, settings=QUICK).studies if one.study == "who")
    (table,) = (one.as_table() for one in section.parts if one.name.startswith("checked-"))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row["group"] == "woman"
    assert row["other group by measurer"] > 0.2 * row["by people"]
    true = np.mean([one == "woman" for one in judge.truth.values() if one != "unknown"])
    assert row["low"] <= true <= row["high"]
    assert not row["low"] <= row["share"] <= row["high"]


def test_images_answered_twice_tell_peoples_own_error(
    audit: AuditFolder, judge: WrongJudge
) -> None:
    vote(audit, judge, n=120, groups=("woman", "man"), other=3)
    (section,) = (one for one in analyze(audit, settings=QUICK).studies if one.study == "who")
    (note,) = (one for one in section.notes if "own error" in one)
    assert note.startswith(
        f"People's own error on {GENDER} (generated images): 3 of 20 pairs of answers by two "
        "people about one image differ (15%, 95% CI "
    )
    assert "8% of single answers are wrong" in note
    (table,) = (one.as_table() for one in section.parts if one.name.startswith("checked-"))
    corrected = table.rows[0][table.columns.index("corrected share")]
    assert f"would be {percent(without_error(corrected, repeat_error(3, 20).error))}" in note


def test_without_people_the_report_says_so_and_how_wrong_labels_would_have_to_be(
    audit: AuditFolder,
) -> None:
    results = Results.read(audit)
    (source,) = results.sources
    assert source.sentence().startswith(f"Labels of {GENDER} by wrong judge: not checked by people")
    tipped = [one for one in shares(results).values() if one.labels and one.labels.tipping]
    assert tipped
    for one in tipped:
        assert one.labels is not None
        assert one.low is not None
        assert one.high is not None
        assert one.labels.tipping == pytest.approx(max(one.low - 0.5, 0.5 - one.high))
    page = (audit.path / "report" / "index.html").read_text(encoding="utf-8")
    assert "not checked by people" in page


def test_other_groups_few_labels_and_other_images_are_one_line(
    audit: AuditFolder, judge: WrongJudge
) -> None:
    vote(audit, judge, n=6, groups=("woman", "man"))
    results = analyze(audit, settings=QUICK)
    (source,) = (s for s in results.sources if s.measurer == "wrong judge")
    said = "6 images checked by people, estimates not corrected"
    assert source.sentence("a") == (
        f"Labels of {GENDER} by wrong judge: {said}. People labelled 6 of the generated images; at "
        "least 10 are needed. To check 60 images: portrayal annotate a --sample 60"
    )
    assert results.told_sources() == (source,), "people's own labels contradict nothing"
    (warning,) = results.label_warnings()
    assert warning.startswith(f"Labels of {said}: it is not known how often")
    tipped = [one.labels for one in results.findings if one.labels and one.labels.tipping]
    assert tipped
    assert {one.words(0.95).partition(". ")[0] for one in tipped} == {f"Labels of {said}"}
    page = write_report(audit).read_text(encoding="utf-8")
    assert page.count(said) >= 3, "first lines, beside findings, at the end"
    assert "<dd>6 images</dd>" in page
    assert "not checked by people" not in page


def test_raters_who_were_asked_about_other_groups_correct_nothing(
    audit: AuditFolder, judge: WrongJudge
) -> None:
    vote(audit, judge, n=60, groups=("femme", "homme"))
    results = analyze(audit, settings=QUICK)
    (source,) = (s for s in results.sources if s.measurer == "wrong judge")
    assert source.status == "unchecked"
    assert "People answered 'homme' on perceived gender" in source.reason


def test_where_people_labelled_every_image_their_labels_alone_count(
    audit: AuditFolder, judge: WrongJudge
) -> None:
    vote(audit, judge, n=600, groups=("woman", "man"))
    results = analyze(audit, settings=QUICK)
    for name, one in shares(results).items():
        said = [group for (text, _), group in judge.truth.items() if text.split()[-1] in name]
        known = [group for group in said if group != "unknown"]
        assert one.estimate == pytest.approx(known.count("woman") / len(known))
        assert one.n == len(known)
        assert one.labels is not None
        assert one.labels.status == "corrected"
        assert one.labels.estimate is not None
        assert one.labels.estimate < one.estimate
    (spread,) = (
        one for one in results.findings
        if one.statistic == "Cramér's V" and one.measurer == "wrong judge"
    )  # fmt: skip
    (people,) = (
        one for one in results.findings
        if one.statistic == "Cramér's V" and one.measurer == "raters"
    )  # fmt: skip
    assert spread.estimate == people.estimate
    parts = {part.name: part for part in results.studies[0].parts if isinstance(part, Shares)}
    corrected = [name for name, part in parts.items() if part.note.startswith("Corrected")]
    assert corrected
    assert not [name for name in corrected if "raters" in name], "people's own labels stand"


def test_bars_of_corrected_headlines_are_the_corrected_shares_of_their_levels(
    audit: AuditFolder, judge: WrongJudge
) -> None:
    vote(audit, judge, n=120, groups=("woman", "man"))
    results = analyze(audit, settings=QUICK)
    (headline,) = (
        one.headline for one in results.findings
        if one.statistic == "Cramér's V" and one.measurer == "wrong judge"
    )  # fmt: skip
    assert headline is not None
    for bar in headline.bars:
        (estimate,) = (one.estimate for name, one in shares(results).items() if bar.label in name)
        assert bar.value == pytest.approx(estimate)
        assert bar.is_share
        assert bar.short == percent(estimate)
    least, most = headline.ends()
    assert headline.claim == (
        f"Share of women: {least.short} for {least.label}, {most.short} for {most.label}"
    )
    assert headline.otherwise == (
        "No significant difference between occupations in the share of women"
    )
    page = write_report(audit).read_text(encoding="utf-8")
    assert f'<span class="value">{most.short}</span>' in page
    assert "100%" in page
