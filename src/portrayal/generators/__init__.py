"""Generators make images; the loop makes what is wanted and not there yet.

To add a generator: one class with the methods of `Generator`, and a `GeneratorKind` under the entry
points `portrayal.generators`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
