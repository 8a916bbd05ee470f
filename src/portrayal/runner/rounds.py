"""Studies that are generated in rounds: what was measured decides what is generated next."""

from __future__ import annotations

from collections.abc import Sequence

from portrayal.findings import StudyData
from portrayal.kinds import kind_of
from portrayal.runner.measurement import measure_studies, study_data
from portrayal.runner.session import Session
from portrayal.studies import Study


def next_round(session: Session) -> bool:
    """Let every study ask for more, given its images so far; return whether one does.

    Images are measured first, and only for studies that look at them.
    """
    studies = tuple(_extended(session, study) for study in session.studies)
    grew = any(new is not old for new, old in zip(studies, session.studies, strict=True))
    session.studies = studies
    return grew


def _extended(session: Session, study: Study) -> Study:
    def data() -> Sequence[StudyData]:
        measure_studies(session, [study])
        return study_data(session, study)

    more: Study | None = kind_of(study).next_round(study, data, session.analysis)
    return study if more is None else more
