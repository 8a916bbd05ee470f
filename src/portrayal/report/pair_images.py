"""Images of two models side by side: the same prompt, the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from portrayal.comparison import ComparedAudit, ImagePair
from portrayal.report.thumbnails import thumbnails


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two images of one prompt and seed, embedded in the page."""

    pair: ImagePair
    uris: tuple[str, str]
    names: tuple[str, str]

    @property
    def titles(self) -> tuple[str, str]:
        """What is known of each, for hovering and for readers of the page's text."""
        about = f"{self.pair.prompt}, seed {self.pair.seed}"
        first, second = (
            f"{name}: {about}; labelled {label}"
            for name, label in zip(self.names, self.pair.labels, strict=True)
        )
        return first, second


@dataclass(frozen=True, slots=True)
class PairShelf:
    """The pairs of one prompt: how many changed their label, of how many, and a few to see."""

    prompt: str
    changed: int
    total: int
    pairs: Sequence[ShownPair]


def shown_pairs(
    first: ComparedAudit, second: ComparedAudit, pairs: Sequence[ImagePair]
) -> list[ShownPair]:
    """Return pairs with small copies of their images."""
    uris = [
        thumbnails(audit.audit, [pair.keys[side] for pair in pairs])
        for side, audit in enumerate((first, second))
    ]
    return [
        ShownPair(one, (uris[0][one.keys[0]], uris[1][one.keys[1]]), (first.name, second.name))
        for one in pairs
        if one.keys[0] in uris[0] and one.keys[1] in uris[1]
    ]
