"""Intervention studies: does a sentence added to a prompt change who is shown?

Every attribute of a category is asked as it is ("a photo of a doctor") and once more with each
intervention behind it. All of its prompts use the same seeds, so that comparisons are paired.
Bansal et al. 2022 (ENTIGEN), section 2.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from portrayal.errors import one_of
from portrayal.kinds.intervention.ablation import Ablation, derived
from portrayal.kinds.intervention.additions import IRRELEVANT, ORIGINAL, Category, PromptAddition
from portrayal.records import Prompt
from portrayal.studies import (
    Axis,
    Count,
    Scoring,
    Study,
    Word,
    builtin_files,
    default_axes,
    did_you_mean,
)

NO_AXIS = "none"
"""The level of the factor `axis` for prompts without an intervention."""


class InterventionStudy(Study):
    """Categories of attributes, sentences to add, and axes of groups.

    An intervention meets every category that has its axis; one that is irrelevant meets all.

    Attributes:
        images: Images per prompt; ENTIGEN has 9.
        axes: Own axes by name; axes that categories name and that are not here are default ones.
        toward: By axis, the group that a bias above 0 leans to (default: the first). The scores of
            two groups set it against all others together.
        interventions: The sentences, as they are written.
        categories: Attributes with their wording.
        ablations: Phrases to take out of interventions or to replace in them; each makes a variant
            of every intervention that has the phrase.
    """

    kind: Literal["intervention"]
    images: Count = 9
    axes: dict[Word, Axis]
    toward: dict[Word, Word] = Field(default_factory=dict)
    interventions: Annotated[tuple[PromptAddition, ...], Field(min_length=1)]
    categories: Annotated[tuple[Category, ...], Field(min_length=1)]
    ablations: tuple[Ablation, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _filled_in(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        whole = _like(data)
        named = [
            axis
            for category in _listed(whole.get("categories"))
            if isinstance(category, Mapping) and isinstance(category.get("axes"), (list, tuple))
            for axis in category["axes"]
        ]
        own = whole.get("axes", {})
        if not isinstance(own, Mapping):
            raise ValueError("axes is no table; name default axes in the categories")
        known = default_axes()
        more = {
            name: known[name]
            for name in named
            if isinstance(name, str) and name in known and name not in own
        }
        return {**whole, "axes": {**own, **more}}

    @field_validator("interventions", "categories")
    @classmethod
    def _names_once(
        cls, parts: tuple[PromptAddition | Category, ...]
    ) -> tuple[PromptAddition | Category, ...]:
        names = [part.name for part in parts]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"has {name!r} twice; each name once")
        return parts

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        self._check_axes()
        for category in self.categories:
            if not self.of_category(category):
                raise ValueError(
                    f"category {category.name!r} has no intervention; give one whose axis is "
                    f"{one_of(category.axes)} or {IRRELEVANT}"
                )
        seen: set[str] = set()
        for prompt in self.prompts():
            if prompt.text in seen:
                raise ValueError(f"has the prompt {prompt.text!r} twice; each prompt once")
            seen.add(prompt.text)
        return self

    def _check_axes(self) -> None:
        known = list(self.axes)
        for category in self.categories:
            for axis in category.axes:
                if axis not in self.axes:
                    raise ValueError(
                        f"category {category.name!r} names the axis {axis!r}"
                        f"{did_you_mean(axis, [*known, *default_axes()])}; "
                        f"allowed: {one_of([*default_axes()])}, or own tables under [axes]"
                    )
        used = [axis for category in self.categories for axis in category.axes]
        for one in self.interventions:
            if one.axis != IRRELEVANT and one.axis not in used:
                raise ValueError(
                    f"intervention {one.name!r} speaks to the axis {one.axis!r}"
                    f"{did_you_mean(one.axis, used)}; "
                    f"allowed: {one_of([*dict.fromkeys(used), IRRELEVANT])}"
                )
        for axis, group in self.toward.items():
            groups = list(self.axes[axis].groups) if axis in self.axes else []
            if group not in groups:
                raise ValueError(
                    f"toward names {group!r} for the axis {axis!r}; "
                    f"allowed: {one_of(groups) or 'an axis of the study'}"
                )

    def first_group(self, axis: str) -> str:
        """Return the group that a bias above 0 leans to."""
        return self.toward.get(axis, next(iter(self.axes[axis].groups)))

    def all_interventions(self) -> tuple[PromptAddition, ...]:
        """Return the interventions as they are written, then the variants that ablations make."""
        return (*self.interventions, *derived(self.interventions, self.ablations))

    def of_category(self, category: Category) -> tuple[PromptAddition, ...]:
        """Return the interventions that a category meets."""
        return tuple(
            one
            for one in self.all_interventions()
            if one.axis == IRRELEVANT or one.axis in category.axes
        )

    def prompts(self) -> tuple[Prompt, ...]:
        """Return, attribute by attribute, the prompt as it is and with each intervention."""
        return tuple(
            Prompt(
                category.prompt(attribute, one),
                self._factors(category, attribute, one),
                self.images,
                category.prompt(attribute, None),
            )
            for category in self.categories
            for attribute in category.attributes
            for one in (None, *self.of_category(category))
        )

    def _factors(
        self, category: Category, attribute: str, one: PromptAddition | None
    ) -> dict[str, str]:
        return {
            "category": category.name,
            "attribute": attribute,
            "intervention": one.name if one else ORIGINAL,
            "axis": one.axis if one else NO_AXIS,
        }

    def asked_axes(self) -> Mapping[str, Axis]:
        """Return the axes that images are labelled on."""
        return self.axes

    def rated_categories(self) -> Mapping[str, frozenset[str]]:
        """Return, by axis, the categories whose images it is asked about.

        In the paper weddings are judged by culture alone, professions and objects by the others.
        """
        return {
            axis: frozenset(one.name for one in self.categories if axis in one.axes)
            for axis in self.axes
        }

    def rated_wordings(self) -> Mapping[str, str]:
        """Return the categories' own questions for raters."""
        return {one.name: one.question for one in self.categories if one.question}

    def scoring(self) -> Scoring:
        """Return the factors of ENTIGEN's tables."""
        return Scoring("attribute", ("category", "intervention"))

    def texts(self) -> tuple[str, ...]:
        """Return the texts of all axes, without repeats."""
        return tuple(dict.fromkeys(text for axis in self.axes.values() for text in axis.texts()))


def _listed(value: Any) -> tuple[Any, ...]:
    """Return a list's members; of anything else, which validation will name, none."""
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _like(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with what it leaves out taken from the built-in study it is `like`."""
    own = dict(data)
    if isinstance(own.get("published"), str):
        own["published"] = _built_in(own["published"], "published").get("published", [])
    name = own.pop("like", None)
    if name is None:
        return own
    whole = _built_in(name, "like")
    found = {k: v for k, v in whole.items() if k not in ("name", "title", "published")}
    if "categories" in own:
        own["categories"] = _completed(own["categories"], found["categories"])
    elif "interventions" in own:
        # Of the categories only those that the new interventions speak to.
        spoken = _spoken(own["interventions"], found["categories"])
        own["categories"] = [
            category
            for category in found["categories"]
            if IRRELEVANT in spoken or spoken & set(category["axes"])
        ]
    if "categories" in own and "interventions" not in own:
        # Of the interventions only those that the chosen categories have the axis of.
        axes = {IRRELEVANT} | {
            axis
            for category in _listed(own["categories"])
            if isinstance(category, Mapping)
            for axis in _listed(category.get("axes"))
        }
        own["interventions"] = [one for one in found["interventions"] if one["axis"] in axes]
    return {**found, **own}


def _built_in(name: Any, key: str) -> dict[str, Any]:
    """Return the content of the built-in intervention study that a key names."""
    known = {
        built_in: content
        for built_in, file in builtin_files().items()
        if (content := tomllib.loads(file.read_text("utf-8"))).get("kind") == "intervention"
    }
    if name not in known:
        raise ValueError(
            f"{key} names {name!r}{did_you_mean(name, known)}; allowed: {one_of(sorted(known))}"
        )
    return known[name]


def _completed(categories: Any, known: Sequence[Mapping[str, Any]]) -> Any:
    """Return categories with what they leave out taken from the known one of their name."""
    by_name = {one["name"]: one for one in known}
    return [
        _chosen(category, by_name[category["name"]])
        if isinstance(category, Mapping) and category.get("name") in by_name
        else category
        for category in _listed(categories)
    ]


def _chosen(category: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return a category completed; wordings of attributes that it does not have are left out."""
    whole = {**known, **category}
    attributes = set(_listed(whole["attributes"]))
    for key in ("written", "exceptions"):
        if key in whole and key not in category:
            whole[key] = {name: one for name, one in whole[key].items() if name in attributes}
    return whole


def _spoken(interventions: Any, categories: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the axes that interventions name; one that no category has is refused.

    What is no intervention at all counts as irrelevant here; validation will name it.
    """
    known = list(dict.fromkeys(axis for one in categories for axis in one["axes"]))
    spoken = {IRRELEVANT} if not _listed(interventions) else set()
    for i, one in enumerate(_listed(interventions)):
        axis = one.get("axis", IRRELEVANT) if isinstance(one, Mapping) else IRRELEVANT
        if isinstance(axis, str) and axis not in (*known, IRRELEVANT):
            raise ValueError(
                f"interventions[{i}].axis is {axis!r}{did_you_mean(axis, known)}; "
                f"allowed: {one_of([*known, IRRELEVANT])}"
            )
        spoken.add(axis if isinstance(axis, str) else IRRELEVANT)
    return spoken
