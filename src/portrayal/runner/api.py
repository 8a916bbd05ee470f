"""What people call from Python: `portrayal.run`, `explain`, `compare`, `load_results`.

Each takes names, paths and objects, opens a session and calls the verbs, as the command line does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.comparison import ModelComparison, compare_audits
from portrayal.errors import require_count
from portrayal.findings import AnalysisSettings, Results
from portrayal.generators import Generator
from portrayal.kinds.influence import VERIFIED, Explanation, PromptQuestion, replaced_by
from portrayal.measurers import Measurer
from portrayal.runner import verbs
from portrayal.runner.audits import Audit
from portrayal.runner.folders import brought
from portrayal.runner.session import Place, Session, checked_analysis, place
from portrayal.runner.settings import SortedSettings
from portrayal.runner.studies import Asked, with_real_world

Measurers = str | Measurer | Sequence[str | Measurer]

_NAMED = ("out", "model", "images", "measurers", "corpus", "analysis", "group")
_QUESTION = ("level", "texts", "budget", "subsets", "axis", "like", "target", "verify")
_WORDS = ("like", "words", "wordnet", "choice", "avoid", "count_named")


def run(
    study: Asked,
    *,
    out: Place,
    model: str | Generator | None = None,
    images: int | None = None,
    measurers: Measurers = (),
    corpus: Place | None = None,
    analysis: AnalysisSettings | None = None,
    **settings: Any,
) -> Audit:
    """Run the whole pipeline: generate, measure, analyze, report.

    What the audit has already is kept, so running again, asking for more images and adding a study
    are the same call.

    Args:
        study: The name of a study or suite, a file, a `Study`, or a list of these; or a folder of
            images, which are imported and asked who is shown.
        out: The audit's folder, or a place in an object store; created if absent.
        model: A model's name, or an object with the methods of `Generator`; None: that of the
            audit, and of a new audit the installed default.
        images: Images per prompt, instead of the study's own.
        measurers: Names, or objects with the methods of `Measurer`, one or several; none: the
            installed default.
        corpus: The model's training data, for studies that compare with it.
        analysis: How to analyze.
        settings: Of the model, such as `steps`, `guidance`, `device`; of the engine, such as
            `devices`; `until` ("decided" or "width=0.1": generate in rounds and stop early, with
            all looks counted) and `max_images` (most images in all, with `until`); of a judge,
            `max_calls`, `max_call_cost` with `call_price`, `call_timeout`; and `truncate`,
            `retry_failed`, `people`, `real_world`, `on_progress`.

    Returns:
        The audit, with its findings.

    Raises:
        PortrayalError: An argument cannot be, or the run cannot go on; one line says why.

    Example:
        audit = portrayal.run("occupations", model="runwayml/model", out="audits/mine", steps=30)
        audit.findings.to_frame()
    """
    # The most that is planned for bounds what is paid for.
    most = settings.pop("max_images", None) if settings.get("until") is not None else None
    given = SortedSettings.of(settings, named=_NAMED)
    asked = brought(study, out)
    session = Session(
        out,
        models=given.models(model, measurers),
        corpus=corpus,
        analysis=analysis,
        on_progress=given.run.on_progress,
    )
    session.ask(asked, images=images)
    if given.run.real_world is not None:
        session.studies = with_real_world(session.studies, given.run.real_world)
    verbs.run(
        session,
        retry_failed=given.run.retry_failed,
        until=given.run.until,
        max_images=most,
    )
    return Audit(session.opened())


def explain(
    prompt: str,
    *,
    group: str | None = None,
    out: Place = "audits/explain",
    model: str | Generator | None = None,
    images: int = 2,
    measurers: Measurers = (),
    analysis: AnalysisSettings | None = None,
    **settings: Any,
) -> Explanation:
    """Say which word of a prompt causes who is shown, and which one to change.

    Args:
        prompt: The prompt.
        group: The group whose share is explained (default: woman, or the first of `axis`).
        out: The audit's folder; created if absent.
        model: As for `run`.
        images: Images per text.
        measurers: As for `run`.
        analysis: How to analyze.
        settings: As for `run`; and `level`, the most words replaced together (default: 1);
            `texts` for each set of replaced words (default: 12); `budget`, images in all;
            `subsets`, at most so many sets of words; `words`, a masked language model; `wordnet`
            instead of one; `choice` of texts, "sample" or "top"; `avoid`, words never to be put in;
            `count_named`, count texts that name a group; `axis`, the group's axis; `like`, a study
            whose axes and replacements are taken ("influence-doctor": the paper's); `target`, the
            share to come near; `verify`, new images of each rewritten prompt (default: 24).

    Raises:
        PortrayalError: An argument cannot be, or the run cannot go on; one line says why.
    """
    given = SortedSettings.of(settings, others=(*_QUESTION, *_WORDS), named=_NAMED)
    asked = {name: value for name, value in given.others.items() if name in _QUESTION}
    if "texts" in asked:
        require_count("texts", asked["texts"])
        asked["draws"] = asked.pop("texts")
    words = {name: value for name, value in given.others.items() if name in _WORDS}
    asked.setdefault("verify", VERIFIED)
    question = PromptQuestion(
        prompt, group, images=images, transmuter=replaced_by(**words), **asked
    )
    study = question.study()
    session = Session(
        out,
        models=given.models(model, measurers),
        analysis=analysis,
        on_progress=given.run.on_progress,
    )
    session.ask(study)
    return verbs.explain(session, retry_failed=given.run.retry_failed)


def compare(
    *audits: Place | Audit,
    margin: float = 0.05,
    names: Sequence[str] | None = None,
    analysis: AnalysisSettings | None = None,
) -> ModelComparison:
    """Compare the models of two or more audits that were asked the same studies.

    Every share, refusal rate and estimate is compared: paired by prompt and seed where both audits
    have them, with q over all questions, and with a test of equivalence beside that of a
    difference.

    Args:
        audits: The audits or their folders, the baseline first.
        margin: The difference of shares that would matter (default: 0.05, five points).
        names: What the models are called; None: names that tell them apart.
        analysis: Unit, confidence, resamples, seed, and how labels are read.

    Raises:
        AuditError: They cannot be compared; says why and what to run.
        SettingError: A setting cannot be.

    Example:
        compared = portrayal.compare("audits/base", "audits/tuned")
        compared.to_frame()
    """
    folders = [
        AuditFolder(one.path if isinstance(one, Audit) else place("audits", one)) for one in audits
    ]
    how = checked_analysis(analysis)
    return compare_audits(folders, settings=how, margin=margin, names=names)


def load_results(path: Place | Audit) -> Results:
    """Read the results of an audit.

    Args:
        path: An audit, its folder, or its results.json.

    Raises:
        AuditError: Nothing has been analyzed yet, or the file has to be made again.
        SettingError: The path is none.
    """
    if isinstance(path, Audit):
        return path.results
    return Results.read(str(place("path", path, what="the path of an audit or of results.json")))
