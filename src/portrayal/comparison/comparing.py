"""Comparing audits: all questions, all pairs of models, all p-values corrected together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from portrayal import __version__
from portrayal.audit import AuditFolder, outcomes, quoted
from portrayal.comparison.answering import Answering
from portrayal.comparison.differences import Better, ModelDifference
from portrayal.comparison.matching import Common, common_to
from portrayal.comparison.models import ComparedAudit, open_audits
from portrayal.comparison.questions import StudyQuestions
from portrayal.comparison.results import ModelComparison
from portrayal.errors import SettingError, is_number, shown
from portrayal.findings import AnalysisSettings, Finding
from portrayal.statistics import benjamini_hochberg

MARGIN = 0.05
"""Shares that differ by less count as equivalent, unless another margin is asked for."""

_BETTER: dict[str, Better] = {
    "diversity score": "lower",
    "distance from target": "lower",
    "many-group diversity": "higher",
}
_ANSWERED = frozenset({"axis", "group", "level"})
"""Details of findings that are shares of labels, which are compared image by image."""


def compare_audits(
    folders: Sequence[AuditFolder],
    *,
    settings: AnalysisSettings | None = None,
    margin: float = MARGIN,
    names: Sequence[str] | None = None,
) -> ModelComparison:
    """Compare the models of two or more audits.

    Args:
        folders: The audits, the baseline first.
        settings: Unit, confidence, resamples, seed, and how labels are read.
        margin: The difference of shares that would matter, for equivalence and non-inferiority.
        names: What the models are called; None: names that tell them apart.

    Raises:
        AuditError: They cannot be compared; says why and what to run.
        SettingError: A setting cannot be.
    """
    how = settings or AnalysisSettings()
    _check(folders, margin, names)
    audits = open_audits(folders, how, names)
    common = common_to(audits)
    answering = Answering(how, margin)
    notes = list(common.notes)
    found: list[ModelDifference] = []
    for matched in common.studies:
        asked = StudyQuestions(matched, audits, common.measurers)
        for question in asked.all():
            for i, j in itertools.combinations(range(len(audits)), 2):
                difference = question.between(audits[i].name, audits[j].name)
                first, second = question.values[i], question.values[j]
                found.append(answering.of_values(difference, question.prompts, first, second))
        notes += asked.notes
    for pair in itertools.combinations(audits, 2):
        found += _estimates(pair[0], pair[1], common, answering)
    notes += _notes(audits, found)
    if len(common.studies) > 1:  # one question may be asked in several studies
        found = [replace(one, question=f"{one.study}: {one.question}") for one in found]
    return ModelComparison(
        __version__,
        tuple(audit.model() for audit in audits),
        how,
        margin,
        tuple(corrected_differences(found)),
        tuple(dict.fromkeys(notes)),
        tuple(one.name for one in common.measurers),
    )


def _check(folders: Sequence[AuditFolder], margin: float, names: Sequence[str] | None) -> None:
    if len(folders) < 2:
        raise SettingError("audits", f"has {len(folders)} audit; allowed: two or more")
    paths = [str(folder.path.resolve()) for folder in folders]
    twice = next((one for one in folders if paths.count(str(one.path.resolve())) > 1), None)
    if twice is not None:
        raise SettingError("audits", f"has {twice.path} twice; allowed: every audit once")
    if not is_number(margin) or not 0 < margin < 1:
        raise SettingError(
            "margin", f"is {margin!r}; allowed: a share between 0 and 1, such as .05"
        )
    if names is not None and (isinstance(names, str) or len(set(names)) != len(folders)):
        raise SettingError(
            "names", f"is {shown(names)}; allowed: one for each audit, all different"
        )


def _estimates(
    first: ComparedAudit, second: ComparedAudit, common: Common, answering: Answering
) -> Iterator[ModelDifference]:
    """Yield the findings of both audits with an interval, compared by their intervals."""
    if first.results is None or second.results is None:
        return
    if _way(first) != _way(second):
        return
    for matched in common.studies:
        name = matched.study.name
        theirs = {(one.topic, one.measurer): one for one in second.results.findings_of(name)}
        for own in first.results.findings_of(name):
            other = theirs.get((own.topic, own.measurer))
            if other is None or not _comparable(own, other):
                continue
            asked = ModelDifference(
                first.name, second.name, name, "estimate", own.statistic,
                f"{own.question} ({own.statistic})", own.measurer, own.details.get("axis", ""),
                better=_BETTER.get(own.statistic, ""),
            )  # fmt: skip
            yield answering.of_findings(asked, own, other)


def _comparable(first: Finding, second: Finding) -> bool:
    if first.statistic != second.statistic or first.measurer != second.measurer:
        return False
    return (
        first.low is not None and second.low is not None and not first.details.keys() >= _ANSWERED
    )


def _way(audit: ComparedAudit) -> dict[str, object]:
    """Return the settings of an analysis that change what an estimate means."""
    assert audit.results is not None
    found = audit.results.settings.as_dict()
    return {name: value for name, value in found.items() if name not in ("seed", "resamples")}


def _notes(audits: Sequence[ComparedAudit], found: Sequence[ModelDifference]) -> Iterator[str]:
    for audit in audits:
        yield from (f"{audit.path}: {one}." for one in outcomes.gaps(audit.audit))
        if audit.results is None:
            damaged = audit.audit.results_file.exists()
            lacks = "results.json cannot be read" if damaged else "there are no results"
            yield (
                f"{audit.path}: {lacks}, so only labels, refusals and similarity are compared; "
                f"run: portrayal analyze {quoted(audit.path)}."
            )
    known = [audit for audit in audits if audit.results is not None]
    other = next((one for one in known[1:] if _way(one) != _way(known[0])), None)
    if other is not None:
        yield (
            f"{known[0].path} and {other.path} were analyzed with other settings, so d, V and "
            "other estimates are not compared; run: portrayal analyze with the same settings."
        )
    if any(one.measure == "estimate" for one in found):
        yield (
            "d, V, diversity and other estimates are compared by their intervals, as if the two "
            "models' images had nothing in common; pairs of seeds do not narrow these."
        )
    if any(
        source.status == "corrected"
        for one in known
        if one.results
        for source in one.results.sources
    ):
        yield "Shares are compared as measurers labelled them, before any correction by people."
    same = {audit.audit.generator.digest for audit in audits}
    if len(same) < len(audits):
        yield "Two of the audits are about the same model with the same settings."


def corrected_differences(found: Sequence[ModelDifference]) -> list[ModelDifference]:
    """Fill in q over all questions and pairs: of no difference, of equivalence, of no loss."""
    q = _corrected([one.p for one in found])
    same = _corrected([one.p_equivalent for one in found])
    no_worse = _corrected([one.p_no_worse for one in found])
    return [
        replace(one, q=q[i], q_equivalent=same[i], q_no_worse=no_worse[i])
        for i, one in enumerate(found)
    ]


def _corrected(p_values: Sequence[float | None]) -> list[float | None]:
    known = [p for p in p_values if p is not None]
    q_values = iter(benjamini_hochberg(known).tolist())
    return [None if p is None else next(q_values) for p in p_values]
