"""Images with a measurer's and some human labels; what other implementations make of them.

`python tests/statistics/checked_images.py` prints the numbers that tests/golden keeps, from
glide-py (Python 3.12) and ppi-python, whichever is installed.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Checked(NamedTuple):
    """Predictions, labels (NaN: nobody was asked), prompts and strata, one row per image."""

    predictions: NDArray[np.float64]
    labels: NDArray[np.float64]
    prompts: NDArray[np.intp]
    strata: NDArray[np.intp]


def whole_prompts() -> Checked:
    """Return 240 prompts of 6 images, of which every fourth prompt is labelled as a whole."""
    rng = np.random.default_rng(12)
    prompts = np.repeat(np.arange(240), 6)
    truth = (rng.random(1440) < rng.beta(1.2, 1.8, 240)[prompts]).astype(float)
    predictions = np.where(rng.random(1440) < 0.85, truth, 1 - truth)
    labels = np.where(prompts % 4 == 0, truth, np.nan)
    return Checked(predictions, labels, prompts, np.zeros(1440, dtype=np.intp))


def by_stratum() -> Checked:
    """Return 3,000 images in three strata, one in five labelled."""
    rng = np.random.default_rng(13)
    strata = np.repeat(np.arange(3), 1000)
    truth = (rng.random(3000) < np.array([0.2, 0.5, 0.7])[strata]).astype(float)
    predictions = np.where(rng.random(3000) < 0.85, truth, 1 - truth)
    labels = np.where(np.arange(3000) % 5 == 0, truth, np.nan)
    return Checked(predictions, labels, np.arange(3000), strata)


def by_others() -> dict[str, Any]:
    """Return estimate and interval of each case by other implementations."""
    from glide.estimators import (  # type: ignore[import-not-found]
        ClusteredPPIMeanEstimator,
        StratifiedPPIMeanEstimator,
    )

    clustered, layered = whole_prompts(), by_stratum()
    found = {
        "glide-py 0.11.0 clustered": ClusteredPPIMeanEstimator().estimate(
            clustered.labels, clustered.predictions, clustered.prompts, power_tuning=False
        ),
        "glide-py 0.11.0 stratified": StratifiedPPIMeanEstimator().estimate(
            layered.labels, layered.predictions, layered.strata, power_tuning=False
        ),
    }
    bounds = {name: one.confidence_interval for name, one in found.items()}
    return {
        name: [float(one.mean), float(one.lower_bound), float(one.upper_bound)]
        for name, one in bounds.items()
    }


if __name__ == "__main__":
    print(json.dumps(by_others()))
