"""Every error that portrayal raises on purpose.

    PortrayalError                 the one to catch; the CLI prints it and exits with 1
    ├── SettingError               a setting has a value that it cannot have; the CLI exits with 2
    ├── StudyError                 a study file or a study's name is wrong
    ├── RuleError                  a rules file is wrong, or asks for what an audit does not have
    ├── AuditError                 an audit folder cannot be read or written
    │   ├── NotAnAudit             the folder contains no audit.json
    │   ├── OlderFormat            results of an earlier version of portrayal, to be computed again
    │   ├── NewerFormat            written by a later version of portrayal
    │   ├── BundleError            a bundle cannot be written, or was changed
    │   └── DamagedPart            a Parquet part is truncated or was tampered with
    ├── ImportFileError            a manifest, an image or an embedding file of the user's is wrong
    ├── GenerationError            a generator cannot be loaded or cannot go on
    │   ├── PromptTooLong          the text encoder would cut the prompt silently
    │   └── GenerationStopped      the generator ended in the middle of a batch; holds what it made
    ├── MeasurementError           a measurer cannot be loaded or cannot go on
    ├── LanguageError              a text model cannot be loaded, or has no words to offer
    ├── CorpusError                a corpus of captions cannot be read, or was asked for nonsense
    ├── StatisticsError            arrays that a statistic has no answer for (also a ValueError)
    ├── PluginError                an installed package registers what portrayal cannot use
    └── MissingExtra               an optional dependency is not installed; says the pip command

A message is one line: what, where, what was got, what is allowed, how to fix it. Anything else
that reaches the user with a traceback is a bug. A setting that a message speaks of stands in
backquotes, by its name in Python: "choose another `out`"; the CLI writes `--out`.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Any


class PortrayalError(Exception):
    """Root of the tree above."""


class SettingError(PortrayalError):
    """A setting has a value that it cannot have.

    Args:
        setting: Its name in Python, such as `batch_size`; the command line writes `--batch-size`.
        problem: The rest of the sentence: what was got, what is allowed.
        option: What the command line calls it, where another setting of this name has another
            option: the `width` of intervals and that of images.
    """

    def __init__(self, setting: str, problem: str, *, option: str = "") -> None:
        super().__init__(f"{setting} {problem}")
        self.setting = setting
        self.problem = problem
        self.option = option


class StudyError(PortrayalError):
    """A study file or a study's name is wrong."""


class RuleError(PortrayalError):
    """A rules file is wrong, or asks for what an audit does not have."""


class AuditError(PortrayalError):
    """An audit folder cannot be read or written."""


class NotAnAudit(AuditError):
    """The folder contains no audit.json."""


class OlderFormat(AuditError):
    """The results were written by an earlier version of portrayal; analyze again."""


class NewerFormat(AuditError):
    """The audit was written by a later version of portrayal."""


class BundleError(AuditError):
    """A bundle cannot be written, or was changed since."""


class DamagedPart(AuditError):
    """A Parquet part is truncated or was tampered with."""


class ImportFileError(PortrayalError):
    """A file that the user brings (manifest, image, embeddings, labels) is wrong."""


class GenerationError(PortrayalError):
    """A generator cannot be loaded or cannot go on."""


class PromptTooLong(GenerationError):
    """A prompt is longer than the text encoder's window.

    Args:
        message: Which one, and by how much.
        texts: All prompts that are too long.
    """

    def __init__(self, message: str, texts: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.texts = tuple(texts)


class GenerationStopped(GenerationError):
    """A generator ended in the middle of a batch: a ceiling is reached, or no call can succeed.

    Args:
        message: Why.
        made: Requests of the batch with their images; they are stored before the run ends.
    """

    def __init__(self, message: str, made: Sequence[tuple[Any, Any]] = ()) -> None:
        super().__init__(message)
        self.made = made


class MeasurementError(PortrayalError):
    """A measurer cannot be loaded or cannot go on."""


class MeasurementStopped(MeasurementError):
    """A measurer cannot go on, and has answers that must not be lost.

    Args:
        why: In one line.
        answers: What it has answered, by the place of the image among those it was given.
    """

    def __init__(self, why: str, answers: dict[int, object]) -> None:
        super().__init__(why)
        self.answers = answers


class LanguageError(PortrayalError):
    """A text model cannot be loaded, or has no words to offer."""


class CorpusError(PortrayalError):
    """A corpus of captions cannot be read or written, or was asked for what it does not hold."""


class StatisticsError(PortrayalError, ValueError):
    """Arrays that a statistic has no answer for."""


class PluginError(PortrayalError):
    """An installed package registers what portrayal cannot use."""


class MissingExtra(PortrayalError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, module: str, extra: str) -> None:
        super().__init__(f'{module} is not installed; run: pip install "portrayal[{extra}]"')


def shown(value: object, *, most: int = 80) -> str:
    """Write a wrong value for an error line: on one line, and not at length.

    >>> shown([1, 2])
    '[1, 2]'
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= most else f"{text[: most - 3]}..."


def is_count(value: object) -> bool:
    """Tell whether a value is a whole number of at least 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_number(value: object) -> bool:
    """Tell whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def require_count(setting: str, value: object) -> None:
    """Raise where a setting is not a whole number of at least 1.

    Raises:
        SettingError: It is not.
    """
    if not is_count(value):
        raise SettingError(setting, f"is {shown(value)}; allowed: a whole number, 1 or more")


def one_of(allowed: object) -> str:
    """Write allowed values for an error line: `a, b, c`."""
    if isinstance(allowed, (list, tuple, set, frozenset, dict)):
        return ", ".join(str(value) for value in allowed)
    return str(allowed)


def misspelt(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that another one is in all likelihood meant to be.

    >>> misspelt("Perceived Gendr", ["perceived gender"]), misspelt("age", ["apparent age"])
    ('perceived gender', None)
    """
    plain = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), plain, n=1, cutoff=0.9)
    return plain[near[0]] if near else None
