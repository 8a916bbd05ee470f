"""Influence studies: which word of a prompt causes who is shown?

For a few prompts every word is a finding. For many prompts the findings are averages: the mean
influence of each level of each factor over all prompts that contain it (figure 3 of Lin et al.
2023), with prompts as units. A positive score always pushes towards the group that is named.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

from portrayal.findings import (
    AnalysisSettings,
    Asked,
    Bar,
    DataTable,
    Finding,
    LabelScale,
    Part,
    StudyData,
    StudyResult,
    counted,
    encoder_checks,
    plural,
    published_numbers,
    unjudged,
)
from portrayal.kinds.influence.headlines import word_bars, word_headline
from portrayal.kinds.influence.parts import InfluenceScore
from portrayal.kinds.influence.schema import InfluenceStudy, PromptPlan
from portrayal.kinds.influence.suggestions import Rewrite, suggest
from portrayal.kinds.influence.tables import (
    SIGN,
    averages_part,
    pairs_table,
    paper_numbers,
    replacement_table,
    table_one,
    word_rows,
    words_part,
)
from portrayal.kinds.influence.word_averages import MeanInfluence, factor_averages
from portrayal.kinds.influence.word_scores import PromptScores, WordScore, WordScores, score_prompt
from portrayal.kinds.influence.word_sets import count_prompt, seen_on_axis
from portrayal.numbers import number
from portrayal.records import Identity
from portrayal.studies import NOBODY, Axis

INFLUENCE = "word influence"
AVERAGE = "mean word influence"

FEW_PROMPTS = 12
"""Up to so many prompts every word has its own finding and table."""

MOST_RESAMPLES = 4000

WHOLE_IMAGES = (
    "An image counts once, also where it shows several people. Shares are "
    'among images that show somebody; "unknown" is an answer of its own.'
)


@dataclass(frozen=True, slots=True)
class _View:
    """One axis as one encoder sees it."""

    study: InfluenceStudy
    data: StudyData
    settings: AnalysisSettings
    axis_name: str
    axis: Axis
    suffix: str
    scores: tuple[PromptScores, ...]

    @property
    def answers(self) -> tuple[str, ...]:
        return self.scores[0].counts.answers

    def read(self) -> tuple[InfluenceStudy, str, Axis, StudyData]:
        """Return the study, the axis and the images."""
        return self.study, self.axis_name, self.axis, self.data

    def spoken_of(self) -> list[int]:
        """Return the columns of the groups that findings speak of."""
        groups = list(self.axis.groups)
        if self.study.group in groups:
            return [groups.index(self.study.group)]
        return [0] if len(groups) == 2 else list(range(len(groups)))

    def asked(self, question: str, statistic: str, *, unit: str, details: dict[str, Any]) -> Asked:
        """Return what a finding of this measurer answers."""
        return Asked.of(
            self.study, f"{question}{self.suffix}", statistic,
            unit=unit, measurer=self.data.label, details=details,
            n_of="image" if unit == "text" else unit,
        )  # fmt: skip

    def unanswered(self, asked: Asked, reason: str, *, n: int, n_missing: int) -> Finding:
        """Return a finding without an estimate, which says why."""
        return asked.unanswered(
            reason, n=n, n_missing=n_missing, dropped=self.data.dropped, wanted=self.data.wanted
        )


def analyze_influence(
    study: InfluenceStudy, data: Sequence[StudyData], settings: AnalysisSettings
) -> StudyResult:
    """Answer an influence study.

    Args:
        study: The study, with its drawn texts.
        data: Its images, once for each encoder that looked at them.
        settings: How.
    """
    findings: list[Finding] = []
    parts: list[Part] = []
    suggestions: list[str] = []
    for one in data:
        suffix = f" · {one.label}" if len(data) > 1 else ""
        for name, axis in study.axes.items():
            scores = prompt_scores(study, name, axis, one, settings)
            if scores is None:
                question = f"{name}: which word causes it?{suffix}"
                findings.append(unjudged(study, question, INFLUENCE, name, one, unit="text"))
                continue
            view = _View(study, one, settings, name, axis, suffix, scores)
            findings += _findings(view)
            parts += _parts(view)
            suggestions += _suggestions(view)
    parts += encoder_checks(study.prompts(), study.axes, data, settings)
    notes = [*suggestions, SIGN, WHOLE_IMAGES, _transmuter_note(study)]
    notes += [axis.shown_note for axis in study.axes.values() if axis.shown_note]
    return StudyResult(study.name, study.kind, study.title, findings, parts, notes=notes)


def prompt_scores(
    study: InfluenceStudy, name: str, axis: Axis, data: StudyData, settings: AnalysisSettings
) -> tuple[PromptScores, ...] | None:
    """Score the words of all prompts on one axis; None where the measurer says nothing on it."""
    seen = seen_on_axis(study.prompts(), name, axis, data)
    if seen is None:
        return None
    rng = settings.rng(study.name, data.encoder.digest, name)
    found = (
        score_prompt(
            count_prompt(plan, seen, list(axis.groups), images=study.images),
            study.level,
            sampled_texts=study.transmuter.choice == "sample",
            resamples=min(settings.resamples, MOST_RESAMPLES),
            confidence=settings.confidence,
            rng=rng,
        )
        for plan in study.plan()
    )
    return tuple(replace(one, looks=data.looks) for one in found)


def verified(
    study: InfluenceStudy, name: str, axis: Axis, data: StudyData, column: int
) -> tuple[Rewrite, ...]:
    """Return what new images of rewritten prompts show; none where none were rewritten."""
    if not study.rewrites:
        return ()
    seen = seen_on_axis(study.prompts(), name, axis, data) or {}
    group = list(axis.groups)[column]
    found = []
    for text in study.rewrites:
        own = seen.get(text, {})
        labels = [own[seed] for seed in study.verified_seeds() if own.get(seed, NOBODY) != NOBODY]
        found.append(Rewrite(text, labels.count(group), len(labels)))
    return tuple(found)


def _findings(view: _View) -> Iterator[Finding]:
    if len(view.scores) <= FEW_PROMPTS:
        for scores in view.scores:
            yield from _word_findings(view, scores)
    if len(view.scores) > 1:
        for column in view.spoken_of():
            for average in factor_averages(
                view.scores, column, confidence=view.settings.confidence
            ):
                yield _average_finding(view, average, column)


def _parts(view: _View) -> Iterator[Part]:
    few = len(view.scores) <= FEW_PROMPTS
    where = f"{view.axis_name}{view.suffix}"
    if len(view.scores) > 1:
        averages = {
            column: factor_averages(view.scores, column, confidence=view.settings.confidence)
            for column in range(len(view.axis.groups))
        }
        factors = dict.fromkeys(one.factor for found in averages.values() for one in found)
        for factor in factors:
            yield averages_part(factor, averages, view.answers, where)
    for place, scores in enumerate(view.scores if few else ()):
        named = (where, place if len(view.scores) > 1 else None)
        for level in scores.levels:
            yield words_part(scores, level, *named)
        yield table_one(scores, *named)
        if scores.pairs is not None:
            yield pairs_table(scores, *named)
        yield replacement_table(scores, *named)
    if not few:
        yield words_table_of_all(view, where)
    if len(view.scores) == 1:
        ours = paper_numbers(view.scores[0])
        beside = published_numbers(view.study, view.data, ours, suffix=view.suffix)
        if beside is not None:
            yield beside


def words_table_of_all(view: _View, where: str) -> DataTable:
    """Return the scores of all words of all prompts in one plain table."""
    rows = [
        [scores.counts.plan.source.text, *astuple(row)]
        for scores in view.scores
        if scores.main is not None
        for row in word_rows(scores, scores.main)
    ]
    title = f"Every word of every prompt: {where}"
    columns = ("prompt", *(one.name.replace("_", " ") for one in fields(InfluenceScore)))
    return DataTable("all-words", title, columns, rows, note=SIGN)


def _suggestions(view: _View) -> Iterator[str]:
    """Yield which word to change, where there are few prompts."""
    for scores in view.scores if len(view.scores) <= FEW_PROMPTS else ():
        for column in view.spoken_of():
            mine = [one for one in verified(*view.read(), column) if len(view.scores) == 1]
            text = suggest(
                scores, column, target=view.study.target, verified=mine,
                confidence=view.settings.confidence,
            )  # fmt: skip
            yield f"{text}{_of_prompt(view, scores)}{view.suffix}"


def _word_findings(view: _View, scores: PromptScores) -> Iterator[Finding]:
    main = scores.main
    for column in view.spoken_of():
        if main is None:
            yield _no_answer(view, scores, column)
            continue
        for position in scores.counts.plan.replaceable:
            yield _word_finding(view, scores, main, position, column)


def word_question(plan: PromptPlan, position: int, group: str, *, several: bool) -> str:
    """Return the question about one word; it names the prompt where there are several."""
    of = f" in “{plan.source.text}”" if several else ""
    return f"“{plan.words[position]}” ({position + 1}) towards {group}{of}"


def _word_finding(
    view: _View, scores: PromptScores, main: WordScores, position: int, column: int
) -> Finding:
    counts, plan = scores.counts, scores.counts.plan
    word, group = plan.words[position], counts.answers[column]
    one = main.of(position, column)
    n, n_missing = counts.behind(position, main.level)
    shares = [float(counts.sets[key].shares[column]) for key in ((), (position,))]
    details = {
        "axis": view.axis_name,
        "group": group,
        "prompt": plan.source.text,
        "word": word,
        "position": position + 1,
        "level": main.level,
        "exact": main.exact,
        "leads": float(main.leads[position, column]),
        "share": shares[0],
        "share replaced": shares[1],
        "bound": main.margin,
    }
    several = len(view.scores) > 1
    question = word_question(plan, position, group, several=several)
    asked = view.asked(question, INFLUENCE, unit="text", details=details)
    if math.isnan(one.value):
        reason = f"too few images of people with “{word}” replaced"
        return view.unanswered(asked, reason, n=n, n_missing=n_missing)
    return (
        asked.answered(
            one.value,
            (one.low, one.high),
            p=one.p,
            n=n,
            n_missing=n_missing,
            sentence=_word_sentence(main, (word, group), word_bars(counts, position, column), one),
        )
        .with_headline(word_headline(counts, position, column, one.value, several=several))
        .on_labels(LabelScale(0.0, 2.0 * main.level, -float(main.level), float(main.level)))
    )


def _word_sentence(
    main: WordScores, of: tuple[str, str], bars: tuple[Bar, Bar], one: WordScore
) -> str:
    word, group = of
    moved = f"from {bars[0].text} to {bars[1].text}"
    if main.level == 1:
        return f"With “{word}” replaced, {plural(group)} go {moved}."
    way = "towards" if one.value > 0 else "away from"
    sample = ", estimated from a sample of the sets of words" if not main.exact else ""
    return (
        f"“{word}” pushes {way} {group} where up to {main.level} words are replaced together"
        f"{sample}; alone, {plural(group)} go {moved}."
    )


def _average_finding(view: _View, one: MeanInfluence, column: int) -> Finding:
    group = view.answers[column]
    details = {
        "axis": view.axis_name,
        "group": group,
        "factor": one.factor,
        "level": one.level,
    }
    question = f"{one.factor} “{one.level}” towards {group}"
    asked = view.asked(question, AVERAGE, unit="prompt", details=details)
    used = {"n": one.prompts, "n_missing": one.n_missing}
    if math.isnan(one.value):
        reason = f"no prompt with “{one.level}” has enough images"
        return view.unanswered(asked, reason, **used)
    return asked.answered(
        one.value,
        (one.low, one.high),
        p=one.p,
        **used,
        sentence=f"Over {counted(one.prompts, 'prompt')}, the influence of “{one.level}” on the "
        f"share of {plural(group)} is {number(one.value)} on average.",
    ).on_labels(LabelScale(0.0, 2 * one.largest, -one.largest, one.largest), units=one.scores)


def _no_answer(view: _View, scores: PromptScores, column: int) -> Finding:
    counts = scores.counts
    question = f"words towards {counts.answers[column]}{_of_prompt(view, scores)}"
    asked = view.asked(question, INFLUENCE, unit="text", details={"axis": view.axis_name})
    reason = f"too few images of people for {counts.plan.source.text!r}"
    return view.unanswered(asked, reason, n=counts.images, n_missing=counts.missing)


def _of_prompt(view: _View, scores: PromptScores) -> str:
    several = len(view.scores) > 1
    return f" in “{scores.counts.plan.source.text}”" if several else ""


def _transmuter_note(study: InfluenceStudy) -> str:
    drawn = study.drawn
    if drawn is None:
        return "No text has been drawn yet; run: portrayal plan"
    who = Identity.from_dict(drawn.transmuter)
    what = "texts at random" if study.transmuter.choice == "sample" else "the most probable texts"
    return (
        f"Replaced texts: {what} by {who.kind} {who.name} ({who.digest}); {study.draws} for each "
        f"set of words, {counted(study.images, 'image')} each."
    )
