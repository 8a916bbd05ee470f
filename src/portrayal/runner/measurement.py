"""Measuring the images of a session's studies with every measurer."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from portrayal.audit import AuditFolder, quoted
from portrayal.findings import AuditData, StudyData, measurer_names, study_measurers
from portrayal.kinds import kind_of
from portrayal.measurers import Encoder, MeasurementSummary, embed_prompts, name_of, require_valid
from portrayal.measurers import measure as measure_images
from portrayal.progress import counted
from portrayal.records import Identity
from portrayal.runner.look_log import LookLog, SeenImages
from portrayal.runner.session import Session
from portrayal.studies import Study, asked_groups


def measure(session: Session) -> list[MeasurementSummary]:
    """Measure the images and embed the texts that the studies need.

    Args:
        session: The session; its audit must be there.
    """
    audit = session.opened()
    # First, so that what cannot be opened is known before hours of measuring, not after.
    measurers = session.measurers
    require_valid_measurers(session, [one.identity for one in measurers])
    people = session.models.open_people(measurers)
    session.draw()
    session.remember()
    done = measure_studies(session, session.studies)
    prompts = session.wanted().prompts
    on_people = counted(session.on_progress, "people")
    done += [measure_images(audit, [one], prompts=prompts, on_progress=on_people) for one in people]
    by_kind: dict[str, list[Study]] = {}
    for study in session.studies:
        by_kind.setdefault(study.kind, []).append(study)
    for studies in by_kind.values():
        kind = kind_of(studies[0])
        done += kind.measure_more(studies, audit, measurers, on_progress=session.on_progress)
    return done


def measure_command(audit: AuditFolder) -> str:
    """Return the command that measures what an audit's measurers have not measured yet."""
    names = {name for one in study_measurers(audit) if (name := name_of(one))}
    if len(names) > 1:  # it goes on with all of them
        return f"portrayal measure {quoted(audit.path)}"
    name = quote(names.pop()) if names else "MEASURER"
    return f"portrayal measure {quoted(audit.path)} --measurer {name}"


def require_valid_measurers(session: Session, measurers: Sequence[Identity]) -> None:
    """Raise where a measurer is not valid for the images that the studies judge.

    Raises:
        MeasurementError: One is not.
    """
    audit = session.opened()
    for study in session.studies:
        for source in kind_of(study).image_sources(study, audit):
            require_valid(measurers, source)


def measure_studies(session: Session, studies: Sequence[Study]) -> list[MeasurementSummary]:
    """Let every measurer have the images of some studies."""
    prompts = list(dict.fromkeys(prompt.text for study in studies for prompt in study.prompts()))
    texts = list(dict.fromkeys(text for study in studies for text in study.texts()))
    for one in session.measurers:
        if isinstance(one, Encoder):
            embed_prompts(session.opened(), one, prompts)
    return [
        measure_images(
            session.opened(),
            [one],
            prompts=prompts,
            texts=texts,
            axes=asked_groups(studies),
            on_progress=counted(session.on_progress, "measured"),
        )
        for one in session.measurers
    ]


def study_data(session: Session, study: Study) -> list[StudyData]:
    """Return a study's images as measured so far, once for each of the session's measurers."""
    prompts = study.prompts()
    shared = AuditData(
        session.opened(),
        [prompt.text for prompt in prompts],
        study.texts(),
        axes=study.asked_axes().values(),
        each_person=session.analysis.people == "each",
    )
    identities = [one.identity for one in session.measurers]
    found = [
        shared.of_study(prompts, identity, label=label)
        for identity, label in zip(identities, measurer_names(identities), strict=True)
    ]
    return LookLog(session.opened()).looked(study, found, SeenImages.of(found))
