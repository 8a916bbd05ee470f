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


def absent_requests(
    folder: Path, wanted: Iterable[tuple[str, int]], *, retry_failed: bool
) -> pa.Table:
    """Return the requests without an answer as a table of `prompt` and `seed`.

    Every wanted request has a place in one array of booleans, prompt after prompt and seed after
    seed; what is present is struck out. A million requests take a second and little memory.

    Args:
        folder: The folder of image parts.
        wanted: Prompt texts, each with the number of images wanted (seeds 0 ... n-1). Where a
            prompt is wanted twice, the larger number holds.
        retry_failed: Count requests that failed before as without an answer.
    """
    place: dict[str, int] = {}
    counts = array("q")
    for prompt, n in wanted:
        number = place.setdefault(prompt, len(counts))
        if number == len(counts):
            counts.append(n)
        else:
            counts[number] = max(n, counts[number])
    counts.append(0)  # of whatever is not wanted, none; its place is the last one
    sizes = np.maximum(np.asarray(counts, dtype=np.int64), 0)
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
        seeds = table["seed"].to_numpy()
        inside = (seeds >= 0) & (seeds < sizes[numbers])
        absent[starts[numbers[inside]] + seeds[inside]] = False
    return _requests(list(place), starts, np.flatnonzero(absent))


def _requests(
    prompts: list[str], starts: npt.NDArray[np.int64], places: npt.NDArray[np.intp]
) -> pa.Table:
    numbers = np.searchsorted(starts, places, side="right") - 1
    needed, repeats = np.unique(numbers, return_inverse=True)
    texts = text_array([prompts[number] for number in needed], "prompt")
    seeds = pa.array(places - starts[numbers], pa.int64())
    return pa.table({"prompt": texts.take(pa.array(repeats)), "seed": seeds})
