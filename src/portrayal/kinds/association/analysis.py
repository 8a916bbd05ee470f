"""Association studies: what T2IAT asks, from stored embeddings.

For each encoder: every contrast (S, d, p: Table 1), every concept (mean of Eq. 2), every image
(figure 3), and the prompts' texts beside the images (figure 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from portrayal.findings import (
    AnalysisSettings,
    DataTable,
    Distribution,
    Finding,
    Forest,
    ImageValue,
    Ours,
    Part,
    StudyData,
    StudyResult,
    contrast_numbers,
    image_agreement,
    published_numbers,
)
from portrayal.kinds.association.concepts import ConceptImages, concept_images
from portrayal.kinds.association.contrasts import EFFECT, contrast_findings
from portrayal.kinds.association.leanings import (
    ASSOCIATION,
    concept_finding,
    image_values,
    vector_findings,
)
from portrayal.kinds.association.parts import Arrows
from portrayal.kinds.association.schema import AssociationStudy
from portrayal.kinds.association.text_side import amplification_finding, text_arrows
from portrayal.kinds.association.view import Poles, View

QUARTILES = ("concept", "n", "lower quartile", "median", "upper quartile", "mean")

_LEVEL_NOTE = (
    "The level of one concept also depends on how strongly each attribute changes its images; "
    "differences between concepts speak more clearly than levels."
)


def analyze_association(
    study: AssociationStudy, data: Sequence[StudyData], settings: AnalysisSettings
) -> StudyResult:
    """Answer an association study.

    Args:
        study: The study.
        data: Its images, once for each encoder that looked at them.
        settings: How.
    """
    findings: list[Finding] = []
    parts: list[Part] = []
    distributions: dict[str, Distribution] = {}
    for one in data:
        suffix = f" · {one.label}" if len(data) > 1 else ""
        view = View(study, one, settings, suffix)
        if not one.embeds:
            findings.append(_without_embeddings(view))
            continue
        found, shown = _of_encoder(view)
        findings += found
        parts += shown
        for part in shown:
            if isinstance(part, Distribution):
                distributions.setdefault(one.label, part)
    findings += image_agreement(study, distributions, settings)
    effects = [finding for finding in findings if finding.statistic == EFFECT]
    if effects:
        parts.insert(0, Forest.of("contrasts", "Effect size d of each contrast", effects))
    return StudyResult(study.name, study.kind, study.title, findings, parts)


def _without_embeddings(view: View) -> Finding:
    return view.unanswered(
        f"which attribute do images resemble?{view.suffix}",
        EFFECT if view.study.contrasts else ASSOCIATION,
        f"associations compare embeddings, and the measurer {view.data.label} gives labels only; "
        "measure the images with an encoder too",
        n=0,
        n_missing=view.data.wanted,
    )


def _of_encoder(view: View) -> tuple[list[Finding], list[Part]]:
    study = view.study
    concepts = concept_images(study, view.data)
    poles = view.poles()
    findings = [
        finding
        for contrast in study.contrasts
        for pole in poles
        for finding in contrast_findings(view, contrast, pole, concepts)
    ]
    leanings = _leanings(view, concepts, poles)
    forest = Forest.of(
        f"concepts{view.suffix}",
        f"Association of each concept (Eq. 2){view.suffix}",
        leanings,
        note=_LEVEL_NOTE,
    )
    findings += leanings
    parts: list[Part] = [forest]
    if len(poles) == 1:
        arrows = text_arrows(view, poles[0], leanings)
        amplified = amplification_finding(view, arrows)
        ours = contrast_numbers(findings) | _concept_numbers(leanings, arrows)
        published = published_numbers(study, view.data, ours, suffix=view.suffix)
        findings += [amplified] if amplified else []
        parts += [part for part in (arrows, published) if part is not None]
    for pole in poles:
        parts += _image_parts(view, concepts, pole)
    return findings, parts


def _leanings(
    view: View, concepts: Mapping[str, ConceptImages], poles: Sequence[Poles]
) -> list[Finding]:
    if len(poles) > 1:
        return [f for concept in concepts.values() for f in vector_findings(view, concept)]
    tested = not view.study.contrasts
    return [concept_finding(view, c, poles[0], tested=tested) for c in concepts.values()]


def _image_parts(view: View, concepts: Mapping[str, ConceptImages], poles: Poles) -> Iterator[Part]:
    """Yield the association of every image, and the quartiles of each concept (figure 3)."""
    rows: list[ImageValue] = []
    quartiles: list[list[Any]] = []
    for concept in concepts.values():
        values = image_values(concept, poles)
        if values is None:
            continue
        images = concept.neutral
        rows += [
            ImageValue(key, concept.name, prompt, seed, value)
            for key, prompt, seed, value in zip(
                images.keys, images.prompts, images.seeds, values, strict=True
            )
        ]
        cuts = np.quantile(values, (0.25, 0.5, 0.75))
        quartiles.append([concept.name, images.n, *cuts, values.mean()])
    if not rows:
        return
    between = f"{poles.first} (+) rather than {poles.second} (-){view.suffix}"
    name = f"{poles.first}{view.suffix}".replace(" ", "-")
    yield Distribution(
        f"images-{name}", f"Association of every image: {between}", rows,
        measurer=view.data.label, first=poles.first, second=poles.second,
    )  # fmt: skip
    title = f"Quartiles of the images: {between}"
    yield DataTable(f"quartiles-{name}", title, QUARTILES, quartiles)


def _concept_numbers(
    leanings: Sequence[Finding], arrows: Arrows | None
) -> dict[tuple[str, str], Ours]:
    """Return the association of each concept's images and texts, by (concept, statistic)."""
    found = {
        (str(finding.details["concept"]), ASSOCIATION): Ours(
            finding.estimate, finding.low, finding.high
        )
        for finding in leanings
        if "concept" in finding.details
    }
    for row in arrows.rows if arrows is not None else ():
        found[row.concept, f"text {ASSOCIATION}"] = Ours(row.text, row.text_low, row.text_high)
    return found
