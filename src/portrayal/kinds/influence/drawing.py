"""The replaced texts of an influence study: drawn once, kept with the study, only ever extended.

A stored study brings its draws along. Only what is missing is drawn, and the model that draws is
loaded only then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from portrayal.errors import LanguageError, StudyError
from portrayal.kinds.influence.schema import (
    Drawn,
    DrawnPrompt,
    DrawnSubset,
    DrawnText,
    InfluenceStudy,
    PromptPlan,
    Transmutation,
)
from portrayal.language import (
    CandidateWords,
    Transmuter,
    names_of_groups,
    open_masked_words,
    open_wordnet,
)
from portrayal.progress import OnCount
from portrayal.records import Identity
from portrayal.studies import Study


def open_transmuter(wanted: Transmutation, **running: Any) -> Transmuter:
    """Open what a study names.

    Args:
        wanted: The study's `transmuter`.
        running: device, batch_size of a masked language model.

    Raises:
        LanguageError: It cannot be opened.
        MissingExtra: It needs what is not installed.
    """
    if wanted.by == "list":
        return CandidateWords(wanted.candidates, choice=wanted.choice)
    if wanted.by == "wordnet":
        return open_wordnet(
            wanted.relations, choice=wanted.choice, tagger=wanted.tagger, avoid=wanted.avoid
        )
    return open_masked_words(
        wanted.model,
        revision=wanted.revision,
        choice=wanted.choice,
        keep=wanted.keep,
        temperature=wanted.temperature,
        tagger=wanted.tagger,
        avoid=wanted.avoid,
        **running,
    )


def draw_texts(
    study: InfluenceStudy,
    *,
    before: Study | None = None,
    transmuter: Transmuter | None = None,
    on_progress: OnCount | None = None,
) -> InfluenceStudy:
    """Return the study with all the texts that it wants.

    Args:
        study: The study.
        before: What the audit remembers under the study's name, whose draws are carried over.
        transmuter: Who draws; None: opened by the study's own settings, if anything is to be drawn.
        on_progress: Called after every prompt.

    Raises:
        StudyError: The stored study was drawn in another way.
        LanguageError: Words cannot be replaced.
    """
    if before is not None:
        study = carried_over(study, before)
    if study.is_drawn():
        return study
    transmuter = transmuter or open_transmuter(study.transmuter)
    _check_same(study, transmuter.identity)
    known = {one.prompt: one for one in (study.drawn.prompts if study.drawn else ())}
    study = _with_positions(study, transmuter, known)
    plans = study.plan()
    for done, plan in enumerate(plans):
        known[plan.source.text] = _drawn(study, plan, known[plan.source.text], transmuter)
        if on_progress is not None:
            on_progress(done + 1, len(plans))
    return _with_drawn(study, transmuter.identity, known)


def _with_positions(
    study: InfluenceStudy, transmuter: Transmuter, known: dict[str, DrawnPrompt]
) -> InfluenceStudy:
    """Settle which words can be replaced, on which the sets of words depend."""
    for source in study.sources():
        if source.text in known:
            continue
        positions = transmuter.replaceable(source.text)
        if not positions:
            raise LanguageError(
                f"{source.text!r}: {transmuter.identity.name} has no replacement for any word; "
                "give candidates, or use a masked language model"
            )
        known[source.text] = DrawnPrompt(prompt=source.text, replaceable=positions)
    return _with_drawn(study, transmuter.identity, known)


def _with_drawn(
    study: InfluenceStudy, identity: Identity, known: Mapping[str, DrawnPrompt]
) -> InfluenceStudy:
    drawn = Drawn(transmuter=identity.as_dict(), prompts=tuple(known.values()))
    return study.model_copy(update={"drawn": drawn})


def _drawn(
    study: InfluenceStudy, plan: PromptPlan, known: DrawnPrompt, transmuter: Transmuter
) -> DrawnPrompt:
    subsets = {one.words: one for one in known.subsets}
    for wanted in plan.sets:
        record = subsets.get(wanted.words, DrawnSubset(words=wanted.words))
        draws = wanted.draws if wanted.words else 0
        while len(record.texts) < draws and not record.is_exhausted:
            record = _more(study, plan.source.text, record, transmuter, draws)
        subsets[wanted.words] = record
    ordered = sorted(subsets.values(), key=lambda one: (len(one.words), one.words))
    return known.model_copy(update={"subsets": tuple(ordered)})


def _more(
    study: InfluenceStudy, prompt: str, record: DrawnSubset, transmuter: Transmuter, draws: int
) -> DrawnSubset:
    """Return a set with the next texts of its series; those that name a group are kept apart."""
    start = len(record.texts) + len(record.apart)
    missing = range(start, start + draws - len(record.texts))
    texts, apart = list(record.texts), list(record.apart)
    for one in transmuter.draw(prompt, record.words, missing, seed=study.seed):
        drawn = DrawnText(one.text, one.probability)
        (apart if _names_more(study, prompt, one.text) else texts).append(drawn)
    return record.model_copy(update={"texts": tuple(texts), "apart": tuple(apart)})


def _names_more(study: InfluenceStudy, prompt: str, text: str) -> bool:
    """Tell whether a text names a group that the prompt does not, and must be set apart."""
    return study.transmuter.naming == "apart" and any(
        names_of_groups(text, axis.groups) - names_of_groups(prompt, axis.groups)
        for axis in study.axes.values()
    )


def carried_over(study: InfluenceStudy, before: Study) -> InfluenceStudy:
    """Return the study with the texts in the audit; none is drawn.

    Args:
        study: The study.
        before: What the audit remembers under the study's name.

    Raises:
        StudyError: The stored study was drawn in another way.
    """
    if not isinstance(before, InfluenceStudy):
        raise StudyError(
            f"{study.name}: the audit has a study of kind {before.kind} under this name; "
            "take another name"
        )
    if before.drawn is None:
        return study
    for key in ("transmuter", "seed"):
        if getattr(before, key) != getattr(study, key):
            raise StudyError(
                f"{study.name}: {key} differs from what the audit's texts were drawn with; "
                f"give the study another name, or {key} as before"
            )
    return study.model_copy(update={"drawn": before.drawn})


def _check_same(study: InfluenceStudy, now: Identity) -> None:
    if study.drawn is None:
        return
    before = Identity.from_dict(study.drawn.transmuter)
    if differences := now.differences(before):
        key, (got, had) = next(iter(differences.items()))
        raise StudyError(
            f"{study.name}: its texts were drawn by another transmuter ({key} was {had!r}, now "
            f"{got!r}); give the study another name"
        )
