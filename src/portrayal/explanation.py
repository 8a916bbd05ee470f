"""Explain one prompt: which of its words causes who is shown?

An explanation is an influence study of one prompt in an audit of its own or in one that is there.
Its texts and images stay in the audit, so asking again, for more images or a higher level, makes
only what is new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from portrayal.analysis import AnalysisSettings
from portrayal.analysis.allocation import allocate
from portrayal.analysis.data import AuditData
from portrayal.analysis.influence import prompt_scores
from portrayal.analysis.results import analyze
from portrayal.analysis.suggestions import suggest
from portrayal.analysis.word_scores import PromptScores, pair_rows
from portrayal.audit import Audit
from portrayal.audit.listed import missing_requests
from portrayal.errors import StudyError, one_of
from portrayal.generation import Generator, open_generator
from portrayal.generation.listed import generate_requests
from portrayal.language import draw_texts
from portrayal.measurement import Encoder, measure, open_encoder
from portrayal.records import digest, plain
from portrayal.report import write_report
from portrayal.study import InfluenceStudy, default_axes, study_from_dict
from portrayal.study.influence import Cost, DrawnSubset, Transmutation, check_words
from portrayal.study.problems import did_you_mean
from portrayal.study.subsets import Subset

OnProgress = Callable[[str, int, int], None]
"""Called with what is done (texts, images, measured), how much of it, and of how much."""

PILOT = 0.5
"""Share of a budget that is dealt out evenly before anything is known."""

ROUNDS = 2
"""In how many rounds the rest of a budget goes where intervals are widest."""

LEAST_DRAWS = 2
"""Fewer texts say nothing about the texts that were not drawn."""

DEFAULT_DRAWS = 12
DEFAULT_IMAGES = 2


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about one prompt.

    Attributes:
        prompt: The prompt.
        group: The group whose share is explained.
        level: Largest number of words replaced together.
        draws: Texts for each set of replaced words.
        images: Images per text.
        budget: Images in all, dealt out where intervals are widest; None: draws x images for every
            set of words.
        subsets: At most so many sets of words, sampled; None: all.
        transmuter: Where other words come from.
        seed: Start of the random numbers for texts.
    """

    prompt: str
    group: str
    level: int = 1
    draws: int = DEFAULT_DRAWS
    images: int = DEFAULT_IMAGES
    budget: int | None = None
    subsets: int | None = None
    transmuter: Transmutation = field(default_factory=Transmutation)
    seed: int = 0

    def study(self) -> InfluenceStudy:
        """Return the question as an influence study.

        Raises:
            StudyError: The prompt, the group, the level or the budget cannot be.
        """
        try:
            check_words(self.prompt, self.level, self.subsets)
        except ValueError as error:
            raise StudyError(str(error)) from error
        axis = axis_of(self.group)
        name = digest([self.prompt, axis, self.transmuter.model_dump(mode="json"), self.seed])
        data = {
            "name": f"explain-{_slug(self.prompt)}-{name[:6]}",
            "kind": "influence",
            "title": f"Which word of “{self.prompt}” causes it?",
            "question": f"Which word of “{self.prompt}” pushes towards {self.group}?",
            "citation": CITATION,
            "axes": [axis],
            "group": self.group,
            "prompts": [{"text": self.prompt}],
            "level": self.level,
            "draws": self.draws,
            "images": self.images,
            "subsets": self.subsets,
            "transmuter": self.transmuter.model_dump(mode="json"),
            "seed": self.seed,
        }
        study = study_from_dict(data, source="explain")
        assert isinstance(study, InfluenceStudy)
        return study if self.budget is None else self._pilot(study)

    def _pilot(self, study: InfluenceStudy) -> InfluenceStudy:
        """Return the study with as many draws as the even part of the budget pays for."""
        assert self.budget is not None
        each = study.cost().subsets * self.images
        if self.budget < each * LEAST_DRAWS:
            raise StudyError(
                f"budget is {self.budget} images; allowed: {each * LEAST_DRAWS} or more "
                f"({study.cost().subsets} sets of words x {LEAST_DRAWS} texts x {self.images} "
                "images); raise it, or lower --images or --level"
            )
        return study.with_draws(max(LEAST_DRAWS, int(self.budget * PILOT) // each))


CITATION = (
    "Lin, Monteiro Paes, Tanneru, Srinivas, Lakkaraju 2023. Word-Level Explanations for Analyzing "
    "Bias in Text-to-Image Models. Workshop on Challenges in Deployable Generative AI, ICML 2023."
)


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
        suggestion: Which word to change, in plain words.
        report: The page.
    """

    study: InfluenceStudy
    group: str
    column: int
    scores: PromptScores
    cost: Cost
    made: int
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


class Explainer:
    """A model and an encoder, loaded once, and the audit that their work goes to.

    Args:
        out: The audit folder; made if absent.
        generator: Who makes images.
        encoder: Who looks at them.
        settings: How to analyze.
        on_progress: Called as work goes on.
    """

    def __init__(
        self,
        out: Path,
        generator: Generator,
        encoder: Encoder,
        *,
        settings: AnalysisSettings | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        self._out = out
        self._generator = generator
        self._encoder = encoder
        self._settings = settings or AnalysisSettings()
        self._show = on_progress or (lambda what, done, total: None)

    def prepare(self, question: Question) -> InfluenceStudy:
        """Draw the texts and check that the model can read them; nothing is made yet.

        Raises:
            PromptTooLong: A text is longer than the model's window.
            LanguageError: Words cannot be replaced.
        """
        study = question.study()
        self._generator.check([question.prompt])
        stored = None
        if (self._out / "audit.json").exists():
            stored = Audit(self._out).studies().get(study.name)
        study = draw_texts(study, stored=stored)
        self._generator.check([prompt.text for prompt in study.prompts()])
        return study

    def missing(self, study: InfluenceStudy) -> int:
        """Count the images that a study still lacks."""
        requests = study.requests()
        if not (self._out / "audit.json").exists():
            return len(requests)
        return int(missing_requests(Audit(self._out), requests).num_rows)

    def explain(self, question: Question, study: InfluenceStudy | None = None) -> Explanation:
        """Make what is missing, look at it, and score the words.

        Args:
            question: What is asked.
            study: What `prepare` gave; None: prepared first.
        """
        study = study or self.prepare(question)
        audit = Audit.at(self._out, self._generator.identity)
        made = self._look(audit, study)
        if question.budget is not None:
            for rest in range(ROUNDS, 0, -1):
                spent = study.cost().images
                draws = (question.budget - spent) // rest // study.images
                if draws < 1:
                    continue
                more = allocate(
                    self._scores(audit, study).counts, _column(study, question.group), study.level,
                    draws=draws, images=study.images,
                )  # fmt: skip
                study = draw_texts(_with_more(study, more))
                made += self._look(audit, study)
        scores = self._scores(audit, study)
        analyze(audit, settings=self._settings)
        column = _column(study, question.group)
        return Explanation(
            study=study,
            group=question.group,
            column=column,
            scores=scores,
            cost=study.cost(),
            made=made,
            suggestion=suggest(scores, column),
            report=write_report(audit),
        )

    def _look(self, audit: Audit, study: InfluenceStudy) -> int:
        audit.remember_study(study.name, study.as_dict())
        summary = generate_requests(
            audit,
            self._generator,
            study.requests(),
            on_progress=lambda done, total: self._show("images", done, total),
        )
        measure(
            audit,
            [self._encoder],
            prompts=[prompt.text for prompt in study.prompts()],
            texts=study.texts(),
            on_progress=lambda done, total: self._show("measured", done, total),
        )
        return summary.made

    def _scores(self, audit: Audit, study: InfluenceStudy) -> PromptScores:
        prompts = study.prompts()
        shared = AuditData(audit, [prompt.text for prompt in prompts], study.texts())
        data = shared.of_study(prompts, self._encoder.identity)
        (name, axis), *_ = study.axes.items()
        found = prompt_scores(study, name, axis, data, self._settings)
        assert found is not None  # the axis's texts were embedded just now
        return found[0]


def open_explainer(
    out: Path,
    *,
    model: str = "practice",
    encoder: str = "practice",
    settings: Mapping[str, Any] | None = None,
    analysis: AnalysisSettings | None = None,
    on_progress: OnProgress | None = None,
) -> Explainer:
    """Load model and encoder for explanations that go to one audit.

    Args:
        out: The audit folder; made if absent.
        model: As in `open_generator`.
        encoder: As in `open_encoder`.
        settings: Of the model: steps, guidance, size, ...
        analysis: How to analyze.
        on_progress: Called as work goes on.
    """
    return Explainer(
        out,
        open_generator(model, **dict(settings or {})),
        open_encoder(encoder),
        settings=analysis,
        on_progress=on_progress,
    )


def axis_of(group: str) -> str:
    """Return the default axis that has a group of this name.

    Raises:
        StudyError: None has.
    """
    axes = default_axes()
    for name, axis in axes.items():
        if group in axis.groups:
            return name
    known = [one for axis in axes.values() for one in axis.groups]
    raise StudyError(
        f"group is {group!r}{did_you_mean(group, known)}; allowed: {one_of(known)}, "
        "or a study file with axes of your own"
    )


def _with_more(study: InfluenceStudy, more: Mapping[Subset, int]) -> InfluenceStudy:
    """Return the study with more draws wanted of some sets of words."""
    assert study.drawn is not None
    (plan,) = study.plan()
    wanted = {one.words: one.draws + more.get(one.words, 0) for one in plan.sets}
    prompts = []
    for known in study.drawn.prompts:
        subsets = {one.words: one for one in known.subsets}
        for words, draws in wanted.items():
            record = subsets.get(words, DrawnSubset(words=words))
            subsets[words] = record.model_copy(update={"draws": draws})
        prompts.append(known.model_copy(update={"subsets": tuple(subsets.values())}))
    drawn = study.drawn.model_copy(update={"prompts": tuple(prompts)})
    return study.model_copy(update={"drawn": drawn})


def _column(study: InfluenceStudy, group: str) -> int:
    (axis,) = study.axes.values()
    return list(axis.groups).index(group)


def _named(answers: tuple[str, ...], shares: Any) -> dict[str, Any]:
    return {answer: plain(float(share)) for answer, share in zip(answers, shares, strict=True)}


def _score(score: Any) -> dict[str, float]:
    return {"value": score.value, "low": score.low, "high": score.high, "p": score.p}


def _slug(prompt: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", prompt.lower()).strip("-")[:40].strip("-") or "prompt"
