"""Which requests of a list an audit holds no answer to yet, whatever seeds they have."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from portrayal.audit.folder import Audit
from portrayal.audit.tables import text_array
from portrayal.records import Request


def missing_requests(
    audit: Audit, requests: Iterable[Request], *, retry_failed: bool = False
) -> pa.Table:
    """Return the requests without an answer as a table of `prompt` and `seed`.

    `Audit.missing` does the same for so many images of each prompt. Here prompts stand in the order
    of the list, seeds ascending, each request once.

    Args:
        audit: The audit.
        requests: What is wanted.
        retry_failed: Count requests that failed before as without an answer.
    """
    wanted: dict[str, set[int]] = {}
    for request in requests:
        wanted.setdefault(request.prompt, set()).add(request.seed)
    rows = audit.images().select("prompt, seed, status").to_arrow_table()
    columns = (rows[name].to_pylist() for name in ("prompt", "seed", "status"))
    for prompt, seed, status in zip(*columns, strict=True):
        if prompt in wanted and not (retry_failed and status == "failed"):
            wanted[prompt].discard(seed)
    pairs = [(prompt, seed) for prompt, seeds in wanted.items() for seed in sorted(seeds)]
    return pa.table(
        {
            "prompt": text_array([prompt for prompt, _ in pairs], "prompt"),
            "seed": pa.array([seed for _, seed in pairs], pa.int64()),
        }
    )
