"""Measure the structure of the source, here or in another checkout.

    python docs/structure.py                      this checkout
    python docs/structure.py ../before . --json   two checkouts, with every place that was counted

Only syntax trees are read and nothing of portrayal is imported, so an older checkout can be
measured too. Names of modules in strings (lazy imports, entry points) are not counted.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE, PRACTICE = "portrayal", "portrayal_practice"
SOURCES = {CORE: Path("src") / CORE, PRACTICE: Path("practice/src") / PRACTICE}

# Until 0.1 the practice world and its calibration were packages of the core, study classes were
# in `study`, and the kernels in `generation/fast`.
APART = ("practice", "calibration")
KINDS = {"kinds", "study"}
KERNELS = {("generators", "hopper"), ("generation", "fast")}
ROOT_MODULES = "(root modules)"
MOST_PARAMETERS = 7

COUNTS = {
    "imports": "cross-package imports into submodules",
    "isinstance": "isinstance on study classes outside kinds",
    "parameters": "functions with more than 7 parameters",
    "class_names": "class names used twice in the core",
    "class_names_with_practice": "the same with the practice world",
}


@dataclass(frozen=True)
class Module:
    """A module and its syntax tree.

    Attributes:
        path: Within the checkout.
        parts: The dotted name, in parts; a package's own module ends with `__init__`.
        lines: How many lines the file has.
        tree: The syntax tree.
    """

    path: Path
    parts: tuple[str, ...]
    lines: int
    tree: ast.Module

    @property
    def package(self) -> str:
        """The top-level package or root module; the practice distribution is one package."""
        return self.parts[1] if self.parts[0] == CORE else PRACTICE

    @property
    def room(self) -> str:
        """Where its lines are counted."""
        if self.parts[0] == PRACTICE:
            return "calibration" if self.parts[1] == "calibration" else "practice"
        return self.parts[1] if len(self.parts) > 2 else ROOT_MODULES

    @property
    def is_core(self) -> bool:
        """Whether it is neither of the practice world nor of its calibration."""
        return self.room not in APART

    def place(self, node: ast.AST, what: str) -> str:
        """Return a line that says where something was found."""
        return f"{self.path.as_posix()}:{getattr(node, 'lineno', 1)}: {what}"


class Checkout:
    """The modules of a checkout.

    Attributes:
        modules: All of them, sorted by path.
    """

    def __init__(self, root: Path) -> None:
        """Read every module below `root`.

        Raises:
            FileNotFoundError: `root` has no src/portrayal.
        """
        if not (root / SOURCES[CORE]).is_dir():
            raise FileNotFoundError(f"{root}: no {SOURCES[CORE].as_posix()} here; give a checkout")
        self.modules: list[Module] = []
        for name, source in SOURCES.items():
            for path in sorted((root / source).rglob("*.py")):
                text = path.read_text(encoding="utf-8")
                parts = (name, *path.relative_to(root / source).with_suffix("").parts)
                module = Module(path.relative_to(root), parts, text.count("\n"), ast.parse(text))
                self.modules.append(module)
        self._by_name = {module.parts: module for module in self.modules}
        self._stubs = {parts: _stub(root / module.path) for parts, module in self._by_name.items()}

    def is_package(self, parts: tuple[str, ...]) -> bool:
        """Say whether a dotted name is a package."""
        return (*parts, "__init__") in self._by_name

    def is_module(self, parts: tuple[str, ...]) -> bool:
        """Say whether a dotted name is a module or a package."""
        return parts in self._by_name or self.is_package(parts)

    def is_facade(self, parts: tuple[str, ...]) -> bool:
        """Say whether other packages may import a module: a top-level one, or a kind of study."""
        is_kind = len(parts) == 3 and parts[:2] == (CORE, "kinds") and self.is_package(parts)
        return is_kind or len(parts) <= (2 if parts[0] == CORE else 1)

    def offers(self, package: tuple[str, ...], name: str) -> bool:
        """Say whether a package gives a name itself, so that no submodule is meant by it."""
        parts = (*package, "__init__")
        module = self._by_name.get(parts)
        return module is not None and name in {
            *_offered(module.tree), *_offered(self._stubs[parts])
        }  # fmt: skip


def _stub(path: Path) -> ast.Module:
    """Return the stub beside a module, which lists what a lazy façade offers; empty: there is none.

    A submodule that is listed there (`from . import wording as wording`) is offered on purpose.
    """
    stub = path.with_suffix(".pyi")
    return ast.parse(stub.read_text(encoding="utf-8") if stub.is_file() else "")


def _offered(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a package's own module binds or lists in `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            yield from names
            if "__all__" in names and node.value is not None:
                constants = (n for n in ast.walk(node.value) if isinstance(n, ast.Constant))
                yield from (n.value for n in constants if isinstance(n.value, str))


def deep_imports(checkout: Checkout) -> Iterator[str]:
    """Yield imports of a submodule of another package, past that package's own module.

    `from package import submodule` is one of them unless the package offers the name.
    """
    for module in checkout.modules:
        for node in ast.walk(module.tree):
            for target in imported(checkout, module, node):
                ours = target[0] in SOURCES and len(target) > 1
                package = target[1] if ours and target[0] == CORE else target[0]
                if ours and package != module.package and not checkout.is_facade(target):
                    yield module.place(node, ".".join(target))


def imported(checkout: Checkout, module: Module, node: ast.AST) -> Iterator[tuple[str, ...]]:
    """Yield the modules that a statement imports, as parts of dotted names."""
    if isinstance(node, ast.Import):
        yield from (tuple(alias.name.split(".")) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = module.parts[: -node.level] if node.level else ()
        start = (*above, *(node.module.split(".") if node.module else ()))
        names = {alias.name for alias in node.names}
        submodules = {
            name
            for name in names
            if checkout.is_module((*start, name)) and not checkout.offers(start, name)
        }
        yield from ((*start, name) for name in sorted(submodules))
        if names - submodules:
            yield start


def study_tests(checkout: Checkout) -> Iterator[str]:
    """Yield questions outside kinds about which kind a study is.

    They are `isinstance`, `issubclass` and `case` with a class named `...Study`. `Study` itself
    is not counted: it tells a study from a name or a path, not one kind from another.
    """
    for module in checkout.modules:
        if module.package in KINDS:
            continue
        for node in ast.walk(module.tree):
            classes: ast.expr | None = None
            if isinstance(node, ast.MatchClass):
                classes = node.cls
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"isinstance", "issubclass"}
                and len(node.args) == 2
            ):
                classes = node.args[1]
            if classes is not None and any(map(_is_kind_of_study, ast.walk(classes))):
                yield module.place(node, ast.unparse(node))


def _is_kind_of_study(node: ast.AST) -> bool:
    name = getattr(node, "attr", getattr(node, "id", ""))
    return name.endswith("Study") and name != "Study"


def long_signatures(checkout: Checkout) -> Iterator[str]:
    """Yield functions with too many parameters, outside `cli` and the kernels.

    A method's first parameter is not counted, nor are `*args` and `**kwargs`.
    """
    for module in checkout.modules:
        if module.package == "cli" or module.parts[1:3] in KERNELS:
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
                count = len(names) + len(node.args.kwonlyargs)
                count -= names[:1] in (["self"], ["cls"])
                if count > MOST_PARAMETERS:
                    yield module.place(node, f"{node.name} has {count}")


def shared_class_names(modules: Iterable[Module]) -> Iterator[str]:
    """Yield the names that more than one class has, with the classes' places."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{module.path.as_posix()}:{node.lineno}")
    for name, found in sorted(places.items()):
        if len(found) > 1:
            yield f"{name}: {', '.join(found)}"


@dataclass(frozen=True)
class Structure:
    """What is measured of a checkout.

    Attributes:
        lines: Per package, and under `core` without the practice world and its calibration.
        places: What was counted, for each of `COUNTS`.
    """

    lines: dict[str, int]
    places: dict[str, list[str]]


def structure(root: Path) -> Structure:
    """Measure the checkout in a folder.

    Raises:
        FileNotFoundError: `root` has no src/portrayal.
    """
    checkout = Checkout(root)
    lines: Counter[str] = Counter()
    for module in checkout.modules:
        lines[module.room] += module.lines
    core = [module for module in checkout.modules if module.is_core]
    return Structure(
        lines={**dict(sorted(lines.items())), "core": sum(module.lines for module in core)},
        places={
            "imports": list(deep_imports(checkout)),
            "isinstance": list(study_tests(checkout)),
            "parameters": list(long_signatures(checkout)),
            "class_names": list(shared_class_names(core)),
            "class_names_with_practice": list(shared_class_names(checkout.modules)),
        },
    )


def table(roots: list[Path]) -> str:
    """Return an aligned table with a column per checkout."""
    measured = [structure(root) for root in roots]
    rooms = sorted({room for found in measured for room in found.lines} - {*APART, "core"})
    rows = [("lines per package", *(str(root) for root in roots))]
    for room in (*rooms, "core", *APART):
        label = "core, without the two below" if room == "core" else room
        rows.append((label, *(_number(found.lines.get(room)) for found in measured)))
    rows.append(("counts", *("" for _ in roots)))
    for key, label in COUNTS.items():
        rows.append((label, *(_number(len(found.places[key])) for found in measured)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    )


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def main() -> None:
    """Print the structure of the checkouts that are named."""
    parser = argparse.ArgumentParser(description="Measure the structure of the source.")
    parser.add_argument("checkout", nargs="*", type=Path, help="folders (default: this checkout)")
    parser.add_argument("--json", action="store_true", help="print JSON, with every place")
    asked = parser.parse_args()
    roots = asked.checkout or [ROOT]
    try:
        if asked.json:
            print(json.dumps({str(root): asdict(structure(root)) for root in roots}, indent=2))
        else:
            print(table(roots))
    except FileNotFoundError as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
