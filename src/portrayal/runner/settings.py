"""Settings that are given by keyword: sorted by what they are for, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from portrayal.errors import SettingError, one_of, shown
from portrayal.generators import generator_kinds
from portrayal.measurers import CALL_SETTINGS
from portrayal.progress import OnProgress, no_progress
from portrayal.runner.engines import EngineSettings
from portrayal.runner.models import Models
from portrayal.runner.session import place
from portrayal.studies import did_you_mean


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a run goes on, whichever model it is about.

    Attributes:
        truncate: Cut texts that are too long for a model.
        retry_failed: Generate again what failed in an earlier run.
        people: A person detector's name, to measure people one by one.
        real_world: A file of real-world shares, a second baseline for amplification studies.
        until: Generate in rounds and stop early: "decided" or "width=0.1"; None: all images.
        on_progress: Called with what is being done, how much is done, and how much there is.

    Raises:
        SettingError: A value cannot be.
    """

    truncate: bool = False
    retry_failed: bool = False
    people: str | None = None
    real_world: Path | None = None
    until: str | None = None
    on_progress: OnProgress = no_progress

    def __post_init__(self) -> None:
        for name in ("truncate", "retry_failed"):
            if not isinstance(value := getattr(self, name), bool):
                raise SettingError(name, f"is {shown(value)}; allowed: True, False")
        if self.real_world is not None:
            file = place("real_world", self.real_world, what="the path of a file")
            object.__setattr__(self, "real_world", Path(file))
        given: object = self.on_progress
        if not callable(given):
            raise SettingError(
                "on_progress", f"is {shown(given)}; allowed: a function of (what, done, total)"
            )


@dataclass(frozen=True, slots=True)
class SortedSettings:
    """Settings by what they are for.

    Attributes:
        model: Of the generator.
        engine: Where images are generated.
        run: How the run goes on.
        others: Those that the caller knows.
        calls: Of measurers behind a paid service.
    """

    model: Mapping[str, Any]
    engine: EngineSettings
    run: RunSettings
    others: Mapping[str, Any]
    calls: Mapping[str, Any]

    @classmethod
    def of(
        cls, given: Mapping[str, Any], *, others: Sequence[str] = (), named: Sequence[str] = ()
    ) -> SortedSettings:
        """Sort settings.

        Args:
            given: By name; None: as if it were not given.
            others: Names that the caller knows.
            named: The caller's parameters, which may have been meant.

        Raises:
            SettingError: One is unknown, or has a value that it cannot have.
        """
        ours = [one.name for one in fields(RunSettings)]
        engine = [one.name for one in fields(EngineSettings)]
        models = [name for kind in generator_kinds() for name in kind.settings]
        known = list(dict.fromkeys([*others, *ours, *models, *engine, *CALL_SETTINGS]))
        for name in given:
            if name not in known:
                meant = did_you_mean(name, [*named, *known])
                raise SettingError(name, f"is no setting{meant}; allowed: {one_of(known)}")
        there = {name: value for name, value in given.items() if value is not None}

        def chosen(names: Sequence[str]) -> dict[str, Any]:
            return {name: value for name, value in there.items() if name in names}

        for_models = [name for name in models if name not in (*ours, *others)]
        return cls(
            chosen(for_models), EngineSettings(**chosen(engine)), RunSettings(**chosen(ours)),
            chosen(others), chosen(CALL_SETTINGS),
        )  # fmt: skip

    def models(self, generator: Any, measurers: Any) -> Models:
        """Return the models that a session works with.

        Raises:
            SettingError: One of them cannot be.
        """
        return Models(
            generator, self.model, measurers, people=self.run.people,
            truncate=self.run.truncate, engine=self.engine, calls=self.calls,
        )  # fmt: skip
