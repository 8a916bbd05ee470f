"""What the verbs are asked to do, and with which model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from portrayal.audit import Audit
from portrayal.errors import AuditError, GenerationError, NotAnAudit
from portrayal.generators import Generator, default_model
from portrayal.generators.adapters import absolute
from portrayal.generators.registry import is_found_by_name, is_service, open_on, portable_name
from portrayal.loading.devices import choose_device
from portrayal.measurers import Encoder, default_encoder, open_encoder
from portrayal.measurers.people import PeopleEncoder
from portrayal.measurers.person_detectors import open_person_detector
from portrayal.measurers.registry import open_encoders_on
from portrayal.runner.engines import EngineSettings
from portrayal.runner.engines.protocol import MeasurersOpener, Opener
from portrayal.studies.schema import Study

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a verb is asked to do: which studies, with which model, in which folder."""

    out: Path
    studies: tuple[Study, ...]
    model: str = ""
    """As `open_generator` takes it; "": the installed default."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    encoders: tuple[str, ...] = ()
    """As `open_encoder` takes them; none: the installed default."""
    truncate: bool = False
    corpus: Path | None = None
    """The model's training data, for studies that compare with it."""
    people: str | None = None
    """A person detector, to look at people one by one."""
    engine: EngineSettings = field(default_factory=EngineSettings)
    """Where the images are made."""

    def prompts(self) -> list[str]:
        """Return every prompt text, once."""
        return list(dict.fromkeys(prompt.text for s in self.studies for prompt in s.prompts()))

    def opener(self) -> Opener:
        """Return what loads the model, here or elsewhere.

        Raises:
            GenerationError: A device and several devices, or an engine for a service.
        """
        settings = dict(self.settings)
        device = settings.pop("device", None)
        if not self.engine.is_here:
            if device is not None:
                raise GenerationError("--device is for one process; leave it out beside an engine")
            if is_service(self.model or default_model()):
                raise GenerationError(
                    f"{self.model} is called from here; leave --engine and --devices out, "
                    "--concurrency is the number of calls at a time"
                )
            settings |= {"lora": [absolute(one) for one in settings.get("lora", ())] or None}
        model = self.model or default_model()
        model = model if self.engine.is_here else portable_name(model)
        return partial(open_on, model=model, truncate=self.truncate, **settings)

    def look(self) -> MeasurersOpener:
        """Return what loads the encoders in the processes of an engine."""
        names = tuple(portable_name(name) for name in self._encoder_names())
        return partial(open_encoders_on, names=names, truncate=self.truncate)

    def generator(self) -> Generator:
        """Load the model in this process."""
        return self.opener()(self.settings.get("device"))

    def is_on_gpu(self) -> bool:
        """Tell whether models run on a GPU, where looking and painting need not take turns."""
        return choose_device(self.settings.get("device"), error=GenerationError).startswith("cuda")

    def people_encoders(self, encoders: Sequence[Encoder]) -> list[PeopleEncoder]:
        """Load the person detector, if one is wanted; every encoder looks at what it finds."""
        if self.people is None:
            return []
        detector = open_person_detector(self.people, device=self.settings.get("device"))
        return [PeopleEncoder(detector, encoder) for encoder in encoders]

    def open_encoders(self) -> list[Encoder]:
        """Load the encoders, on the device that the model was sent to."""
        device = self.settings.get("device")
        return [
            open_encoder(name, truncate=self.truncate, device=device)
            for name in self._encoder_names()
        ]

    def _encoder_names(self) -> tuple[str, ...]:
        return self.encoders or (default_encoder(),)


def model_for(out: Path, model: str | None) -> str:
    """Return the model that was named, or that of the audit where its name alone finds it.

    Raises:
        AuditError: A model was named, but the audit is about imported images; or none was named,
            and the audit is about a model that only its user knows where to find.
        GenerationError: None was named for a new audit, and no installed one is the default.
    """
    if is_imported(out):
        if model is None:
            return ""
        raise AuditError(f"{out}: its images were imported, no model makes more; leave out --model")
    if model is not None:
        return model
    try:
        own = Audit(out).generator
    except NotAnAudit:
        return default_model()
    if not is_found_by_name(own):
        raise AuditError(
            f"{out}: this audit is about {own.name}; name the model again with --model"
        )
    return own.name


def is_imported(out: Path) -> bool:
    """Tell whether an audit's images came from a folder instead of a model."""
    try:
        return Audit(out).generator.kind == "folder"
    except NotAnAudit:
        return False
