"""Influence studies from stored embeddings to results.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from influence_worlds import candidate_lists, requests_of
from invented import ENCODER, OTHER_ENCODER, direction
from portrayal.audit import AuditFolder
from portrayal.findings import PublishedNumbers
from portrayal.kinds.influence.drawing import draw_texts
from portrayal.kinds.influence.parts import InfluenceAverages, InfluenceScores
from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.records import Identity, ImageRecord, Measurement, Request, image_key
from portrayal.runner.analysis import analyze
from portrayal.runner.planning import plan_study
from portrayal.studies.axes import default_axes

AXIS = default_axes()["perceived gender"]
DOCTOR = "a respected doctor at the hospital"


def study(**settings: Any) -> InfluenceStudy:
    return InfluenceStudy.model_validate(
        {
            "name": "words",
            "kind": "influence",
            "axes": ["perceived gender"],
            "prompts": [{"text": DOCTOR}],
            "draws": 12,
            "images": 2,
            "transmuter": {"by": "list", "candidates": candidate_lists()},
            **settings,
        }
    )


def towards(group: str) -> np.ndarray:
    """An embedding that is closest to a group of the axis, and to a person."""
    return 2 * direction(AXIS.groups[group][0]) + direction(AXIS.person[0])


def nobody() -> np.ndarray:
    return 2 * direction(AXIS.object[0])


def doctors_are_men(request: Request) -> np.ndarray:
    """A man where the doctor is kept; a woman in three images of four where not."""
    if "doctor" in request.prompt or request.seed % 4 == 0:
        return towards("man")
    return towards("woman")


def fill(
    audit: AuditFolder,
    asked: InfluenceStudy,
    seen: Callable[[Request], np.ndarray] = doctors_are_men,
    *,
    encoder: Identity = ENCODER,
    texts: bool = True,
) -> AuditFolder:
    """Store what the verbs would store."""
    audit.remember_study(asked.name, asked.as_dict())
    requests = requests_of(asked)
    audit.append_images([ImageRecord(r.prompt, r.seed, "ok", None, b"image") for r in requests])
    rows = [
        Measurement(image_key(audit.generator, r.prompt, r.seed), {"embedding": seen(r)})
        for r in requests
    ]
    audit.append_measurements(encoder, {"embedding": "vector"}, rows)
    absent = audit.missing_texts(encoder, asked.texts()) if texts else []
    if absent:
        vectors = np.stack([direction(text) for text in absent])
        n = len(absent)
        audit.append_texts(encoder, absent, vectors, tokens=[5] * n, truncated=[False] * n)
    return audit


def test_the_word_that_matters_is_found(audit: AuditFolder) -> None:
    results = analyze(fill(audit, draw_texts(study())))
    by_word = {finding.details["word"]: finding for finding in results.findings}
    assert list(by_word) == ["a", "respected", "doctor", "at", "the", "hospital"]
    doctor = by_word["doctor"]
    assert doctor.estimate == pytest.approx(-0.75)
    assert doctor.high is not None
    assert doctor.high < 0
    assert doctor.q is not None
    assert doctor.q < 0.05
    assert doctor.question == "“doctor” (3) towards woman"
    assert doctor.conclusion(0.05) == (
        "Replacing “doctor” raises the share of women from 0% to 75%"
    )
    assert doctor.sentence == (
        "With “doctor” replaced, women go from 0 of 24 images (0%) to 18 of 24 images (75%)."
    )
    assert (doctor.n, doctor.n_missing, doctor.unit) == (2 * 24, 0, "text"), "level 1: two sets"
    assert doctor.in_numbers(0.95).endswith("; 48 images")
    at = by_word["at"]
    assert at.conclusion(0.05) == "No conclusion about “at”"
    assert at.low is not None
    assert at.high is not None
    assert at.low < 0 < at.high


def test_headlines_tell_equal_words_and_prompts_apart(audit: AuditFolder) -> None:
    """Several read 'No conclusion about “a”'."""
    texts = ["a respected doctor at a hospital", "a doctor at the hospital"]
    asked = draw_texts(study(prompts=[{"text": text} for text in texts]))
    findings = analyze(fill(audit, asked)).findings.filter(statistic="word influence")
    told = {(one.details["prompt"], one.details["position"]): one.conclusion(0.05)
            for one in findings}  # fmt: skip
    assert len(set(told.values())) == len(told) == 11
    assert told[texts[0], 5] == f"No conclusion about “a” (word 5) in “{texts[0]}”"
    assert told[texts[1], 1] == f"No conclusion about “a” in “{texts[1]}”"
    assert told[texts[1], 2].startswith(f"Replacing “doctor” in “{texts[1]}” raises the share")


def test_the_papers_numbers_speak_of_the_group_that_they_name(audit: AuditFolder) -> None:
    """The paper prints P(female | replaced) - P(female | prompt): an influence towards male."""
    printed = {"of": "doctor", "statistic": "influence towards man", "value": 0.373}
    asked = study(published=[{"source": "Table 1", "numbers": [printed]}], level=2)
    parts = analyze(fill(audit, draw_texts(asked))).studies[0].parts
    (part,) = [part for part in parts if isinstance(part, PublishedNumbers)]
    found = {(row.of, row.statistic): row for row in part.rows}
    doctor = found["doctor", "influence towards man"]
    assert (doctor.published, doctor.ours) == ("0.373", pytest.approx(0.75))
    assert doctor.low is not None
    assert doctor.low > 0
    before, after = (found[of, "share of woman"].ours for of in ("original prompt", "doctor"))
    assert (before, after) == (0, 0.75)
    assert found["doctor", "share of woman"].low is None, "the interval belongs to the influence"
    assert found["doctor", "influence towards woman"].ours == pytest.approx(-0.75)
    # Level 2 adds, for each of the five other words, (P_j - P_ij) / 5: here 0.75 again.
    pair = found["doctor", "influence towards man, at level 2"].ours
    assert pair == pytest.approx(2 * 0.75, abs=0.05)


def test_without_a_paper_there_are_no_published_numbers(audit: AuditFolder) -> None:
    parts = analyze(fill(audit, draw_texts(study()))).studies[0].parts
    assert not [part for part in parts if isinstance(part, PublishedNumbers)]


def test_tables_speak_of_every_group(audit: AuditFolder) -> None:
    results = analyze(fill(audit, draw_texts(study(level=2))))
    tables = {table.name: table for table in results.studies[0].parts}
    assert list(tables) == [
        "words-influence-at-level-1-perceived-gender",
        "words-influence-at-level-2-perceived-gender",
        "table-1-perceived-gender",
        "pairs-perceived-gender",
        "texts-perceived-gender",
    ]
    words = tables["words-influence-at-level-1-perceived-gender"]
    assert isinstance(words, InfluenceScores)
    scores = {(row.word, row.group): row.score for row in words.rows}
    assert scores["doctor", "woman"] == pytest.approx(-0.75)
    assert scores["doctor", "man"] == pytest.approx(0.75)
    notes = " ".join(results.studies[0].notes)
    assert notes.startswith("Change “doctor”: replacing it raises the share of women from 0% to")
    doctor = next(f for f in results.findings if f.details["word"] == "doctor")
    assert "where up to 2 words are replaced together" in doctor.sentence
    assert doctor.sentence.split(";")[1].startswith(" alone, women go from 0 of 24 images (0%) to")
    assert "pushes towards the group that is named" in notes
    assert "An image counts once, also where it shows several people" in notes
    assert "by candidates own list" in notes


def test_the_group_asked_for_is_spoken_of(audit: AuditFolder) -> None:
    results = analyze(fill(audit, draw_texts(study(group="man"))))
    assert {finding.details["group"] for finding in results.findings} == {"man"}


def test_images_of_nobody_are_left_out_and_counted(audit: AuditFolder) -> None:
    def seen(request: Request) -> np.ndarray:
        return nobody() if request.seed == 3 else doctors_are_men(request)

    results = analyze(fill(audit, draw_texts(study()), seen))
    # Each word rests on the prompt as it is and on the texts without the word.
    assert {finding.n_missing for finding in results.findings} == {2}
    assert {finding.n for finding in results.findings} == {2 * 23}


def test_averages_for_many_prompts(audit: AuditFolder) -> None:
    """3 x 5 prompts: findings are averages of each adjective and person, words are one table."""
    asked = study(
        prompts=[],
        template="a {adjective} {person} at the office",
        factors={
            "adjective": ["caring", "smart", "rational"],
            "person": ["doctor", "nurse", "cook", "judge", "pilot"],
        },
        draws=6,
        images=1,
    )
    results = analyze(fill(audit, draw_texts(asked)))
    found = {finding.question: finding for finding in results.findings}
    assert len(found) == 3 + 5
    doctor = found["person “doctor” towards woman"]
    assert (doctor.n, doctor.n_of, doctor.unit) == (3, "prompt", "prompt")
    assert doctor.estimate is not None
    assert doctor.estimate < -0.5
    # Its three scores are equal, so nothing shows how much other prompts would differ.
    assert (doctor.low, doctor.high, doctor.p) == (None, None, None)
    assert doctor.sentence.startswith(
        "Over 3 prompts, the influence of “doctor” on the share of women is -"
    )
    tables = {table.name: table for table in results.studies[0].parts}
    assert list(tables) == [
        "averages-adjective-perceived-gender", "averages-person-perceived-gender", "all-words"
    ]  # fmt: skip
    averages = tables["averages-person-perceived-gender"]
    assert isinstance(averages, InfluenceAverages)
    shown = {(row.word, row.group): (row.score, row.prompts) for row in averages.rows}
    assert shown["doctor", "woman"] == (doctor.estimate, 3)
    assert len(tables["all-words"]) == 15 * 6 * 2


def test_a_smaller_study_uses_no_more_than_it_asks_for(audit: AuditFolder) -> None:
    """Images that a larger study brought stand in at most for its own."""
    asked = draw_texts(study())
    other = draw_texts(study(name="more", draws=20, images=3), before=asked)
    fill(audit, other)
    found = analyze(audit, studies=[asked]).findings
    assert {(finding.n, finding.n_missing) for finding in found} == {(2 * 24, 0)}


def test_two_encoders_are_checked_against_each_other(audit: AuditFolder) -> None:
    asked = draw_texts(study())
    fill(audit, asked)
    fill(audit, asked, lambda request: towards("man"), encoder=OTHER_ENCODER)
    results = analyze(audit)
    assert len(results.findings) == 12
    titles = [table.title for table in results.studies[0].parts]
    assert "invented-encoder against other-encoder: perceived gender" in titles


def test_unread_axes_and_missing_images_give_no_number(audit: AuditFolder) -> None:
    asked = draw_texts(study())
    fill(audit, asked, texts=False)
    (finding,) = analyze(audit).findings
    assert finding.estimate is None
    assert "has not read the texts of the axis" in finding.sentence


def test_without_people_in_the_prompt_itself_the_others_are_counted(audit: AuditFolder) -> None:
    fill(audit, draw_texts(study()), lambda r: nobody() if r.prompt == DOCTOR else towards("man"))
    findings = analyze(audit).findings
    assert {one.estimate for one in findings} == {None}
    assert all("too few images of people for" in one.sentence for one in findings)
    assert {(one.n, one.n_missing) for one in findings} == {(6 * 24, 24)}


def test_an_undrawn_study_says_so(audit: AuditFolder) -> None:
    asked = study()
    fill(audit, asked)
    results = analyze(audit)
    assert all(finding.estimate is None for finding in results.findings)
    assert any("No text has been drawn yet" in note for note in results.studies[0].notes)


def test_plans_count_what_is_missing(audit: AuditFolder) -> None:
    asked = study()
    assert plan_study(asked).missing == 7 * 24
    drawn = draw_texts(asked)
    assert plan_study(drawn, audit).missing == 7 * 24
    fill(audit, drawn)
    more = draw_texts(study(draws=15), before=drawn)
    plan = plan_study(more, audit, rate=2.0)
    assert (plan.images, plan.present, plan.missing) == (7 * 30, 7 * 24, 7 * 6)
    assert plan.seconds == 21.0
    assert plan.detectable == "a word that moves a share by 33 points"
