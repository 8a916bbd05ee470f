"""Image APIs as generators: OpenAI's endpoint and all that speak like it.

Endpoints take no seed. A seed here only numbers the images of a prompt: asking again gives
another image, and what is stored is what came back the first time. The identity says so.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from portrayal.errors import GenerationError, GenerationStopped, SettingError
from portrayal.generators.endpoint import MAX_BYTES, Endpoint
from portrayal.generators.links import LinkRules
from portrayal.generators.refusals import read_refusals
from portrayal.generators.registry import GeneratorKind
from portrayal.generators.service_answers import AnswerReader, CallOutcome
from portrayal.loading import Ceiling, is_secret, read_key
from portrayal.records import GeneratedImage, Identity, Request

OPENAI, ANY = "openai:", "api:"
SERVICES = (OPENAI, ANY)
"""How the names of models behind a service begin."""
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY, ANY_KEY = "OPENAI_API_KEY", "PORTRAYAL_API_KEY"
SEEDS = "none: the endpoint takes no seed, seeds number the images of a prompt"
SETTINGS = (
    "width",
    "height",
    "quality",
    "base_url",
    "max_images",
    "max_cost",
    "price",
    "concurrency",
    "timeout",
    "link_host",
    "refusals",
    "batch_size",
    "device",
)
"""What `open_api` takes."""


@dataclass(frozen=True, slots=True)
class Insistence:
    """How often a call is repeated.

    Attributes:
        unpaid: Tries that the server turned away (429, 5xx), which cost nothing.
        paid: Tries whose answer was lost or broken, which may be on the bill.
        unreached: Tries to connect to a server that has not answered a single call yet.
        pause: Seconds before the second try; doubled before each further one.
        longest: No pause is longer, whatever the server asks for.
    """

    unpaid: int = 8
    paid: int = 3
    unreached: int = 3
    pause: float = 1.0
    longest: float = 60.0

    def seconds(self, tries: int, asked: float | None) -> float:
        """Return how long to wait after so many tries; a little at random, to spread callers."""
        own = self.pause * 2.0 ** (tries - 1) * random.uniform(0.5, 1.0)
        return min(self.longest, max(own, asked or 0.0))


class ApiGenerator:
    """Makes images by calling a service; made by `open_api`.

    Args:
        endpoint: Who is called.
        identity: What the images depend on.
        ceiling: What may be spent.
        concurrency: Calls at the same time.
        batch_size: Images that are stored together.
        insistence: How often a call is repeated.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        identity: Identity,
        *,
        ceiling: Ceiling,
        concurrency: int = 8,
        batch_size: int = 16,
        insistence: Insistence | None = None,
    ) -> None:
        self.identity = identity
        self.batch_size = batch_size
        self._endpoint = endpoint
        self._ceiling = ceiling
        self._concurrency = concurrency
        self._insistence = insistence or Insistence()
        self._stop = threading.Event()
        self._worked = False
        self._tried = threading.Event()
        self._last_failure: str | None = None

    def check(self, prompts: Iterable[str]) -> int:
        """Return 0: a service says itself when a prompt is too long, and none is cut here."""
        del prompts
        return 0

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        """Call the service once for each request, some calls at a time.

        Raises:
            GenerationStopped: The ceiling is reached, no call can succeed, or Ctrl-C was pressed;
                holds what was made.
        """
        self._stop.clear()
        calls = self._begin(requests)
        try:
            problem = self._first_problem(calls)
        except KeyboardInterrupt as stopped:
            # Calls under way may be paid for: their images are waited for and stored.
            self._stop.set()
            with contextlib.suppress(KeyboardInterrupt):  # a second one: what is here by now
                self._first_problem(calls)
            made = _made(requests, calls)
            raise GenerationStopped(f"{self.identity.name}: stopped", made) from stopped
        answers = [call.result() for call in calls if call.exception() is None]
        images = [answer for answer in answers if answer is not None]
        if len(images) == len(requests):
            return images
        why = str(problem) if problem else f"{self.identity.name}: {self._ceiling_reached()}"
        raise GenerationStopped(why, _made(requests, calls)) from problem

    def _ceiling_reached(self) -> str:
        """Say which ceiling ended the run; where no call gave an image, why not comes first."""
        reached = self._ceiling.reached()
        if self._worked or self._last_failure is None:
            return reached
        return f"no call gave an image, the last one: {self._last_failure}; {reached}"

    def _begin(self, requests: Sequence[Request]) -> list[Future[GeneratedImage | None]]:
        """Make all calls, some at a time, in threads that nobody has to wait for at the end."""
        calls: list[Future[GeneratedImage | None]] = [Future() for _ in requests]
        waiting = deque(zip(calls, requests, strict=True))

        def work(number: int) -> None:
            # The first call of a run is made alone: what is wrong with all of them costs one.
            while number and not self._tried.wait(0.2):
                if not waiting:
                    return
            while waiting:
                try:
                    call, request = waiting.popleft()
                except IndexError:  # another thread was faster
                    return
                try:
                    call.set_result(self._until_answered(request.prompt))
                except BaseException as problem:  # raised where the answer is asked for
                    call.set_exception(problem)
                finally:
                    self._tried.set()

        for number in range(min(self._concurrency, len(calls))):
            name = f"portrayal-call-{number}"
            threading.Thread(target=work, args=(number,), name=name, daemon=True).start()
        return calls

    def _first_problem(
        self, calls: Sequence[Future[GeneratedImage | None]]
    ) -> BaseException | None:
        """Wait for all calls; return what the first one raised that did, and stop the others."""
        problem: BaseException | None = None
        for call in calls:
            problem = problem or call.exception()
        return problem

    def _until_answered(self, prompt: str) -> GeneratedImage | None:
        """Call until there is an answer to keep; None where no further call may be made."""
        tries: Counter[bool] = Counter()
        most = {True: self._insistence.paid, False: self._insistence.unpaid}
        while not self._stop.is_set() and self._ceiling.reserve(self._stop):
            answer = self._call(prompt)
            tries[answer.paid] += 1
            self._take_note(answer)
            if answer.unreached and tries[False] >= self._insistence.unreached:
                self._end_if_nobody_is_there(answer.unreached)
            if not answer.again or tries[answer.paid] >= most[answer.paid]:
                return answer.image
            self._stop.wait(self._insistence.seconds(tries.total(), answer.after))
        return None

    def _take_note(self, answer: CallOutcome) -> None:
        """Remember how a call ended; before the first success, end what would end so always."""
        self._worked |= answer.image.status != "failed"
        if answer.image.status == "failed":
            self._last_failure = answer.image.reason
        if answer.systematic and not self._worked:
            self._stop.set()
            raise GenerationError(
                f"{self.identity.name}: every call would end as the first one did: "
                f"{answer.image.reason}"
            )

    def _end_if_nobody_is_there(self, why: str) -> None:
        """Stop where no call was ever answered, and none is under way that still may be."""
        if not self._endpoint.answered.is_set() and not self._ceiling.under_way:
            self._stop.set()
            raise self._endpoint.nobody_there(why)

    def _call(self, prompt: str) -> CallOutcome:
        paid = True
        try:
            answer = self._endpoint.ask(prompt)
            paid = answer.paid
        except GenerationError:
            paid = False
            self._stop.set()  # what is hopeless for one call is so for all
            raise
        finally:
            self._ceiling.settle(paid=paid)
        return answer


def _made(
    requests: Sequence[Request], calls: Sequence[Future[GeneratedImage | None]]
) -> list[tuple[Request, GeneratedImage]]:
    """Return what came back before the end; failures are left out, the next run tries again."""
    found = []
    for request, call in zip(requests, calls, strict=True):
        image = call.result() if call.done() and call.exception() is None else None
        if image is not None and image.status != "failed":
            found.append((request, image))
    return found


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """What a service is asked for; None leaves it to the service.

    Attributes:
        width: Pixels.
        height: Pixels; as the width where left out.
        quality: What the service calls quality.
    """

    width: int | None = None
    height: int | None = None
    quality: str | None = None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the options."""
        return tuple(one.name for one in fields(cls))

    def as_sent(self) -> dict[str, str]:
        """Return the options as the endpoint takes them."""
        size = {} if self.width is None else {"size": f"{self.width}x{self.height or self.width}"}
        return size if self.quality is None else {**size, "quality": self.quality}


def open_api(
    model: str,
    *,
    base_url: str | None = None,
    concurrency: int = 8,
    batch_size: int | None = None,
    timeout: float = 180.0,
    link_host: str | Sequence[str] = (),
    refusals: str | None = None,
    **settings: Any,
) -> ApiGenerator:
    """Open a model behind an image endpoint.

    The key comes from the environment: OPENAI_API_KEY for "openai:...", PORTRAYAL_API_KEY for
    "api:...", where it may be absent.

    Args:
        model: "openai:MODEL" or "api:MODEL".
        base_url: The service's address up to the version; needed for "api:...".
        concurrency: Calls at the same time.
        batch_size: Images that are stored together; twice as many as calls where left out.
        timeout: Seconds after which an answer is given up.
        link_host: Hosts, besides the service's own, that links to images may lead to.
        refusals: A text file with one phrase per line that refusals contain, besides our own.
        settings: The fields of `ServiceOptions`; max_images, max_cost and price, see `Ceiling`;
            device, for the encoders that are opened beside it: a service has none.

    Raises:
        GenerationError: No key or a broken one.
        SettingError: No address, or a setting that makes no sense.
    """
    settings.pop("device", None)
    prefix, _, name = model.partition(":")
    if not name:
        raise GenerationError(f"{model}: no model named; write {prefix}:MODEL")
    if concurrency < 1:
        raise SettingError("concurrency", f"is {concurrency}; allowed: 1 or more")
    if not 0 < timeout < float("inf"):
        raise SettingError("timeout", f"is {timeout}; allowed: more than 0")
    is_openai = model.startswith(OPENAI)
    address = _address(model, base_url, default=OPENAI_URL if is_openai else None)
    variable = OPENAI_KEY if is_openai else ANY_KEY
    key = read_key(variable, error=GenerationError)
    if is_openai and key is None:
        raise GenerationError(f"{model}: no key; set the environment variable {variable}")
    asked = ServiceOptions(**{one: settings.pop(one, None) for one in ServiceOptions.names()})
    options = asked.as_sent()
    hosts = (link_host,) if isinstance(link_host, str) else tuple(link_host)
    texts = {"model": name, "base_url": address, "quality": asked.quality}
    _refuse_the_key(texts, key, variable)
    identity = Identity("api", name, {"base_url": address, "seeds": SEEDS, **options})
    return ApiGenerator(
        Endpoint(
            name,
            base_url=address,
            key=key,
            key_from=variable,
            options=options,
            timeout=timeout,
            reader=AnswerReader(
                LinkRules(address, hosts, MAX_BYTES, timeout), read_refusals(refusals)
            ),
        ),
        identity,
        ceiling=_ceiling(**settings),
        concurrency=concurrency,
        batch_size=batch_size or 2 * concurrency,
    )


def _refuse_the_key(given: Mapping[str, str | None], key: str | None, variable: str) -> None:
    """Raise where a text that goes into the identity contains the key, as after a wrong paste.

    Args:
        given: Settings and what they are.
        key: The key, if there is one.
        variable: The environment variable that holds it.
    """
    for option, text in given.items():
        if key and is_secret(key) and key in (text or ""):
            raise GenerationError(
                f"`{option}` contains the key of {variable}, and would be written into the audit; "
                "the environment variable alone is enough"
            )


def _ceiling(
    max_images: int | None = None, max_cost: float | None = None, price: float | None = None
) -> Ceiling:
    return Ceiling(images=max_images, cost=max_cost, price=price)


def _address(model: str, given: str | None, *, default: str | None) -> str:
    """Return the service's address; it goes into the identity, so it may hold no secret."""
    usual = default and (os.environ.get("OPENAI_BASE_URL") or default)
    found = given or usual
    if found is None:
        raise SettingError(
            "base_url", f"is missing: which service has {model}? give http://HOST:PORT/v1"
        )
    try:
        parts = urlsplit(found)
        host = parts.hostname
    except ValueError as error:
        raise SettingError("base_url", f"is no address: {error}") from error
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise SettingError(
            "base_url",
            "contains a user, a password or a query, and would be written into the audit; "
            f"give the bare address, and the key as environment variable {ANY_KEY}",
        )
    if not host or parts.scheme not in ("http", "https"):
        raise SettingError("base_url", f"is {found!r}; allowed: http://... or https://...")
    return found.rstrip("/")


KIND = GeneratorKind(
    written="openai:MODEL or api:MODEL",
    open=open_api,
    is_meant=lambda model: model.startswith(SERVICES),
    settings=SETTINGS,
    service=True,
    identity_kind="api",
)
