"""import, export, repair: images and embeddings in, files out, damage fixed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.cli.model_options import with_model_settings

PANEL = "Manage data"

importing = typer.Typer(help="Import images, embeddings, labels or votes.", no_args_is_help=True)


class _ImagesUnlessTold(TyperGroup):
    """Let `portrayal export AUDIT` mean `portrayal export images AUDIT`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the usual command in where none is named."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["images", *args]
        return super().parse_args(ctx, args)


exporting = typer.Typer(
    cls=_ImagesUnlessTold,
    help="Write images (or, for raters, tasks) as files.",
    no_args_is_help=True,
)

To = Annotated[Path, typer.Option("--to", parser=o.location, help="Where the files go.")]


def add_to(root: typer.Typer) -> None:
    """Add the commands to the app."""
    root.add_typer(importing, name="import", rich_help_panel=PANEL)
    root.add_typer(exporting, name="export", rich_help_panel=PANEL)
    root.command(rich_help_panel=PANEL)(repair)


@importing.command("images")
def import_images(
    source: Annotated[Path, typer.Argument(metavar="DIR", help="Images, or WebDataset tars.")],
    out: o.Out,
    manifest: Annotated[
        Path | None, typer.Option(help="CSV: image, prompt, optional seed, any factor columns.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call the model.")] = None,
    skip_broken: Annotated[
        bool,
        typer.Option("--skip-broken", help="Store broken rows as failed and list them."),
    ] = False,
    json: o.Json = False,
) -> None:
    """Import images that something else generated."""
    from portrayal import importers

    summary = importers.import_images(
        source, out, manifest=manifest, name=name, skip_broken=skip_broken
    )
    if json:
        console.as_json(summary.as_dict())
    else:
        console.say(summary.sentence())


@importing.command("embeddings")
def import_embeddings(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Parquet or .npz.")],
    out: o.OutThere,
    encoder: Annotated[str, typer.Option(help="What to call the encoder.")] = "imported",
    json: o.Json = False,
) -> None:
    """Bring embeddings of the audit's images that something else computed."""
    from portrayal import importers

    summary = importers.import_embeddings(out, file, encoder=encoder)
    if json:
        console.as_json(summary.as_dict())
    else:
        console.say(summary.sentence())


@importing.command("labels")
def import_labels(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV or Parquet of labels.")],
    out: o.OutThere,
    measurer: Annotated[str, typer.Option(help="Name of what gave the labels, as in findings.")],
    axis: Annotated[
        str | None, typer.Option(help="The axis, where the file has no such column.")
    ] = None,
    json: o.Json = False,
) -> None:
    """Import labels that another tool gave the audit's images."""
    from portrayal import importers
    from portrayal.audit import AuditFolder
    from portrayal.studies import known_groups

    audit = AuditFolder(out)
    summary = importers.import_labels(
        audit, file, measurer=measurer, axis=axis, axes=known_groups(audit.studies())
    )
    if json:
        console.as_json(summary.as_dict())
        return
    console.say(summary.sentence())
    say_unasked(summary.unasked)
    for name, labels in summary.unasked_labels.items():
        console.say(
            f"a study that asks about {name!r} needs all of these groups, or no label on the axis "
            f"counts: {', '.join(labels)}"
        )


def say_unasked(axes: Sequence[str]) -> None:
    """Warn of axes on which answers were stored and that no study asks about."""
    if axes:
        console.say(
            f"warning: no study of the audit asks about {', '.join(map(repr, axes))}; the answers "
            "are stored, and count once a study does"
        )


@exporting.command("images")
def export(audit: o.AuditFolder, to: To, json: o.Json = False) -> None:
    """Write images as files, with metadata.csv and, where images were labelled, labels.csv."""
    from portrayal.audit import AuditFolder, export_images
    from portrayal.findings import labels_csv

    opened = AuditFolder(audit)
    summary = export_images(opened, to, beside={"labels.csv": labels_csv(opened)})
    if json:
        console.as_json(summary.as_dict())
    else:
        console.say(summary.sentence())


@with_model_settings
def repair(
    audit: o.AuditFolder,
    model: o.Model = None,
    imported_as: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The name that imported images were given (--name)."),
    ] = None,
    json: o.Json = False,
    *,
    settings: dict[str, Any],
) -> None:
    """Set damaged parts aside and sweep up after killed processes; deletes no image.

    With --model (or --imported-as): write a lost audit.json again, if that model made the images.
    """
    from portrayal.audit import rebuild_header
    from portrayal.audit import repair as fix
    from portrayal.generators import open_generator
    from portrayal.records import Identity

    if model is not None or imported_as is not None:
        identity = (
            open_generator(model, **settings).identity
            if model is not None
            else Identity("folder", imported_as or "", {})
        )
        proved = rebuild_header(audit, identity)
        console.say(f"audit.json written again: {proved} images are by {identity.name}")
    done = fix(audit)
    if json:
        console.as_json(done.as_dict())
    else:
        for line in done.lines():
            console.say(line)
