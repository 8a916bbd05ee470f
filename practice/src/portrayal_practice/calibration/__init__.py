"""Calibration: what studies ought to find on `practice:painter`, and how often they do.

study_truth(study, samples=200)          what unlimited painted images would show
measured_truth(study)                    what unlimited images of the model would show, as measured
paint_pool(prompts, samples)             many measured images, to draw small audits from
coverage(study, pool, images=4)          how often intervals contain the truth
rejections(study, pool, images=4)        how often a true null is rejected

Fiction for calibration: the numbers speak of the planted world and of nothing else. How the table
of docs/calibration.md is made: `python -m portrayal_practice.calibration --help`.
"""

from __future__ import annotations

from portrayal_practice.calibration.coverage import (
    CoverageResult,
    RejectionResult,
    coverage,
    pool_truth,
    rejections,
)
from portrayal_practice.calibration.pool import paint_pool
from portrayal_practice.calibration.truth import measured_truth, study_truth

__all__ = [
    "CoverageResult",
    "RejectionResult",
    "coverage",
    "measured_truth",
    "paint_pool",
    "pool_truth",
    "rejections",
    "study_truth",
]
