"""What a study needs beside a generator and a measurer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that has to be there before images are generated.

    Attributes:
        what: "weights", "extra", "detector", "word model", "captions", "audit",
            "training images", "disk".
        name: Which one, or how much.
        is_there: Whether it is.
        fix: What to do where it is not.
    """

    what: str
    name: str
    is_there: bool
    fix: str

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)

    def sentence(self) -> str:
        """Say it in one line."""
        state = "available" if self.is_there else f"missing; {self.fix}"
        return f"{self.what}: {self.name}: {state}"


def extra(name: str, *modules: str) -> Requirement:
    """Return the need of an extra of portrayal, which brings these modules."""
    there = all(find_spec(module) is not None for module in modules)
    return Requirement("extra", name, there, f'pip install "portrayal[{name}]"')


def weights(what: str, name: str, *, installed: Collection[str] = ()) -> Requirement:
    """Return the need of a model's files: an installed one, a folder, or one from the Hub.

    Args:
        what: What it is for.
        name: The model.
        installed: Names of models that packages bring.
    """
    there = bool(name) and (name in installed or Path(name).expanduser().is_dir())
    there = there or _is_cached(name)
    fix = f"name a folder, or let the first run download {name}" if name else "name one"
    return Requirement(what, name or "none is named", there, fix)


def _is_cached(name: str) -> bool:
    if "/" not in name or find_spec("huggingface_hub") is None:
        return False
    import huggingface_hub

    found = huggingface_hub.try_to_load_from_cache(name, "config.json")
    return isinstance(found, str)
