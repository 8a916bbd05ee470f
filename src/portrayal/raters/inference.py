"""A map for a raters' file without one: told from the names of its columns and from its rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from portrayal.errors import ImportFileError, one_of
from portrayal.raters.mapping import VoteMap
from portrayal.raters.questions import Question, default_questions, validated
from portrayal.raters.rows import Row, delimiter_of, rows_of
from portrayal.records import NOBODY

IMAGES = ("key", "image", "image_id", "image_key")
PROMPTS, SEEDS = ("prompt", "caption"), ("seed",)
RATERS = ("rater", "worker", "annotator", "completed_by", "workerid", "rater_id", "worker_id")
TIMES = ("time", "answered_at", "submittime", "completed_at", "updated_at")
NOT_ASKED = frozenset(
    {"check", "comment", "attribute_html", "task", "id", "lead_time", "annotation_id",
     "annotator", "created_at", "updated_at"}
)  # fmt: skip
"""Columns that are neither answers nor factors."""
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")
CANT_JUDGE = (
    "can't judge", "cannot judge", "can't tell", "cannot tell", "unsure", "unknown", "unclear",
    "poor quality", "both visible",
)  # fmt: skip


class InferredMap(NamedTuple):
    """Files with the same columns, and what these mean."""

    files: tuple[Path, ...]
    map: VoteMap


def inferred_maps(
    paths: Sequence[Path], axes: Mapping[str, Sequence[str]] | None = None
) -> list[InferredMap]:
    """Return the maps of plain CSV files and of exports of Label Studio, by their columns.

    The image and the rater are found by the names of their columns. A column in which raters of
    one image differ, or whose name is that of a question or axis, is a question; any other one is
    a factor. Files with the same columns are read together.

    Args:
        paths: The files.
        axes: Groups by axis, as an audit's studies have them: a column of such a name has these
            answers, whichever of them the file happens to contain.

    Raises:
        ImportFileError: The image or the rater cannot be told.
    """
    known = _known_questions(axes or {})
    groups: dict[tuple[str, ...], list[tuple[Path, list[Row]]]] = {}
    for path in paths:
        mark = delimiter_of(path)
        rows = list(rows_of(path, _plain(path, mark)))
        if not rows:
            raise ImportFileError(f"{path.name}: has no votes; wanted: one row per vote")
        named = tuple(dict.fromkeys(name for row in rows for name in row.cells))
        groups.setdefault((_form(path), mark, *named), []).append((path, rows))
    found = []
    for (_, mark, *columns), members in groups.items():
        every = [row for _, rows in members for row in rows]
        own = tuple(path for path, _ in members)
        found.append(InferredMap(own, _inferred(own[0], mark, columns, every, known)))
    return found


def _form(path: Path) -> str:
    return "labelstudio" if path.suffix.lower() == ".json" else "csv"


def _plain(path: Path, mark: str) -> VoteMap:
    """Return a map that reads the rows of a file, whatever they mean."""
    return VoteMap.model_validate(
        {
            "format": _form(path), "delimiter": mark, "image": "?", "rater": "?",
            "questions": [{"id": "q", "column": "?"}],
        }
    )  # fmt: skip


def _inferred(
    path: Path,
    mark: str,
    columns: Sequence[str],
    rows: Sequence[Row],
    known: Mapping[str, Question],
) -> VoteMap:
    rater, image = _one(columns, RATERS), _one(columns, IMAGES)
    prompt, seed = _one(columns, PROMPTS), _one(columns, SEEDS)
    names = [image] if image else [prompt, seed] if prompt and seed else []
    if not rater or not names:
        lack = "the rater" if not rater else "the image"
        wanted = one_of(RATERS if not rater else (*IMAGES, "prompt and seed"))
        raise ImportFileError(
            f"{path.name}: no column for {lack}; allowed: {wanted}; or say with a map which "
            f"columns mean what. There are: {one_of(columns)}"
        )
    placed = {*names, rater, prompt, seed, _one(columns, TIMES), *NOT_ASKED}
    rest = [name for name in columns if name not in placed]
    asked = [name for name in rest if _named(name, rows, known) or _differs(rows, names, name)]
    if not asked:
        _raise_other_answers(rest, rows, known)
        raise ImportFileError(
            f"{path.name}: no column in which raters of one image differ, and none is called as "
            "a question; say with a map which columns are questions"
        )
    found: dict[str, Any] = {
        "format": _form(path), "delimiter": mark, "image": names, "rater": rater,
        "prompt": prompt, "seed": seed, "time": _one(columns, TIMES),
        "factors": {
            name.removeprefix("factor_"): name
            for name in rest
            if name not in asked and all(name in row.cells for row in rows)
        },
        "questions": [_question(name, rows, asked, known) for name in asked],
    }  # fmt: skip
    return validated(VoteMap, found, source=f"{path.name} (inferred map)")


def _raise_other_answers(
    columns: Sequence[str], rows: Sequence[Row], questions: Mapping[str, Question]
) -> None:
    """Raise where a column is called as a question, and has none of its answers."""
    for column in columns:
        if (known := questions.get(column.lower())) is None:
            continue
        given = _given(column, rows)
        first = next((x for x in rows if given and x.cells.get(column, "").strip()), rows[0])
        what = f"{first.cells[column].strip()!r} is" if given else "an empty cell is"
        raise ImportFileError(
            f"{first.where}: {what} no answer to {column!r}; allowed: {one_of(known.keys)}; or "
            "say with a map what it means"
        )


def _one(columns: Sequence[str], known: Sequence[str]) -> str:
    """Return the column with one of the known names, the first known first; "" without one."""
    by_name = {column.lower(): column for column in reversed(columns)}
    return next((by_name[name] for name in known if name in by_name), "")


def _known_questions(axes: Mapping[str, Sequence[str]]) -> dict[str, Question]:
    """Return the questions that a column may be named after, or whose axis it may name."""
    every = default_questions({"perceived gender": ("man", "woman"),
                               "skin tone": ("light skin", "dark skin"),
                               "culture": ("western", "non-western"), **axes})  # fmt: skip
    named = {one.id: one for one in every.choices} | {one.axis: one for one in every.axes}
    return {name.lower(): one for name, one in named.items()}


def _given(column: str, rows: Sequence[Row]) -> list[str]:
    return sorted({row.cells.get(column, "").strip() for row in rows} - {""})


def _named(column: str, rows: Sequence[Row], questions: Mapping[str, Question]) -> Question | None:
    """Return the known question of a column that has its answers, or none that name a group."""
    known = questions.get(column.lower())
    if known is None:
        return None
    answers = {*known.keys, *(one.text for one in known.answers)}
    given = _given(column, rows)
    only_none = bool(given) and all(_names_none(one, known) for one in given)
    return known if only_none or answers.intersection(given) else None


def _names_none(answer: str, known: Question | None) -> bool:
    """Tell whether an answer says that one cannot judge, or that there is nobody to be judged."""
    nobody = answer == NOBODY and (known is None or bool(known.axis))
    return nobody or answer.lower().startswith(CANT_JUDGE)


def _differs(rows: Sequence[Row], image: Sequence[str], column: str) -> bool:
    """Tell whether two rows of one image have different values in a column."""
    seen: dict[tuple[str, ...], str] = {}
    for row in rows:
        value = row.cells.get(column, "")
        if seen.setdefault(tuple(row.cell(name) for name in image), value) != value:
            return True
    return False


def _question(
    column: str, rows: Sequence[Row], asked: Sequence[str], questions: Mapping[str, Question]
) -> Mapping[str, Any]:
    given, known = _given(column, rows), _named(column, rows, questions)
    keys = {} if known is None else {one.text: one.key for one in known.answers}
    values = {one: keys.get(one, one) for one in given}
    if known is not None:
        values |= {one: one for one in known.keys if one not in values}
    every = list(dict.fromkeys(values.values()))
    sure = known.cant_judge if known is not None else ()
    unsure = [one for one in every if one in sure or _names_none(one, known)]
    found: dict[str, Any] = {
        "id": _NOT_IN_IDS.sub("-", column).strip("-._"), "column": column,
        "values": values, "cant_judge": unsure,
        "groups": [one for one in every if one not in unsure],
    }  # fmt: skip
    if known is None:
        return {**found, "axis": column if len(found["groups"]) > 1 else ""}
    if others := [one for one in found["groups"] if one not in known.keys]:
        row = next(row for row in rows if row.cells.get(column, "").strip() == others[0])
        raise ImportFileError(
            f"{row.where}: {others[0]!r} is no answer to {column!r}; allowed: "
            f"{one_of(known.keys)}; or say with a map what it means"
        )
    counts_if = {name: keys for name, keys in known.counts_if.items() if name in asked}
    return {
        **found, "id": known.id, "axis": known.axis, "counts_if": counts_if,
        "groups": list(known.groups),
    }  # fmt: skip
