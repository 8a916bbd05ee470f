"""The frozen records that cross module borders. No I/O, no heavy imports.

Prompt -> Request -> Image           what is wanted, what is asked for, what came back
Identity                               all that changes a generator's or a measurer's output
Measurement                            what a measurer saw in one image, or why not
Plain                                  records that are the same before and after JSON
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from PIL.Image import Image

Status = Literal["ok", "refused", "failed"]

UNKNOWN = "unknown"
"""The label of an image in which no group is seen clearly; never the name of a group."""

NOBODY = "nobody"
"""The label of an image that shows nobody; never the name of a group."""

FORMATS = ("PNG", "JPEG", "WEBP", "AVIF")
"""What an encoded image may be."""

MAX_PIXELS = 64_000_000
"""No model and no camera makes larger images; what claims to be may be made to fill memory."""


def digest(value: object, *, length: int = 16) -> str:
    """Return a short stable hash of a JSON-like value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    # "surrogatepass": a prompt may hold any code point, and hashing must never refuse one.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes two outputs comparable: a kind, a name, and every setting that changes output.

    Never batch size, device, image count or date: they do not change the answer, and asking for
    more images must not make all of them again.
    """

    kind: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Short stable hash; part of every image key and measurement folder name."""
        return digest(self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {"kind": self.kind, "name": self.name, "settings": dict(self.settings)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Identity:
        """Read what `as_dict` wrote."""
        return cls(str(data["kind"]), str(data["name"]), dict(data.get("settings", {})))

    def differences(self, other: Identity) -> dict[str, tuple[Any, Any]]:
        """Return what differs, as {setting: (self, other)}, for an error line."""
        mine = {"kind": self.kind, "name": self.name, **self.settings}
        theirs = {"kind": other.kind, "name": other.name, **other.settings}
        return {
            key: (mine.get(key), theirs.get(key))
            for key in sorted({*mine, *theirs})
            if mine.get(key) != theirs.get(key)
        }


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of a study with the factors it stands for, and how many images it wants.

    Attributes:
        text: What the generator reads.
        factors: Levels by factor.
        images: Images wanted.
        seeds_of: The prompt that this one is a variant of and compared with image by image: both
            have the same seeds. "": none, its seeds are its own.
        listed_seeds: Seeds that are meant exactly, ascending; none: as many consecutive ones as
            images.
    """

    text: str
    factors: Mapping[str, str]
    images: int
    seeds_of: str = ""
    listed_seeds: tuple[int, ...] = ()

    @property
    def seeds(self) -> Sequence[int]:
        """The seeds of its images; those of another prompt are others.

        Images of different prompts that start from the same noise resemble each other, so with
        shared seeds an average over prompts would look surer than it is.
        """
        if self.listed_seeds:
            return self.listed_seeds
        start = first_seed(self.seeds_of or self.text)
        return range(start, start + self.images)


def first_seed(text: str) -> int:
    """Return where the seeds of a prompt begin: the same number on every machine.

    Texts fall into a million blocks of 10,000 seeds, so a seed has ten digits at most.
    """
    return int(digest(text), 16) % 1_000_000 * 10_000


@dataclass(frozen=True, slots=True)
class Request:
    """One image to be made. The same request to the same generator gives the same image."""

    prompt: str
    seed: int


def image_key(generator: Identity, prompt: str, seed: int) -> str:
    """Return the key under which an image is stored: generator identity, prompt text, seed."""
    return digest([generator.digest, prompt, seed], length=32)


@dataclass(frozen=True, slots=True)
class GeneratedImage:
    """What a generator answers to one request: an image, or the reason why there is none."""

    status: Status
    image: Image | None = None
    reason: str | None = None
    revised_prompt: str | None = None
    """What a service says that it made of the prompt before it generated the image."""
    response: Mapping[str, str | int | float] = field(default_factory=dict)
    """What else a service says about its answer: id, date, model, why it finished."""

    @classmethod
    def ok(
        cls,
        image: Image,
        *,
        revised_prompt: str | None = None,
        response: Mapping[str, str | int | float] | None = None,
    ) -> GeneratedImage:
        """Return an image that was made."""
        return cls("ok", image, revised_prompt=revised_prompt, response=response or {})

    @classmethod
    def refused(
        cls, reason: str, *, response: Mapping[str, str | int | float] | None = None
    ) -> GeneratedImage:
        """Return a refusal (safety checker, content policy): data, not an error."""
        return cls("refused", None, reason, response=response or {})

    @classmethod
    def failed(cls, reason: str) -> GeneratedImage:
        """Return a failure that retrying did not fix."""
        return cls("failed", None, reason)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells copies of an image from other images; made by `pixels.fingerprint`.

    Attributes:
        pixel_hash: Of its size and pixels: equal for identical images, however they are encoded.
        coarse_pixels: Its mean colours on a grid of 8 by 8, as bytes: hardly different for images
            that were scaled or compressed again.
    """

    pixel_hash: str
    coarse_pixels: bytes


@dataclass(frozen=True, slots=True)
class ImageRecord:
    """One row of `images/`: a request, how it ended, and the encoded image bytes."""

    prompt: str
    seed: int
    status: Status
    reason: str | None = None
    data: bytes | None = None
    width: int | None = None
    height: int | None = None
    path: str | None = None
    factors: Mapping[str, str] = field(default_factory=dict)
    revised_prompt: str | None = None
    response: Mapping[str, str | int | float] = field(default_factory=dict)
    fingerprint: Fingerprint | None = None


@dataclass(frozen=True, slots=True)
class LookRecord:
    """One look at a question: what an analysis that people saw said about it.

    Attributes:
        study: The study's name.
        asked: Digest of the study's wording; another wording is another question.
        question: The finding's question, ending in the measurer by a name that lasts.
        data: Digest of the images that were analyzed.
        estimate: The finding's estimate; None: there was none.
        p: Its plain p; None: nothing was tested.
        n: What the estimate rests on.
        images: Images that were analyzed, of this measurer.
        stage: Images per prompt at this look, where a maximum was planned.
        maximum: The planned maximum of images per prompt; None: the look was not planned.
        low: Lower bound of the interval that holds along with those of all other planned looks.
        high: Upper bound.
    """

    study: str
    asked: str
    question: str
    data: str
    estimate: float | None
    p: float | None
    n: int
    images: int
    stage: int | None = None
    maximum: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def key(self) -> str:
        """What makes it one look: the same images analyzed again are no further one."""
        return digest([self.study, self.asked, self.question, self.data, self.n], length=32)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a measurer saw in one image: named values, or the reason why nothing was measured."""

    key: str
    values: Mapping[str, Any] | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Ballot:
    """One rater's answer to one question about one image: a row of `votes/`.

    Attributes:
        image: The key of the image.
        question: The question's id.
        definition: The question as it was asked, as JSON.
        rater: A pseudonym.
        answer: The answer's key; None where the rater was asked and gave none, or withdrew it.
        answered_at: When, in seconds since 1970; None where the source does not tell.
        seconds: How long the rater looked, where that is known.
        again: Whether the rater was shown the image a second time.
        source: The campaign or the file that it came from.
    """

    image: str
    question: str
    definition: str
    rater: str
    answer: str | None
    answered_at: int | None = None
    seconds: float | None = None
    again: bool = False
    source: str = ""


def storable(text: str) -> str:
    r"""Return a text that UTF-8 has bytes for: halves of character pairs are written as escapes.

    >>> print(storable("woman\ud800"))
    woman\ud800
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def plain(value: Any) -> Any:
    """Return a JSON-ready copy: numpy scalars and arrays unpacked, NaN and infinities as None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Plain:
    """A record whose values are JSON-ready: the same before it is written and after it is read."""

    def __post_init__(self) -> None:
        for one in fields(self):
            object.__setattr__(self, one.name, plain(getattr(self, one.name)))
