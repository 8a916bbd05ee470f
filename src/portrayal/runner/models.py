"""Which generator and which measurers a session works with: by name, or objects of one's own."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from portrayal.audit import AuditFolder
from portrayal.errors import (
    AuditError,
    GenerationError,
    MissingExtra,
    SettingError,
    is_count,
    shown,
)
from portrayal.generators import (
    Generator,
    absolute,
    checked_settings,
    default_model,
    is_found_by_name,
    is_service,
    open_on,
    portable_name,
)
from portrayal.loading import choose_device, first_line
from portrayal.measurers import (
    CheckedMeasurer,
    Encoder,
    Measurer,
    PeopleEncoder,
    default_measurer,
    open_measurer,
    open_person_detector,
    require_called,
)
from portrayal.records import Identity
from portrayal.runner.engines import EngineSettings
from portrayal.runner.engines.protocol import MeasurersOpener, Opener

_GENERATOR = ("identity", "batch_size", "check", "generate")
_MEASURER = ("identity", "gives", "measure")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Models:
    """Which generator and which measurers, and where they run; nothing is opened yet.

    Attributes:
        generator: A model's name, or an object with the methods of `Generator`; None: that of the
            audit, and of a new audit the installed default.
        settings: Of a generator that is named: steps, guidance, width, device, ...
        measurers: Names, or objects with the methods of `Measurer`, one or several; none: the
            installed default.
        people: A person detector's name, to measure people one by one.
        truncate: Cut texts that are too long for a model.
        engine: Where images are generated.
        calls: Settings of measurers behind a paid service, see `portrayal.measurers.CALL_SETTINGS`.

    Raises:
        SettingError: A value cannot be.
    """

    generator: str | Generator | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    measurers: str | Measurer | Sequence[str | Measurer] = ()
    people: str | None = None
    truncate: bool = False
    engine: EngineSettings = field(default_factory=EngineSettings)
    calls: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given: Any = self.measurers
        alone = isinstance(given, str) or not isinstance(given, Iterable)
        measurers: tuple[Any, ...] = (given,) if alone else tuple(given)
        object.__setattr__(self, "measurers", measurers)
        object.__setattr__(self, "settings", checked_settings(self.settings))
        require_called([one for one in measurers if isinstance(one, str)], self.calls)
        for one in measurers:
            if not isinstance(one, str):
                _require_members("measurers", one, _MEASURER)
                CheckedMeasurer(one)
        if self.generator is not None and not isinstance(self.generator, str):
            _check_generator(self.generator)
        if self.people is not None and not isinstance(self.people, str):
            raise SettingError(
                "people", f"is {shown(self.people)}; allowed: a person detector's name"
            )
        if not isinstance(self.generator, str | None) and (own := {*self.settings} - {"device"}):
            name = min(own)
            raise SettingError(name, "is for a model that is named; set it on your own generator")

    @property
    def device(self) -> str | None:
        """The device in this process; None: the best there is."""
        found: str | None = self.settings.get("device")
        return found

    def settled(self, audit: AuditFolder | None) -> Models:
        """Return these models with the generator that an audit is about, where none was given.

        Raises:
            AuditError: A generator was given, but the audit is about imported images; or none was
                given, and the audit is about one that only its user knows where to find.
            GenerationError: None was given for a new audit, and no installed one is the default.
        """
        if audit is not None and audit.is_imported:
            if self.generator is None:
                return self
            raise AuditError(
                f"{audit.path}: its images were imported, no model makes more; leave out `model`"
            )
        if self.generator is not None:
            return self
        if audit is None:
            return replace(self, generator=default_model())
        if not is_found_by_name(audit.generator):
            raise AuditError(
                f"{audit.path}: this audit is about {audit.generator.name}; name the model again "
                "with `model`"
            )
        return replace(self, generator=audit.generator.name)

    def opener(self) -> Opener:
        """Return what opens the generator, here or elsewhere.

        Raises:
            SettingError: A device and several devices, or an engine for a service.
        """
        settings = {name: value for name, value in self.settings.items() if name != "device"}
        is_here, model = self.engine.is_here, self.generator
        assert model is not None, "settle it first"
        if not is_here and self.device is not None:
            raise SettingError("device", "is for one process; leave it out beside an engine")
        if not isinstance(model, str):
            return partial(_given, one=model if is_here else _sendable("model", model))
        if not is_here:
            if is_service(model):
                raise SettingError(
                    "engine",
                    f"is for models that run on devices; {model} is called from here: leave "
                    "engine and devices out, concurrency is the number of calls at a time",
                )
            settings |= {"lora": [absolute(one) for one in settings.get("lora", ())] or None}
            model = portable_name(model)
        return partial(open_on, model=model, truncate=self.truncate, **settings)

    def measurers_opener(self) -> MeasurersOpener:
        """Return what opens the measurers in the processes of an engine."""
        return partial(
            _opened_measurers,
            measurers=tuple(
                portable_name(one) if isinstance(one, str) else _sendable("measurers", one)
                for one in self._chosen()
            ),
            truncate=self.truncate,
            **self.calls,
        )

    def open_measurers(self) -> list[Measurer]:
        """Open the measurers, on the device that the generator was sent to."""
        return _opened_measurers(
            self.device, measurers=self._chosen(), truncate=self.truncate, **self.calls
        )

    def _chosen(self) -> tuple[str | Measurer, ...]:
        chosen: Any = self.measurers  # a tuple since it was made
        return chosen or (default_measurer(),)

    def open_people(self, measurers: Sequence[Measurer]) -> list[PeopleEncoder]:
        """Open the person detector, if one is wanted; every encoder measures what it finds."""
        if self.people is None:
            return []
        detector = open_person_detector(self.people, device=self.device)
        return [PeopleEncoder(detector, one) for one in measurers if isinstance(one, Encoder)]

    def is_on_gpu(self) -> bool:
        """Tell whether models run on a GPU, where measuring and generating need not take turns."""
        try:
            return choose_device(self.device, error=GenerationError).startswith("cuda")
        except MissingExtra:  # objects of one's own need no torch
            return False


def generator_label(models: Models) -> str:
    """Return what to call the generator in one line."""
    one = models.generator
    return one if isinstance(one, str) else "" if one is None else one.identity.name


def _given(device: str | None, *, one: T) -> T:
    """Return an object of the user's own, which is open already."""
    del device
    return one


def _opened_measurers(
    device: str | None, *, measurers: Sequence[str | Measurer], **settings: Any
) -> list[Measurer]:
    return [
        open_measurer(one, device=device, **settings) if isinstance(one, str) else one
        for one in measurers
    ]


def _require_members(setting: str, one: object, members: Sequence[str]) -> None:
    """Raise where something is no object with these members."""
    absent = [name for name in members if not hasattr(one, name)]
    if isinstance(one, type) or absent == list(members):
        raise SettingError(
            setting, f"is {shown(one)}; allowed: a name, or an object with {', '.join(members)}"
        )
    if absent:
        raise SettingError(
            setting,
            f"is a {type(one).__name__} object without {', '.join(absent)}; it needs "
            f"{', '.join(members)}",
        )


def _check_generator(one: Generator) -> None:
    """Raise where an object is no generator."""
    _require_members("model", one, _GENERATOR)
    what = f"is a {type(one).__name__} object whose"
    identity: object = one.identity
    if not isinstance(identity, Identity):
        raise SettingError(
            "model", f"{what} identity is no Identity; use portrayal.Identity(kind, name)"
        )
    if not is_count(one.batch_size):
        raise SettingError(
            "model", f"{what} batch_size is {one.batch_size!r}; allowed: a whole number, 1 or more"
        )


def _sendable(setting: str, one: T) -> T:
    """Return an object that other processes can be given.

    Raises:
        SettingError: It cannot be pickled.
    """
    try:
        pickle.dumps(one)
    except Exception as error:  # whatever its own reduction raises
        raise SettingError(
            setting,
            f"is a {type(one).__name__} object that cannot be sent to other processes "
            f"({first_line(error)}); leave engine and devices out, or register it under a name",
        ) from error
    return one
