"""Both sides of an amplification study, counted: by subset, occupation and prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from portrayal.audit import SAMPLED
from portrayal.findings import NOT_MADE, FloatArray, IntArray
from portrayal.kinds.amplification.image_groups import MeasuredImages
from portrayal.kinds.amplification.schema import SUBSETS, AmplificationStudy, SubsetName

ABSENT = "not fetched from the corpus"
PLAIN = "unknown"
"""The label of a caption without an indicator."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The images of one side, of one occupation and prompt.

    Attributes:
        first: Images of the group that is counted.
        second: Images of another group.
        dropped: The others, by reason.
        keys: Of the images that count.
    """

    first: int
    second: int
    dropped: Counter[str] = field(default_factory=Counter)
    keys: tuple[str, ...] = field(default=(), repr=False)

    @property
    def n(self) -> int:
        """Images that count."""
        return self.first + self.second

    @property
    def asked(self) -> int:
        """All images, dropped ones too."""
        return self.n + self.dropped.total()


@dataclass(frozen=True, slots=True)
class SubsetComparison:
    """A subset of the training data beside generated images; cells are [occupation][prompt]."""

    subset: SubsetName
    occupations: tuple[str, ...]
    prompts: tuple[str, ...]
    training: Sequence[Sequence[Cell]] = field(repr=False)
    generated: Sequence[Sequence[Cell]] = field(repr=False)

    def counts(self, side: Sequence[Sequence[Cell]]) -> IntArray:
        """Return images of the group and of others, (occupations, prompts, 2)."""
        return np.array(
            [[(cell.first, cell.second) for cell in row] for row in side], dtype=np.int64
        ).reshape(len(self.occupations), len(self.prompts), 2)

    def training_counts(self) -> IntArray:
        """Return the training side's counts; (occupations, 2) where all prompts share them.

        The same images are the same chance for all prompts, not a new one for each.
        """
        counts = self.counts(self.training)
        shared = all(cell is row[0] for row in self.training for cell in row)
        return counts[:, 0] if shared else counts

    def percent(self, side: Sequence[Sequence[Cell]]) -> FloatArray:
        """Return the percentage of the group, (occupations, prompts); NaN without images."""
        counts = self.counts(side).astype(np.float64)
        total = counts.sum(axis=-1)
        share = np.full(total.shape, np.nan)
        np.divide(100 * counts[..., 0], total, out=share, where=total > 0)
        return share

    def dropped_share(self, side: Sequence[Sequence[Cell]]) -> FloatArray:
        """Return the share of an occupation's images that are dropped, over prompts."""
        asked = np.array([sum(cell.asked for cell in row) for row in side], dtype=np.float64)
        kept = np.array([sum(cell.n for cell in row) for row in side], dtype=np.float64)
        share = np.full(asked.shape, np.nan)
        np.divide(asked - kept, asked, out=share, where=asked > 0)
        return share


class Counting:
    """Counts both sides of a study as one encoder saw them.

    Args:
        study: The study.
        selection: Its training captions, in the layout of `audit.selections.SELECTION`.
        generated: The model's images.
        training: The training data's.
    """

    def __init__(
        self,
        study: AmplificationStudy,
        selection: pa.Table,
        generated: MeasuredImages,
        training: MeasuredImages,
    ) -> None:
        self._study = study
        self.generated, self.training = generated, training
        columns = ("occupation", "prompt", "key", "indicator")
        self._rows: dict[tuple[str, int], list[tuple[str, str]]] = {}
        for occupation, prompt, key, indicator in zip(
            *(selection[name].to_pylist() for name in columns), strict=True
        ):
            self._rows.setdefault((occupation, prompt), []).append((key, indicator))

    def compare(self, name: SubsetName) -> SubsetComparison:
        """Return both sides for one subset."""
        subset, study = SUBSETS[name], self._study
        if subset.prompts:
            prompts: tuple[str, ...] = (subset.prompts,)
            training = [[self._caption_side(o, name)] for o in study.occupations]
            generated = [[self._caption_images(o, name)] for o in study.occupations]
            return SubsetComparison(name, study.occupations, prompts, training, generated)
        prompts = tuple(f"#{i + 1}" for i in range(len(study.templates)))
        training = [self._training(occupation, name) for occupation in study.occupations]
        generated = [
            [
                self._made([(study.prompt(template, occupation), study.images)])
                for template in study.templates
            ]
            for occupation in study.occupations
        ]
        return SubsetComparison(name, study.occupations, prompts, training, generated)

    def rows(self, occupation: str, place: int) -> list[tuple[str, str]]:
        """Return key and indicator of an occupation's captions, sampled or nearest to a prompt."""
        return self._rows.get((occupation, place), [])

    def indicated(self, occupation: str, labels: frozenset[str]) -> tuple[int, int]:
        """Return how many sampled captions have one of these labels, and how many there are."""
        rows = self._rows.get((occupation, SAMPLED), [])
        return sum(indicator in labels for _, indicator in rows), len(rows)

    def told(self, occupation: str, labels: frozenset[str]) -> tuple[int, int]:
        """Return of how many sampled images of the group the caption has one of these labels.

        Second, how many images of the group there are.
        """
        first = self._study.first_group
        rows = self._rows.get((occupation, SAMPLED), [])
        own = [label for key, label in rows if self.training.labels.get(key) == first]
        return sum(label in labels for label in own), len(own)

    def _training(self, occupation: str, name: SubsetName) -> list[Cell]:
        subset = SUBSETS[name]
        places = range(len(self._study.templates)) if subset.nearest else (SAMPLED,)
        cells = []
        for place in places:
            rows = self._rows.get((occupation, place), [])
            keys = [key for key, label in rows if label == PLAIN or not subset.plain]
            cells.append(self._cell(self.training, keys, ABSENT))
        return cells if subset.nearest else cells * len(self._study.templates)

    def _caption_side(self, occupation: str, name: SubsetName) -> Cell:
        subset = SUBSETS[name]
        drawn = self._study.drawn.captions.get(occupation, ()) if self._study.drawn else ()
        keys = [
            one.key
            for one in drawn
            if (one.indicator == PLAIN or not subset.plain)
            and subset.prompts
            and one.prompt(subset.prompts)
        ]
        return self._cell(self.training, keys, ABSENT)

    def _caption_images(self, occupation: str, name: SubsetName) -> Cell:
        subset, study = SUBSETS[name], self._study
        assert subset.prompts
        texts = study.caption_texts(occupation, subset.prompts, plain=subset.plain)
        return self._made([(text, times * study.caption_images) for text, times in texts.items()])

    def _made(self, wanted: Iterable[tuple[str, int]]) -> Cell:
        keys: list[str] = []
        missing = 0
        for text, n in wanted:
            found = self.generated.listing.get(text, [])[:n]
            keys += found
            missing += n - len(found)
        cell = self._cell(self.generated, keys, NOT_MADE)
        if missing:
            cell.dropped[NOT_MADE] += missing
        return cell

    def _cell(self, seen: MeasuredImages, keys: Sequence[str], absent: str) -> Cell:
        first = self._study.first_group
        labels = Counter(seen.labels.get(key, absent) for key in keys)
        others = sum(labels[group] for group in seen.groups if group != first)
        return Cell(
            labels[first],
            others,
            Counter({label: n for label, n in labels.items() if label not in seen.groups}),
            tuple(key for key in keys if seen.labels.get(key) in seen.groups),
        )


def image_similarity(comparison: SubsetComparison, counting: Counting) -> float:
    """Return the mean cosine of training and generated images: of pairs, then occupations.

    The mean over all pairs is the product of the two means. NaN where no occupation has both.
    """
    pairs = [
        (real.keys, made.keys)
        for training, generated in zip(comparison.training, comparison.generated, strict=True)
        for real, made in zip(training, generated, strict=True)
        if real.keys and made.keys
    ]
    theirs = _means(counting.training, [real for real, _ in pairs])
    ours = _means(counting.generated, [made for _, made in pairs])
    return float(np.einsum("ij,ij->i", theirs, ours).mean()) if pairs else float("nan")


def _means(seen: MeasuredImages, sets: Sequence[Sequence[str]]) -> FloatArray:
    """Return the mean of the normalised embeddings of each set of images."""
    if seen.vectors is None or not sets:
        return np.zeros((len(sets), 0))
    place = seen.vectors.place
    return seen.vectors.mean_directions([np.array([place[key] for key in keys]) for keys in sets])
