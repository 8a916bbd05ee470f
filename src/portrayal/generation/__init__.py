"""Generators make pictures; the loop makes what is wanted and not there yet.

To add a generator: one file, one class with the methods of `Generator`, one entry in `KINDS`.
"""

from __future__ import annotations

from portrayal.generation.kinds import KINDS, open_generator
from portrayal.generation.loop import generate
from portrayal.generation.protocol import GenerationSummary, Generator

__all__ = ["KINDS", "GenerationSummary", "Generator", "generate", "open_generator"]
