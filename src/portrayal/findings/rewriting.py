"""What a service made of the prompts: groups that it added, and what is left without them.

Some services rewrite a prompt before they generate an image, and say what they made of it. Who is
shown may then follow from the rewritten prompt rather than from the model. Where rewriting cannot
be switched off, nothing here claims a cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from portrayal.findings.data import StudyData
from portrayal.findings.finding import Asked, Finding
from portrayal.findings.headline import Headline, plural
from portrayal.findings.labels import image_labels
from portrayal.findings.refusals import NO_GROUP, study_axes
from portrayal.findings.sentences import counted
from portrayal.findings.settings import AnalysisSettings
from portrayal.findings.vectors import IntArray
from portrayal.numbers import percent
from portrayal.records import Prompt
from portrayal.statistics import level_test, prompts_share_interval
from portrayal.studies import Axis, Study, added_groups, named_groups

GROUP_ADDED = "share of rewritten prompts that add a group"
FOLLOWED = "Cramér's V of rewritten prompts"
NAMES_A_GROUP = "rewritten prompt names a group that the prompt does not"
REWRITING_SUFFIX = " · rewritten prompt adds no group"

REWRITING_NOTE = (
    "The service rewrote prompts before it generated the images, and portrayal cannot switch that "
    "off: findings about images whose rewritten prompt adds no group stand beside the others, and "
    "say nothing about what the model would generate from the prompts as they are."
)


@dataclass(frozen=True, slots=True)
class _AxisRewriting:
    """The rewritten prompts of the images whose own prompt names no group of an axis.

    Attributes:
        name: The axis's name.
        axis: Its groups.
        named: What the rewritten prompt names, by prompt text and image key.
        prompts: The prompts, by text.
    """

    name: str
    axis: Axis
    named: Mapping[str, Mapping[str, str]]
    prompts: Mapping[str, Prompt]


def adding_keys(study: Study, data: StudyData) -> frozenset[str]:
    """Return the images whose rewritten prompt names a group that their prompt does not."""
    axes = study_axes(study).values()
    return frozenset(
        key
        for text, found in data.usable.items()
        for key in found.keys
        if key in data.rewritten
        and any(added_groups(text, data.rewritten[key], axis) for axis in axes)
    )


def rewriting_findings(
    study: Study, data: Sequence[StudyData], settings: AnalysisSettings
) -> list[Finding]:
    """Return which groups a service's rewritten prompts add, and whether images follow them.

    Args:
        study: The study.
        data: Its images, once for each measurer.
        settings: How.

    Returns:
        None where no prompt was rewritten.
    """
    findings = [_added(study, one, settings) for one in _rewritten(study, data[0])]
    for measured in data:
        for one in _rewritten(study, measured):
            followed = _followed(study, one, measured, settings, several=len(data) > 1)
            findings += [] if followed is None else [followed]
    return findings


def _rewritten(study: Study, data: StudyData) -> Iterator[_AxisRewriting]:
    prompts = {prompt.text: prompt for prompt in study.prompts()}
    for name, axis in study_axes(study).items():
        named = {
            text: {
                key: " and ".join(sorted(named_groups(data.rewritten[key], axis.groups)))
                or NO_GROUP
                for key in data.usable[text].keys
                if key in data.rewritten
            }
            for text in prompts
            if not named_groups(text, axis.groups)
        }
        named = {text: keys for text, keys in named.items() if keys}
        if named:
            yield _AxisRewriting(name, axis, named, prompts)


def _added(study: Study, one: _AxisRewriting, settings: AnalysisSettings) -> Finding:
    """Return how often rewritten prompts add a group, and which."""
    each = [Counter(keys.values()) for keys in one.named.values()]
    counts = sum(each, Counter[str]())
    n = counts.total()
    k = n - counts.pop(NO_GROUP, 0)
    clustered = settings.unit == "prompt" and settings.resample == "units"
    totals = [found.total() for found in each]
    bounds = prompts_share_interval(
        [total - found[NO_GROUP] for total, found in zip(totals, each, strict=True)],
        totals,
        confidence=settings.confidence,
        clustered=clustered,
    )
    asked = Asked.of(
        study,
        f"{one.name}: how often does the rewritten prompt add a group?",
        GROUP_ADDED,
        unit="prompt" if clustered and len(totals) > 1 else "image",
        details={"axis": one.name, "counts": dict(counts)},
    )
    told = ", ".join(f"{group} {count}" for group, count in counts.most_common())
    return asked.answered(
        k / n,
        bounds,
        n=n,
        n_missing=0,
        sentence=f"Rewritten prompts add a group on {one.name} in {k} of {counted(n, 'image')} "
        f"({percent(k / n)}{f': {told}' if told else ''}).",
    )


def _followed(
    study: Study, one: _AxisRewriting, data: StudyData, settings: AnalysisSettings, *, several: bool
) -> Finding | None:
    """Return whether who is shown goes with the group that the rewritten prompt names."""
    images = data.images([one.prompts[text] for text in one.named])
    labels = image_labels(images, one.name, one.axis, data)
    if labels is None:
        return None
    groups = list(one.axis.groups)
    counts: dict[tuple[str, str], IntArray] = {}
    for text, key, label in zip(images.prompts, images.keys, labels.labels.tolist(), strict=True):
        if label in groups and key in one.named[text]:
            row = counts.setdefault(
                (one.named[text][key], text), np.zeros(len(groups), dtype=np.int64)
            )
            row[groups.index(label)] += 1
    # The images of a prompt that were rewritten alike are a unit. Those of one prompt are alike in
    # other ways, which makes the test careful, not bold.
    test = level_test(
        np.array(list(counts.values())).reshape(-1, len(groups)),
        [level for level, _ in counts],
        by_prompt=settings.unit == "prompt",
        resamples=settings.resamples,
        confidence=settings.confidence,
        rng=settings.rng(study.name, "rewriting", one.name, data.encoder.digest),
    )
    if test is None:
        return None
    suffix = f" · {data.label}" if several else ""
    asked = Asked.of(
        study,
        f"{one.name}: do images follow the rewritten prompt?{suffix}",
        FOLLOWED,
        unit=test.unit,
        measurer=data.label,
        details={"axis": one.name},
    )
    return asked.answered(
        test.v,
        test.interval,
        p=test.p_value,
        n=test.n,
        n_missing=images.n - test.n,
        sentence=f"Of the images, {_shown(groups, counts)}.",
    ).with_headline(
        Headline(
            claim="Images show the group that the rewritten prompt names",
            otherwise="No significant sign that images follow the rewritten prompt",
            measure="images",
            magnitude=test.v,
        )
    )


def _shown(groups: Sequence[str], counts: Mapping[tuple[str, str], IntArray]) -> str:
    """Write how many images show the group that was named most often, with and without its name."""
    totals: dict[str, IntArray] = {}
    for (level, _), row in counts.items():
        totals[level] = totals.get(level, np.zeros(len(groups), dtype=np.int64)) + row
    added = [level for level in totals if level != NO_GROUP]
    most = max(added, key=lambda level: int(totals[level].sum()), default=NO_GROUP)
    group = most if most in groups else groups[0]
    column = groups.index(group)
    told = [
        f"{int(totals[level][column])} of {int(totals[level].sum())} show {plural(group)} where it "
        f"names {plural(level) if level in groups else level}"
        for level in (most, NO_GROUP)
        if level in totals
    ]
    return ", ".join(told)
