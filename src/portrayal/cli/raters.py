"""annotate, votes, import votes, export tasks: what people say about images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from portrayal.cli import bring, console
from portrayal.cli import options as o
from portrayal.cli.exit_codes import in_options
from portrayal.errors import AuditError, SettingError

if TYPE_CHECKING:
    from portrayal.raters import Site

PANEL = "Human raters"

Study = Annotated[str | None, typer.Option(help="Whose images, where there are several studies.")]
Questions = Annotated[Path | None, typer.Option(help="TOML or JSON; default: the study's axes.")]
Attribute = Annotated[str | None, typer.Option(help="The factor that an image is meant to show.")]
VoteMap = Annotated[
    Path | None,
    typer.Option(
        "--map",
        help="MAP.toml: which columns mean what; entigen: the files released with the paper "
        "(default: inferred from the file).",
    ),
]
VoteFiles = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="CSV or JSON of votes, one or several.")
]


def add_to(root: typer.Typer) -> None:
    """Add the commands to the app and to the groups `import` and `export`."""
    root.command(rich_help_panel=PANEL)(annotate)
    root.command(rich_help_panel=PANEL)(votes)
    bring.importing.command("votes")(import_votes)
    bring.exporting.command("tasks")(export_tasks)


def annotate(
    audit: o.AuditFolder,
    study: Annotated[
        list[str] | None,
        typer.Option(metavar="STUDY", help="Study to rate; repeatable (default: all studies)."),
    ] = None,
    selection: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Images as rated in a paper: t2iat-rated, entigen-rated."
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Draw this many images at random to check a measurer's labels."),
    ] = None,
    per_concept: Annotated[
        int | None, typer.Option(min=1, help="Draw this many images of each concept or attribute.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTOR=LEVEL,...", help="Rate only images with these levels."),
    ] = None,
    raters: Annotated[
        int | None, typer.Option(min=1, help="Number of raters (default: 3; with --sample 1).")
    ] = None,
    per_image: Annotated[
        int | None, typer.Option(min=1, help="Raters per image (default: 3; with --sample 1).")
    ] = None,
    checks: Annotated[
        float | None,
        typer.Option(help="Share of images shown twice (default: 0.05; with --sample 0.2)."),
    ] = None,
    questions: Questions = None,
    attribute: Attribute = None,
    known: Annotated[Path | None, typer.Option(help="CSV of images with known answers.")] = None,
    database: Annotated[str | None, typer.Option(help="A PostgreSQL URL; default: SQLite.")] = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Where to listen; 0: any free port.")] = 8000,
    url: Annotated[str | None, typer.Option(help="The address behind a proxy.")] = None,
) -> None:
    """Serve a page on which people rate images; prints their personal links.

    With --sample 60, one person checks a measurer's labels in about ten minutes.
    """
    from portrayal.audit import AuditFolder, quoted
    from portrayal.findings import predicted_labels
    from portrayal.raters import site
    from portrayal.web import listen

    usual = (3, 3, 0.05) if sample is None else (1, 1, 0.2)
    with listen(host, port, url=url) as place:  # first: links are shown once
        prepared = site.prepare(
            audit, study=study, raters=raters or usual[0], questions=questions,
            attribute=attribute, known=known, database=database,
            per_image=per_image or usual[1], checks=usual[2] if checks is None else checks,
            selection=selection, sample=sample, per_concept=per_concept,
            only=_levels(only or ()),
            predicted={} if sample is None else predicted_labels(AuditFolder(audit)),
        )  # fmt: skip
        console.say(prepared.sentence())
        site.serve(
            audit, database=database, at=place,
            on_ready=lambda site: _say_links(site, prepared.tokens),
        )  # fmt: skip
    try:
        console.say(site.collect(audit, database=database).sentence())
        console.say(f"next: portrayal analyze {quoted(audit)}")
    except AuditError as error:  # nobody has rated anything yet: a fine end of a session
        console.say(str(error))


def _levels(only: Sequence[str]) -> dict[str, list[str]]:
    """Read `attribute=doctor,chef`."""
    found: dict[str, list[str]] = {}
    for one in only:
        factor, equals, levels = one.partition("=")
        chosen = [level.strip() for level in levels.split(",") if level.strip()]
        if not equals or not factor.strip() or not chosen:
            raise SettingError("only", f"is {one!r}; allowed: FACTOR=LEVEL,LEVEL")
        found.setdefault(factor.strip(), []).extend(chosen)
    return found


def votes(
    file: VoteFiles,
    vote_map: VoteMap = None,
    rule: Annotated[
        Literal["majority", "unanimous", "majority-certain"],
        typer.Option(help="How votes become a consensus."),
    ] = "majority",
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", parser=o.folder_here, help="Write the tables as CSV."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Score raters' files alone: consensus, diversity, bias, quality, agreement."""
    from portrayal.findings import vote_tables
    from portrayal.raters import score_file

    if csv is not None and csv.exists() and not csv.is_dir():
        raise SettingError("csv", f"is {csv}, which is a file; allowed: a folder, also a new one")
    scored = score_file(file, vote_map, rule=rule)
    if json:
        console.as_json(scored)
        return
    for table in vote_tables(scored):
        if csv is not None:
            console.say(f"table: {console.write_csv(csv, table.name, table.columns, table.rows)}")
            continue
        console.line(f"\n{table.title}")
        console.grouped_table(table.columns, table.rows)
        if table.note:
            console.line(table.note)


def import_votes(
    file: VoteFiles,
    out: o.OutThere,
    vote_map: VoteMap = None,
    group: Annotated[
        str,
        typer.Option(help="Group of raters; an ID in another group is another rater."),
    ] = "raters",
    json: o.Json = False,
) -> None:
    """Store the votes of raters' files with an audit."""
    from portrayal.raters import import_votes as keep

    done = keep(out, file, vote_map, group=group)
    if json:
        console.as_json(done.as_dict())
        return
    console.say(done.sentence())
    bring.say_unasked(done.unasked)


def export_tasks(
    audit: o.AuditFolder,
    to: Annotated[Path, typer.Option("--to", parser=o.folder_here, help="Where the files go.")],
    form: Annotated[
        Literal["labelstudio", "mturk"], typer.Option("--format", help="For which tool.")
    ] = "labelstudio",
    study: Study = None,
    questions: Questions = None,
    attribute: Attribute = None,
    url: Annotated[str, typer.Option(help="Where the tool finds the images.")] = "",
) -> None:
    """Write tasks for Label Studio or Mechanical Turk."""
    from portrayal.raters import export_tasks as write

    done = write(
        audit, to, format=form, study=study, questions=questions, attribute=attribute, url=url
    )
    console.say(done.sentence())
    if done.note:
        console.say(f"warning: {in_options(done.note)}")


def _say_links(site: Site, tokens: Mapping[str, str]) -> None:
    """Print links to standard output, remarks to standard error."""
    for name, token in tokens.items():
        console.line(f"{name}: {site.rater_link(token)}")
    if not tokens:
        console.say("raters keep the links they have; the admin page replaces a lost one")
    console.line(f"admin page (keep this link private): {site.admin_link}")
    console.say("Ctrl-C stops the page; the same command continues")
