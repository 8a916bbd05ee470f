"""The table of labels: what every image counts as, by every measurer, on every axis asked about."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from portrayal.audit import AuditFolder, harmless
from portrayal.findings.data import AuditData, Images
from portrayal.findings.groups import Classification
from portrayal.findings.labels import image_labels
from portrayal.findings.measurers import measurer_names, study_measurers
from portrayal.raters import RATERS, Votes, agreed_labels, has_votes, load_votes
from portrayal.records import NOBODY, UNKNOWN, Identity
from portrayal.studies import Axis, Study, in_telling_order, study_from_dict

if TYPE_CHECKING:
    import pandas as pd

LABELS = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("prompt", pa.string(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("axis", pa.string(), nullable=False),
        pa.field("measurer", pa.string(), nullable=False),
        pa.field("person", pa.int64()),
        pa.field("label", pa.string(), nullable=False),
        pa.field("probability", pa.float64()),
        pa.field("raters", pa.int64()),
        pa.field("agreeing", pa.int64()),
    ]
)
"""Columns of the table of labels."""


def labels_table(audit: AuditFolder, studies: Sequence[Study] | None = None) -> pa.Table:
    """Return every label: one row per image, axis and measurer, and one for each of several people.

    `person` counts the people of an image from 1 and is null for the image as a whole;
    `probability` is null where the label follows from a rule (a threshold, the person filter, most
    people of an image). All stored images of the studies' prompts are there, also those beyond what
    a study asks for. A measurer that says nothing on an axis has no rows there.

    What people say has the measurer "raters": how many of an image's `raters` are `agreeing` on the
    label. One answer is enough, also one that checks another measurer, which is no label in shares.

    Args:
        audit: The audit.
        studies: Whose axes and prompts; None: those of all studies asked of the audit, and axes on
            which images were labelled although no study asks about them.
    """
    return pa.concat_tables([LABELS.empty_table(), *label_tables(audit, studies)])


def labels_csv(audit: AuditFolder, studies: Sequence[Study] | None = None) -> str:
    """Return the table of labels as CSV; "" where there is no label."""
    text = io.StringIO()
    writer = csv.DictWriter(text, LABELS.names, lineterminator="\n")
    writer.writeheader()
    rows = 0
    for row in label_rows(audit, studies):
        writer.writerow({name: harmless(value) for name, value in row.items()})
        rows += 1
    return text.getvalue() if rows else ""


def label_rows(
    audit: AuditFolder,
    studies: Sequence[Study] | None = None,
    *,
    prompts: Collection[str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of `labels_table`; with prompts, those of their images alone."""
    for table in label_tables(audit, studies, prompts=prompts):
        for batch in table.to_batches(max_chunksize=4096):
            yield from batch.to_pylist()


def label_tables(
    audit: AuditFolder,
    studies: Sequence[Study] | None = None,
    *,
    prompts: Collection[str] | None = None,
) -> Iterator[pa.Table]:
    """Yield `labels_table` in pieces, one per axis and measurer: all of it may be large."""
    votes = load_votes(audit) if has_votes(audit) else Votes.none()
    every = studies is None
    if studies is None:
        stored = audit.studies().items()
        studies = in_telling_order(
            study_from_dict(data, source=f"{name}.json") for name, data in stored
        )
    asked = list(_asked(studies))
    yield from _tables(audit, votes, asked, prompts)
    if every:
        yield from _tables(audit, votes, _unasked(audit, votes, asked), prompts)


def _tables(
    audit: AuditFolder, votes: Votes, asked: Sequence[_Asked], prompts: Collection[str] | None
) -> Iterator[pa.Table]:
    asked = [
        one._replace(prompts=[text for text in one.prompts if prompts is None or text in prompts])
        for one in asked
    ]
    shared = AuditData(
        audit,
        (prompt for one in asked for prompt in one.prompts),
        (text for one in asked for text in one.axis.texts()),
        axes=(one.axis for one in asked),
        each_copy=True,
    )
    measurers = _machines(audit)
    for title, name, axis, texts in asked:
        wanted = shared.all_images(texts)
        for who, one in measurers.items() if axis.groups else ():
            data = shared.of_study(wanted, one, label=who)
            images = data.images(wanted)
            found = image_labels(images, name, axis, data)
            if found is not None:
                yield _table(images, found, title, who)
        by_people = _people_table(votes, name, title, texts)
        if by_people.num_rows:
            yield by_people


def _machines(audit: AuditFolder) -> dict[str, Identity]:
    """Return the measurers that are not people, by what they are called."""
    measurers = study_measurers(audit)
    named = zip(measurer_names(measurers), measurers, strict=True)
    return {name: one for name, one in named if one.kind != RATERS}


def predicted_labels(audit: AuditFolder) -> dict[str, str]:
    """Return a label of each image by the audit's first measurer, for drawing a sample to check.

    People's labels do not count. Of several axes, the first one that the measurer labels an image
    on is taken.
    """
    found: dict[str, str] = {}
    machine = next(iter(_machines(audit)), None)
    for row in label_rows(audit) if machine is not None else ():
        if row["measurer"] == machine and row["person"] is None:
            found.setdefault(row["key"], f"{row['axis']} {row['label']}")
    return found


class _Asked(NamedTuple):
    """An axis, the name to show it by, and the prompts whose images are labelled on it."""

    title: str
    name: str
    axis: Axis
    prompts: Sequence[str]


def _asked(studies: Sequence[Study]) -> Iterator[_Asked]:
    """Yield every axis once; those of one name that differ are told apart by their study."""
    found: list[tuple[str, Axis, str, dict[str, None]]] = []
    for study in studies:
        for name, axis in study.asked_axes().items():
            same = next((one for one in found if one[:2] == (name, axis)), None)
            if same is None:
                same = (name, axis, study.name, {})
                found.append(same)
            same[3].update(dict.fromkeys(prompt.text for prompt in study.prompts()))
    names = [name for name, *_ in found]
    for name, axis, study_name, prompts in found:
        title = name if names.count(name) == 1 else f"{name} ({study_name})"
        yield _Asked(title, name, axis, list(prompts))


def _unasked(audit: AuditFolder, votes: Votes, asked: Sequence[_Asked]) -> list[_Asked]:
    """Return axes on which images were labelled although no study asks about them."""
    known = {one.name for one in asked}
    texts = list(dict.fromkeys(text for (text,) in audit.images().select("prompt").fetchall()))
    shared = AuditData(audit, texts, (), each_copy=True)
    wanted = shared.all_images(texts)
    groups: dict[str, dict[str, None]] = {}
    for one in _machines(audit).values():
        data = shared.of_study(wanted, one)
        people = data.people.people.values() if data.people is not None else ()
        each = (person.labels for found in people for person in found)
        for labels in itertools.chain(data.labels.values(), each):
            for name, answers in labels.items():
                groups.setdefault(name, {}).update(dict.fromkeys(answers))
    for question in votes.questions.axes if votes.votes else ():
        groups.setdefault(question.axis, {})
    return [
        # What was answered says what the groups are: there may be a single one, without texts.
        _Asked(name, name, Axis.model_construct(groups={
            group: () for group in answers if group not in (UNKNOWN, NOBODY)
        }), texts)
        for name, answers in groups.items() if name not in known
    ]  # fmt: skip


def _people_table(votes: Votes, name: str, axis: str, prompts: Collection[str]) -> pa.Table:
    """Return what people say on an axis of the images of some prompts."""
    wanted = set(prompts)
    rows = []
    for one in agreed_labels(votes, name):
        about = votes.images[one.image]
        if about.prompt in wanted and about.seed is not None:
            rows.append({
                "key": one.image, "prompt": about.prompt, "seed": about.seed, "axis": axis,
                "measurer": RATERS, "label": one.label, "raters": one.raters,
                "agreeing": one.agreeing,
            })  # fmt: skip
    rows.sort(key=lambda row: (row["prompt"], row["seed"]))
    return pa.Table.from_pylist(rows, schema=LABELS)


def _table(images: Images, found: Classification, axis: str, measurer: str) -> pa.Table:
    """Return the labels of some images on an axis; further people of an image follow its row."""
    more = [
        (i, number, person)
        for i, people in enumerate(found.people)
        if people is not None and len(people) > 1
        for number, person in enumerate(people, 1)
    ]
    place = np.array([*range(images.n), *(i for i, _, _ in more)], dtype=np.int64)
    of_people = np.array([one.probability for _, _, one in more], dtype=np.float64)
    probabilities = np.concatenate([found.chosen_probabilities(), of_people])
    rows = pa.array(place)
    columns = [
        pa.array(images.keys, pa.string()).take(rows),
        pa.array(images.prompts, pa.string()).take(rows),
        pa.array(images.seeds, pa.int64()).take(rows),
        pa.repeat(pa.scalar(axis), len(rows)),
        pa.repeat(pa.scalar(measurer), len(rows)),
        pa.array([*[None] * images.n, *(number for _, number, _ in more)], pa.int64()),
        pa.array([*found.labels.tolist(), *(one.label for _, _, one in more)], pa.string()),
        pa.array(probabilities, pa.float64(), from_pandas=True),
        *[pa.nulls(len(rows), pa.int64())] * 2,
    ]
    table = pa.Table.from_arrays(columns, schema=LABELS)
    return table.take(pa.array(np.argsort(place, kind="stable"))) if more else table


class LabelTable:
    """The labels of an audit, one row per image, axis and measurer; see `labels_table`.

    Args:
        audit: The audit, measured and with studies asked of it.
    """

    def __init__(self, audit: AuditFolder) -> None:
        self._table = labels_table(audit)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __repr__(self) -> str:
        return f"LabelTable of {len(self):,} labels; to_frame() returns them"

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html(index=False, max_rows=10)
        return html

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""
        return self._table

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame."""
        frame: pd.DataFrame = self._table.to_pandas()
        return frame
