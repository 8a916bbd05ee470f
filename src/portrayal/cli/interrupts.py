"""Whether Ctrl-C was pressed: libraries turn the interruption into errors of their own."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def noted_interrupts() -> Iterator[threading.Event]:
    """Yield an event that is set once SIGINT arrives; it interrupts as before.

    A query that is interrupted ends in "Query interrupted", a serializer in an error of its own:
    what is raised cannot tell, the signal can. Where SIGINT is ignored or another's, or outside
    the main thread, nothing is changed.
    """
    received = threading.Event()
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield received
        return

    def note(number: int, frame: object) -> None:
        received.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
