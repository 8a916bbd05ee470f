"""Adding images until questions are answered: looks at fixed sizes up to a maximum.

A session with a `Stopping` starts at the first size. After each round its images are measured and
analyzed, which is a planned look; prompts whose questions are all answered get no more images.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from portrayal.errors import SettingError, is_count, is_number, shown
from portrayal.findings import Finding, Results, counted
from portrayal.kinds import kind_of
from portrayal.runner.looks import Stage
from portrayal.runner.session import Session
from portrayal.statistics import look_sizes
from portrayal.studies import Study

DECIDED = "decided"
_ALLOWED = "allowed: decided, or width=W with W above 0, such as width=0.1"


@dataclass(frozen=True, slots=True)
class Until:
    """When a question is answered.

    Attributes:
        width: The interval is at most this wide; None: the test is significant after correction.
    """

    width: float | None = None

    @classmethod
    def read(cls, text: object) -> Until:
        """Read `decided` or `width=0.1`.

        Raises:
            SettingError: It is neither.
        """
        if isinstance(text, cls):
            return text
        if text == DECIDED:
            return cls()
        name, _, value = str(text).partition("=")
        try:
            width = float(value)
        except ValueError:
            width = math.nan
        if name.strip() == "width" and is_number(width) and 0 < width < math.inf:
            return cls(width)
        raise SettingError("until", f"is {shown(text)}; {_ALLOWED}")

    def check(self, studies: Sequence[Study]) -> None:
        """Refuse a width that every interval has before there is an image.

        Raises:
            SettingError: It is wider than the range of a study's estimates.
        """
        for study in studies:
            most = kind_of(study).full_width(study)
            if self.width is not None and self.width > most:
                raise SettingError(
                    "until",
                    f"is {self}, and intervals of {study.name} ({study.kind}) are at most {most:g} "
                    f"wide; allowed: a width in the estimates' own unit, such as "
                    f"width={most / 10:g}",
                )

    def is_answered(self, finding: Finding, level: float) -> bool:
        """Tell whether a finding is answered, all looks counted."""
        if self.width is None:
            # A single unplanned look does not decide: more looks may follow.
            return finding.p_looks is not None and finding.is_clear(level)
        if finding.low_looks is None or finding.high_looks is None:
            return False
        return finding.high_looks - finding.low_looks <= self.width

    def asks(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings that images are added for.

        Those with a test, or with an interval. One without an answer is waited for, unless no image
        counts for it or others of its kind are not asked about either.
        """
        own = [one for one in findings if (one.p if self.width is None else one.low) is not None]
        known = {(one.study, one.statistic) for one in own}
        studies = {one.study for one in own}
        return [
            one
            for one in findings
            if one in own
            or (
                one.reason
                and one.n > 0
                and ((one.study, one.statistic) in known or one.study not in studies)
            )
        ]

    def __str__(self) -> str:
        return DECIDED if self.width is None else f"width={self.width:g}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What `--until` came to.

    Attributes:
        until: What was waited for.
        looks: How many looks there were.
        images: Images that the studies have now.
        maximum: Images that they would have had at most.
        answered: The findings that are answered.
        open: Those that are not, at the maximum.
        allowed: Images that were allowed, where the studies ask for fewer; None: the maximum.
    """

    until: Until
    looks: int
    images: int
    maximum: int
    answered: tuple[Finding, ...]
    open: tuple[Finding, ...]
    allowed: int | None = None

    @property
    def saved(self) -> int:
        """Images that were not needed."""
        return self.maximum - self.images

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready copy."""
        return {
            "until": str(self.until),
            "looks": self.looks,
            "images": self.images,
            "maximum": self.maximum,
            "saved": self.saved,
            "answered": [_named(one) for one in self.answered],
            "open": [_named(one) for one in self.open],
        }

    def sentences(self) -> list[str]:
        """Say what was answered, what was not, and what was saved."""
        total = len(self.answered) + len(self.open)
        what = "decided" if self.until.width is None else f"at most {self.until.width:g} wide"
        share = f" ({100 * self.images / self.maximum:.0f}%)" if self.maximum else ""
        said = [
            f"{len(self.answered)} of {counted(total, 'question')} {what} after "
            f"{counted(self.looks, 'look')}, all looks counted",
            f"{self.images:,} of at most {self.maximum:,} images{share}; {self.saved:,} saved",
        ]
        if self.open:
            still = "undecided" if self.until.width is None else "wider"
            said.append(f"{still} at the maximum: {_listed(self.open)}")
        if self.open and self.allowed is not None:
            said.append(
                f"the maximum of {self.maximum:,} images is what the study asks for, fewer than "
                f"the {self.allowed:,} allowed; ask for more images per prompt to continue"
            )
        return said


class Stopping:
    """The planned looks of a session.

    Args:
        session: The session; its studies are set to the size of the first look.
        until: When a question is answered.
        max_images: Most images in all, where the studies ask for more.

    Raises:
        SettingError: There is no generator to add images, or too few images to look at.
    """

    def __init__(self, session: Session, until: Until, *, max_images: int | None = None) -> None:
        if session.is_imported:
            raise SettingError(
                "until", f"adds images, and those of {session.path} were imported; use analyze"
            )
        until.check(session.studies)
        self.until = until
        self._full = {study.name: study for study in capped(session.studies, max_images)}
        self._sizes = {
            name: _ahead(look_sizes(study.images), study, session.remembered().get(name))
            for name, study in self._full.items()
        }
        self._maximum = sum(_images(study) for study in self._full.values())
        more = max_images is not None and max_images > self._maximum
        self._allowed = max_images if more else None
        session.studies = tuple(
            study.at_stage(self._sizes[study.name][0]) for study in self._full.values()
        )

    def planned(self, studies: Sequence[Study]) -> dict[str, Stage]:
        """Return which planned look this is, by study."""
        return {
            study.name: Stage(study.images, self._full[study.name].images)
            for study in studies
            if study.name in self._full
        }

    def advance(self, session: Session, results: Results) -> bool:
        """Give more images to prompts with open questions; return whether any gets some.

        Args:
            session: The session; its studies are set to the size of the next look.
            results: What this look has shown.
        """
        grown = tuple(self._next(study, results) for study in session.studies)
        if grown == session.studies:
            return False
        session.studies = grown
        return True

    def outcome(self, session: Session, results: Results) -> Outcome:
        """Say what was answered and what was saved."""
        names = {study.name for study in session.studies}
        asked = self.until.asks([one for one in results.findings if one.study in names])
        answered = [one for one in asked if self.until.is_answered(one, results.level)]
        images = sum(_images(study) for study in session.studies)
        still = [one for one in asked if one not in answered]
        looks = max((one.look for one in asked), default=0)  # those of earlier sessions, too
        return Outcome(
            self.until, looks, images, self._maximum, tuple(answered), tuple(still), self._allowed
        )

    def _next(self, study: Study, results: Results) -> Study:
        kind = kind_of(study)
        asked = self.until.asks(results.findings_of(study.name))
        if not asked:
            test = "test" if self.until.width is None else "interval"
            raise SettingError("until", f"is {self.until}; {study.name} has no {test} to wait for")
        still = [one for one in asked if not self.until.is_answered(one, results.level)]
        wanting = {text for one in still for text in kind.prompts_of(study, one)}
        later = [size for size in self._sizes[study.name] if size > study.images]
        if not later or not wanting:
            return study
        prompts = study.prompts()
        fewer = {one.text: one.images for one in prompts if one.text not in wanting}
        # The full study goes to the next size, so that proportions are always of its own numbers.
        larger = self._full[study.name].at_stage(later[0])
        carried: Study = kind.carry_over(larger, study)
        return carried.model_copy(update={"fewer": fewer})


def capped(studies: Sequence[Study], max_images: int | None) -> tuple[Study, ...]:
    """Return studies that want at most so many images in all, each in proportion.

    Raises:
        SettingError: That is no number, or less than two images per prompt.
    """
    if max_images is None:
        return tuple(studies)
    wanted = sum(_images(study) for study in studies)
    if not is_count(max_images):
        raise SettingError("max_images", f"is {shown(max_images)}; allowed: a whole number above 0")
    if wanted <= max_images:
        return tuple(studies)
    found = []
    for study in studies:
        images = math.floor(study.images * max_images / wanted)
        least = math.ceil(2 * wanted / study.images)
        if images < 2:
            raise SettingError(
                "max_images", f"is {max_images}; allowed: {least} or more, two per prompt"
            )
        found.append(study.at_stage(images))
    return tuple(found)


def _ahead(sizes: Sequence[int], study: Study, before: Study | None) -> tuple[int, ...]:
    """Return the sizes of looks still to come; what was asked for before has been looked at."""
    if before is None or before.wording() != study.wording():
        return tuple(sizes)
    return tuple(size for size in sizes if size >= before.images) or (sizes[-1],)


def _images(study: Study) -> int:
    return sum(prompt.images for prompt in study.prompts()) + study.undrawn().images


def _named(finding: Finding) -> dict[str, object]:
    return {"study": finding.study, "question": finding.question, "estimate": finding.estimate}


def _listed(findings: Sequence[Finding], most: int = 3) -> str:
    names = [one.asked for one in findings[:most]]
    more = len(findings) - len(names)
    return "; ".join(names) + (f"; and {more} more" if more else "")
