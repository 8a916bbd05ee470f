"""One association study as one encoder sees it, and the two poles of its questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from portrayal.findings import AnalysisSettings, Asked, Finding, StudyData
from portrayal.kinds.association.schema import AssociationStudy


@dataclass(frozen=True, slots=True)
class Poles:
    """What a leaning is measured between: two attributes, or one and all others."""

    first: str
    second: str
    first_attributes: tuple[str, ...]
    second_attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """A study, what one encoder saw of it, and how to analyze it."""

    study: AssociationStudy
    data: StudyData
    settings: AnalysisSettings
    suffix: str
    """Names the encoder where several are shown side by side."""

    def poles(self) -> list[Poles]:
        """Return the two attributes; of more than two, each against all others."""
        names = tuple(self.study.attributes)
        if len(names) == 2:
            return [Poles(names[0], names[1], names[:1], names[1:])]
        return [
            Poles(name, "the other attributes", (name,), tuple(n for n in names if n != name))
            for name in names
        ]

    def question(self, subject: str, poles: Poles) -> str:
        """Write a question as it heads a row: `flowers: pleasant rather than unpleasant`."""
        return f"{subject}: {poles.first} rather than {poles.second}{self.suffix}"

    def asked(
        self,
        question: str,
        statistic: str,
        *,
        unit: str = "",
        details: dict[str, Any] | None = None,
    ) -> Asked:
        """Return what a finding of this measurer answers; its unit is that of the settings."""
        return Asked.of(
            self.study, question, statistic,
            unit=unit or self.settings.unit, measurer=self.data.label, details=details,
        )  # fmt: skip

    def unanswered(
        self, question: str, statistic: str, reason: str, *, n: int, n_missing: int
    ) -> Finding:
        """Return a finding without an estimate, which says why."""
        return self.asked(question, statistic).unanswered(
            reason, n=n, n_missing=n_missing, dropped=self.data.dropped, wanted=self.data.wanted
        )
