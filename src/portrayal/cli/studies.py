"""studies: the questions it answers, one study in full, a file to start from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from portrayal.cli import console
from portrayal.cli import options as o

app = typer.Typer(help="List, show and start studies.", invoke_without_command=True)


def add_to(root: typer.Typer) -> None:
    """Add the group to the app."""
    root.add_typer(app, name="studies", rich_help_panel="Studies")


@app.callback()
def listing_unless_told(context: typer.Context, json: o.Json = False) -> None:
    """List the built-in studies with what they cost."""
    if context.invoked_subcommand is None:
        listing(json)


@app.command("list")
def listing(json: o.Json = False) -> None:
    """List the built-in studies with what they cost."""
    from portrayal.studies import builtin_studies

    rows = builtin_studies()
    if json:
        console.as_json([
            {"name": s.name, "kind": s.kind, "title": s.title, "question": s.question,
             "citation": s.citation, "prompts": s.prompts, "images": s.images,
             "studies": list(s.studies)}
            for s in rows
        ])  # fmt: skip
        return
    console.studies(rows)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A built-in study or suite, or a TOML file.")],
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Only the prompts, one a line.")
    ] = False,
    json: o.Json = False,
) -> None:
    """Show one study: question, citation, prompts, cost."""
    from portrayal.studies import load_studies

    found = load_studies(name)
    if json:
        console.as_json([study.as_dict() for study in found])
        return
    if prompts:
        for text in dict.fromkeys(p.text for study in found for p in study.prompts()):
            typer.echo(console.printable(text))
        return
    for study in found:
        console.study(study, name if len(found) == 1 else study.name)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The study's name; NAME.toml is written here.")],
    kind: Annotated[
        str, typer.Option("--kind", metavar="KIND", help="Which kind of study.")
    ] = "association",
) -> None:
    """Write a commented study file to start from."""
    from portrayal.studies import starter_text

    path = _place(name)
    _write(path, starter_text(kind, path.stem))
    corpus = "--corpus CORPUS " if kind == "amplification" else ""
    console.say(f"wrote {path}; try: portrayal run {path} {corpus}--out audits/{path.stem}")


@app.command("from-manifest")
def from_manifest(
    manifest: Annotated[
        Path, typer.Argument(metavar="CSV", help="The manifest of a folder of images.")
    ],
    name: Annotated[
        str, typer.Option(help="The study's name; NAME.toml is written here.")
    ] = "from-manifest",
) -> None:
    """Draft a composition study from the prompts and factors of a manifest."""
    from portrayal.importers import manifest_prompts
    from portrayal.studies import drafted_text

    path = _place(name)
    found = manifest_prompts(manifest)
    _write(path, drafted_text(path.stem, found))
    console.say(
        f"wrote {path} with {len(found)} prompts; read it, then: portrayal run {path} --out AUDIT"
    )


def _place(name: str) -> Path:
    """Return the file of a new study."""
    from portrayal.errors import StudyError

    path = Path(name if name.endswith(".toml") else f"{name}.toml")
    if not re.fullmatch(r"\w[\w.-]*", path.stem) or path.name != str(path):
        raise StudyError(
            f"study name {name!r}: allowed are letters, digits, - _ . and no folder; the file is "
            "written here"
        )
    return path


def _write(path: Path, text: str) -> None:
    """Write a new study file; one that is there stays as it is."""
    from portrayal.errors import StudyError

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise StudyError(f"{path}: exists already; choose another name") from error
    except OSError as error:
        raise StudyError(f"{path}: cannot be written: {error.strerror}") from error
