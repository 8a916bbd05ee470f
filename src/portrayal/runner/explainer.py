"""Who explains: a model and an encoder, loaded once, and the audit that their work goes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from portrayal.audit import Audit
from portrayal.audit.wants import Wanted
from portrayal.findings.data import AuditData
from portrayal.findings.settings import AnalysisSettings
from portrayal.generators import Generator, default_model, generate, open_generator
from portrayal.kinds.influence.allocation import allocate
from portrayal.kinds.influence.analysis import prompt_scores
from portrayal.kinds.influence.answer import Explanation
from portrayal.kinds.influence.drawing import draw_texts
from portrayal.kinds.influence.question import Question
from portrayal.kinds.influence.schema import DrawnSubset, InfluenceStudy
from portrayal.kinds.influence.subsets import Subset
from portrayal.kinds.influence.suggestions import suggest
from portrayal.kinds.influence.word_scores import PromptScores
from portrayal.measurers import Encoder, default_encoder, measure, open_encoder, require_valid
from portrayal.report import write_report
from portrayal.runner.analysis import analyze

OnProgress = Callable[[str, int, int], None]
"""Called with what is done (images, measured), how much of it, and of how much."""

ROUNDS = 2
"""In how many rounds the rest of a budget goes where intervals are widest."""


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
        study = draw_texts(study, stored=self._stored(study))
        self._generator.check([prompt.text for prompt in study.prompts()])
        return study

    def replaces(self, study: InfluenceStudy) -> str | None:
        """Return the question about the same prompt whose answer this one takes the place of."""
        asked = (self._stored(study) or {}).get("question")
        return None if asked == study.question else asked

    def _stored(self, study: InfluenceStudy) -> dict[str, Any] | None:
        if not (self._out / "audit.json").exists():
            return None
        return Audit(self._out).studies().get(study.name)

    def missing(self, study: InfluenceStudy) -> int:
        """Count the images that a study still lacks."""
        wanted = Wanted.by(study.prompts())
        if not (self._out / "audit.json").exists():
            return len(wanted)
        return int(Audit(self._out).missing(wanted).num_rows)

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
            confidence=self._settings.confidence,
            suggestion=suggest(scores, column),
            report=write_report(audit),
        )

    def _look(self, audit: Audit, study: InfluenceStudy) -> int:
        audit.remember_study(study.name, study.as_dict())
        summary = generate(
            audit,
            self._generator,
            Wanted.by(study.prompts()),
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
    model: str = "",
    encoder: str = "",
    settings: Mapping[str, Any] | None = None,
    analysis: AnalysisSettings | None = None,
    on_progress: OnProgress | None = None,
) -> Explainer:
    """Load model and encoder for explanations that go to one audit.

    Args:
        out: The audit folder; made if absent.
        model: As in `open_generator`; "": the installed default.
        encoder: As in `open_encoder`; "": the installed default.
        settings: Of the model: steps, guidance, size, ...
        analysis: How to analyze.
        on_progress: Called as work goes on.
    """
    settings = dict(settings or {})
    generator = open_generator(model or default_model(), **settings)
    looking = open_encoder(encoder or default_encoder(), device=settings.get("device"))
    require_valid([looking.identity], generator.identity)
    return Explainer(
        out,
        generator,
        looking,
        settings=analysis,
        on_progress=on_progress,
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
