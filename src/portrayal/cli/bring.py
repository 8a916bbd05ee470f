"""import, export, repair: images and embeddings in, files out, damage mended."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from portrayal.cli import console
from portrayal.cli import options as o

PANEL = "The folder"

importing = typer.Typer(help="Bring your own images or embeddings.", no_args_is_help=True)


def add_to(root: typer.Typer) -> None:
    """Add the commands to the app."""
    root.add_typer(importing, name="import", rich_help_panel=PANEL)
    root.command(rich_help_panel=PANEL)(export)
    root.command(rich_help_panel=PANEL)(repair)


@importing.command("images")
def import_images(
    source: Annotated[Path, typer.Argument(metavar="DIR", help="Images, or WebDataset tars.")],
    out: o.Out,
    manifest: Annotated[
        Path | None, typer.Option(help="CSV: image, prompt, optional seed, any factor columns.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call the model.")] = None,
    json: o.Json = False,
) -> None:
    """Bring images that something else made."""
    from portrayal import imports

    summary = imports.import_images(source, out, manifest=manifest, name=name)
    if json:
        console.as_json(summary.as_dict())
    else:
        console.say(summary.sentence())


@importing.command("embeddings")
def import_embeddings(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Parquet or .npz.")],
    out: o.Out,
    encoder: Annotated[str, typer.Option(help="What to call the encoder.")] = "imported",
    json: o.Json = False,
) -> None:
    """Bring embeddings of the audit's images that something else computed."""
    from portrayal import imports

    summary = imports.import_embeddings(out, file, encoder=encoder)
    if json:
        console.as_json(summary.as_dict())
    else:
        console.say(summary.sentence())


def export(
    audit: o.AuditFolder,
    to: Annotated[Path, typer.Option("--to", help="Where the files go.")],
    json: o.Json = False,
) -> None:
    """Write the images as files with a metadata.csv beside them."""
    from portrayal.audit import Audit, export_images

    summary = export_images(Audit(audit), to)
    if json:
        console.as_json(summary.as_dict())
    else:
        console.say(summary.sentence())


def repair(audit: o.AuditFolder, json: o.Json = False) -> None:
    """Set damaged parts aside and sweep up after killed processes; deletes no picture."""
    from portrayal.audit import repair as mend

    done = mend(audit)
    if json:
        console.as_json(done.as_dict())
    else:
        for line in done.lines():
            console.say(line)
