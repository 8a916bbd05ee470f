"""MAP.toml files for what we hand out: whoever brings the answers back need not write one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from portrayal.raters.questions import Question, QuestionSet


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file with answers will look.

    Attributes:
        format: As in a map.
        rater: The column with the rater.
        about: What columns about the image are called.
        answer: What the column of a question is called.
        time: The column with the time of the vote.
        ticked: Where each answer has a column of its own: what it is called.
        lines: Further lines of the map.
    """

    format: str
    rater: str
    about: str = "{name}"
    answer: str = "{question}"
    time: str = ""
    ticked: str = ""
    lines: tuple[str, ...] = ()


VOTES_CSV = Layout(
    "csv",
    "rater",
    time="answered_at",
    lines=("[only]", 'check = [""]   # attention checks are no votes', ""),
)
"""What the rating page's admin downloads."""

LABEL_STUDIO = Layout("labelstudio", "completed_by")

MTURK = Layout(
    "mturk",
    "WorkerId",
    about="Input.{name}",
    answer="Answer.{question}",
    ticked="Answer.{question}.{key}",
    lines=("[only]", 'AssignmentStatus = ["Submitted", "Approved"]', ""),
)


def map_text(questions: QuestionSet, layout: Layout, *, factors: Sequence[str]) -> str:
    """Return the MAP.toml for a file that raters or their tool will bring back.

    Args:
        questions: What is asked.
        layout: How that file will look.
        factors: The factors of the images.
    """

    def column(name: str) -> str:
        return _quoted(layout.about.format(name=name))

    lines = [
        "# How to read the raters' answers: portrayal votes FILE --map THIS",
        f"format = {_quoted(layout.format)}",
        f"image = {column('key')}",
        f"rater = {_quoted(layout.rater)}",
        f"prompt = {column('prompt')}",
        f"seed = {column('seed')}",
        *([f"time = {_quoted(layout.time)}"] if layout.time else []),
        "",
        *layout.lines,
    ]
    if factors:
        lines.append("[factors]")
        places = factor_columns(factors)
        lines += [f"{_quoted(name)} = {column(place)}" for name, place in places.items()]
    for question in questions.questions:
        lines += ["", "[[questions]]", *_question(question, layout)]
    return "\n".join(lines) + "\n"


def factor_columns(names: Sequence[str]) -> dict[str, str]:
    """Return what the columns of factors are called: letters, digits and _ only, all different."""
    columns: dict[str, str] = {}
    for name in names:
        column = "factor_" + re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        columns[name] = column if column not in columns.values() else f"{column}_{len(columns)}"
    return columns


def _question(question: Question, layout: Layout) -> list[str]:
    lines = [f"id = {_quoted(question.id)}", f"text = {_quoted(question.text)}"]
    if question.answers and layout.ticked:
        ticked = {key: layout.ticked.format(question=question.id, key=key) for key in question.keys}
        lines.append(f"columns = {_inline(ticked)}")
    else:
        lines.append(f"column = {_quoted(layout.answer.format(question=question.id))}")
    if question.answers:
        lines.append(f"groups = {_quoted(question.groups)}")
        lines.append(f"cant_judge = {_quoted(question.cant_judge)}")
    if question.axis:
        lines.append(f"axis = {_quoted(question.axis)}")
    for name, conditions in (("asked_if", question.asked_if), ("counts_if", question.counts_if)):
        if conditions:
            lines.append(f"{name} = {_inline(conditions)}")
    return lines


def _inline(table: Mapping[str, str | Sequence[str]]) -> str:
    inside = [f"{_quoted(name)} = {_quoted(value)}" for name, value in table.items()]
    return f"{{ {', '.join(inside)} }}"


def _quoted(value: str | Sequence[str]) -> str:
    """Return a TOML string or list of strings: JSON's escapes are TOML's, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
