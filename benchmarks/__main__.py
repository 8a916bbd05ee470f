"""Run every benchmark of this folder and print its table: `python -m benchmarks [NAME ...]`.

A benchmark is a module here with a function `main()` that prints. Each runs in a process of its
own, so that one's memory and caches do not count for the next.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main(names: list[str]) -> int:
    known = {file.stem: file for file in sorted(FOLDER.glob("[!_]*.py")) if _has_main(file)}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are: {', '.join(known)}", file=sys.stderr)
        return 1
    failed = []
    for name in names or known:
        run = f"from benchmarks.{name} import main; main()"
        if subprocess.run([sys.executable, "-c", run], cwd=FOLDER.parent, check=False).returncode:
            failed.append(name)
        print(flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _has_main(file: Path) -> bool:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
