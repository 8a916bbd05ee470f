"""validate: how often a measurer is right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from portrayal.cli import console
from portrayal.cli import options as o

if TYPE_CHECKING:
    from portrayal.findings import Validation


def add_to(root: typer.Typer) -> None:
    """Add the command to the app."""
    root.command(rich_help_panel="Human raters")(validate)


def validate(
    measurer: Annotated[
        str, typer.Argument(metavar="MEASURER", help="As for --measurer, such as faces.")
    ],
    images: Annotated[
        Path, typer.Argument(metavar="IMAGES", parser=o.location, help="A folder, or an audit.")
    ],
    truth: Annotated[
        Path, typer.Option(help="CSV or Parquet of known labels: image, axis, label.")
    ],
    study: Annotated[
        str | None, typer.Option(help="Take the axes of this study (default: the default axes).")
    ] = None,
    source: Annotated[str, typer.Option(help="Say in words which images these are.")] = "",
    store: Annotated[
        bool, typer.Option("--store/--no-store", help="Store the result for all reports.")
    ] = True,
    json: o.Json = False,
) -> None:
    """Measure how often a measurer is right, and show it in every report that uses it."""
    from portrayal.importers import said_as_read
    from portrayal.runner import validate as try_measurer
    from portrayal.studies import load_study

    asked = None if study is None else load_study(study)
    done = try_measurer(measurer, images, truth=truth, study=asked, source=source, store=store)
    if json:
        console.as_json([one.as_dict() for one in done.validations])
        return
    for one in done.validations:
        _say(one)
    if done.read_as:
        console.say(said_as_read(done.read_as))
    for axis in done.broken_down_by:
        console.say(f"{axis!r} is not validated: errors on other axes are broken down by it")
    for line in done.skipped:
        console.say(f"not validated: {line}")
    for file in done.files:
        console.say(f"stored: {file}")


def _say(one: Validation) -> None:
    from portrayal.numbers import interval, number, percent

    accuracy = "cannot be told, and is not stored: the images show fewer than two groups"
    if one.accuracy is not None:
        accuracy = f"{number(one.accuracy)} (95% CI {number(one.low)} to {number(one.high)})"
    console.say(f"{one.measurer.name} on {one.axis}, {one.source}: balanced accuracy {accuracy}")
    rows = [
        (f"{group.group} · {stratum}" if stratum else group.group, _labels(group.labels),
         f"{group.right} of {group.known}", interval(group.low, group.high, form=percent))
        for stratum, groups in (("", one.groups), *one.by.items())
        for group in groups
    ]  # fmt: skip
    console.plain_table(("images of", "labels given", "right", "95% CI"), rows)
    if one.calibration:
        bins = [(number(b.probability), percent(b.right), b.n) for b in one.calibration]
        console.plain_table(("mean probability", "right", "labels"), bins)


def _labels(labels: dict[str, int] | object) -> str:
    assert isinstance(labels, dict)
    return ", ".join(f"{label} {n}" for label, n in labels.items())
