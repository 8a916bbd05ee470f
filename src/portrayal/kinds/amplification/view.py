"""An amplification study as one encoder sees it, and its answer where there is none."""

from __future__ import annotations

from dataclasses import dataclass

from portrayal.audit import Selection
from portrayal.findings import AnalysisSettings, StudyData
from portrayal.kinds.amplification.counts import Counting
from portrayal.kinds.amplification.schema import AmplificationStudy


@dataclass(frozen=True, slots=True)
class AmplificationView:
    """A study, what one encoder saw of both sides, and how to analyze it.

    Attributes:
        study: The study.
        data: Its generated images.
        settings: How.
        suffix: Names the encoder where several are shown side by side.
        selection: The training captions.
        counting: Both sides, ready to be counted.
    """

    study: AmplificationStudy
    data: StudyData
    settings: AnalysisSettings
    suffix: str
    selection: Selection
    counting: Counting
