"""Images of the same prompt and seed by two models, those whose label changed first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from portrayal.comparison.models import ComparedAudit
from portrayal.findings import image_labels
from portrayal.records import Identity


@dataclass(frozen=True, slots=True)
class ImagePair:
    """Two images of one prompt and seed.

    Attributes:
        prompt: The prompt.
        seed: The seed.
        keys: The keys of the images, in the order of the models.
        labels: What each was labelled as, on the axis that pairs are sorted by.
    """

    prompt: str
    seed: int
    keys: tuple[str, str]
    labels: tuple[str, str]

    @property
    def changed(self) -> bool:
        """Whether the label differs."""
        return self.labels[0] != self.labels[1]


def changed_pairs(
    first: ComparedAudit,
    second: ComparedAudit,
    *,
    study: str,
    axis: str,
    measurer: str,
    prompts: Sequence[str],
    group: str = "",
) -> list[ImagePair]:
    """Return pairs of images, those whose label changed first, prompts in turn.

    Args:
        first: The first model's audit.
        second: The second one's.
        study: A study of both.
        axis: The axis whose labels are compared.
        measurer: Name of the measurer.
        prompts: Whose images.
        group: Changes to or from this group come before others.
    """
    who = first.named[measurer]
    sides = [_side(one, study, axis, who, prompts) for one in (first, second)]
    if any(side is None for side in sides):
        return []
    (a, a_keys), (b, b_keys) = (side for side in sides if side is not None)
    pairs = [
        ImagePair(place[0], place[1], (a_keys[place], b_keys[place]), (label, b[place]))
        for place, label in a.items()
        if place in b
    ]
    pairs.sort(key=lambda one: (not one.changed, group not in one.labels, one.seed))
    # The first pair of every prompt comes before the second one of any.
    seen: Counter[tuple[str, bool]] = Counter()
    place: dict[int, int] = {}
    for one in pairs:
        place[id(one)] = seen[one.prompt, one.changed]
        seen[one.prompt, one.changed] += 1
    return sorted(pairs, key=lambda one: (not one.changed, place[id(one)]))


Place = tuple[str, int]
"""A prompt and a seed."""


def _side(
    audit: ComparedAudit, study: str, axis: str, measurer: Identity, prompts: Sequence[str]
) -> tuple[dict[Place, str], dict[Place, str]] | None:
    """Return labels and keys of images; None where the measurer says nothing on the axis."""
    asked, wanted = audit.studies[study], set(prompts)
    own = [one for one in asked.prompts() if one.text in wanted]
    data = audit.data(own, measurer)
    images = data.images(own)
    labels = image_labels(images, axis, asked.asked_axes()[axis], data)
    if labels is None:
        return None
    places = list(zip(images.prompts, images.seeds, strict=True))
    return (
        dict(zip(places, labels.labels.tolist(), strict=True)),
        dict(zip(places, images.keys, strict=True)),
    )
