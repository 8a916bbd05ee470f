"""What this machine found out once and need not find out again, in the user's cache folder.

Losing these notes costs time and changes no result. Nothing that checks an audit reads them. They
lie in `$XDG_CACHE_HOME/portrayal` (`~/.cache/portrayal` where that is not set), one file per topic,
one line per note, and may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from portrayal.records import digest


def recall(topic: str, key: Sequence[object]) -> Any:
    """Return what was remembered last under a key; None where nothing was."""
    wanted = digest(list(key), length=32)
    found = None
    with contextlib.suppress(OSError), _file(topic).open(encoding="utf-8") as lines:
        for line in lines:
            if wanted in line:
                with contextlib.suppress(ValueError, KeyError, TypeError):  # a line half written
                    note = json.loads(line)
                    found = note["value"] if note["key"] == wanted else found
    return found


def remember(topic: str, key: Sequence[object], value: Any) -> None:
    """Note a value under a key; where the folder cannot be written, nothing is remembered.

    Args:
        topic: Name of the file, without its ending.
        key: What decides the value, JSON-ready.
        value: JSON-ready.
    """
    file = _file(topic)
    line = json.dumps({"key": digest(list(key), length=32), "value": value}) + "\n"
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:  # in one call, so that lines of two processes do not mix
            os.write(place, line.encode())
        finally:
            os.close(place)


def _file(topic: str) -> Path:
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "portrayal" / f"{topic}.jsonl"
