"""What people read says things in one way: phrases that have a plainer form are not used.

Messages, help texts, docstrings, study files, pages and documents are searched; prompts, patterns
for captions and names in old files are not what we say, and stay as they are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

INSTEAD = {
    r"\bunbiased\b(?! square)": "say what was measured; nothing is without bias",
    r"\bpictures?\b": "image",
    r"these very|very prompts": "applies to these prompts only",
    r"were there\"|images made": "generated, reused",
    r"one row an? (?:image|answer|prompt)": "one row per ...",
    r"[Ww]hat can be asked": "questions it answers",
    r"stand on\b.*numbers|numbers.*stand on\b": "numbers you can defend",
    r"red ground": "red area",
    r"captions that contain terms": "captions containing the terms",
    r"give up an answer|Of one image\.": "seconds to wait for a response; price per image",
    r"\d %(?!}| \w+ \()": "62%, without a space",
    r"without us\b": "readable without portrayal",
    r"nobody could judge|has not looked": "no personification",
    r"\bendless\b": "unlimited images; population effect size",
    r"\banew\b": "again; recompute",
    r"\bmend(?:s|ed|ing)?\b": "fix, repair",
    r"\bfreed of\b": "corrected for; bias-corrected",
    r"[Nn]othing clear|\bnot clear\b": "no significant difference; not enough data",
    r"(?:[Ii]mages|calls) a second\b(?! time)|images a prompt\b": "per second, per prompt",
    r"training pictures?": "training image",
}
"""Phrases as patterns, and what to say instead."""

KEPT = {
    "language/paraphrase.py": r"picture",  # rewrites captions, whose words these are
    "corpora/columns.py": r"picture",  # a name of columns in corpora
    "corpora/sources.py": r"picture",  # what 0.1 wrote
    "raters/site/database.py": r"pictures",  # a table of databases that exist
    "builtin/instruments-weapons.toml": r"picture",  # the paper's prompt
    "docs/studies/association.md": r"picture",  # the same prompt
}


def said_in_python(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module with their lines; f-strings piece by piece."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def said_in_text(path: Path) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.startswith("```")
        is_output = path.suffix == ".md" and line.startswith("    ")
        if not fenced and not is_output and not line.lstrip().startswith("<!--"):
            yield number, line


SOURCES = sorted(
    [
        *(
            path
            for path in (ROOT / "src").rglob("*")
            if path.suffix in (".py", ".toml", ".j2") and "validation" not in path.parts
        ),
        ROOT / "README.md",
        *(page for page in (ROOT / "docs").rglob("*.md") if page.name != "validation.md"),
    ]
)
"""Everything that people read, but tables of simulated settings, which are known by their names."""


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_plain_words_are_used(path: Path) -> None:
    read = said_in_python if path.suffix == ".py" else said_in_text
    kept = next((what for end, what in KEPT.items() if path.as_posix().endswith(end)), None)
    found = [
        f"line {number}: {match.group(0)!r}; say: {better}"
        for number, text in read(path)
        for pattern, better in INSTEAD.items()
        for match in re.finditer(pattern, text)
        if not (kept and re.search(kept, match.group(0)))
    ]
    assert found == []


def test_the_search_finds_what_it_should(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text('def f():\n    """One picture."""\n    return f"{1} of 12 % or so"\n')
    said = " ".join(text for _, text in said_in_python(file))
    found = [better for what, better in INSTEAD.items() if re.search(what, said)]
    assert found == ["image", "62%, without a space"]
