"""Which training captions a study compares with: one Parquet file a study, and the images' audit.

    selections/<study>.parquet     one row a caption, occupation, and prompt that it is nearest to
    training/                      an audit of the captions' images; the corpus is its generator

The training side is an audit like any other, so that measurers look at its images in the same
way, and stopping and going on work as everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit.files import quoted, write_bytes
from portrayal.audit.folder import AuditFolder
from portrayal.errors import AuditError

TRAINING = "training"
"""The folder of the training side inside an audit."""

SAMPLED = -1
"""In place of a prompt's number: the caption was sampled, whatever the prompt."""

SELECTION = pa.schema(
    [
        pa.field("occupation", pa.string(), nullable=False),
        pa.field("prompt", pa.int32(), nullable=False),
        pa.field("rank", pa.int32(), nullable=False),
        pa.field("source", pa.int32(), nullable=False),
        pa.field("row", pa.int64(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("key", pa.string(), nullable=False),
        pa.field("caption", pa.string(), nullable=False),
        pa.field("indicator", pa.string(), nullable=False),
        pa.field("similarity", pa.float64()),
    ]
)
"""`prompt` is -1 for sampled captions, else the number of the prompt that they are nearest to;
`key` is that of the image in the training audit; `similarity` is the cosine with the prompt, of
a sampled caption the mean over prompts."""

_ABOUT = b"portrayal"


@dataclass(frozen=True, slots=True)
class Selection:
    """The captions of a study, and how they were found.

    Attributes:
        table: In the layout of `SELECTION`.
        about: Identities of corpus, recogniser and sentence encoder; matches by occupation; what
            the choice depended on.
    """

    table: pa.Table
    about: Mapping[str, Any]


def selection_file(audit: Path, study: str) -> Path:
    """Return where the captions of a study are kept."""
    return audit / "selections" / f"{study}.parquet"


def write_selection(audit: AuditFolder, study: str, selection: Selection) -> None:
    """Keep the captions of a study with the audit, in place of earlier ones."""
    text = json.dumps(dict(selection.about), ensure_ascii=False, sort_keys=True)
    table = selection.table.cast(SELECTION).replace_schema_metadata({_ABOUT: text.encode()})
    written = pa.BufferOutputStream()
    pq.write_table(table, written, compression="zstd")
    write_bytes(selection_file(audit.path, study), written.getvalue().to_pybytes())


def read_selection(audit: AuditFolder, study: str) -> Selection | None:
    """Return the captions of a study; None where none were selected yet.

    Raises:
        AuditError: The file is damaged.
    """
    file = selection_file(audit.path, study)
    if not file.exists():
        return None
    try:
        table = pq.read_table(pa.BufferReader(file.read_bytes()))
        about = json.loads((table.schema.metadata or {})[_ABOUT])
        return Selection(table.replace_schema_metadata(None).cast(SELECTION), about)
    except (pa.ArrowException, ValueError, KeyError, OSError) as error:
        raise AuditError(
            f"{file} is damaged: {str(error).splitlines()[0][:120]}; delete it and run the study "
            f"again with `corpus`: portrayal run {study} --out {quoted(audit.path)}"
        ) from error


def corpus_folder(audit: AuditFolder, name: str) -> Path:
    """Return where a corpus is kept that was made for this audit alone."""
    return audit.path / "corpora" / name


def training_folder(audit: AuditFolder) -> Path:
    """Return where the training side of an audit is."""
    return audit.path / TRAINING


def training_audit(audit: AuditFolder) -> AuditFolder | None:
    """Return the training side of an audit; None where there is none."""
    return AuditFolder.find(training_folder(audit))
