"""One chat endpoint: a call, what its answer means, and when it is tried again.

Answers come from outside: their size, time and content are checked, and nothing that a server says
is written down before the key has been taken out of it.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from portrayal.errors import MeasurementError
from portrayal.loading import (
    Ceiling,
    TooLarge,
    bounding_hook,
    first_line,
    import_extra,
    is_secret,
    official_headers_hook,
)
from portrayal.progress import OnRemark, no_remark
from portrayal.records import storable

TIMEOUT = 60.0
MAX_BYTES = 2**20
FREE_TRIES, PAID_TRIES = 8, 2
"""Tries of a call that the server turned away, and of one whose answer was lost."""
SHORT_TRIES = 3
"""Tries of a call to an address at which nothing has answered yet, or which failed just before."""
LONGEST_PAUSE = 30.0
_SILENT_S = 5.0  # without an answer, before a person is told why nothing happens
_LONGEST_REASON = 200
_LONGEST_START = 60  # of an answer that is none

_NEVER_THERE = ("ConnectError", "ConnectTimeout")
_BUSY = (408, 409, 425, 429)
_NEVER_BUSY = (501, 505)
_POLICY_STATUSES = (400, 403, 422, 451)
_POLICY = re.compile(r"polic(y|ies)|moderation|safety|content.?filter|responsible.?ai", re.I)
_CALL = "/chat/completions"


class JudgeReply(NamedTuple):
    """What came back: the answer word for word, or the reason why none did.

    `is_paid` tells that it may be on the bill, `is_unsent` that the call never reached the service,
    `is_final` that another try would end the same way; `after` are the seconds that the service
    asks to wait.
    """

    text: str | None
    reason: str | None = None
    is_paid: bool = False
    is_unsent: bool = False
    is_final: bool = False
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class JudgeService:
    """Where a judge is.

    Attributes:
        model: Its name there.
        base_url: The address up to the version.
        key: The secret; None where the service asks for none.
        timeout: Seconds to wait for an answer.
        pause: Seconds before a second try; doubled before each further one.
        key_from: The environment variable of the key, for messages.
    """

    model: str
    base_url: str
    key: str | None
    timeout: float = TIMEOUT
    pause: float = 1.0
    key_from: str = "PORTRAYAL_API_KEY"


class ChatEndpoint:
    """Asks one question about one image until there is an answer; threads may share it.

    Args:
        service: Where it is.
        ceiling: What may be spent.

    Attributes:
        on_remark: Told why nothing happens while it waits.
    """

    def __init__(self, service: JudgeService, ceiling: Ceiling) -> None:
        self._openai = import_extra("openai", extra="api")
        self._service, self._ceiling = service, ceiling
        self._has_answered = False  # whatever is at the service's address
        self.on_remark: OnRemark = no_remark
        self._silent_since = time.monotonic()
        self._remarks = threading.Lock()
        hook = bounding_hook(self._openai, timeout=service.timeout, max_bytes=MAX_BYTES)
        self._client = self._openai.OpenAI(
            api_key=service.key or "none",
            base_url=service.base_url,
            timeout=service.timeout,
            max_retries=0,
            http_client=self._openai.DefaultHttpxClient(
                event_hooks={
                    "request": [official_headers_hook(service.base_url)],
                    "response": [hook],
                },
                follow_redirects=False,
            ),
        )

    def begin(self) -> None:
        """Count the time without an answer from now on."""
        self._silent_since = time.monotonic()

    def ask(self, question: str, image: str, *, is_failing: bool) -> JudgeReply:
        """Ask until there is an answer; the first call was counted before.

        Args:
            question: In words.
            image: A `data:` address.
            is_failing: It gave no answer about the image before: it gets fewer tries.

        Raises:
            MeasurementError: No call can succeed.
        """
        most_free, most_paid = (SHORT_TRIES, 1) if is_failing else (FREE_TRIES, PAID_TRIES)
        free = paid = 0
        while True:
            said = self._call(question, image)
            self._ceiling.settle(paid=said.is_paid)
            self._has_answered |= not said.is_unsent
            if said.text is not None:
                self._silent_since = time.monotonic()
                return said
            free, paid = free + (not said.is_paid), paid + said.is_paid
            if not self._has_answered and free >= SHORT_TRIES:
                raise MeasurementError(
                    f"{self._service.model}: nothing answers at {self._service.base_url} "
                    f"({said.reason}); check the address, and whether its server is running"
                )
            over = said.is_final or free >= most_free or paid >= most_paid
            if over or not self._ceiling.reserve_now():
                return said
            self._wait(said, free + paid)

    def _wait(self, said: JudgeReply, tries: int) -> None:
        """Wait before a further try; now and then tell why."""
        pause = self._service.pause * 2.0 ** (tries - 1)
        pause = min(LONGEST_PAUSE, max(pause, said.after))
        with self._remarks:
            now = time.monotonic()
            is_due = now + pause - self._silent_since > _SILENT_S
            if is_due:
                self._silent_since = now + pause
        if is_due:
            self.on_remark(
                f"{self._service.model}: waiting for {self._service.base_url}: {said.reason}; "
                f"next try in {pause:.0f} s"
            )
        time.sleep(pause)

    def _call(self, question: str, image: str) -> JudgeReply:
        """Call once."""
        content = [
            {"type": "text", "text": question},
            {"type": "image_url", "image_url": {"url": image}},
        ]
        try:
            create = self._client.chat.completions.with_raw_response.create
            response = create(
                model=self._service.model,
                messages=[{"role": "user", "content": content}],
                temperature=0,
                max_tokens=60,
            )
            return self._read(response.content)
        except self._openai.APIStatusError as error:
            return self._declined(error)
        except Exception as error:  # cut connections have as many kinds as there are layers
            return self._cut(error)

    def _read(self, body: bytes) -> JudgeReply:
        """Read an answer that the server calls a success."""
        try:
            choice = json.loads(body)["choices"][0]
            message = choice["message"]
            text = message.get("content") or message.get("refusal")
            ended = choice.get("finish_reason")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            start = self._clean(body.decode("utf-8", "replace"))[:_LONGEST_START]
            begins = f"it begins with {start!a}" if start else "it is empty"
            reason = f"the answer is not that of a chat endpoint, {begins}"
            return JudgeReply(None, reason, is_paid=True)
        if not isinstance(text, str):
            why = f" (finish_reason: {self._line(ended)})" if isinstance(ended, str) else ""
            return JudgeReply(None, f"the answer contains no text{why}", is_paid=True)
        return JudgeReply(self._clean(text), is_paid=True)

    def _cut(self, error: Exception) -> JudgeReply:
        """Tell connections that were never made from those that broke off."""
        # The client says "Connection error." of all of them, and keeps the cause behind it.
        broken = isinstance(error, self._openai.APIConnectionError)
        cause = (error.__cause__ if broken else None) or error
        if type(cause).__name__ in _NEVER_THERE:
            return JudgeReply(None, self._line(first_line(cause)), is_unsent=True)
        if isinstance(cause, TooLarge):
            return JudgeReply(None, str(cause), is_paid=True)
        if isinstance(error, self._openai.APITimeoutError) or isinstance(cause, TimeoutError):
            reason = f"no whole answer within {self._service.timeout:g} s"
            return JudgeReply(None, reason, is_paid=True)
        return JudgeReply(None, self._line(first_line(cause)), is_paid=True)

    def _declined(self, error: Any) -> JudgeReply:
        """Tell refusals, bad requests, busy servers and hopeless errors apart."""
        status, code = int(error.status_code), str(error.code or error.type or "")
        message = _message(error)
        said = self._line(f"{f'HTTP {status} {code}'.strip()}: {message}".removesuffix(": "))
        if status in _POLICY_STATUSES and _POLICY.search(f"{code} {message}"):
            return JudgeReply(f"[{said}]")  # an answer of a kind, and the same next time
        self._require_possible(error, status, code, said)
        if status in _BUSY or (status >= 500 and status not in _NEVER_BUSY):
            after = _seconds(error.response.headers.get("retry-after"))
            if after <= 4 * LONGEST_PAUSE:
                return JudgeReply(None, said, after=after)
            said = f"{said} (it asks to wait {after:,.0f} s)"
        return JudgeReply(None, said, is_final=True)

    def _require_possible(self, error: Any, status: int, code: str, said: str) -> None:
        """Raise where no call can succeed: wrong key, no such model, no money left.

        Raises:
            MeasurementError: None can.
        """
        model, address = self._service.model, self._service.base_url
        why = ""
        if status == 401:
            # What the server says about a wrong key may quote it.
            why = (
                f"{address} does not accept the key (HTTP 401); "
                f"set the environment variable {self._service.key_from}"
            )
        elif 300 <= status < 400:
            why = (
                f"{address} sends callers to another address (HTTP {status}): "
                f"{self._line(_moved_to(error.response))}; name the right one: "
                f"judge:{model}@ADDRESS"
            )
        elif status in (402, 403, 404) or code == "insufficient_quota":
            why = f"{address} will not answer: {said}"
        if why:
            self._ceiling.settle(paid=False)
            raise MeasurementError(f"{model}: {why}")

    def _clean(self, text: str) -> str:
        """Return what may be stored: without the key, and in UTF-8."""
        key = self._service.key
        return storable(text.replace(key, "[key]") if key and is_secret(key) else text)

    def _line(self, text: str) -> str:
        """Return what may be written down: one short line, without the key."""
        line = " ".join(self._clean(text).split())
        return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"


def _message(error: Any) -> str:
    """Return what the server says about an error, in its own words."""
    body = error.body
    found = body.get("message") if isinstance(body, Mapping) else None
    if not found and not isinstance(body, Mapping):
        found = body
    return str(found or "").strip() or str(error.response.reason_phrase or "")


def _moved_to(response: Any) -> str:
    """Return where a redirect leads, as a base URL where it is one of chat endpoints."""
    place = response.headers.get("location") or "it does not say which"
    return str(response.url.join(place) if place.startswith("/") else place).removesuffix(_CALL)


def _seconds(header: str | None) -> float:
    try:
        return max(0.0, float(header)) if header else 0.0
    except ValueError:  # a date; our own pauses do
        return 0.0
