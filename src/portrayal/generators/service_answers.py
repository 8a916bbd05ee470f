"""What the body of a service's answer contains: an image in one of many forms, or a refusal.

OpenAI-like services send base 64 with or without line breaks, padding and a `data:` prefix, in the
alphabet of addresses or the usual one, under several names; or a link.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image

from portrayal.generators.links import LinkFailed, LinkRefused, LinkRules
from portrayal.generators.refusals import PHRASES, refusal_in
from portrayal.loading import first_line
from portrayal.pixels import as_rgb
from portrayal.records import FORMATS, MAX_PIXELS, GeneratedImage

_LONGEST_PROMPT = 10_000
_LONGEST_NOTE = 200
_LISTS = ("data", "images", "output", "artifacts", "predictions")
_ENCODED = ("b64_json", "b64", "base64", "image_base64", "image", "bytesBase64Encoded", "content")
_LINKS = ("url", "image_url", "uri")
_NOTED = ("id", "created", "model", "finish_reason", "finishReason", "seed", "system_fingerprint")
_FETCHES = 3
NO_ENDPOINT = "the answer is not that of an image endpoint"


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What a call came to.

    Attributes:
        image: The image, the refusal, or the failure if this stays the last try.
        paid: The call is on the bill, or may be.
        again: Another try may end better.
        after: Seconds to wait before that, where the server said so.
        unreached: Why no connection was made, where none was.
        systematic: Every further call would end the same way.
    """

    image: GeneratedImage
    paid: bool
    again: bool = False
    after: float | None = None
    unreached: str | None = None
    systematic: bool = False


@dataclass(frozen=True, slots=True)
class AnswerReader:
    """Reads answers that a server calls a success.

    Attributes:
        links: Which links are fetched; None: none.
        phrases: What refusals contain.
    """

    links: LinkRules | None = None
    phrases: Sequence[str] = field(default=PHRASES)

    def read(self, body: bytes) -> CallOutcome:
        """Return the image in the body of an answer, or why there is none."""
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            return replace(lost(NO_ENDPOINT), systematic=True)
        if not isinstance(answer, Mapping):
            return replace(lost(NO_ENDPOINT), systematic=True)
        noted = _noted(answer)
        part = _first(answer)
        encoded, link = _image_of(part)
        if encoded is None and link is None:
            refusal = refusal_in(answer, self.phrases)
            if refusal is not None:
                reason = " ".join(refusal.split())[:_LONGEST_NOTE]
                return CallOutcome(GeneratedImage.refused(reason, response=noted), paid=True)
            return lost(NO_ENDPOINT if part is None else "the answer contains no image")
        try:
            data = self._fetched(link) if encoded is None else decoded_base64(encoded)
            image = _decoded(data)
        except (LinkRefused, LinkFailed) as error:
            return replace(lost(str(error)), again=False, systematic=isinstance(error, LinkRefused))
        except binascii.Error:
            return lost("the answer's base 64 is damaged")
        except Exception as error:  # decoders of damaged bytes raise almost anything
            return lost(f"the answer's image cannot be read: {_why(error)}")
        said = part.get("revised_prompt") if isinstance(part, Mapping) else None
        revised = said[:_LONGEST_PROMPT] if isinstance(said, str) and said.strip() else None
        made = GeneratedImage.ok(image, revised_prompt=revised, response=noted)
        return CallOutcome(made, paid=True)

    def _fetched(self, link: str | None) -> bytes:
        """Return what is behind a link; it is paid for, so it is asked for more than once."""
        if link is None or self.links is None:
            raise LinkRefused("the answer contains a link instead of the image")
        for _ in range(_FETCHES - 1):
            try:
                return self.links.fetch(link)
            except LinkFailed:
                continue
        return self.links.fetch(link)


def image_in(body: bytes) -> CallOutcome:
    """Return the image in the body of an answer; links are not fetched."""
    return AnswerReader().read(body)


def lost(reason: str) -> CallOutcome:
    """Return a failure of a call that may be on the bill, and may end better next time."""
    return CallOutcome(GeneratedImage.failed(reason), paid=True, again=True)


def decoded_base64(text: str) -> bytes:
    """Return the bytes of base 64 in any of the forms that services send.

    >>> decoded_base64("data:image/png;base64,aGk=") == decoded_base64("aG\\nk") == b"hi"
    True
    """
    if text[:5].lower() == "data:":
        text = text.partition(",")[2]
    plain = re.sub(r"\s+", "", text).replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def _first(answer: Mapping[str, Any]) -> Any:
    """Return the first image of an answer: an object or a text; None where there is none."""
    for name in _LISTS:
        listed = answer.get(name)
        if isinstance(listed, list) and listed:
            return listed[0]
        if isinstance(listed, (str, Mapping)) and listed:
            return listed
    return answer if any(isinstance(answer.get(one), str) for one in _ENCODED[:5]) else None


def _image_of(part: Any) -> tuple[str | None, str | None]:
    """Return the encoded image and the link of a part; either may be None."""
    if isinstance(part, str):
        return (None, part) if part[:4].lower() == "http" else (part, None)
    if not isinstance(part, Mapping):
        return None, None
    encoded = next((part[one] for one in _ENCODED if _is_text(part.get(one))), None)
    link = next((part[one] for one in _LINKS if _is_text(part.get(one))), None)
    nested = part.get("image_url")
    if link is None and isinstance(nested, Mapping) and _is_text(nested.get("url")):
        link = nested["url"]
    if encoded is None and link is not None and link[:5].lower() == "data:":
        return link, None
    if encoded is not None and encoded[:4].lower() == "http":
        return None, encoded
    return encoded, link


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _noted(answer: Mapping[str, Any]) -> dict[str, str | int | float]:
    """Return what an answer says about itself, short and without anything nested."""
    part = _first(answer)
    sources = [answer, *([part] if isinstance(part, Mapping) and part is not answer else [])]
    found: dict[str, str | int | float] = {}
    for source in sources:
        for name in _NOTED:
            value: Any = source.get(name)
            if isinstance(value, str) and value:
                found[name] = " ".join(value.split())[:_LONGEST_NOTE]
            elif type(value) in (int, float) and abs(value) < 2**63:
                found[name] = value
    return found


def _decoded(data: bytes) -> Image.Image:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                raise Image.DecompressionBombError
            return as_rgb(image)


def _why(error: Exception) -> str:
    if isinstance(error, Image.DecompressionBombError):
        return f"more than {MAX_PIXELS:,} pixels"
    # Pillow names the object in memory that it could not identify, which tells nobody anything.
    return "not PNG, JPEG or WebP" if "cannot identify" in str(error) else first_line(error)
