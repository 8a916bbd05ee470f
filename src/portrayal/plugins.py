"""What installed packages bring, found through entry points; ours come through the same door.

    portrayal.kinds        objects of subclasses of `portrayal.kinds.Kind`
    portrayal.generators   `GeneratorKind`: text-to-image models
    portrayal.measurers    `MeasurerKind`: whatever measures images
    portrayal.language     `LanguageKind`: word models, sentence encoders, recognisers of names
    portrayal.studies      packages that contain study files
    portrayal.commands     `CommandGroup`: commands of the command line

The entry point's own name is what a package registers under; each name is taken once per group.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from portrayal.errors import PluginError, PortrayalError, one_of

if TYPE_CHECKING:
    import typer

    from portrayal.records import Identity

GENERATORS = "portrayal.generators"
MEASURERS = "portrayal.measurers"
LANGUAGE = "portrayal.language"
STUDIES = "portrayal.studies"
COMMANDS = "portrayal.commands"

PRACTICE_WORLD = 'the practice world comes with: pip install "portrayal[practice]"'
"""Ends the lines about what nothing installed provides."""

_MODEL_FILES = ("model_index.json", "config.json")
"""What tells a model's folder from one that happens to have the name of an installed model."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedKind(Generic[T]):
    """Something that a user opens by name.

    Attributes:
        written: How a user writes such a name.
        open: Takes the name and settings, returns what was opened.
        names: The names that mean it, where it has names of its own; they are found from anywhere.
        is_meant: Tells whether a name means it; None: where it is one of `names`.
        settings: The names of the settings that `open` takes.
        general: Whether it takes any name. General kinds are asked after all others.
        default: The name that is opened where none is given; "": never.
        identity_kind: The `kind` of the identities of what it opens; "": any.
        valid_for: For what judges images or writes prompts: tells from the identity of a generator,
            or of a corpus of training images, whether it is valid for its images; None: for all.
            The identity of a corpus has `origin` in its settings: who made the images, "" where
            its sources do not say.
        valid_words: For whose images it is valid, in words.
    """

    written: str
    open: Callable[..., T]
    names: tuple[str, ...] = ()
    is_meant: Callable[[str], bool] | None = None
    settings: tuple[str, ...] = ()
    general: bool = False
    default: str = ""
    identity_kind: str = ""
    valid_for: Callable[[Identity], bool] | None = None
    valid_words: str = "all images"

    def means(self, name: str) -> bool:
        """Tell whether a name means this kind."""
        if self.is_meant is not None:
            return self.is_meant(name)
        return self.general or name in self.names

    def made(self, identity: Identity) -> bool:
        """Tell whether an identity is of something that this kind opened."""
        return self.identity_kind in ("", identity.kind) and self.means(identity.name)


K = TypeVar("K", bound=NamedKind[Any])


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Commands that a package adds to the command line.

    Attributes:
        add_to: Called with the app.
        place: Lower comes first in the help.
    """

    add_to: Callable[[typer.Typer], None]
    place: int = 100


@functools.cache
def plugins(group: str, of: type[T]) -> Mapping[str, T]:
    """Return what packages register in a group, by the names of their entry points.

    Args:
        group: The group of entry points.
        of: What has to be registered there.

    Raises:
        PluginError: Two packages register the same name, or what is registered cannot be used.
    """
    found: dict[str, T] = {}
    for point in entry_points(group=group):
        if point.name in found:
            raise PluginError(
                f"two packages register {point.name!r} under {group} "
                f"({point.value} is one of them); uninstall one"
            )
        found[point.name] = _loaded(point, of)
    return found


def _loaded(point: EntryPoint, of: type[T]) -> T:
    try:
        one = point.load()
    except Exception as problem:  # a package of somebody else's: anything may be wrong
        raise PluginError(
            f"{point.value}: registered under {point.group}, but cannot be loaded "
            f"({type(problem).__name__}: {problem}); update or uninstall its package"
        ) from problem
    if not isinstance(one, of):
        raise PluginError(
            f"{point.value}: registered under {point.group}, but is no {of.__name__}; "
            "update or uninstall its package"
        )
    return one


def named_kinds(group: str, of: type[K]) -> list[K]:
    """Return the kinds of a group, those that take any name last."""
    found: Mapping[str, K] = plugins(group, of)  # type: ignore[arg-type]  # classes hash
    return sorted(found.values(), key=lambda kind: kind.general)


def meant(kinds: Iterable[K], name: str) -> K | None:
    """Return the kind that a name means, None where no kind takes it."""
    return next((kind for kind in kinds if name and kind.means(name)), None)


def known(kinds: Sequence[K], name: str, what: str, error: type[PortrayalError]) -> K:
    """Return the kind that a name means; raise where no kind takes it.

    Args:
        kinds: The installed kinds.
        name: What a user asks to open.
        what: What is asked for, in a word.
        error: What to raise.
    """
    kind = meant(kinds, name)
    if kind is None:
        allowed = one_of([one.written for one in kinds])
        raise error(f"there is no {what} {name!r}; allowed: {allowed}")
    return kind


def open_named(
    kinds: Sequence[NamedKind[T]],
    name: str,
    settings: Mapping[str, Any],
    *,
    what: str,
    error: type[PortrayalError],
) -> T:
    """Open what a name means; a setting that is None or off was not mentioned.

    Args:
        kinds: The installed kinds.
        name: What a user asks to open.
        settings: By name.
        what: What is asked for, in a word.
        error: What to raise where nothing answers to the name, or a setting is unknown.
    """
    kind = known(kinds, name, what, error)
    require_own_name(kinds, name, error)
    given = {
        key: value for key, value in settings.items() if value is not None and value is not False
    }
    for key in given:
        if key not in kind.settings:
            allowed = one_of([f"`{one}`" for one in kind.settings]) or "none"
            raise error(f"{name} knows no `{key}`; allowed: {allowed}")
    return kind.open(name, **given)


def require_own_name(kinds: Iterable[K], name: str, error: type[PortrayalError]) -> None:
    """Raise where a folder of one's own has the name of something installed.

    What is opened from a folder has the folder's name: it would be taken for the installed one,
    with that one's defaults and what it is valid for.

    Args:
        kinds: The installed kinds.
        name: What a user asks to open.
        error: What to raise.
    """
    folder = Path(name).expanduser()
    called = folder.resolve().name
    own = meant((kind for kind in kinds if not kind.general), called)
    if own is None or not folder.is_dir():
        return
    if name != called or any((folder / file).is_file() for file in _MODEL_FILES):
        raise error(
            f"{folder}: {called} is the name of an installed model, and a folder of that name "
            "would be taken for it; rename the folder"
        )


def maker(kinds: Iterable[K], identity: Identity) -> K | None:
    """Return the kind that opened what has this identity, None where none did."""
    return next((kind for kind in kinds if kind.made(identity)), None)


def default_name(kinds: Iterable[NamedKind[Any]]) -> str:
    """Return the name to open where none is given; "" unless exactly one kind declares one."""
    declared = [kind.default for kind in kinds if kind.default]
    return declared[0] if len(declared) == 1 else ""


def is_valid(kinds: Iterable[NamedKind[Any]], identity: Identity, generator: Identity) -> bool:
    """Tell whether what has this identity is valid for the images of a generator."""
    kind = maker(kinds, identity)
    return kind is None or kind.valid_for is None or kind.valid_for(generator)


def validity(kinds: Iterable[NamedKind[Any]], identity: Identity) -> str:
    """Say whose images something is valid for: `NAME is valid for all images`."""
    kind = maker(kinds, identity)
    return f"{identity.name} is valid for {kind.valid_words if kind else 'all images'}"


def registered_names() -> frozenset[str]:
    """Return the names of models and measurers that mean the same in every folder and process."""
    return frozenset(
        name
        for group in (GENERATORS, MEASURERS)
        for kind in plugins(group, NamedKind).values()
        for name in kind.names
    )


def hint_for(name: str) -> str:
    """Return what may have been meant by a name that nothing answers to, as the end of a line."""
    near = difflib.get_close_matches(name, sorted(registered_names()), n=1, cutoff=0.7)
    if near:
        return f"; did you mean {near[0]}?"
    has_default = any(kind.default for kind in plugins(GENERATORS, NamedKind).values())
    return "" if has_default else f"; {PRACTICE_WORLD}"
