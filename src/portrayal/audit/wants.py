"""Wanted minus present: which requests an audit does not hold an answer to yet."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit.parts import each_part
from portrayal.audit.tables import text_array

Wanted = Iterable[tuple[str, int | range]]
"""Prompt texts, each with its seeds, or with the number of images wanted (seeds 0 ... n-1)."""


def absent_requests(folder: Path, wanted: Wanted, *, retry_failed: bool) -> pa.Table:
    """Return the requests without an answer as a table of `prompt` and `seed`.

    Every wanted request has a place in one array of booleans, prompt after prompt and seed after
    seed; what is present is struck out. A million requests take a second and little memory.

    Args:
        folder: The folder of image parts.
        wanted: Prompt texts with their seeds. Where a prompt is wanted twice, see `most_wanted`.
        retry_failed: Count requests that failed before as without an answer.
    """
    place: dict[str, int] = {}
    counts, begins = array("q"), array("q")
    for prompt, seeds in wanted:
        some = seeds_of(seeds)
        number = place.setdefault(prompt, len(counts))
        if number == len(counts):
            counts.append(len(some))
            begins.append(some.start)
        else:
            counts[number] = max(len(some), counts[number])
    counts.append(0)  # of whatever is not wanted, none; its place is the last one
    begins.append(0)
    sizes = np.asarray(counts, dtype=np.int64)
    firsts = np.asarray(begins, dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    absent = np.ones(int(sizes.sum()), dtype=np.bool_)
    columns = ["prompt", "seed", "status"] if retry_failed else ["prompt", "seed"]
    for table in each_part(folder, columns):
        if retry_failed:
            table = table.filter(pc.not_equal(table["status"], "failed"))
        # Prompts repeat within a part, so each of them is looked up once.
        encoded = table["prompt"].combine_chunks().dictionary_encode()
        found = [place.get(prompt, -1) for prompt in encoded.dictionary.to_pylist()]
        numbers = np.asarray(found, dtype=np.int64)[encoded.indices.to_numpy()]
        steps = table["seed"].to_numpy() - firsts[numbers]
        inside = (steps >= 0) & (steps < sizes[numbers])
        absent[starts[numbers[inside]] + steps[inside]] = False
    return _requests(list(place), starts, firsts, np.flatnonzero(absent))


def most_wanted(wanted: Wanted) -> dict[str, range]:
    """Return every prompt once, with the most images that it is wanted with.

    Where two studies want other seeds of one prompt, those of the first one hold: any image of a
    prompt serves both.
    """
    found: dict[str, range] = {}
    for prompt, seeds in wanted:
        some = seeds_of(seeds)
        known = found.get(prompt, some)
        most = max(len(some), len(known))
        found[prompt] = range(known.start, known.start + most)
    return found


def seeds_of(wanted: int | range) -> range:
    """Return the seeds that are meant; a number n means 0 ... n-1."""
    return wanted if isinstance(wanted, range) else range(max(wanted, 0))


def _requests(
    prompts: list[str],
    starts: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    places: npt.NDArray[np.intp],
) -> pa.Table:
    numbers = np.searchsorted(starts, places, side="right") - 1
    needed, repeats = np.unique(numbers, return_inverse=True)
    texts = text_array([prompts[number] for number in needed], "prompt")
    seeds = pa.array(places - starts[numbers] + firsts[numbers], pa.int64())
    return pa.table({"prompt": texts.take(pa.array(repeats)), "seed": seeds})
