"""Tasks for other rating tools: Label Studio and Mechanical Turk.

Beside the tasks stand the images, the form for the tool, and the MAP.toml that reads the answers
when they come back.
"""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.errors import ImportFileError, one_of
from portrayal.raters import forms
from portrayal.raters.layouts import LABEL_STUDIO, MTURK, Layout, factor_columns, map_text
from portrayal.raters.questions import QuestionSet
from portrayal.raters.subjects import Subject, chosen_questions, chosen_study, find_subjects

TaskFormat = Literal["labelstudio", "mturk"]
FORMATS: tuple[str, ...] = get_args(TaskFormat)

_IMAGES = "images"
_UNREACHED: Mapping[str, str] = {
    "labelstudio": (
        "Label Studio must be served the images: serve {folder} on the web or on this machine, "
        "and export again with `url`, as http://localhost:8000"
    ),
    "mturk": (
        "Mechanical Turk cannot show these images, tasks.csv has paths instead of addresses: put "
        "{folder} on a web server, and export again with `url` https://..."
    ),
}
"""By format, what to do where no address of the images was given."""
_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class TaskExport:
    """What an export wrote.

    Attributes:
        tasks: How many images.
        folder: Where.
        files: The files beside the images.
        note: What is still to be done before the tool can show the images; "": nothing.
    """

    tasks: int
    folder: str
    files: tuple[str, ...]
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {"tasks": self.tasks, "folder": self.folder, "files": list(self.files)}

    def sentence(self) -> str:
        """Say it in one line."""
        return f"wrote {self.tasks} tasks to {self.folder}: {one_of(self.files)}, {_IMAGES}/"


def export_tasks(
    audit: str | Path,
    out: Path,
    *,
    format: TaskFormat = "labelstudio",
    study: str | None = None,
    questions: Path | None = None,
    attribute: str | None = None,
    url: str = "",
) -> TaskExport:
    """Write the images of an audit as tasks for another tool.

    The tool shows raters what an image was meant to show, never the prompt with its intervention.

    Args:
        audit: The audit folder.
        out: Where the files go; created if absent.
        format: Which tool.
        study: Whose images; None where the audit has one study, or none at all.
        questions: A file of questions; None: those of the paper for the study's axes.
        attribute: The factor that says what an image is meant to show.
        url: Where the tool will find the folder `images`; "": beside the tasks.

    Raises:
        ImportFileError: The format is unknown, or the folder cannot be written.
        AuditError: There is nothing to rate.
    """
    if format not in FORMATS:
        raise ImportFileError(f"task format is {format!r}; allowed: {one_of(FORMATS)}")
    opened = AuditFolder(audit)
    chosen = chosen_study(opened, study)
    asked = chosen_questions(chosen, questions)
    subjects = find_subjects(opened, chosen, attribute=attribute)
    factors = sorted({name for subject in subjects for name in subject.factors})
    layout, write = _TOOLS[format]
    try:
        names = _write_images(opened, subjects, out / _IMAGES)
        prefix = url if not url or url.endswith(("/", "=")) else f"{url}/"
        rows = [
            _row(subject, f"{prefix}{_IMAGES}/{names[subject.image]}", factors)
            for subject in subjects
        ]
        files = write(out, rows, asked)
        text = map_text(asked, layout, factors=factors)
        (out / "map.toml").write_text(text, encoding="utf-8")
    except OSError as error:
        raise ImportFileError(f"{out}: cannot write there: {error.strerror}") from error
    note = "" if url else _UNREACHED[format].format(folder=out)
    return TaskExport(len(rows), str(out), (*files, "map.toml"), note)


def _row(subject: Subject, address: str, factors: Sequence[str]) -> dict[str, Any]:
    return {
        "image": address,
        "key": subject.image,
        "prompt": subject.prompt,
        "seed": subject.seed,
        "attribute": subject.attribute,
        **{
            column: subject.factors.get(name, "")
            for name, column in factor_columns(factors).items()
        },
    }


def _write_images(audit: AuditFolder, subjects: Sequence[Subject], folder: Path) -> dict[str, str]:
    """Write the images under their keys; return the file names."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = [subject.image for subject in subjects]
    names = {}
    for start in range(0, len(keys), _AT_ONCE):
        for key, data in audit.read_images(keys[start : start + _AT_ONCE]).items():
            with Image.open(io.BytesIO(data)) as image:
                names[key] = f"{key}.{(image.format or 'png').lower()}"
            (folder / names[key]).write_bytes(data)
    return names


def _label_studio(
    out: Path, rows: Sequence[dict[str, Any]], questions: QuestionSet
) -> tuple[str, ...]:
    tasks = json.dumps([{"data": row} for row in rows], indent=1, ensure_ascii=False)
    (out / "tasks.json").write_text(tasks + "\n", encoding="utf-8")
    (out / "config.xml").write_text(forms.label_studio(questions), encoding="utf-8")
    return "tasks.json", "config.xml"


def _mturk(out: Path, rows: Sequence[dict[str, Any]], questions: QuestionSet) -> tuple[str, ...]:
    with (out / "tasks.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*rows[0], "attribute_html"], lineterminator="\n")
        table.writeheader()
        for row in rows:
            # Mechanical Turk puts cells into the page as they are.
            table.writerow({**row, "attribute_html": html.escape(row["attribute"])})
    (out / "template.html").write_text(forms.mturk(questions), encoding="utf-8")
    return "tasks.csv", "template.html"


_Writer = Callable[[Path, Sequence[dict[str, Any]], QuestionSet], tuple[str, ...]]
_TOOLS: dict[str, tuple[Layout, _Writer]] = {
    "labelstudio": (LABEL_STUDIO, _label_studio),
    "mturk": (MTURK, _mturk),
}
