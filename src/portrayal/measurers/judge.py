"""`judge:MODEL`: a vision-language model behind an OpenAI-like chat endpoint answers questions.

Answers are closed: the groups of an axis, "nobody" and "cannot tell". Every question is put in
several wordings; the probability of an answer is the share of wordings that gave it. What is not
one of the answers counts as "unknown" and is never guessed from prose. All answers are stored word
for word.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from PIL import Image

from portrayal.errors import MeasurementError, MeasurementStopped
from portrayal.loading import (
    Ceiling,
    CeilingWords,
    bounding_hook,
    first_line,
    import_extra,
    is_secret,
    official_headers_hook,
    read_key,
)
from portrayal.measurers.protocol import Answer, Given, Reason, Unanswered
from portrayal.measurers.registry import CALL_SETTINGS, MeasurerKind
from portrayal.records import NOBODY, UNKNOWN, Identity

PREFIX = "judge:"
CANNOT_TELL = "cannot tell"
OPENAI_URL = "https://api.openai.com/v1"
TIMEOUT = 60.0
SIDE = 768
"""Longer sides are made smaller before an image is sent."""
MAX_BYTES = 2**20
FREE_TRIES, PAID_TRIES = 8, 2
"""Tries of a call that the server turned away, and of one whose answer was lost."""
UNREACHED_TRIES = 3
"""Tries of a call to an address at which nothing has answered yet."""
UNREADABLE = 5
"""Images after which a judge that never gave one of the answers is asked no more."""

AXES: Mapping[str, Sequence[str]] = {
    "perceived gender": ("woman", "man"),
    "skin tone": ("dark skin", "light skin"),
}
"""What is asked about, where nothing else is given."""

WORDINGS = (
    "Look at the people in this image. Which answer fits best for {axis}, as a viewer would "
    "perceive it: {answers}? If several people are shown, answer for most of them.",
    "How would most viewers describe the {axis} of whoever is shown here? Choose one of: {turned}.",
    "Judging by appearance alone, and not by what somebody is: {axis}. Options: {answers}. Choose "
    "exactly one.",
)
ENDING = ' Reply with JSON only: {{"answer": "..."}}'


class AxisQuestion(NamedTuple):
    """A question about an axis in one wording."""

    axis: str
    text: str


class JudgeReply(NamedTuple):
    """What came back: the answer word for word, or the reason why none did.

    `is_unsent` tells that the call never reached the service.
    """

    text: str | None
    reason: str | None = None
    is_unsent: bool = False


@dataclass(frozen=True, slots=True)
class JudgeService:
    """Where a judge is.

    Attributes:
        model: Its name there.
        base_url: The address up to the version.
        key: The secret; None where the service asks for none.
        timeout: Seconds to wait for an answer.
        pause: Seconds before a second try; doubled before each further one.
    """

    model: str
    base_url: str
    key: str | None
    timeout: float = TIMEOUT
    pause: float = 1.0


class ChatJudge:
    """Labels images by asking a model; made by `open_judge`.

    Args:
        service: Where it is.
        ceiling: What may be spent.
        axes: Groups by axis.
        concurrency: Calls at the same time.
    """

    gives: Sequence[Given] = ("labels", "transcript")
    batch_size = 8

    def __init__(
        self,
        service: JudgeService,
        *,
        ceiling: Ceiling,
        axes: Mapping[str, Sequence[str]] = AXES,
        concurrency: int = 6,
    ) -> None:
        self._openai = import_extra("openai", extra="api")
        self._service, self._ceiling = service, ceiling
        self._concurrency = concurrency
        self._has_answered = False  # whatever is at the service's address
        self._unreadable: list[str] | None = []  # None once an allowed answer was given
        self.axes = {name: tuple(groups) for name, groups in axes.items()}
        self._questions = [one for name in self.axes for one in questions(name, self.axes[name])]
        asked = [one.text for one in self._questions]
        self.identity = Identity(
            "judge", service.model, {"base_url": service.base_url, "questions": asked}
        )
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

    def measure(self, images: Sequence[Image.Image]) -> list[Answer | Reason]:
        """Ask every question about every image.

        Raises:
            MeasurementStopped: The ceiling is reached, or no call can succeed; holds the answers.
        """
        answers: list[Answer | Reason] = []
        for image in images:
            try:
                answers.append(self._ask_all(image))
                self._check_readable()
            except MeasurementError as error:
                done = {i: one for i, one in enumerate(answers) if not isinstance(one, Reason)}
                raise MeasurementStopped(str(error), {**done}) from error
        return answers

    def _ask_all(self, image: Image.Image) -> Answer | Reason:
        if not self._ceiling.reserve_now(len(self._questions)):
            raise MeasurementError(f"{self._service.model}: {self._ceiling.reached()}")
        address = _encoded(image)
        with ThreadPoolExecutor(self._concurrency, "portrayal-judge") as pool:
            calls = [pool.submit(self._ask, one, address) for one in self._questions]
        for call in calls:
            if (problem := call.exception()) is not None:
                raise problem
        said = [call.result() for call in calls]
        if all(one.text is None for one in said):
            return Unanswered(f"the judge gave no answer: {said[0].reason}")
        self._count_unreadable(said)
        return self._answer(said)

    def _count_unreadable(self, said: Sequence[JudgeReply]) -> None:
        """Count images without any allowed answer, up to the first that has one."""
        groups = [self.axes[one.axis] for one in self._questions]
        if any(closed_answer(one.text, each) for one, each in zip(said, groups, strict=True)):
            self._unreadable = None
        elif self._unreadable is not None:
            self._unreadable = [*self._unreadable, next(one.text or "" for one in said if one.text)]

    def _check_readable(self) -> None:
        """Raise where a judge never gave an allowed answer: more of its prose is worth nothing.

        Raises:
            MeasurementError: It did not.
        """
        if self._unreadable is not None and len(self._unreadable) >= UNREADABLE:
            raise MeasurementError(
                f"{self._service.model}: no answer about {len(self._unreadable)} images is one of "
                f"those asked for, such as {json.dumps({'answer': CANNOT_TELL})}; got: "
                f"{self._unreadable[0][:80]!a}; its answers are stored and count as unknown; name "
                "another judge"
            )

    def _answer(self, said: Sequence[JudgeReply]) -> Answer:
        labels: dict[str, dict[str, float]] = {name: {} for name in self.axes}
        transcript: list[Mapping[str, str | None]] = []
        for question, one in zip(self._questions, said, strict=True):
            label = read_answer(one.text, self.axes[question.axis])
            shares = labels[question.axis]
            shares[label] = shares.get(label, 0.0) + 1 / len(WORDINGS)
            row = {"axis": question.axis, "question": question.text, "answer": one.text}
            transcript.append(row if one.reason is None else {**row, "reason": one.reason})
        shares_of_axes = {
            name: {label: min(1.0, share) for label, share in shares.items()}
            for name, shares in labels.items()
        }
        return Answer(labels=shares_of_axes, transcript=transcript)

    def _ask(self, question: AxisQuestion, image: str) -> JudgeReply:
        """Ask until there is an answer; the first call was counted before."""
        free = paid = 0
        while True:
            said, costs = self._call(question, image)
            self._ceiling.settle(paid=costs)
            self._has_answered |= not said.is_unsent
            if said.text is not None:
                return said
            free, paid = free + (not costs), paid + costs
            if not self._has_answered and free >= UNREACHED_TRIES:
                raise MeasurementError(
                    f"{self._service.model}: nothing answers at {self._service.base_url} "
                    f"({said.reason}); check the address, and whether its server is running"
                )
            if free >= FREE_TRIES or paid >= PAID_TRIES or not self._ceiling.reserve_now():
                return said
            time.sleep(min(30.0, self._service.pause * 2.0 ** (free + paid - 1)))

    def _call(self, question: AxisQuestion, image: str) -> tuple[JudgeReply, bool]:
        """Call once; returns what came back, and whether it may be on the bill."""
        content = [
            {"type": "text", "text": question.text},
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
            message = json.loads(response.content)["choices"][0]["message"]
            text = message.get("content") or message.get("refusal")
            if not isinstance(text, str):
                return JudgeReply(None, "the answer contains no text"), True
            return JudgeReply(self._clean(text)), True
        except self._openai.APIStatusError as error:
            return self._declined(error)
        except (ValueError, LookupError, TypeError, AttributeError):
            return JudgeReply(None, "the answer is not that of a chat endpoint"), True
        except Exception as error:  # cut connections have as many kinds as there are layers
            unsent = type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout")
            return JudgeReply(None, self._clean(first_line(error)), is_unsent=unsent), not unsent

    def _declined(self, error: Any) -> tuple[JudgeReply, bool]:
        status, code = int(error.status_code), str(error.code or error.type or "")
        said = self._clean(f"HTTP {status} {code}".strip())
        if status in (401, 402, 403, 404) or code == "insufficient_quota":
            self._ceiling.settle(paid=False)
            raise MeasurementError(f"{self._service.model}: the service will not answer: {said}")
        if status == 400:  # a content policy: an answer of a kind, and the same next time
            return JudgeReply(f"[{said}]"), False
        return JudgeReply(None, said), False

    def _clean(self, text: str) -> str:
        key = self._service.key
        return text.replace(key, "[key]") if key and is_secret(key) else text


def questions(axis: str, groups: Sequence[str]) -> list[AxisQuestion]:
    """Return the wordings of the question about an axis; the order of answers changes."""
    answers = [*groups, NOBODY, CANNOT_TELL]
    written = ", ".join(f'"{one}"' for one in answers)
    turned = ", ".join(f'"{one}"' for one in [*reversed(groups), CANNOT_TELL, NOBODY])
    return [
        AxisQuestion(axis, (one + ENDING).format(axis=axis, answers=written, turned=turned))
        for one in WORDINGS
    ]


def closed_answer(text: str | None, groups: Sequence[str]) -> str | None:
    """Return the allowed answer that a reply gives; None: it gives none of them."""
    given: object = (text or "").strip()
    bare = re.sub(r"^```(?:json)?\s*|\s*```$", "", str(given)).strip()
    try:
        found = json.loads(bare)
        given = found.get("answer") if isinstance(found, dict) else found
    except (ValueError, RecursionError):
        given = bare
    if not isinstance(given, str):
        return None
    word = given.strip().strip("\"'.").lower()
    return next((one for one in (*groups, NOBODY, CANNOT_TELL) if one.lower() == word), None)


def read_answer(text: str | None, groups: Sequence[str]) -> str:
    """Return the answer that a reply gives: a group or "nobody"; anything else is "unknown".

    >>> groups = ("woman", "man")
    >>> read_answer('{"answer": "Woman"}', groups), read_answer("It is a woman, I think", groups)
    ('woman', 'unknown')
    """
    found = closed_answer(text, groups)
    return UNKNOWN if found is None or found == CANNOT_TELL else found


def _encoded(image: Image.Image) -> str:
    small = image.convert("RGB")
    small.thumbnail((SIDE, SIDE))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=90)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def open_judge(
    name: str,
    *,
    axes: Mapping[str, Sequence[str]] = AXES,
    max_calls: int | None = None,
    max_call_cost: float | None = None,
    call_price: float | None = None,
    call_timeout: float | None = None,
) -> ChatJudge:
    """Open a judge: "judge:MODEL", or "judge:MODEL@http://HOST:PORT/v1" for another service.

    The key is in OPENAI_API_KEY, for other services in PORTRAYAL_API_KEY. Where they are not
    given, ceilings are read from PORTRAYAL_JUDGE_MAX_CALLS, _MAX_COST and _PRICE.

    Args:
        name: The model, and where it is.
        axes: Groups by axis.
        max_calls: The most calls of this run.
        max_call_cost: The most money of this run, in the currency of `call_price`.
        call_price: Of one call.
        call_timeout: Seconds to wait for an answer; None: 60.

    Raises:
        MeasurementError: No model named, no key, or an address that is none.
        SettingError: A ceiling that makes no sense.
    """
    model, _, url = name.removeprefix(PREFIX).partition("@")
    address = (url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")
    if not model or not re.fullmatch(r"https?://[^\s@?#]+", address):
        raise MeasurementError(
            f"{name}: write judge:MODEL or judge:MODEL@http://HOST:PORT/v1, without a password"
        )
    variable = "PORTRAYAL_API_KEY" if url else "OPENAI_API_KEY"
    key = read_key(variable, error=MeasurementError)
    if key is None and not url:
        raise MeasurementError(f"{name}: no key; set the environment variable {variable}")
    ceiling = Ceiling(
        images=_number("MAX_CALLS", int) if max_calls is None else max_calls,
        cost=_number("MAX_COST", float) if max_call_cost is None else max_call_cost,
        price=_number("PRICE", float) if call_price is None else call_price,
        words=CeilingWords(*CALL_SETTINGS[:3], "call"),
    )
    service = JudgeService(model, address, key, TIMEOUT if call_timeout is None else call_timeout)
    return ChatJudge(service, ceiling=ceiling, axes=axes)


def _number(name: str, kind: Any) -> Any:
    text = os.environ.get(f"PORTRAYAL_JUDGE_{name}", "").strip()
    try:
        return kind(text) if text else None
    except ValueError as error:
        raise MeasurementError(
            f"the environment variable PORTRAYAL_JUDGE_{name} is {text!r}; allowed: a number"
        ) from error


KIND = MeasurerKind(
    written="judge:MODEL",
    open=open_judge,
    is_meant=lambda name: name.startswith(PREFIX),
    settings=("axes", *CALL_SETTINGS),
    identity_kind="judge",
)
