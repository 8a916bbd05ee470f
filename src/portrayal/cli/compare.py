"""compare: several audits side by side; and `run` with several models."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.cli.analysis_options import with_comparing
from portrayal.numbers import interval, number, p_value

if TYPE_CHECKING:
    from portrayal.comparison import DifferenceVerdict, ModelComparison, ModelDifference
    from portrayal.runner import Session

PAGE = "comparison.html"
MOST_LINES = 12
"""Questions of one verdict that a terminal lists; the page has them all."""

Margin = Annotated[
    float,
    typer.Option(
        "--margin",
        metavar="POINTS",
        min=0.1,
        max=99,
        help="Points that would matter: shares that differ by less are equivalent (default: 5).",
        show_default=False,
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(rich_help_panel="Decide and share")(compare)


@with_comparing
def compare(
    audits: Annotated[
        list[Path],
        typer.Argument(
            metavar="AUDIT", parser=o.location, help="Two audits or more, the baseline first."
        ),
    ],
    margin: Margin = 5.0,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="Name a model, once for each audit, in order."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help=f"Write the page here (default: {PAGE})."),
    ] = None,
    json: o.Json = False,
    *,
    analysis: Any,
) -> None:
    """Compare models, checkpoints or settings: every share, refusal rate and estimate.

    Images of the same prompt and seed are compared in pairs; q is over all questions.

    Shares without a significant difference are tested for equivalence within --margin points.
    """
    from portrayal import compare as compare_models

    found = compare_models(*audits, margin=margin / 100, names=name or None, analysis=analysis)
    page = None if json and out is None else _write(found, out or Path(PAGE))
    if json:
        console.as_json(found.as_dict())
        return
    say_comparison(found)
    console.say(f"page: {page}")


def run_each(
    models: Sequence[str], out: Path, carry_out: Callable[[str, Path], Session], *, json: bool
) -> None:
    """Run a study with several models, one audit for each under a folder, and compare them.

    Args:
        models: Their names.
        out: The folder.
        carry_out: Runs one model into one audit.
        json: Print JSON only.
    """
    from portrayal import compare as compare_models

    names = _folder_names(models)
    sessions = [carry_out(model, out / name) for model, name in zip(models, names, strict=True)]
    found = compare_models(*(one.path for one in sessions), names=list(dict.fromkeys(names)))
    page = _write(found, out / PAGE)
    if json:
        console.as_json(found.as_dict())
        return
    say_comparison(found)
    console.say(f"page: {page}")


def _write(found: ModelComparison, file: Path) -> Path:
    from portrayal.report import write_comparison

    return write_comparison(found, file)


def _folder_names(models: Sequence[str]) -> list[str]:
    """Return a folder name for each model: its last part, or as much as tells it apart.

    Raises:
        SettingError: A model is named twice.
    """
    from portrayal.errors import SettingError

    if len(set(models)) < len(models):
        raise SettingError("model", "names a model twice; allowed: different models")
    whole = [re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.") for model in models]
    last = [re.sub(r"[^A-Za-z0-9._-]+", "-", Path(model).name).strip("-.") for model in models]
    for names in (last, whole):
        if len(set(names)) == len(names) and all(names):
            return names
    return [f"{name}-{n}" for n, name in enumerate(whole, 1)]


def say_comparison(found: ModelComparison) -> None:
    """Print what differs, what is worse, what is equivalent and what is open, in words."""
    if len(found.models) > 2:
        _table(found)
    for sentence in found.conclusions():
        console.told(sentence, "bold")
    if found.together():
        console.told(found.together())
    _group(found, "Different", ("differ", "differ slightly"))
    worse = found.side_effects()
    if worse:
        console.told(f"Of these, worse in the second model ({len(worse)})", "bold")
        for one in worse:
            console.told(one.sentence(), "", 2)
    margin = number(100 * found.margin).removesuffix(".0")
    _group(found, f"Shown to differ by less than {margin} points", ("equivalent",))
    _group(found, "No conclusion: neither a difference nor equivalence is shown", ("undecided",))
    _group(found, "Not enough data", ("no data",))
    if found.notes:
        console.told("Beside the numbers", "bold")
    for note in found.notes:
        console.told(note, "", 2)


def _group(found: ModelComparison, title: str, verdicts: tuple[DifferenceVerdict, ...]) -> None:
    rows: list[ModelDifference] = found.of_verdict(*verdicts)
    if not rows:
        return
    console.told(f"{title} ({len(rows)})", "bold")
    several = len(found.models) > 2
    if "differ" in verdicts or "no data" in verdicts:
        for one in rows[:MOST_LINES]:
            console.told(one.sentence(), "", 2)
            console.told(one.in_numbers(found.settings.confidence), "dim", 4)
    else:
        ends = f"{100 * found.settings.confidence:g}% CI"
        console.numbers_table(
            ("question", "change", ends, "q"),
            [
                (
                    f"{one.question} ({one.first}, {one.second})" if several else one.question,
                    f"{one.written(one.before)} to {one.written(one.after)}",
                    interval(one.low, one.high, form=one.in_points),
                    p_value(one.q),
                )
                for one in rows[:MOST_LINES]
            ],
        )
    if len(rows) > MOST_LINES:
        console.told(f"and {len(rows) - MOST_LINES} more: on the page, and with --json", "dim", 2)


def _table(found: ModelComparison) -> None:
    """Print the number of every model, for questions about all prompts of a study."""
    names = [model.name for model in found.models]
    rows = []
    for row in found.table():
        if row.question.level or row.question.measure == "estimate":
            continue
        apart = len(names) * (len(names) - 1) // 2
        together = f"{len(row.together)} of {apart} pairs" if row.together else "none"
        values = [row.question.written(row.numbers[name]) for name in names]
        rows.append((row.question.question, *values, together))
    console.plain_table(("question", *names, "not told apart"), rows)
