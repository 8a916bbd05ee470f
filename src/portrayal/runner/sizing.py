"""How many images per prompt a study takes for intervals of some width, or to find an effect."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from portrayal.audit import AuditFolder
from portrayal.errors import SettingError, StudyError, is_number, shown
from portrayal.findings import AnalysisSettings, Finding, Results, counted, duration
from portrayal.kinds import kind_of
from portrayal.statistics import images_from_pilot
from portrayal.studies import Study

MOST = 100_000
"""Images per prompt beyond which nobody plans."""


@dataclass(frozen=True, slots=True)
class SizeGoal:
    """What images are wanted for.

    Attributes:
        width: Intervals at most this wide; None: an effect.
        effect: Found four times in five; None: a width.

    Raises:
        SettingError: Neither or both are given, or one that cannot be.
    """

    width: float | None = None
    effect: float | None = None

    def __post_init__(self) -> None:
        if (self.width is None) == (self.effect is None):
            raise SettingError("width", "and effect: give one of the two", option="width")
        for name in ("width", "effect"):
            value = getattr(self, name)
            if value is not None and (not is_number(value) or not 0 < value < math.inf):
                raise SettingError(
                    name, f"is {shown(value)}; allowed: a number above 0", option=name
                )

    def on(self, scale: str) -> str:
        """Say it in words.

        Args:
            scale: What an effect is measured in; "" where that is not known.
        """
        if self.width is not None:
            return f"intervals at most {self.width:g} wide"
        measured = f" ({scale})" if scale else ""
        return f"an effect of {self.effect:g}{measured}, found in 4 of 5 audits"


@dataclass(frozen=True, slots=True)
class Sizing:
    """What a goal takes.

    Attributes:
        study: The study's name.
        goal: The goal, in words.
        images_per_prompt: Fewest that reach it; None: no number does.
        images: In all.
        seconds: To generate those that the audit does not have.
        cost: Of these, at the price per image; None without one.
        basis: What the answer rests on: an assumption, or a pilot's finding.
        reason: Why no number of images reaches it, or reaches it in all findings; "" where one
            does.
        present: How many of them the audit has.
        out_of_reach: The pilot's findings that no number of images brings to the goal, since
            images are not their units.
    """

    study: str
    goal: str
    images_per_prompt: int | None
    images: int | None
    seconds: float | None
    cost: float | None
    basis: str
    reason: str = ""
    present: int = 0
    out_of_reach: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)

    def sentence(self) -> str:
        """Say it in one line."""
        if self.images_per_prompt is None or self.seconds is None:
            return f"{self.study}: {self.goal}: {self.reason}"
        each = "image" if self.images_per_prompt == 1 else "images"
        reused = f" ({self.present:,} reused)" if self.present else ""
        money = "" if self.cost is None else f", cost {self.cost:,.2f}"
        return (
            f"{self.study}: {self.goal}: {self.images_per_prompt:,} {each} per prompt, "
            f"{self.images:,} in all{reused}, {duration(self.seconds)}{money} ({self.basis})"
            + (f"; {self.reason}" if self.reason else "")
        )


class Pilot(NamedTuple):
    """Results whose variance is taken, and the images per prompt that they rest on."""

    results: Results
    images: int


def sized(
    study: Study,
    goal: SizeGoal,
    settings: AnalysisSettings,
    *,
    pilot: Pilot | None,
    audit: AuditFolder | None = None,
    rate: float,
    price: float | None,
) -> Sizing:
    """Say how many images per prompt a goal takes.

    Args:
        study: The study.
        goal: The goal.
        settings: How it will be analyzed.
        pilot: Whose variance is taken; None: what the kind assumes.
        audit: Where the images go; None: a new audit.
        rate: Images per second.
        price: Per image; None: not known.
    """
    _check(goal, study)
    answer = _from_pilot(study, goal, pilot) if pilot else _assumed(study, goal, settings)
    name, words, found = study.name, goal.on(answer.scale), answer.images
    basis, reason, beyond = answer.basis, answer.reason, answer.out_of_reach
    if found is None:
        return Sizing(name, words, None, None, None, None, basis, reason, out_of_reach=beyond)
    larger = study.with_images(found)
    images = sum(prompt.images for prompt in larger.prompts()) + larger.undrawn().images
    present = 0 if audit is None else _present(larger, audit)
    missing = images - present
    cost = None if price is None else missing * price
    seconds = missing / rate
    return Sizing(name, words, found, images, seconds, cost, basis, reason, present, beyond)


def _present(study: Study, audit: AuditFolder) -> int:
    """Count the images of a study that an audit has; those of a prompt begin with one seed."""
    there = dict(audit.images().aggregate("prompt, count(*)").fetchall())
    return sum(min(prompt.images, there.get(prompt.text, 0)) for prompt in study.prompts())


def _check(goal: SizeGoal, study: Study) -> None:
    """Refuse a goal beyond the range of a study's estimates.

    Raises:
        SettingError: It is.
    """
    most = kind_of(study).full_width(study)
    about = f"of {study.name} ({study.kind}) are at most {most:g}"
    if goal.width is not None and goal.width > most:
        raise SettingError(
            "width",
            f"is {goal.width:g}, and intervals {about} wide; allowed: a width in the estimates' "
            "own unit",
            option="width",
        )
    if goal.effect is not None and goal.effect > most:
        raise SettingError(
            "effect",
            f"is {goal.effect:g}, and effects {about}; allowed: an effect in the estimates' own "
            "unit",
        )


_NAMED = 3
"""Findings that a line names."""

_TOO_FEW = "with so few prompts no p can be small enough"


class _Answer(NamedTuple):
    """Images per prompt, or the reason why there is no such number, and what it rests on.

    Attributes:
        images: Per prompt; None: no number does.
        basis: What the answer rests on.
        reason: Why no number does, or does in all findings.
        scale: What the goal's effect is measured in.
        out_of_reach: Findings in which no number does.
    """

    images: int | None
    basis: str
    reason: str = ""
    scale: str = ""
    out_of_reach: tuple[str, ...] = ()


def _assumed(study: Study, goal: SizeGoal, settings: AnalysisSettings) -> _Answer:
    kind = kind_of(study)
    measure: Callable[[Study, AnalysisSettings], float] = kind.weakest
    wanted, what = goal.effect or 0.0, "smallest effect found"
    if goal.width is not None:
        measure, wanted, what = kind.widest, goal.width, "widest interval"
    answer = _Answer(None, kind.assumption(study, settings), scale=kind.effect)
    try:
        limit = measure(study.with_images(MOST), settings)
    except StudyError as error:  # a budget, say
        return answer._replace(reason=str(error))
    if math.isnan(limit):
        why = "it depends on a pilot; run a few images and name their audit as `pilot`"
        return answer._replace(reason=why)
    if math.isinf(limit):
        return answer._replace(reason=f"no number of images does: {_TOO_FEW}; add prompts")
    if limit > wanted:
        most = f"with {MOST:,} per prompt the {what} is {limit:.2g}"
        return answer._replace(reason=f"no number of images does: {most}; add prompts")
    fewest = _fewest(lambda n: measure(study.with_images(n), settings) <= wanted)
    return answer._replace(images=fewest)


def _fewest(is_enough: Callable[[int], bool]) -> int:
    most = 1
    while not is_enough(most) and most < MOST:
        most *= 2
    least, most = most // 2, min(most, MOST)
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if is_enough(middle) else (middle, most)
    return most


def _from_pilot(study: Study, goal: SizeGoal, pilot: Pilot) -> _Answer:
    results, images = pilot
    known = [one for one in results.findings_of(study.name) if _has_width(one)]
    scale = kind_of(study).effect
    if goal.effect is not None:
        known = [one for one in known if one.p is not None]
        # Where no test is on the scale that is planned on without a pilot, each is on its own.
        known = [one for one in known if one.statistic == scale] or known
    if not known:
        what = "interval" if goal.width is not None else "test with an interval"
        why = f"the pilot has no {what}; add images to it"
        return _Answer(None, "", why, scale)
    level = results.settings.confidence

    def takes(one: Finding) -> int:
        ends = (float(one.low or 0.0), float(one.high or 0.0))
        return images_from_pilot(
            images, ends, width=goal.width, effect=goal.effect, confidence=level
        )

    def needs(one: Finding) -> int:
        # Fewer images than the pilot's would widen intervals whose units are others, too.
        return takes(one) if one.unit == "image" else images

    beyond = [one for one in known if one.unit != "image" and takes(one) > images]
    within = [one for one in known if one not in beyond]
    scale = ", ".join(dict.fromkeys(one.statistic for one in known))
    answer = _Answer(None, "", _beyond(beyond, goal), scale, tuple(one.question for one in beyond))
    if not within:
        return answer
    worst = max(within, key=needs)
    basis = f"pilot of {images} images per prompt: {worst.question}"
    return answer._replace(images=needs(worst), basis=basis)


def _beyond(findings: Sequence[Finding], goal: SizeGoal) -> str:
    """Say which findings no number of images brings to a goal; "" without one."""
    if not findings:
        return ""
    units = " and ".join(f"{unit}s" for unit in dict.fromkeys(one.unit for one in findings))
    named = []
    for one in findings[:_NAMED]:
        width = float(one.high or 0.0) - float(one.low or 0.0)
        named.append(one.question + (f" ({width:.2f} wide)" if goal.width is not None else ""))
    more = len(findings) - _NAMED
    others = f"; and {more} more" if more > 0 else ""
    return (
        f"no number of images does for {counted(len(findings), 'finding')} whose units are "
        f"{units}: {'; '.join(named)}{others}; add {units}"
    )


def _has_width(one: Finding) -> bool:
    return one.low is not None and one.high is not None and one.high > one.low
