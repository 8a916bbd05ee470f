"""What a comparison says: every difference, as records, a table, JSON, and in words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from portrayal.comparison.differences import MISSING, UTILITY, DifferenceVerdict, ModelDifference
from portrayal.comparison.models import ComparedModel
from portrayal.findings import AnalysisSettings, counted, listed

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
"""Version of a comparison's JSON."""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question over all models.

    Attributes:
        question: The question about the first pair that has an answer.
        numbers: The number of each model by its name; None where there is none.
        together: Pairs of models that cannot be told apart.
    """

    question: ModelDifference
    numbers: dict[str, float | None]
    together: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """The models of several audits side by side.

    Attributes:
        portrayal: Version of portrayal that computed it.
        models: The models, the baseline first.
        settings: How they were compared.
        margin: The difference of shares that would matter.
        differences: Every question about every pair of models.
        notes: What was not compared, why, and what to run.
        measurers: Who measured the images of all.
    """

    portrayal: str
    models: tuple[ComparedModel, ...]
    settings: AnalysisSettings
    margin: float
    differences: tuple[ModelDifference, ...]
    notes: tuple[str, ...] = ()
    measurers: tuple[str, ...] = ()

    @property
    def level(self) -> float:
        """Level of the tests that belongs to the intervals' confidence: .05 to 95%."""
        return round(1 - self.settings.confidence, 10)

    def between(self, first: str, second: str) -> list[ModelDifference]:
        """Return the differences of two models."""
        return [one for one in self.differences if (one.first, one.second) == (first, second)]

    def of_verdict(self, *verdicts: DifferenceVerdict) -> list[ModelDifference]:
        """Return the differences that come to one of these, the largest first."""
        found = [one for one in self.differences if one.verdict(self.level) in verdicts]
        return sorted(found, key=lambda one: (-abs(one.value or 0.0) * one.is_share, one.q or 0.0))

    def side_effects(self) -> list[ModelDifference]:
        """Return what became worse beyond chance: refusals, unknown images, utility, evenness."""
        return [one for one in self.differences if one.is_worse(self.level)]

    def utility(self) -> list[ModelDifference]:
        """Return the questions about whether images are still of use."""
        return [one for one in self.differences if one.measure in UTILITY]

    def missing(self) -> list[ModelDifference]:
        """Return the questions about requests and images without an answer."""
        return [one for one in self.differences if one.measure in MISSING]

    def table(self) -> list[QuestionRow]:
        """Return one row per question, with the number of every model."""
        rows: dict[tuple[str, str], list[ModelDifference]] = {}
        for one in self.differences:
            rows.setdefault((one.study, one.question), []).append(one)
        return [self._row(own) for own in rows.values()]

    def _row(self, own: Sequence[ModelDifference]) -> QuestionRow:
        numbers: dict[str, float | None] = {model.name: None for model in self.models}
        for one in own:
            for name, number in ((one.first, one.before), (one.second, one.after)):
                numbers[name] = number if numbers[name] is None else numbers[name]
        apart = ("differ", "differ slightly")
        together = tuple(
            (one.first, one.second) for one in own if one.verdict(self.level) not in apart
        )
        answered = next((one for one in own if one.value is not None), own[0])
        return QuestionRow(answered, numbers, together)

    def told_apart(self, first: str, second: str) -> bool:
        """Tell whether any question tells two models apart."""
        apart = ("differ", "differ slightly")
        return any(one.verdict(self.level) in apart for one in self.between(first, second))

    def conclusions(self) -> Iterator[str]:
        """Yield what the comparison comes to, a sentence for each pair of models."""
        for first, second in itertools.combinations([one.name for one in self.models], 2):
            own = self.between(first, second)
            apart = [one for one in own if one.verdict(self.level) in ("differ", "differ slightly")]
            tested = [one for one in own if one.q is not None]
            if apart:
                yield (
                    f"{first} and {second} differ in {len(apart)} of "
                    f"{counted(len(tested), 'question')}."
                )
                continue
            equal = sum(one.verdict(self.level) == "equivalent" for one in own)
            shares = sum(one.q_equivalent is not None for one in own)
            shown = (
                f" Of {counted(shares, 'share')}, {equal} {'is' if equal == 1 else 'are'} shown to "
                f"differ by less than {100 * self.margin:g} points."
                if shares
                else ""
            )
            yield f"{first} and {second} cannot be told apart by these images.{shown}"

    def together(self) -> str:
        """Say which of three and more models cannot be told apart; "" where all can."""
        pairs = itertools.combinations([one.name for one in self.models], 2)
        same = [f"{a} from {b}" for a, b in pairs if not self.told_apart(a, b)]
        if len(self.models) < 3 or not same:
            return ""
        return f"These images do not tell {listed(same)} apart."

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "format": FORMAT,
            "portrayal": self.portrayal,
            "models": [asdict(one) for one in self.models],
            "measurers": list(self.measurers),
            "settings": self.settings.as_dict(),
            "margin": self.margin,
            "differences": [
                {**asdict(one), "verdict": one.verdict(self.level)} for one in self.differences
            ],
            "notes": list(self.notes),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame, one row per question and pair of models."""
        import pandas as pd

        return pd.DataFrame(self.as_dict()["differences"])

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.models)
        return f"ModelComparison of {names}: {counted(len(self.differences), 'difference')}"

    def _repr_html_(self) -> str:
        html: str = self.to_frame()[
            ["question", "first", "before", "second", "after", "value", "low", "high", "q",
             "verdict"]
        ].to_html(index=False, max_rows=20)  # fmt: skip
        return html
