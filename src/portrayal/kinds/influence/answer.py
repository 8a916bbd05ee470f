"""The answer about one prompt, for the terminal and for machines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.kinds.influence.schema import Cost, InfluenceStudy
from portrayal.kinds.influence.word_scores import PromptScores, Score, pair_rows
from portrayal.records import plain


@dataclass(frozen=True, slots=True)
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
        suggestion: Which word to change, in plain words.
        report: The page.
    """

    study: InfluenceStudy
    group: str
    column: int
    scores: PromptScores
    cost: Cost
    made: int
    confidence: float
    suggestion: str
    report: Path

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy: for every word all groups, with intervals."""
        counts = self.scores.counts
        return {
            "prompt": counts.plan.source.text,
            "group": self.group,
            "study": self.study.name,
            "level": self.study.level,
            "confidence": self.confidence,
            "cost": {**self.cost._asdict(), "made": self.made},
            "shares": _named(counts.answers, counts.sets[()].shares),
            "words": [self._word(position) for position in range(len(counts.plan.words))],
            "pairs": self._pairs(),
            "images": counts.images,
            "missing": counts.missing,
            "suggestion": self.suggestion,
            "report": str(self.report),
        }

    def _word(self, position: int) -> dict[str, Any]:
        counts = self.scores.counts
        replaced = counts.sets.get((position,))
        return {
            "word": counts.plan.words[position],
            "position": position + 1,
            "replaceable": position in counts.plan.replaceable,
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


def _named(answers: tuple[str, ...], shares: Any) -> dict[str, Any]:
    return {answer: plain(float(share)) for answer, share in zip(answers, shares, strict=True)}


def _score(score: Score) -> dict[str, float]:
    return {"value": score.value, "low": score.low, "high": score.high, "p": score.p}
