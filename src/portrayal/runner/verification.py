"""verify: whether an audit is what it says it is, from its bytes to its findings and its model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from portrayal.audit import AuditFolder, VerificationResult, verify_folder
from portrayal.errors import PortrayalError, shown
from portrayal.generators import open_generator
from portrayal.loading import reading_contents
from portrayal.measurers import open_measurer
from portrayal.records import Identity
from portrayal.runner.recomputation import verify_results

FILES = ("weights", "configuration", "adapters")
"""Settings of an identity that are hashes of a model's files."""


def verify_audit(
    place: Path,
    *,
    manifest: Path | None = None,
    model: str | None = None,
    measurers: Sequence[str] = (),
) -> VerificationResult:
    """Check an audit: hashes, keys, references, manifest, identities, and findings recomputed.

    Args:
        place: The audit; nothing in it is changed.
        manifest: A manifest that is kept elsewhere; None: the audit's own, where it has one.
        model: The generator's folder or Hub id, to compare its files with the audit's identity.
        measurers: Measurers by name, likewise.

    Raises:
        NotAnAudit: There is no audit at that place.
        PortrayalError: A model that was named cannot be opened.
    """
    found = verify_folder(place, manifest_file=manifest)
    audit = AuditFolder(place)
    if found.holds:
        found = found.joined(_recomputed(audit))
    else:
        why = "findings not recomputed, because of the problems"
        found = found.joined(VerificationResult(place, [], [], [why]))
    with reading_contents():
        if model is not None:
            opened = open_generator(model, device="cpu").identity
            found = found.joined(_against(place, model, opened, [audit.generator]))
        for name in measurers:
            identity = open_measurer(name, device="cpu").identity
            found = found.joined(_against(place, name, identity, audit.measurers(retired=True)))
    return found


def _recomputed(audit: AuditFolder) -> VerificationResult:
    try:
        return verify_results(audit)
    except PortrayalError as error:
        return VerificationResult(audit.path, [f"findings cannot be recomputed: {error}"], [])


def _against(
    place: Path, name: str, opened: Identity, stored: Sequence[Identity]
) -> VerificationResult:
    """Compare the files of an opened model with those that identities of an audit name."""
    mine = {key: opened.settings[key] for key in FILES if key in opened.settings}
    if not mine:
        return VerificationResult(place, [], [], [f"{name}: it has no files to compare"])
    same_kind = [one for one in stored if one.kind == opened.kind]
    theirs = [{key: one.settings.get(key) for key in mine} for one in same_kind]
    if mine in theirs:
        return VerificationResult(place, [], [f"{name}: its files are those of the audit"])
    known = "; ".join(f"{one.name} {shown(h)}" for one, h in zip(same_kind, theirs, strict=True))
    return VerificationResult(
        place,
        [f"{name}: its files {shown(mine)} are not those of the audit: {known or 'none'}"],
        [],
    )
