"""From which size on a kernel of ours pays."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_is_any_size = False


def pays(size: int, fewest: int) -> bool:
    """Whether there is enough to do for a kernel that pays from so much on."""
    return _is_any_size or size >= fewest


@contextlib.contextmanager
def kernels_for_any_size() -> Iterator[None]:
    """Use kernels also where they do not pay, to see that they work."""
    global _is_any_size
    before, _is_any_size = _is_any_size, True
    try:
        yield
    finally:
        _is_any_size = before
