"""Images as evidence: a few per prompt, each with its seed and labels; the rest counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from portrayal.audit import AuditFolder
from portrayal.findings import label_rows
from portrayal.numbers import percent
from portrayal.records import UNKNOWN, Prompt
from portrayal.report.thumbnails import thumbnails
from portrayal.studies import Study

SEEDS = 6
"""Seeds of prompts that are shown one below the other."""
ROWS_OF_SEEDS = 6


@dataclass(frozen=True, slots=True)
class ShownLabel:
    """A measurer's answer about one image.

    Attributes:
        axis: The axis.
        measurer: Who gave it.
        label: The answer.
        probability: How sure the measurer is; None where the label follows from a rule.
        raters: How many raters answered, where people labelled the image.
        agreeing: How many of them gave this label; 0 where they are divided.
    """

    axis: str
    measurer: str
    label: str
    probability: float | None
    raters: int | None = None
    agreeing: int | None = None

    @property
    def support(self) -> str:
        """How sure the measurer is, or how many of several raters agree: `93%`, `2 of 3`."""
        if self.raters is not None:
            return f"{self.agreeing} of {self.raters}" if self.agreeing and self.raters > 1 else ""
        return "" if self.probability is None else percent(self.probability)

    @property
    def text(self) -> str:
        """The answer with its probability, or with the raters who agree: `woman 93%`."""
        return f"{self.label} {self.support}".strip()

    @property
    def support_text(self) -> str:
        """The support in a table, a dash where the label follows from a rule."""
        if self.raters is None:
            return percent(self.probability)
        return "1 rater" if self.raters == 1 else f"{self.agreeing} of {self.raters} raters"


def caption(labels: Sequence[ShownLabel]) -> str:
    """Return labels in a few words; several measurers, and people, are named.

    Where there are several axes, "unknown" names its own; variants of one axis, which are told
    apart by their study's name in brackets, are one.
    """
    several = len({one.axis.partition(" (")[0] for one in labels}) > 1
    said: dict[str, dict[str, None]] = {}
    for one in labels:
        unknown = f"{one.axis.partition(' (')[0]} {UNKNOWN}" if several else UNKNOWN
        told = unknown if one.label == UNKNOWN else one.text
        said.setdefault(one.measurer, {})[told] = None
    named = len(said) > 1 or any(one.raters is not None for one in labels)
    return "; ".join(
        (f"{who}: " if named else "") + " · ".join(answers) for who, answers in said.items()
    )


@dataclass(frozen=True, slots=True)
class ShownImage:
    """An image on the page."""

    key: str
    uri: str
    prompt: str
    seed: int
    labels: Sequence[ShownLabel]

    @property
    def caption(self) -> str:
        """Its labels in a few words."""
        return caption(self.labels)

    @property
    def data(self) -> str:
        """Its labels for filters: axis, label, probability, measurer and support of each."""
        return json.dumps([
            (one.axis, one.label, one.probability, one.measurer, one.support)
            for one in self.labels
        ])  # fmt: skip

    @property
    def title(self) -> str:
        """Everything that is known of it, for hovering and for readers of the page's text."""
        said = "; ".join(f"{one.axis}: {one.text} ({one.measurer})" for one in self.labels)
        return f"{self.prompt}, seed {self.seed}{f'; {said}' if said else ''}"


@dataclass(frozen=True, slots=True)
class Shelf:
    """One prompt's row in the gallery.

    Attributes:
        prompt: The prompt.
        levels: Its levels by factor, as JSON: rows and points of a study are about them.
        images: Some of its images.
        total: Images asked of it.
        refused: Those that were refused.
        failed: Those that failed.
    """

    prompt: str
    levels: str
    images: Sequence[ShownImage]
    total: int
    refused: int
    failed: int


@dataclass(frozen=True, slots=True)
class SameSeeds:
    """Prompts whose images have the same seeds, one below the other: what the words changed.

    Attributes:
        prompts: The prompts, the original first.
        seeds: The seeds that all of them have.
        images: By prompt, its images in the order of the seeds.
        hidden: Prompts with these seeds that are left out.
    """

    prompts: Sequence[str]
    seeds: Sequence[int]
    images: Mapping[str, Sequence[ShownImage]]
    hidden: int


class Evidence:
    """The images that a page shows, each embedded once.

    Args:
        audit: The audit.
        studies: Whose axes images are labelled on.
        prompts: Whose images may be shown.
        at_most: Images on the page; once they are used up, only those embedded before are shown.

    Attributes:
        seeds_decide: Whether the same seed means the same random start; else seeds number images.
    """

    def __init__(
        self,
        audit: AuditFolder,
        studies: Sequence[Study],
        prompts: Iterable[str],
        *,
        at_most: int,
    ) -> None:
        self._audit, self._left = audit, at_most
        self.seeds_decide = audit.seeds_decide
        self._stored, self._refused, self._failed = _stored(audit, dict.fromkeys(prompts))
        self._labels = _labels(audit, studies, list(self._stored))
        self._shown: dict[str, ShownImage] = {}

    def of(self, prompts: Sequence[str], *, each: int) -> list[ShownImage]:
        """Return up to `each` images of some prompts, those with the lowest seeds first."""
        rows = [
            (seed, key, prompt)
            for prompt in dict.fromkeys(prompts)
            for seed, key in self._stored.get(prompt, ())
        ]
        chosen = sorted(rows, key=lambda row: row[0])[:each]
        new = [row for row in chosen if row[1] not in self._shown][: self._left]
        self._left -= len(new)
        uris = thumbnails(self._audit, [key for _, key, _ in new])
        for seed, key, prompt in new:
            if key in uris:
                labels = self._labels.get(key, ())
                self._shown[key] = ShownImage(key, uris[key], prompt, seed, labels)
        return [self._shown[key] for _, key, _ in chosen if key in self._shown]

    def shelves(self, prompts: Iterable[Prompt], *, each: int, at_most: int) -> list[Shelf]:
        """Return up to `at_most` shelves of `each` images, spread evenly over the prompts."""
        wanted = list({one.text: one for one in prompts}.values())
        return [
            self._shelf(prompt, each) for prompt in wanted[:: max(1, -(-len(wanted) // at_most))]
        ]

    def same_seeds(self, prompts: Iterable[str], *, at_most: int) -> list[SameSeeds]:
        """Return prompts that share seeds, in up to `at_most` groups; none of mere numbers."""
        if not self.seeds_decide:
            return []
        groups: dict[int, list[str]] = {}
        for prompt in dict.fromkeys(prompts):
            if self._stored.get(prompt):
                groups.setdefault(self._stored[prompt][0][0], []).append(prompt)
        several = [group for group in groups.values() if len(group) > 1]
        return [self._same(group) for group in several[:at_most]]

    def _same(self, group: Sequence[str]) -> SameSeeds:
        shown = group[:ROWS_OF_SEEDS]
        found = {
            prompt: {one.seed: one for one in self.of([prompt], each=SEEDS)} for prompt in shown
        }
        common = set.intersection(*(set(images) for images in found.values()))
        seeds = sorted(common)
        rows = {prompt: [images[seed] for seed in seeds] for prompt, images in found.items()}
        return SameSeeds(shown, seeds, rows, len(group) - len(shown))

    def _shelf(self, prompt: Prompt, each: int) -> Shelf:
        refused, failed = self._refused[prompt.text], self._failed[prompt.text]
        total = len(self._stored.get(prompt.text, ())) + refused + failed
        levels = json.dumps(dict(prompt.factors), ensure_ascii=False)
        images = self.of([prompt.text], each=each)
        return Shelf(prompt.text, levels, images, total, refused, failed)


def _stored(
    audit: AuditFolder, prompts: Mapping[str, None]
) -> tuple[dict[str, list[tuple[int, str]]], Counter[str], Counter[str]]:
    """Return seeds and keys of the images of each prompt; how many were refused, and failed."""
    found: dict[str, list[tuple[int, str]]] = {}
    others = {"refused": Counter[str](), "failed": Counter[str]()}
    rows = audit.images().select("prompt, seed, key, status").order("prompt, seed").fetchall()
    for prompt, seed, key, status in rows:
        if prompt in prompts and status == "ok":
            found.setdefault(prompt, []).append((seed, key))
        elif prompt in prompts:
            others[status][prompt] += 1
    return found, others["refused"], others["failed"]


def _labels(
    audit: AuditFolder, studies: Sequence[Study], prompts: Sequence[str]
) -> dict[str, list[ShownLabel]]:
    """Return the labels of all images of some prompts, as wholes, by key."""
    found: dict[str, list[ShownLabel]] = {}
    for row in label_rows(audit, studies, prompts=prompts):
        if row["person"] is None:
            names = ("axis", "measurer", "label", "probability", "raters", "agreeing")
            one = ShownLabel(*(row[name] for name in names))
            found.setdefault(row["key"], []).append(one)
    return found
