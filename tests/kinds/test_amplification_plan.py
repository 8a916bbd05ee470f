"""What an amplification study costs and could detect."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from amplification_worlds import a_study
from portrayal.kinds.amplification.plan import SPREAD, detectable
from portrayal.runner.planning import plan_study


def test_captions_that_will_be_prompts_are_counted() -> None:
    study = a_study(subsets=["naive", "captions", "paraphrased"], captions=7, caption_images=3)
    plan = plan_study(study, rate=2.0)
    assert plan.images == 2 * 2 * 10 + 2 * 2 * 7 * 3
    assert plan.missing == plan.images
    assert plan.prompts == 4 + 2 * 2 * 7
    assert plan.seconds == pytest.approx(plan.images / 2)


@pytest.mark.parametrize("occupations", [8, 12, 62])
def test_four_in_five_studies_find_what_the_plan_says(occupations: int) -> None:
    points = float(re.findall(r"[\d.]+", detectable(occupations))[0])
    rng = np.random.default_rng(occupations)
    worlds = rng.normal(points, SPREAD, size=(4000, occupations))
    found = (stats.ttest_1samp(worlds, 0, axis=1).pvalue < 0.05).mean()
    assert found == pytest.approx(0.8, abs=0.05)


def test_one_or_two_occupations_detect_nothing() -> None:
    assert detectable(1) == "nothing: too few occupations"
    assert detectable(2) == "nothing: too few occupations"
