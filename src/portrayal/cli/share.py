"""card, bundle: what is handed on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from portrayal.cli import console
from portrayal.cli import options as o

PANEL = "Decide and share"


def add_to(root: typer.Typer) -> None:
    """Add the commands to the app."""
    root.command(rich_help_panel=PANEL)(card)
    root.command(rich_help_panel=PANEL)(bundle)


def card(
    audit: o.AuditFolder,
    metadata: Annotated[
        bool,
        typer.Option("--metadata", help="Print the model-index for the card's header."),
    ] = False,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model's name in the model-index.")
    ] = None,
) -> None:
    """Print the evaluation section of a model card as Markdown, or its metadata as YAML."""
    from portrayal.audit import AuditFolder
    from portrayal.findings import Results
    from portrayal.generators import notice
    from portrayal.sharing import card_metadata, card_text, yaml_text

    opened = AuditFolder(audit)
    results = Results.read(opened)
    if metadata:
        console.line(yaml_text(card_metadata(results, name)))
        return
    images = opened.images(columns=("status",)).filter("status = 'ok'").shape[0]
    console.line(card_text(results, images=images, notice=notice(opened.generator)).rstrip())


def bundle(
    audit: o.AuditFolder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The archive (default: AUDIT.zip)."),
    ] = None,
    images: Annotated[
        bool,
        typer.Option("--images", help="Include the generated images (default: not)."),
    ] = False,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The bundle's title.")] = None,
    author: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An author; may be repeated.")
    ] = None,
    licence: Annotated[
        str, typer.Option(metavar="ID", help="The licence: an SPDX id such as CC-BY-4.0, or a URL.")
    ] = "",
    json: o.Json = False,
) -> None:
    """Write one archive to hand on and cite: results, report, measurements, identities, hashes."""
    from portrayal import runner
    from portrayal.audit import AuditFolder
    from portrayal.sharing import About

    opened = AuditFolder(audit)
    about = About(
        title or f"How {opened.generator.name} portrays people",
        tuple(author or ()),
        licence,
        images,
    )
    done = runner.bundle(opened, out or Path(f"{opened.path.name}.zip"), about=about)
    if json:
        console.as_json(done.as_dict())
        return
    console.say(done.sentence())
    if not licence:
        console.say("no licence is stated: others may not use it; add one with --licence CC-BY-4.0")
