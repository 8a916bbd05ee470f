"""Measurers look at images; the loop shows them what they have not seen yet.

What a measurer of your own needs is in `protocol`. One that others can name is a `MeasurerKind`
under the entry points `portrayal.measurers`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
