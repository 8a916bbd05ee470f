"""An audit as people use it from Python: its findings, labels and images, and a summary."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from portrayal.audit import AuditFolder, object_path
from portrayal.errors import AuditError
from portrayal.findings import Findings, LabelTable, Results, counted
from portrayal.generators import notice
from portrayal.records import Identity
from portrayal.report import main_figure
from portrayal.runner.session import Place, place

if TYPE_CHECKING:
    import duckdb


class Audit:
    """An audit that exists: what `run` returns, or one opened again by its path.

    Results and labels are read when they are first asked for, and kept: open the audit again to
    see what was added since. In a notebook an audit is shown as a summary with its main figure and
    the report's link.

    Args:
        path: A folder, or a place in an object store such as `s3://bucket/audit`.

    Raises:
        NotAnAudit: There is no audit at that place.
        SettingError: The path is none.
    """

    def __init__(self, path: Place | AuditFolder) -> None:
        self._folder = path if isinstance(path, AuditFolder) else AuditFolder(place("path", path))

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._folder.path

    @property
    def generator(self) -> Identity:
        """The generator that it is about."""
        return self._folder.generator

    @property
    def report(self) -> Path:
        """The report's page; need not be written yet."""
        return self._folder.report_file

    @cached_property
    def results(self) -> Results:
        """The results of the last analysis.

        Raises:
            AuditError: Nothing has been analyzed yet.
        """
        return Results.read(self._folder)

    @property
    def findings(self) -> Findings:
        """The findings of the last analysis.

        Raises:
            AuditError: Nothing has been analyzed yet.
        """
        return self.results.findings

    @cached_property
    def labels(self) -> LabelTable:
        """The label of every image, on every axis and by every measurer."""
        return LabelTable(self._folder)

    def images(self, *, with_bytes: bool = False) -> duckdb.DuckDBPyRelation:
        """Return the images as a DuckDB relation: prompt, seed, status, reason and more.

        Args:
            with_bytes: Whether to include the encoded images.
        """
        return self._folder.images(with_bytes=with_bytes)

    def measurements(self, measurer: Identity | str | None = None) -> duckdb.DuckDBPyRelation:
        """Return what a measurer said of each image as a DuckDB relation.

        Args:
            measurer: Its identity or name; None: the only one.
        """
        return self._folder.measurements(measurer)

    def looks(self) -> duckdb.DuckDBPyRelation:
        """Return one row per question of each analysis that was shown, oldest first."""
        return self._folder.looks()

    def read_images(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return encoded images by key."""
        return self._folder.read_images(keys)

    def __repr__(self) -> str:
        return f"Audit({str(self.path)!r})"

    def _repr_html_(self) -> str:
        try:
            found, figure = self._summary(), main_figure(self.results)
        except AuditError as error:  # nothing analyzed yet: a summary of what there is
            found, figure = [str(error)], ""
        lines = [f"Generator: {self.generator.name}", self._image_counts(), *found]
        items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
        name, warning = html.escape(str(self.path)), html.escape(notice(self.generator))
        about = f"<p><em>{warning}</em></p>" if warning else ""
        return f"<h3>Audit {name}</h3>{about}<ul>{items}</ul>{figure}{self._link()}"

    def _image_counts(self) -> str:
        statuses = Counter(dict(self.images().aggregate("status, count(*)").fetchall()))
        others = [f"{statuses[one]:,} {one}" for one in ("refused", "failed") if statuses[one]]
        return ", ".join([counted(statuses["ok"], "image"), *others])

    def _summary(self) -> list[str]:
        results = self.results
        tested = [one for one in results.findings if one.p is not None]
        clear = [one for one in tested if one.is_clear(results.level)]
        return [
            f"Measurers: {', '.join(one.name for one in results.measurers)}",
            f"Studies: {', '.join(one.title or one.study for one in results.studies)}",
            f"{counted(len(results.findings), 'finding')}; {len(clear)} of "
            f"{counted(len(tested), 'test')} significant after correction",
            *(one.sentence for one in clear[:3]),
        ]

    def _link(self) -> str:
        if not self._folder.has_report:
            return ""
        # A relative path stays relative, so that the link works where a notebook is served.
        stored = object_path(self.report) is not None
        address = str(self.report) if stored else quote(str(self.report))
        return f'<p><a href="{html.escape(address)}" target="_blank">Open the report</a></p>'
