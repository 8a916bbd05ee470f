"""Generators make images; the loop makes what is wanted and not there yet.

To add a generator: one class with the methods of `Generator`, and a `GeneratorKind` under the entry
points `portrayal.generators`.
"""

from __future__ import annotations

from portrayal.generators.loop import generate
from portrayal.generators.protocol import GenerationSummary, Generator
from portrayal.generators.registry import (
    GeneratorKind,
    default_model,
    generator_kinds,
    has_real_faces,
    notice,
    open_generator,
)

__all__ = [
    "GenerationSummary",
    "Generator",
    "GeneratorKind",
    "default_model",
    "generate",
    "generator_kinds",
    "has_real_faces",
    "notice",
    "open_generator",
]
