"""Amplification studies: is a model's group share further from one half than its training data's?

For every occupation, images of a few prompts are compared with training images whose captions
name the occupation. Which captions these are decides the answer, so a study names several subsets
of them and is answered for each. The Bias Amplification Paradox, sections 3 to 6.

The captions come from a corpus. Those that serve as prompts themselves are kept in the study
(`drawn`), so that a stored study is exact data; all others are the audit's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self, get_args

from pydantic import Field, ValidationInfo, field_validator, model_validator

from portrayal.errors import one_of
from portrayal.generators import has_real_faces
from portrayal.language import Paraphrasing
from portrayal.numbers import fraction_among_percentages
from portrayal.records import Identity, Prompt
from portrayal.studies import (
    WRITTEN,
    Axis,
    Count,
    Study,
    StudyPart,
    Undrawn,
    Word,
    did_you_mean,
    named_axes,
    without_repeats,
    wording,
)

OCCUPATION = "occupation"
CAPTION: Final = "caption"
PARAPHRASE: Final = "paraphrase"
"""Levels of the factor `prompt` where a caption, or its paraphrase, is the prompt."""

INDICATORS: Mapping[str, str] = {
    "woman": "female", "female": "female", "man": "male", "male": "male",
}  # fmt: skip
"""The indicator in captions that speaks of a group of perceived gender; groups of other axes are
indicated under their own names."""

SubsetName = Literal[
    "naive", "no-indicators", "nearest", "both",
    "captions", "captions-no-indicators", "paraphrased", "paraphrased-no-indicators",
]  # fmt: skip


class Subset(NamedTuple):
    """Which training images are compared with which generated ones.

    Attributes:
        nearest: Captions most similar to the prompt, instead of any that name the occupation.
        plain: Only captions without an indicator of a group.
        prompts: "": the study's prompts; else what takes their place.
        title: In words.
    """

    nearest: bool
    plain: bool
    prompts: Literal["", "caption", "paraphrase"]
    title: str


SUBSETS: Mapping[SubsetName, Subset] = {
    "naive": Subset(False, False, "", "naive: any caption with the occupation"),
    "no-indicators": Subset(False, True, "", "captions without gender indicators"),
    "nearest": Subset(True, False, "", "nearest neighbours of the prompt"),
    "both": Subset(True, True, "", "nearest neighbours without gender indicators"),
    "captions": Subset(False, False, "caption", "captions as prompts"),
    "captions-no-indicators": Subset(
        False, True, "caption", "captions as prompts, without gender indicators"
    ),
    "paraphrased": Subset(False, False, "paraphrase", "paraphrased captions as prompts"),
    "paraphrased-no-indicators": Subset(
        False, True, "paraphrase", "paraphrased captions as prompts, without gender indicators"
    ),
}


class FaceRule(StudyPart):
    """Images count that show exactly one face.

    Attributes:
        detector: "centerface", "centerface:FILE", "mediapipe:FILE"; "" asks no detector, and the
            person question of the axis takes its place.
        confidence: A face that is less sure is none.
        size: A face whose box is smaller than this share of the image, in width or height, is
            none.
        rule: "portrayal": small faces in the background do not count; "paper": an image with more
            than one face of any size is left out, as in the authors' code.
    """

    detector: str = "centerface"
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    size: Annotated[float, Field(ge=0, le=1)] = 0.1
    rule: Literal["portrayal", "paper"] = "portrayal"


class CaptionPrompt(StudyPart):
    """A caption that serves as a prompt.

    Attributes:
        caption: As the corpus has it.
        indicator: male, female, both or unknown.
        paraphrase: In other words; None: not written yet; "": none that keeps the occupation.
        key: Of its image on the training side.
        long: Whether the text encoder would cut the caption, which then is no prompt.
    """

    caption: str
    indicator: str
    paraphrase: str | None = None
    key: str = ""
    long: bool = False

    def prompt(self, prompts: Literal["caption", "paraphrase"]) -> str:
        """Return the text that serves as a prompt; "" where none does."""
        if prompts == PARAPHRASE:
            return self.paraphrase or ""
        return "" if self.long else self.caption


class DrawnCaptions(StudyPart):
    """The captions that serve as prompts, and where they are from.

    Attributes:
        corpus: Identity of the corpus.
        paraphraser: Identity of who paraphrased; None where nobody did.
        captions: By occupation, in the order in which they were sampled.
    """

    corpus: dict[str, Any]
    paraphraser: dict[str, Any] | None = None
    captions: dict[str, tuple[CaptionPrompt, ...]]


class AmplificationStudy(Study):
    """Occupations, prompts, and the subsets of training captions to compare with.

    Attributes:
        images: Images of every prompt; the paper has 500.
        occupations: What captions must name.
        bare: Occupations that take no article.
        templates: The prompts (`prompts` in the file), each with the field `{a occupation}`.
        axes: One axis: names of default axes, or one own table.
        group: The group whose percentage is counted; None: the first.
        subsets: What to compare with.
        captions: Training captions of an occupation that are sampled.
        neighbours: Nearest captions of a prompt; None: as many as are sampled.
        pool: At most so many captions of an occupation are looked through for the nearest; None:
            all.
        caption_prompts: Captions of an occupation that serve as prompts; None: all sampled ones.
        caption_images: Images of each of them.
        sentences: The sentence encoder that finds nearest captions.
        names: The recogniser of names in captions, as `portrayal corpus indicators` has it.
        indicator_words: By group, words that indicate it in captions, for any axis; left out: the
            recogniser tells for perceived gender, and the words that name a group for other axes.
        faces: Which images count.
        paraphraser: Who paraphrases captions.
        real_world: Percentages of the group by occupation, as a second baseline.
        real_world_source: Where they are from.
        seed: Start of the random numbers for the sample of captions.
        drawn: The captions that serve as prompts, once they are drawn.
    """

    amounts: ClassVar[frozenset[str]] = frozenset(
        {"images", "drawn", "real_world", "real_world_source"}
    )

    kind: Literal["amplification"]
    images: Count = 500
    occupations: Annotated[tuple[Word, ...], Field(min_length=1)]
    bare: tuple[Word, ...] = ()
    templates: Annotated[tuple[Word, ...], Field(alias="prompts", min_length=1)]
    axes: Annotated[dict[Word, Axis], Field(min_length=1, max_length=1)]
    group: Word | None = None
    subsets: Annotated[tuple[SubsetName, ...], Field(min_length=1)] = get_args(SubsetName)
    captions: Count = 500
    neighbours: Count | None = None
    pool: Count | None = None
    caption_prompts: Count | None = None
    caption_images: Count = 10
    sentences: Word = "all-MiniLM-L6-v2"
    names: Word = "capitals"
    indicator_words: dict[Word, Annotated[tuple[Word, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    faces: FaceRule = FaceRule()
    paraphraser: Paraphrasing = Paraphrasing()
    real_world: dict[Word, Annotated[float, Field(ge=0, le=100)]] = Field(default_factory=dict)
    real_world_source: str = ""
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    drawn: DrawnCaptions | None = None

    @model_validator(mode="before")
    @classmethod
    def _default_axes(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "axes" in data:
            try:
                axes = named_axes(data["axes"])
            except ValueError as error:
                raise ValueError(f"axes {error}") from error
            if isinstance(axes, Mapping) and len(axes) > 1:
                raise ValueError(f"axes names {len(axes)} axes; allowed: one")
            return {**data, "axes": axes}
        return data

    @field_validator("real_world", mode="before")
    @classmethod
    def _one_scale(cls, shares: Any, info: ValidationInfo) -> Any:
        """Refuse fractions where a person wrote them, and read percentages with a percent sign."""
        if not isinstance(shares, Mapping) or not (info.context or {}).get(WRITTEN):
            return shares
        problem = fraction_among_percentages(
            {name: str(value) for name, value in shares.items() if not isinstance(value, bool)}
        )
        if problem:
            raise ValueError(f"of {problem}")
        return {
            name: value.strip().removesuffix("%") if isinstance(value, str) else value
            for name, value in shares.items()
        }

    @field_validator("occupations", "templates", "subsets")
    @classmethod
    def _once(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        return without_repeats(words)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for i, template in enumerate(self.templates):
            found = wording.fields(template)
            if found != (OCCUPATION,):
                raise ValueError(
                    f"prompts[{i}] is {template!r}; allowed: a text with one field, "
                    "{a occupation} or {occupation}"
                )
        groups = list(self.axis.groups)
        if self.group is not None and self.group not in groups:
            raise ValueError(
                f"group is {self.group!r}{did_you_mean(self.group, groups)}; "
                f"allowed: {one_of(groups)}"
            )
        for name in self.real_world:
            if name not in self.occupations:
                raise ValueError(
                    f"real_world has {name!r}{did_you_mean(name, self.occupations)}; "
                    "allowed: the study's occupations"
                )
        for name in self.indicator_words:
            if name not in groups:
                raise ValueError(
                    f"indicator_words has {name!r}{did_you_mean(name, groups)}; allowed: the "
                    f"groups {one_of(groups)}"
                )
        if not self.faces.detector and not self.axis.person:
            raise ValueError(
                "faces.detector is empty, and the axis has no person question; give one of the two"
            )
        return self

    @property
    def nearest_captions(self) -> int:
        """How many nearest captions of a prompt are taken."""
        return self.neighbours or self.captions

    @property
    def axis_name(self) -> str:
        """The name of the one axis."""
        return next(iter(self.axes))

    @property
    def axis(self) -> Axis:
        """The one axis."""
        return next(iter(self.axes.values()))

    @property
    def first_group(self) -> str:
        """The group whose percentage is counted."""
        return self.group or next(iter(self.axis.groups))

    def face_rule(self, generator: Identity) -> FaceRule | None:
        """Return which faces count; None where the axis's person question takes their place.

        Where a generator's images have no faces that detectors know (painted ones, say), the
        question is asked instead.
        """
        if not self.faces.detector or (self.axis.person and not has_real_faces(generator)):
            return None
        return self.faces

    def prompt(self, template: str, occupation: str) -> str:
        """Return a prompt as it is asked."""
        return wording.fill(template, {OCCUPATION: occupation}, bare=self.bare)

    def uses(self, prompts: Literal["caption", "paraphrase"]) -> bool:
        """Tell whether a subset takes captions, or paraphrases, as prompts."""
        return any(SUBSETS[name].prompts == prompts for name in self.subsets)

    def caption_texts(
        self, occupation: str, prompts: Literal["caption", "paraphrase"], *, plain: bool = False
    ) -> Counter[str]:
        """Return the captions (or paraphrases) of an occupation, each with how often it occurs.

        Args:
            occupation: The occupation.
            prompts: Which of the two.
            plain: Only those without an indicator.
        """
        drawn = self.drawn.captions.get(occupation, ()) if self.drawn else ()
        chosen = ((one.prompt(prompts), one) for one in drawn)
        return Counter(
            text for text, one in chosen if text and (one.indicator == "unknown" or not plain)
        )

    def prompts(self) -> tuple[Prompt, ...]:
        """Return the prompts, then captions and paraphrases that serve as such, once drawn.

        A caption that the sample holds twice wants twice the images. A text may stand under
        several occupations; its images are made once.
        """
        found = [
            Prompt(
                self.prompt(template, occupation),
                {OCCUPATION: occupation, "prompt": f"#{i + 1}"},
                self.images,
            )
            for i, template in enumerate(self.templates)
            for occupation in self.occupations
        ]
        sources: tuple[Literal["caption", "paraphrase"], ...] = (CAPTION, PARAPHRASE)
        for source in sources:
            for occupation in self.occupations if self.uses(source) else ():
                texts = self.caption_texts(occupation, source)
                factors = {OCCUPATION: occupation, "prompt": source}
                found += [
                    Prompt(text, factors, times * self.caption_images)
                    for text, times in texts.items()
                ]
        return tuple(found)

    def undrawn(self) -> Undrawn:
        """Return what captions as prompts will want once they are drawn."""
        if self.drawn is not None:
            return Undrawn()
        sources = self.uses(CAPTION) + self.uses(PARAPHRASE)
        each = min(self.caption_prompts or self.captions, self.captions)
        prompts = sources * len(self.occupations) * each
        return Undrawn(prompts, prompts * self.caption_images)

    def asked_axes(self) -> Mapping[str, Axis]:
        """Return the axes that images are labelled on."""
        return self.axes

    def texts(self) -> tuple[str, ...]:
        """Return the texts of the axis."""
        return self.axis.texts()

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy with the axis written out, as it was asked."""
        return self.model_dump(mode="json", by_alias=True)
