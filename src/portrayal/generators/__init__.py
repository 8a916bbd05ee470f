"""Generators make images; the loop makes what is wanted and not there yet.

To add a generator: one file, one class with the methods of `Generator`, one entry in `KINDS`.
"""

from __future__ import annotations

from portrayal.generators.loop import generate
from portrayal.generators.protocol import GenerationSummary, Generator
from portrayal.generators.registry import KINDS, open_generator

__all__ = ["KINDS", "GenerationSummary", "Generator", "generate", "open_generator"]
