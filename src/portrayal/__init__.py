"""Measure how a text-to-image model portrays people.

The public names are imported on first use, so that `import portrayal` stays light.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
