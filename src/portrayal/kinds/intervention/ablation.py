"""Which phrase of an intervention does it? Take the phrase out, or put another in its place.

Bansal et al. 2022 (ENTIGEN), section 4: without "irrespective of their gender" an intervention
loses its effect.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from portrayal.errors import StudyError, one_of
from portrayal.kinds.intervention.additions import IRRELEVANT, PromptAddition
from portrayal.studies import StudyPart, Word, did_you_mean

if TYPE_CHECKING:
    from portrayal.kinds.intervention.schema import InterventionStudy


class Ablation(StudyPart):
    """A phrase to take out of interventions, or to replace.

    Attributes:
        phrase: Words that follow each other, in any case of letters.
        replacement: What stands in their place; None: nothing.
    """

    phrase: Word
    replacement: Word | None = None

    def name(self, of: str) -> str:
        """Return the name of an intervention's variant."""
        if self.replacement is None:
            return f"{of}, without {self.phrase!r}"
        return f"{of}, with {self.replacement!r} for {self.phrase!r}"

    def applied(self, text: str) -> str | None:
        """Return a text without the phrase; None where it does not have it."""
        words = r"\s+".join(re.escape(word) for word in self.phrase.split())
        new, times = re.subn(
            rf"(?<!\w){words}(?!\w)", lambda _: self.replacement or "", text, flags=re.IGNORECASE
        )
        return re.sub(r"\s+([,;.])", r"\1", " ".join(new.split())).strip(" ,;") if times else None


def derived(
    interventions: Sequence[PromptAddition], ablations: Sequence[Ablation]
) -> tuple[PromptAddition, ...]:
    """Return the variants of interventions, one for each that has a phrase.

    Raises:
        ValueError: No intervention has a phrase, or nothing is left of one.
    """
    found = []
    for ablation in ablations:
        variants = [one for parent in interventions for one in _variant(parent, ablation)]
        if not variants:
            raise ValueError(
                f"phrase {ablation.phrase!r} is in no intervention; they read: "
                f"{one_of([repr(one.text) for one in interventions])}"
            )
        found += variants
    return tuple(found)


def _variant(parent: PromptAddition, ablation: Ablation) -> list[PromptAddition]:
    text = ablation.applied(parent.text)
    other = {name: ablation.applied(words) for name, words in parent.texts.items()}
    if text is None and not any(words is not None for words in other.values()):
        return []
    new = parent.text if text is None else text
    texts = {name: parent.texts[name] if w is None else w for name, w in other.items()}
    if not new or not all(texts.values()):
        raise ValueError(
            f"phrase {ablation.phrase!r} is all of the intervention {parent.name!r}; without it "
            "the prompt is the original; give a replacement"
        )
    return [
        PromptAddition(
            name=ablation.name(parent.name), text=new, axis=parent.axis, texts=texts, of=parent.name
        )
    ]


def ablated(
    study: InterventionStudy,
    phrase: str,
    replacement: str | None = None,
    attributes: Collection[str] = (),
) -> InterventionStudy:
    """Return the study that asks what a phrase does: with it, without it, and the originals.

    Interventions without the phrase are left out, except irrelevant ones, which tell how much
    prompts differ by chance; so are categories that no variant speaks to.

    Args:
        study: An intervention study.
        phrase: Words of one or more of its interventions.
        replacement: What stands in their place; None: nothing.
        attributes: Ask about these attributes only; none: about all.

    Raises:
        StudyError: No intervention has the phrase, nothing is left of one, or an attribute is
            none of the study.
    """
    study = _with_attributes(study, attributes) if attributes else study
    for key, words in (("phrase", phrase), ("replacement", replacement)):
        if words is not None and not words.strip():
            raise StudyError(f"{study.name}: {key} is {words!r}; allowed: one word or more")
    ablation = Ablation(phrase=phrase, replacement=replacement)
    try:
        variants = derived(study.interventions, [ablation])
    except ValueError as error:
        raise StudyError(f"{study.name}: {error}") from error
    parents = {one.of for one in variants}
    kept = [one for one in study.interventions if one.name in parents or one.axis == IRRELEVANT]
    axes = {one.axis for one in variants}
    categories = [one for one in study.categories if IRRELEVANT in axes or axes & set(one.axes)]
    data = study.model_dump(mode="json")
    words = phrase if replacement is None else f"{phrase} to {replacement}"
    slug = re.sub(r"[^a-z0-9]+", "-", " ".join([words, *attributes]).lower())
    data |= {
        "name": f"{study.name}-without-{slug.strip('-')}"[:80].rstrip("-"),
        "title": f"{study.title}: what does {phrase!r} do?",
        "question": f"Does an intervention still work without the words {phrase!r}?"
        if replacement is None
        else f"Does an intervention still work with {replacement!r} for {phrase!r}?",
        "interventions": [one.model_dump(mode="json") for one in kept],
        "categories": [one.model_dump(mode="json") for one in categories],
        "ablations": [ablation.model_dump(mode="json")],
        "published": [],
    }
    return type(study).model_validate(data)


def _with_attributes(study: InterventionStudy, attributes: Collection[str]) -> InterventionStudy:
    """Return a study of some attributes only; categories without any are left out."""
    known = [one for category in study.categories for one in category.attributes]
    for name in attributes:
        if name not in known:
            raise StudyError(
                f"{study.name}: attribute {name!r}{did_you_mean(name, known)}; allowed: "
                f"{one_of(known)}"
            )
    categories = [
        category.model_copy(
            update={
                "attributes": own,
                "written": {name: one for name, one in category.written.items() if name in own},
                "exceptions": {
                    name: one for name, one in category.exceptions.items() if name in own
                },
            }
        )
        for category in study.categories
        if (own := tuple(one for one in category.attributes if one in attributes))
    ]
    return study.model_copy(update={"categories": tuple(categories)})
