"""The five verbs over one audit folder, for the CLI and for Python.

    plan -> generate -> measure -> analyze -> report

Each verb computes what is wanted minus what is present and appends, so calling one again, asking
for more images and adding a study are the same act.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from portrayal import training_examples
from portrayal.analysis import AnalysisSettings, Results
from portrayal.analysis import analyze as analyze_audit
from portrayal.analysis.amplification_plan import with_captions
from portrayal.analysis.influence_plan import plan_influence
from portrayal.analysis.plan import DEFAULT_RATE, StudyPlan, plan_study, plan_together
from portrayal.audit import Audit, compact, outcomes
from portrayal.audit.wants import Wanted
from portrayal.engine import Engine, EngineSettings, Here, open_engine
from portrayal.engine.protocol import MeasurersOpener, Opener
from portrayal.errors import AuditError, GenerationError, NotAnAudit, StudyError
from portrayal.generation import GenerationSummary, Generator
from portrayal.generation.adapters import absolute
from portrayal.generation.api import SERVICES
from portrayal.generation.kinds import PRACTICE, open_on, portable_name
from portrayal.generation.listed import ListedAudit
from portrayal.generation.painter import NAME as PAINTER
from portrayal.language.drawing import carried_over, draw_texts
from portrayal.measurement import Encoder, MeasurementSummary, open_encoder
from portrayal.measurement import measure as measure_images
from portrayal.measurement.kinds import open_encoders_on
from portrayal.measurement.people import PeopleEncoder
from portrayal.measurement.person_detectors import open_person_detector
from portrayal.measurement.watching import Watching
from portrayal.models.devices import choose_device
from portrayal.report import write_figures, write_report
from portrayal.study import (
    AmplificationStudy,
    InfluenceStudy,
    InterventionStudy,
    Study,
    builtin_names,
    load_studies,
    real_world,
    study_from_dict,
)
from portrayal.study.ablation import ablated
from portrayal.training_examples.measuring import measure_sides

OnProgress = Callable[[str, int, int], None]
DEFAULT_MODEL = "practice"
DEFAULT_ENCODERS = ("practice",)


@dataclass(frozen=True, slots=True)
class Work:
    """What a verb is asked to do: which studies, with which model, in which folder."""

    out: Path
    studies: tuple[Study, ...]
    model: str = DEFAULT_MODEL
    settings: Mapping[str, Any] = field(default_factory=dict)
    encoders: tuple[str, ...] = DEFAULT_ENCODERS
    truncate: bool = False
    corpus: Path | None = None
    """The model's training data, for studies that compare with it."""
    people: str | None = None
    """A person detector, to look at people one by one."""
    engine: EngineSettings = field(default_factory=EngineSettings)
    """Where the images are made."""

    def prompts(self) -> list[str]:
        """Return every prompt text, once."""
        return list(dict.fromkeys(prompt.text for s in self.studies for prompt in s.prompts()))

    def opener(self) -> Opener:
        """Return what loads the model, here or elsewhere.

        Raises:
            GenerationError: A device and several devices, or an engine for a service.
        """
        settings = dict(self.settings)
        device = settings.pop("device", None)
        if not self.engine.is_here:
            if device is not None:
                raise GenerationError("--device is for one process; leave it out beside an engine")
            if self.model.startswith(SERVICES):
                raise GenerationError(
                    f"{self.model} is called from here; leave --engine and --devices out, "
                    "--concurrency is the number of calls at a time"
                )
            settings |= {"lora": [absolute(one) for one in settings.get("lora", ())] or None}
        model = self.model if self.engine.is_here else portable_name(self.model)
        return partial(open_on, model=model, truncate=self.truncate, **settings)

    def look(self) -> MeasurersOpener:
        """Return what loads the encoders in the processes of an engine."""
        names = tuple(portable_name(name) for name in self.encoders)
        return partial(open_encoders_on, names=names, truncate=self.truncate)

    def generator(self) -> Generator:
        """Load the model in this process."""
        return self.opener()(self.settings.get("device"))

    def is_on_gpu(self) -> bool:
        """Tell whether models run on a GPU, where looking and painting need not take turns."""
        return choose_device(self.settings.get("device"), error=GenerationError).startswith("cuda")

    def people_encoders(self, encoders: Sequence[Encoder]) -> list[PeopleEncoder]:
        """Load the person detector, if one is wanted; every encoder looks at what it finds."""
        if self.people is None:
            return []
        detector = open_person_detector(self.people, device=self.settings.get("device"))
        return [PeopleEncoder(detector, encoder) for encoder in encoders]

    def open_encoders(self) -> list[Encoder]:
        """Load the encoders, on the device that the model was sent to."""
        device = self.settings.get("device")
        return [open_encoder(name, truncate=self.truncate, device=device) for name in self.encoders]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an audit of imported images holds of the prompts that are wanted; nothing is made.

    Attributes:
        prompts: How many different prompts are wanted.
        absent: Those that no image is of.
    """

    prompts: int
    absent: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {"imported": True, "prompts": self.prompts, "absent": list(self.absent)}

    def sentence(self) -> str:
        """Say it in one line."""
        if not self.absent:
            return f"imported images: all {self.prompts} prompts are there"
        more = f" and {len(self.absent) - 1} more" if len(self.absent) > 1 else ""
        return (
            f"imported images: {len(self.absent)} of {self.prompts} prompts have none: "
            f"{self.absent[0]!r}{more}"
        )


@dataclass(frozen=True, slots=True)
class Done:
    """What all verbs together came to."""

    made: GenerationSummary | Imported
    measured: Sequence[MeasurementSummary]
    results: Results
    page: Path


def studies_for(
    question: str | Path | None, out: Path | None, images: int | None
) -> tuple[Study, ...]:
    """Return the studies named, or those that the audit remembers where none is named.

    A name that is not built in may also be that of a study which the audit remembers.
    """
    if question is not None and (own := _remembered(str(question), out)) is not None:
        studies: tuple[Study, ...] = (own,)
    elif question is not None:
        studies = load_studies(question)
    elif out is not None and (remembered := Audit(out).studies()):
        studies = tuple(study_from_dict(data, source=name) for name, data in remembered.items())
    else:
        raise AuditError(f"{out or 'new audit'}: no study was asked of it yet; name one")
    return studies if images is None else tuple(study.with_images(images) for study in studies)


def _remembered(name: str, out: Path | None) -> Study | None:
    if out is None or name in builtin_names() or name.endswith(".toml"):
        return None
    with contextlib.suppress(AuditError):
        found = Audit(out).studies().get(name)
        return None if found is None else study_from_dict(found, source=name)
    return None


def ablated_study(
    question: str | Path, phrase: str, *, replacement: str | None = None, images: int | None = None
) -> Study:
    """Return the study that asks what a phrase of an intervention does.

    Args:
        question: A built-in intervention study, or a file.
        phrase: Words of one or more of its interventions.
        replacement: What stands in their place; None: nothing.
        images: Images per prompt, instead of the study's.

    Raises:
        StudyError: It is no intervention study, or no intervention has the phrase.
    """
    study, *others = load_studies(question)
    if others:
        raise StudyError(
            f"{question} is a suite; name one of its studies: {names((study, *others))}"
        )
    if not isinstance(study, InterventionStudy):
        raise StudyError(
            f"{study.name} is of kind {study.kind}; a phrase can be taken out of an intervention "
            "study only, such as entigen"
        )
    found = ablated(study, phrase, replacement)
    return found if images is None else found.with_images(images)


def studies_again(question: str | Path | None, out: Path) -> tuple[Study, ...]:
    """Return the studies to look at again: as they are now, with the images asked for before."""
    remembered = Audit(out).studies()
    images = {name: data.get("images") for name, data in remembered.items()}
    return tuple(
        study.with_images(n) if isinstance(n := images.get(study.name), int) else study
        for study in studies_for(question, out, None)
    )


def reworded(studies: Sequence[Study], out: Path) -> list[str]:
    """Return the names under which an audit remembers another study than these.

    How many images are wanted, and the texts that were drawn for a study, may differ.
    """
    if not (out / "audit.json").exists():
        return []
    stored = Audit(out).studies()
    found = []
    for study in studies:
        before, now = stored.get(study.name), study.as_dict()
        if before is None:
            continue
        keys = {*before, *now} - {"images", "attribute_images", "drawn", "real_world"}
        if any(before.get(key) != now.get(key) for key in keys):
            found.append(study.name)
    return found


def with_texts(studies: Sequence[Study], out: Path) -> tuple[Study, ...]:
    """Return the studies with the texts that a language model draws for some of them.

    What the audit has drawn before is kept; a study whose texts are all there opens no model.
    """
    audit = Audit(out) if (out / "audit.json").exists() else None
    stored = audit.studies() if audit else {}
    found: list[Study] = []
    for study in studies:
        if isinstance(study, InfluenceStudy):
            found.append(draw_texts(study, stored=stored.get(study.name)))
        elif isinstance(study, AmplificationStudy) and audit is not None:
            found.append(training_examples.carried_over(study, audit))
        else:
            found.append(study)
    return tuple(found)


def with_training(work: Work, audit: Audit, on_progress: OnProgress) -> Work:
    """Return the work with the training side of its studies there: captions, pictures, prompts."""
    return replace(
        work,
        studies=tuple(
            training_examples.prepare(study, audit, work.corpus, on_progress=on_progress)
            if isinstance(study, AmplificationStudy)
            else study
            for study in work.studies
        ),
    )


def with_real_world(studies: Sequence[Study], file: Path) -> tuple[Study, ...]:
    """Return the studies with real-world shares as a second baseline, where they can use one.

    Raises:
        StudyError: None of them can, or the file is wrong.
    """
    if not any(isinstance(study, AmplificationStudy) for study in studies):
        raise StudyError(f"{names(studies)}: --real-world is for amplification studies alone")
    return tuple(
        real_world.with_real_world(study, file) if isinstance(study, AmplificationStudy) else study
        for study in studies
    )


def model_for(out: Path, model: str | None) -> str:
    """Return the model that was named, or that of the audit where it is one of ours.

    Raises:
        AuditError: A model was named, but the audit is about imported images; or none was named,
            and the audit is about a model that only its user knows where to find.
    """
    if is_imported(out):
        if model is None:
            return DEFAULT_MODEL
        raise AuditError(f"{out}: its images were imported, no model makes more; leave out --model")
    if model is not None:
        return model
    try:
        own = Audit(out).generator.name
    except NotAnAudit:
        return DEFAULT_MODEL
    if own not in (PRACTICE, PAINTER):
        raise AuditError(f"{out}: this audit is about {own}; name the model again with --model")
    return own


def plan(
    studies: Sequence[Study], out: Path | None = None, *, rate: float = DEFAULT_RATE
) -> list[StudyPlan]:
    """Say what studies would cost and could detect, before anything is made.

    Args:
        studies: The studies.
        out: An audit whose images count as made; it need not be there.
        rate: Pictures a second.
    """
    audit = _audit_to_plan_in(out, rate)
    return [_planned(_as_drawn(study, audit), audit, rate) for study in studies]


def plan_all(
    studies: Sequence[Study], out: Path | None = None, *, rate: float = DEFAULT_RATE
) -> StudyPlan:
    """Say what studies would cost together: images that several of them want are made once.

    Args:
        studies: The studies. Those of influence draw texts of their own, so they share nothing.
        out: An audit whose images count as made; it need not be there.
        rate: Pictures a second.
    """
    audit = _audit_to_plan_in(out, rate)
    drawn = [_as_drawn(study, audit) for study in studies]
    own = [_planned(one, audit, rate) for one in drawn if isinstance(one, InfluenceStudy)]
    sharing = [one for one in drawn if not isinstance(one, InfluenceStudy)]
    total = plan_together(sharing, audit, others=own, rate=rate)
    for one in sharing:
        if isinstance(one, AmplificationStudy):
            total = with_captions(total, one, rate=rate)
    return replace(total, detectable="")


def _audit_to_plan_in(out: Path | None, rate: float) -> Audit | None:
    if not 0 < rate < math.inf:
        raise StudyError(f"rate is {rate}; allowed: pictures a second, above 0")
    return Audit(out) if out is not None and (out / "audit.json").exists() else None


def _as_drawn(study: Study, audit: Audit | None) -> Study:
    """Return a study with the captions or texts that the audit has drawn for it."""
    if audit is None:
        return study
    if isinstance(study, AmplificationStudy):
        return training_examples.carried_over(study, audit)
    if not isinstance(study, InfluenceStudy):
        return study
    stored = audit.studies().get(study.name)
    return study if stored is None else carried_over(study, stored)


def _planned(study: Study, audit: Audit | None, rate: float) -> StudyPlan:
    if isinstance(study, AmplificationStudy):
        return with_captions(plan_study(study, audit, rate=rate), study, rate=rate)
    if isinstance(study, InfluenceStudy):
        return plan_influence(study, audit, rate=rate)
    return plan_study(study, audit, rate=rate)


def check(work: Work) -> None:
    """Raise where work cannot be done, as far as it can be told before a model is loaded.

    Raises:
        AuditError: The place of the audit holds other things.
        StudyError: A study lacks its training captions.
        CorpusError: They cannot be read.
    """
    Audit.check_place(work.out)
    if work.corpus and not any(isinstance(one, AmplificationStudy) for one in work.studies):
        raise StudyError(f"{names(work.studies)}: --corpus is for amplification studies alone")
    training_examples.check_corpus(work.studies, work.out, work.corpus)


def generate(
    work: Work,
    *,
    on_progress: OnProgress,
    retry_failed: bool = False,
    encoders: Sequence[Encoder] = (),
) -> GenerationSummary | Imported:
    """Make the images that are missing; of imported images, say which prompts have none.

    Args:
        work: What is asked.
        on_progress: Called with what, done and total.
        retry_failed: Make again what failed in an earlier run.
        encoders: Those that will look at the images; on a GPU, and in the processes of an
            engine, they do so at once.
    """
    check(work)
    work = replace(work, studies=with_texts(work.studies, work.out))
    if is_imported(work.out):
        return _look_through(with_training(work, Audit(work.out), on_progress))
    device = work.settings.get("device")
    look = work.look() if encoders else None
    with open_engine(work.opener(), work.engine, device=device, look=look) as engine:
        engine.check(work.prompts())
        audit = Audit.at(work.out, engine.identity)
        work = with_training(work, audit, on_progress)
        if any(isinstance(study, AmplificationStudy) for study in work.studies):
            engine.check(work.prompts())  # captions have become prompts
        _remember(audit, work.studies)
        with _watched(engine, audit, encoders if encoders and work.is_on_gpu() else ()):
            made = _make(engine, audit, work.studies, on_progress, retry_failed=retry_failed)
    compact(audit)
    _require_pictures(audit)
    return replace(_together(made), other_size=outcomes.of_other_size(audit))


@contextlib.contextmanager
def _watched(engine: Engine, audit: Audit, encoders: Sequence[Encoder]) -> Iterator[None]:
    """Let encoders look at pictures while they are in memory, where both are in this process."""
    if not isinstance(engine, Here) or not encoders:
        yield
        return
    with Watching(audit, encoders) as watching:
        engine.on_stored = watching
        yield


def _make(
    engine: Engine,
    audit: Audit,
    studies: Sequence[Study],
    on_progress: OnProgress,
    *,
    retry_failed: bool,
) -> list[GenerationSummary]:
    def show(done: int, total: int) -> None:
        on_progress("images", done, total)

    listed = [study for study in studies if isinstance(study, InfluenceStudy)]
    counted = [study for study in studies if not isinstance(study, InfluenceStudy)]
    wanted = [(prompt.text, prompt.seeds) for study in counted for prompt in study.prompts()]
    requests = [request for study in listed for request in study.requests()]
    made = []

    def make(audit: Audit, wanted: Wanted) -> None:
        before = outcomes.without_picture(audit, wanted)
        if retry_failed:
            before.pop("failed", None)
        one = engine.generate(audit, wanted, on_progress=show, retry_failed=retry_failed)
        made.append(
            replace(
                one,
                present=one.present - before.total(),
                failed_before=before["failed"],
                refused_before=before["refused"],
            )
        )

    if wanted:
        make(audit, wanted)
    if requests:
        asked = ListedAudit(audit, requests)
        make(asked, list(asked.counts.items()))
    return made


def _require_pictures(audit: Audit) -> None:
    """Raise where every image that was ever asked of this audit has failed."""
    if not (found := outcomes.reasons(audit, "failed")):
        return
    if len(audit.images().filter("status <> 'failed'").limit(1).fetchall()):
        return
    raise GenerationError(
        f"{audit.path}: no image could be made, {sum(n for _, n in found):,} failed, most with: "
        f"{found[0][0]}; mend it and run again with --retry-failed"
    )


def measure(
    work: Work, *, on_progress: OnProgress, encoders: Sequence[Encoder] | None = None
) -> list[MeasurementSummary]:
    """Embed the images and texts that the studies need with every encoder asked for.

    Args:
        work: What is asked.
        on_progress: Called with what, done and total.
        encoders: Those of the work where they are loaded already.
    """
    audit = Audit(work.out)
    work = replace(work, studies=with_texts(work.studies, work.out))
    _remember(audit, work.studies)
    texts = list(dict.fromkeys(text for study in work.studies for text in study.texts()))
    prompts = work.prompts()
    opened = encoders or work.open_encoders()
    done = [
        measure_images(
            audit,
            [encoder],
            prompts=prompts,
            texts=texts,
            on_progress=lambda done, total: on_progress("measured", done, total),
        )
        for encoder in opened
    ]
    done += [
        measure_images(
            audit,
            [each],
            prompts=prompts,
            on_progress=lambda done, total: on_progress("people", done, total),
        )
        for each in work.people_encoders(opened)
    ]
    return done + measure_sides(audit, work.studies, opened, on_progress=on_progress)


def analyze(
    out: Path,
    *,
    studies: Sequence[Study] = (),
    settings: AnalysisSettings | None = None,
) -> Results:
    """Compute all findings of an audit anew and write results.json.

    Args:
        out: The audit.
        studies: Studies that join those of the audit.
        settings: How.
    """
    audit = Audit(out)
    _remember(audit, with_texts(studies, out))
    return analyze_audit(audit, settings=settings or AnalysisSettings())


def report(out: Path) -> Path:
    """Write the report from results.json."""
    return write_report(Audit(out))


def figures(out: Path, formats: Sequence[str]) -> list[Path]:
    """Write every figure of the report as files beside it."""
    return write_figures(Audit(out), out / "report" / "figures", formats=formats)


def run(
    work: Work,
    *,
    on_progress: OnProgress = lambda what, done, total: None,
    retry_failed: bool = False,
    settings: AnalysisSettings | None = None,
) -> Done:
    """Do all of it: make, measure, analyze, report."""
    check(work)
    # First, so that a mistyped encoder is known before hours of generation, not after.
    encoders = work.open_encoders()
    made = generate(work, on_progress=on_progress, retry_failed=retry_failed, encoders=encoders)
    measured = measure(work, on_progress=on_progress, encoders=encoders)
    results = analyze(work.out, settings=settings)
    return Done(made, measured, results, report(work.out))


def is_imported(out: Path) -> bool:
    """Tell whether an audit's images came from a folder instead of a model."""
    try:
        return Audit(out).generator.kind == "folder"
    except NotAnAudit:
        return False


def _together(summaries: Sequence[GenerationSummary]) -> GenerationSummary:
    counts = Counter[str]()
    for one in summaries:
        counts.update(one.as_dict())
    return GenerationSummary(**counts)


def _look_through(work: Work) -> Imported:
    audit = Audit(work.out)
    there = {prompt for (prompt,) in audit.images().select("prompt").distinct().fetchall()}
    wanted = work.prompts()
    absent = tuple(text for text in wanted if text not in there)
    if len(absent) == len(wanted):
        raise AuditError(
            f"{work.out}: none of the {len(wanted)} prompts has an image here; wanted for example "
            f"{absent[0]!r}, here is for example {min(there, default='nothing')!r}"
        )
    _remember(audit, work.studies)
    return Imported(len(wanted), absent)


def _remember(audit: Audit, studies: Iterable[Study]) -> None:
    for study in studies:
        audit.remember_study(study.name, study.as_dict())


def names(studies: Sequence[Study]) -> str:
    """Return the studies' names in one line."""
    return ", ".join(study.name for study in studies)
