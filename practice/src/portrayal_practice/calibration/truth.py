"""What a study would find on `practice:painter` with endless images.

Group shares, and the scores of intervention studies, follow from the planted table exactly. Word
influences depend on texts that are drawn, and associations on how the encoder sees: they come from
a large sample, with the interval of what is left unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from portrayal.findings.axis_view import ALL
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.association.contrasts import contrast_findings
from portrayal.kinds.association.leanings import concept_finding, vector_findings
from portrayal.kinds.association.schema import AssociationStudy
from portrayal.kinds.composition.analysis import SHARE
from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.kinds.intervention.schema import InterventionStudy
from portrayal.records import Finding, Prompt
from portrayal.studies.schema import Study
from portrayal_practice.calibration.draws import everything, sides_of, view_of
from portrayal_practice.calibration.exact import exact_row, rounded, world_names
from portrayal_practice.calibration.influence_truth import influence_truth, is_told
from portrayal_practice.calibration.intervention_truth import intervention_truth
from portrayal_practice.calibration.pool import OnProgress, Pool, paint_pool
from portrayal_practice.errors import PracticeError
from portrayal_practice.truth import ShareTruth, group_shares


def study_truth(
    study: Study,
    *,
    samples: int,
    folder: Path | None = None,
    on_progress: OnProgress | None = None,
) -> list[dict[str, Any]]:
    """Say what a study would find on `practice:painter` with endless images.

    Args:
        study: A composition, intervention, influence or association study.
        samples: Images per prompt, where the truth needs images; texts per set of replaced
            words, where it needs those.
        folder: Where to keep their embeddings for the next time.
        on_progress: Called with images done and wanted.

    Returns:
        One row for each answer: study, question, statistic, truth, low, high, how ("exact", or the
        size of the sample). The interval is about the images or texts that were not drawn, of the
        study's own prompts; an exact truth is its own interval. An influence study with too many
        prompts for a finding a word has the shares of its prompts.

    Raises:
        PracticeError: A kind of study, an axis or a group of which the world knows no truth.
    """
    if isinstance(study, InfluenceStudy) and is_told(study):
        return influence_truth(study, samples=samples)
    if isinstance(study, CompositionStudy):
        return list(_shares(study))
    if isinstance(study, InterventionStudy):
        return intervention_truth(study)
    if isinstance(study, AssociationStudy):
        prompts = [prompt.text for prompt in study.prompts()]
        pool = paint_pool(prompts, samples, folder=folder, on_progress=on_progress)
        return association_truth(study, pool)
    raise PracticeError(
        f"{study.name} is a study of kind {study.kind}; truths are known for composition, "
        "intervention, influence and association"
    )


def association_truth(study: AssociationStudy, pool: Pool) -> list[dict[str, Any]]:
    """Say what an association study finds in a whole pool, by the study's own formulas."""
    # p-values are not told, so one split is enough; simultaneous intervals need their resamples.
    view = view_of(study, pool, AnalysisSettings(resample="images", resamples=1))
    concepts = everything(sides_of(study, pool), pool)
    poles = view.poles()
    findings = [
        finding
        for contrast in study.contrasts
        for pole in poles
        for finding in contrast_findings(view, contrast, pole, concepts)
    ]
    if len(poles) == 1:
        findings += [concept_finding(view, c, poles[0], tested=False) for c in concepts.values()]
    else:
        view = replace(view, settings=replace(view.settings, resamples=9999))
        findings += [f for concept in concepts.values() for f in vector_findings(view, concept)]
    return [_row(finding, f"{pool.samples} per prompt") for finding in findings]


def _row(finding: Finding, how: str) -> dict[str, Any]:
    if finding.estimate is None:
        raise PracticeError(f"{finding.study}: {finding.sentence}")
    return {
        "study": finding.study,
        "question": finding.question,
        "statistic": finding.statistic,
        "truth": rounded(finding.estimate),
        "low": rounded(finding.low),
        "high": rounded(finding.high),
        "how": how,
    }


def _shares(study: CompositionStudy) -> Iterator[dict[str, Any]]:
    """Yield the share of each group for each level of each factor, as the analysis counts them."""
    prompts = study.prompts()
    for axis, asked in study.axes.items():
        names = world_names(study, axis, asked.groups)
        truths = group_shares([prompt.text for prompt in prompts], axis=axis)
        for factor in _factors(prompts):
            for level, known in _levels(prompts, truths, factor).items():
                shares = _mixed(known, names)
                of = f"{factor} {level}" if factor else level
                for group, share in shares.items():
                    question = f"{of}: share of {group} ({axis})"
                    yield exact_row(study, question, SHARE, share)


def _factors(prompts: tuple[Prompt, ...]) -> list[str]:
    """Return the factors with more than one level; "" where there are none."""
    names = dict.fromkeys(name for prompt in prompts for name in prompt.factors)
    several = [name for name in names if len({prompt.factors[name] for prompt in prompts}) > 1]
    return several or [""]


def _levels(
    prompts: tuple[Prompt, ...], truths: list[ShareTruth], factor: str
) -> dict[str, list[tuple[Prompt, ShareTruth]]]:
    found: dict[str, list[tuple[Prompt, ShareTruth]]] = {}
    for prompt, truth in zip(prompts, truths, strict=True):
        level = prompt.factors[factor] if factor else ALL
        found.setdefault(level, []).append((prompt, truth))
    return found


def _mixed(known: list[tuple[Prompt, ShareTruth]], names: Mapping[str, str]) -> dict[str, float]:
    """Mix prompts by the images in which they show one of the groups; NaN where none does."""
    images = dict.fromkeys(names, 0.0)
    for prompt, truth in known:
        for group, name in names.items():
            if truth.person > 0:
                images[group] += prompt.images * truth.person * truth.shares[name]
    total = sum(images.values())
    return {group: n / total if total > 0 else math.nan for group, n in images.items()}
