"""How services say that they will not make an image: by a code, in words, or by structure.

The words are a table that users can extend: `refusals` names a text file with one phrase per line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from portrayal.errors import SettingError

CODES = (
    "contentpolicy", "moderation", "contentfilter", "responsibleai", "safety", "prohibitedcontent",
    "blocklist", "raifiltered", "sensitivecontent", "nsfw", "imageblocked",
)  # fmt: skip
"""What the code, the type or the reason why an answer ended contains, in letters and digits."""

PHRASES = (
    "rejected as a result of our safety system",
    "not allowed by our safety system",
    "violates our content policy",
    "violate our content policy",
    "violates our usage policies",
    "violates our policies",
    "content policy violation",
    "content management policy",
    "content filter",
    "flagged as potentially",
    "flagged by our",
    "flagged for moderation",
    "blocked by our moderation",
    "blocked by moderation",
    "blocked by the safety",
    "safety filter",
    "safety guidelines",
    "safety system",
    "responsible ai",
    "nsfw content",
    "inappropriate content",
    "sensitive content",
    "unsafe content",
    "sensitive words",
    "prohibited words",
    "can't assist with that request",
    "unable to generate images",
)
"""What the message of a refusal contains, in lower case."""

STATUSES = (400, 403, 422, 451)
"""Statuses of HTTP under which words may refuse; a busy server's words never do."""

_ENDS = ("finish_reason", "finishReason", "raiFilteredReason", "status", "reason", "block_reason")
_FLAGS = ("nsfw", "blocked", "flagged", "has_nsfw_concepts", "filtered")
_FILTERS = ("content_filter_results", "prompt_filter_results", "content_filter_result")


def read_refusals(file: str | None) -> tuple[str, ...]:
    """Return the phrases of a user's file, besides ours.

    Raises:
        SettingError: It cannot be read.
    """
    if file is None:
        return PHRASES
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise SettingError("refusals", f"is {file}, which cannot be read: {error}") from error
    own = [line.strip().lower() for line in lines]
    return (*PHRASES, *(line for line in own if line and not line.startswith("#")))


def is_policy(code: str) -> bool:
    """Tell whether a code is that of a content policy."""
    plain = "".join(letter for letter in code.lower() if letter.isalnum())
    return any(word in plain for word in CODES)


def says_no(message: str, phrases: Sequence[str] = PHRASES) -> bool:
    """Tell whether a message refuses in words."""
    plain = " ".join(message.lower().replace("’", "'").split())
    return any(phrase in plain for phrase in phrases)


def refusal_in(answer: Mapping[str, Any], phrases: Sequence[str] = PHRASES) -> str | None:
    """Return why an answer that is called a success contains no image: a refusal; None: it is none.

    Args:
        answer: The JSON object of the answer.
        phrases: What refusals contain.
    """
    for part in _parts(answer):
        for name in _ENDS:
            if isinstance(part.get(name), str) and is_policy(part[name]):
                return str(part[name])
        for name in _FILTERS:
            if name in part and (which := _filtered(part[name])) is not None:
                return f"content_filter: {which}" if which else "content_filter"
        for name in _FLAGS:
            if part.get(name) is True or part.get(name) == [True]:
                return name
        for name in ("code", "type"):
            if isinstance(part.get(name), str) and is_policy(part[name]):
                return str(part[name])
        for name in ("message", "text", "content", "refusal", "revised_prompt", "detail", "error"):
            if isinstance(part.get(name), str) and says_no(part[name], phrases):
                return str(part[name])
    return None


def _parts(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of an answer that may say why: itself, its error, its first image."""
    yield answer
    for name in ("error", "promptFeedback", "prompt_feedback"):
        if isinstance(answer.get(name), Mapping):
            yield answer[name]
    for name in ("data", "images", "output", "choices", "artifacts", "predictions"):
        listed = answer.get(name)
        if isinstance(listed, list) and listed and isinstance(listed[0], Mapping):
            yield listed[0]
            for inner in ("error", "message"):
                if isinstance(listed[0].get(inner), Mapping):
                    yield listed[0][inner]


def _filtered(results: Any, name: str = "") -> str | None:
    """Return the category that a filter gives as its reason; None where it let all pass."""
    if isinstance(results, list):
        found = (_filtered(one, name) for one in results)
        return next((one for one in found if one is not None), None)
    if not isinstance(results, Mapping):
        return None
    if results.get("filtered") is True or results.get("blocked") is True:
        return name
    found = (_filtered(one, str(key)) for key, one in results.items())
    return next((one for one in found if one is not None), None)
