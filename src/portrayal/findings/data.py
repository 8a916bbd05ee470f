"""What a study has to work with: its prompts joined with what a measurer said of their images.

A study asks for n images of a prompt; the n stored ones with the lowest seeds are taken, so that an
audit that holds more (for another study, or imported) gives the same answer. What cannot be used is
counted by reason, never replaced.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit import AuditFolder
from portrayal.findings.copies import Prints
from portrayal.findings.directions import axis_directions
from portrayal.findings.measured import Measured, read_measured
from portrayal.findings.people import PeopleSeen, people_seen
from portrayal.findings.vectors import (
    FloatArray,
    IntArray,
    StoredVectors,
    cosines_of,
    usable_rows,
)
from portrayal.measurers import Labels
from portrayal.records import Identity, Prompt
from portrayal.statistics import PickedRows
from portrayal.studies import Axis

NOT_MADE = "not made"
REFUSED = "refused by the generator"
FAILED = "failed to generate"
ODD_STATUS = "stored with a status that is unknown"
COPY = "identical to another image of the study (counted once)"

_STATUS = {"refused": REFUSED, "failed": FAILED}


class StoredImages(NamedTuple):
    """The stored images of one prompt, lowest seed first."""

    seeds: list[int]
    keys: list[str]
    statuses: list[str]


class _Listing(NamedTuple):
    by_prompt: dict[str, StoredImages]
    rewritten: dict[str, str]


@dataclass(frozen=True, slots=True)
class Images:
    """Usable images of some prompts: one row each.

    `units` names the unit (stimulus, prompt) of each row; `places` are the rows' places in
    `source`, which has their embeddings, if there are any; `n_missing` counts wanted images that
    cannot be used.
    """

    keys: tuple[str, ...]
    prompts: tuple[str, ...]
    seeds: tuple[int, ...]
    units: tuple[str, ...]
    places: IntArray = field(repr=False)
    source: StoredVectors | npt.NDArray[np.floating] | None = field(repr=False)
    n_missing: int

    @property
    def n(self) -> int:
        """Number of usable images."""
        return len(self.keys)

    @property
    def n_units(self) -> int:
        """Number of units with at least one usable image."""
        return len(set(self.units))

    @property
    def picked(self) -> PickedRows:
        """The embeddings without a copy of them, for sets of many images."""
        if isinstance(self.source, StoredVectors):
            return self.source.picked(self.places)
        return PickedRows(self.vectors, np.arange(self.n))

    @property
    def vectors(self) -> npt.NDArray[np.floating]:
        """One embedding per image, read when it is asked for; of width 0 where there are none."""
        if self.source is None:
            return np.zeros((self.n, 0))
        if isinstance(self.source, StoredVectors):
            return self.source.rows(self.places)
        return self.source[self.places]

    def cosines(self, directions: FloatArray) -> FloatArray:
        """Return the cosine of each image's embedding with each direction of length one."""
        if self.n and isinstance(self.source, StoredVectors):
            return self.source.cosines(directions)[self.places]
        return cosines_of(self.vectors)(directions)

    def of_units(self, units: Iterable[str]) -> Images:
        """Return the images of some units only; the others count as missing."""
        wanted = set(units)
        rows = [i for i, unit in enumerate(self.units) if unit in wanted]
        return Images(
            tuple(self.keys[i] for i in rows),
            tuple(self.prompts[i] for i in rows),
            tuple(self.seeds[i] for i in rows),
            tuple(self.units[i] for i in rows),
            self.places[rows],
            self.source,
            self.n_missing + self.n - len(rows),
        )


def joined(parts: Sequence[Images]) -> Images:
    """Return several sets of images of one source as one."""
    if len(parts) == 1:
        return parts[0]
    return Images(
        tuple(key for part in parts for key in part.keys),
        tuple(prompt for part in parts for prompt in part.prompts),
        tuple(seed for part in parts for seed in part.seeds),
        tuple(unit for part in parts for unit in part.units),
        np.concatenate([part.places for part in parts]),
        parts[0].source,
        sum(part.n_missing for part in parts),
    )


@dataclass(frozen=True, slots=True)
class _Usable:
    keys: list[str]
    seeds: list[int]
    places: list[int]


class _Taken(NamedTuple):
    """The images that a study takes of one prompt."""

    wanted: int
    images: list[tuple[int, str, str]]
    unused: int

    def keys(self) -> list[str]:
        """Return the keys of those that are images."""
        return [key for _, key, status in self.images if status == "ok"]


@dataclass(frozen=True, slots=True)
class StudyData:
    """The images of a study as one measurer saw them, and the texts it has read.

    Attributes:
        generator: Whose images these are.
        encoder: Who looked: an encoder, or another measurer.
        label: What the measurer is called in findings and tables.
        wanted: Images that the study asks for.
        dropped: How many of them cannot be used, by reason.
        unused: Images of these prompts beyond what the study asks for.
        people: The people of each image, where they were looked for.
        labels: The labels that the measurer gave itself, by image key.
        ended: By prompt and seed, why a request gave no usable image.
        rewritten: What a service says it made of the prompt, by image key.
        copies: Images that are identical to one that counts, and do not count again.
        near: Images that are nearly the same as one of a lower seed, of the same prompt.
        listed: By prompt, the images that the study takes, also those that cannot be used.
        threshold: Instead of each axis's own; None: the axis's.
        vectors: Its embeddings; None where it gives none, or where they were drawn.
        audit: Where they are from; None where embeddings were drawn instead of stored.
        unfit: Why the measurer's labels do not count, by axis.
        drawn: Labels by axis and image key that take the place of the measurer's, to correct them.
        drawn_together: The same where several axes are asked about at once, by their names.
        looks: How many images each look at the study by this measurer rests on, this one the last;
            none: it is the first.
    """

    generator: Identity
    encoder: Identity
    label: str
    wanted: int
    dropped: Mapping[str, int]
    unused: int
    vectors: StoredVectors | None = field(repr=False)
    usable: Mapping[str, _Usable] = field(repr=False)
    texts: Mapping[str, FloatArray] = field(repr=False)
    audit: AuditFolder | None = field(default=None, repr=False)
    people: PeopleSeen | None = field(default=None, repr=False)
    labels: Mapping[str, Labels] = field(default_factory=dict, repr=False)
    ended: Mapping[str, Mapping[int, str]] = field(default_factory=dict, repr=False)
    rewritten: Mapping[str, str] = field(default_factory=dict, repr=False)
    copies: frozenset[str] = field(default=frozenset(), repr=False)
    near: frozenset[str] = field(default=frozenset(), repr=False)
    listed: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    unfit: Mapping[str, str] = field(default_factory=dict, repr=False)
    threshold: float | None = None
    drawn: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    drawn_together: Mapping[tuple[str, ...], Mapping[str, Mapping[str, str]]] = field(
        default_factory=dict, repr=False
    )
    looks: tuple[int, ...] = ()

    @property
    def embeds(self) -> bool:
        """Whether the measurer gives embeddings."""
        return self.vectors is not None

    @property
    def logit_scale(self) -> float:
        """The encoder's temperature: what similarities are multiplied with before a softmax."""
        return float(self.encoder.settings.get("logit_scale", 100.0))

    def images(self, prompts: Sequence[Prompt], *, unit: str | None = None) -> Images:
        """Return the usable images of some prompts.

        Args:
            prompts: Prompts of the study.
            unit: The factor whose level names the unit of an image; None: the prompt's text.
        """
        keys: list[str] = []
        texts: list[str] = []
        seeds: list[int] = []
        units: list[str] = []
        places: list[int] = []
        for prompt in prompts:
            found = self.usable[prompt.text]
            keep = len(found.keys)
            keys += found.keys
            seeds += found.seeds
            places += found.places
            texts += [prompt.text] * keep
            units += [prompt.text if unit is None else prompt.factors[unit]] * keep
        missing = sum(prompt.images for prompt in prompts) - len(keys)
        rows = np.array(places, dtype=np.int64)
        return Images(
            tuple(keys), tuple(texts), tuple(seeds), tuple(units), rows, self.vectors, missing
        )

    def without(self, keys: Container[str], reason: str) -> StudyData:
        """Return the same without some images, which count as dropped for a reason."""
        usable, lost = {}, 0
        for text, found in self.usable.items():
            rows = zip(found.keys, found.seeds, found.places, strict=True)
            kept = [row for row in rows if row[0] not in keys]
            usable[text] = (
                _Usable(*(list(column) for column in zip(*kept, strict=True)))
                if kept
                else _Usable([], [], [])
            )
            lost += len(found.keys) - len(kept)
        return replace(self, usable=usable, dropped={**self.dropped, reason: lost})

    def requests(self, text: str) -> list[int]:
        """Return the seeds of a prompt's requests, whatever became of them."""
        return sorted([*self.usable[text].seeds, *self.ended.get(text, ())])

    def of_requests(self, seeds: Mapping[str, Container[int]], reason: str) -> StudyData:
        """Return the same with some requests only; images of others are dropped for a reason.

        Args:
            seeds: The seeds that stay, by prompt; prompts that are not named go.
            reason: Why the others are left out.
        """
        gone = {
            key
            for text, found in self.usable.items()
            for key, seed in zip(found.keys, found.seeds, strict=True)
            if seed not in seeds.get(text, ())
        }
        ended = {
            text: {seed: why for seed, why in own.items() if seed in seeds.get(text, ())}
            for text, own in self.ended.items()
        }
        return replace(self.without(gone, reason), ended=ended)

    def text_vectors(self, texts: Sequence[str]) -> FloatArray | None:
        """Return one embedding per text; None where one has not been read or is unusable."""
        return _stacked(texts, self.texts)


def _stacked(texts: Sequence[str], read: Mapping[str, FloatArray]) -> FloatArray | None:
    if not texts or any(text not in read for text in texts):
        return None
    return np.stack([read[text] for text in texts])


class AuditData:
    """What several studies of one audit share, read once.

    Args:
        audit: The audit.
        prompts: Prompt texts of all studies to come.
        texts: Texts that the studies compare images with.
        axes: Axes that images will be labelled on: with them, embeddings are read only once.
        each_person: Judge people one by one where a person detector has looked.
        each_copy: List identical images one by one; they count once otherwise.
    """

    def __init__(
        self,
        audit: AuditFolder,
        prompts: Iterable[str],
        texts: Iterable[str],
        *,
        axes: Iterable[Axis] = (),
        each_person: bool = True,
        each_copy: bool = False,
    ) -> None:
        self._audit = audit
        self._prompts = sorted(set(prompts))
        self._wanted_texts = list(dict.fromkeys(texts))
        self._listing, self._rewritten = _listing(audit, self._prompts)
        self._axes = list(axes)
        self._measured: dict[str, Measured] = {}
        self._texts: dict[str, dict[str, FloatArray]] = {}
        self._each_person = each_person
        self._prints = None if each_copy else Prints(audit, self._prompts)
        self._people: dict[str, PeopleSeen | None] = {}

    def of_study(
        self, prompts: Sequence[Prompt], encoder: Identity, *, label: str | None = None
    ) -> StudyData:
        """Join a study's prompts with what one measurer said.

        Args:
            prompts: The study's prompts.
            encoder: Who looked at the images.
            label: What to call the measurer; None: by its name.
        """
        measured = self._read_measured(encoder)
        hashes = self._prints.hashes() if self._prints else {}
        taken = self._taken(prompts)
        usable: dict[str, _Usable] = {}
        ended: dict[str, dict[int, str]] = {}
        counted: set[str] = set()
        copies: list[str] = []
        for text, one in taken.items():
            usable[text], ended[text] = found, lost = _Usable([], [], []), {}
            for seed, key, status in one.images:
                reason = measured.lack(key) if status == "ok" else _STATUS.get(status, ODD_STATUS)
                pixels = hashes.get(key)
                # The first copy that can be used counts, in the order of prompts and seeds.
                if reason is None and pixels is not None and pixels in counted:
                    reason = COPY
                    copies.append(key)
                if reason is not None:
                    lost[seed] = reason
                    continue
                counted |= {pixels} if pixels else set()
                found.keys.append(key)
                found.seeds.append(seed)
                found.places.append(measured.place[key])
        return StudyData(
            generator=self._audit.generator,
            encoder=encoder,
            label=label or encoder.name,
            wanted=sum(one.wanted for one in taken.values()),
            dropped=_dropped(taken.values(), ended.values()),
            unused=sum(one.unused for one in taken.values()),
            vectors=measured.vectors,
            usable=usable,
            texts=self._read_texts(encoder),
            audit=self._audit,
            people=self._read_people(encoder),
            labels=measured.labels,
            ended=ended,
            rewritten=self._rewritten,
            copies=frozenset(copies),
            listed={text: one.keys() for text, one in taken.items()},
            near=self._prints.near() if self._prints else frozenset(),
        )

    def _taken(self, prompts: Sequence[Prompt]) -> dict[str, _Taken]:
        """Return the stored images that a study takes of each prompt: those of the lowest seeds."""
        wanted: dict[str, int] = {}
        listed: dict[str, set[int]] = {}
        for prompt in prompts:
            wanted[prompt.text] = max(prompt.images, wanted.get(prompt.text, 0))
            if prompt.listed_seeds:
                listed.setdefault(prompt.text, set()).update(prompt.listed_seeds)
        taken = {}
        for text, n in wanted.items():
            stored = list(zip(*self._listing[text], strict=True)) if text in self._listing else []
            if text in listed:
                stored = [image for image in stored if image[0] in listed[text]]
            taken[text] = _Taken(n, stored[:n], max(len(stored) - n, 0))
        return taken

    def all_images(self, texts: Iterable[str]) -> list[Prompt]:
        """Return prompts that ask for every stored image of some texts."""
        stored = {text: len(self._listing[text].keys) for text in texts if text in self._listing}
        return [Prompt(text, {}, n) for text, n in stored.items() if n]

    def _read_people(self, encoder: Identity) -> PeopleSeen | None:
        if not self._each_person:
            return None
        if encoder.digest not in self._people:
            self._people[encoder.digest] = people_seen(self._audit, encoder)
        return self._people[encoder.digest]

    def _read_measured(self, encoder: Identity) -> Measured:
        if encoder.digest not in self._measured:
            keys = {key for stored in self._listing.values() for key in stored.keys}
            read = self._read_texts(encoder)
            announced = [
                directions
                for axis in self._axes
                if (directions := axis_directions(axis, lambda texts: _stacked(texts, read)))
                is not None
            ]
            self._measured[encoder.digest] = read_measured(
                self._audit,
                encoder,
                keys=keys,
                directions=np.concatenate([one.all() for one in announced]) if announced else None,
            )
        return self._measured[encoder.digest]

    def _read_texts(self, encoder: Identity) -> dict[str, FloatArray]:
        if encoder.digest not in self._texts:
            absent = set(self._audit.missing_texts(encoder, self._wanted_texts))
            present = [text for text in self._wanted_texts if text not in absent]
            matrix = self._audit.text_embeddings(encoder, present).astype(np.float64)
            good = usable_rows(matrix)
            self._texts[encoder.digest] = {
                text: row for text, row, ok in zip(present, matrix, good, strict=True) if ok
            }
        return self._texts[encoder.digest]


def _dropped(taken: Iterable[_Taken], ended: Iterable[Mapping[int, str]]) -> dict[str, int]:
    total = Counter({NOT_MADE: sum(one.wanted - len(one.images) for one in taken)})
    for one in ended:
        total.update(one.values())
    return {reason: n for reason, n in total.items() if n}


def _listing(audit: AuditFolder, prompts: Sequence[str]) -> _Listing:
    """Return the stored images of some prompts, by prompt, lowest seed first."""
    columns = ("prompt", "seed", "key", "status", "revised_prompt")
    table = audit.images(columns=columns).to_arrow_table()
    table = table.filter(pc.is_in(table["prompt"], value_set=pa.array(prompts, pa.string())))
    table = table.sort_by([("prompt", "ascending"), ("seed", "ascending")])
    # As codes: one text for all of its images, not a copy for each.
    texts = table["prompt"].combine_chunks().dictionary_encode()
    names, counts = texts.dictionary.to_pylist(), np.bincount(texts.indices.to_numpy())
    statuses = [sys.intern(status) for status in table["status"].to_pylist()]
    seeds, keys = table["seed"].to_pylist(), table["key"].to_pylist()
    found: dict[str, StoredImages] = {}
    start = 0
    for name, n in zip(names, counts.tolist(), strict=True):
        own = slice(start, start + n)
        found[name] = StoredImages(seeds[own], keys[own], statuses[own])
        start += n
    said = table.filter(pc.is_valid(table["revised_prompt"]))
    pairs = zip(said["key"].to_pylist(), said["revised_prompt"].to_pylist(), strict=True)
    return _Listing(found, dict(pairs))
