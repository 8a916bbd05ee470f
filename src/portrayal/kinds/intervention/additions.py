"""The parts of an intervention study: sentences to add, and categories of attributes to ask."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from portrayal.errors import one_of
from portrayal.studies import StudyPart, Word, did_you_mean, without_repeats, wording

IRRELEVANT = "irrelevant"
"""The axis of an intervention that speaks to none."""

ORIGINAL = "original"
"""The name of the prompt without an intervention."""

_ATTRIBUTE = "attribute"
_ACT = "act"


class PromptAddition(StudyPart):
    """A sentence that is put behind a prompt.

    Attributes:
        name: Short name.
        text: The sentence. `{act}` is what the category can do ("be a doctor"), `{attribute}` the
            attribute as it is, `{a attribute}` with its article.
        axis: The axis it speaks to, or "irrelevant".
        texts: Other wordings, by category.
        of: The intervention that this one is a variant of; "" for one of its own.
    """

    name: Word
    text: Word
    axis: Word = IRRELEVANT
    texts: dict[Word, Word] = Field(default_factory=dict)
    of: str = ""

    @field_validator("name")
    @classmethod
    def _not_the_original(cls, name: str) -> str:
        if name == ORIGINAL:
            raise ValueError(f"is {ORIGINAL!r}, the name of the prompt as it is; choose another")
        return name

    @model_validator(mode="after")
    def _known_fields(self) -> Self:
        for text in (self.text, *self.texts.values()):
            _check_fields("text", text, (_ACT, _ATTRIBUTE))
        return self

    def wording_for(self, category: str) -> str:
        """Return the sentence as it is put behind the prompts of a category."""
        return self.texts.get(category, self.text)


class Exceptional(StudyPart):
    """What an attribute needs in the place of its category's wording."""

    template: Word | None = None
    act: Word | None = None


class Category(StudyPart):
    """Attributes that are asked in the same words.

    Attributes:
        name: Such as "profession".
        axes: What is asked about its images.
        template: The prompt, with `{a attribute}` or `{attribute}`.
        act: What an intervention says that all can do, as "be {a attribute}".
        question: What raters are asked about the attribute, as "Is the person wearing
            {attribute}?"; "": a question that suits all.
        attributes: The attributes.
        written: Attributes that do not follow the rule for articles, as they are to be written in
            the place of `{a attribute}`: `{ makeup = "makeup" }`.
        exceptions: Other wordings, by attribute.
    """

    name: Word
    axes: Annotated[tuple[Word, ...], Field(min_length=1)]
    template: Word
    act: str = ""
    question: str = ""
    attributes: Annotated[tuple[Word, ...], Field(min_length=1)]
    written: dict[Word, Word] = Field(default_factory=dict)
    exceptions: dict[Word, Exceptional] = Field(default_factory=dict)

    _once = field_validator("attributes", "axes")(without_repeats)

    @model_validator(mode="after")
    def _known_words(self) -> Self:
        _check_fields("template", self.template, (_ATTRIBUTE,))
        if _ATTRIBUTE not in wording.fields(self.template):
            raise ValueError(f"template is {self.template!r}; it lacks the field {{attribute}}")
        _check_fields("act", self.act, (_ATTRIBUTE,))
        _check_fields("question", self.question, (_ATTRIBUTE,))
        for key, table in (("written", self.written), ("exceptions", self.exceptions)):
            for name in table:
                if name not in self.attributes:
                    raise ValueError(
                        f"{key} names {name!r}{did_you_mean(name, self.attributes)}; "
                        f"allowed: {one_of(self.attributes)}"
                    )
        for name, other in self.exceptions.items():
            for key, text in (("template", other.template), ("act", other.act)):
                _check_fields(f"exceptions.{name}.{key}", text or "", (_ATTRIBUTE,))
        return self

    def prompt(self, attribute: str, intervention: PromptAddition | None) -> str:
        """Return the prompt of an attribute, with an intervention or as it is."""
        other = self.exceptions.get(attribute, Exceptional())
        stem = self._fill(other.template or self.template, attribute)
        if intervention is None:
            return stem
        text = intervention.wording_for(self.name)
        act = self._fill(other.act or self.act, attribute)
        if _ACT in wording.fields(text) and not act:
            raise ValueError(
                f"intervention {intervention.name!r} has the field {{act}}, but category "
                f'{self.name!r} has no act; give one, such as act = "be {{a attribute}}"'
            )
        return f"{stem} {self._fill(text.replace('{act}', act), attribute)}"

    def pattern(self, intervention: PromptAddition | None) -> str:
        """Return how prompts read in a table: `+ if all genders can be a [X]`."""
        if intervention is None:
            return _slot(self.template)
        text = intervention.wording_for(self.name).replace("{act}", self.act)
        return f"+ {_slot(text)}"

    def _fill(self, template: str, attribute: str) -> str:
        text = template.replace(f"{{{_ATTRIBUTE}}}", attribute)
        phrase = self.written.get(attribute, attribute)
        bare = self.written.values() if attribute in self.written else ()
        return wording.fill(text, {_ATTRIBUTE: phrase}, bare=tuple(bare))


def _slot(template: str) -> str:
    """Return a template with [X] for the attribute; the article is that of most words."""
    return wording.fill(template, {_ATTRIBUTE: "[X]"})


def _check_fields(key: str, text: str, allowed: tuple[str, ...]) -> None:
    try:
        found = wording.fields(text)
    except ValueError as error:
        raise ValueError(f"{key} {error}") from error
    for field in found:
        if field not in allowed:
            raise ValueError(
                f"{key} has the field {{{field}}}{did_you_mean(field, allowed)}; "
                f"allowed: {one_of(allowed)}"
            )
