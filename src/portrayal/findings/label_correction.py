"""Correction of label errors in every finding of a study, by people's labels of a sample.

One mechanism for all kinds: the labels of all images are drawn several times as people would give
them (`label_pools`), the study is analyzed from each set as if people had labelled everything, and
its findings are combined, question by question. Findings that rest on no labels stay as they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from portrayal.findings.checked_tables import checked_table, never_given, raters_error
from portrayal.findings.data import StudyData
from portrayal.findings.finding import Finding
from portrayal.findings.headline import Bar, Headline
from portrayal.findings.label_checks import (
    CheckedSource,
    FindingLabels,
    LabelScale,
    LabelSource,
    form_of,
)
from portrayal.findings.label_pools import (
    DrawnPool,
    LabelPool,
    PeopleSaid,
    draw_pool,
    draw_together,
    people_said,
)
from portrayal.findings.parts import Forest, Part, Share, Shares
from portrayal.findings.results import StudyResult
from portrayal.findings.sentences import capital
from portrayal.findings.settings import AnalysisSettings
from portrayal.numbers import between, p_in_words, percent
from portrayal.raters import RATERS
from portrayal.records import NOBODY, UNKNOWN
from portrayal.statistics import (
    DrawnAnswers,
    DrawnDistance,
    agreeing,
    combine_draws,
    combine_p_values,
    drawn_target_distance,
    without_averaged_noise,
)

MOST_RESAMPLES = 499
"""Of each set of labels: what sets leave open is in how they differ."""

UNCORRECTED = "Before correction of label errors."


@dataclass(frozen=True, slots=True)
class DrawnMeasurer:
    """One measurer's pools, drawn; or why they cannot be.

    Attributes:
        data: The study's images, as the measurer saw them.
        drawn: The pools, each drawn alone.
        sources: The labels of each axis, and whether people checked them.
        together: The pools of several axes that findings are about at once, drawn together.
    """

    data: StudyData
    drawn: tuple[DrawnPool, ...]
    sources: tuple[CheckedSource, ...]
    together: Mapping[tuple[str, ...], tuple[DrawnPool, ...]] = field(default_factory=dict)

    def relabelled(self, draw: int) -> StudyData:
        return replace(
            self.data,
            drawn=_by_axis(self.drawn, draw),
            drawn_together={axes: _by_axis(one, draw) for axes, one in self.together.items()},
        )


def _by_axis(pools: Sequence[DrawnPool], draw: int) -> dict[str, dict[str, str]]:
    """Return one set of labels, by axis and image key."""
    labels: dict[str, dict[str, str]] = {}
    for one in pools:
        labels.setdefault(one.pool.axis, {}).update(one.labels(draw))
    return labels


def correct_labels(
    result: StudyResult,
    data: Sequence[StudyData],
    pools: Sequence[Sequence[LabelPool]],
    settings: AnalysisSettings,
    analyze: Callable[[Sequence[StudyData], AnalysisSettings], StudyResult],
    *,
    at_most: int | None = None,
) -> StudyResult:
    """Return a study's result with corrected findings where people have labelled images.

    Args:
        result: From the measurers' labels as they are.
        data: The study's images, once per measurer.
        pools: The pools of each measurer.
        settings: How to analyze.
        analyze: Answers the study from relabelled data.
        at_most: How many sets of labels to use; None: all that are drawn.
    """
    checked = [
        _check(result.study, one, mine, settings) for one, mine in zip(data, pools, strict=True)
    ]
    sources = [source for one in checked for source in one.sources]
    counted = [one.counted() for one in sources]
    found = [_checked(_without_parts(one), counted) for one in result.findings]
    result = replace(result, sources=sources, findings=found)
    if not any(one.drawn for one in checked):
        return result
    checked = [_together(one, result.findings, result.study, settings) for one in checked]
    draws = len(next(one.drawn for one in checked if one.drawn)[0].codes)
    quick = replace(settings, resamples=min(settings.resamples, MOST_RESAMPLES))
    sets = range(draws)[:at_most]
    answers = [analyze([one.relabelled(i) for one in checked], quick) for i in sets]
    tables = [
        checked_table(pool, one.data.label, settings) for one in checked for pool in one.drawn
    ]
    return replace(
        result,
        findings=_combined_findings(result.findings, answers, checked, settings),
        parts=[*_combined_parts(result.parts, answers, settings), *tables],
        notes=[*result.notes, *_notes(checked, settings)],
    )


def _check(
    study: str, data: StudyData, pools: Sequence[LabelPool], settings: AnalysisSettings
) -> DrawnMeasurer:
    axes = dict.fromkeys(pool.axis for pool in pools)
    if data.encoder.kind == RATERS:
        own = [CheckedSource(LabelSource(data.label, one, "people")) for one in axes]
        return DrawnMeasurer(data, (), tuple(own))
    drawn: list[DrawnPool] = []
    sources: list[CheckedSource] = []
    for axis in axes:
        mine = [pool for pool in pools if pool.axis == axis]
        said = [people_said(pool, settings.consensus) for pool in mine]
        reason = next((one.reason for one in said if one.reason), "")
        usable = not reason and all(one.labels for one in said)
        source = LabelSource(
            data.label, axis, "corrected" if usable else "unchecked",
            reason="" if usable else reason or _one_sided(mine, said),
        )  # fmt: skip
        sources.append(_with_images(source, mine, said))
        if not usable:
            continue
        for pool, one in zip(mine, said, strict=True):
            rng = settings.rng(study, data.encoder.digest, axis, pool.name, "labels by people")
            drawn.append(draw_pool(pool, one, rng))
    return DrawnMeasurer(data, tuple(drawn), tuple(sources))


def _together(
    measurer: DrawnMeasurer, findings: Sequence[Finding], study: str, settings: AnalysisSettings
) -> DrawnMeasurer:
    """Return a measurer with pools drawn together for its findings about several axes at once."""
    label = measurer.data.label
    about = dict.fromkeys(one.label_axes for one in findings if one.measurer == label)
    pools = {(one.pool.name, one.pool.axis): one for one in measurer.drawn}
    names = dict.fromkeys(name for name, _ in pools)
    found = {}
    for axes in about:
        if len(axes) < 2 or any((name, axis) not in pools for name in names for axis in axes):
            continue
        rng = settings.rng(study, measurer.data.encoder.digest, *axes, "labels by people")
        parts = [draw_together([pools[name, axis] for axis in axes], rng) for name in names]
        if all(parts):
            found[axes] = tuple(one for part in parts for one in part)
    return replace(measurer, together=found)


def _with_images(
    source: LabelSource, pools: Sequence[LabelPool], said: Sequence[PeopleSaid]
) -> CheckedSource:
    labels = {key: label for one in pools for key, label in zip(one.keys, one.labels, strict=True)}
    named = {key: label for key, label in labels.items() if label not in (UNKNOWN, NOBODY)}
    checked = {key for one in said for key in one.labels}
    groups = {*pools[0].groups}
    nobody = {key for key, label in labels.items() if label == NOBODY}
    return CheckedSource(source, checked, {*labels}, {*named}, groups, {*named.values()}, nobody)


def _one_sided(pools: Sequence[LabelPool], said: Sequence[PeopleSaid]) -> str:
    """Say which side lacks labels where the other has some."""
    if not any(one.labels for one in said):
        return ""
    without = next(pool for pool, one in zip(pools, said, strict=True) if not one.labels)
    return f"People labelled none of the {without.name}, so neither side is corrected."


def _checked(finding: Finding, sources: Sequence[LabelSource]) -> Finding:
    """Return a finding that says whether its labels are people's, and how many people checked."""
    labels = finding.labels
    mine = [one for one in sources if one.measurer == finding.measurer]
    if labels is None or not mine:
        return finding
    if any(one.status == "people" for one in mine):
        return replace(finding, labels=FindingLabels("people", labels.scale))
    axes = finding.label_axes or [one.axis for one in mine]
    checked = [one.n_checked for one in mine if one.axis in axes]
    return replace(finding, labels=replace(labels, n_checked=max(checked, default=0)))


# --- findings ------------------------------------------------------------------------------------


def _combined_findings(
    findings: Sequence[Finding],
    answers: Sequence[StudyResult],
    checked: Sequence[DrawnMeasurer],
    settings: AnalysisSettings,
) -> list[Finding]:
    by_question = [{one.question: one for one in answer.findings} for answer in answers]
    found = []
    for finding in findings:
        drawn = [one[finding.question] for one in by_question if finding.question in one]
        mine = [one for one in checked if one.data.label == finding.measurer]
        found.append(_combined_finding(finding, drawn, _used(finding, mine), settings))
    return found


def _used(finding: Finding, checked: Sequence[DrawnMeasurer]) -> list[DrawnPool]:
    """Return the drawn pools behind a finding; none where one of its axes has none."""
    axes = finding.label_axes
    if len(axes) > 1:
        return [pool for one in checked for pool in one.together.get(axes, ())]
    pools = [pool for one in checked for pool in one.drawn]
    return [pool for pool in pools if not axes or pool.pool.axis in axes]


def _n_checked(used: Sequence[DrawnPool]) -> int:
    """Count the images that people labelled; one that has labels on two axes counts once."""
    return len({key for pool in used for key in pool.said.labels})


def _combined_finding(
    finding: Finding,
    drawn: Sequence[Finding],
    used: Sequence[DrawnPool],
    settings: AnalysisSettings,
) -> Finding:
    answered = [one for one in drawn if one.estimate is not None]
    silent = [one for one in drawn if one.estimate is None]
    if finding.estimate is None and used and drawn and not silent and _is_decided(drawn):
        return _by_people(drawn[0], used)
    if finding.labels is None or finding.estimate is None or not used or not drawn:
        return finding
    scale = finding.labels.scale
    check = replace(
        finding.labels,
        status="corrected", n_checked=_n_checked(used), tipping=None,
        estimate=finding.estimate, low=finding.low, high=finding.high, p=finding.p,
        sentence=finding.sentence, assumption=used[0].assumption(),
        units=(), plug_in=None, apart=None,
    )  # fmt: skip
    if len(answered) < max(2, len(drawn) / 2):
        return _unanswered(finding, silent[0], check) if silent else finding
    value, low, high, p = _combined_numbers(finding, answered, scale, settings)
    words = _sentence(
        finding, answered, _CombinedNumbers(value, low, high, p), n=check.n_checked,
        confidence=settings.confidence,
    )  # fmt: skip
    total = finding.n + finding.n_missing
    n = round(sum(x.n for x in answered) / len(answered))
    return replace(
        finding, estimate=value, low=low, high=high, p=p, sentence=words, labels=check,
        n=n, n_missing=max(total - n, 0), headline=_headline(finding, answered, value, settings),
    )  # fmt: skip


class _CombinedNumbers(NamedTuple):
    """A corrected answer; bounds are NaN where there are none."""

    value: float
    low: float
    high: float
    p: float | None


def _combined_numbers(
    finding: Finding, answered: Sequence[Finding], scale: LabelScale, settings: AnalysisSettings
) -> _CombinedNumbers:
    first, bounded = answered[0], finding.low is not None
    if _is_decided(answered):
        return _CombinedNumbers(
            _number(first.estimate), _number(first.low), _number(first.high), first.p
        )
    apart = _apart(finding, answered, settings)
    if apart is not None:
        return _CombinedNumbers(apart.value, *apart.interval, apart.p_value)
    one = combine_draws(
        *_answers(answered, settings, bounded=bounded),
        within=scale.within,
        null=scale.null,
        units=_units(answered),
        confidence=settings.confidence,
    )
    p = _p_value(finding, answered, one.p_value)
    if not bounded:
        return _CombinedNumbers(one.value, math.nan, math.nan, p)
    ends = one.interval
    if p is not None and scale.null is not None and scale.null == scale.least:
        ends = agreeing(ends, p, least=scale.null, confidence=settings.confidence)
    return _CombinedNumbers(one.value, *ends, p)


def _apart(
    finding: Finding, answered: Sequence[Finding], settings: AnalysisSettings
) -> DrawnDistance | None:
    """Return a distance from known shares over all sets of labels; None of other estimates."""
    found = [one.labels.apart for one in answered if one.labels is not None]
    known = [one for one in found if one is not None]
    if len(known) < len(answered):
        return None
    return drawn_target_distance(
        [one.counts for one in known], known[0].target, by_prompt=known[0].by_prompt,
        confidence=settings.confidence,
        rng=settings.rng(finding.study, finding.question, "labels by people"),
    )  # fmt: skip


def _answers(
    answered: Sequence[Finding], settings: AnalysisSettings, *, bounded: bool
) -> DrawnAnswers:
    """Return what each set of labels gave, without noise that their mean evens out."""
    rows = DrawnAnswers(
        [_number(x.estimate) for x in answered],
        [_number(x.low if bounded else x.estimate) for x in answered],
        [_number(x.high if bounded else x.estimate) for x in answered],
    )
    plug_in = [None if x.labels is None else x.labels.plug_in for x in answered]
    if not bounded or None in plug_in:
        return rows
    return without_averaged_noise(
        *rows, plug_in=[_number(x) for x in plug_in], confidence=settings.confidence
    )


def _is_decided(answered: Sequence[Finding]) -> bool:
    """Tell whether all sets of labels are the same, as where people labelled every image."""
    return len({(one.estimate, one.low, one.high, one.p) for one in answered}) == 1


def _by_people(drawn: Finding, used: Sequence[DrawnPool]) -> Finding:
    """Return the answer of people's labels where the measurer's give none."""
    if drawn.labels is None:
        return drawn
    n = _n_checked(used)
    check = replace(
        drawn.labels,
        status="corrected",
        n_checked=n,
        tipping=None,
        units=(),
        plug_in=None,
        apart=None,
    )
    words = f"By people's labels: {drawn.sentence}"
    return replace(drawn, sentence=words, labels=check)


def _unanswered(finding: Finding, drawn: Finding, check: FindingLabels) -> Finding:
    """Return a finding to which people's labels leave no answer."""
    words = f"By people's labels of {check.n_checked} images: {drawn.sentence}"
    return replace(
        finding, estimate=None, low=None, high=None, p=None, n=drawn.n, n_missing=drawn.n_missing,
        reason=drawn.reason, sentence=words, labels=check, headline=None,
    )  # fmt: skip


def _units(answered: Sequence[Finding]) -> list[list[float]] | None:
    """Return each unit's part per set of labels; None where intervals are not made from units."""
    parts = [one.labels.units if one.labels is not None else () for one in answered]
    if not parts[0] or len({len(one) for one in parts}) > 1:
        return None
    return [[_number(x) for x in one] for one in parts]


def _without_parts(finding: Finding) -> Finding:
    """Return a finding without what only the correction reads."""
    labels = finding.labels
    if labels is None:
        return finding
    return replace(finding, labels=replace(labels, units=(), plug_in=None, apart=None))


def _headline(
    finding: Finding, answered: Sequence[Finding], value: float, settings: AnalysisSettings
) -> Headline | None:
    """Return the headline in corrected numbers: counts of labels are no longer what it rests on."""
    before = finding.headline
    if before is None:
        return None
    drawn: dict[tuple[str, str], list[Bar]] = {}
    for one in answered:
        for bar in one.headline.bars if one.headline is not None else ():
            drawn.setdefault((bar.label, bar.side), []).append(bar)
    bars = [_bar(bar, drawn.get((bar.label, bar.side), []), settings) for bar in before.bars]
    if not any(bar.side for bar in bars) and _ascending(before.bars):
        bars.sort(key=lambda bar: (bar.value is None, bar.value or 0.0))
    question = capital(finding.question)
    claim = f"{question} {form_of(finding.statistic)(value)}, corrected for label errors"
    otherwise = f"{question} Not established, corrected for label errors"
    after = replace(before, claim=claim, otherwise=otherwise, bars=bars)
    ends = after.ends()
    if len(ends) == 2 and not ends[0].side and all(bar.is_share for bar in ends):
        told = ", ".join(f"{percent(bar.value)} for {bar.label}" for bar in ends)
        after = replace(after, claim=f"{capital(before.measure)}: {told}")
    if not any(sign.isdigit() for sign in before.otherwise):
        after = replace(after, otherwise=before.otherwise)
    return after


def _ascending(bars: Sequence[Bar]) -> bool:
    values = [bar.value for bar in bars if bar.value is not None]
    return values == sorted(values)


def _bar(bar: Bar, drawn: Sequence[Bar], settings: AnalysisSettings) -> Bar:
    known = [one for one in drawn if one.value is not None]
    if bar.value is None or len(known) < 2:
        return bar
    one = combine_draws(
        [_number(x.value) for x in known],
        [_number(x.value if x.low is None else x.low) for x in known],
        [_number(x.value if x.high is None else x.high) for x in known],
        within=(0.0, 1.0) if bar.is_share else (-math.inf, math.inf),
        confidence=settings.confidence,
    )
    bounds = one.interval if bar.low is not None else (None, None)
    return replace(
        bar, value=one.value, low=bounds[0], high=bounds[1], hits=None, corrected=bar.is_share
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _p_value(finding: Finding, answered: Sequence[Finding], mixture: float) -> float | None:
    """Return the combined p; a statistic that cannot be below its null has no sign."""
    if finding.p is None or finding.labels is None:
        return None
    scale = finding.labels.scale
    if scale.null is None or scale.null == scale.least:
        return combine_p_values([_number(one.p) for one in answered])
    return mixture


def _sentence(
    finding: Finding, answered: Sequence[Finding], found: _CombinedNumbers, *, n: int,
    confidence: float,
) -> str:  # fmt: skip
    form = form_of(finding.statistic)
    told = []
    if finding.low is not None:
        told.append(between(found.low, found.high, confidence, form=form))
    if found.p is not None and not math.isnan(found.p):
        told.append(p_in_words("p", found.p))
    numbers = f" ({', '.join(told)})" if told else ""
    return (
        f"{finding.question}: {_named(answered)}{finding.statistic} {form(found.value)}{numbers}, "
        f"corrected by people's labels of {n} images; {form(finding.estimate)} by "
        f"{finding.measurer} alone."
    )


def _named(answered: Sequence[Finding]) -> str:
    """Name what most sets of labels answer, where the question is which one: "man x old, "."""
    names = Counter(str(one.details["answer"]) for one in answered if "answer" in one.details)
    if not names:
        return ""
    name, times = names.most_common(1)[0]
    often = "" if times == len(answered) else f" in {times} of {len(answered)} sets of labels"
    return f"{name}{often}, "


# --- figures and tables --------------------------------------------------------------------------


def _combined_parts(
    parts: Sequence[Part], answers: Sequence[StudyResult], settings: AnalysisSettings
) -> list[Part]:
    by_name = [{part.name: part for part in answer.parts} for answer in answers]
    found: list[Part] = []
    for part in parts:
        drawn = [one[part.name] for one in by_name if part.name in one]
        if isinstance(part, Forest) or all(one == part for one in drawn):
            found.append(part)
        elif isinstance(part, Shares):
            shares = [one for one in drawn if isinstance(one, Shares)]
            found.append(_combined_shares(part, shares, settings))
        else:
            found.append(replace(part, note=f"{part.note} {UNCORRECTED}".strip()))
    return found


def _combined_shares(part: Shares, drawn: Sequence[Shares], settings: AnalysisSettings) -> Shares:
    alike: dict[tuple[str, str, str], list[Share]] = {}
    for one in (row for part in drawn for row in part.rows):
        alike.setdefault((one.axis, one.level, one.group), []).append(one)
    rows = [
        _combined_share(row, alike.get((row.axis, row.level, row.group), []), settings)
        for row in part.rows
    ]
    if rows == list(part.rows):
        return part
    note = "Corrected by people's labels; counts are as the measurer labelled."
    return replace(part, rows=rows, note=f"{note} {part.note}".strip())


def _combined_share(row: Share, drawn: Sequence[Share], settings: AnalysisSettings) -> Share:
    known = [(one.share, one.low, one.high) for one in drawn if one.share is not None]
    if len(known) < 2 or (row.share is None and len({*known}) > 1):
        return row
    values, lows, highs = zip(*known, strict=True)
    one = combine_draws(values, lows, highs, within=(0.0, 1.0), confidence=settings.confidence)
    return replace(row, share=one.value, low=one.interval.low, high=one.interval.high)


def _notes(checked: Sequence[DrawnMeasurer], settings: AnalysisSettings) -> list[str]:
    found = [
        note for one in checked for pool in one.drawn for note in never_given(pool, one.data.label)
    ]
    # People's own error is the same whichever measurer they checked.
    found += [raters_error(pool, settings) for one in checked for pool in one.drawn]
    return [note for note in dict.fromkeys(found) if note]
