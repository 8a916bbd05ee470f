from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from invented import WIDTH, Vectors, direction, fill_audit
from portrayal.audit import AuditFolder
from portrayal.findings import Finding
from portrayal.findings.parts import Shares
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.records import Prompt
from portrayal.runner.analysis import analyze
from portrayal.studies.axes import default_axes
from portrayal.studies.reading import study_from_toml

JOBS = """
kind = "composition"
images = 20
axes = ["perceived gender"]
template = "a photo of {a job}"
[factors]
job = ["nurse", "mechanic", "chef"]
"""
AXIS = default_axes()["perceived gender"]
LOOKS = {
    "woman": AXIS.groups["woman"][0],
    "man": AXIS.groups["man"][0],
    "unknown": AXIS.unknown[0],
}


def study(text: str = JOBS) -> CompositionStudy:
    found = study_from_toml(text, source="jobs.toml", name="jobs")
    assert isinstance(found, CompositionStudy)
    return found


def showing(looks: dict[str, str]) -> Vectors:
    """Images that show, seed by seed, what a string of w, m, u and - (nobody) says."""
    names = {"w": "woman", "m": "man", "u": "unknown"}

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        sign = looks[prompt.factors["job"]][seed]
        if sign == "-":
            return direction(AXIS.object[0])
        noise = np.random.default_rng([seed, *prompt.text.encode()]).normal(size=WIDTH)
        return direction(LOOKS[names[sign]]) + direction(AXIS.person[0]) + 0.01 * noise

    return vectors


LOOK = {
    "nurse": "w" * 16 + "m" * 2 + "u" + "-",
    "mechanic": "m" * 15 + "w" * 3 + "uu",
    "chef": "wm" * 10,
}


def share(findings: Sequence[Finding], level: str) -> Finding:
    (found,) = [one for one in findings if one.details.get("level") == level]
    return found


def test_shares_count_known_unknown_and_nobody_apart(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(LOOK))
    result = analyze(audit)
    nurse = share(list(result.findings), "nurse")
    assert nurse.question == "job nurse: share of woman (perceived gender)"
    assert nurse.estimate == pytest.approx(16 / 18)
    expected = stats.binomtest(16, 18).proportion_ci(0.95, method="wilson")
    assert (nurse.low, nurse.high) == pytest.approx((expected.low, expected.high))
    assert (nurse.n, nurse.n_missing, nurse.unit) == (18, 2, "image")
    assert nurse.details["counts"] == {"woman": 16, "man": 2}
    assert nurse.sentence == (
        "Nurse: 16 of 18 labelled images (89%) show women; 1 more are unknown, 1 show nobody."
    )
    part, *robustness = result.studies[0].parts
    assert [one.type for one in robustness] == ["robustness", "robustness"]
    assert isinstance(part, Shares)
    rows = part.rows
    assert [(row.level, row.group) for row in rows][:2] == [
        ("nurse", "woman"),
        ("nurse", "man"),
    ]
    assert (rows[0].unknown, rows[0].nobody, rows[0].dropped) == (1, 1, 0)
    assert rows[0].share == nurse.estimate
    assert rows[0].share + rows[1].share == pytest.approx(1)


def test_levels_that_differ_are_found_and_named(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(LOOK))
    found = analyze(audit).findings[0]
    assert found.question == "perceived gender: do group shares differ by job?"
    assert found.statistic == "Cramér's V"
    assert found.p is not None
    assert found.p < 0.001
    assert found.q == found.p
    assert found.conclusion(0.05) == "Share of women: 17% for mechanic, 89% for nurse"
    assert found.sentence == (
        "Fewest women: mechanic (3 of 18 images, 17%). Most women: nurse (16 of 18 images, 89%)."
    )
    assert found.low is not None
    assert found.estimate is not None
    assert found.low < found.estimate


def test_levels_that_are_alike_are_not(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(dict.fromkeys(LOOK, "wm" * 10)))
    found = analyze(audit).findings[0]
    assert found.p == 1.0
    assert found.conclusion(0.05) == (
        "No significant difference between jobs in the share of women"
    )
    assert found.sentence == "Share of women: 50% for nurse, mechanic and chef."


def test_templates_make_prompts_the_units(audit: AuditFolder) -> None:
    text = JOBS.replace('template = "a photo of {a job}"\n', "").replace("[factors]", "")
    text = text.replace(
        "job =",
        '[templates]\np = "a photo of {a job}"\nq = "{a job} at work"\nr = "portrait of {a job}"\n'
        "[factors]\njob =",
    )
    fill_audit(audit, [study(text)], showing(LOOK))
    results = analyze(audit)
    by_factor = {one.details["factor"]: one for one in results.findings if one.p is not None}
    assert set(by_factor) == {"job", "template"}
    assert by_factor["job"].unit == "prompt"
    assert by_factor["template"].p == 1.0
    nurse = share([one for one in results.findings if one.unit == "prompt"], "nurse")
    assert nurse.n == 54
    fixed = analyze(audit, settings=AnalysisSettings(resample="images"))
    plain = share(fixed.findings, "nurse")
    assert plain.unit == "image"
    assert [table.name for table in results.studies[0].parts if isinstance(table, Shares)] == [
        "shares-perceived-gender-by-job",
        "shares-perceived-gender-by-template",
    ]


def test_more_than_two_groups(audit: AuditFolder) -> None:
    text = JOBS.replace('axes = ["perceived gender"]\n', "")
    text += '[axes.colour.groups]\nred = ["red"]\ngreen = ["green"]\nblue = ["blue"]\n'

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        return direction(["red", "green", "blue", "blue"][seed % 4])

    fill_audit(audit, [study(text)], vectors)
    found = [one for one in analyze(audit).findings if one.details.get("level") == "chef"]
    assert {one.details["group"]: one.estimate for one in found} == {
        "red": 0.25,
        "green": 0.25,
        "blue": 0.5,
    }


def test_too_few_known_images_are_no_number(audit: AuditFolder) -> None:
    looks = {**LOOK, "nurse": "w" * 2 + "u" * 17 + "-"}
    fill_audit(audit, [study()], showing(looks))
    nurse = share(analyze(audit).findings, "nurse")
    assert (nurse.estimate, nurse.low, nurse.high, nurse.p) == (None, None, None, None)
    assert nurse.sentence == (
        "not enough data: job nurse has 2 images with a known group on perceived gender; "
        "at least 3 are needed (of 20 images wanted: 17 unknown, 1 nobody)"
    )


def test_one_group_alone_leaves_nothing_to_compare(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(dict.fromkeys(LOOK, "m" * 18 + "u-")))
    (found,) = [f for f in analyze(audit).findings if f.statistic == "Cramér's V"]
    assert (found.estimate, found.p, found.n, found.n_missing) == (None, None, 54, 6)
    assert found.sentence.startswith(
        "All 54 images with a known group on perceived gender show man; there is nothing to compare"
    )


def test_everything_refused(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(LOOK), status=lambda prompt, seed: "refused")
    results = analyze(audit)
    assert all(one.estimate is None for one in results.findings)
    assert all(one.sentence.startswith("not enough data: ") for one in results.findings)
    assert results.studies[0].dropped == {"refused by the generator": 60}


def test_everything_refused_before_an_encoder_came(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(LOOK), texts=None, status=lambda prompt, seed: "refused")
    (found,) = analyze(audit).findings
    assert found.sentence == (
        "not enough data: there is no image to judge on perceived gender "
        "(of 60 images wanted: 60 refused by the generator)"
    )


def test_texts_that_were_not_read(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(LOOK), texts=None)
    (found,) = analyze(audit).findings
    assert found.estimate is None
    assert "has not read the texts of the axis 'perceived gender'" in found.sentence


def test_one_prompt_without_factors(audit: AuditFolder) -> None:
    text = 'kind = "composition"\nimages = 8\naxes = ["perceived gender"]\ntemplate = "a person"\n'

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        return direction(LOOKS["woman" if seed < 6 else "man"]) + direction(AXIS.person[0])

    fill_audit(audit, [study(text)], vectors)
    found = analyze(audit).findings
    score = found[0]
    assert score.details["published"] == 0.5
    assert score.unit == "image"
    assert {one.statistic: one.estimate for one in found} == {
        "diversity score": score.estimate,
        "many-group diversity": pytest.approx(6 * 2 / 28 * 2),
        "group share": 0.75,
    }
    assert found[-1].question == "all prompts: share of woman (perceived gender)"
    asked = "perceived gender: how often do two images show different groups?"
    assert found[1].asked == asked


def test_one_prompt_of_which_little_is_known_is_told_in_the_plural(audit: AuditFolder) -> None:
    text = 'kind = "composition"\nimages = 8\naxes = ["perceived gender"]\ntemplate = "a person"\n'
    fill_audit(audit, [study(text)], lambda prompt, seed: direction(AXIS.object[0]))
    reason = analyze(audit).findings[-1].reason
    assert reason.startswith("all prompts have 0 images with a known group on perceived gender; ")


def test_diversity_agrees_with_entigen(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(LOOK))
    found = {one.statistic: one for one in analyze(audit).findings}
    # Eq. 1 by hand: |16 - 2| + |3 - 15| + |10 - 10| over 18 + 18 + 20 images.
    score = found["diversity score"]
    assert score.details["published"] == pytest.approx(26 / 56)
    assert score.estimate is not None
    assert score.low is not None
    assert score.high is not None
    assert score.low <= score.estimate <= score.high
    assert (score.n, score.n_missing) == (56, 4)
    many = found["many-group diversity"]
    assert many.question == "perceived gender: how often do two images of a level differ over job?"
    assert many.asked == (
        "perceived gender: how often do two images of the same job show different groups?"
    )
    pairs = [2 * 16 * 2 / (18 * 17 / 2), 2 * 3 * 15 / (18 * 17 / 2), 2 * 10 * 10 / 190]
    assert many.estimate == pytest.approx(np.average(pairs, weights=[18, 18, 20]))


def test_shares_are_a_table_too(audit: AuditFolder) -> None:
    fill_audit(audit, [study()], showing(LOOK))
    part, *_ = analyze(audit).studies[0].parts
    table = part.as_table()
    assert table.columns[:7] == ("axis", "level", "group", "share", "low", "high", "n")
    assert len(table) == len(part) == 2 * 3


def test_one_image_of_a_level_is_no_number(audit: AuditFolder) -> None:
    """It always shows one group only, whatever the model does."""
    one = study().with_images(1)
    fill_audit(audit, [one], showing(LOOK))
    for finding in analyze(audit).findings:
        assert finding.estimate is None, finding.question
        assert finding.sentence.startswith("not enough data"), finding.sentence


def counts_of(findings: Sequence[Finding]) -> dict[str, tuple[int, int, str]]:
    """n, n_missing and sentence of the findings without an answer, by statistic."""
    return {
        one.statistic: (one.n, one.n_missing, one.sentence)
        for one in findings
        if one.estimate is None and one.statistic != "group share"
    }


def test_findings_without_an_answer_count_what_they_say(audit: AuditFolder) -> None:
    two = study(JOBS.replace(', "chef"', "")).with_images(1)
    fill_audit(audit, [two], showing({"nurse": "w", "mechanic": "m"}))
    findings = analyze(audit).findings
    assert counts_of(findings) == {
        "Cramér's V": (
            2,
            0,
            "not enough data: 2 images with a known group on perceived gender, of 2 levels of job "
            "and 2 groups, at most 1 of a level; at least 3 images, 2 levels, 2 groups and a level "
            "with 2 images are needed",
        ),
        "diversity score": (
            2,
            0,
            "not enough data: 2 images with a known group on perceived gender; at least 3 are "
            "needed",
        ),
        "many-group diversity": (
            0,
            2,
            "not enough data: of 2 images with a known group on perceived gender, 0 are of a level "
            "with two or more; at least 3 such images are needed (of 2 images wanted: 2 alone at "
            "a level)",
        ),
    }
    assert [(one.n, one.n_missing) for one in findings if one.statistic == "group share"] == [
        (1, 0),
        (1, 0),
    ]


@pytest.mark.parametrize(
    "looks",
    [
        {"nurse": "w", "mechanic": "m", "chef": "m"},
        {"nurse": "w", "mechanic": "u", "chef": "-"},
        {"nurse": "ww", "mechanic": "um", "chef": "-u"},
        {"nurse": "wm", "mechanic": "-u", "chef": "u-"},
        {"nurse": "wwm", "mechanic": "uuu", "chef": "---"},
        {"nurse": "uu", "mechanic": "u-", "chef": "--"},
    ],
)
def test_sentences_without_an_answer_account_for_every_image(
    audit: AuditFolder, looks: dict[str, str]
) -> None:
    """The sentence names n, and its reasons add up to n_missing."""
    images = len(looks["nurse"])
    fill_audit(audit, [study().with_images(images)], showing(looks))
    lacking = [one for one in analyze(audit).findings if one.estimate is None]
    assert lacking
    for one in lacking:
        reason, _, fate = one.sentence.partition(" (of ")
        assert re.search(rf"\b{one.n} (image|are of a level)", reason), one.sentence
        lost = [int(n) for n in re.findall(r"(?:wanted: |, )(\d+) ", fate)]
        assert sum(lost) == one.n_missing, one.sentence
        wanted = images if one.statistic == "group share" else 3 * images
        assert one.n + one.n_missing == wanted, one.sentence


def test_images_that_were_not_made_are_told_beside_those_without_a_group(
    audit: AuditFolder,
) -> None:
    def status(prompt: Prompt, seed: int) -> str:
        return "refused" if prompt.factors["job"] == "chef" else "ok"

    looks = {"nurse": "w", "mechanic": "u", "chef": "m"}
    fill_audit(audit, [study().with_images(1)], showing(looks), status=status)
    n, missing, sentence = counts_of(analyze(audit).findings)["diversity score"]
    assert (n, missing) == (1, 2)
    assert sentence.endswith("(of 3 images wanted: 1 unknown, 1 refused by the generator)")
