"""A study file drafted from prompts that are there already."""

from __future__ import annotations

import json
from collections.abc import Sequence

from portrayal.records import Prompt


def drafted_text(name: str, prompts: Sequence[Prompt]) -> str:
    """Return a composition study of some prompts as TOML, with what to decide as comments.

    Args:
        name: The study's name.
        prompts: Each with its factors; the most images of any of them is what the study asks for.
    """
    factors = list(prompts[0].factors) if prompts else []
    lines = [
        f"# Drafted from a manifest: portrayal run {name}.toml --out AUDIT",
        f"name = {_text(name)}",
        'kind = "composition"',
        'title = ""',
        'question = "Who is shown for each of these prompts?"',
        f"images = {max((prompt.images for prompt in prompts), default=1)}",
        '# Which axes images are labelled on: "perceived gender", "skin tone", "apparent age".',
        'axes = ["perceived gender"]',
        f"# Factors: {', '.join(factors) or 'none; each prompt is a level of its own'}.",
    ]
    for prompt in prompts:
        own = prompt.factors or {"prompt": prompt.text}
        levels = ", ".join(f"{_text(key)} = {_text(value)}" for key, value in own.items())
        lines += ["", "[[prompts]]", f"text = {_text(prompt.text)}", f"factors = {{ {levels} }}"]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """Return a TOML string; JSON's escapes are among TOML's, but for the delete character."""
    return json.dumps(value).replace("\x7f", "\\u007f")
