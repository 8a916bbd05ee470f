"""Pictures that are asked for one by one, with their seeds, instead of so many of each prompt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from portrayal.audit import Audit
from portrayal.audit.listed import missing_requests
from portrayal.audit.wants import Wanted
from portrayal.generation.loop import generate
from portrayal.generation.protocol import GenerationSummary, Generator
from portrayal.records import Request


def generate_requests(
    audit: Audit, generator: Generator, requests: Iterable[Request], **options: Any
) -> GenerationSummary:
    """Make the pictures of a list of requests that are not there yet.

    Args:
        audit: Where the pictures go.
        generator: Who makes them; must be the audit's own.
        requests: What is wanted; a request that stands twice is made once.
        options: Those of `generate`, which does the work.

    Raises:
        AuditError: See `generate`.
        PromptTooLong: See `generate`.
        GenerationError: See `generate`.
    """
    listed = ListedAudit(audit, requests)
    return generate(listed, generator, listed.counts.items(), **options)


class ListedAudit(Audit):
    """An audit that lacks what is on a list, whatever seeds that has."""

    def __init__(self, audit: Audit, requests: Iterable[Request]) -> None:
        super().__init__(audit.path)
        self._requests = list(dict.fromkeys(requests))
        self.counts: dict[str, int] = {}
        for request in self._requests:
            self.counts[request.prompt] = self.counts.get(request.prompt, 0) + 1

    def missing(self, wanted: Wanted, *, retry_failed: bool = False) -> pa.Table:
        """Return the listed requests without an answer."""
        del wanted  # their number alone, which `counts` gave
        return missing_requests(Audit(self.path), self._requests, retry_failed=retry_failed)
