"""The study kind `tally`: the share of one group over all prompts together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import model_validator
from scipy.stats import binomtest

from portrayal import AnalysisSettings, Finding, Prompt, Study
from portrayal.findings import Asked, DataTable, Forest, StudyData, StudyResult, axis_view, unjudged
from portrayal.kinds import Kind
from portrayal.studies import Axis, Word, named_axes


class TallyStudy(Study):
    """Who is shown over all prompts together?

    Attributes:
        axes: What is asked about each image.
        lines: The prompts.
    """

    kind: Literal["tally"]
    axes: dict[Word, Axis]
    lines: tuple[Word, ...]

    @model_validator(mode="before")
    @classmethod
    def _default_axes(cls, data: Any) -> Any:
        return {**data, "axes": named_axes(data["axes"])}

    def prompts(self) -> tuple[Prompt, ...]:
        return tuple(Prompt(line, {"line": line}, self.images) for line in self.lines)

    def texts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for axis in self.axes.values() for text in axis.texts()))

    def asked_axes(self) -> Mapping[str, Axis]:
        return self.axes


class Tally(Kind[TallyStudy]):
    """Who is shown over all prompts together?"""

    name = "tally"
    study = TallyStudy

    def detectable(self, study: TallyStudy, settings: AnalysisSettings) -> str:
        return f"a tally over {len(study.lines)} prompts"

    def analyze(
        self, study: TallyStudy, data: Sequence[StudyData], settings: AnalysisSettings
    ) -> StudyResult:
        findings, rows = [], []
        for one in data:
            for name, axis in study.axes.items():
                findings.append(_finding(study, name, axis, one, settings))
                rows.append([one.label, name, findings[-1].estimate])
        parts = [
            Forest.of("tally", "Tally of groups", findings),
            DataTable("tallies", "All tallies", ["measurer", "axis", "share"], rows),
        ]
        return StudyResult(study.name, study.kind, study.title, findings, parts)


def _finding(
    study: TallyStudy, name: str, axis: Axis, data: StudyData, settings: AnalysisSettings
) -> Finding:
    view = axis_view(study, name, axis, data, settings, suffix="")
    if view is None:
        return unjudged(study, f"{name}: tally", "tally", name, data, unit="image")
    group, counts = view.groups[0], view.known.sum(axis=0)
    n, hits = int(counts.sum()), int(counts[0])
    asked = Asked.of(study, f"tally of {group}", "tally", unit="image", measurer=data.label)
    missing = int(view.counts.sum()) - n
    if not n:
        return asked.unanswered("no image has a known group", n=0, n_missing=missing)
    tested = binomtest(hits, n)
    bounds = tested.proportion_ci(settings.confidence, method="wilson")
    words = f"The tally: {hits} of {n} images show {group}."
    return asked.answered(
        hits / n, bounds, p=float(tested.pvalue), n=n, n_missing=missing, sentence=words
    )


KIND = Tally()
