"""The log of looks: which stored looks were looks at the same question, however it is displayed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.findings import Finding, StudyData, lasting_name
from portrayal.records import Identity, LookRecord, digest
from portrayal.studies import Study


@dataclass(frozen=True, slots=True)
class SeenImages:
    """Images that answers rest on.

    Attributes:
        measurer: Who measured them, by a name that lasts; "" for a study's images whoever did.
        digest: Which images.
        count: How many.
        earlier: What version 0.1 stored as their digest.
    """

    measurer: str
    digest: str
    count: int
    earlier: frozenset[str] = frozenset()

    @classmethod
    def of(cls, data: Sequence[StudyData]) -> dict[str, SeenImages]:
        """Return the images of a study by each measurer's label, and all of them as ""."""
        found = {}
        for one in data:
            keys = [key for usable in one.usable.values() for key in usable.keys]
            found[one.label] = cls(lasting_name(one.encoder), _digest(keys), len(keys))
        own = [one.digest for one in found.values()]
        listed = [key for one in data[:1] for keys in one.listed.values() for key in keys]
        # What is usable is listed: as many are the same, and 744,000 keys take a second to sort.
        whole = next((one.digest for one in found.values() if one.count == len(listed)), "")
        earlier = frozenset(digest(one) for one in ([*([one] for one in own), own]))
        return {**found, "": cls("", whole or _digest(listed), len(listed), earlier)}


@dataclass(frozen=True, slots=True)
class History:
    """The looks at one question, this one the last.

    Attributes:
        looks: All of them.
        is_new: Whether this one is not stored yet.
        renamed: Looks stored under names that do not last, under the one that does.
    """

    looks: list[LookRecord]
    is_new: bool
    renamed: Sequence[LookRecord] = ()


class _WordingDigests(NamedTuple):
    """What a study asks: digests of its wording, and of it with its titles as in version 0.1."""

    wording: str
    titled: str

    @classmethod
    def by(cls, study: Study) -> _WordingDigests:
        data, wording = study.as_dict(), study.wording()
        titles = {name: data[name] for name in ("name", "title", "question")}
        return cls(digest(wording), digest({**wording, **titles}))


class LookLog:
    """The stored looks of an audit.

    A question is known by its study, what the study asks, and the measurer's lasting name, so that
    neither further measurers nor another title begin a new count.

    Args:
        audit: Where looks are stored.
    """

    def __init__(self, audit: AuditFolder) -> None:
        self._audit = audit
        self._stored: dict[tuple[str, str, str], list[LookRecord]] = {}
        names = [one.name for one in fields(LookRecord)]
        for row in audit.looks().select(", ".join(names)).fetchall():
            look = LookRecord(**dict(zip(names, row, strict=True)))
            self._stored.setdefault((look.study, look.asked, look.question), []).append(look)

    def histories(
        self, study: Study, findings: Sequence[Finding], images: Mapping[str, SeenImages]
    ) -> dict[str, History]:
        """Return the looks at each finding's question up to this one, by question.

        Images that were analyzed before are no further look; this analysis's p takes the place of
        the stored one, because settings may differ.

        Args:
            study: The study.
            findings: Its findings.
            images: The study's images; see `SeenImages.of`.
        """
        asked = _WordingDigests.by(study)
        return {one.question: self._history(asked, one, images) for one in findings}

    def _history(
        self, asked: _WordingDigests, finding: Finding, images: Mapping[str, SeenImages]
    ) -> History:
        seen = images.get(finding.measurer, images[""])
        look = LookRecord(
            finding.study, asked.wording, _lasting_question(finding, seen.measurer),
            seen.digest, finding.estimate, finding.p, finding.n, seen.count,
        )  # fmt: skip
        before = self._stored.get((look.study, look.asked, look.question))
        renamed: list[LookRecord] = []
        if before is None and self._stored:
            renamed = self._under_other_names(asked.titled, finding, look, images)
        before = renamed if before is None else before
        for i, one in enumerate(before):
            if one.data == look.data:
                now = replace(one, estimate=look.estimate, p=look.p, n=look.n)
                return History([*before[:i], now], is_new=False, renamed=renamed)
        return History([*before, look], is_new=True, renamed=renamed)

    def store(self, looks: Sequence[LookRecord]) -> None:
        """Store looks with the audit, for the next analysis."""
        self._audit.append_looks(looks)

    def had_bounds(self, study: Study) -> bool:
        """Tell whether the analysis before gave a study intervals that count all looks.

        A look is stored once: bounds wanted of a stored one are in the results alone.
        """
        return study.name in self._bounded

    def looked(
        self, study: Study, data: Sequence[StudyData], images: Mapping[str, SeenImages]
    ) -> list[StudyData]:
        """Return each measurer's images with the looks at them, this one the last."""
        asked = digest(study.wording())
        stored = [
            (question, look)
            for (name, of, question), looks in self._stored.items()
            if (name, of) == (study.name, asked)
            for look in looks
        ]
        return [replace(one, looks=_counts(stored, images[one.label])) for one in data]

    def _under_other_names(
        self, asked: str, finding: Finding, look: LookRecord, images: Mapping[str, SeenImages]
    ) -> list[LookRecord]:
        """Return the looks that version 0.1 stored by what the finding was called at the time.

        It named the measurer where there were several. A look without a name belongs to the only
        measurer, or to the one that says the same of the same images.
        """
        seen = images.get(finding.measurer, images[""])
        short = seen.measurer.rpartition(" ")[0]
        names = {finding.question, look.question, f"{finding.topic} · {short}"} - {finding.topic}
        own = [one for name in names for one in self._stored.get((look.study, asked, name), ())]
        nameless = self._stored.get((look.study, asked, finding.topic), [])
        said = {(one.data, one.n, one.estimate) for one in [*own, look]}
        if (
            not seen.measurer
            or len(images.keys() - {""}) == 1
            or self._only_measurer == seen.measurer
            or any((one.data, one.n, one.estimate) in said for one in nameless)
        ):
            own += nameless
        found: dict[str, LookRecord] = {}
        for one in sorted(own, key=lambda one: one.images):
            which = look.data if one.data in seen.earlier else one.data
            found.setdefault(
                which, replace(one, asked=look.asked, question=look.question, data=which)
            )
        return list(found.values())

    @cached_property
    def _bounded(self) -> frozenset[str]:
        """Studies with intervals that count all looks in the analysis before."""
        try:
            found = self._audit.results()["findings"]
            return frozenset(one["study"] for one in found if one["low_looks"] is not None)
        except (AuditError, KeyError, TypeError):
            return frozenset()

    @cached_property
    def _only_measurer(self) -> str:
        """The measurer of the analysis before, where it had one only."""
        try:
            found = [Identity.from_dict(one) for one in self._audit.results()["measurers"]]
        except (AuditError, KeyError):
            return ""
        return lasting_name(found[0]) if len(found) == 1 else ""


def _lasting_question(finding: Finding, measurer: str) -> str:
    return f"{finding.topic} · {measurer}" if measurer else finding.question


def _counts(stored: Sequence[tuple[str, LookRecord]], seen: SeenImages) -> tuple[int, ...]:
    """Return how many images each look by a measurer rests on; none where this is the first."""
    earlier = {
        look.images
        for question, look in stored
        if question.endswith(f" · {seen.measurer}")
        and look.data != seen.digest
        and 0 < look.images < seen.count
    }
    return (*sorted(earlier), seen.count) if earlier else ()


def _digest(keys: Iterable[str]) -> str:
    return hashlib.sha256("".join(sorted(keys)).encode()).hexdigest()[:16]
