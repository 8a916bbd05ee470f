"""Association studies: does the model draw a concept closer to one attribute than to another?

Concepts and attributes are named lists of words. Every word of a concept (a stimulus) gives a
neutral prompt; the same prompt with an attribute word gives an attribute prompt. Wang et al. 2023
(T2IAT), sections 3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, field_validator, model_validator

from portrayal.errors import one_of
from portrayal.records import Prompt
from portrayal.studies import (
    Count,
    Location,
    RatingChoice,
    Study,
    StudyPart,
    Word,
    did_you_mean,
    without_repeats,
    wording,
)

NEUTRAL = "neutral"
"""The value of the factor `attribute` for prompts that name no attribute."""

Words = Annotated[tuple[Word, ...], Field(min_length=1)]


class Concept(StudyPart):
    """The stimuli of one concept, and a template of its own where it needs one."""

    words: Words
    template: str | None = None

    _once = field_validator("words")(without_repeats)


class Contrast(NamedTuple):
    """Two concepts to compare: a positive score means that `x` leans to the first attribute."""

    x: str
    y: str

    def __str__(self) -> str:
        return f"{self.x} / {self.y}"


class AssociationStudy(Study):
    """Concepts, attributes, and how the two meet in prompts.

    Attributes:
        concepts: Stimuli by concept. A plain list of words makes each word its own concept.
        attributes: Words by attribute, two attributes or more. Scores are positive towards the
            first.
        contrasts: Pairs of concepts to be compared; with two concepts, those two.
        template: The neutral prompt, with the field {stimulus} or {a stimulus}.
        bare: Stimuli and words that take no article (mass nouns, plurals, names).
        attach: How an attribute word enters: "append" it to the neutral prompt, "substitute" it for
            the placeholder word, or use an attribute "template" of its own.
        append_format: For "append": how, with the fields {prompt} and {word}.
        placeholder: For "substitute": the word that is replaced.
        attribute_template: For "template": with the fields {stimulus} and {word}.
        pairing: "rotation": stimulus i meets word i mod n of each attribute, one attribute prompt a
            stimulus; "cross": every stimulus meets every word.
        attribute_images: Images per attribute prompt where it differs from `images`.
    """

    amounts: ClassVar[frozenset[str]] = frozenset({"images", "attribute_images"})
    sizes: ClassVar[tuple[str, ...]] = ("images", "attribute_images", "fewer")

    kind: Literal["association"]
    template: str = "a photo of {a stimulus}"
    bare: tuple[Word, ...] = ()
    attach: Literal["append", "substitute", "template"] = "append"
    append_format: str = "{prompt}, {word}"
    placeholder: Word = "person"
    attribute_template: str | None = None
    pairing: Literal["rotation", "cross"] = "rotation"
    attribute_images: Count | None = None
    contrasts: tuple[Contrast, ...] = ()
    concepts: Annotated[dict[Word, Concept], Field(min_length=1)]
    attributes: dict[Word, Words]

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, data: Any) -> Any:
        """Read x, y, a, b; plain lists of words; and the contrast that two concepts imply."""
        if not isinstance(data, Mapping):
            return data
        full = _long_form(dict(data))
        concepts = full.get("concepts")
        if isinstance(concepts, (list, tuple)):
            concepts = {word: [word] for word in without_repeats(tuple(map(str, concepts)))}
        if isinstance(concepts, Mapping):
            full["concepts"] = {
                name: {"words": words} if isinstance(words, (list, tuple)) else words
                for name, words in concepts.items()
            }
            if len(concepts) == 2 and "contrasts" not in full:
                full["contrasts"] = [list(concepts)]
        return full

    @field_validator("attributes")
    @classmethod
    def _attributes_apart(cls, attributes: dict[str, tuple[str, ...]]) -> Any:
        if len(attributes) < 2:
            raise ValueError(f"has {len(attributes)} attribute; allowed: two or more")
        if NEUTRAL in attributes:
            raise ValueError(f"has one named {NEUTRAL!r}, which means 'no attribute'; rename it")
        owner: dict[str, str] = {}
        for name, words in attributes.items():
            for word in without_repeats(words):
                if owner.setdefault(word.casefold(), name) != name:
                    raise ValueError(f"has {word!r} in both {owner[word.casefold()]} and {name}")
        return attributes

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        self._check_templates()
        for i, contrast in enumerate(self.contrasts):
            for name in contrast:
                if name not in self.concepts:
                    raise ValueError(
                        f"contrasts[{i}] names {name!r}{did_you_mean(name, self.concepts)}; "
                        f"allowed: {one_of(list(self.concepts))}"
                    )
            shared = set(self._neutral(contrast.x)) & set(self._neutral(contrast.y))
            if shared or contrast.x == contrast.y:
                what = f"the prompt {min(shared)!r}" if shared else "one concept"
                raise ValueError(f"contrasts[{i}] has {what} on both sides; sides must differ")
        return self

    def _check_templates(self) -> None:
        templates = {"template": self.template} | {
            f"concepts.{name}.template": concept.template
            for name, concept in self.concepts.items()
            if concept.template is not None
        }
        wanted: list[tuple[str, str | None, set[str]]] = [
            (key, text, {"stimulus"}) for key, text in templates.items()
        ]
        if self.attach == "append":
            wanted.append(("append_format", self.append_format, {"prompt", "word"}))
        if self.attach == "template":
            wanted.append(("attribute_template", self.attribute_template, {"stimulus", "word"}))
        for key, text, names in wanted:
            check_template(key, text, names)
        if self.attach == "substitute":
            for key, text in templates.items():
                try:
                    wording.substitute(text, self.placeholder, "x")
                except ValueError as error:
                    raise ValueError(f"{key} {error}") from error

    def prompts(self) -> tuple[Prompt, ...]:
        """Return neutral prompts first, then those of each attribute, concept by concept."""
        return tuple(prompt for name in self.concepts for prompt in self._of_concept(name))

    def texts(self) -> tuple[str, ...]:
        """Return all prompts: the association of the texts is set beside that of the images."""
        return tuple(dict.fromkeys(prompt.text for prompt in self.prompts()))

    def with_images(self, images: int) -> Self:
        """Return the same study with so many images for every prompt, of every side."""
        return super().with_images(images).model_copy(update={"attribute_images": None})

    def at_stage(self, images: int) -> Self:
        """Return the study with so many images per prompt, and attribute images in proportion."""
        asked = self.attribute_images
        part = None if asked is None else max(1, math.ceil(asked * images / self.images))
        return super().at_stage(images).model_copy(update={"attribute_images": part})

    @classmethod
    def place_in_file(cls, location: Location, raw: Mapping[str, Any]) -> Location:
        """Name x, y, a, b where the file has them instead of concepts and attributes."""
        for long, keys in _SHORT_FORMS.items():
            if len(location) > 1 and location[0] == long and long not in raw:
                for key in keys:
                    name, _ = _side(key, raw.get(key))
                    if name == location[1]:
                        rest = ("words",) if isinstance(raw[key], Mapping) else ()
                        return (key, *rest, *(step for step in location[2:] if step != "words"))
        return location

    def rated_prompts(self) -> tuple[Prompt, ...]:
        """Return the neutral prompts: raters say which attribute their images are closer to."""
        return tuple(one for one in self.prompts() if one.factors["attribute"] == NEUTRAL)

    def rating_choice(self) -> RatingChoice:
        """Return what raters are asked about a neutral image (T2IAT, section 5.5)."""
        text = "Which is this image more closely associated with?"
        return RatingChoice(text, tuple(self.attributes))

    def _neutral(self, concept: str) -> list[str]:
        template = self.concepts[concept].template or self.template
        return [
            wording.fill(template, {"stimulus": word}, bare=self.bare)
            for word in self.concepts[concept].words
        ]

    def _of_concept(self, concept: str) -> Iterator[Prompt]:
        words = self.concepts[concept].words
        neutral = self._neutral(concept)
        for stimulus, text in zip(words, neutral, strict=True):
            images = self.images_of(text)
            yield Prompt(text, _factors(concept, stimulus, NEUTRAL, ""), images)
        for attribute, attribute_words in self.attributes.items():
            for i, (stimulus, text) in enumerate(zip(words, neutral, strict=True)):
                met = attribute_words
                if self.pairing == "rotation":
                    met = (attribute_words[i % len(attribute_words)],)
                for word in met:
                    attached = self._attached(text, stimulus, word)
                    yield Prompt(
                        attached,
                        _factors(concept, stimulus, attribute, word),
                        self.images_of(attached, self.attribute_images),
                    )

    def _attached(self, neutral: str, stimulus: str, word: str) -> str:
        if self.attach == "substitute":
            return wording.substitute(neutral, self.placeholder, word, bare=self.bare)
        if self.attach == "append":
            return wording.fill(self.append_format, {"prompt": neutral, "word": word})
        template = self.attribute_template or ""
        return wording.fill(template, {"stimulus": stimulus, "word": word}, bare=self.bare)


def check_template(key: str, text: str | None, names: set[str]) -> None:
    """Raise ValueError unless a template has exactly these fields."""
    if text is None:
        raise ValueError(f"{key} is missing")
    try:
        found = wording.fields(text)
    except ValueError as error:
        raise ValueError(f"{key} {error}") from error
    for name in found:
        if name not in names:
            raise ValueError(
                f"{key} has the field {{{name}}}{did_you_mean(name, names)}; "
                f"allowed: {one_of(sorted(names))}"
            )
    absent = sorted(names - set(found))
    if absent:
        raise ValueError(f"{key} is {text!r}; it lacks the field {{{absent[0]}}}")


def _factors(concept: str, stimulus: str, attribute: str, word: str) -> dict[str, str]:
    return {"concept": concept, "stimulus": stimulus, "attribute": attribute, "word": word}


_SHORT_FORMS = {"concepts": ("x", "y"), "attributes": ("a", "b")}


def _long_form(data: dict[str, Any]) -> dict[str, Any]:
    """Turn x, y into concepts and a, b into attributes."""
    for long, keys in _SHORT_FORMS.items():
        if not any(key in data for key in keys):
            continue
        if long in data:
            raise ValueError(f"{long} and its short form {', '.join(keys)} are both given; use one")
        named: dict[str, Any] = {}
        for key in keys:
            if key not in data:
                raise ValueError(f"{key} is missing; {' and '.join(keys)} go together")
            name, words = _side(key, data.pop(key))
            if name in named:
                raise ValueError(f"{key} has the name {name!r} of {keys[0]}; names must differ")
            named[name] = words
        data[long] = named
    return data


def _side(key: str, side: Any) -> tuple[str, Any]:
    """Read a short form: a list of words, or a table with `name` and `words`."""
    if not isinstance(side, Mapping):
        return key.upper(), side
    if set(side) != {"name", "words"}:
        raise ValueError(f"{key} has {one_of(list(side))}; allowed: name, words")
    return str(side["name"]), side["words"]


def studies_with_contrasts(studies: Iterable[Study]) -> list[AssociationStudy]:
    """Return the association studies that contrast concepts."""
    return [one for one in studies if isinstance(one, AssociationStudy) and one.contrasts]
