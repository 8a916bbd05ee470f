"""The audits of a folder: found, opened when they are asked for, summed up in a row each."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from portrayal.audit import AuditFolder, quoted
from portrayal.errors import AuditError, NotAnAudit, PortrayalError
from portrayal.findings import Results
from portrayal.raters import Corrections
from portrayal.report.first_screen import chosen, heading
from portrayal.report.view.images import SmallImages
from portrayal.report.view.index import ImageIndex


@dataclass(frozen=True, slots=True)
class AuditRow:
    """What the list says of an audit.

    Attributes:
        name: Its path in the folder.
        model: The generator's name.
        created: The day it was made.
        counts: Images by status.
        studies: Their titles.
        measurers: Who measured.
        headlines: The findings of its report's first screen.
        problem: Why there is less than there should be; "" where all is well.
        has_report: Whether a report was written.
    """

    name: str
    model: str = ""
    created: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    studies: Sequence[str] = ()
    measurers: Sequence[str] = ()
    headlines: Sequence[str] = ()
    problem: str = ""
    has_report: bool = False

    def has(self, words: str) -> bool:
        """Tell whether all of some words are in what is said of it."""
        said = (self.name, self.model, *self.studies, *self.measurers, *self.headlines)
        text = " ".join(said).lower()
        return all(word in text for word in words.lower().split())


class OpenAudit:
    """An audit whose images can be filtered, and its labels corrected.

    Args:
        name: Its path in the folder.
        audit: The audit.
        file: Where the index goes.
        rater: Who corrects labels.
    """

    def __init__(self, name: str, audit: AuditFolder, file: Path, *, rater: str) -> None:
        self.name = name
        self.audit = audit
        self.content = audit.content()
        self.images = SmallImages(audit)
        self.trouble = ""
        """Why labels cannot be corrected; "" where they can."""
        self._corrections: Corrections | None = None
        try:
            self._corrections = Corrections(audit, rater=rater)
        except PortrayalError as error:
            self.trouble = str(error)
        corrected = {} if self._corrections is None else self._corrections.labels()
        self.index = ImageIndex(audit, file, corrected)

    @property
    def choices(self) -> Mapping[str, Sequence[str]]:
        """What an image may be corrected to, by axis."""
        return {} if self._corrections is None else self._corrections.choices

    def correct(self, key: str, axis: str, label: str) -> None:
        """Store a corrected label as a vote, and show it."""
        if self._corrections is None:
            raise AuditError(self.trouble)
        self._corrections.store(key, axis, label)
        self.index.correct(key, axis, label)


class Catalogue:
    """All audits of a folder; a context manager that removes its indexes.

    Args:
        folder: The folder, or one audit.
        rater: Who corrects labels.

    Raises:
        NotAnAudit: There is no such folder.
    """

    def __init__(self, folder: Path, *, rater: str = "") -> None:
        if not folder.exists():
            raise NotAnAudit(f"{folder}: no such folder; name a folder of audits")
        self.folder = folder
        self._rater = rater
        self._scratch = tempfile.TemporaryDirectory(prefix="portrayal-view-")
        self._open: dict[str, OpenAudit] = {}
        self._rows: dict[str, tuple[object, AuditRow]] = {}
        self._made = 0
        self._turn = threading.Lock()

    def __enter__(self) -> Catalogue:
        return self

    def __exit__(self, *problem: object) -> None:
        for one in self._open.values():
            one.index.close()
        self._scratch.cleanup()

    def rows(self, words: str = "") -> list[AuditRow]:
        """Return what the list says, of those audits that some words are about."""
        found = [self._row(name, place) for name, place in self._places().items()]
        return [one for one in found if one.has(words)]

    def row(self, name: str) -> AuditRow | None:
        """Return what the list says of one audit; None where there is no such audit."""
        place = self._places().get(name)
        return None if place is None else self._row(name, place)

    def opened(self, name: str) -> OpenAudit | None:
        """Return an audit as it was last read, without looking whether there is more."""
        return self._open.get(name) or self.open(name)

    def open(self, name: str) -> OpenAudit | None:
        """Return an audit, read again where images or measurements were added; None: not here."""
        place = self._places().get(name)
        if place is None:
            return None
        with self._turn:
            known = self._open.get(name)
            audit = AuditFolder(place) if known is None else known.audit
            if known is not None and known.content == audit.content():
                return known
            self._made += 1
            file = Path(self._scratch.name) / f"{self._made}.duckdb"
            self._open[name] = OpenAudit(name, audit, file, rater=self._rater)
            if known is not None:
                known.index.close()
            return self._open[name]

    def _places(self) -> dict[str, Path]:
        """Return where audits are, by name. Names come from the listing alone, never a request."""
        places = AuditFolder.places_in(self.folder)
        if places == [self.folder]:
            return {self.folder.resolve().name: self.folder}
        return {os.path.relpath(place, self.folder): place for place in places}

    def _row(self, name: str, place: Path) -> AuditRow:
        try:
            audit = AuditFolder(place)
            results = audit.results_file
            written = results.stat().st_mtime_ns if results.exists() else 0
            state = (audit.content(), written, audit.has_report)
            known = self._rows.get(name)
            if known is None or known[0] != state:
                known = (state, _summed_up(name, audit))
                self._rows[name] = known
            return known[1]
        except (PortrayalError, OSError) as error:
            return AuditRow(name, problem=str(error))


def _summed_up(name: str, audit: AuditFolder) -> AuditRow:
    by_status = audit.images(columns=("status",)).aggregate("status, count(*)", "status")
    about = AuditRow(
        name,
        model=audit.generator.name,
        created=audit.header.created[:10],
        counts=dict(by_status.fetchall()),
        studies=[str(one.get("title") or key) for key, one in audit.studies().items()],
        measurers=[one.name for one in audit.measurers()],
        has_report=audit.has_report,
    )
    headlines: list[str] = []
    problem = ""
    try:
        results = Results.read(audit)
        headlines = [results.line_of(one) for one in chosen(results)]
        problem = "" if headlines else f"{heading(results)}."
    except PortrayalError:
        problem = f"not analyzed yet; run: portrayal analyze {quoted(audit.path)}"
    return AuditRow(
        name, about.model, about.created, about.counts, about.studies, about.measurers,
        headlines, problem, about.has_report,
    )  # fmt: skip
