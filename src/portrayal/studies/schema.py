"""What every kind of study has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, StrictFloat, StrictInt

from portrayal.errors import StudyError
from portrayal.records import Prompt
from portrayal.studies.axes import Axis
from portrayal.studies.parts import Count, Name, StudyPart

WRITTEN = "written"
"""In the context of a validation: whether a person wrote the study, not an audit."""


class Number(StudyPart):
    """A printed number.

    Attributes:
        of: The contrast ("flowers / insects"), concept or factor level it speaks of.
        statistic: The name under which our finding appears, such as `S` or `d`.
        value: The number.
        bound: "<" where the paper prints a bound, such as p < 0.001.
        recovered: What the paper's released data, or its other numbers, give where they contradict
            the printed one.
    """

    of: str
    statistic: str
    value: StrictFloat | StrictInt
    bound: Literal["", "<", ">"] = ""
    recovered: StrictFloat | StrictInt | None = None

    @property
    def printed(self) -> str:
        """The number as the paper prints it."""
        return f"{self.bound}{self.value:g}"


class Published(StudyPart):
    """Numbers that a paper printed, and the settings under which they were found.

    Attributes:
        source: The paper and where in it.
        generators: Names of generators that count as the paper's; * matches anything.
        encoders: Names of encoders that count as the paper's; * matches anything.
        settings: Settings of the generator that must agree where both sides state them.
        model: What the paper calls the generator, where it has several.
        measurer: Who labelled the images.
        note: Why a number may not be comparable.
        numbers: The numbers.
    """

    source: str
    model: str = ""
    measurer: Literal["encoder", "raters"] = "encoder"
    generators: tuple[str, ...] = ()
    encoders: tuple[str, ...] = ()
    settings: dict[str, StrictFloat | StrictInt | str] = Field(default_factory=dict)
    note: str = ""
    numbers: tuple[Number, ...]


class Undrawn(NamedTuple):
    """What a study will want beyond its present prompts once its texts are drawn."""

    prompts: int = 0
    images: int = 0


class RatingChoice(NamedTuple):
    """A question with a choice of answers, put to raters about a study's images."""

    text: str
    answers: tuple[str, ...]


class Scoring(NamedTuple):
    """The factors by which raters' answers are scored.

    Attributes:
        attribute: The factor that says what an image is meant to show; None: there is none.
        by: Factors whose levels are scored apart.
    """

    attribute: str | None
    by: tuple[str, ...] = ()


class Study(StudyPart, ABC):
    """A question as data: prompts with factors, what to measure in them, published numbers.

    Attributes:
        name: Short name, used in commands, file names and results.
        kind: Which analysis answers it.
        title: A heading.
        question: The question in one sentence.
        citation: The paper that it comes from, or "".
        images: Images per prompt.
        fewer: Images of prompts that get fewer, because what they were for is decided.
        published: Numbers to be shown beside ours.
        notes: Choices that the paper leaves open, in plain words.
    """

    needs: ClassVar[tuple[str, ...]] = ("embedding",)
    """What must have been measured for the analysis."""

    amounts: ClassVar[frozenset[str]] = frozenset({"images"})
    """Fields that say how much is asked for, or hold what was drawn: not what is asked."""

    sizes: ClassVar[tuple[str, ...]] = ("images", "fewer")
    """Of these, the ones that say how many images there are of each prompt."""

    name: Name
    kind: str
    title: str = ""
    question: str = ""
    citation: str = ""
    images: Count = 10
    fewer: dict[str, Count] = Field(default_factory=dict)
    published: tuple[Published, ...] = ()
    notes: tuple[str, ...] = ()

    @abstractmethod
    def prompts(self) -> tuple[Prompt, ...]:
        """Return the prompts to be drawn, each with its factors and number of images."""

    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """Return the texts that an encoder must embed for the analysis, without repeats."""

    def asked_axes(self) -> Mapping[str, Axis]:
        """Return the axes of groups that images are labelled on, by name; none for some kinds."""
        return {}

    def undrawn(self) -> Undrawn:
        """Return what the study will want once texts are drawn for it; most draw none."""
        return Undrawn()

    def rated_prompts(self) -> tuple[Prompt, ...]:
        """Return the prompts whose images raters judge."""
        return self.prompts()

    def rating_choice(self) -> RatingChoice | None:
        """Return the question that raters are asked instead of one for each axis, if any."""
        return None

    def rated_categories(self) -> Mapping[str, frozenset[str]]:
        """Return, by axis, the levels of the factor `category` that it is asked about.

        None: every axis is asked about every image.
        """
        return {}

    def rated_wordings(self) -> Mapping[str, str]:
        """Return how raters are asked whether an image shows what was asked for, by category."""
        return {}

    def scoring(self) -> Scoring:
        """Return the factors by which raters' answers are scored."""
        factors = [name for name in self.prompts()[0].factors if name != "template"]
        return Scoring(next(iter(factors), None))

    def with_images(self, images: int) -> Self:
        """Return the same study with another number of images for every prompt.

        Raises:
            StudyError: Less than one, or more than a million.
        """
        if not 1 <= images <= 1_000_000:
            raise StudyError(f"{self.name}: images per prompt is {images}; allowed: 1 to 1,000,000")
        return self.model_copy(update={"images": images, "fewer": {}})

    def images_of(self, text: str, images: int | None = None) -> int:
        """Return the images of one prompt: `images` (or the study's), unless it gets fewer."""
        most = self.images if images is None else images
        return min(most, self.fewer.get(text, most))

    def at_stage(self, images: int) -> Self:
        """Return the study as it is asked on the way to its images, with so many per prompt."""
        return self.model_copy(update={"images": images})

    def sized_as(self, before: Study) -> Self:
        """Return the study with as many images as another one of its name."""
        if type(before) is not type(self):
            return self.with_images(before.images)
        return self.model_copy(update={name: getattr(before, name) for name in self.sizes})

    def wording(self) -> dict[str, Any]:
        """Return what is asked, whatever the amounts and titles; two that differ in it are two."""
        left_out = {*self.amounts, *self.sizes, "name", "title", "question"}
        left_out |= {"published", "notes", "citation"}
        return {name: value for name, value in self.as_dict().items() if name not in left_out}

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy, which `study_from_dict` reads."""
        return self.model_dump(mode="json")


def asked_groups(studies: Iterable[Study]) -> dict[str, list[str]]:
    """Return the groups of every axis that studies label images on, by its name."""
    found: dict[str, dict[str, None]] = {}
    for study in studies:
        for name, axis in study.asked_axes().items():
            found.setdefault(name, {}).update(dict.fromkeys(axis.groups))
    return {name: list(groups) for name, groups in found.items()}
