"""Smaller samples of a stored set, drawn like those of a search: by hash, so always the same."""

from __future__ import annotations

import hashlib

import numpy as np

from portrayal.corpora.captions import CaptionSet
from portrayal.errors import CorpusError


def draw(captions: CaptionSet, per_term: int, *, seed: int = 0, name: str) -> CaptionSet:
    """Store at most `per_term` captions of each term of a set.

    From a set of all matches this gives the rows that a search with `per_term` gives.

    Args:
        captions: A set.
        per_term: How many.
        seed: Another seed, another sample.
        name: What to call it.
    """
    if per_term < 1:
        raise CorpusError(f"per_term is {per_term}; allowed: 1 or more")
    table = captions.table(["term", "source", "row"])
    terms = table["term"].to_numpy()
    places = zip(table["source"].to_pylist(), table["row"].to_pylist(), strict=True)
    order = np.array([_number(seed, source, row) for source, row in places], dtype=np.uint64)
    chosen = [
        own[np.argsort(order[own], kind="stable")][:per_term]
        for own in (np.flatnonzero(terms == term) for term in captions.terms)
    ]
    rows = np.concatenate([np.zeros(0, np.int64), *chosen])
    return captions.where(rows, name, remarks={"per_term": per_term, "seed": seed})


def _number(seed: int, source: int, row: int) -> int:
    """Return what DuckDB's `md5_number_lower` gives: the last eight bytes, least first."""
    text = hashlib.md5(f"{seed}:{source}:{row}".encode(), usedforsecurity=False)
    return int.from_bytes(text.digest()[8:], "little")
