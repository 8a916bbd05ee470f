"""What is still to be generated, shared with other processes on one folder without a server.

Every process walks the same list of missing requests, but not from the same end: the first one
from the front, the second from the back, further ones from places drawn at random. Between batches
each looks at the parts that have arrived since its last look and strikes out what others made. So
two processes meet once, in the middle, and what is made twice is at most the batch of that moment
(the audit then stores it once).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from portrayal.audit import AuditFolder, Wanted
from portrayal.records import Request


@dataclass(frozen=True, slots=True)
class Task:
    """What an audit lacked at a moment; all who share the work begin with the same one.

    Attributes:
        missing: Columns `prompt` and `seed`, prompt by prompt, seeds ascending.
        total: How many images are wanted, with those that are there.
        parts: Names of the image parts that were looked at.
        retry_failed: Requests that failed before count as missing.
    """

    missing: pa.Table
    total: int
    parts: frozenset[str]
    retry_failed: bool = False

    @property
    def present(self) -> int:
        """How many images were there."""
        return self.total - len(self.missing)


def find_task(audit: AuditFolder, wanted: Wanted, *, retry_failed: bool) -> Task:
    """Look at what is there and return what is missing.

    Args:
        audit: Where to look.
        wanted: The images that are wanted.
        retry_failed: Count requests that failed before as missing.
    """
    parts = audit.image_parts()  # first: what comes later is an arrival
    missing = audit.missing(wanted, retry_failed=retry_failed)
    return Task(missing, len(wanted), parts, retry_failed)


class MissingRequests:
    """The missing requests of a run, in the order wanted.

    Args:
        missing: Columns `prompt` and `seed`, prompt by prompt, seeds ascending.
        place: 0 walks from the front, 1 from the back, others at random.
    """

    def __init__(self, missing: pa.Table, *, place: int = 0) -> None:
        self._prompts = missing["prompt"].combine_chunks().dictionary_encode()
        self._seeds = missing["seed"].to_numpy()
        self._open = np.ones(len(self._seeds), dtype=bool)
        self._front, self._back = 0, len(self._seeds)
        self._place = place
        self._rng = random.Random()
        codes = self._prompts.indices.to_numpy()
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        ends = np.append(starts, len(codes))[1:]
        names = self._prompts.dictionary.to_pylist()
        self._spans = {
            names[codes[start]]: (int(start), int(end))
            for start, end in zip(starts, ends, strict=True)
        }
        self.left = len(self._seeds)

    def take(self, count: int) -> list[Request]:
        """Take up to `count` requests; none twice."""
        chosen = self._choose(count)
        self._open[chosen] = False
        self.left -= len(chosen)
        names, codes = self._prompts.dictionary, self._prompts.indices
        return [Request(names[codes[i].as_py()].as_py(), int(self._seeds[i])) for i in chosen]

    def strike(self, prompts: list[str], seeds: list[int]) -> int:
        """Strike out what was made elsewhere; return how many of ours that were."""
        before = self.left
        for prompt, seed in zip(prompts, seeds, strict=True):
            start, end = self._spans.get(prompt, (0, 0))
            i = start + int(np.searchsorted(self._seeds[start:end], seed))
            if i < end and self._seeds[i] == seed and self._open[i]:
                self._open[i] = False
                self.left -= 1
        return before - self.left

    def _choose(self, count: int) -> list[int]:
        while self._front < self._back and not self._open[self._front]:
            self._front += 1
        while self._front < self._back and not self._open[self._back - 1]:
            self._back -= 1
        if self._place == 0:
            walk = iter(range(self._front, self._back))
        elif self._place == 1:
            walk = iter(range(self._back - 1, self._front - 1, -1))
        else:
            walk = self._scattered()
        chosen: list[int] = []
        for i in walk:
            if len(chosen) == count:
                break
            if self._open[i]:
                chosen.append(i)
        return sorted(chosen)

    def _scattered(self) -> Iterator[int]:
        if self._front < self._back:
            start = self._rng.randrange(self._front, self._back)
            yield from range(start, self._back)
            yield from range(self._front, start)
