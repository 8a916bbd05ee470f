"""A rules file: what an audit has to keep to, as limits on interval bounds."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from portrayal.errors import RuleError
from portrayal.studies import StudyPart, Word, study_error

Finite = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]

_ABOUT = ("statistic", "change_of", "requests")
_LIMITS = ("between", "at_least", "at_most", "ratio_at_most")


class Rule(StudyPart):
    """One rule: what it is about, and its limits.

    Attributes:
        name: What it is called in the output; unique within a file.
        statistic: About findings of this statistic, such as "group share".
        change_of: About differences from the baseline, such as "group share" or "refused".
        requests: About requests that ended so: "refused" or "failed".
        where: Fields or details that a finding or difference has to have: `{group = "woman"}`.
        by: With `requests`: compare prompts that name different groups of this axis.
        between: Lower and upper limit.
        at_least: Lower limit.
        at_most: Upper limit; of a change, in either direction.
        ratio_at_most: With `by`: no group's share may be so many times another's.
        ignore_below: With `ratio_at_most`: pairs whose shares both lie below this are not compared.
    """

    name: Word
    statistic: Word | None = None
    change_of: Word | None = None
    requests: Literal["refused", "failed"] | None = None
    where: Mapping[str, str | list[str]] = Field(default_factory=dict)
    by: Word | None = None
    between: tuple[Finite, Finite] | None = None
    at_least: Finite | None = None
    at_most: Finite | None = None
    ratio_at_most: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    ignore_below: Share = 0.01

    @model_validator(mode="after")
    def _whole(self) -> Rule:
        given = [name for name in _ABOUT if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"has {given or 'none'} of {', '.join(_ABOUT)}; give one of them")
        limits = [name for name in _LIMITS if getattr(self, name) is not None]
        if not limits or (len(limits) > 1 and set(limits) != {"at_least", "at_most"}):
            raise ValueError(f"has the limits {limits or 'none'}; give one of {', '.join(_LIMITS)}")
        if (self.ratio_at_most is None) != (self.by is None) or (self.by and not self.requests):
            raise ValueError("by and ratio_at_most belong together, in a rule about requests")
        if self.change_of is not None and (self.at_most is None or self.at_most <= 0):
            raise ValueError("about a change needs at_most, above 0: how far it may be moved")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"has limits from {self.low:g} to {self.high:g}; the lower one first")
        if self.is_share and any(abs(one) > 1 for one in (self.low, self.high) if one is not None):
            raise ValueError("is about a share, from 0 to 1: write 0.2 for 20%")
        return self

    @property
    def about(self) -> str:
        """The statistic, or the way in which requests end."""
        return self.statistic or self.change_of or self.requests or ""

    @property
    def is_share(self) -> bool:
        """Whether its numbers are shares."""
        return self.ratio_at_most is None and (
            self.about.endswith("share") or self.about in ("refused", "failed", "unknown")
        )

    @property
    def low(self) -> float | None:
        """The lower limit; None: there is none."""
        if self.change_of is not None and self.at_most is not None:
            return -self.at_most
        return self.between[0] if self.between else self.at_least

    @property
    def high(self) -> float | None:
        """The upper limit; None: there is none."""
        return self.between[1] if self.between else self.at_most or self.ratio_at_most


class Rules(StudyPart):
    """A rules file."""

    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _named_once(self) -> Rules:
        names = [rule.name for rule in self.rules]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two rules are called {name!r}; give each a name of its own")
        return self


def read_rules(source: str | Path | Mapping[str, Any]) -> Rules:
    """Read rules from a TOML file, or from the same as a mapping.

    Raises:
        RuleError: There is no such file, or something in it is wrong.
    """
    if isinstance(source, Mapping):
        data, where = dict(source), "rules"
    else:
        data, where = _read(Path(source)), str(source)
    try:
        return Rules.model_validate(data)
    except ValidationError as error:
        line = study_error(error, source=where, model=Rules, raw=data)
        raise RuleError(str(line)) from error


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RuleError(
            f"{file}: no such file; write a starter with: portrayal check AUDIT --init"
        ) from None
    except (OSError, ValueError) as error:
        raise RuleError(f"{file}: cannot be read as TOML: {error}") from error
