"""Wanted minus present: which requests an audit does not hold an answer to yet."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit.parts import read_parts
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
    counts: dict[str, int] = {}
    for prompt, n in wanted:
        counts[prompt] = max(n, counts.get(prompt, 0))
    prompts = text_array(counts, "prompt")
    sizes = np.fromiter(counts.values(), np.int64, len(counts))
    starts = np.cumsum(sizes) - sizes
    absent = np.ones(int(sizes.sum()), dtype=np.bool_)
    for table in _present(folder, retry_failed=retry_failed):
        number = pc.index_in(table["prompt"], value_set=prompts)
        known = pc.is_valid(number).to_numpy()
        places = number.drop_null().to_numpy()
        seeds = table["seed"].to_numpy()[known]
        inside = (seeds >= 0) & (seeds < sizes[places])
        absent[starts[places[inside]] + seeds[inside]] = False
    return _requests(prompts, starts, np.flatnonzero(absent))


def _present(folder: Path, *, retry_failed: bool) -> list[pa.Table]:
    columns = ["prompt", "seed", "status"] if retry_failed else ["prompt", "seed"]
    found = list(read_parts(folder, columns).values())
    if not found:
        return []
    # Together, because the wanted prompts are hashed anew for every table that is compared.
    table = pa.concat_tables(found)
    return [table.filter(pc.not_equal(table["status"], "failed")) if retry_failed else table]


def _requests(
    prompts: pa.Array, starts: npt.NDArray[np.int64], places: npt.NDArray[np.intp]
) -> pa.Table:
    numbers = np.searchsorted(starts, places, side="right") - 1
    return pa.table(
        {
            "prompt": prompts.take(pa.array(numbers)),
            "seed": pa.array(places - starts[numbers], pa.int64()),
        },
        schema=pa.schema([("prompt", pa.string()), ("seed", pa.int64())]),
    )
