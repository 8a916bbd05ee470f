"""Which column of a table contains the captions, and which the images."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from portrayal.corpora.sources import ImageColumn
from portrayal.errors import CorpusError, one_of

TEXTS = ("text", "caption", "prompt", "alt", "title", "description", "txt")
"""Names of caption columns, in any case; the first that is there is taken."""
IMAGES = ("image", "jpg", "jpeg", "png", "webp", "image_bytes", "img", "picture", "bytes")
FILES = ("image_path", "file_name", "filename", "image_file", "path", "image", "file")
LINKS = ("url", "image_url", "link", "href", "src")
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Columns:
    """What the user says about columns; None where they are to be found."""

    text: str | None = None
    images: str | None = None
    root: str | None = None

    def root_of(self, path: str) -> str:
        """Return the folder that a table's paths of images start from."""
        if self.root is not None:
            return self.root if "://" in self.root else os.path.abspath(self.root)
        return path.rsplit("/", 1)[0]


class NoText(CorpusError):
    """A table has no column of captions."""


def text_column(schema: pa.Schema, wanted: str | None) -> str:
    """Return the column of the captions.

    Raises:
        NoText: There is none.
    """
    texts = [str(field.name) for field in schema if is_text(field.type)]
    if wanted is not None:
        if wanted in texts:
            return wanted
        if wanted in schema.names:
            raise NoText(f"column {wanted} holds {schema.field(wanted).type}, not text")
        raise NoText(f"no column {wanted}; there are: {_shown(schema.names)}")
    by_name = {name.lower(): name for name in reversed(texts)}
    found = next((by_name[name] for name in TEXTS if name in by_name), None)
    strings = [str(field.name) for field in schema if _is_string(field.type)]
    if found is None and len(strings) == 1:
        found = strings[0]
    if found is None:
        raise NoText(f"no text column among {_shown(schema.names)}; name it with `text`")
    return found


def images_column(
    schema: pa.Schema, wanted: str | None, *, text: str, root: str
) -> ImageColumn | None:
    """Return how the table stores images; None where it has none.

    Raises:
        CorpusError: The wanted column is not there or cannot hold images.
    """
    if wanted is not None:
        if wanted not in schema.names:
            raise CorpusError(f"no column {wanted} for images; there are: {_shown(schema.names)}")
        found = _images(schema.field(wanted), root)
        if found is None:
            raise CorpusError(
                f"column {wanted} holds {schema.field(wanted).type}; wanted: bytes, a path, or a "
                "struct of both"
            )
        return found
    fields = {field.name.lower(): field for field in schema if field.name != text}
    for name in IMAGES:
        if name in fields and not _is_string(fields[name].type):
            found = _images(fields[name], root)
            if found is not None:
                return found
    files = (fields[name] for name in FILES if name in fields and _is_string(fields[name].type))
    field = next(files, None)
    return None if field is None else _images(field, root)


def link_column(schema: pa.Schema, *, text: str) -> str:
    """Return the column of the images' addresses; "" where there is none."""
    by_name = {field.name.lower(): field for field in schema if field.name != text}
    fields = (by_name[name] for name in LINKS if name in by_name)
    return next((str(field.name) for field in fields if is_text(field.type)), "")


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column can hold captions: strings, also as bytes without a mark."""
    return _is_string(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)


def _is_string(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _images(field: pa.Field, root: str) -> ImageColumn | None:
    kind = field.type
    if pa.types.is_struct(kind) and kind.get_field_index("bytes") >= 0:
        return ImageColumn("struct", field.name, root)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return ImageColumn("bytes", field.name)
    return ImageColumn("file", field.name, root) if _is_string(kind) else None


def _shown(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return one_of(list(names[:_SHOWN])) + more if names else "none"
