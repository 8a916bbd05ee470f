"""What several audits have in common, and what to run where they have too little."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from portrayal.audit import quoted
from portrayal.comparison.models import ComparedAudit
from portrayal.errors import AuditError
from portrayal.findings import counted, listed
from portrayal.records import Identity, Prompt
from portrayal.studies import Axis, Study


@dataclass(frozen=True, slots=True)
class MatchedStudy:
    """A study that was asked of all audits.

    Attributes:
        study: As the first audit has it.
        prompts: The prompts that all have, once for each audit, in one order.
        axes: The axes that all label images on in the same way.
    """

    study: Study
    prompts: tuple[tuple[Prompt, ...], ...]
    axes: Mapping[str, Axis]

    def factors(self) -> dict[str, dict[str, list[str]]]:
        """Return the texts of the prompts of each level, for factors of more than one level.

        Levels of two factors that are the same prompts are asked about once.
        """
        found: dict[str, dict[str, list[str]]] = {}
        for prompt in self.prompts[0]:
            for factor, level in prompt.factors.items():
                found.setdefault(factor, {}).setdefault(level, []).append(prompt.text)
        seen: set[frozenset[str]] = set()
        several: dict[str, dict[str, list[str]]] = {}
        for factor, levels in found.items():
            for level, texts in levels.items() if len(levels) > 1 else ():
                if frozenset(texts) not in seen:
                    seen.add(frozenset(texts))
                    several.setdefault(factor, {})[level] = texts
        return several


@dataclass(frozen=True, slots=True)
class Common:
    """What audits have in common.

    Attributes:
        studies: The studies.
        measurers: Who measured all of them.
        notes: What is not compared, why, and what to run so that it can be.
    """

    studies: Sequence[MatchedStudy]
    measurers: Sequence[Identity]
    notes: Sequence[str]


def common_to(audits: Sequence[ComparedAudit]) -> Common:
    """Return what can be compared.

    Raises:
        AuditError: Nothing can; says why and what to run.
    """
    measurers = [one for one in audits[0].measurers if all(_has(other, one) for other in audits)]
    notes = list(_measurer_notes(audits, measurers))
    if not measurers:
        raise AuditError(f"{_named(audits)} cannot be compared: {notes[0].rstrip('.')}")
    studies = []
    for study in audits[0].studies.values():
        told, matched = _matched(study, audits)
        notes += told
        studies += [matched] if matched is not None else []
    notes += _unasked(audits)
    if not studies:
        why = notes[-1].rstrip(".") if notes else "no study was asked of either; run: portrayal run"
        raise AuditError(f"{_named(audits)} cannot be compared: {why}")
    return Common(studies, measurers, notes)


def _has(audit: ComparedAudit, measurer: Identity) -> bool:
    return any(one.digest == measurer.digest for one in audit.measurers)


def _named(audits: Sequence[ComparedAudit]) -> str:
    return listed([str(one.path) for one in audits])


def _measurer_notes(audits: Sequence[ComparedAudit], shared: Sequence[Identity]) -> Iterator[str]:
    if not any(one.measurers for one in audits):
        yield (
            "no measurer has labelled or embedded the images yet; run: portrayal measure "
            f"{quoted(audits[0].path)}, and the same of the others."
        )
        return
    digests = {one.digest for one in shared}
    for audit in audits:
        for own in audit.measurers:
            lacking = [other for other in audits if not _has(other, own)]
            if own.digest in digests or not lacking:
                continue
            same = [one for one in lacking[0].measurers if one.name == own.name]
            how = _otherwise(own, same[0]) if same else ""
            yield (
                f"{own.name} measured {audit.path}, but not {lacking[0].path}{how}; run: portrayal "
                f"measure {quoted(lacking[0].path)} --measurer {own.name}."
            )


def _otherwise(own: Identity, other: Identity) -> str:
    """Say in which settings a measurer of the same name differs."""
    found = own.differences(other)
    return f" in the same way ({', '.join(found)} differ)" if found else ""


def _unasked(audits: Sequence[ComparedAudit]) -> Iterator[str]:
    names = dict.fromkeys(name for audit in audits for name in audit.studies)
    for name in names:
        without = [audit for audit in audits if name not in audit.studies]
        if without:
            asked = next(audit for audit in audits if name in audit.studies)
            yield (
                f"{name} was asked of {asked.path}, but not of {without[0].path}; run: portrayal "
                f"run {name} --out {quoted(without[0].path)}."
            )


def _matched(
    study: Study, audits: Sequence[ComparedAudit]
) -> tuple[list[str], MatchedStudy | None]:
    asked = [audit.studies.get(study.name) for audit in audits]
    known = [one for one in asked if one is not None]
    if len(known) < len(audits):
        return [], None
    by_text = [{prompt.text: prompt for prompt in one.prompts()} for one in known]
    shared = [text for text in by_text[0] if all(text in other for other in by_text)]
    others = len({text for prompts in by_text for text in prompts}) - len(shared)
    notes = []
    if others:
        have = counted(others, "prompt") if shared else "all prompts"
        notes.append(
            f"{study.name}: {have} not in all audits, and not compared; ask the same study "
            f"of all: portrayal run {study.name} --out {quoted(audits[-1].path)}."
        )
    if not shared:
        return notes, None
    axes = {}
    for name, axis in study.asked_axes().items():
        same = [one.asked_axes().get(name) for one in known]
        if all(one == axis for one in same):
            axes[name] = axis
            continue
        lacking = "is not asked of all audits" if None in same else _differ(axis, same)
        notes.append(
            f"{study.name}: {name} {lacking}, and is not compared; ask the same study of all: "
            f"portrayal run {study.name} --out {quoted(audits[-1].path)}."
        )
    prompts = tuple(tuple(one[text] for text in shared) for one in by_text)
    return notes, MatchedStudy(study, prompts, axes)


def _differ(axis: Axis, others: Sequence[Axis | None]) -> str:
    """Say what makes the labels of an axis others."""
    thresholds = {one.threshold for one in (axis, *others) if one is not None}
    if len(thresholds) > 1:
        told = " and ".join(f"{one:g}" for one in sorted(thresholds))
        return f"has other thresholds ({told})"
    return "has other groups or texts"
