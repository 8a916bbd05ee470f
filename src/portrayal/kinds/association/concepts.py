"""The image sets of an association study: each concept neutral, and under each attribute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from portrayal.findings import Images, StudyData, counted, joined
from portrayal.kinds.association.schema import NEUTRAL, AssociationStudy
from portrayal.records import Prompt
from portrayal.statistics import ConceptEmbeddings, Embeddings

LEAST_IMAGES = 3
"""Fewer usable images in a set give no answer."""

LEAST_PROMPTS = 2
"""Fewer prompts a side cannot change sides."""


@dataclass(frozen=True, slots=True)
class ConceptImages:
    """A concept's usable images; units are its stimuli."""

    name: str
    neutral: Images
    attributes: Mapping[str, Images]

    @property
    def n_missing(self) -> int:
        """Wanted images, of all sets, that cannot be used."""
        return self.neutral.n_missing + sum(one.n_missing for one in self.attributes.values())

    def under(self, names: Sequence[str]) -> Images:
        """Return the images under one attribute, or under several together."""
        return joined([self.attributes[name] for name in names])

    def between(
        self, first: Sequence[str], second: Sequence[str], *, units: bool
    ) -> ConceptEmbeddings:
        """Return the embeddings, neutral and under two attributes.

        Args:
            first: The attribute A: one name, or several together.
            second: The attribute B.
            units: Whether stimuli are units; a stimulus is one with its attribute images.
        """
        sets = (self.neutral, self.under(first), self.under(second))
        return ConceptEmbeddings(*(self.embeddings(images, units=units) for images in sets))

    def embeddings(self, images: Images, *, units: bool) -> Embeddings:
        """Return embeddings of one of the sets; units of different concepts are never the same."""
        labels = [f"{self.name} {unit}" for unit in images.units]
        return Embeddings(images.picked, labels if units else None)

    def whole(self) -> ConceptImages:
        """Return only the stimuli that have images in every set."""
        stimuli = set(self.neutral.units)
        for images in self.attributes.values():
            stimuli &= set(images.units)
        return ConceptImages(
            self.name,
            self.neutral.of_units(stimuli),
            {name: images.of_units(stimuli) for name, images in self.attributes.items()},
        )

    def lack(self) -> str | None:
        """Say what is lacking for an answer about this concept, or None."""
        for name, images in {NEUTRAL: self.neutral, **self.attributes}.items():
            if images.n < LEAST_IMAGES:
                return (
                    f"{self.name} has {counted(images.n, 'usable image')} "
                    f"{'without attribute' if name == NEUTRAL else f'under {name}'}; "
                    f"at least {LEAST_IMAGES} are needed"
                )
        return None


def concept_images(study: AssociationStudy, data: StudyData) -> dict[str, ConceptImages]:
    """Return the image sets of every concept."""
    prompts = study.prompts()
    return {
        concept: ConceptImages(
            concept,
            _images(data, prompts, concept, NEUTRAL),
            {name: _images(data, prompts, concept, name) for name in study.attributes},
        )
        for concept in study.concepts
    }


def lack_of(sides: Iterable[ConceptImages], *, prompts_as_units: bool) -> str | None:
    """Say what is lacking for a comparison of concepts, or None."""
    for side in sides:
        lack = side.lack()
        if lack:
            return lack
        if prompts_as_units and side.neutral.n_units < LEAST_PROMPTS:
            return (
                f"{side.name} has {counted(side.neutral.n_units, 'prompt')} with usable images; "
                f"prompts are the units, and at least {LEAST_PROMPTS} a side are needed"
            )
    return None


def _images(data: StudyData, prompts: Sequence[Prompt], concept: str, attribute: str) -> Images:
    chosen = [
        prompt
        for prompt in prompts
        if prompt.factors["concept"] == concept and prompt.factors["attribute"] == attribute
    ]
    return data.images(chosen, unit="stimulus")
