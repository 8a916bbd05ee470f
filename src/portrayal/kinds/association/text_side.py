"""Stereotype amplification: the association of the prompts' texts beside that of the images.

T2IAT, section 5.4: Eq. 2 with text embeddings of the same encoder in the place of image embeddings,
an arrow from text to image for every concept (figure 4). Whether images lean further than texts is
tested over concepts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from portrayal.findings.data import FloatArray
from portrayal.findings.sentences import between, chance, counted, not_enough, number
from portrayal.kinds.association.schema import NEUTRAL
from portrayal.kinds.association.view import Poles, View
from portrayal.records import Finding, Table, finite
from portrayal.statistics import SingleAssociationResult, single_association

AMPLIFICATION = "mean |image| - |text|"
LEAST_CONCEPTS = 3

ARROWS = ("concept", "text", "image", "image_low", "image_high", "text_low", "text_high")

_NOTE = (
    "Cosines between texts and cosines between images of one encoder need not have the same scale: "
    "compare directions first. Noise in few images makes |image| too large."
)


def text_leaning(view: View, concept: str, poles: Poles) -> SingleAssociationResult | None:
    """Return Eq. 2 on a concept's texts, its stimuli as units; None where texts were not read."""
    prompts = [p for p in view.study.prompts() if p.factors["concept"] == concept]
    sets = []
    for names in ((NEUTRAL,), poles.first_attributes, poles.second_attributes):
        chosen = [p for p in prompts if p.factors["attribute"] in names]
        vectors = view.data.text_vectors([p.text for p in chosen])
        if vectors is None:
            return None
        sets.append((vectors, [p.factors["stimulus"] for p in chosen]))
    (neutral, units), (a, a_units), (b, b_units) = sets
    several = len(set(units)) > 1
    return single_association(
        neutral,
        a,
        b,
        units=units if several else None,
        a_units=a_units if several else None,
        b_units=b_units if several else None,
        confidence=view.settings.confidence,
    )


def arrows_table(view: View, poles: Poles, images: Sequence[Finding]) -> Table | None:
    """Return text and image association of each concept; None where no text was read.

    Args:
        view: Study, encoder, settings.
        poles: The two attributes.
        images: The findings of the concepts.
    """
    rows: list[list[Any]] = []
    for finding in images:
        concept = finding.details.get("concept")
        text = None if concept is None else text_leaning(view, str(concept), poles)
        if text is None or finding.estimate is None:
            continue
        bounds = [finite(text.interval.low), finite(text.interval.high)]
        rows.append([concept, text.score, finding.estimate, finding.low, finding.high, *bounds])
    if not rows:
        return None
    return Table(
        name=f"text-to-image{view.suffix}",
        title=f"From the prompts' texts to their images: {poles.first} (+) rather than "
        f"{poles.second} (-){view.suffix}",
        columns=ARROWS,
        rows=rows,
        role="arrows",
        note=_NOTE,
    )


def amplification_finding(view: View, table: Table | None) -> Finding | None:
    """Test over concepts whether images lean further than texts, in either direction.

    The mean of |image| - |text| with Student's interval; p by flipping signs of the differences,
    all ways where there are few. None for a study of one or two concepts, where the question does
    not arise.
    """
    concepts = len(view.study.concepts)
    if concepts < LEAST_CONCEPTS:
        return None
    rows = [] if table is None else list(table.rows)
    text = np.array([row[1] for row in rows])
    image = np.array([row[2] for row in rows])
    settings = view.settings
    start: dict[str, Any] = {
        "study": view.study.name,
        "question": f"do images lean further than their prompts' texts?{view.suffix}",
        "statistic": AMPLIFICATION,
        "q": None,
        "n": len(rows),
        "n_missing": concepts - len(rows),
        "unit": "concept",
    }
    if len(rows) < LEAST_CONCEPTS:
        reason = (
            f"{counted(len(rows), 'concept')} with both images and texts embedded by "
            f"{view.data.label}; at least {LEAST_CONCEPTS} are needed"
        )
        return Finding(
            **start, estimate=None, low=None, high=None, p=None,
            sentence=not_enough(reason, view.data.dropped, view.data.wanted),
            details={"encoder": view.data.label},
        )  # fmt: skip
    grown = np.abs(image) - np.abs(text)
    mean = float(grown.mean())
    error = float(grown.std(ddof=1)) / np.sqrt(grown.size)
    half = float(stats.t.ppf(0.5 + settings.confidence / 2, grown.size - 1)) * error
    rng = settings.rng(view.study.name, view.data.encoder.digest, "texts")
    p = sign_flip_p(grown, resamples=settings.resamples, rng=rng)
    switched = int((np.sign(image) * np.sign(text) < 0).sum())
    more = "further than" if mean >= 0 else "less far than"
    clear = "" if p < 1 - settings.confidence else "no clear answer: "
    interval = between(mean - half, mean + half, settings.confidence)
    sentence = (
        f"Over {counted(len(rows), 'concept')}, {clear}images lean {more} their prompts' texts by "
        f"{number(abs(mean))} on average ({interval}); {chance(p)}; "
        f"{int((grown > 0).sum())} grow, {switched} change direction."
    )
    return Finding(
        **start, estimate=mean, low=mean - half, high=mean + half, p=p, sentence=sentence,
        details={
            "encoder": view.data.label,
            "grow": int((grown > 0).sum()),
            "change_direction": switched,
        },
    )  # fmt: skip


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
