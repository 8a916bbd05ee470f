"""Tipping points, and the words about labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from portrayal.findings import FindingLabels, LabelScale, LabelSource, audit_sources
from portrayal.findings.finding import Finding
from portrayal.findings.label_checks import CheckedSource
from portrayal.numbers import percent


def finding(low: float | None, high: float | None) -> Finding:
    estimate = None if low is None or high is None else (low + high) / 2
    return Finding(
        "s", "k", "q", "group share", estimate, low, high, None, None, 9, 0, "image", "Words.",
        reason="" if estimate is not None else "none",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scale", "low", "high", "tipping"),
    [
        (LabelScale(0.5, 1.0), 0.62, 0.9, 0.12),
        (LabelScale(0.5, 1.0), 0.1, 0.38, 0.12),
        (LabelScale(0.5, 1.0), 0.4, 0.9, None),
        (LabelScale(0.0, 200.0), 4.0, 12.0, 0.02),
        (LabelScale(0.0, 2.0), -0.5, -0.1, 0.05),
        (LabelScale(0.0, None), 0.2, 0.4, None),
        (LabelScale(), 0.2, 0.4, None),
        (LabelScale(0.0, 0.1), 0.5, 0.9, 1.0),
        (LabelScale(0.5, 1.0), None, None, None),
    ],
)
def test_a_tipping_point_is_the_gap_by_the_reach(
    scale: LabelScale, low: float | None, high: float | None, tipping: float | None
) -> None:
    found = finding(low, high).on_labels(scale).labels
    assert found is not None
    assert found.status == "unchecked"
    assert found.tipping == (None if tipping is None else pytest.approx(tipping))


def test_as_many_wrong_labels_really_bring_a_share_there() -> None:
    # 62 of 100 at the lower bound: with 12 of 100 labels wrong, it is 50 of 100.
    tipping = LabelScale(0.5, 1.0).tipping_point(0.62, 0.9)
    assert tipping is not None
    assert 62 - 100 * tipping == pytest.approx(50)


def test_words_are_plain() -> None:
    unchecked = finding(0.62, 0.9).on_labels(LabelScale(0.5, 1.0)).labels
    assert unchecked is not None
    assert unchecked.words(0.95) == (
        "Labels not checked by people. The conclusion would fall if 12% of them were wrong in the "
        "least favourable way."
    )
    corrected = FindingLabels(
        "corrected", LabelScale(), n_checked=60, estimate=0.62, low=0.5, high=0.7,
        assumption="Assumes that the measurer errs alike in all prompts.",
    )  # fmt: skip
    assert corrected.words(0.95, form=percent) == (
        "Corrected by people's labels of 60 images. Uncorrected: 62% (95% CI 50% to 70%). "
        "Assumes that the measurer errs alike in all prompts."
    )
    assert FindingLabels("people", LabelScale()).words(0.95) == ""


def test_only_a_conclusion_can_fall() -> None:
    untested = finding(0.62, 0.9).on_labels(LabelScale(0.5, 1.0))
    doubtful, significant = (replace(untested, p=0.01, q=q) for q in (0.06, 0.02))
    looked = replace(significant, q_looks=0.2, p_looks=0.1)
    for one in (untested, doubtful, looked):
        assert one.tipping_point(0.05) is None
        assert one.about_labels(0.95) == ""
    assert significant.about_labels(0.95).endswith("wrong in the least favourable way.")
    of_all_looks = replace(looked, q_looks=0.04, low_looks=0.55, high_looks=0.95)
    assert of_all_looks.tipping_point(0.05) == pytest.approx(0.05)


def test_images_that_show_nobody_are_not_said_to_be_unknown() -> None:
    source = LabelSource("clip", "perceived gender", "unchecked")
    images = {str(i) for i in range(12)}
    nobody, some = (
        CheckedSource(source, images=images, nobody=one).counted()
        for one in (images, images - {"3"})
    )
    assert nobody.shortage().endswith(
        "labels 0 of 12 images on perceived gender; the rest: 12 nobody."
    )
    assert some.shortage().endswith("; the rest: 11 nobody, 1 unknown.")


def test_an_image_that_two_studies_share_counts_once() -> None:
    source = LabelSource("clip", "perceived gender", "corrected")
    found = audit_sources(
        [CheckedSource(source, frozenset("abc")), CheckedSource(source, frozenset("cd"))]
    )
    assert [one.n_checked for one in found] == [4]


def test_no_more_images_are_to_be_checked_than_there_are() -> None:
    few = LabelSource("faces", "perceived gender", "unchecked", n=12)
    assert few.sentence("a").endswith("To check 12 images: portrayal annotate a --sample 12")
    many = LabelSource("faces", "perceived gender", "unchecked", n=400)
    assert many.sentence("a").endswith("To check 60 images: portrayal annotate a --sample 60")
