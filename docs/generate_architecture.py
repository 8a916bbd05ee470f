"""Draw the picture of docs/architecture.md from the real imports.

    python docs/generate_architecture.py

Only syntax trees are read. A test fails when the page is stale.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from graphlib import TopologicalSorter
from pathlib import Path

from structure import CORE, PRACTICE, ROOT, Checkout, imported

PAGE = Path(__file__).parent / "architecture.md"
START, END = "<!-- picture: begin -->", "<!-- picture: end -->"
OUTSIDE = {"__init__", "__main__"}
"""The public names and the command's entry; they reach into everything."""

Graph = Mapping[str, set[str]]


def imports(root: Path = ROOT) -> dict[str, set[str]]:
    """Return which packages and root modules each of them imports, wherever the import is."""
    checkout = Checkout(root)
    found: dict[str, set[str]] = {}
    for module in checkout.modules:
        if module.package in OUTSIDE:
            continue
        own = found.setdefault(module.package, set())
        for node in ast.walk(module.tree):
            for target in imported(checkout, module, node):
                if target[0] == CORE and len(target) > 1:
                    own.add(target[1])
                elif target[0] == PRACTICE:
                    own.add(PRACTICE)
        own.discard(module.package)
    return found


def reduced(graph: Graph) -> dict[str, set[str]]:
    """Return the graph without the edges that follow from others.

    Raises:
        graphlib.CycleError: Imports go round in a circle.
    """
    below: dict[str, set[str]] = {}
    for node in TopologicalSorter(graph).static_order():
        near = graph.get(node, set())
        below[node] = near.union(*(below[one] for one in near))
    return {
        node: {one for one in near if not any(one in below[other] for other in near)}
        for node, near in graph.items()
    }


def mermaid(graph: Graph) -> str:
    """Return a graph as Mermaid text."""
    lines = ["```mermaid", "graph TD"]
    for node, near in sorted(graph.items()):
        lines += [f"  {node} --> {one}" for one in sorted(near)]
    return "\n".join([*lines, "```"])


def page(text: str, root: Path = ROOT) -> str:
    """Return the page's text with the picture of today between the marks."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{mermaid(reduced(imports(root)))}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
