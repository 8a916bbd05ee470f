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
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from PIL import Image

from portrayal.errors import MeasurementError, MeasurementStopped
from portrayal.loading import Ceiling, CeilingWords, read_key
from portrayal.measurers.judge_service import TIMEOUT, ChatEndpoint, JudgeReply, JudgeService
from portrayal.measurers.protocol import Answer, Given, Reason, Unanswered
from portrayal.measurers.registry import CALL_SETTINGS, MeasurerKind
from portrayal.progress import OnRemark
from portrayal.records import NOBODY, UNKNOWN, Identity

PREFIX = "judge:"
CANNOT_TELL = "cannot tell"
OPENAI_URL = "https://api.openai.com/v1"
SIDE = 768
"""Longer sides are made smaller before an image is sent."""
UNREADABLE = 5
"""Images after which a judge that never gave one of the answers is asked no more."""
FAILING = 5
"""Images in a row without an answer, after which a service is given up."""

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
        self._service, self._ceiling = service, ceiling
        self._endpoint = ChatEndpoint(service, ceiling)
        self._concurrency = concurrency
        self._failed = 0  # images in a row without an answer
        self._unreadable: list[str] | None = []  # None once an allowed answer was given
        self.axes = {name: tuple(groups) for name, groups in axes.items()}
        self._questions = [one for name in self.axes for one in questions(name, self.axes[name])]
        asked = [one.text for one in self._questions]
        self.identity = Identity(
            "judge", service.model, {"base_url": service.base_url, "questions": asked}
        )

    @property
    def on_remark(self) -> OnRemark:
        """Told why nothing happens while the judge waits for its service."""
        return self._endpoint.on_remark

    @on_remark.setter
    def on_remark(self, told: OnRemark) -> None:
        self._endpoint.on_remark = told

    def measure(self, images: Sequence[Image.Image]) -> list[Answer | Reason]:
        """Ask every question about every image.

        Raises:
            MeasurementStopped: The ceiling is reached, or no call can succeed; holds the answers.
        """
        answers: list[Answer | Reason] = []
        self._endpoint.begin()
        for image in images:
            try:
                answers.append(self._ask_all(image))
                self._check_answering(answers[-1])
                self._check_readable()
            except MeasurementError as error:
                done = {i: one for i, one in enumerate(answers) if not isinstance(one, Reason)}
                raise MeasurementStopped(str(error), {**done}) from error
        return answers

    def _ask_all(self, image: Image.Image) -> Answer | Reason:
        if not self._ceiling.reserve_now(len(self._questions)):
            raise MeasurementError(f"{self._service.model}: {self._ceiling.reached()}")
        address = _encoded(image)
        ask = partial(self._endpoint.ask, image=address, is_failing=self._failed > 0)
        with ThreadPoolExecutor(self._concurrency, "portrayal-judge") as pool:
            calls = [pool.submit(ask, one.text) for one in self._questions]
        for call in calls:
            if (problem := call.exception()) is not None:
                raise problem
        said = [call.result() for call in calls]
        if all(one.text is None for one in said):
            return Unanswered(f"no answer from {self._service.base_url}: {said[0].reason}")
        self._count_unreadable(said)
        return self._answer(said)

    def _count_unreadable(self, said: Sequence[JudgeReply]) -> None:
        """Count images without any allowed answer, up to the first that has one."""
        groups = [self.axes[one.axis] for one in self._questions]
        if any(closed_answer(one.text, each) for one, each in zip(said, groups, strict=True)):
            self._unreadable = None
        elif self._unreadable is not None:
            self._unreadable = [*self._unreadable, next(one.text or "" for one in said if one.text)]

    def _check_answering(self, last: Answer | Reason) -> None:
        """Raise where a service gave no answer about several images in a row.

        Raises:
            MeasurementError: It did not.
        """
        if not isinstance(last, Unanswered):
            self._failed = 0
            return
        self._failed += 1
        said = f"{self._service.model}: {last.text}"
        if self._failed >= FAILING:
            raise MeasurementError(
                f"{said}, {self._failed} images in a row; check the service and run the same "
                "command again, it continues where it stopped"
            )
        if self._failed > 1:
            self.on_remark(f"{said}; {self._failed} images in a row, the run ends at {FAILING}")

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
    timeout = TIMEOUT if call_timeout is None else call_timeout
    service = JudgeService(model, address, key, timeout, key_from=variable)
    return ChatJudge(service, ceiling=ceiling, axes=axes)


def _name_of(judge: Identity) -> str:
    """Return the name that opens a judge again; "" of judges that are not of this module."""
    address = judge.settings.get("base_url")
    if not address:
        return ""
    return f"{PREFIX}{judge.name}" + ("" if address == OPENAI_URL else f"@{address}")


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
    name_of=_name_of,
)
