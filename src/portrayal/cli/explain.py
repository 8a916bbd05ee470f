"""explain: which word of a prompt causes who is shown?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.cli.engine_options import with_engine
from portrayal.cli.following import following
from portrayal.cli.measurer_options import with_calls, with_measurers
from portrayal.cli.model_options import with_model_settings
from portrayal.numbers import interval, number, p_value, percent

if TYPE_CHECKING:
    from portrayal.kinds.influence import (
        Explanation,
        InfluenceStudy,
        Verdict,
        WordScore,
        WordScores,
    )
    from portrayal.runner import Session

PROMPT = typer.Argument(metavar="PROMPT", help="The prompt to explain.")
GROUP = typer.Option(
    "--group", "-g", help="The group whose share is explained.", show_default="woman"
)
AXIS = typer.Option("--axis", metavar="NAME", help="The group's axis: skin tone, apparent age.")
LIKE = typer.Option(
    "--like", metavar="STUDY",
    help="Take classifier and replacements of a study (influence-doctor: the paper's).",
)  # fmt: skip
TARGET = typer.Option("--target", metavar="SHARE", help="Share a rewritten prompt should reach.")
VERIFY = typer.Option("--verify", metavar="N", min=0, help="New images of each rewritten prompt.")
NAMED = typer.Option("--count-named", help="Count replacements that name a group.")
LEVEL = typer.Option("--level", "-l", help="Most words replaced together; 2 finds pairs.")
TEXTS = typer.Option("--texts", "-t", min=2, help="Texts for each set of replaced words.")
IMAGES = typer.Option("--images", "-n", min=1, help="Images per text.")
BUDGET = typer.Option("--budget", help="Images in all, spent on undecided words.")
SUBSETS = typer.Option("--subsets", min=1, help="At most so many sets of words, sampled.")
WORDS = typer.Option("--words", "-w", help="Masked language model: a folder or a Hub id.")
WORDNET = typer.Option("--wordnet", help="Synonyms and antonyms instead of a language model.")
CHOICE = typer.Option(
    "--choice", help="Texts at random, or the most probable ones.", show_default="sample"
)
AVOID = typer.Option("--avoid", metavar="WORD", help="A word never to be put in; may be repeated.")

_TOWARDS = (200, 100, 60)
_AWAY = (47, 111, 143)
_BAR = 8
_LEAST_SCALE = 0.2
"""A full bar stands for at least so much, so that noise looks like noise."""


def add_to(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(rich_help_panel="Run")(explain)


@with_engine
@with_model_settings
@with_measurers
@with_calls
def explain(
    prompt: Annotated[str, PROMPT],
    group: Annotated[str | None, GROUP] = None,
    axis: Annotated[str | None, AXIS] = None,
    like: Annotated[str | None, LIKE] = None,
    target: Annotated[float | None, TARGET] = None,
    verify: Annotated[int, VERIFY] = 24,
    level: Annotated[int, LEVEL] = 1,
    model: o.Model = None,
    out: o.Out = Path("audits/explain"),
    texts: Annotated[int, TEXTS] = 12,
    images: Annotated[int, IMAGES] = 2,
    budget: Annotated[int | None, BUDGET] = None,
    subsets: Annotated[int | None, SUBSETS] = None,
    words: Annotated[str, WORDS] = "",
    wordnet: Annotated[bool, WORDNET] = False,
    choice: Annotated[Literal["sample", "top"] | None, CHOICE] = None,
    avoid: Annotated[list[str] | None, AVOID] = None,
    count_named: Annotated[bool, NAMED] = False,
    rate: o.Rate = 4.0,
    truncate: o.Truncate = False,
    retry_failed: o.RetryFailed = False,
    json: o.Json = False,
    *,
    measurers: Sequence[str],
    calls: dict[str, Any],
    settings: dict[str, Any],
    engine: Any,
) -> None:
    """Say which word of a prompt causes who is shown, and which one to change."""
    from portrayal import runner
    from portrayal.kinds.influence import PromptQuestion, replaced_by

    transmuter = replaced_by(
        like=like, words=words, wordnet=wordnet, choice=choice, avoid=avoid or (),
        count_named=count_named,
    )  # fmt: skip
    question = PromptQuestion(
        prompt, group, axis=axis, like=like, target=target, verify=verify, level=level,
        draws=texts, images=images, budget=budget, subsets=subsets,
        transmuter=transmuter,
    )  # fmt: skip
    study = question.study()
    models = runner.Models(
        model, settings, measurers, truncate=truncate, engine=engine, calls=calls
    )
    session = runner.Session(out, models=models)
    session.ask(study)
    if not json:
        say_cost(study)
        say_replaced(session)
        session.draw()
        say_missing(session, rate)
    with following(session, json):
        answer = runner.explain(session, retry_failed=retry_failed)
    if json:
        console.as_json(answer.as_dict())
    else:
        show_explanation(answer)


def say_cost(study: InfluenceStudy) -> None:
    """State what will be asked for, before anything is generated."""
    cost, budget = study.cost(), study.budget
    images = f"{cost.images:,} images" if budget is None else f"up to {budget:,} images"
    console.say(
        f"{cost.subsets:,} sets of words (level {study.level}), {cost.texts:,} texts, {images} "
        f"({study.draws} texts per set x {study.images} images)"
        + (f", {study.verify} of each rewritten prompt" if study.verify else "")
    )


def say_replaced(session: Session) -> None:
    """Remark where the answer takes the place of another one about the same prompt."""
    from portrayal import runner

    for name in runner.reworded(session.studies, session.remembered()):
        asked = session.remembered()[name].question
        console.say(f"this answer takes the place of an earlier one: {asked}")


def say_missing(session: Session, rate: float) -> None:
    """Say how many images will be generated, and how long that takes."""
    from portrayal import runner
    from portrayal.findings import duration

    (study,) = session.studies
    (planned,) = runner.plan(study, session.path, rate=rate).studies
    later = max(0, (getattr(study, "budget", None) or 0) - planned.images)
    seconds = (planned.missing + later) / rate
    console.say(
        f"{planned.missing + later} to generate, about {duration(seconds)} at {rate:g} images per "
        "second"
    )


def show_explanation(answer: Explanation) -> None:
    """Print the shaded prompt, the table, pairs and the suggestion."""
    from portrayal.findings import plural

    main = answer.scores.main
    counts = answer.scores.counts
    share = float(counts.sets[()].shares[answer.column])
    console.out.print()
    console.paragraph(shaded(answer))
    console.out.print()
    shown = f"{percent(share)} of the images show {plural(answer.group)}. "
    known = "" if math.isnan(share) else shown
    console.out.print(
        f"{known}[dim]Orange pushes towards {answer.group}, blue away{_beyond_one(main)}.[/dim]"
    )
    if main is not None:
        console.out.print(word_table(answer))
        looks = f", counting {len(answer.scores.looks)} looks" if answer.scores.looks else ""
        console.out.print(
            f"[dim]q: against an influence of up to 5 points, over all words{looks}.[/dim]"
        )
    for line in (*pair_lines(answer), *apart_lines(answer)):
        console.paragraph(line)
    console.paragraph(Text(answer.suggestion, style="bold"))
    console.say(
        f"{counts.images} images labelled by {answer.measurer}, {counts.missing} left out (nobody "
        f"shown, or not usable); {answer.made} generated now. report: {answer.report}"
    )


def _beyond_one(main: WordScores | None) -> str:
    """Say what an influence of more than 1 means, where there can be one."""
    if main is None or main.level < 2:
        return ""
    return f"; at level {main.level} an influence can reach {main.level}"


def shaded(answer: Explanation) -> Text:
    """Return the prompt with every word shaded by its influence; unclear ones are dim."""
    from portrayal.studies import split_words

    prompt = answer.scores.counts.plan.source.text
    text = Text(prompt)
    main = answer.scores.main
    if main is None:
        return text
    scores = [main.of(i, answer.column) for i in range(len(answer.scores.counts.plan.words))]
    largest = max((abs(one.value) for one in scores if not math.isnan(one.value)), default=0.0)
    for position, (word, one) in enumerate(zip(split_words(prompt), scores, strict=True)):
        style = _style(one, largest, named=answer.verdicts[position].is_named)
        if style:
            text.stylize(style, word.start, word.end)
    return text


def word_table(answer: Explanation) -> Table:
    """Return one row per word: influence, a bar, interval, the share with the word replaced."""
    import numpy as np

    main, counts = answer.scores.main, answer.scores.counts
    assert main is not None
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("word", no_wrap=True)
    table.add_column(f"towards {answer.group}", no_wrap=True)
    level = f"{100 * answer.confidence:g}% CI"
    for name in ("influence", level, "q", "if replaced"):
        table.add_column(name, justify="right", no_wrap=True)
    largest = np.nanmax(np.abs(main.scores[:, answer.column]), initial=_LEAST_SCALE)
    for position, word in enumerate(counts.plan.words):
        one, verdict = main.of(position, answer.column), answer.verdicts[position]
        replaced = counts.sets.get((position,))
        share = float(replaced.shares[answer.column]) if replaced else math.nan
        table.add_row(
            Text(word, style="bold" if verdict.is_named else ""),
            _bar(one.value, float(largest), verdict),
            _signed(one.value),
            interval(_or_none(one.low), _or_none(one.high)),
            p_value(_or_none(verdict.q)),
            percent(_or_none(share)),
        )
    return table


def pair_lines(answer: Explanation) -> list[Text]:
    """Return a line for every two words that act only together."""
    found = [pair for pair in answer.as_dict()["pairs"] if pair["only together"]]
    found.sort(key=lambda pair: -abs(pair["interaction"]))
    return [
        Text(
            f"“{pair['words'][0]}” and “{pair['words'][1]}” act only together: interaction "
            f"{pair['interaction']:+.2f} towards {answer.group} "
            f"{interval(pair['low'], pair['high'])}"
        )
        for pair in found[:5]
    ]


def apart_lines(answer: Explanation) -> list[Text]:
    """Return a line for every word whose replacements were set apart, for they name a group."""
    from portrayal.findings import counted

    words = answer.scores.counts.plan.words
    found = [(word, answer.apart(position)) for position, word in enumerate(words)]
    return [
        Text(
            f"“{word}”: {counted(len(texts), 'replacement')} not counted for naming a group, "
            f"such as “{texts[0]}” (--count-named counts them)",
            style="dim",
        )
        for word, texts in found
        if texts
    ]


def _style(one: WordScore, largest: float, *, named: bool) -> str:
    if math.isnan(one.value) or largest == 0:
        return "dim"
    colour = _TOWARDS if one.value > 0 else _AWAY
    if not named:
        return "dim"
    # From a light tint to the full colour, so that the text stays readable on it.
    depth = 0.35 + 0.65 * abs(one.value) / largest
    red, green, blue = (round(255 - (255 - part) * depth) for part in colour)
    ink = "white" if depth > 0.6 else "black"
    return f"bold {ink} on rgb({red},{green},{blue})"


def _bar(value: float, largest: float, verdict: Verdict) -> Text:
    """Return a bar that grows left from the middle for "away", right for "towards"."""
    from portrayal.kinds.influence import SAYS

    if math.isnan(value) or verdict.kind == "too few texts":
        return Text(SAYS[verdict.kind], style="dim")
    size = round(abs(value) / largest * _BAR)
    left = "█" * size if value < 0 else ""
    right = "█" * size if value > 0 else ""
    text = Text(left.rjust(_BAR), style=f"rgb{_AWAY}".replace(" ", ""))
    text.append("│", style="dim")
    return text.append(right.ljust(_BAR), style=f"rgb{_TOWARDS}".replace(" ", ""))


def _signed(value: float) -> str:
    return number(None) if math.isnan(value) else f"{value:+.2f}"


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
