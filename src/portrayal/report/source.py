"""results.json as the report reads it."""

from __future__ import annotations

from typing import Any

from portrayal.audit import Audit
from portrayal.audit.files import quoted
from portrayal.errors import AuditError, NewerFormat
from portrayal.runner.analysis import FORMAT

_PARTS = ("generator", "encoders", "settings", "findings", "studies")


def read_results(audit: Audit) -> dict[str, Any]:
    """Return results.json.

    Raises:
        AuditError: Nothing has been analyzed yet, or the file is not whole.
        NewerFormat: It was written by a later portrayal.
    """
    results = audit.results()
    file = audit.results_file
    again = f"run: portrayal analyze {quoted(audit.path)}"
    version = results.get("format")
    if isinstance(version, int) and version > FORMAT:
        raise NewerFormat(
            f"{file}: format {version} is newer than this portrayal reads ({FORMAT}); {again}"
        )
    absent = [part for part in _PARTS if part not in results]
    if version != FORMAT or absent:
        what = f"no {absent[0]!r} in it" if absent else f"its format is {version!r}"
        raise AuditError(f"{file} is not whole: {what}; {again}")
    return results
