"""Association studies: what T2IAT asks, from stored embeddings.

For each encoder: every contrast (S, d, p), every concept (mean of Eq. 2), every image (figure 3).
"""

from __future__ import annotations

from collections.abc import Sequence

from portrayal.analysis.concepts import concept_images
from portrayal.analysis.contrasts import EFFECT, Setting, contrast_findings
from portrayal.analysis.data import StudyData
from portrayal.analysis.settings import AnalysisSettings
from portrayal.analysis.tables import forest_table
from portrayal.records import Finding, StudyResult, Table
from portrayal.study import AssociationStudy


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
    tables: list[Table] = []
    for one in data:
        suffix = f" · {one.encoder.name}" if len(data) > 1 else ""
        setting = Setting(study, one, settings, suffix)
        concepts = concept_images(study, one)
        for contrast in study.contrasts:
            findings += contrast_findings(setting, contrast, concepts)
    effects = [finding for finding in findings if finding.statistic == EFFECT]
    if effects:
        tables.append(forest_table("contrasts", "Effect size d of each contrast", effects))
    return StudyResult(study.name, study.kind, study.title, findings, tables)
