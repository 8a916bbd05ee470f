"""Composition studies: who is shown? Group shares for each level of a factor.

The base of the other kinds that look at groups. Ours; the classification is ENTIGEN's (Bansal et
al. 2022, section C), with axes as data.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from portrayal.errors import one_of
from portrayal.kinds.composition.cells import (
    BETWEEN,
    Target,
    cell_names,
    check_target,
    wrong_target,
)
from portrayal.records import Prompt
from portrayal.studies import (
    Axis,
    Study,
    StudyPart,
    Word,
    did_you_mean,
    named_axes,
    without_repeats,
    wording,
)

MOST_PROMPTS = 1_000_000

TEMPLATE = "template"
"""The factor that tells several templates apart."""


class WrittenPrompt(StudyPart):
    """A prompt that is written out, with the levels of the factors it stands for."""

    text: Word
    factors: dict[Word, Word] = Field(default_factory=dict)


class CompositionStudy(Study):
    """Prompts with factors, and axes of groups.

    Attributes:
        axes: What is asked about each image: names of default axes, or own tables.
        template: A prompt with one field for each factor, such as "a photo of {a occupation}".
        templates: Several templates by name; the name becomes the factor `template`.
        factors: Levels by factor; every combination of levels is drawn.
        bare: Levels that take no article (mass nouns, plurals, names).
        written: Prompts written out instead (`[[prompts]]` in the file).
        joint: Pairs of axes whose cells are counted together.
        targets: What shares are compared with, by axis or pair of axes ("A x B"): "even", a table
            of shares, "training" for the training images, or another audit. Pairs without one are
            compared with an even split, axes without one with nothing.
    """

    kind: Literal["composition"]
    axes: Annotated[dict[Word, Axis], Field(min_length=1)]
    template: str | None = None
    templates: dict[Word, str] = Field(default_factory=dict)
    factors: dict[Word, tuple[Word, ...]] = Field(default_factory=dict)
    bare: tuple[Word, ...] = ()
    written: Annotated[tuple[WrittenPrompt, ...], Field(alias="prompts")] = ()
    joint: tuple[tuple[Word, Word], ...] = ()
    targets: dict[Word, Target] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _default_axes(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "axes" in data:
            try:
                return {**data, "axes": named_axes(data["axes"])}
            except ValueError as error:
                raise ValueError(f"axes {error}") from error
        return data

    @field_validator("targets", mode="before")
    @classmethod
    def _texts_or_tables(cls, targets: Any) -> Any:
        for name, target in targets.items() if isinstance(targets, Mapping) else ():
            if not isinstance(target, str | Mapping):
                raise ValueError(f"of {name!r} {wrong_target(target)}")
        return targets

    @field_validator("factors")
    @classmethod
    def _levels_once(cls, factors: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for name, levels in factors.items():
            if not levels:
                raise ValueError(f"has no levels for {name!r}; allowed: one or more")
            try:
                without_repeats(levels)
            except ValueError as error:
                raise ValueError(f"of {name!r}: {error}") from error
        return factors

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.template is not None and self.templates:
            raise ValueError("template and templates are both given; use one")
        if self._templates() and self.written:
            raise ValueError("a template and [[prompts]] are both given; use one")
        self._check_templates()
        self._check_written()
        self._check_size()
        self._check_compared()
        if not self.prompts():
            raise ValueError("has no prompts; give a template with factors, or [[prompts]]")
        return self

    def _templates(self) -> dict[str, str]:
        return self.templates or ({"": self.template} if self.template is not None else {})

    def _check_templates(self) -> None:
        used: set[str] = set()
        for name, text in self._templates().items():
            key = f"templates.{name}" if name else "template"
            try:
                found = wording.fields(text)
            except ValueError as error:
                raise ValueError(f"{key} {error}") from error
            for field in found:
                if field not in self.factors:
                    raise ValueError(
                        f"{key} has the field {{{field}}}{did_you_mean(field, self.factors)}; "
                        f"allowed: {one_of(list(self.factors)) or 'none, factors is empty'}"
                    )
            used |= set(found)
        idle = [name for name in self.factors if name not in used]
        if idle and self._templates():
            raise ValueError(f"template lacks the field {{{idle[0]}}} of the factor {idle[0]!r}")

    def _check_written(self) -> None:
        if not self.written:
            return
        allowed = list(self.factors) or list(self.written[0].factors)
        for i, prompt in enumerate(self.written):
            for name, level in prompt.factors.items():
                if name not in allowed:
                    raise ValueError(
                        f"prompts[{i}].factors.{name} is unknown{did_you_mean(name, allowed)}; "
                        f"allowed: {one_of(allowed)}"
                    )
                if name in self.factors and level not in self.factors[name]:
                    raise ValueError(
                        f"prompts[{i}].factors.{name} is {level!r}"
                        f"{did_you_mean(level, self.factors[name])}; "
                        f"allowed: {one_of(list(self.factors[name]))}"
                    )
            absent = [name for name in allowed if name not in prompt.factors]
            if absent:
                raise ValueError(f"prompts[{i}].factors.{absent[0]} is missing")
        try:
            without_repeats(tuple(prompt.text for prompt in self.written))
        except ValueError as error:
            raise ValueError(f"prompts {error}") from error

    def prompts(self) -> tuple[Prompt, ...]:
        """Return every combination of levels in every template, or the prompts written out."""
        if self.written:
            return tuple(
                Prompt(p.text, dict(p.factors), self.images_of(p.text)) for p in self.written
            )
        return tuple(
            Prompt(text, factors, self.images_of(text)) for text, factors in self._filled()
        )

    def _filled(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield every combination of levels in every template, with its factors."""
        for name, text in self._templates().items():
            for levels in self._combinations():
                factors = {**levels, TEMPLATE: name} if name else levels
                yield wording.fill(text, levels, bare=self.bare), factors

    def _check_size(self) -> None:
        """Refuse more prompts than anybody wants, before they are all written out."""
        size = math.prod(len(levels) for levels in self.factors.values()) * len(self._templates())
        if size > MOST_PROMPTS:
            raise ValueError(
                f"factors give {size:,} prompts; allowed: {MOST_PROMPTS:,}, fewer levels do"
            )

    def _check_compared(self) -> None:
        for i, pair in enumerate(self.joint):
            for name in pair:
                if name not in self.axes:
                    raise ValueError(
                        f"joint[{i}] names {name!r}{did_you_mean(name, self.axes)}; "
                        f"allowed: {one_of(list(self.axes))}"
                    )
            if pair[0] == pair[1]:
                raise ValueError(f"joint[{i}] names {pair[0]!r} twice; allowed: two axes")
        pairs = [BETWEEN.join(pair) for pair in self.joint]
        try:
            without_repeats(tuple(pairs))
        except ValueError as error:
            raise ValueError(f"joint {error}") from error
        for name, target in self.targets.items():
            if name not in self.axes and name not in pairs:
                allowed = [*self.axes, *pairs]
                raise ValueError(
                    f"targets.{name!r} is no axis{did_you_mean(name, allowed)}; "
                    f"allowed: {one_of(allowed)}"
                )
            try:
                check_target(target, cell_names(list(self.compared_axes()[name].values())))
            except ValueError as error:
                raise ValueError(f"targets.{name!r} {error}") from error

    def compared_axes(self) -> dict[str, dict[str, Axis]]:
        """Return the axes with a target, and all pairs, each with its axes by name."""
        alone = {name: {name: self.axes[name]} for name in self.targets if name in self.axes}
        pairs = {
            BETWEEN.join(pair): {name: self.axes[name] for name in pair} for pair in self.joint
        }
        return {**alone, **pairs}

    def _combinations(self) -> list[dict[str, str]]:
        names = list(self.factors)
        return [
            dict(zip(names, levels, strict=True))
            for levels in itertools.product(*self.factors.values())
        ]

    def asked_axes(self) -> Mapping[str, Axis]:
        """Return the axes that images are labelled on."""
        return self.axes

    def texts(self) -> tuple[str, ...]:
        """Return the texts of all axes, without repeats."""
        return tuple(dict.fromkeys(text for axis in self.axes.values() for text in axis.texts()))

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy with the axes written out, as they were asked."""
        return self.model_dump(mode="json", by_alias=True)
