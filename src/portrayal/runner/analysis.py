"""Findings of all studies of an audit together: corrected p-values, results.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from portrayal import __version__
from portrayal.audit import AuditFolder, annotations_file, object_path, outcomes, quoted
from portrayal.errors import AuditError, MissingExtra
from portrayal.findings import (
    GROUP_ADDED,
    NAMES_A_GROUP,
    REWRITING_NOTE,
    REWRITING_SUFFIX,
    THRESHOLDS,
    AnalysisSettings,
    AuditData,
    Finding,
    Findings,
    HumanSide,
    LabelQuality,
    Results,
    StudyData,
    StudyResult,
    StudySection,
    Variation,
    adding_keys,
    audit_agreement,
    audit_sources,
    choices,
    correct_labels,
    counted,
    label_quality,
    labels_any,
    measurer_names,
    people_note,
    refusal_findings,
    repetition,
    rewriting_findings,
    robustness,
    study_measurers,
    uncounted,
    validations_for,
    variations,
)
from portrayal.kinds import Kind, kind_of
from portrayal.raters import RATERS, site
from portrayal.records import Identity, plain
from portrayal.runner.look_log import LookLog, SeenImages
from portrayal.runner.looks import (
    Seen,
    Stage,
    look_remark,
    with_corrected_looks,
    with_looks,
)
from portrayal.statistics import benjamini_hochberg
from portrayal.studies import Study, in_telling_order, registered_kinds, study_from_dict

VARIED_RESAMPLES = 499
"""Permutations for the robustness table, which asks only on which side of the level p is."""

VARIED_DRAWS = 10
"""Sets of labels for each variant of a corrected finding there, for the same reason."""

NO_ENCODER = Identity("none", "no encoder")


def analyze(
    audit: AuditFolder,
    *,
    studies: Sequence[Study] | None = None,
    settings: AnalysisSettings | None = None,
    planned: Mapping[str, Stage] | None = None,
    bounds: bool = False,
    keep: bool = True,
) -> Results:
    """Recompute all findings of an audit from what was measured, and write results.json.

    That is a look at every question whose images have changed since the last one; it is stored.
    Answers that wait on the rating page are brought into the audit first.

    Args:
        audit: The audit.
        studies: Which studies; None: all that were asked of it.
        settings: How.
        planned: The planned looks that this is, by study.
        bounds: Whether planned looks, too, have intervals that hold along with those of all other
            looks, as looks that were not planned always do; with `planned`, of its studies only.
        keep: Whether to store results and looks; False: the audit stays as it is.

    Raises:
        AuditError: No study was asked of this audit, or no encoder has looked at it.
    """
    how = settings or AnalysisSettings()
    uncollected = _collect_answers(audit) if keep else []
    studies = _asked(audit) if studies is None else studies
    seen_by, left_out = study_measurers(audit, rule=how.consensus), uncounted(audit)
    _require_data(audit, studies, seen_by, left_out)
    left_out += uncollected
    shared = _shared_data(audit, studies, how)
    quality = label_quality(
        studies,
        lambda study: _data(study, shared, seen_by),
        validations_for(audit, seen_by, keep=keep),
        rule=how.consensus,
        confidence=how.confidence,
    )
    _require_fit(audit, studies, quality, lambda study: _data(study, shared, seen_by))
    seen, sides, log = [], [], LookLog(audit)
    images: dict[str, dict[str, SeenImages]] = {}

    def looked(study: Study) -> list[StudyData]:
        data = _data(study, shared, seen_by, quality)
        if study.name not in images:
            images[study.name] = SeenImages.of(data)
        return log.looked(study, data, images[study.name])

    for study in studies:
        data = looked(study)
        answer = _with_robustness(study, data, _answer(study, data, how), how)
        answer = replace(answer, notes=[*answer.notes, *left_out])
        sides.append(kind_of(study).beside_raters(study, audit, data, answer, how))
        stage = (planned or {}).get(study.name)
        wanted = bounds and (stage is not None or planned is None)
        seen.append(Seen(study, images[study.name], sides[-1].added_to(answer), stage, wanted))

    def again(study: Study, confidence: float) -> StudyResult:
        return _answer(study, looked(study), replace(how, confidence=confidence))

    found = with_looks(log, seen, how, again, keep=keep)
    together = [audit_agreement(found, measurer_names(seen_by))]
    together += _rated_together(studies, sides, how)
    found += [one for one in together if one is not None]
    results = replace(_results(audit, seen_by, how, studies, found), labels=quality)
    if keep:
        audit.write_results(results.as_dict())
    return results


def _collect_answers(audit: AuditFolder) -> list[str]:
    """Bring the rating page's answers that wait in its file into the audit; say if that failed.

    The page does so every half minute, and not at all after it was killed.
    """
    if object_path(audit.path) is not None or not annotations_file(audit.path).exists():
        return []
    try:
        site.collect_waiting(audit)
    except (AuditError, MissingExtra) as error:
        return [f"Answers given on the rating page may be missing: {error}."]
    return []


def _require_data(
    audit: AuditFolder,
    studies: Sequence[Study],
    seen_by: Sequence[Identity],
    left_out: Sequence[str],
) -> None:
    """Raise without a study, where no image was measured, and where measured ones are all gone."""
    if not studies:
        raise AuditError(
            f"{audit.path}: no study was asked of this audit; run: portrayal run STUDY"
        )
    if not seen_by and audit.images().filter("status = 'ok'").limit(1).fetchall():
        unmeasured = "no measurer has labelled or embedded the images yet"
        why = left_out[0].rstrip(".") if left_out else unmeasured
        run = f"portrayal measure {quoted(audit.path)} --measurer MEASURER"
        raise AuditError(f"{audit.path}: {why}; run: {run}")
    if not audit.images().limit(1).fetchall() and (gone := outcomes.gaps(audit)):
        raise AuditError(f"{audit.path}: {gone[0]}")


def _shared_data(
    audit: AuditFolder, studies: Sequence[Study], settings: AnalysisSettings
) -> AuditData:
    return AuditData(
        audit,
        (prompt.text for study in studies for prompt in study.prompts()),
        (text for study in studies for text in study.texts()),
        axes=(axis for study in studies for axis in study.asked_axes().values()),
        each_person=settings.people == "each",
    )


def _asked(audit: AuditFolder) -> Sequence[Study]:
    remembered = audit.studies().items()
    return in_telling_order(
        study_from_dict(data, source=f"{name}.json") for name, data in remembered
    )


def _results(
    audit: AuditFolder,
    seen_by: Sequence[Identity],
    settings: AnalysisSettings,
    studies: Sequence[Study],
    found: Sequence[StudyResult],
) -> Results:
    known = {study.name: study for study in studies}
    done = with_corrected_looks(corrected(found))
    return Results(
        __version__,
        _plain_identity(audit.generator),
        tuple(_plain_identity(one) for one in seen_by),
        settings,
        Findings(finding for result in done for finding in result.findings),
        tuple(StudySection.of(result, known.get(result.study)) for result in done),
        sources=audit_sources(source for result in done for source in result.sources),
    )


def _plain_identity(identity: Identity) -> Identity:
    return Identity(identity.kind, identity.name, plain(identity.settings))


def _rated_together(
    studies: Sequence[Study], sides: Sequence[HumanSide], settings: AnalysisSettings
) -> list[StudyResult | None]:
    """Return what raters say about several studies of one kind together."""
    found = []
    for kind in dict.fromkeys(study.kind for study in studies):
        own = [(a, b) for a, b in zip(studies, sides, strict=True) if a.kind == kind]
        asked, said = [study for study, _ in own], [side for _, side in own]
        found.append(kind_of(asked[0]).rated_together(asked, said, settings))
    return found


def corrected(results: Sequence[StudyResult]) -> list[StudyResult]:
    """Fill in q: Benjamini-Hochberg over all findings with a p, of all studies."""
    tested = [f for result in results for f in result.findings if f.p is not None]
    q_values = iter(benjamini_hochberg([f.p for f in tested if f.p is not None]))
    done = []
    for result in results:
        findings = [
            finding if finding.p is None else replace(finding, q=float(next(q_values)))
            for finding in result.findings
        ]
        findings = [_with_remark(one, look_remark(one)) for one in findings]
        done.append(replace(result, findings=findings))
    return done


def _with_remark(finding: Finding, remark: str) -> Finding:
    return replace(finding, sentence=f"{finding.sentence} {remark}") if remark else finding


def _require_fit(
    audit: AuditFolder,
    studies: Sequence[Study],
    quality: LabelQuality,
    data_of: Callable[[Study], Sequence[StudyData]],
) -> None:
    """Raise where all that the studies could rest on are labels of unfit measurers."""
    unfit = {name: quality.unfit(name) for name in quality.measurers}
    tried = {(one.measurer, one.axis) for one in quality.checks}
    none_left = all(axis in unfit.get(who, {}) for who, axis in tried)
    if not tried or not none_left or quality.untried:
        return
    people = any(one.encoder.kind == RATERS for study in studies for one in data_of(study))
    if not people and all(study.asked_axes() for study in studies):
        why = next(line for lines in unfit.values() for line in lines.values())
        raise AuditError(
            f"{audit.path}: refused as unfit: {why.rstrip('.')}; everything measured is kept: "
            "measure with another `measurer`, or let people label all images with: "
            "portrayal annotate"
        )


def _data(
    study: Study,
    shared: AuditData,
    seen_by: Sequence[Identity],
    quality: LabelQuality | None = None,
) -> list[StudyData]:
    """Return the study's images, once for each measurer; raters only where they labelled some."""
    found = []
    for measurer, label in zip(seen_by, measurer_names(seen_by), strict=True):
        data = shared.of_study(study.prompts(), measurer, label=label)
        if quality is not None and (unfit := quality.unfit(label)):
            data = replace(data, unfit=unfit)
        if measurer.kind != RATERS or labels_any(data, study.asked_axes()):
            found.append(data)
    # Without a measurer there is nothing to look at; the findings say so.
    return found or [shared.of_study(study.prompts(), NO_ENCODER, label=NO_ENCODER.name)]


def _with_corrected_labels(
    study: Study,
    data: Sequence[StudyData],
    settings: AnalysisSettings,
    *,
    together: Sequence[StudyData],
    at_most: int | None = None,
) -> StudyResult:
    """Return a study's result, corrected where people checked labels.

    Args:
        study: The study.
        data: Its images, or some of them.
        settings: How.
        together: All images whose label errors are estimated together.
        at_most: How many sets of labels to use; None: all that are drawn.
    """
    kind = kind_of(study)
    result: StudyResult = correct_labels(
        kind.analyze(study, data, settings), data,
        [kind.label_pools(study, one) for one in together],
        settings, lambda drawn, quick: kind.analyze(study, drawn, quick), at_most=at_most,
    )  # fmt: skip
    return result


def _answer(study: Study, data: Sequence[StudyData], settings: AnalysisSettings) -> StudyResult:
    result = _with_corrected_labels(study, data, settings, together=data)
    refused, rates = refusal_findings(study, data, settings)
    rewritten = _rewritten(study, data, settings, together=data)
    repeats = repetition(study, data[0], settings)
    return replace(
        result,
        findings=[*result.findings, *refused, *rewritten, *repeats.findings],
        parts=[*result.parts, *rates, *repeats.tables],
        dropped=_dropped(data),
        unused=data[0].unused,
        notes=[
            *study.notes,
            *result.notes,
            *repeats.notes,
            *unused_settings(study.kind, settings),
            *_remarks(study, data),
            *([REWRITING_NOTE] if rewritten else []),
        ],
    )


def _with_robustness(
    study: Study, data: Sequence[StudyData], answer: StudyResult, settings: AnalysisSettings
) -> StudyResult:
    """Return the answer with the range of its findings over what could be chosen otherwise."""
    quick = replace(settings, resamples=min(settings.resamples, VARIED_RESAMPLES))
    varied: dict[str, list[Sequence[Finding]]] = {}
    for one in variations(study, data):
        varied.setdefault(one.over, []).append(_varied(study, one, quick))
    tables, remarks = robustness(answer.findings, varied, alpha=1 - settings.confidence)
    findings = [_with_remark(one, remarks.get(one.question, "")) for one in answer.findings]
    return replace(answer, findings=findings, parts=[*answer.parts, *tables])


def _varied(study: Study, one: Variation, settings: AnalysisSettings) -> list[Finding]:
    """Return the findings under a variant that depend on what it varies."""
    found: list[Finding] = []
    if kind_of(study).varies:
        found += _with_corrected_labels(
            study, one.data, settings, together=one.together, at_most=VARIED_DRAWS
        ).findings
        found += _rewritten(study, one.data, settings, together=one.together, at_most=VARIED_DRAWS)
    if one.over == THRESHOLDS:
        # What rewritten prompts say does not depend on labels, nor what became of requests.
        return [finding for finding in found if finding.statistic != GROUP_ADDED]
    return [*found, *refusal_findings(study, one.data, settings)[0]]


def _rewritten(
    study: Study,
    data: Sequence[StudyData],
    settings: AnalysisSettings,
    *,
    together: Sequence[StudyData],
    at_most: int | None = None,
) -> list[Finding]:
    """Return what a service's rewriting added, and the study's findings without those images."""
    found = rewriting_findings(study, data, settings)
    keys = adding_keys(study, data[0])
    if not keys:
        return found
    left = [one.without(keys, NAMES_A_GROUP) for one in data]
    again = _with_corrected_labels(
        study, left, settings, together=together, at_most=at_most
    ).findings
    return [
        *found,
        *(replace(one, question=f"{one.question}{REWRITING_SUFFIX}") for one in again),
    ]


def _dropped(data: Sequence[StudyData]) -> dict[str, int]:
    """Count what was dropped, naming the encoder where several differ."""
    if len(data) == 1:
        return dict(data[0].dropped)
    reasons = list(dict.fromkeys(reason for one in data for reason in one.dropped))
    found: dict[str, int] = {}
    for reason in reasons:
        counts = [one.dropped.get(reason, 0) for one in data]
        if len(set(counts)) == 1:
            found[reason] = counts[0]
            continue
        for one, count in zip(data, counts, strict=True):
            if count:
                found[f"{reason} · {one.label}"] = count
    return found


def unused_settings(kind: str, settings: AnalysisSettings) -> list[str]:
    """Say which chosen settings the studies of a kind do not depend on, in a line; else nothing."""
    registered = registered_kinds().get(kind)
    names = registered.unused_settings if isinstance(registered, Kind) else ()
    chosen = [
        f"{one.name} = {getattr(settings, one.name)}"
        for one in choices()
        if one.name in names and getattr(settings, one.name) != one.default
    ]
    return [f"Not used by {kind} studies: {', '.join(chosen)}."] if chosen else []


def _remarks(study: Study, data: Sequence[StudyData]) -> list[str]:
    remarks = [
        people_note(one.images(study.prompts()).keys, one.people)
        for one in data
        if one.people is not None and study.asked_axes()
    ]
    unused = data[0].unused
    return [*remarks, f"The {unused_images(unused)}"] if unused else remarks


def unused_images(unused: int) -> str:
    """Remark that an audit contains so many images that the answer leaves out."""
    return (
        f"audit contains {counted(unused, 'more image')} of these prompts than the study asks "
        "for; those with the lowest seeds are used. To use all, ask for more images per prompt."
    )
