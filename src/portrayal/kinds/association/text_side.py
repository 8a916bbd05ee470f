"""Stereotype amplification: the association of the prompts' texts beside that of the images.

T2IAT, section 5.4: Eq. 2 with text embeddings of the same encoder in the place of image embeddings,
an arrow from text to image for every concept (figure 4). Whether images lean further than texts is
tested over concepts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy import stats

from portrayal.findings import Finding, FloatArray, counted
from portrayal.kinds.association.parts import Arrow, Arrows
from portrayal.kinds.association.schema import NEUTRAL
from portrayal.kinds.association.view import Poles, View
from portrayal.numbers import number
from portrayal.statistics import Embeddings, SingleAssociationResult, single_association

AMPLIFICATION = "mean |image| - |text|"
LEAST_CONCEPTS = 3

_NOTE = (
    "Cosines between texts and cosines between images of one encoder need not have the same scale: "
    "compare directions first. Noise in few images makes |image| too large."
)


def text_leaning(view: View, concept: str, poles: Poles) -> SingleAssociationResult | None:
    """Return Eq. 2 on a concept's texts, its stimuli as units; None where texts were not read."""
    prompts = [p for p in view.study.prompts() if p.factors["concept"] == concept]
    several = len({p.factors["stimulus"] for p in prompts}) > 1
    sets = []
    for names in ((NEUTRAL,), poles.first_attributes, poles.second_attributes):
        chosen = [p for p in prompts if p.factors["attribute"] in names]
        vectors = view.data.text_vectors([p.text for p in chosen])
        if vectors is None:
            return None
        sets.append(
            Embeddings(vectors, [p.factors["stimulus"] for p in chosen] if several else None)
        )
    return single_association(*sets, confidence=view.settings.confidence)


def text_arrows(view: View, poles: Poles, images: Sequence[Finding]) -> Arrows | None:
    """Return text and image association of each concept; None where no text was read.

    Args:
        view: Study, encoder, settings.
        poles: The two attributes.
        images: The findings of the concepts.
    """
    rows = []
    for finding in images:
        concept = finding.details.get("concept")
        text = None if concept is None else text_leaning(view, str(concept), poles)
        if text is None or finding.estimate is None:
            continue
        image = (finding.estimate, finding.low, finding.high)
        rows.append(Arrow(str(concept), text.score, *image, *text.interval))
    if not rows:
        return None
    return Arrows(
        f"text-to-image{view.suffix}",
        f"From the prompts' texts to their images: {poles.first} (+) rather than "
        f"{poles.second} (-){view.suffix}",
        rows,
        note=_NOTE,
    )


def amplification_finding(view: View, arrows: Arrows | None) -> Finding | None:
    """Test over concepts whether images lean further than texts, in either direction.

    The mean of |image| - |text| with Student's interval; p by flipping signs of the differences,
    all ways where there are few. None for a study of one or two concepts, where the question does
    not arise.
    """
    concepts = len(view.study.concepts)
    if concepts < LEAST_CONCEPTS:
        return None
    rows = () if arrows is None else arrows.rows
    counts = {"n": len(rows), "n_missing": concepts - len(rows)}
    question = f"do images lean further than their prompts' texts?{view.suffix}"
    if len(rows) < LEAST_CONCEPTS:
        reason = (
            f"{counted(len(rows), 'concept')} with both images and texts embedded by "
            f"{view.data.label}; at least {LEAST_CONCEPTS} are needed"
        )
        return view.asked(question, AMPLIFICATION, unit="concept").unanswered(
            reason,
            n=len(rows),
            n_missing=concepts - len(rows),
            dropped=view.data.dropped,
            wanted=view.data.wanted,
        )
    grown, switched = _growth(rows)
    settings = view.settings
    mean = float(grown.mean())
    error = float(grown.std(ddof=1)) / np.sqrt(grown.size)
    half = float(stats.t.ppf(0.5 + settings.confidence / 2, grown.size - 1)) * error
    rng = settings.rng(view.study.name, view.data.encoder.digest, "texts")
    p = sign_flip_p(grown, resamples=settings.resamples, rng=rng)
    details = {"grow": int((grown > 0).sum()), "change_direction": switched}
    more = "further than" if mean >= 0 else "less far than"
    return view.asked(question, AMPLIFICATION, unit="concept", details=details).answered(
        mean,
        (mean - half, mean + half),
        p=p,
        **counts,
        sentence=f"Over {counted(len(rows), 'concept')}, images lean {more} their prompts' "
        f"texts by {number(abs(mean))} on average; {details['grow']} "
        f"grow, {switched} change direction.",
    )


def _growth(rows: Sequence[Arrow]) -> tuple[FloatArray, int]:
    """Return |image| - |text| of each concept, and how many change direction."""
    text, image = np.array([(row.text, row.image) for row in rows], dtype=np.float64).T
    return np.abs(image) - np.abs(text), int((np.sign(image) * np.sign(text) < 0).sum())


def sign_flip_p(differences: FloatArray, *, resamples: int, rng: np.random.Generator) -> float:
    """Return the two-sided p-value of a mean of paired differences, by flipping their signs.

    Every way where there are at most `resamples`, then p = b / m; else p = (b + 1) / (m + 1).
    """
    n = differences.size
    observed = abs(float(differences.sum())) - 1e-12 * float(np.abs(differences).sum())
    if 2**n <= resamples:
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=n)))
        return float((np.abs(signs @ differences) >= observed).mean())
    signs = rng.choice((-1.0, 1.0), size=(resamples, n))
    more = int((np.abs(signs @ differences) >= observed).sum())
    return (more + 1) / (resamples + 1)
