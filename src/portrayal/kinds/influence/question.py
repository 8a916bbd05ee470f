"""What is asked about one prompt, as an influence study of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from portrayal.errors import (
    SettingError,
    StudyError,
    is_number,
    one_of,
    require_count,
    shown,
)
from portrayal.kinds.influence.schema import InfluenceStudy, Transmutation, check_words
from portrayal.language import default_text_model
from portrayal.records import digest
from portrayal.studies import Axis, default_axes, did_you_mean, load_study, study_from_dict

PILOT = 0.5
"""Share of a budget that is dealt out evenly before anything is known."""

LEAST_DRAWS = 2
"""Fewer texts say nothing about the texts that were not drawn."""

VERIFIED = 24
"""Images of each rewritten prompt that is suggested, where a person asks."""

DEFAULT_DRAWS = 12
DEFAULT_IMAGES = 2

CITATION = (
    "Lin, Monteiro Paes, Tanneru, Srinivas, Lakkaraju 2023. Word-Level Explanations for Analyzing "
    "Bias in Text-to-Image Models. Workshop on Challenges in Deployable Generative AI, ICML 2023."
)


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    """What is asked about one prompt.

    Attributes:
        prompt: The prompt.
        group: The group whose share is explained; None: woman, or the first of `axis`.
        axis: The axis of the group, by name; None: the one that has the group.
        like: An influence study, by name or file, whose axes are asked instead of the default ones;
            "influence-doctor" has the paper's classifier: male or female, every image.
        target: The share that a rewritten prompt should come near; None: an even one.
        verify: Images of each rewritten prompt that is suggested; 0: none.
        level: Largest number of words replaced together.
        draws: Texts for each set of replaced words.
        images: Images per text.
        budget: Images in all, dealt out where intervals are widest; None: draws x images for every
            set of words.
        subsets: At most so many sets of words, sampled; None: all.
        transmuter: Where other words come from.
        seed: Start of the random numbers for texts.
    """

    prompt: str
    group: str | None = None
    axis: str | None = None
    like: str | None = None
    target: float | None = None
    verify: int = 0
    level: int = 1
    draws: int = DEFAULT_DRAWS
    images: int = DEFAULT_IMAGES
    budget: int | None = None
    subsets: int | None = None
    transmuter: Transmutation = field(default_factory=Transmutation)
    seed: int = 0

    def study(self) -> InfluenceStudy:
        """Return the question as an influence study.

        Raises:
            StudyError: The prompt, the group, the level or the budget cannot be.
            SettingError: A number is none.
        """
        if not isinstance(self.prompt, str):
            raise SettingError("prompt", f"is {shown(self.prompt)}; allowed: a text")
        for setting in ("draws", "images", "budget", "subsets"):
            if (value := getattr(self, setting)) is not None:
                require_count(setting, value)
        require_count("level", self.level)
        try:
            check_words(self.prompt, self.level, self.subsets)
        except ValueError as error:
            raise StudyError(str(error)) from error
        axes = default_axes() if self.like is None else influence_study(self.like).axes
        axis, group = axis_and_group(self.axis, self.group, axes)
        texts = {} if self.like is None else {axis: axes[axis].model_dump(mode="json")}
        if self.target is not None and not (is_number(self.target) and 0 < self.target < 1):
            raise SettingError("target", f"is {shown(self.target)}; allowed: a share, 0 to 1")
        words = self.transmuter.model_dump(mode="json")
        name = digest([self.prompt, texts or axis, words, self.seed])
        data = {
            "name": f"explain-{_slug(self.prompt)}-{name[:6]}",
            "kind": "influence",
            "title": f"Which word of “{self.prompt}” causes it?",
            "question": f"Which word of “{self.prompt}” pushes towards {group}?",
            "citation": CITATION,
            "axes": texts or [axis],
            "group": group,
            "target": self.target,
            "verify": self.verify,
            "prompts": [{"text": self.prompt}],
            "level": self.level,
            "draws": self.draws,
            "images": self.images,
            "subsets": self.subsets,
            "transmuter": words,
            "seed": self.seed,
        }
        study = study_from_dict(data, source="explain")
        assert isinstance(study, InfluenceStudy)
        return study if self.budget is None else self._with_budget(study, self.budget)

    def _with_budget(self, study: InfluenceStudy, budget: int) -> InfluenceStudy:
        """Return the study with as many draws as the even part of the budget pays for."""
        sets = study.cost().subsets
        each = sets * self.images
        if budget < each * LEAST_DRAWS:
            raise StudyError(
                f"budget is {budget} images; allowed: {each * LEAST_DRAWS} or more ({sets} sets of "
                f"words x {LEAST_DRAWS} texts x {self.images} images); raise it, or lower images "
                "or level"
            )
        draws = max(LEAST_DRAWS, int(budget * PILOT) // each)
        return study.with_draws(draws).model_copy(update={"budget": budget})


def replaced_by(
    *,
    like: str | None = None,
    words: str = "",
    wordnet: bool = False,
    choice: str | None = None,
    avoid: Sequence[str] = (),
    count_named: bool = False,
) -> Transmutation:
    """Return where other words come from.

    Args:
        like: An influence study whose replacements are taken where nothing else is said.
        words: A masked language model: a folder, a Hub id or a name; "": the installed default.
        wordnet: Synonyms and antonyms instead of a language model.
        choice: Texts at random ("sample"), or the most probable ones ("top").
        avoid: Words never to be put in.
        count_named: Count texts that name a group instead of setting them apart.

    Raises:
        SettingError: A value cannot be.
        StudyError: There is no such study.
    """
    if not isinstance(words, str):
        raise SettingError("words", f"is {shown(words)}; allowed: a masked language model's name")
    if not isinstance(wordnet, bool):
        raise SettingError("wordnet", f"is {shown(wordnet)}; allowed: True, False")
    if choice not in (None, "sample", "top"):
        raise SettingError("choice", f"is {shown(choice)}; allowed: sample, top")
    if isinstance(avoid, str) or not all(isinstance(one, str) and one for one in avoid):
        raise SettingError("avoid", f"is {shown(avoid)}; allowed: a list of words")
    given: dict[str, Any] = {}
    if words or wordnet:
        by = "wordnet" if wordnet else "masked-words"
        model = words or default_text_model("words")
        given = {"by": by, "model": model, "revision": None, "candidates": {}}
    given |= {name: one for name, one in (("choice", choice), ("avoid", tuple(avoid))) if one}
    if count_named:
        given["naming"] = "counted"
    base = Transmutation() if like is None else influence_study(like).transmuter
    return Transmutation.model_validate({**base.model_dump(), **given})


def influence_study(name_or_path: str) -> InfluenceStudy:
    """Return an influence study.

    Raises:
        StudyError: There is none of this name, or it is of another kind.
    """
    study = load_study(name_or_path)
    if not isinstance(study, InfluenceStudy):
        raise StudyError(
            f"like is {study.name!r}, of kind {study.kind}; allowed: a study of kind influence, "
            "such as influence-doctor"
        )
    return study


def axis_and_group(
    axis: str | None, group: str | None, axes: Mapping[str, Axis]
) -> tuple[str, str]:
    """Return the axis and the group that are meant; None: the usual ones.

    Raises:
        StudyError: There is no such axis, or it has no such group.
    """
    if axis is None:
        group = "woman" if group is None else group
        return axis_of(group, axes), group
    if axis not in axes:
        known = list(axes)
        raise StudyError(
            f"axis is {shown(axis)}{did_you_mean(str(axis), known)}; allowed: {one_of(known)}, or "
            "those of a study (like)"
        )
    groups = list(axes[axis].groups)
    if group is not None and group not in groups:
        raise StudyError(
            f"group is {shown(group)}{did_you_mean(str(group), groups)}; allowed on the axis "
            f"{axis!r}: {one_of(groups)}"
        )
    return axis, group or groups[0]


def axis_of(group: str, axes: Mapping[str, Axis]) -> str:
    """Return the axis that has a group of this name.

    Raises:
        StudyError: None has.
    """
    for name, axis in axes.items():
        if group in axis.groups:
            return name
    known = [one for axis in axes.values() for one in axis.groups]
    raise StudyError(
        f"group is {shown(group)}{did_you_mean(group, known)}; allowed: {one_of(known)}, "
        "or those of a study (like)"
    )


def _slug(prompt: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", prompt.lower()).strip("-")[:40].strip("-") or "prompt"
