"""verify: whether an audit or a bundle is what it says it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from portrayal.audit import VerificationResult


def add_to(root: typer.Typer) -> None:
    """Add the command to the app."""
    root.command(rich_help_panel="Decide and share")(verify)


def verify(
    place: Annotated[
        Path,
        typer.Argument(metavar="AUDIT|BUNDLE", parser=o.location, help="An audit, or a bundle."),
    ],
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Compare with this manifest (default: manifest-sha256.txt of the audit).",
        ),
    ] = None,
    write_manifest: Annotated[
        bool,
        typer.Option(
            "--write-manifest",
            help="List all files with their SHA-256 in manifest-sha256.txt of the audit.",
        ),
    ] = False,
    model: o.Model = None,
    measurer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURER",
            help="Also compare this measurer's files with the audit's identities; may be repeated.",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    """Check hashes, keys, identities and manifest, and recompute the findings; change nothing."""
    from portrayal import audit
    from portrayal.runner import verify_audit, verify_bundle

    if place.is_file():
        found = verify_bundle(place)
    elif write_manifest:
        found = audit.verify_folder(place, own_manifest=False)
        if found.holds:
            console.say(audit.write_manifest(place).sentence())
    else:
        found = verify_audit(place, manifest=manifest, model=model, measurers=tuple(measurer or ()))
    if json:
        console.as_json(found.as_dict())
    else:
        _tell(found)
    if not found.holds:
        raise typer.Exit(ExitCode.FAILED)


def _tell(found: VerificationResult) -> None:
    for line in found.problems:
        console.line(f"PROBLEM  {line}")
    for line in found.checked:
        console.line(f"checked  {line}")
    for line in found.notes:
        console.line(f"note     {line}")
    problems = f"{len(found.problems)} problem{'' if len(found.problems) == 1 else 's'}"
    console.line(f"{'verified' if found.holds else problems}: {found.place}")
