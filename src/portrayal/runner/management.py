"""Managing an audit on record: retire, restore, rename. Nothing is deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from portrayal.audit import Act, AuditFolder, Thing, selection_file
from portrayal.errors import AuditError, one_of
from portrayal.records import LookRecord


def retire(audit: AuditFolder, thing: Thing, name: str, *, reason: str) -> Act:
    """Keep a measurer, a campaign or a study, and count it no longer.

    Args:
        audit: The audit.
        thing: What it is.
        name: Its name; of a measurer its name, or the beginning of its identity's digest.
        reason: Why; the report says it.

    Raises:
        AuditError: There is no such thing, it is retired already, or there is no reason.
    """
    there = _there(audit, thing)
    done = audit.retired(thing)
    chosen = _chosen(audit, thing, name, {one: there[one] for one in there if one not in done})
    return audit.record(Act("retire", thing, chosen, there[chosen], reason))


def restore(audit: AuditFolder, thing: Thing, name: str, *, reason: str) -> Act:
    """Count something again that was retired; see `retire`."""
    known = {one: act.label for one, act in audit.retired(thing).items()}
    chosen = _chosen(audit, thing, name, known)
    return audit.record(Act("restore", thing, chosen, known[chosen], reason))


def rename(audit: AuditFolder, name: str, to: str, *, reason: str) -> Act:
    """Give a study another name, with its captions and its looks.

    Args:
        audit: The audit.
        name: The study's name.
        to: The new one.
        reason: Why.

    Raises:
        AuditError: There is no such study, or there is one of the new name.
    """
    known = audit.studies()
    if name not in known:
        raise AuditError(f"{audit.path}: no study {name!r}; allowed: {one_of(list(known))}")
    if to in audit.studies(retired=True):
        raise AuditError(f"{audit.path}: a study {to!r} is there already; choose another name")
    audit.remember_study(to, {**known[name], "name": to})
    captions = selection_file(audit.path, name)
    if captions.exists():
        captions.rename(selection_file(audit.path, to))
    names = [one.name for one in fields(LookRecord)]
    rows = audit.looks().filter(f"study = '{name}'").select(", ".join(names)).fetchall()
    looks = [LookRecord(**dict(zip(names, row, strict=True))) for row in rows]
    audit.append_looks([replace(look, study=to) for look in looks])
    audit.record(Act("retire", "study", name, name, f"renamed {to}: {reason}"))
    return audit.record(Act("rename", "study", to, to, reason, to=to))


def _there(audit: AuditFolder, thing: Thing) -> dict[str, str]:
    """Return what can be retired: what a reader calls it, by the name that is stored."""
    if thing == "measurer":
        return {one.digest: one.name for one in audit.measurers(retired=True)}
    if thing == "study":
        return {name: name for name in audit.studies(retired=True)}
    sources = [source for (source,) in audit.votes().select("source").distinct().fetchall()]
    return {name: name for name in [*audit.campaigns(retired=True), *sources] if name}


def _chosen(audit: AuditFolder, thing: str, name: str, known: dict[str, str]) -> str:
    found = [one for one, label in known.items() if name == label or one == name]
    if not found and thing == "measurer":
        found = [one for one in known if len(name) >= 6 and one.startswith(name)]
    if len(found) == 1:
        return found[0]
    allowed: Sequence[str] = list(known.values())
    if len(found) > 1:
        allowed = [one[:8] for one in found]
    raise AuditError(
        f"{audit.path}: {thing} {name!r}: {len(found)} match; allowed: {one_of(allowed) or 'none'}"
    )
