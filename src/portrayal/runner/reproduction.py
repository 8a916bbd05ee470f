"""reproduce: a paper's studies with its settings, ending in its tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder, object_path, read_selection
from portrayal.errors import SettingError
from portrayal.generators import taken_settings, write_training_data
from portrayal.papers import Paper
from portrayal.raters import chosen_questions
from portrayal.report import write_reproduction
from portrayal.runner.engines import EngineSettings
from portrayal.runner.models import Models
from portrayal.runner.session import Session
from portrayal.runner.verbs import RunSummary, run
from portrayal.studies import Study


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What reproducing a paper came to.

    Attributes:
        run: What was generated, measured and found.
        page: The paper's tables and figures.
    """

    run: RunSummary
    page: Path


def reproduction_models(
    paper: Paper,
    model: str | None,
    settings: Mapping[str, Any],
    measurers: Sequence[str],
    *,
    engine: EngineSettings | None = None,
) -> Models:
    """Return the paper's settings and measurers for a model that is named.

    Without a model, those of the audit or of the installed default are left as they are. A setting
    of the paper's model that this one does not have (a service has no steps) is left out.

    Args:
        paper: The paper.
        model: Where the weights are.
        settings: What is given takes the place of the paper's.
        measurers: Instead of the paper's.
        engine: Where images are generated.
    """
    if model is None:
        return Models(None, settings, measurers, engine=engine or EngineSettings())
    takes = taken_settings(model)
    own = {name: value for name, value in paper.settings.items() if name in takes}
    return Models(
        model,
        {**own, **settings},
        measurers or paper.measurers,
        engine=engine or EngineSettings(),
    )


def reproduce(
    session: Session, paper: Paper, *, small: bool = False, retry_failed: bool = False
) -> Reproduction:
    """Run a paper's studies, and write its tables and figures beside the report.

    Args:
        session: The session; what it asks is replaced by the paper's studies.
        paper: The paper.
        small: The short form, a few minutes on two cores with an installed model.
        retry_failed: Generate again what failed in an earlier run.

    Raises:
        SettingError: No model is named for the whole paper.
    """
    if not small and session.models.generator is None and session.audit is None:
        raise SettingError(
            "model",
            f"is missing; the paper has {paper.models}: say where the weights are, or give `small` "
            "for a short form on the installed model",
        )
    session.ask(paper.asked(small=small))
    if small and session.corpus is None:
        session.corpus = _training_data(session, paper.small.captions)
    done = run(session, retry_failed=retry_failed)
    return Reproduction(done, write_page(session.opened(), paper, session.studies))


def _training_data(session: Session, captions: int) -> Path | None:
    """Write training captions and images of the model beside the audit.

    None where the model has none, or where the audit chose its captions before and they are gone:
    then it has all that it needs.
    """
    if not captions or object_path(session.path) is not None:
        return None
    folder = session.path.with_name(f"{session.path.name}-corpus")
    audit = session.audit
    chosen = audit is not None and any(read_selection(audit, x.name) for x in session.studies)
    if chosen and not folder.exists():
        return None
    model = session.models.settled(audit).generator
    session.on_progress("training data", 0, captions)
    written = isinstance(model, str) and write_training_data(model, folder, captions)
    session.on_progress("training data", captions, captions)
    return folder if written else None


def write_page(audit: AuditFolder, paper: Paper, studies: Sequence[Study]) -> Path:
    """Write a paper's tables and figures from results.json.

    Args:
        audit: The audit.
        paper: The paper.
        studies: Its studies, as they were asked.
    """
    asked = {shown.questions for shown in paper.shows if shown.questions}
    questions = {
        study.name: [
            (" / ".join(one.texts.values()) or one.text, " · ".join(x.text for x in one.answers))
            for one in chosen_questions(study, None).choices
        ]
        for study in studies
        if study.name in asked
    }
    return write_reproduction(audit, paper, questions)
