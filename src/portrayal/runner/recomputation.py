"""Whether results.json says what follows from the measurements beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from portrayal import __version__
from portrayal.audit import AuditFolder, VerificationResult
from portrayal.errors import AuditError, NewerFormat, OlderFormat, shown
from portrayal.findings import Results
from portrayal.runner.analysis import analyze

_RELATIVE = 1e-6
"""Processors add in different orders; no number of ours is told to more than six digits."""


def verify_results(audit: AuditFolder) -> VerificationResult:
    """Recompute the findings of an audit with the settings it was analyzed with, and compare.

    Args:
        audit: The audit; nothing in it is changed.
    """
    if not audit.results_file.exists():
        note = "no results.json: there are no findings to recompute"
        return VerificationResult(audit.path, [], [], [note])
    try:
        said = Results.read(audit)
    except (NewerFormat, OlderFormat) as error:
        return VerificationResult(audit.path, [], [], [f"findings not recomputed: {error}"])
    except AuditError as error:
        return VerificationResult(audit.path, [f"findings cannot be recomputed: {error}"], [])
    try:
        computed = analyze(audit, settings=said.settings, keep=False)
    except AuditError as error:
        return VerificationResult(audit.path, [f"findings cannot be recomputed: {error}"], [])
    problems = [f"results.json: {line}" for line in result_differences(said, computed)]
    notes = []
    if problems and said.portrayal != __version__:
        notes.append(
            f"results.json is by portrayal {said.portrayal}, the recomputation by {__version__}; "
            "CHANGELOG.md says which numbers changed in between"
        )
    told = f"{len(computed.findings):,} findings recomputed from the measurements"
    return VerificationResult(audit.path, problems, [told], notes)


def result_differences(said: Results, computed: Results) -> list[str]:
    """Return a line for everything in results that a recomputation does not give."""
    return list(_differences("", _by_name(said), _by_name(computed)))


def _by_name(results: Results) -> dict[str, Any]:
    data = results.as_dict()
    del data["portrayal"]
    findings = {f"{one['study']}: {one['question']}": one for one in data.pop("findings")}
    studies = {one["study"]: one for one in data.pop("studies")}
    return {"findings": findings, "studies": studies, **data}


def _differences(where: str, said: Any, computed: Any) -> Iterator[str]:
    """Yield the places at which two JSON-like values differ by more than rounding."""
    if isinstance(said, Mapping) and isinstance(computed, Mapping):
        for name in sorted({*said, *computed}):
            place = f"{where} · {name}" if where else str(name)
            if name not in computed:
                yield f"{place}: stated, but not found by the recomputation"
            elif name not in said:
                yield f"{place}: missing, but found by the recomputation"
            else:
                yield from _differences(place, said[name], computed[name])
    elif isinstance(said, list) and isinstance(computed, list) and len(said) == len(computed):
        for number, (one, other) in enumerate(zip(said, computed, strict=True)):
            yield from _differences(f"{where}[{number}]", one, other)
    elif not _equal(said, computed):
        yield f"{where} is {shown(said)}, recomputed: {shown(computed)}"


def _equal(said: Any, computed: Any) -> bool:
    numbers = (said, computed)
    if all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        return math.isclose(said, computed, rel_tol=_RELATIVE, abs_tol=1e-9)
    return bool(said == computed)
