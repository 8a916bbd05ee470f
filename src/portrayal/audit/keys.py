"""Keys computed again from what a row says: who changes a row, or brings one, has another key.

The key of an image follows from the generator in audit.json, the row's prompt and its seed; that of
a text from the text; that of an answer or a look from its own columns. A measurement has the key of
its image, so there is nothing to compute it from: `verification` looks for the image instead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from portrayal.audit import parts
from portrayal.audit.files import quoted
from portrayal.errors import DamagedPart
from portrayal.records import Identity, digest

VOTE_KEY = ("image", "question", "definition", "rater", "answer", "answered_at", "again", "source")
"""What makes two answers of a rater one: all but how long it took."""

LOOK_KEY = ("study", "asked", "question", "data", "n")

_REMEMBERED = 4096
"""Prompts whose hashes are kept begun; captions of a corpus may be millions."""


@dataclass(frozen=True, slots=True)
class KeyRule:
    """What the keys of a folder of parts are computed from.

    Attributes:
        columns: The columns that a key follows from.
        compute: Returns the keys that rows with these columns have to have.
        meaning: What a key follows from, in words.
    """

    columns: tuple[str, ...]
    compute: Callable[[pa.Table], list[str]]
    meaning: str

    def wrong(self, path: Path) -> npt.NDArray[np.bool_]:
        """Mark the rows of a part whose keys do not follow from their columns."""
        table = parts.read_part(path, ["key", *self.columns])
        expected = self.compute(table)
        return np.fromiter(
            (a != b for a, b in zip(table["key"].to_pylist(), expected, strict=True)),
            dtype=np.bool_,
            count=len(table),
        )

    def problem(self, path: Path) -> str | None:
        """Return what is wrong with a part's keys; None where all follow from their columns."""
        wrong = self.wrong(path)
        if not wrong.any():
            return None
        return (
            f"{wrong.sum():,} of {len(wrong):,} keys do not follow from {self.meaning}: the part "
            "comes from another audit, or something was changed after it was written"
        )

    def check(self, path: Path) -> None:
        """Raise where keys of a part do not follow from their columns.

        Raises:
            DamagedPart: Some do not.
        """
        problem = self.problem(path)
        if problem is not None:
            audit = quoted(parts.audit_of(path))
            raise DamagedPart(f"{path}: {problem}; list all with: portrayal verify {audit}")


def key_rule(folder: Path, generator: Identity) -> KeyRule | None:
    """Return what keys in a folder of parts follow from; None for measurements.

    Args:
        folder: A folder of parts.
        generator: Whose audit it is in.
    """
    if folder.name == "images":
        return KeyRule(
            ("prompt", "seed"),
            lambda table: image_keys(
                generator,
                zip(table["prompt"].to_pylist(), table["seed"].to_pylist(), strict=True),
            ),
            f"the generator in audit.json ({generator.name}), prompt and seed",
        )
    if folder.name == "votes":
        return _hashed(VOTE_KEY, "the answer")
    if folder.name == "looks":
        return _hashed(LOOK_KEY, "the look")
    if folder.parent.name == "texts":
        return KeyRule(("text",), lambda table: text_keys(table["text"].to_pylist()), "the text")
    return None


def image_keys(generator: Identity, requests: Iterable[tuple[str, int]]) -> list[str]:
    """Return `image_key` of many requests, hashing generator and prompt once."""
    maker = generator.digest
    begun: dict[str, hashlib._Hash] = {}
    found = []
    for prompt, seed in requests:
        state = begun.get(prompt)
        if state is None:
            text = json.dumps([maker, prompt], ensure_ascii=False, separators=(",", ":"))
            state = hashlib.sha256(text[:-1].encode("utf-8", "surrogatepass"))
            if len(begun) >= _REMEMBERED:
                begun.clear()
            begun[prompt] = state
        state = state.copy()
        state.update(b",%d]" % seed)
        found.append(state.hexdigest()[:32])
    return found


def text_keys(texts: Iterable[str]) -> list[str]:
    """Return the keys of texts."""
    return [digest(text, length=32) for text in texts]


def _hashed(columns: tuple[str, ...], meaning: str) -> KeyRule:
    def compute(table: pa.Table) -> list[str]:
        rows = zip(*(table[name].to_pylist() for name in columns), strict=True)
        return [digest(list(row), length=32) for row in rows]

    return KeyRule(columns, compute, meaning)
