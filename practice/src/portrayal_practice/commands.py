"""practice: the embedded world - its truth, its corpus, its training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.numbers import DASH, interval, number
from portrayal.plugins import CommandGroup

app = typer.Typer(
    help="The practice world: truth, corpus, train, variant. Fiction for calibration.",
    no_args_is_help=True,
)


class Whose(StrEnum):
    """Whose truth is asked for."""

    painter = "painter"
    model = "model"


_WHOSE = {
    Whose.painter: "Truth of practice:painter, as planted. The model's own: --of model.",
    Whose.model: "Truth of the practice model, as measured. The painter's: --of painter.",
}


def add_to(root: typer.Typer) -> None:
    """Add the group to the app."""
    root.add_typer(app, name="practice", rich_help_panel="The practice world")


COMMANDS = CommandGroup(add_to)


@app.command()
def corpus(
    n: Annotated[int, typer.Option("--n", min=1, help="How many images.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the Parquet parts.")],
    seed: Annotated[int, typer.Option(help="Another seed, another corpus.")] = 0,
) -> None:
    """Write captions and painted images in the layout of LAION's metadata."""
    from portrayal_practice.corpus import write_corpus

    files = write_corpus(out, n, seed=seed)
    plural = "" if len(files) == 1 else "s"
    console.say(f"wrote {n:,} captions and images in {len(files)} file{plural} to {out}")


@app.command()
def truth(
    study: Annotated[str, typer.Argument(help="A built-in study or a TOML file.")],
    samples: Annotated[
        int, typer.Option(min=100, help="Images per prompt, or texts per set of words.")
    ] = 200,
    of: Annotated[
        Whose, typer.Option(help="Whose truth: the painter's, exact, or the model's, measured.")
    ] = Whose.painter,
    json: o.Json = False,
) -> None:
    """State what a study would find on practice:painter, or on the model, with unlimited images."""
    from portrayal.studies import load_studies
    from portrayal_practice.calibration import measured_truth, study_truth

    with console.progress(json) as show:
        rows = [
            row
            for one in load_studies(study)
            for row in (
                study_truth(one, samples=samples, on_progress=partial(show, one.name))
                if of is Whose.painter
                else measured_truth(one)
            )
        ]
    if json:
        console.as_json(rows)
    else:
        console.out.print(Text(_WHOSE[of], style="dim"))
        show_truths(rows)


@app.command()
def train(
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the model goes.")],
    smoke: Annotated[bool, typer.Option("--smoke", help="A minute on a CPU; no good.")] = False,
) -> None:
    """Train the practice model from nothing; under half an hour on one datacentre GPU."""
    from portrayal_practice.training.recipe import RECIPES
    from portrayal_practice.training.stages import STAGES, Order

    recipe = RECIPES["smoke" if smoke else "full"]
    work = out.with_name(f"{out.name}-images")
    STAGES["all"](Order(recipe=recipe, out=out, work=work, compile=True))
    console.say(f"wrote the practice model to {out}")


@app.command()
def variant(
    name: Annotated[str, typer.Argument(help="more-women, framed or mirrored.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the adapter's file.")],
    steps: Annotated[int, typer.Option(min=1, help="Training steps of 32 images.")] = 400,
) -> None:
    """Train an adapter of the practice model with a known difference, to compare with it."""
    from portrayal_practice.training.variants import VARIANTS, train_variant, variant_table

    variant_table(name)  # a wrong name is known before torch is loaded
    path = train_variant(name, out, steps=steps)
    console.say(
        f"wrote {path}, which {VARIANTS[name].difference}; "
        f"use it with: portrayal run STUDY --model practice --lora {path} --out AUDIT"
    )


def show_truths(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what is true in the practice world as a table that stays readable in 80 columns."""
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("question", ratio=1, overflow="fold")
    for name in ("truth", "95% interval", "how"):
        table.add_column(name, justify="right", no_wrap=True)
    heading = None
    for row in rows:
        if (row["study"], row["statistic"]) != heading:
            heading = (row["study"], row["statistic"])
            table.add_row(Text(" · ".join(heading), style="dim"))
        exact = row["low"] == row["high"]
        table.add_row(
            Padding(Text(row["question"]), (0, 0, 0, 2)),
            number(row["truth"]),
            DASH if exact else interval(row["low"], row["high"]),
            row["how"],
        )
    console.out.print(table)
