"""Images of two models side by side: the same prompt, the same seed.

The comparison page embeds small copies; the viewer names addresses. Both are drawn by
`templates/pairs.html.j2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from portrayal.comparison import ComparedAudit, ImagePair
from portrayal.report.thumbnails import thumbnails


@dataclass(frozen=True, slots=True)
class PairImage:
    """One image of a pair.

    Attributes:
        source: The image itself as a data URI, or where it is served.
        title: What is known of it, for hovering and for readers of the page's text.
        label: What measurers say of it.
        link: Where a click leads; "" where it leads nowhere.
    """

    source: str
    title: str
    label: str
    link: str = ""

    @classmethod
    def of(
        cls, source: str, prompt: str, seed: int, *, model: str, label: str, link: str = ""
    ) -> PairImage:
        """Return an image with its title."""
        title = f"{model}: {prompt}, seed {seed}; labelled {label}"
        return cls(source, title, label, link)


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two images of one prompt and seed; None for one that was not generated."""

    prompt: str
    first: PairImage | None
    second: PairImage | None

    @property
    def images(self) -> tuple[PairImage | None, PairImage | None]:
        """Both images."""
        return self.first, self.second

    @property
    def changed(self) -> bool:
        """Whether both are there and have different labels."""
        return bool(self.first and self.second and self.first.label != self.second.label)

    @property
    def caption(self) -> str:
        """The labels in a few words."""
        if self.first is None or self.second is None:
            only = self.first or self.second
            return only.label if only else ""
        if self.changed:
            return f"{self.first.label} → {self.second.label}"
        return f"{self.first.label}, unchanged"


@dataclass(frozen=True, slots=True)
class PairShelf:
    """The pairs of one prompt: a note on how many there are, and a few to see."""

    prompt: str
    note: str
    pairs: Sequence[ShownPair]


def shown_pairs(
    first: ComparedAudit, second: ComparedAudit, pairs: Sequence[ImagePair]
) -> list[ShownPair]:
    """Return pairs with small copies of their images, embedded."""
    uris = [
        thumbnails(audit.audit, [pair.keys[side] for pair in pairs])
        for side, audit in enumerate((first, second))
    ]
    return [
        ShownPair(
            one.prompt,
            *(
                PairImage.of(
                    uris[side][one.keys[side]], one.prompt, one.seed,
                    model=audit.name, label=one.labels[side],
                )
                for side, audit in enumerate((first, second))
            ),
        )
        for one in pairs
        if one.keys[0] in uris[0] and one.keys[1] in uris[1]
    ]  # fmt: skip
