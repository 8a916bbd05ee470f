"""One call to an OpenAI-compatible image endpoint, and what its answer means.

Answers come from outside: their size, time, type and content are checked, and nothing that a
server says is written down before the key has been taken out of it.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
import threading
import time
import warnings
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, quote_plus

from PIL import Image

from portrayal.errors import GenerationError
from portrayal.loading import TooLarge, bounding_hook, first_line, import_extra
from portrayal.pixels import as_rgb
from portrayal.records import FORMATS, MAX_PIXELS, GeneratedImage

MAX_BYTES = 96 * 2**20
"""Of an answer: an image of 64 million pixels, compressed, in base 64."""

_POLICY = ("contentpolicy", "moderation", "contentfilter", "responsibleai", "safety")
_NO_MONEY = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
_BUSY = (408, 409, 425, 429)
_MAYBE_MADE = (408, 504)  # somebody on the way lost patience, not the one who makes images
_NEVER_THERE = ("ConnectError", "ConnectTimeout", "ProxyError")
_CONNECT_S = 5.0  # to be let in; what is made behind the door takes longer
_FORMAT = "response_format"
_LONGEST_REASON = 200
_LONGEST_PROMPT = 10_000
_CALL = "/images/generations"


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What a call came to.

    Attributes:
        image: The image, the refusal, or the failure if this stays the last try.
        paid: The call is on the bill, or may be.
        again: Another try may end better.
        after: Seconds to wait before that, where the server said so.
        unreached: Why no connection was made, where none was.
    """

    image: GeneratedImage
    paid: bool
    again: bool = False
    after: float | None = None
    unreached: str | None = None


class Endpoint:
    """A model behind an image endpoint.

    Args:
        model: The model's name at the service.
        base_url: Where the service is, up to and including the version, e.g. ".../v1".
        key: The secret; None where the service asks for none.
        key_from: The environment variable that it came from, for messages.
        options: Further arguments of every call (size, quality).
        timeout: Seconds after which an answer is given up.

    Attributes:
        answered: Set once the server has answered a call, with whatever status.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        key: str | None,
        key_from: str,
        options: Mapping[str, str],
        timeout: float,
    ) -> None:
        self._openai = import_extra("openai", extra="api")
        self._model = model
        self._secret = _spellings(key) if key else None
        self._key_from = key_from
        self._base_url = base_url
        self._timeout = timeout
        self.answered = answered = threading.Event()
        self._options: dict[str, Any] = {"model": model, "n": 1, **options}
        if not model.startswith(("gpt-image", "chatgpt-image")):  # they have no other format
            self._options[_FORMAT] = "b64_json"
        # Retries are ours, because every single call counts against the ceiling.
        hook = bounding_hook(self._openai, timeout=timeout, max_bytes=MAX_BYTES)
        self._client = self._openai.OpenAI(
            api_key=key or "none",
            base_url=base_url,
            timeout=self._openai.Timeout(timeout, connect=min(timeout, _CONNECT_S)),
            max_retries=0,
            http_client=self._openai.DefaultHttpxClient(
                # A hook that held this object would keep it, and the client, open for ever.
                event_hooks={"response": [hook, lambda response: answered.set()]},
                # The address is on record: what another one answers is not for us to pass on.
                follow_redirects=False,
            ),
        )
        weakref.finalize(self, self._client.close)

    def ask(self, prompt: str) -> CallOutcome:
        """Make one call.

        Raises:
            GenerationError: No call will succeed: wrong key, no such model, no money left.
        """
        deadline = time.monotonic() + self._timeout
        sent = self._options
        try:
            call = self._client.images.with_streaming_response.generate
            with call(prompt=prompt, **sent) as response:
                body = _read(response.iter_bytes(), deadline)
        except self._openai.APIStatusError as error:
            if error.param == _FORMAT and _FORMAT in sent:
                # It knows no other format than base 64, and wants no word of it.
                self._options = {name: sent[name] for name in sent if name != _FORMAT}
                return self.ask(prompt)
            return self._declined(error)
        except TooLarge as error:
            return _lost(str(error))
        except Exception as error:  # cut connections have as many kinds as there are layers
            return self._cut(error)
        found = image_in(body)
        revised = found.image.revised_prompt
        if revised is None or self._secret is None:
            return found
        clean = replace(found.image, revised_prompt=self._secret.sub("[key]", revised))
        return replace(found, image=clean)

    def nobody_there(self, why: str) -> GenerationError:
        """Return the error of a run whose server never answered.

        Args:
            why: Why no connection was made.
        """
        return GenerationError(
            f"{self._model}: nothing answers at {self._base_url} ({why}); "
            "check `base_url` and the network"
        )

    def _cut(self, error: Exception) -> CallOutcome:
        """Tell connections that were never made from those that broke off."""
        # The client says "Connection error." of all of them, and keeps the cause behind it.
        broken = isinstance(error, self._openai.APIConnectionError)
        cause = (error.__cause__ if broken else None) or error
        if type(cause).__name__ in _NEVER_THERE:
            why = self._clean(_unreached(str(cause)))
            reason = self._clean(f"no connection: {why}")
            return CallOutcome(GeneratedImage.failed(reason), paid=False, again=True, unreached=why)
        if isinstance(error, (self._openai.APITimeoutError, TimeoutError)):
            return _lost(f"no whole answer within {self._timeout:g} s")
        # Cut to its length only after the key is out of it, or a part of the key might stay.
        return _lost(self._clean(first_line(cause, limit=MAX_BYTES)))

    def _declined(self, error: Any) -> CallOutcome:
        """Tell refusals, bad requests, busy servers and hopeless errors apart."""
        status, code = int(error.status_code), str(error.code or error.type or "")
        said = self._clean(f"{f'HTTP {status} {code}'.strip()}: {_message(error)}")
        if _is_policy(code):
            return CallOutcome(GeneratedImage.refused(self._clean(code)), paid=False)
        if status == 401:
            # What the server says about a wrong key may quote it.
            raise GenerationError(
                f"{self._model}: the service does not accept the key (HTTP 401); "
                f"set the environment variable {self._key_from}"
            )
        if 300 <= status < 400:
            raise GenerationError(
                f"{self._model}: the service sends callers to another address (HTTP {status}): "
                f"{self._clean(_moved_to(error.response))}; check `base_url`"
            )
        if status in (402, 403, 404) or code in _NO_MONEY:
            raise GenerationError(f"{self._model}: the service will not answer: {said}")
        if status in _BUSY or status >= 500:
            after = _seconds(error.response.headers.get("retry-after"))
            return CallOutcome(
                GeneratedImage.failed(said), status in _MAYBE_MADE, again=True, after=after
            )
        return CallOutcome(GeneratedImage.failed(said), paid=False)

    def _clean(self, text: str) -> str:
        """Return what may be written down: one line, short, without the key."""
        if self._secret is not None:
            text = self._secret.sub("[key]", text)
        line = " ".join(text.split())
        return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"


def _spellings(key: str) -> re.Pattern[str]:
    """Match a key as it is, and as it stands in an address."""
    written = {key, quote(key), quote(key, safe=""), quote_plus(key)}
    longest_first = sorted(written, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)


def _read(chunks: Iterable[bytes], deadline: float) -> bytes:
    """Read an answer; what was compressed may be larger here than on its way."""
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) > MAX_BYTES:
            raise TooLarge(f"the answer is larger than {MAX_BYTES / 2**20:g} MiB")
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(found)


def image_in(body: bytes) -> CallOutcome:
    """Return the image in the body of an answer that the server calls a success."""
    try:
        data = json.loads(body)["data"][0]
        encoded = data.get("b64_json")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return _lost("the answer is not that of an image endpoint")
    if not isinstance(encoded, str):
        link = data.get("url")
        return _lost(f"the answer holds {'a link instead of the' if link else 'no'} image")
    try:
        image = _decoded(base64.b64decode(encoded, validate=True))
    except binascii.Error:
        return _lost("the answer's base 64 is damaged")
    except Exception as error:  # decoders of damaged bytes raise almost anything
        return _lost(f"the answer's image cannot be read: {_why(error)}")
    said = data.get("revised_prompt")
    revised = said[:_LONGEST_PROMPT] if isinstance(said, str) and said.strip() else None
    return CallOutcome(GeneratedImage.ok(image, revised_prompt=revised), paid=True)


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


def _lost(reason: str) -> CallOutcome:
    return CallOutcome(GeneratedImage.failed(reason), paid=True, again=True)


def _unreached(text: str) -> str:
    """Return why a connection was not made, without numbers that only programmers know.

    >>> _unreached("[Errno 111] Connection refused")
    'connection refused'
    >>> _unreached("[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1000)")
    'no secure connection: wrong version number'
    """
    words = re.sub(r"^\[[^]]*\]\s*|\s*\(_ssl\.c:\d+\)$", "", text).strip() or "no reason given"
    words = words[:1].lower() + words[1:] if words[1:2].islower() else words
    return f"no secure connection: {words}" if text.startswith("[SSL") else words


def _message(error: Any) -> str:
    body = error.body
    found = body.get("message") if isinstance(body, Mapping) else None
    said = str(found or "").strip()
    return said or error.response.reason_phrase or type(error).__name__


def _moved_to(response: Any) -> str:
    """Return where a redirect leads, as a base URL where it is one of image endpoints."""
    place = response.headers.get("location") or "it does not say which"
    return str(response.url.join(place) if place.startswith("/") else place).removesuffix(_CALL)


def _is_policy(code: str) -> bool:
    plain = "".join(letter for letter in code.lower() if letter.isalnum())
    return any(word in plain for word in _POLICY)


def _seconds(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:  # a date; our own pauses do
        return None
