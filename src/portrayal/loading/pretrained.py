"""Loading models of transformers and diffusers: quietly, and only whole ones.

Both libraries fill weights that are not in a model's files with random numbers, and a tokenizer
without a vocabulary with unknown tokens. They say so in their logs at most; the images and
vectors of such a model would look like any other's.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterable, Iterator
from typing import Any

from portrayal.errors import PortrayalError
from portrayal.loading.devices import quietly

_SHOWN = 3
_LISTED = re.compile(r"newly initialized:? ?\[([^\]]*)\]")
_REPORTED = re.compile(r"^(.+?)\s*\|\s*MISSING\b", re.MULTILINE)
_HARMLESS = ("num_batches_tracked", "position_ids")
_COLOURS = re.compile(r"\x1b\[[\d;]*m")


@contextlib.contextmanager
def loading(where: object, *libraries: str, error: type[PortrayalError]) -> Iterator[None]:
    """Keep libraries quiet while they load a model, and refuse one whose files lack weights.

    Args:
        where: The model's folder, for the message.
        libraries: Of "transformers" and "diffusers", those that are used.
        error: What to raise.
    """
    listener = _Listener()
    with quietly(*libraries), _listening(listener, libraries):
        try:
            yield
        except Exception as problem:
            listener.refuse(where, error, problem)
            raise
    listener.refuse(where, error)


def require_vocabulary(tokenizer: Any, where: object, *, error: type[PortrayalError]) -> None:
    """Refuse a tokenizer that knows no word, as one does whose vocabulary is missing.

    Args:
        tokenizer: A tokenizer of transformers.
        where: Its folder, for the message.
        error: What to raise.
    """
    ids = tokenizer("a photo of a person", verbose=False)["input_ids"]
    if set(ids) <= set(tokenizer.all_special_ids):
        raise error(
            f"{where}: its tokenizer knows no word; is a file missing (tokenizer.json, vocab.json "
            "and merges.txt, or another vocabulary)?"
        )


class _Listener(logging.Handler):
    """Collects the names of weights that a library says it did not find."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._missing: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = _COLOURS.sub("", record.getMessage())
        for listed in _LISTED.findall(text):
            self._note(name.strip(" '\"") for name in listed.split(","))
        self._note(_REPORTED.findall(text))

    def _note(self, names: Iterable[str]) -> None:
        self._missing += [name for name in names if name and not name.endswith(_HARMLESS)]

    def refuse(
        self, where: object, error: type[PortrayalError], cause: Exception | None = None
    ) -> None:
        """Raise where weights were missing."""
        if not self._missing:
            return
        names = sorted(dict.fromkeys(self._missing))
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise error(
            f"{where}: its files lack weights that the model needs: "
            f"{', '.join(names[:_SHOWN])}{more}; get the whole model again"
        ) from cause


@contextlib.contextmanager
def _listening(listener: logging.Handler, libraries: tuple[str, ...]) -> Iterator[None]:
    """Have the warnings of libraries come to a listener, and nowhere else."""
    voices = [logging.getLogger(name) for name in libraries]
    before = [(voice.handlers, voice.level, voice.propagate) for voice in voices]
    for voice in voices:
        voice.handlers, voice.propagate = [listener], False
        voice.setLevel(logging.WARNING)
    try:
        yield
    finally:
        for voice, (handlers, level, propagate) in zip(voices, before, strict=True):
            voice.handlers, voice.propagate = handlers, propagate
            voice.setLevel(level)
