"""How much more group shares vary between prompts than between single images."""

from __future__ import annotations

from typing import NamedTuple

from portrayal.statistics.counts import FloatArray


class DesignEffect(NamedTuple):
    """How much more shares vary than those of single images, and how well prompts tell it.

    Attributes:
        effect: Clustered variance over multinomial variance, at least 1.
        units: Degrees of freedom of the clustered variance.
    """

    effect: float
    units: float


def design_effect(table: FloatArray) -> DesignEffect:
    """Return how much more shares vary between prompts than single images would make them.

    Rao and Scott's mean generalised design effect: the sum over groups of clustered variances over
    multinomial ones, over the groups less one. At least 1; 1 where only one group occurs.

    Residuals of prompts with many images are too small, since these prompts make up much of the
    shares that they are compared with, and such prompts leave fewer degrees of freedom than their
    number says. Both depend on how much larger variances of large prompts are: on the intraclass
    correlation, which is the one at which residuals are as large as expected, within 0 to 1. Given
    it the clustered variance has no bias, and its degrees of freedom are Satterthwaite's (the
    squared trace of the residuals' covariance over the trace of its square). With the same number
    of images for each of k prompts these are the usual factor k / (k - 1) and k - 1.

    Args:
        table: Images: one row per prompt, two or more, one column per group.

    References: Rao and Scott (1981), JASA 76; Bell and McCaffrey (2002), Survey Methodology 28.
    """
    sizes = table.sum(axis=1)
    n, k = float(sizes.sum()), len(sizes)
    shares = table.sum(axis=0) / n
    occurs = shares > 0
    if k < 2:
        return DesignEffect(1.0, 1.0)
    weights = sizes / n
    residuals = table[:, occurs] - sizes[:, None] * shares[occurs]
    square = float((residuals**2 / shares[occurs]).sum()) / max(int(occurs.sum()) - 1, 1) / n
    single = _expected(weights, weights)
    whole = _expected(weights, weights * sizes)
    icc = 0.0
    if sizes.max() > 1:
        icc = min(1.0, max(0.0, (square - single) / (whole - single)))
    variances = weights * (1 + (sizes - 1) * icc)
    expected = _expected(weights, variances)
    effect = square * float(variances.sum()) / expected
    return DesignEffect(max(1.0, effect), _freedom(weights, variances, expected, k - 1))


def _expected(weights: FloatArray, variances: FloatArray) -> float:
    """Return the expected sum of squared residuals of prompts with these variances."""
    rest = variances.sum() - variances
    return float((variances * (1 - weights) ** 2 + weights**2 * rest).sum())


def _freedom(weights: FloatArray, variances: FloatArray, expected: float, most: int) -> float:
    """Return Satterthwaite's degrees of freedom of the sum of squared residuals, 1 to `most`."""
    # The residuals' covariance is diag(v) - w v' - v w' + sum(v) w w', with w the weights.
    total, squares = float(variances.sum()), float(weights @ weights)
    cross, own = float(weights @ variances), float(variances @ variances)
    trace = (
        own
        - 4 * float(weights @ variances**2)
        + 2 * total * float(weights**2 @ variances)
        + 2 * cross**2
        + 2 * squares * own
        - 4 * total * squares * cross
        + (total * squares) ** 2
    )
    return min(float(most), max(1.0, expected**2 / max(trace, expected**2 / most)))
