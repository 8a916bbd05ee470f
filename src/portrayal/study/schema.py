"""What every kind of study has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StringConstraints

from portrayal.errors import StudyError
from portrayal.records import Prompt

Word = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\n\r]*$"),
]
"""A word, a phrase or a prompt: one line, not empty."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")]
"""A study's name: it becomes a file name inside the audit."""

Count = Annotated[StrictInt, Field(ge=1, le=1_000_000)]


class Part(BaseModel):
    """A part of a study file; unknown keys are errors and nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Number(Part):
    """A printed number.

    Attributes:
        of: The contrast ("flowers / insects"), concept or factor level it speaks of.
        statistic: The name under which our finding appears, such as `S` or `d`.
        value: The number.
        bound: "<" where the paper prints a bound, such as p < 0.001.
    """

    of: str
    statistic: str
    value: StrictFloat | StrictInt
    bound: Literal["", "<", ">"] = ""


class Published(Part):
    """Numbers that a paper printed, and the settings under which they were found.

    Attributes:
        source: The paper and where in it.
        generators: Names of generators that count as the paper's; * matches anything.
        encoders: Names of encoders that count as the paper's; * matches anything.
        settings: Settings of the generator that must agree where both sides state them.
        note: Why a number may not be comparable.
        numbers: The numbers.
    """

    source: str
    generators: tuple[str, ...] = ()
    encoders: tuple[str, ...] = ()
    settings: dict[str, StrictFloat | StrictInt | str] = Field(default_factory=dict)
    note: str = ""
    numbers: tuple[Number, ...]


class Study(Part, ABC):
    """A question as data: prompts with factors, what to measure in them, published numbers.

    Attributes:
        name: Short name, used in commands, file names and results.
        kind: Which analysis answers it.
        title: A heading.
        question: The question in one sentence.
        citation: The paper that it comes from, or "".
        images: Images per prompt.
        published: Numbers to be shown beside ours.
        notes: Choices that the paper leaves open, in plain words.
    """

    needs: ClassVar[tuple[str, ...]] = ("embedding",)
    """What must have been measured for the analysis."""

    name: Name
    kind: str
    title: str = ""
    question: str = ""
    citation: str = ""
    images: Count = 10
    published: tuple[Published, ...] = ()
    notes: tuple[str, ...] = ()

    @abstractmethod
    def prompts(self) -> tuple[Prompt, ...]:
        """Return the prompts to be drawn, each with its factors and number of images."""

    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """Return the texts that an encoder must embed for the analysis, without repeats."""

    def with_images(self, images: int) -> Self:
        """Return the same study with another number of images for every prompt.

        Raises:
            StudyError: Less than one, or more than a million.
        """
        if not 1 <= images <= 1_000_000:
            raise StudyError(f"{self.name}: images per prompt is {images}; allowed: 1 to 1,000,000")
        return self.model_copy(update={"images": images})

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy, which `study_from_dict` reads."""
        return self.model_dump(mode="json")


def without_repeats(words: tuple[str, ...]) -> tuple[str, ...]:
    """Pass a list of words on; raise ValueError where one is given twice."""
    seen: set[str] = set()
    for word in words:
        if word.casefold() in seen:
            raise ValueError(f"has {word!r} twice; each word once")
        seen.add(word.casefold())
    return words
