"""How far a report can be trusted: who labelled, what was left out, what was not measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from portrayal.findings import Results, Shares, by_people, measurer_names
from portrayal.numbers import count, percent
from portrayal.studies import Axis, Study, default_axes


def trust_lines(
    results: Results, counts: Mapping[str, int], studies: Sequence[Study]
) -> Iterator[tuple[str, str]]:
    """Yield what a reader must know before the findings: a name and a few words each.

    Args:
        results: What was found.
        counts: Images by status.
        studies: The studies of the audit.
    """
    measured = measured_axes(results, studies)
    machines = [one for one in results.measurers if not by_people(one)]
    named = [f"a second model, “{one.name}” ({one.kind}), not the one audited" for one in machines]
    people = ["human raters"] if len(machines) < len(results.measurers) else []
    yield "Labelled by", _joined([*named, *people])
    checked = f"{count(results.n_checked)} images" if results.n_checked else "no"
    yield "Checked by people", "labels are by people" if people and not machines else checked
    yield "Label error", results.labels.error_in_words()
    yield from _label_lines(results)
    made = sum(counts.values())
    lost = f"{count(counts['refused'])} refused, {count(counts['failed'])} failed"
    yield "No image", f"{lost} of {count(made)}"
    labelled = _labelled(results)
    if labelled is not None:
        where, without, of, unmeasured = labelled
        share = f"{count(without)} of {count(of)} ({percent(without / of)})"
        why = f", {count(unmeasured)} of them not measured" if unmeasured else ""
        yield "Without a label", f"{share} in {where}{why}; not counted"
    if measured or not asked_axes(studies):
        yield "Measured", _joined(measured) or "associations only"
    missing = _not_measured(measured, studies)
    if missing:
        yield "Not measured", _joined(missing)


def _label_lines(results: Results) -> Iterator[tuple[str, str]]:
    """Yield which labels are corrected by people's, and why others are not."""
    for one in results.sources:
        if one.status == "corrected":
            yield "Corrected", f"{one.axis} by {one.measurer}: {one.in_short()}"
        elif one.reason:
            yield "Not corrected", f"{one.axis} by {one.measurer}: {one.reason}"


def asked_axes(studies: Sequence[Study]) -> dict[str, Axis]:
    """Return the axes that the studies label images on."""
    return {name: axis for study in studies for name, axis in study.asked_axes().items()}


def measured_axes(results: Results, studies: Sequence[Study]) -> list[str]:
    """Return the axes that the studies ask about and a measurer answered."""
    answered = {one.axis for one in results.sources}
    return [name for name in asked_axes(studies) if name in answered]


def limits(results: Results, studies: Sequence[Study]) -> Iterator[str]:
    """Yield what an audit cannot say, in plain sentences."""
    measured = measured_axes(results, studies)
    if measured:
        yield (
            f"Who anybody is. {_joined(measured).capitalize()} is how an image looks to "
            f"{_joined([one.name for one in results.measurers])}; it says nothing about a "
            "person's identity, and “unknown” is always a possible answer."
        )
        if all(one.status == "unchecked" for one in results.sources):
            few = "checked too few of them" if results.n_checked else "have not checked them"
            yield f"How often labels are wrong: people {few} in this audit."
    missing = _not_measured(measured, studies)
    if missing:
        yield f"Anything about {_joined(missing)}: not measured."
    yield (
        "Anything about other prompts, settings or revisions of the model. Questions tested by "
        "prompt generalise to prompts of the same sort; those tested by image apply to these "
        "prompts only."
    )
    yield "That groups are treated alike: no significant difference is not proof of equality."
    yield "What causes a difference, except where a study changes one thing at a time."


def _not_measured(measured: Sequence[str], studies: Sequence[Study]) -> list[str]:
    """Return axes asked about, and the usual ones, without a label; two scales of one are one."""
    known = {**asked_axes(studies), **default_axes()}
    missing = [name for name in known if name not in measured]
    return [name for name in missing if not any(name.endswith(f" {other}") for other in missing)]


class _Labelled(NamedTuple):
    """The first study with images that were labelled, and how many of its images were not."""

    where: str
    without: int
    of: int
    unmeasured: int


def _labelled(results: Results) -> _Labelled | None:
    for section in results.studies:
        for part in section.parts:
            if isinstance(part, Shares) and part.rows:
                first = part.rows[0]
                rows = [one for one in part.rows
                        if (one.axis, one.group) == (first.axis, first.group)]  # fmt: skip
                without = sum(one.unknown + one.nobody for one in rows)
                measurer = next(iter(measurer_names(results.measurers)), "")
                unmeasured = section.n_unmeasured(measurer)
                without += unmeasured
                of = without + sum(one.n for one in rows)
                if not of:
                    continue
                title = (section.title or section.study).replace(" (short)", "")
                return _Labelled(f"“{title}”", without, of, unmeasured)
    return None


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names)
