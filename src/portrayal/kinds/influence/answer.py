"""The answer about one prompt, for the terminal and for machines."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from portrayal.errors import AuditError, StudyError
from portrayal.findings import AnalysisSettings, StudyData
from portrayal.kinds.influence.analysis import prompt_scores, verified
from portrayal.kinds.influence.rounds import spoken_of
from portrayal.kinds.influence.schema import Cost, InfluenceStudy
from portrayal.kinds.influence.suggestions import Rewrite, suggest
from portrayal.kinds.influence.verdicts import SAYS, Verdict, verdicts
from portrayal.kinds.influence.word_scores import PromptScores, WordScore, pair_rows
from portrayal.records import plain
from portrayal.studies import Study

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The answer: every word's influence, and which word to change.

    Attributes:
        study: The study with all its texts.
        group: The group that scores speak of.
        column: Its column among the answers.
        scores: Scores of all words on all answers.
        cost: What was asked for.
        made: Images made by this call.
        confidence: Level of the intervals.
        verdicts: What can be said of each word, by position.
        rewrites: Rewritten prompts, and what new images of them show.
        suggestion: Which word to change, in plain words.
        report: The page.
        measurer: Whose labels these are.
    """

    study: InfluenceStudy
    group: str
    column: int
    scores: PromptScores
    cost: Cost
    made: int
    confidence: float
    verdicts: Mapping[int, Verdict]
    rewrites: tuple[Rewrite, ...]
    suggestion: str
    report: Path
    measurer: str

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy: for every word all groups, with intervals."""
        counts = self.scores.counts
        return {
            "prompt": self.prompt,
            "group": self.group,
            "study": self.study.name,
            "level": self.study.level,
            "confidence": self.confidence,
            "looks": max(1, len(self.scores.looks)),
            "measurer": self.measurer,
            "cost": {**self.cost._asdict(), "made": self.made},
            "shares": _named(counts.answers, counts.sets[()].shares),
            "words": [self._word(position) for position in range(len(counts.plan.words))],
            "pairs": self._pairs(),
            "images": counts.images,
            "missing": counts.missing,
            "rewrites": [asdict(one) for one in self.rewrites],
            "suggestion": self.suggestion,
            "report": str(self.report),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame, one row per word: its influence, and the share without it.

        `influence` is that of the highest level that was asked for; it is missing for a word that
        no other word can replace.
        """
        import pandas as pd

        main, counts = self.scores.main, self.scores.counts
        rows = []
        for position, word in enumerate(counts.plan.words):
            one = None if main is None else main.of(position, self.column)
            without = counts.sets.get((position,))
            rows.append(
                {
                    "word": word,
                    "influence": None if one is None else one.value,
                    "low": None if one is None else one.low,
                    "high": None if one is None else one.high,
                    "p": None if one is None else one.p,
                    "share if replaced": without and float(without.shares[self.column]),
                    "verdict": SAYS[self.verdicts[position].kind],
                }
            )
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        return f"Explanation of {self.prompt!r} for {self.group!r}: {self.suggestion}"

    def _repr_html_(self) -> str:
        table = self.to_frame().to_html(index=False, float_format="{:.2f}".format, na_rep="–")
        address = html.escape(quote(str(self.report)))
        return (
            f"<p><strong>{html.escape(self.suggestion)}</strong></p>{table}"
            f'<p><a href="{address}" target="_blank">Open the report</a></p>'
        )

    @property
    def prompt(self) -> str:
        """The prompt that was asked about."""
        return self.scores.counts.plan.source.text

    def apart(self, position: int) -> list[str]:
        """Return the texts with a word replaced that name a group, and were set apart."""
        sets = self.scores.counts.plan.sets
        found = next((one for one in sets if one.words == (position,)), None)
        return list(dict.fromkeys(drawn.text for drawn in (found.apart if found else ())))

    @property
    def culprits(self) -> list[tuple[str, float]]:
        """The words that are named as causes, each with its influence towards the group."""
        main, words = self.scores.main, self.scores.counts.plan.words
        return [
            (words[at], main.of(at, self.column).value)
            for at, one in self.verdicts.items()
            if one.is_named and main is not None
        ]

    def _word(self, position: int) -> dict[str, Any]:
        counts = self.scores.counts
        replaced = counts.sets.get((position,))
        return {
            "word": counts.plan.words[position],
            "position": position + 1,
            "replaceable": position in counts.plan.replaceable,
            "verdict": SAYS[self.verdicts[position].kind],
            "q": plain(self.verdicts[position].q),
            "set apart": self.apart(position),
            "shares replaced": _named(counts.answers, replaced.shares) if replaced else None,
            "influence": [
                {
                    "score": level.name,
                    "exact": level.exact,
                    "bound": plain(level.margin),
                    "groups": {
                        answer: plain(_score(level.of(position, column)))
                        for column, answer in enumerate(counts.answers)
                    },
                }
                for level in self.scores.levels
            ],
        }

    def _pairs(self) -> list[dict[str, Any]]:
        pairs, words = self.scores.pairs, self.scores.counts.plan.words
        if pairs is None:
            return []
        return [
            {
                "words": [words[first], words[second]],
                "positions": [first + 1, second + 1],
                "interaction": plain(float(pairs.value[row, column])),
                "low": plain(float(pairs.interval.low[row, column])),
                "high": plain(float(pairs.interval.high[row, column])),
                "only together": bool(pairs.only_together[row, column]),
            }
            for row, first, second, column in pair_rows(self.scores)
            if column == self.column
        ]


def explanation(
    study: Study, data: StudyData, settings: AnalysisSettings, *, made: int, report: Path
) -> Explanation:
    """Answer the question about one prompt.

    Args:
        study: The study of a `PromptQuestion`, with its texts.
        data: Its images, as one measurer has them.
        settings: How to analyze.
        made: Images that were generated for it just now.
        report: The page.

    Raises:
        StudyError: It is no such study.
        AuditError: The measurer has not read the texts of its axis.
    """
    if not isinstance(study, InfluenceStudy) or len(study.sources()) != 1:
        raise StudyError(f"{study.name}: not a question about the words of one prompt")
    name, column = spoken_of(study)
    found = prompt_scores(study, name, study.axes[name], data, settings)
    if found is None:
        raise AuditError(f"{data.label}: has no answer on the axis {name!r}; take an encoder")
    scores, level = found[0], 1 - settings.confidence
    rewrites = verified(study, name, study.axes[name], data, column)
    return Explanation(
        study=study,
        group=list(study.axes[name].groups)[column],
        column=column,
        scores=scores,
        cost=study.cost(),
        made=made,
        confidence=settings.confidence,
        verdicts=verdicts(scores, column, level=level),
        rewrites=rewrites,
        suggestion=suggest(
            scores, column, target=study.target, verified=rewrites, confidence=settings.confidence
        ),
        report=report,
        measurer=data.label,
    )


def _named(answers: tuple[str, ...], shares: Any) -> dict[str, Any]:
    return {answer: plain(float(share)) for answer, share in zip(answers, shares, strict=True)}


def _score(score: WordScore) -> dict[str, float]:
    return {"value": score.value, "low": score.low, "high": score.high, "p": score.p}
