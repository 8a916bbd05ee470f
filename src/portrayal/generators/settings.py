"""Settings of generators as people give them: of the right type, or one line that says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from portrayal.errors import SettingError, is_count, is_number, shown

SETTINGS = (
    "steps",
    "guidance",
    "width",
    "height",
    "scheduler",
    "negative_prompt",
    "dtype",
    "device",
    "batch_size",
    "revision",
    "truncate",
    "lora",
    "compile",
)
"""What `open_diffusers` takes."""


class _Rule(NamedTuple):
    """What values a setting may have, as a test and in words."""

    fits: Callable[[Any], bool]
    allowed: str


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


_COUNT = _Rule(is_count, "a whole number, 1 or more")
_NUMBER = _Rule(is_number, "a number")
_TEXT = _Rule(_is_text, "a text")
_RULES = {
    **dict.fromkeys(
        ("steps", "width", "height", "batch_size", "max_images", "concurrency"), _COUNT
    ),
    **dict.fromkeys(("guidance", "max_cost", "price", "timeout"), _NUMBER),
    **dict.fromkeys(
        (
            "scheduler",
            "negative_prompt",
            "device",
            "revision",
            "compile",
            "base_url",
            "quality",
            "dtype",
            "refusals",
        ),
        _TEXT,
    ),
    "link_host": _Rule(lambda value: _is_text(value) or _are_texts(value), "a host, or several"),
    "lora": _Rule(_are_texts, "an adapter, or a list of adapters, as NAME or NAME@0.8"),
}
"""Settings that several generators share; those of another package are its own to check."""


def checked_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that were given, each of the right type.

    Args:
        settings: By name; None means the generator's own. One adapter may stand alone.

    Raises:
        SettingError: One has a value that it cannot have.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    if isinstance(given.get("lora"), str):
        given["lora"] = (given["lora"],)
    for name, value in given.items():
        rule = _RULES.get(name)
        if rule is not None and not rule.fits(value):
            raise SettingError(name, f"is {shown(value)}; allowed: {rule.allowed}")
    return given
