"""One call to an OpenAI-compatible image endpoint, and what its answer means.

Answers come from outside: their size, time, type and content are checked, and nothing that a
server says is written down before the key has been taken out of it.
"""

from __future__ import annotations

import re
import threading
import time
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, quote_plus

from portrayal.errors import GenerationError
from portrayal.generators.refusals import STATUSES, is_policy, says_no
from portrayal.generators.service_answers import AnswerReader, CallOutcome, lost
from portrayal.loading import (
    TooLarge,
    bounding_hook,
    first_line,
    import_extra,
    is_secret,
    official_headers_hook,
)
from portrayal.records import GeneratedImage

MAX_BYTES = 96 * 2**20
"""Of an answer: an image of 64 million pixels, compressed, in base 64."""

_NO_MONEY = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
_WRONG_CALL = (405, 410, 415, 501)
_BUSY = (408, 409, 425, 429)
_MAYBE_MADE = (408, 504)  # somebody on the way lost patience, not the one who makes images
_NEVER_THERE = ("ConnectError", "ConnectTimeout", "ProxyError")
_CONNECT_S = 5.0  # to be let in; what is made behind the door takes longer
_FORMAT = "response_format"
_LONGEST_REASON = 200
_CALL = "/images/generations"


class Endpoint:
    """A model behind an image endpoint.

    Args:
        model: The model's name at the service.
        base_url: Where the service is, up to and including the version, e.g. ".../v1".
        key: The secret; None where the service asks for none.
        key_from: The environment variable that it came from, for messages.
        options: Further arguments of every call (size, quality).
        timeout: Seconds after which an answer is given up.
        reader: Reads answers; None: one that fetches no link.

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
        reader: AnswerReader | None = None,
    ) -> None:
        self._openai = import_extra("openai", extra="api")
        self._model = model
        self._secret = _spellings(key) if key else None
        self._cuts_key = is_secret(key)
        self._key_from = key_from
        self._base_url = base_url
        self._timeout = timeout
        self._reader = reader or AnswerReader()
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
                event_hooks={
                    "request": [official_headers_hook(base_url)],
                    "response": [hook, lambda response: answered.set()],
                },
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
            return lost(str(error))
        except Exception as error:  # cut connections have as many kinds as there are layers
            return self._cut(error)
        return self._without_key(self._reader.read(body))

    def _without_key(self, found: CallOutcome) -> CallOutcome:
        """Return an answer without the key in anything that will be stored."""
        if self._secret is None or not self._cuts_key:
            return found
        image, secret = found.image, self._secret
        reason, revised = (
            None if text is None else secret.sub("[key]", text)
            for text in (image.reason, image.revised_prompt)
        )
        noted = {
            name: secret.sub("[key]", value) if isinstance(value, str) else value
            for name, value in image.response.items()
        }
        return replace(
            found, image=replace(image, reason=reason, revised_prompt=revised, response=noted)
        )

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
            return lost(f"no whole answer within {self._timeout:g} s")
        # Cut to its length only after the key is out of it, or a part of the key might stay.
        return lost(self._clean(first_line(cause, limit=MAX_BYTES)))

    def _declined(self, error: Any) -> CallOutcome:
        """Tell refusals, bad requests, busy servers and hopeless errors apart."""
        status, code = int(error.status_code), str(error.code or error.type or "")
        said = self._clean(f"{f'HTTP {status} {code}'.strip()}: {_message(error)}")
        if is_policy(code):
            return CallOutcome(GeneratedImage.refused(self._clean(code)), paid=False)
        if status in STATUSES and says_no(_message(error), self._reader.phrases):
            reason = self._clean(_message(error))
            return CallOutcome(GeneratedImage.refused(reason), paid=False)
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
        # A wrong size or an unknown parameter is wrong in every call; a wrong prompt is not.
        systematic = status in _WRONG_CALL or error.param not in (None, "", "prompt")
        return CallOutcome(GeneratedImage.failed(said), paid=False, systematic=systematic)

    def _clean(self, text: str) -> str:
        """Return what may be written down: one line, short, without the key."""
        if self._secret is not None:
            text = self._secret.sub("[key]", text)
        line = " ".join(text.split())
        return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"


def _spellings(key: str) -> re.Pattern[str]:
    """Match a key as it is, and as it appears in an address."""
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


def _seconds(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:  # a date; our own pauses do
        return None
