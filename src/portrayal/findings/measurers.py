"""Whose answers studies can use, and what measurers are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from portrayal.audit import AuditFolder, Thing, outcomes
from portrayal.measurers import is_valid, validity
from portrayal.raters import RATERS, has_votes, not_counted, raters_identity
from portrayal.records import Identity
from portrayal.statistics import Rule


def study_measurers(audit: AuditFolder, *, rule: Rule = "majority") -> list[Identity]:
    """Return the measurers whose answers studies can use, the audit's raters last.

    They gave embeddings or labels, and are valid for the audit's images.

    Args:
        audit: The audit.
        rule: What makes a consensus of raters.
    """
    found = [one for one in _usable(audit) if is_valid(one, audit.generator)]
    if has_votes(audit):
        found.append(raters_identity(rule, samples=not found))
    return found


def uncounted(audit: AuditFolder) -> list[str]:
    """Say what is not counted: what is gone or retired, invalid measurers, raters' answers."""
    invalid = [
        f"{validity(one)} only: its measurements of these images are kept, but not counted."
        for one in _usable(audit)
        if not is_valid(one, audit.generator)
    ]
    things: tuple[Thing, ...] = ("measurer", "campaign", "study")
    retired = [act.words() for one in things for act in audit.retired(one).values()]
    return [*outcomes.gaps(audit), *invalid, *retired, *not_counted(audit)]


def _usable(audit: AuditFolder) -> list[Identity]:
    usable = {"embedding", "labels"}
    return [one for one in audit.measurers() if usable & set(audit.columns(one))]


def measurer_names(identities: Sequence[Identity]) -> list[str]:
    """Return what measurers are called: by name, and by identity where names are the same."""
    counts = Counter(one.name for one in identities)
    return [one.name if counts[one.name] == 1 else lasting_name(one) for one in identities]


def lasting_name(identity: Identity) -> str:
    """Return a measurer's name that stays the same whatever else measures, unlike its label.

    The identity of an audit's raters depends on what else measures, and there is one of them.
    """
    return identity.name if identity.kind == RATERS else f"{identity.name} {identity.digest[:6]}"
